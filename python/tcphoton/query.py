"""Questions to what a folder keeps, over thousands of runs without loading them all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tcphoton import designs, measures, sweep_folder
from tcphoton.cache import POINTS
from tcphoton.errors import OutputError, hint
from tcphoton.piece import SHAPE, broken

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    import polars as pl

__all__ = ["columns_named", "scan", "where"]


def scan(folder: str | os.PathLike[str]) -> pl.LazyFrame:
    """Return all finished runs of a folder as a lazy table, of which only what is asked is read.

    In front stand the keys of the folder's sweep, where it has one; then ``digest``, ``seed`` and
    ``revision``, which name a run; every measure; and the tables that are kept, ``table.flows`` and
    so on, each as a list of structs. A run that is not of
    the folder's sweep has nulls for its keys, and one that has not a measure has null there.

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

    folder = Path(folder)
    schema: dict[str, pl.DataType] = {}
    files, shapes = [], set[str | None]()
    for file in sorted((folder / POINTS).glob("[!.]*.parquet")):
        try:
            # To read all columns of all files takes several times as long as to read their shapes.
            shape = pl.read_parquet_metadata(file).get(SHAPE)
            if shape not in shapes:
                schema = {**pl.read_parquet_schema(file), **schema}
                shapes.add(shape)
        except broken():
            continue
        files.append(file)
    if not files:
        raise OutputError(f"{folder}: no finished runs")
    runs = pl.scan_parquet(
        files,
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


def _grid(folder: Path) -> pl.DataFrame | None:
    """Return the values of every point of the folder's sweep beside its digest."""
    import polars as pl

    try:
        asked = sweep_folder.asked_of(folder)
    except OutputError:
        return None
    points = [{**values, "seed": 0} for values in asked.points]
    digests = pl.Series("digest", asked.digests, dtype=pl.String)
    axes = designs.columns_of(asked.axes)
    return measures.frame(axes, points).drop("seed").with_columns(digests).unique("digest")


def where(table: pl.DataFrame, settings: Iterable[str]) -> pl.DataFrame:
    """Return the rows in which columns have the values of all settings, ``KEY=VALUE``.

    A column goes by its name or by an end of it that no other column has.

    Raises
    ------
    LookupError
        There is no such column, or a setting is none.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"bottleneck.loss.p": [0.01, 0.05], "seed": [1, 1]})
    >>> where(table, ["loss.p=0.050"]).rows()
    [(0.05, 1)]
    """
    import polars as pl

    for setting in settings:
        key, equals, value = (part.strip() for part in setting.partition("="))
        if not equals:
            raise LookupError(f"--where {setting}: not a setting: KEY=VALUE")
        (name,) = columns_named(table.columns, [key])
        column = pl.col(name)
        if table.schema[name].is_numeric():
            try:
                wanted = column == float(value)
            except ValueError:
                raise LookupError(f"--where {setting}: {name} is a number") from None
        elif table.schema[name] == pl.Boolean:
            wanted = column == (value == "true")
        else:
            wanted = column == value
        table = table.filter(wanted)
    return table


def columns_named(columns: Sequence[str], names: Iterable[str]) -> list[str]:
    """Return columns by their names, or by ends of these that no other column has.

    Raises
    ------
    LookupError
        There is none, or several.

    Examples
    --------
    >>> columns_named(["a.loss.p", "loss", "traffic.0.loss"], ["loss", "loss.p"])
    ['loss', 'a.loss.p']
    """
    found = []
    for name in names:
        near = [column for column in columns if column.endswith(f".{name}")]
        fits = [name] if name in columns else near
        if len(fits) != 1:
            there = ", ".join(near or columns)
            raise LookupError(f"no column {name!r}{hint(name, columns)}; there are: {there}")
        found += fits
    return found
