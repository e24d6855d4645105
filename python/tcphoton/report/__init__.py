"""Results as one page: a self-contained HTML file that works offline in any browser.

There are pages for a run, a sweep (finished or not), and reproduced papers. `tcphoton.pages.page`
explains why they are safe to open.
"""

from tcphoton.pages.page import figure_page
from tcphoton.report.folder import NAME, page, write

__all__ = ["NAME", "figure_page", "page", "write"]
