"""The tables that a comparison with the numbers of others prints, and its page has.

A row ends with its verdict, and its first three cells say what it compares.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Cells = tuple[str, ...]


def table(head: Cells, rows: Sequence[Cells]) -> str:
    """Return rows as a table of a page."""
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def settle(page: Path, tables: dict[Cells, list[Cells]]) -> int:
    """Print tables, by their heads, and tell where a verdict is not that of the page.

    With ``--write`` on the command line they are written there instead. Returns the exit code:
    1 where the page says something else.
    """
    texts = [table(head, rows) for head, rows in tables.items()]
    print(*texts, sep="\n")
    text = page.read_text()
    if sys.argv[1:] == ["--write"]:
        for new in texts:
            first = text.index(new.partition("\n")[0])
            last = text.index("\n\n", first)
            text = text[:first] + new.rstrip("\n") + text[last:]
        page.write_text(text)
        return 0
    now, said = (_verdicts(each, set(tables)) for each in ("".join(texts), text))
    moved = [row for row in now if row not in said]
    for row in moved:
        print(f"Not as {page} says: {', '.join(row)}")
    return 1 if moved or len(now) != len(said) else 0


def _verdicts(page: str, heads: set[Cells]) -> list[Cells]:
    """Return what the tables of a page say: the first three cells and the verdict of each row."""
    widths = {len(head) for head in heads}
    cells = [tuple(line[2:-2].split(" | ")) for line in page.splitlines() if line[:2] == "| "]
    rows = [row for row in cells if len(row) in widths and row not in heads]
    return [(*row[:3], row[-1]) for row in rows if row[0] != "---"]
