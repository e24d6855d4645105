"""A full run that is made in parts, on machines that keep nothing: what is there of it so far.

The runs of a paper may take longer than one has a machine. The tables of the artefacts that are
complete fit in a few hundred kilobytes; they wait in the paper's folder until the rest is there. A
table has the stamp of its runs, so tables of other runs do not join them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton.common import reading
from tcphoton.common.folder import Folder
from tcphoton.papers.paper import GRID
from tcphoton.papers.reproduce import RUN, provenance, stamp_of, tables_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tcphoton.papers.paper import Paper

__all__ = ["FOLDER", "joined", "put_by"]

FOLDER, PARTS = "begun", "parts.json"
SUMMED = ("runs", "found", "seconds")
"""What parts of a run have together."""


def put_by(paper: Paper, home: Path, source: Path) -> None:
    """Put the tables of a reproduction in `source` by, in the paper's folder `home`.

    Raises
    ------
    OutputError
        They cannot be read, or cannot be written.
    """
    facts = reading.read_object(source / RUN)
    parts = {each["command"]: each for each in (*_parts(home), facts)}
    stamp = stamp_of(paper, facts["scale"])
    with Folder(home / FOLDER, last=PARTS) as writing:
        for artefact in tables_of(paper, source, stamp):
            file = f"{artefact}.parquet"
            writing.put(file, reading.read_parquet(source / file))
        writing.put(PARTS, (json.dumps(list(parts.values()), indent=2) + "\n").encode())


def joined(
    paper: Paper, home: Path, source: Path
) -> tuple[dict[str, pl.DataFrame], dict[str, Any]]:
    """Return the tables of all parts and the provenance of the whole.

    An artefact whose grids are all in tables of others has a table, too.
    """
    facts = reading.read_object(source / RUN)
    scale, stamp = facts["scale"], stamp_of(paper, facts["scale"])
    tables = {**tables_of(paper, home / FOLDER, stamp), **tables_of(paper, source, stamp)}
    if not (parts := _parts(home)):
        return tables, facts
    tables |= dict(_made_of_others(paper, scale, tables))
    every = {each["command"]: each for each in (*parts, facts)}.values()
    whole = {key: sum(each[key] for each in every) for key in SUMMED}
    names = [name for name in paper.at(scale) if name in tables]
    return tables, {**facts, **provenance(paper, names, scale), **whole}


def _parts(home: Path) -> list[dict[str, Any]]:
    path = home / FOLDER / PARTS
    found: list[dict[str, Any]] = reading.read_value(path) if path.exists() else []
    return found


def _made_of_others(
    paper: Paper, scale: str, tables: dict[str, pl.DataFrame]
) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield the artefacts that are not there and whose grids all are."""
    grids = {
        grid: table.filter(pl.col(GRID) == grid)
        for artefact, table in tables.items()
        if paper.kept(artefact) is None
        for grid in table.get_column(GRID).unique()
    }
    for artefact in paper.at(scale):
        wanted = list(dict.fromkeys(runs.grid for runs in paper.runs([artefact], scale)))
        if artefact not in tables and paper.kept(artefact) is None and grids.keys() >= set(wanted):
            yield artefact, pl.concat([grids[grid] for grid in wanted], how="diagonal_relaxed")
