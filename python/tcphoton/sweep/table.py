"""The results of a sweep as text: one line per point, a few measures with their intervals."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from tcphoton.analysis import statistics
from tcphoton.analysis.points import caveats_of, groups_of
from tcphoton.common import quantities
from tcphoton.common.terminal import visible
from tcphoton.runs.footnotes import Marks
from tcphoton.runs.measures import leading, unit_of
from tcphoton.runs.summary import console_on, heading, plain_table, print_table
from tcphoton.sweep.labels import NO_LABELS, Labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl


def print_results(
    title: str,
    axes: Sequence[str],
    table: pl.DataFrame,
    file: IO[str],
    *,
    labels: Labels = NO_LABELS,
    more: Sequence[str] = (),
    only: Sequence[str] = (),
    most: int | None = None,
) -> None:
    """Print the mean of a few measures at every point, with the half-width of its 95% interval.

    Parameters
    ----------
    title
        The heading.
    axes
        The columns that make a point.
    table
        The results of a sweep.
    file
        Where to print.
    labels
        The names of the axes and of their values.
    more
        Measures in addition to the usual ones.
    only
        Measures instead of the usual ones.
    most
        The number of points that are printed; further ones are only counted.

    Raises
    ------
    LookupError
        One of `only` is a text, which has no mean.
    """
    table, axes = labels.with_cases(table), labels.axes(axes)
    for name in only:
        if not _is_measure(table, name):
            raise LookupError(f"--measure {name}: not a number, so it has no mean: --csv prints it")
    console = console_on(file)
    measures = leading(table)
    measures += [name for name in more if name not in measures and _is_measure(table, name)]
    measures = list(only) or measures
    console.print(heading(title))
    shown = plain_table("")
    shown.title = None
    for name, short in zip(axes, labels.of_keys(axes), strict=True):
        is_number = table.schema[name].is_numeric() and name not in labels.values
        shown.add_column(visible(short), justify="right" if is_number else "left")
    shown.add_column("seeds", justify="right")
    for name in measures:
        shown.add_column(name, justify="right")
    points = list(groups_of(table, axes))
    marks = Marks()
    for values, rows in points[:most]:
        cells = [_interval(rows, name, marks) for name in measures]
        of_rows = marks.of_row()
        point = [
            visible(labels.label(axis, value) or "") or _cell(value)
            for axis, value in zip(axes, values, strict=True)
        ]
        shown.add_row(*point, f"{_whole(rows)}{of_rows}", *cells)
    print_table(console, shown)
    if len(points) > len(shown.rows):
        console.print(f"… and {len(points) - len(shown.rows):,} more points")
    for line in marks.notes():
        console.print(line, highlight=False)


def print_rows(title: str, table: pl.DataFrame, file: IO[str], *, most: int) -> None:
    """Print the first rows of a table, and count the rest."""
    console = console_on(file)
    console.print(heading(title))
    shown = plain_table("")
    shown.title = None
    for name, kind in table.schema.items():
        shown.add_column(visible(name), justify="right" if kind.is_numeric() else "left")
    for values in table.head(most).iter_rows():
        shown.add_row(*("" if value is None else _cell(value) for value in values))
    print_table(console, shown)
    if table.height > most:
        console.print(f"… and {table.height - most:,} more rows: --csv prints all")


def _whole(rows: pl.DataFrame) -> int:
    """Return how many runs gave a result."""
    return rows.height - (rows.get_column("error").count() if "error" in rows.columns else 0)


def _is_measure(table: pl.DataFrame, name: str) -> bool:
    """Tell whether a column exists and has numbers or Booleans."""
    import polars as pl

    kind = table.schema.get(name)
    return kind is not None and (kind.is_numeric() or kind == pl.Boolean)


def _interval(rows: pl.DataFrame, name: str, marks: Marks) -> str:
    found = statistics.mean_interval(rows.get_column(name).drop_nulls())
    text = quantities.interval(found.mean, found.half_width, unit_of(name))
    return text + marks.of_cell(caveats_of(rows, name, found))


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else visible(str(value))
