r"""Tables of sizes: the points of a measured distribution function, as CSV or Parquet.

>>> print(content("web.csv", b"size,cdf\n6 kB,0.15\n30000,1\n"))
[
{ size = "6 kB", cdf = 0.15 },
{ size = "30000 B", cdf = 1.0 },
]
"""

from __future__ import annotations

from tcphoton.common import toml
from tcphoton.scenario import table_rows
from tcphoton.scenario.topology_graph import fail

COLUMNS = ("size", "cdf")
SHARE = "a number from 0 to 1"


def content(file: str, data: bytes) -> str:
    """Return a table as the value of the key ``points``.

    Raises
    ------
    ScenarioError
        It is not a table with these columns, or a share is not a number.
    """
    lines = table_rows.Lines()
    for line, (size, cdf) in table_rows.rows(file, data, COLUMNS):
        if not table_rows.NUMBER.fullmatch(cdf):
            fail(file, "not a share", line=line, found=cdf, accepted=SHARE)
        if 1 < float(cdf) <= 100:  # noqa: PLR2004
            problem = "a share above 1, as if it were in percent"
            fail(file, problem, line=line, found=cdf, accepted=f"{SHARE}, 0.15 for 15 %")
        shown = f"{size} B" if size.isdigit() else size
        lines.put(line, f"{{ size = {toml.inline(shown)}, cdf = {toml.inline(float(cdf))} }},")
    return lines.text()
