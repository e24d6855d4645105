"""The claims of the paper in the order of its sheet, with what is looked at for each."""

from tcphoton.papers.lbas.claims import packets, queues, tables
from tcphoton.papers.parts import in_order

__all__ = ["CLAIMS"]

CLAIMS = in_order(tables.CLAIMS, queues.CLAIMS, packets.CLAIMS)
