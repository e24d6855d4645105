"""Results as one page: a self-contained file in HTML that opens offline in any browser.

The page of a run, a sweep, finished or not, or of reproduced papers. How it is made safe to open is
told by `tcphoton.pages.page`.
"""

from tcphoton.pages.page import figure_page
from tcphoton.report.folder import NAME, page, write

__all__ = ["NAME", "figure_page", "page", "write"]
