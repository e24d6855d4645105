"""The claims of the paper in the order of its sheet, with what is looked at for each."""

from tcphoton.papers.hybrid.claims import fig2, not_printed
from tcphoton.papers.parts import in_order

__all__ = ["CLAIMS"]

CLAIMS = in_order(fig2.CLAIMS, not_printed.CLAIMS)
