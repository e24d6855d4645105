"""The folder of a sweep: its definition, finished runs, and the results.

``sweep.json`` has the definition and the digests of all points, ``points`` the finished runs with
their kept tables, ``failed`` the failed runs. ``results.csv`` and ``results.parquet`` are written
when all runs are finished; results can also be read from an unfinished folder. ``timings.csv`` has
the duration, worker and host of each run; nothing else depends on it.

Results always belong to the ``sweep.json`` next to them: starting another sweep in the folder
removes the old results, and a call writes none if another sweep was started since.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tcphoton.common import checksum, safe_read
from tcphoton.common.open_folder import made
from tcphoton.errors import OutputError, hint
from tcphoton.sweep import studies
from tcphoton.sweep.labels import NO_LABELS, Labels
from tcphoton.sweep.serialize import settings_of, until_of
from tcphoton.sweep.studies import ASKED

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    import polars as pl

    from tcphoton.analysis.statistics import Until
    from tcphoton.common.open_folder import OpenFolder
    from tcphoton.sweep.designs import Axis
    from tcphoton.sweep.point import Point
    from tcphoton.sweep.store.cache import Cache

IDENTITY = "asked"
"""Key in the metadata of ``results.parquet``: the checksum of the definition."""
RECORD = "report.json"
RESULTS = ("results.csv", "results.parquet")
TIMING_COLUMNS = ("wall", "cpu", "worker", "finished", "host", "memory")


@dataclasses.dataclass(frozen=True)
class Kept:
    """The contents of a sweep's folder.

    Attributes
    ----------
    title
        The sweep's title.
    axes
        The keys that vary, with their values.
    table
        One row per finished point and seed; or the rows of a kept table.
    missing
        How many runs are not finished.
    measure
        The measure of the sweep's rule, the first of several; an empty text without a rule.
    failed
        How many of the rows are failed runs: they have columns ``error`` and ``replay``.
    measures
        All measures of the rule.
    together
        The keys that vary together, group by group: all except those of the grid.
    early
        How many of the rows are runs that stopped before their end.
    until
        The sweep's rule.
    labels
        The names of the axes and of their values.
    """

    title: str
    axes: dict[str, list[Any]]
    table: pl.DataFrame
    missing: int
    measure: str = ""
    failed: int = 0
    measures: tuple[str, ...] = ()
    together: tuple[frozenset[str], ...] = ()
    early: int = 0
    until: Until | None = None
    labels: Labels = NO_LABELS


class Asked(NamedTuple):
    """The definition that a folder has."""

    title: str
    axes: list[Axis]
    points: list[dict[str, Any]]
    digests: list[str]
    seeds: list[int]
    until: Until | None
    keep: list[str]
    revision: str
    labels: Labels
    found: dict[str, Any]

    def command(self, values: Mapping[str, Any]) -> Callable[[], tuple[str, list[str]]] | None:
        """Return what makes a point's command; `None` if the scenario's file is unknown."""
        if "file" not in self.found:
            return None
        return lambda: (str(self.found["file"]), settings_of(self.found, values))


def definition(folder: Path, study: int | None = None) -> dict[str, Any]:
    """Return the keys of a folder's definition as they are stored; of a single run none.

    A folder that was asked for several studies has one for each, by their numbers.

    Raises
    ------
    OutputError
        It cannot be read.
    """
    name = ASKED if study is None else studies.file_of(folder, study)
    try:
        found = safe_read.read_object(folder / name)
    except safe_read.DamagedError as error:
        raise OutputError(f"{folder}: not a readable sweep: {error}") from None
    except OSError as error:
        if (folder / RECORD).exists():
            return {}
        raise OutputError(_nothing(folder) or f"{folder}: {error.strerror}: {ASKED}") from None
    if not found:
        raise OutputError(f"{folder}: not a readable sweep: {ASKED} has no keys")
    return found


def _nothing(folder: Path) -> str:
    """Return why a folder has no results, an empty text if it should have some."""
    if folder.is_file():
        return f"{folder}: a file; give the folder of its results"
    if not folder.is_dir():
        return f"{folder}: no such folder"
    if below := titles_below(folder):
        return f"{folder}: holds several results: {', '.join(below)}; give the folder of one"
    return "" if (folder / ASKED).exists() else f"{folder}: no results: no {ASKED}, no {RECORD}"


def asked_of(folder: Path, study: int | None = None) -> Asked:
    """Return the definition in a folder, or of one of its studies.

    Raises
    ------
    OutputError
        There is no sweep, or it cannot be read.
    """
    from tcphoton.sweep import designs

    found = definition(folder, study)
    if not found:
        raise OutputError(f"{folder}: not a sweep: it holds one run")
    try:
        axes = designs.axes_of(found)
        points = designs.points_of(axes)
        digests = [digest for digest, _ in zip(found["digests"], points, strict=True)]
        keep = [str(name) for name in found.get("keep", [])]
        until, revision = until_of(found["until"]), found["results-revision"]
        return Asked(
            found["title"],
            axes,
            points,
            digests,
            list(found["seeds"]),
            until,
            keep,
            revision,
            Labels.of(found),
            found,
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise OutputError(f"{folder}: not a readable sweep: {error}") from None


class Begun(NamedTuple):
    """A sweep that was started in a folder.

    Attributes
    ----------
    place
        The folder, held open until its results are written.
    identity
        The checksum of the definition, without the path of the scenario's file.
    """

    place: OpenFolder
    identity: str


def begin(folder: Path, asked: Mapping[str, Any], digests: Sequence[str]) -> Begun:
    """Write the definition and the digests of the points; remove results of other sweeps.

    The definition of another sweep is kept as an earlier study.

    Raises
    ------
    OutputError
        The folder cannot be written.
    """
    from tcphoton import _core

    whole = {**asked, "results-revision": _core.results_revision(), "digests": list(digests)}
    whole = json.loads(json.dumps(whole, ensure_ascii=False))
    with made(folder) as place:
        begun = Begun(place, studies.identity(whole))
        with place.lock():
            # The same scenario under another path, or with other labels, is the same sweep.
            there = _asked_in(place.path)
            is_other = studies.identity(there) != begun.identity
            if is_other:
                for name in RESULTS:
                    place.discard(name)
                studies.keep(place, whole)
            if is_other or there.get("labels") != whole.get("labels"):
                text = json.dumps(checksum.sealed(whole), indent=1, ensure_ascii=False) + "\n"
                place.put(ASKED, text.encode())
    return begun


def _asked_in(folder: Path) -> dict[str, Any]:
    """Return the definition of the sweep that was last started in a folder; empty if unreadable."""
    try:
        found = safe_read.read_value(folder / ASKED)
    except safe_read.DamagedError as error:
        safe_read.warn(f"{error}; it is written again")
        return {}
    except OSError:
        return {}
    return found if isinstance(found, dict) and checksum.KEY in found else {}


def finish(begun: Begun, table: pl.DataFrame) -> None:
    """Write the results.

    Raises
    ------
    OutputError
        They cannot be written, and no partially written file is left; or the folder was moved or
        deleted; or another sweep was started in it.
    """
    from tcphoton.runs import measures

    place = begun.place
    place.check()
    written = (
        measures.csv_text(table).encode(),
        measures.parquet(table, {IDENTITY: begun.identity}),
    )
    with place.lock():
        if studies.identity(_asked_in(place.absolute)) != begun.identity:
            raise OutputError(
                f"{place.path}: another sweep was started in it meanwhile; runs are kept, and no "
                "results are written: run this one again, better in its own folder"
            )
        for name, data in zip(RESULTS, written, strict=True):
            with contextlib.suppress(OSError):
                if safe_read.read(place.absolute / name, len(data), follow=False) == data:
                    continue
            place.put(name, data)


def read(
    folder: str | os.PathLike[str],
    *,
    timings: bool = False,
    table: str | None = None,
    study: int | None = None,
) -> Kept:
    """Read the results of a sweep, finished or not, or of one run.

    With `study` it is the study with that number, of several that the folder was asked for.
    Measures of the sweep's program (`derive`) are not included. `timings` adds the duration,
    worker, time and host of each run. With `table` the result is that table of all runs.

    Raises
    ------
    OutputError
        There is neither, or it cannot be read.
    LookupError
        The table is not kept.
    """
    from tcphoton.runs import measures
    from tcphoton.sweep.designs import columns_of
    from tcphoton.sweep.store.cache import Cache
    from tcphoton.sweep.store.piece import Key

    folder = Path(folder)
    if study is None and not (folder / ASKED).exists() and (folder / RECORD).exists():
        return _of_run(folder, timings=timings, table=table)
    asked, cache = asked_of(folder, study), Cache(folder)
    axes, until, revision = columns_of(asked.axes), asked.until, asked.revision
    points = _points(asked, cache)
    rows = [row for point in points for row in point.table()]
    missing = sum(point.foreseen() for point in points) - len(rows)
    failed = sum("error" in row for row in rows)
    looked_at = until.measures if until else ()
    together = tuple(frozenset(axis) for axis in asked.axes if len(axis) > 1)
    early = sum(map(_stopped_early, rows))
    measure = looked_at[0] if looked_at else ""
    rest = (measure, failed, looked_at, together, early, until, asked.labels)
    if table is not None:
        kept = kept_table(table, axes, points, cache, revision)
        return Kept(asked.title, axes, kept, missing, *rest)
    found = measures.frame(axes, rows)
    if timings:
        known = cache.timings()
        keys = [
            Key(point.digest, row["seed"], revision) for point in points for row in point.table()
        ]
        found = _with_timings(found, [known.get(key) for key in keys])
    return Kept(asked.title, axes, found, missing, *rest)


def troubled(folder: Path) -> Kept:
    """Return the runs of a folder that failed or stopped early, and how to repeat each of them.

    The table has the keys that vary, ``seed``, ``reason`` and ``replay``.

    Raises
    ------
    OutputError
        There is no sweep and no run, or it cannot be read.
    """
    from tcphoton.runs import measures
    from tcphoton.sweep.designs import columns_of
    from tcphoton.sweep.store.cache import Cache

    if not definition(folder):
        run = _of_run(folder, timings=False, table=None)
        rows = [row for row in run.table.to_dicts() if _stopped_early(row)]
        title, axes, labels = run.title, {}, run.labels
    else:
        asked = asked_of(folder)
        title, axes, labels = asked.title, columns_of(asked.axes), asked.labels
        rows = [
            {"replay": point.replay(row["seed"]) if point.command else "", **row}
            for point in _points(asked, Cache(folder))
            for row in point.table()
            if "error" in row or _stopped_early(row)
        ]
    heads = [*axes, "seed", "replay"]
    found = [
        {name: row.get(name) for name in heads} | {"reason": row.get("error") or row["stop"]}
        for row in rows
    ]
    failed = sum("error" in row for row in rows)
    return Kept(title, axes, measures.frame(axes, found), 0, failed=failed, labels=labels)


def _stopped_early(row: Mapping[str, Any]) -> bool:
    """Tell whether a run gave a result before its end."""
    return "error" not in row and row["stop"] != "end"


def _points(asked: Asked, cache: Cache) -> list[Point]:
    """Return the points of a folder's sweep with their finished runs."""
    from tcphoton.sweep.point import Point, compare

    points = [
        Point(
            digest, values, asked.seeds, asked.until, command=asked.command(values), keep=asked.keep
        )
        for digest, values in zip(asked.digests, asked.points, strict=True)
    ]
    compare(points, asked.axes)
    for point in points:
        _fill(point, cache, asked.revision)
    return points


def kept_table(
    name: str,
    axes: Mapping[str, Sequence[Any]],
    points: Sequence[Point],
    cache: Cache,
    revision: str,
) -> pl.DataFrame:
    """Return a table of all runs of some points as one.

    Raises
    ------
    LookupError
        The table is not kept.
    """
    from tcphoton.runs import measures
    from tcphoton.sweep.store.piece import Key

    known = list(dict.fromkeys(each for point in points for each in point.keep))
    if name not in known:
        there = ", ".join(known) or "none"
        raise LookupError(f"no table {name!r} is kept{hint(name, known)}; available: {there}")
    runs = []
    for point in points:
        for row in point.table():
            finished = cache.load(Key(point.digest, row["seed"], revision), [name])
            if finished is not None:
                runs.append((row, finished.tables[name]))
    return measures.beside(axes, name, runs)


def titles_below(folder: Path) -> dict[str, str]:
    """Return the folders in a folder that hold a sweep or a run, with their titles.

    The list is empty if the folder itself holds one.
    """
    found: dict[str, str] = {}
    if any((folder / name).exists() for name in (ASKED, RECORD)):
        return found
    with contextlib.suppress(OSError):
        for inside in sorted(each for each in folder.iterdir() if each.is_dir()):
            for name in (ASKED, RECORD):
                try:
                    found[inside.name] = str(safe_read.read_value(inside / name)["title"])
                    break
                except safe_read.DamagedError as error:
                    safe_read.warn(f"{error}; it is skipped")
                except (OSError, KeyError, TypeError):
                    continue
    return found


def _of_run(folder: Path, *, timings: bool, table: str | None) -> Kept:
    """Read the report of one run."""
    from tcphoton.runs import measures

    if table is not None:
        from tcphoton.runs.results import Report

        report = Report.load(folder)
        if table not in report.tables:
            near, there = hint(table, report.tables), ", ".join(report.tables)
            raise LookupError(f"no table {table!r} is kept{near}; available: {there}")
        return Kept(report.record["title"], {}, report.tables[table], 0)
    try:
        record = safe_read.read_object(folder / RECORD)
        row = {"seed": record["seed"], **measures.row(record)}
        timing = {name: record["timing"].get(name) for name in TIMING_COLUMNS} if timings else {}
        early = int(_stopped_early(row))
        return Kept(record["title"], {}, measures.frame({}, [row | timing]), 0, early=early)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise OutputError(f"{folder}: not a readable report: {error}") from None


def _fill(point: Point, cache: Cache, revision: str) -> None:
    """Take the runs of a point that its rule counts, or all if the rule cannot be evaluated.

    It cannot if it uses a measure that the sweep's program derives.
    """
    from tcphoton.sweep.point import fill

    try:
        fill(point, cache, revision)
    except LookupError:
        point.seeds, point.until = [point.seed(at) for at in range(point.most)], None
        point.base = None
        point.enough = len(point.seeds)
        fill(point, cache, revision)
        point.seeds, point.enough = list(point.rows), len(point.rows)


def _with_timings(table: pl.DataFrame, timings: Sequence[Any]) -> pl.DataFrame:
    import polars as pl

    columns = [
        pl.Series(name, [None if one is None else getattr(one, name) for one in timings])
        for name in TIMING_COLUMNS
    ]
    return table.with_columns(columns)
