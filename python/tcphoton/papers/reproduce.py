"""The reproduction of papers: what to run, the files of each artefact, and the ledger.

A folder gets ``<paper>/<artefact>.parquet`` with every run of an artefact, its figure in four
formats, ``<paper>/ledger.md`` to read, and ``ledger.json`` with the claims of all papers that were
reproduced into it. Existing runs are not repeated. ``<paper>/run.json`` has the duration and the
commit, ``<paper>/cost.csv`` the cost of each point. The caller may have a page written that shows
all of it.
"""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import json
import time
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tcphoton import _core
from tcphoton.common import checksum, safe_read, toml
from tcphoton.common.open_folder import made
from tcphoton.common.progress import Last
from tcphoton.common.quantities import counted
from tcphoton.errors import FailedRunsError, hint
from tcphoton.papers import readings_of
from tcphoton.papers.assumptions import AS_ASSUMED
from tcphoton.papers.paper import is_own, load, papers
from tcphoton.papers.provenance import commit as commit_here

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import polars as pl

    from tcphoton.common.open_folder import OpenFolder
    from tcphoton.common.progress import Progress
    from tcphoton.figures.charts import Format
    from tcphoton.papers.paper import Paper
    from tcphoton.sweep.workers.cluster import Cluster

SCALES = ("quick", "full")
LEDGER, COST, RUN = "ledger.json", "cost.csv", "run.json"
FORMATS: tuple[Format, ...] = ("svg", "pdf", "png", "html")
STAMP = "stamp"
"""Key in an artefact's Parquet file: what it was made of."""


def select(names: Sequence[str], scale: str) -> dict[str, list[str]]:
    """Return the artefacts of each paper that some names select, in the papers' order.

    Parameters
    ----------
    names
        ``"obs"`` for all of a paper, ``"obs/fig2a"`` for one artefact; the folder of a paper of
        one's own instead of a name.
    scale
        Artefacts that have no runs at this scale are left out.

    Raises
    ------
    LookupError
        There is no such paper or artefact, or it has no runs at the scale.

    Examples
    --------
    >>> select(["obs/fig5a", "obs/fig2a"], "quick")
    {'obs': ['fig2a', 'fig5a']}
    """
    wanted: dict[str, set[str]] = {}
    for name in names:
        folder, slash, artefact = split(name)
        paper = load(folder)
        known = paper.at(scale)
        if not known:
            there = ", ".join(paper.scales)
            raise LookupError(f"{folder} has no runs at the scale {scale!r}; available: {there}")
        if slash and artefact not in known:
            near = hint(artefact, known)
            raise LookupError(
                f"{folder} has no artefact {artefact!r}{near}; available: {', '.join(known)}"
            )
        wanted.setdefault(folder, set()).update([artefact] if slash else known)
    return {
        name: [each for each in load(name).at(scale) if each in wanted[name]] for name in wanted
    }


def split(name: str) -> tuple[str, str, str]:
    """Return a paper's name or folder, a slash if an artefact follows, and the artefact."""
    if is_own(name):
        return name, "", ""
    folder, slash, artefact = name.rpartition("/")
    if slash and is_own(folder):
        return folder, slash, artefact
    return name.partition("/")


def listing() -> str:
    """Return all papers with their artefacts, as text to read."""
    lines = []
    for name in papers():
        paper = load(name)
        lines.append(f"{name}  {paper.title} ({paper.source})")
        names = {f"{name}/{artefact}": title for artefact, title in paper.artefacts.items()}
        width = max(map(len, names))
        lines += [f"  {artefact:<{width}}  {title}" for artefact, title in names.items()]
        if readings := readings_of.kept(paper):
            lines.append(f"  readings: {', '.join(readings)}")
    return "\n".join(lines) + "\n"


def reproduce(
    names: Sequence[str],
    out: str | os.PathLike[str],
    scale: str = "quick",
    *,
    workers: int | None = None,
    cluster: Cluster | None = None,
    progress: Callable[[Progress], Any] | None = None,
    page: Callable[[str | os.PathLike[str]], object] | None = None,
    reading: str = "",
    settle: int = 0,
    told: Callable[[str], object] = lambda _: None,
) -> list[dict[str, Any]]:
    """Reproduce papers or some of their artefacts into a folder, and return their claims.

    Parameters
    ----------
    names
        Papers (``"obs"``), artefacts (``"obs/fig2a"``), and folders of papers of one's own.
    out
        The folder; existing runs in it are not repeated.
    scale
        ``quick`` or ``full``.
    workers, cluster, progress
        As in `Sweep.run`.
    page
        Writes a page of the folder at the end, even if runs failed: `tcphoton.report.write`.
    reading
        A reading that the papers keep, or the file of one. Its results stand beside those of the
        paper as assumed, in ``<paper>/readings/<reading>``.
    settle
        Claims whose verdict is open after the planned runs get further seeds, up to so many a
        point, where these can tell (`tcphoton.papers.settle`); 0 for none.
    told
        Is told what that comes to, in words.

    Raises
    ------
    FailedRunsError
        Runs failed. A paper with such runs gets no tables, figures and verdicts; the others do.
    LookupError
        There is no such paper, artefact or reading.
    OutputError
        The folder cannot be written.
    """
    from tcphoton.papers import ledger
    from tcphoton.papers import settle as settling
    from tcphoton.sweep.pool import workers_here
    from tcphoton.sweep.sweep import run_all

    claims, problems = [], []
    for name, artefacts in select(names, scale).items():
        paper = load(name)
        folder = Path(out) / paper.name
        with made(Path(out)) as above:
            place = above.below(paper.name)
            place.probe()
        if reading:
            chosen = readings_of.load(paper, reading)
            paper = readings_of.under(paper, chosen)
            place = place.below(readings_of.FOLDER).below(chosen.name)
        # The tree may change during the runs: the commit at the start counts.
        started, commit, seen = time.monotonic(), commit_here(), Last(progress)
        while True:
            sweeps = {runs.name: runs.sweep for runs in paper.runs(artefacts, scale)}
            frames = run_all(sweeps, folder, workers=workers, cluster=cluster, progress=seen)
            problem = failures(frames.values())
            if problem or not settle:
                break
            of = {each: _frames_of(paper, each, scale, frames, folder) for each in artefacts}
            more = settling.further(paper, scale, of, settle, told)
            if not more:
                break
            paper = dataclasses.replace(paper, more=(*paper.more, *more))
        if problem:
            # A verdict on an incomplete sweep would be one on something else.
            problems.append(f"{name}: {problem}")
            continue
        tables = _write_artefacts(paper, artefacts, scale, frames, (folder, place))
        source = provenance(paper, artefacts, scale, reading, settle)
        entries = [ledger.entry(claim, tables, source) for claim in paper.claims]
        place.put("ledger.md", ledger.markdown(entries).encode())
        taken = {
            **source,
            "commit": commit,
            "runs": seen.now.total,
            "found": seen.now.cached,
            "workers": None if cluster is not None else workers or workers_here(),
            "seconds": round(time.monotonic() - started, 1),
        }
        if not paper.package:
            taken["home"] = str(Path(str(paper.home)).resolve())
        place.put(RUN, (json.dumps(checksum.sealed(taken), indent=2) + "\n").encode())
        _write_cost(paper, artefacts, scale, (folder, place))
        place.check()
        above_it = place.path if reading else Path(out)
        ledger.merge(above_it / LEDGER, paper.name, entries)
        claims += entries
    if page is not None:
        page(out)
    if problems:
        raise FailedRunsError("; ".join(problems))
    return claims


def failures(frames: Iterable[pl.DataFrame]) -> str:
    """Return the message on failed runs, an empty text if none failed."""
    failed = [
        (row["error"], row["replay"])
        for frame in frames
        if "error" in frame.columns
        for row in frame.drop_nulls("error").rows(named=True)
    ]
    runs = dict.fromkeys(failed)
    if not runs:
        return ""
    error, replay = next(iter(runs))
    return f"{counted(len(runs), 'run')} failed, the first with: {error}; to repeat it: {replay}"


def _write_cost(
    paper: Paper, artefacts: Sequence[str], scale: str, places: tuple[Path, OpenFolder]
) -> None:
    """Write the cost of each point: one row per point, with the means over its seeds."""
    import polars as pl

    from tcphoton.runs import measures
    from tcphoton.sweep.runs import points_of_sweep
    from tcphoton.sweep.store.cache import Cache
    from tcphoton.sweep.store.piece import Key

    store, place = places
    known, revision = Cache(store).timings(), _core.results_revision()
    rows = []
    for runs in paper.runs(artefacts, scale):
        for point in points_of_sweep(0, runs.sweep.plan()):
            # With a rule, all that it may ask for: only some of them have been run.
            seeds = map(point.seed, range(point.most))
            found = [known.get(Key(point.digest, seed, revision)) for seed in seeds]
            taken = [each for each in found if each is not None]
            if taken:
                labels = {"grid": runs.grid, "variant": runs.variant, **runs.common, **point.values}
                at = {key: toml.shown(value) for key, value in labels.items()}
                means = {
                    name: sum(getattr(each, name) for each in taken) / len(taken)
                    for name in ("wall", "cpu", "events")
                }
                rows.append({**at, "runs": len(taken), **means})
    if rows:
        order = dict.fromkeys(key for row in rows for key in row)
        last = ("runs", "wall", "cpu", "events")
        columns = [*(key for key in order if key not in last), *last]
        table = pl.DataFrame(rows, infer_schema_length=None).select(columns)
        place.put(COST, measures.csv_text(table).encode())


def _write_artefacts(
    paper: Paper,
    artefacts: Iterable[str],
    scale: str,
    frames: Mapping[str, pl.DataFrame],
    places: tuple[Path, OpenFolder],
) -> dict[str, pl.DataFrame]:
    """Write figures and tables; return the tables of claims, including those of an earlier call.

    The first place has the runs, the second one gets the results.
    """
    from tcphoton import figures
    from tcphoton.runs import measures

    store, place = places
    stamp = stamp_of(paper, scale)
    tables = tables_of(paper, place.path, stamp)
    for artefact in artefacts:
        table = paper.table(artefact, scale, _frames_of(paper, artefact, scale, frames, store))
        seen = paper.seen(table)
        for file, data in figures.drawn(paper.figures[artefact](seen), artefact, FORMATS):
            place.put(file, data)
        # The table is written last and marks the figure as complete.
        place.put(f"{artefact}.parquet", measures.parquet(table, {STAMP: stamp}))
        tables[artefact] = seen
    return tables


def _frames_of(
    paper: Paper, artefact: str, scale: str, frames: Mapping[str, pl.DataFrame], store: Path
) -> Mapping[str, pl.DataFrame]:
    """Return the tables of which an artefact is made: measures, or kept tables."""
    if (name := paper.kept(artefact)) is None:
        return frames
    runs = paper.runs([artefact], scale)
    return {each.name: each.sweep.kept(name, store) for each in runs}


def tables_of(paper: Paper, folder: Path, stamp: str) -> dict[str, pl.DataFrame]:
    """Return the tables of artefacts from an earlier call, made of the same runs."""
    import polars as pl

    found = {}
    for artefact in paper.artefacts:
        path = folder / f"{artefact}.parquet"
        try:
            data = safe_read.read_parquet(path)
            if pl.read_parquet_metadata(BytesIO(data)).get(STAMP) == stamp:
                found[artefact] = paper.seen(pl.read_parquet(data))
        except safe_read.DamagedError as error:
            safe_read.warn(f"{error}; the artefact counts as not run")
        except safe_read.broken():
            continue
    return found


def stamp_of(paper: Paper, scale: str) -> str:
    """Return a digest of everything on which a paper's runs at a scale depend."""
    plan = paper.plan_at(scale)
    grids = plan["grids"].values()
    variants = [each for group in plan["variants"].values() for each in group.values()]
    files = {each["scenario"] for each in (*grids, *variants) if "scenario" in each}
    files |= {each.scenario for each in paper.overlay.changes if each.scenario}
    scenarios = {file: paper.scenario(file) for file in sorted(files)}
    texts: dict[str, Any] = {file: scenario.text for file, scenario in scenarios.items()}
    for file, scenario in scenarios.items():
        texts |= {f"{file}: {each.name}": each.content for each in scenario.files}
    if paper.derive is not None and any("keep" in grid for grid in grids):
        source = Path(inspect.getfile(paper.derive))
        texts[source.name] = source.read_text("utf-8")
    all_of_it = [scale, _core.results_revision(), plan, texts]
    if paper.overlay != AS_ASSUMED:
        all_of_it.append(dataclasses.asdict(paper.overlay))
    return hashlib.sha256(json.dumps(all_of_it, sort_keys=True).encode()).hexdigest()[:16]


def provenance(
    paper: Paper, artefacts: Sequence[str], scale: str, reading: str = "", settle: int = 0
) -> dict[str, str]:
    """Return the provenance in a claim's entry: nothing that differs from call to call."""
    whole = list(artefacts) == paper.at(scale)
    names = [paper.name] if whole else [f"{paper.name}/{each}" for each in artefacts]
    under = f" --reading {reading}" if reading else ""
    under += f" --settle {settle}" if settle else ""
    return {
        "command": f"tcphoton reproduce {' '.join(names)} --scale {scale}{under}",
        "scale": scale,
        "version": _core.__version__,
        "revision": _core.results_revision(),
    }
