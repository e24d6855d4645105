"""The claims of the paper in the order of its sheet, with what is looked at for each."""

from tcphoton.papers.parts import in_order
from tcphoton.papers.sync.claims import fig7_10, fig8, fig12_13, fig14, table2

__all__ = ["CLAIMS"]

CLAIMS = in_order(fig8.CLAIMS, fig7_10.CLAIMS, fig12_13.CLAIMS, fig14.CLAIMS, table2.CLAIMS)
