"""Queries over the runs of a folder: thousands of runs without loading them all."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from tcphoton.common import arguments, safe_read, toml
from tcphoton.errors import OutputError, hint
from tcphoton.runs import measures
from tcphoton.sweep import designs
from tcphoton.sweep import folder as sweep_folder
from tcphoton.sweep.labels import NO_LABELS, Labels, meaning
from tcphoton.sweep.store.cache import POINTS
from tcphoton.sweep.store.piece import SHAPE
from tcphoton.sweep.studies import ASKED

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Sequence

    import polars as pl

    from tcphoton.analysis.statistics import Until

__all__ = ["columns_named", "pieces", "scan", "where", "wide"]

LISTED = 12
"""Maximum number of names or values in a message; of more only the main ones are listed."""


def scan(folder: str | os.PathLike[str]) -> pl.LazyFrame:
    """Return all finished runs of a folder as a lazy table: only requested columns are read.

    The first columns are the keys of the folder's sweep, if it has one; then ``digest``, ``seed``
    and ``revision``, which identify a run; every measure; and the kept tables, ``table.flows`` and
    so on, each as a list of structs. A run of another sweep has nulls for the keys, and a run
    without a measure has null there.

    First every file is read once to verify its checksum; damaged files are skipped, each with a
    `DamageWarning` that names it.

    Raises
    ------
    OutputError
        There are no finished runs.

    Examples
    --------
    >>> import tempfile
    >>> import polars as pl
    >>> import tcphoton as tp
    >>> scenario = tp.example("mm1").with_({"run.duration": "12 s"})
    >>> sweep = tp.Sweep(scenario, {"traffic.0.source.rate": ["5 Mb/s", "8 Mb/s"]}, seeds=2)
    >>> with tempfile.TemporaryDirectory() as out:
    ...     runs = sweep.run(out)
    ...     busy = tp.scan(out).filter(pl.col("goodput") > 7e6)
    ...     print(busy.select("traffic.0.source.rate", "seed").sort("seed").collect().rows())
    [('8 Mb/s', 1), ('8 Mb/s', 2)]
    """
    import polars as pl

    folder = arguments.path("folder", folder)
    schema: dict[str, pl.DataType] = {}
    files, shapes = [], set[str | None]()
    for file, data in _whole(folder):
        try:
            # Reading all columns of all files takes several times as long as reading their schemas.
            shape = pl.read_parquet_metadata(BytesIO(data)).get(SHAPE)
            if shape not in shapes:
                schema = {**pl.read_parquet_schema(BytesIO(data)), **schema}
                shapes.add(shape)
        except safe_read.broken():
            continue
        files.append(file)
    if not files:
        raise OutputError(f"{folder}: no finished runs")
    runs = pl.scan_parquet(
        files,
        glob=False,
        schema=schema,
        missing_columns="insert",
        extra_columns="ignore",
        cast_options=pl.ScanCastOptions(
            integer_cast="allow-float",
            missing_struct_fields="insert",
            extra_struct_fields="ignore",
        ),
    )
    grid = _grid(folder)
    if grid is None:
        return runs
    return grid.lazy().join(runs, on="digest", how="right", maintain_order="right")


def pieces(folder: str | os.PathLike[str]) -> list[str]:
    """Return the files of all finished runs of a folder whose checksums are correct.

    Use them in programs other than polars; for polars use `scan`. Damaged files are skipped, each
    with a `DamageWarning` that names it.

    Examples
    --------
    >>> import tempfile
    >>> import tcphoton as tp
    >>> scenario = tp.example("mm1").with_({"run.duration": "12 s"})
    >>> with tempfile.TemporaryDirectory() as out:
    ...     runs = tp.Sweep(scenario, seeds=2).run(out)
    ...     print(len(pieces(out)))
    2
    """
    return [str(file) for file, _ in _whole(Path(folder))]


def _whole(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield the files of all finished runs whose checksums are correct, with their bytes."""
    for file in sorted((folder / POINTS).glob("[!.]*.parquet")):
        try:
            data = safe_read.read(file, safe_read.LARGEST_TABLE)
            why = safe_read.problem(data)
        except OSError as error:
            why = error.strerror or str(error).removeprefix(f"{file}: ")
        if why:
            safe_read.warn(f"{file}: {why}; it is skipped")
        else:
            yield file, data


def _grid(folder: Path) -> pl.DataFrame | None:
    """Return the values of every point of the folder's sweep, with its digest."""
    import polars as pl

    try:
        asked = sweep_folder.asked_of(folder)
    except OutputError as error:
        if (folder / ASKED).exists():
            safe_read.warn(f"{error}; the keys of the sweep are missing")
        return None
    points = [{**values, "seed": 0} for values in asked.points]
    digests = pl.Series("digest", asked.digests, dtype=pl.String)
    axes = designs.columns_of(asked.axes)
    return measures.frame(axes, points).drop("seed").with_columns(digests).unique("digest")


def where(
    table: pl.DataFrame,
    settings: Iterable[str],
    axes: Sequence[str] = (),
    labels: Labels = NO_LABELS,
) -> pl.DataFrame:
    """Return the rows in which columns have the values of all settings, ``KEY=VALUE``.

    A column is named by its full name, by its label, or by a unique end of its name; a value by
    itself or by its label. Several values of one column match any of them. Quantities are compared
    by value: ``1000 kb/s`` equals ``1 Mb/s``.

    Parameters
    ----------
    table
        The rows.
    settings
        The values to match.
    axes
        The columns that make a point; they are suggested first for a misspelt name.
    labels
        The names of columns and values.

    Raises
    ------
    LookupError
        There is no such column, no row with such a value, or a setting has no ``=``.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"bottleneck.loss.p": [0.01, 0.02, 0.05], "seed": [1, 1, 1]})
    >>> where(table, ["loss.p=0.050", "loss.p=0.01", "seed=1"]).rows()
    [(0.01, 1), (0.05, 1)]
    """
    import polars as pl

    wanted: dict[str, pl.Series] = {}
    known = labels.with_cases(table)
    for setting in settings:
        key, equals, value = (part.strip() for part in setting.partition("="))
        if not equals:
            raise LookupError(f"--where {setting}: not a setting; accepted KEY=VALUE")
        (name,) = columns_named(known.columns, [key], axes, labels)
        found = _has(known.get_column(name), value, setting, labels)
        if table.height and not found.any():
            there = _listed(known.get_column(name), labels)
            raise LookupError(f"--where {setting}: no rows; {name} has {there}")
        wanted[name] = wanted[name] | found if name in wanted else found
    for name, found in wanted.items():
        wanted[name] = found.fill_null(value=False)
    return table.filter(pl.all_horizontal(wanted.values())) if wanted else table


def _has(column: pl.Series, value: str, setting: str, labels: Labels) -> pl.Series:
    """Return for each row of a column whether it has a value given as text, or by its label."""
    import polars as pl

    if value in labels.values.get(column.name, {}).values():
        named = [e for e in column.unique().drop_nulls() if labels.label(column.name, e) == value]
        return column.is_in(named)
    kind = column.dtype
    if kind.is_numeric():
        try:
            return column == float(value)
        except ValueError:
            raise LookupError(f"--where {setting}: {column.name} is a number") from None
    if kind == pl.Boolean:
        if value not in {"true", "false"}:
            raise LookupError(f"--where {setting}: {column.name} is true or false")
        return column == (value == "true")
    if kind != pl.String:
        raise LookupError(f"--where {setting}: {column.name} has no plain values")
    alike = [each for each in column.unique().drop_nulls() if meaning(each) == meaning(value)]
    return column.is_in(alike)


def _listed(column: pl.Series, labels: Labels) -> str:
    """Return the values of a column, by their labels; of many only the first."""
    values = column.drop_nulls().unique(maintain_order=True).to_list()
    words = [labels.label(column.name, each) or _word(each) for each in values]
    if any(", " in word for word in words):
        words = [f'"{word}"' for word in words]
    more = f", … ({len(words):,} values)" if len(words) > LISTED else ""
    return ", ".join(words[:LISTED]) + more if words else "no values"


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def columns_named(
    columns: Sequence[str],
    names: Iterable[str],
    axes: Sequence[str] = (),
    labels: Labels = NO_LABELS,
) -> list[str]:
    """Return columns by their names, by their labels, or by unique ends of their names.

    Of `axes`, a unique part within the name is enough where no column ends in it: ``load`` is
    ``traffic.0.load.share``. For an unknown name, the message suggests names of `axes` first.

    Raises
    ------
    LookupError
        There is none, or several.

    Examples
    --------
    >>> columns_named(["a.loss.p", "loss", "traffic.0.loss"], ["loss", "loss.p"])
    ['loss', 'a.loss.p']
    >>> columns_named(["traffic.0.load.share", "loss"], ["load"], ["traffic.0.load.share"])
    ['traffic.0.load.share']
    """
    found = []
    for name in names:
        named = [each for each in columns if each in {name, labels.key_of(name)}]
        near = [column for column in columns if column.endswith(f".{name}")]
        inside = [axis for axis in axes if axis in columns and f".{name}." in axis]
        fits = [name] if name in columns else named or near or inside
        if not fits:
            raise LookupError(_no_column(name, columns, axes, labels))
        if len(fits) > 1:
            how = "end in" if near else "contain"
            raise LookupError(f"several columns {how} {name!r}: {', '.join(fits)}")
        found += fits
    return found


def _no_column(name: str, columns: Sequence[str], axes: Sequence[str], labels: Labels) -> str:
    """Return the message for an unknown column."""
    axis_names = [labels.names[key] for key in axes if key in labels.names]
    ends = [end for axis in axes for end in _ends(axis)]
    near = hint(name, [*axis_names, *ends]) or hint(name, columns)
    main = [each for each in dict.fromkeys([*axes, "seed", *measures.MAIN]) if each in columns]
    some = list(columns) if len(columns) <= LISTED else main
    more = len(columns) - len(some)
    there = ", ".join(some) + (f", and {more:,} more: --csv prints all" if more else "")
    return f"no column {name!r}{near}; available: {there}"


def _ends(key: str) -> list[str]:
    """Return a dotted key, and each end of it.

    Examples
    --------
    >>> _ends("bottleneck.loss.p")
    ['bottleneck.loss.p', 'loss.p', 'p']
    """
    parts = key.split(".")
    return [".".join(parts[at:]) for at in range(len(parts))]


def wide(table: pl.DataFrame, axes: Sequence[str], until: Until) -> tuple[int, int]:
    """Return how many points took all seeds of a rule without a narrow interval, and all points.

    Measures of the rule that the table does not have are ignored.

    Examples
    --------
    >>> import polars as pl
    >>> from tcphoton.analysis.statistics import Until
    >>> table = pl.DataFrame({"p": [1, 1, 2, 2], "goodput": [4.0, 8.0, 5.0, 5.0]})
    >>> wide(table, ["p"], Until("goodput", 0.05, at_least=2, at_most=2))
    (1, 2)
    """
    from dataclasses import replace

    import polars as pl

    looked_at = [
        name for name in until.measures if name in table.columns and table.schema[name] != pl.String
    ]
    plain = replace(until, controls=())
    table = until.controlled(table, axes)
    points = table.partition_by(list(axes)) if axes else [table]
    ended = [rows for rows in points if rows.height >= until.at_most]

    def is_narrow(rows: pl.DataFrame, name: str) -> bool:
        if not until.against:
            return plain.is_narrow(rows.get_column(name).to_list())
        both = rows.join(_base_of(rows, points, axes, until), on="seed", suffix=BASE)
        values, others = (both.get_column(each).to_list() for each in (name, f"{name}{BASE}"))
        return plain.is_narrow(values, (), (others, ()))

    too_wide = sum(not all(is_narrow(rows, name) for name in looked_at) for rows in ended)
    return too_wide, len(points)


BASE = " of the base"
"""The end of the name of a column of the point that another one is compared with."""


def _base_of(
    rows: pl.DataFrame, points: Sequence[pl.DataFrame], axes: Sequence[str], until: Until
) -> pl.DataFrame:
    """Return the runs of the point that one is compared with: it may be itself.

    It has the rule's values, and as many other values in common as any that does.
    """

    def has_them(each: pl.DataFrame) -> bool:
        return all(
            each[key][0] in (value, toml.shown(value)) for key, value in until.against.items()
        )

    return max(
        filter(has_them, points),
        key=lambda each: sum(each[axis][0] == rows[axis][0] for axis in axes),
        default=rows,
    )
