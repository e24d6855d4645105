"""The folder of a sweep: what was asked, what has finished, and the results.

``sweep.json`` says what was asked and by which digest each point is found, ``points`` holds the
finished runs with the tables that are kept of them, ``failed`` those that failed, ``results.csv``
and ``results.parquet`` come when all are there. Results can be read from an unfinished folder, too.
``timings.csv`` says how long runs took, on which worker and host; nothing else depends on that.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tcphoton.errors import OutputError, hint
from tcphoton.folder import Folder, put_file

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    import polars as pl

    from tcphoton.cache import Cache
    from tcphoton.designs import Axis
    from tcphoton.point import Point
    from tcphoton.statistics import Until
    from tcphoton.sweep import Sweep

__all__ = ["Asked", "Kept", "asked_of", "begin", "finish", "kept_table", "read", "titles_below"]

ASKED = "sweep.json"
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
    """

    title: str
    axes: dict[str, list[Any]]
    table: pl.DataFrame
    missing: int
    measure: str = ""
    failed: int = 0
    measures: tuple[str, ...] = ()
    together: tuple[frozenset[str], ...] = ()


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


def asked_of(folder: Path) -> Asked:
    """Return what was asked of a folder.

    Raises
    ------
    OutputError
        There is no sweep, or it cannot be read.
    """
    from tcphoton import designs
    from tcphoton.sweep import until_of

    try:
        found = json.loads((folder / ASKED).read_text("utf-8"))
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
        )
    except OSError as error:
        raise OutputError(f"{folder}: no sweep: {error.strerror}: {ASKED}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise OutputError(f"{folder}: no sweep that can be read: {error}") from None


def begin(folder: Path, sweep: Sweep, digests: Sequence[str]) -> None:
    """Write what is asked; results of something else go.

    Raises
    ------
    OutputError
        The folder cannot be written.
    """
    from tcphoton import _core
    from tcphoton.sweep import until_keys

    definition = json.loads(sweep.checked().definition())
    del definition["file"]
    if sweep.until is not None:
        definition["until"] = until_keys(sweep.until)
    definition["keep"] = list(sweep.keep)
    definition["results-revision"] = _core.results_revision()
    definition["digests"] = list(digests)
    text = (json.dumps(definition, indent=1, ensure_ascii=False) + "\n").encode()
    with contextlib.suppress(OSError):
        if (folder / ASKED).read_bytes() == text:
            return
    with Folder(folder, last=ASKED) as writing:
        writing.put(ASKED, text)
        for name in RESULTS:
            (folder / name).unlink(missing_ok=True)


def finish(folder: Path, table: pl.DataFrame) -> None:
    """Write the results.

    Raises
    ------
    OutputError
        They cannot be written; none is left half-written.
    """
    from tcphoton import measures

    for name, data in zip(
        RESULTS, (measures.csv_text(table).encode(), measures.parquet(table)), strict=True
    ):
        with contextlib.suppress(OSError):
            if (folder / name).read_bytes() == data:
                continue
        put_file(folder / name, data)


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
    from tcphoton import measures
    from tcphoton.cache import Cache
    from tcphoton.designs import columns_of
    from tcphoton.piece import Key
    from tcphoton.point import Point

    folder = Path(folder)
    if not (folder / ASKED).exists() and (folder / RECORD).exists():
        return _of_run(folder, timings=timings, table=table)
    asked = asked_of(folder)
    axes, until, revision = columns_of(asked.axes), asked.until, asked.revision
    points = [
        Point(digest, values, asked.seeds, until, keep=asked.keep)
        for digest, values in zip(asked.digests, asked.points, strict=True)
    ]
    cache = Cache(folder)
    for point in points:
        _fill(point, cache, revision)
    rows = [row for point in points for row in point.table()]
    missing = sum(point.foreseen() for point in points) - len(rows)
    failed = sum("error" in row for row in rows)
    looked_at = until.measures if until else ()
    together = tuple(frozenset(axis) for axis in asked.axes if len(axis) > 1)
    rest = (looked_at[0] if looked_at else "", failed, looked_at, together)
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
    from tcphoton import measures
    from tcphoton.piece import Key

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
        for inside in sorted(folder.iterdir()):
            for name in (ASKED, RECORD):
                with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                    found[inside.name] = str(json.loads((inside / name).read_bytes())["title"])
                    break
    return found


def _of_run(folder: Path, *, timings: bool, table: str | None) -> Kept:
    """Read the report of one run."""
    from tcphoton import measures

    if table is not None:
        from tcphoton.results import Report

        report = Report.load(folder)
        if table not in report.tables:
            near, there = hint(table, report.tables), ", ".join(report.tables)
            raise LookupError(f"no table {table!r} is kept{near}; there are: {there}")
        return Kept(report.record["title"], {}, report.tables[table], 0)
    try:
        record = json.loads((folder / RECORD).read_text("utf-8"))
        row = {"seed": record["seed"], **measures.row(record)}
        timing = {name: record["timing"].get(name) for name in TIMING_COLUMNS} if timings else {}
        return Kept(record["title"], {}, measures.frame({}, [row | timing]), 0)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise OutputError(f"{folder}: no report that can be read: {error}") from None


def _fill(point: Point, cache: Cache, revision: str) -> None:
    """Take the finished runs of a point, or all that are there where its rule cannot be asked.

    That is so where the rule goes by a measure that the sweep's program derives.
    """
    from tcphoton.point import fill

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
