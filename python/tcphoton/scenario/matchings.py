r"""Rounds of circuit switches: the matchings of their slots, as a text.

A line for each slot has, for each rack, the number of the rack to which its light goes; an empty
line is before the slots of the next switch, or of its next channel. Lines that begin with ``#``
are left out.

>>> print(content("rounds.txt", b"# two switches\n1 2 0\n\n2, 0, 1\n1 2 0\n"))
[
[[1, 2, 0],
],
[[2, 0, 1],
[1, 2, 0],
]]
"""

from __future__ import annotations

import re

from tcphoton.scenario.table_rows import text_of
from tcphoton.scenario.topology_graph import fail

BETWEEN = re.compile(r"\s*,\s*|\s+")
ACCEPTED = "in each line the numbers of racks, an empty line before those of the next switch"


def content(file: str, data: bytes) -> str:
    """Return the rounds as the value of the key ``matchings``.

    Raises
    ------
    ScenarioError
        Something is not the number of a rack, or there is no slot.
    """
    shown: list[str] = []
    in_round = False
    for line, text in enumerate(text_of(file, data).splitlines(), start=1):
        row = text.strip()
        opens = ""
        if row and not row.startswith("#"):
            numbers = BETWEEN.split(row)
            if wrong := next(
                (each for each in numbers if not re.fullmatch(r"[0-9]{1,9}", each)), None
            ):
                fail(file, "not the number of a rack", line=line, found=wrong, accepted=ACCEPTED)
            opens = f"{'' if in_round else '['}[{', '.join(str(int(each)) for each in numbers)}],"
            in_round = True
        elif not row and in_round:
            opens, in_round = "],", False
        shown.append(opens)
    if not any(shown):
        fail(file, "no slot", accepted=ACCEPTED)
    return "[" + "\n".join(shown) + ("\n]]" if in_round else "\n]")
