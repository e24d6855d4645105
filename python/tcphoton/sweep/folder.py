"""The folder of a sweep: what was asked, what has finished, and the results.

``sweep.json`` says what was asked and by which digest each point is found, ``points`` holds the
finished runs with the tables that are kept of them, ``failed`` those that failed, ``results.csv``
and ``results.parquet`` come when all are there. Results can be read from an unfinished folder, too.
``timings.csv`` says how long runs took, on which worker and host; nothing else depends on that.

Results are those of the ``sweep.json`` beside them: who begins another sweep in the folder removes
what was there, and a call writes none where another sweep has begun since.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tcphoton.common import checksum, reading
from tcphoton.common.open_folder import made
from tcphoton.errors import OutputError, hint
from tcphoton.sweep.written import settings_of, until_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    import polars as pl

    from tcphoton.analysis.statistics import Until
    from tcphoton.common.open_folder import OpenFolder
    from tcphoton.sweep.designs import Axis
    from tcphoton.sweep.point import Point
    from tcphoton.sweep.store.cache import Cache

__all__ = [
    "Asked",
    "Begun",
    "Kept",
    "asked_of",
    "begin",
    "definition",
    "finish",
    "kept_table",
    "read",
    "titles_below",
    "troubled",
]

ASKED = "sweep.json"
IDENTITY = "asked"
"""Key in the metadata of ``results.parquet``: the checksum of what was asked."""
RECORD = "report.json"
RESULTS = ("results.csv", "results.parquet")
TIMING_COLUMNS = ("wall", "cpu", "worker", "finished", "host", "memory")


@dataclasses.dataclass(frozen=True)
class Kept:
    """What a folder holds of a sweep.

    Attributes
    ----------
    title
        The sweep's title.
    axes
        The keys that vary with their values.
    table
        One row a point and seed that has finished; or the rows of a table that is kept of them.
    missing
        How many runs have not.
    measure
        What the sweep's rule looks at, the first of several, an empty text without one.
    failed
        How many of the rows are runs that failed: they have columns ``error`` and ``replay``.
    measures
        All that the rule looks at.
    together
        The keys that vary together, group by group: all but those of the grid.
    early
        How many of the rows are runs that stopped before their end.
    until
        The sweep's rule.
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


class Asked(NamedTuple):
    """What a folder says was asked of it."""

    title: str
    axes: list[Axis]
    points: list[dict[str, Any]]
    digests: list[str]
    seeds: list[int]
    until: Until | None
    keep: list[str]
    revision: str
    found: dict[str, Any]

    def command(self, values: Mapping[str, Any]) -> Callable[[], tuple[str, list[str]]] | None:
        """Return what makes the command of a point, `None` where no scenario's file is known."""
        if "file" not in self.found:
            return None
        return lambda: (str(self.found["file"]), settings_of(self.found, values))


def definition(folder: Path) -> dict[str, Any]:
    """Return the keys of what was asked of a folder as they stand there; of a run none.

    Raises
    ------
    OutputError
        It cannot be read.
    """
    try:
        found = reading.read_object(folder / ASKED)
    except reading.DamagedError as error:
        raise OutputError(f"{folder}: no sweep that can be read: {error}") from None
    except OSError as error:
        if (folder / RECORD).exists():
            return {}
        raise OutputError(_nothing(folder) or f"{folder}: {error.strerror}: {ASKED}") from None
    if not found:
        raise OutputError(f"{folder}: no sweep that can be read: {ASKED} has no keys")
    return found


def _nothing(folder: Path) -> str:
    """Return why a folder has no results, an empty text where it should have some."""
    if folder.is_file():
        return f"{folder}: a file; give the folder of its results"
    if not folder.is_dir():
        return f"{folder}: no such folder"
    if below := titles_below(folder):
        return f"{folder}: holds several results: {', '.join(below)}; give the folder of one"
    return "" if (folder / ASKED).exists() else f"{folder}: no results: no {ASKED}, no {RECORD}"


def asked_of(folder: Path) -> Asked:
    """Return what was asked of a folder.

    Raises
    ------
    OutputError
        There is no sweep, or it cannot be read.
    """
    from tcphoton.sweep import designs

    found = definition(folder)
    if not found:
        raise OutputError(f"{folder}: no sweep: it holds one run")
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
            found,
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise OutputError(f"{folder}: no sweep that can be read: {error}") from None


class Begun(NamedTuple):
    """A sweep that was begun in a folder.

    Attributes
    ----------
    place
        The folder, held open until its results are written.
    identity
        The checksum of what was asked, but for where the scenario's file is.
    """

    place: OpenFolder
    identity: str


def begin(folder: Path, asked: Mapping[str, Any], digests: Sequence[str]) -> Begun:
    """Write what is asked, a sweep's keys, and by which digests; results of something else go.

    Raises
    ------
    OutputError
        The folder cannot be written.
    """
    from tcphoton import _core

    whole = {**asked, "results-revision": _core.results_revision(), "digests": list(digests)}
    text = json.dumps(checksum.sealed(whole), indent=1, ensure_ascii=False) + "\n"
    with made(folder) as place:
        begun = Begun(place, _identity(json.loads(text)))
        with place.lock():
            # The same scenario by another way is the same sweep.
            if _identity_in(place.path) != begun.identity:
                for name in RESULTS:
                    place.discard(name)
                place.put(ASKED, text.encode())
    return begun


def _identity(asked: Mapping[str, Any]) -> str:
    return checksum.of_content({key: asked[key] for key in asked if key != "file"})


def _identity_in(folder: Path) -> str | None:
    """Return the identity of the sweep that a folder says was begun last."""
    try:
        found = reading.read_value(folder / ASKED)
    except reading.DamagedError as error:
        reading.warn(f"{error}; it is written anew")
        return None
    except OSError:
        return None
    return _identity(found) if isinstance(found, dict) and checksum.KEY in found else None


def finish(begun: Begun, table: pl.DataFrame) -> None:
    """Write the results.

    Raises
    ------
    OutputError
        They cannot be written, and none is left half-written; or the folder was moved or deleted;
        or another sweep was begun in it, whose results these are not.
    """
    from tcphoton.runs import measures

    place = begun.place
    place.check()
    written = (
        measures.csv_text(table).encode(),
        measures.parquet(table, {IDENTITY: begun.identity}),
    )
    with place.lock():
        if _identity_in(place.absolute) != begun.identity:
            raise OutputError(
                f"{place.path}: another sweep was begun in it meanwhile; the runs are kept, and no "
                "results are written: run this one again, better in a folder of its own"
            )
        for name, data in zip(RESULTS, written, strict=True):
            with contextlib.suppress(OSError):
                if reading.read(place.absolute / name, len(data), follow=False) == data:
                    continue
            place.put(name, data)


def read(
    folder: str | os.PathLike[str], *, timings: bool = False, table: str | None = None
) -> Kept:
    """Read what a folder holds of a sweep, whether or not it has come to its end, or of one run.

    What the sweep's program derives of each run is not among it. With `timings` it says, too, how
    long each run took, on which worker, when and where. With `table` it is that table of all runs.

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
    if not (folder / ASKED).exists() and (folder / RECORD).exists():
        return _of_run(folder, timings=timings, table=table)
    asked, cache = asked_of(folder), Cache(folder)
    axes, until, revision = columns_of(asked.axes), asked.until, asked.revision
    points = _points(asked, cache)
    rows = [row for point in points for row in point.table()]
    missing = sum(point.foreseen() for point in points) - len(rows)
    failed = sum("error" in row for row in rows)
    looked_at = until.measures if until else ()
    together = tuple(frozenset(axis) for axis in asked.axes if len(axis) > 1)
    early = sum(map(_stopped_early, rows))
    rest = (looked_at[0] if looked_at else "", failed, looked_at, together, early, until)
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
    """Return the runs of a folder that failed or stopped early, and how to run each alone.

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
        title, axes = run.title, {}
    else:
        asked = asked_of(folder)
        title, axes = asked.title, columns_of(asked.axes)
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
    return Kept(title, axes, measures.frame(axes, found), 0, failed=failed)


def _stopped_early(row: Mapping[str, Any]) -> bool:
    """Tell whether a run gave a result before its end."""
    return "error" not in row and row["stop"] != "end"


def _points(asked: Asked, cache: Cache) -> list[Point]:
    """Return the points of a folder's sweep with the runs that are there."""
    from tcphoton.sweep.point import Point

    points = [
        Point(
            digest, values, asked.seeds, asked.until, command=asked.command(values), keep=asked.keep
        )
        for digest, values in zip(asked.digests, asked.points, strict=True)
    ]
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
        raise LookupError(f"no table {name!r} is kept{hint(name, known)}; there are: {there}")
    runs = []
    for point in points:
        for row in point.table():
            finished = cache.load(Key(point.digest, row["seed"], revision), [name])
            if finished is not None:
                runs.append((row, finished.tables[name]))
    return measures.beside(axes, name, runs)


def titles_below(folder: Path) -> dict[str, str]:
    """Return the folders in a folder that hold a sweep or a run, with their titles.

    There are none where the folder holds one itself.
    """
    found: dict[str, str] = {}
    if any((folder / name).exists() for name in (ASKED, RECORD)):
        return found
    with contextlib.suppress(OSError):
        for inside in sorted(each for each in folder.iterdir() if each.is_dir()):
            for name in (ASKED, RECORD):
                try:
                    found[inside.name] = str(reading.read_value(inside / name)["title"])
                    break
                except reading.DamagedError as error:
                    reading.warn(f"{error}; it is left out")
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
            raise LookupError(f"no table {table!r} is kept{near}; there are: {there}")
        return Kept(report.record["title"], {}, report.tables[table], 0)
    try:
        record = reading.read_object(folder / RECORD)
        row = {"seed": record["seed"], **measures.row(record)}
        timing = {name: record["timing"].get(name) for name in TIMING_COLUMNS} if timings else {}
        early = int(_stopped_early(row))
        return Kept(record["title"], {}, measures.frame({}, [row | timing]), 0, early=early)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise OutputError(f"{folder}: no report that can be read: {error}") from None


def _fill(point: Point, cache: Cache, revision: str) -> None:
    """Take the finished runs of a point, or all that are there where its rule cannot be asked.

    That is so where the rule goes by a measure that the sweep's program derives.
    """
    from tcphoton.sweep.point import fill

    try:
        fill(point, cache, revision)
    except LookupError:
        point.seeds, point.until = [point.seed(at) for at in range(point.most)], None
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
