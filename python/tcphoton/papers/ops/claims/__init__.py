"""The claims of the paper in the order of its sheet, with what is looked at for each."""

from tcphoton.papers.ops.claims import fig3, fig4_5, fig6_7, fig8
from tcphoton.papers.parts import in_order

__all__ = ["CLAIMS"]

CLAIMS = in_order(fig3.CLAIMS, fig4_5.CLAIMS, fig6_7.CLAIMS, fig8.CLAIMS)
