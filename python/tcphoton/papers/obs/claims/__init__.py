"""The claims of the paper in the order of its sheet, with what is looked at for each."""

from tcphoton.papers.obs.claims import fig2, fig3, fig5_6
from tcphoton.papers.parts import in_order

__all__ = ["CLAIMS"]

CLAIMS = in_order(fig2.CLAIMS, fig3.CLAIMS, fig5_6.CLAIMS)
