"""Small runs whose digests are written down: a change of results shows in a review.

A matching digest says that every final counter of every flow, link and queue is the same; it says
nothing about series or about how a report is drawn. Run as a program, this rewrites the digests:
say in the commit that results change, and why.

The hash of ``fingerprints.csv`` is the results revision, which names kept runs. A row for something
new goes into ``fingerprints-added.csv``, since no kept run has it; when results change, these rows
move to the others. Where those of few scenarios change, their digests may be changed instead
(``has_changed`` in ``crates/scenario/src/load.rs``): no kept run has these either.
"""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

import tcphoton as tp

FILE = Path(__file__).parents[1] / "fingerprints.csv"
ADDED = FILE.with_name("fingerprints-added.csv")
FIELDS = ["scenario", "settings", "seed", "digest"]

Row = dict[str, str]


def read() -> list[Row]:
    """Return all rows, the added ones last."""
    return [*_rows(FILE), *_rows(ADDED)]


def _rows(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def scenario(row: Row) -> tp.Scenario:
    """Return the scenario of a row; settings stand as KEY=VALUE with bars between."""
    base = tp.example(row["scenario"])
    pairs = (setting.split("=", 1) for setting in row["settings"].split("|") if setting.strip())
    return base.with_texts((key.strip(), value.strip()) for key, value in pairs)


def digest(row: Row) -> str:
    """Run a row and return its digest."""
    return tp.run(scenario(row), int(row["seed"])).digest


def main() -> None:
    """Rewrite the digests and name the rows that changed."""
    rows, added = _rows(FILE), _rows(ADDED)
    changed = False
    for row in (*rows, *added):
        found = digest(row)
        if row["digest"] and found != row["digest"]:
            sys.stdout.write(f"changed: {row['scenario']} {row['settings']}\n")
            changed = True
        row["digest"] = found
    if changed:
        rows, added = [*rows, *added], []
    _write(FILE, rows)
    _write(ADDED, added)


def _write(path: Path, rows: list[Row]) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, FIELDS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(text.getvalue(), encoding="utf-8")


if __name__ == "__main__":
    main()
