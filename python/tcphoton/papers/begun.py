"""A full run that is made in parts, on machines that keep nothing: what is there of it so far.

The runs of a paper may take longer than one has a machine. The tables of the grids that have been
run fit in a few hundred kilobytes; they wait in the paper's folder until the rest is there. A table
has the stamp of its runs, so tables of other runs do not join them.
"""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton.common import checksum, safe_read
from tcphoton.common.folder import Folder
from tcphoton.errors import FailedRunsError, OutputError
from tcphoton.papers.paper import GRID
from tcphoton.papers.provenance import commit as commit_here
from tcphoton.papers.reproduce import RUN, STAMP, failures, provenance, stamp_of, tables_of
from tcphoton.runs import measures

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from tcphoton.papers.paper import Paper

FOLDER, PARTS = "begun", "parts.json"
SUMMED = ("runs", "seconds")
"""What parts of a run have together."""


def put_by(paper: Paper, home: Path, scale: str, grids: Sequence[str], store: Path) -> None:
    """Run some grids, and put their tables by in the paper's folder `home`.

    Runs that the folder `store` has are not repeated.

    Raises
    ------
    FailedRunsError
        Runs failed; the grid gets no table.
    OutputError
        There is no such grid at the scale, or the tables cannot be written.
    """
    from tcphoton.common import progress
    from tcphoton.sweep.pool import workers_here
    from tcphoton.sweep.sweep import run_all

    known = [grid for grid, plan in paper.plan["grids"].items() if scale in plan]
    if unknown := [grid for grid in grids if grid not in known]:
        raise OutputError(f"no grid {unknown[0]!r} at the scale {scale}: {', '.join(known)}")
    stamp, parts = stamp_of(paper, scale), _begun(home).get("parts", {})
    for grid in grids:
        alone = replace(paper, plan={**paper.plan, "artefacts": {grid: {"grids": [grid]}}})
        sweeps = {runs.name: runs.sweep for runs in alone.runs([grid], scale)}
        started = time.monotonic()
        with progress.show(print) as tell:
            frames = run_all(sweeps, store, progress=tell)
        if problem := failures(frames.values()):
            raise FailedRunsError(f"{grid}: {problem}")
        table = alone.table(grid, scale, frames)
        parts[grid] = {"runs": table.height, "seconds": round(time.monotonic() - started, 1)}
        facts = {"commit": commit_here(), "found": 0, "workers": workers_here()}
        facts |= {**provenance(paper, [], scale), "command": "", "parts": parts}
        with Folder(home / FOLDER, last=PARTS) as writing:
            writing.put(f"{grid}.parquet", measures.parquet(table, {STAMP: stamp}))
            writing.put(PARTS, (json.dumps(checksum.sealed(facts), indent=2) + "\n").encode())


def joined(
    paper: Paper, home: Path, source: Path
) -> tuple[dict[str, pl.DataFrame], dict[str, Any]]:
    """Return the tables of a reproduction and of the parts that wait, and their provenance.

    An artefact that was not run has a table if all of its grids are there.
    """
    begun = _begun(home)
    parts = begun.pop("parts", {})
    is_run = not parts or (source / RUN).exists()
    facts = safe_read.read_object(source / RUN) if is_run else {**begun, "runs": 0, "seconds": 0.0}
    scale, stamp = facts["scale"], stamp_of(paper, facts["scale"])
    tables = tables_of(paper, source, stamp)
    if not parts:
        return tables, facts
    waiting = replace(paper, artefacts=dict.fromkeys(parts, ""))
    grids = dict(_grids(paper, tables)) | tables_of(waiting, home / FOLDER, stamp)
    for artefact in paper.at(scale):
        wanted = list(dict.fromkeys(runs.grid for runs in paper.runs([artefact], scale)))
        if artefact not in tables and paper.kept(artefact) is None and grids.keys() >= {*wanted}:
            each = [grids[grid] for grid in wanted]
            tables[artefact] = pl.concat(each, how="diagonal_relaxed")
    whole = {key: facts[key] + sum(each[key] for each in parts.values()) for key in SUMMED}
    names = [name for name in paper.at(scale) if name in tables]
    return tables, {**facts, **provenance(paper, names, scale), **whole}


def _begun(home: Path) -> dict[str, Any]:
    path = home / FOLDER / PARTS
    return safe_read.read_object(path) if path.exists() else {}


def _grids(paper: Paper, tables: Mapping[str, pl.DataFrame]) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield the rows of each grid."""
    for artefact, table in tables.items():
        if paper.kept(artefact) is None:
            for grid in table.get_column(GRID).unique():
                yield grid, table.filter(pl.col(GRID) == grid)
