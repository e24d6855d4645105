"""The tables that are kept with a paper's ledger, so that it can be judged anew without a run.

What is kept of an artefact's table is what rules use of it: its points, the seeds and the measures
without which a finding would be another, as numbers of 32 bits.
"""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton.common import checksum, safe_read
from tcphoton.errors import OutputError
from tcphoton.papers import ledger
from tcphoton.papers.second_look import LOOK

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tcphoton.papers.paper import Paper
    from tcphoton.papers.rules import Rule

ENDING = ".measures.parquet"
"""How the file of an artefact's kept table ends."""
FACTS = ("command", "scale", "version", "revision")
"""What of a run's provenance is in each claim."""


def kept(paper: Paper, folder: Path) -> dict[str, pl.DataFrame]:
    """Return the tables that a folder keeps of a paper's artefacts; none of some, or of all."""
    found = {}
    for artefact in paper.artefacts:
        if (path := folder / f"{artefact}{ENDING}").exists():
            found[artefact] = pl.read_parquet(safe_read.read_parquet(path))
    return found


def small(paper: Paper, tables: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Return each table that a rule reads, with what rules use of it.

    Raises
    ------
    OutputError
        A verdict would be another one.
    """
    less: dict[str, pl.DataFrame] = {}
    for artefact, table in tables.items():
        if rules := _rules(paper, artefact):
            points = table.columns[: table.columns.index("seed") + 1]
            points += [LOOK] if LOOK in table.columns else []
            measures = [name for name in table.columns if name not in points]
            used = _used(rules, table, measures)
            floats = [name for name in used if table.schema[name] == pl.Float64]
            less[artefact] = table.select(*points, *used).with_columns(
                pl.col(floats).cast(pl.Float32)
            )
    facts = dict.fromkeys(FACTS, "")
    one, other = (judged(paper, each, facts) for each in (tables, less))
    if changed := [a["claim"] for a, b in zip(one, other, strict=True) if _words(a) != _words(b)]:
        raise OutputError(f"the kept tables give another verdict of {', '.join(changed)}")
    return less


def packed(table: pl.DataFrame) -> bytes:
    """Return the bytes of the file of a table, as small as they get."""
    data = BytesIO()
    table.write_parquet(data, compression="zstd", compression_level=19)
    return checksum.seal(data.getvalue())


def judged(
    paper: Paper, tables: Mapping[str, pl.DataFrame], run: Mapping[str, Any]
) -> list[ledger.Entry]:
    """Return a paper's ledger from tables of its artefacts and the provenance of their runs.

    Raises
    ------
    OutputError
        There are no tables, or the provenance is not that of a reproduction.
    """
    if not tables:
        raise OutputError(f"{paper.name}: no tables to judge; `tcphoton reproduce {paper.name}`")
    if missing := [name for name in FACTS if name not in run]:
        raise OutputError(f"{paper.name}: the provenance of its runs lacks {', '.join(missing)}")
    provenance = {name: run[name] for name in FACTS}
    whole = {name: table.cast({pl.Float32: pl.Float64}) for name, table in tables.items()}
    return [ledger.entry(claim, whole, provenance) for claim in paper.claims]


def _words(entry: ledger.Entry) -> list[str]:
    return [part["verdict"] for part in (*entry["parts"], *entry["sensitivity"])]


def _rules(paper: Paper, artefact: str) -> list[Rule]:
    """Return the rules that read an artefact's table."""
    return [
        part.rule
        for claim in paper.claims
        for part in (*claim.parts, *claim.sensitivity)
        if part.artefact == artefact
    ]


def _used(rules: Sequence[Rule], table: pl.DataFrame, names: Sequence[str]) -> list[str]:
    """Return those of some columns without which a finding would be another."""

    def findings(of: pl.DataFrame) -> str:
        try:
            return repr([rule(of) for rule in rules])
        except pl.exceptions.ColumnNotFoundError as error:
            return str(error)

    whole = findings(table)

    def needed(some: Sequence[str]) -> list[str]:
        if not some or findings(table.drop(some)) == whole:
            return []
        if len(some) == 1:
            return list(some)
        half = len(some) // 2
        return needed(some[:half]) + needed(some[half:])

    return needed(names)
