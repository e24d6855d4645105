"""The figures of a sweep: each measure against each axis, with the code that draws it again."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton import figures
from tcphoton.analysis import statistics
from tcphoton.common import quantities, toml
from tcphoton.figures import style
from tcphoton.figures.charts import captioned
from tcphoton.pages.blocks import Choice, figure
from tcphoton.runs.caveats import told
from tcphoton.runs.measures import unit_of
from tcphoton.sweep.table import short_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tcphoton.figures.charts import Scale
    from tcphoton.pages.blocks import Figure
    from tcphoton.runs.caveats import Caveat
    from tcphoton.sweep.folder import Kept

__all__ = ["chart_of", "choices", "in_words", "varies"]

WIDTH = 5.0
"""Inches of a figure."""
GROUPS = len(style.COLOURS)
LISTED = 12
"""Maximum values of an axis that are listed."""
BARS = 24
"""Maximum values of an axis of names in a bar chart."""


def choices(kept: Kept, measures: Sequence[str], folder: Path) -> list[Choice]:
    """Return the figures of each axis with several values, one measure at a time."""
    found = []
    for axis in kept.axes:
        if kept.table.height and kept.table.get_column(axis).n_unique() > 1:
            drawn = [
                (name, each) for name in measures if (each := _against(kept, axis, name, folder))
            ]
            if drawn:
                found.append(Choice(f"Against {axis}", "measure", drawn))
    return found


def _against(kept: Kept, axis: str, measure: str, folder: Path) -> Figure | None:
    """Draw a measure against an axis, one line per value of another axis."""
    rows = kept.table.filter(pl.col(measure).is_not_null(), pl.col(axis).is_not_null())
    beside = next((group for group in kept.together if axis in group), frozenset([axis]))
    others = [key for key in kept.axes if key not in beside and varies(rows, key)]
    counts = {key: rows.get_column(key).n_unique() for key in others}
    alone = [key for key in others if not any(key in group for group in kept.together)]
    few = [key for key in alone if counts[key] <= GROUPS]
    by = max(few, key=counts.__getitem__, default=None)
    fixed = {key: kept.axes[key][0] for key in others if key != by}
    chosen = rows.filter(_is(rows, key, value) for key, value in fixed.items()) if fixed else rows
    if chosen.get_column(axis).n_unique() < 2:  # noqa: PLR2004
        return None
    # Keys that vary with the axis differ from point to point: no line connects the points.
    scattered = len(beside) > 1
    keys = list(kept.axes)
    chart, found = chart_of(chosen, axis, measure, by, keys, joined=not scattered)
    if chart is None:
        return None
    seeds = f"{chosen.get_column('seed').n_unique():,} seeds"
    about = f"{measure} against {axis}" + (f", one line per value of {by}" if by else "")
    at = ", ".join(f"{key} = {in_words([value])}" for key, value in fixed.items())
    note = f"Means and 95 % intervals over at most {seeds}." + (f" With {at}." if at else "")
    if scattered:
        note += f" These vary with it: {', '.join(sorted(beside - {axis}))}."
    note += "".join(f" Caveat, with open points: {text}." for text in told(found).values())
    command = _command(
        folder, axis, measure, by, fixed, lines=_is_quantity(chosen.get_column(axis))
    )
    return figure(chart, f"{measure} against {axis}", about, command=command, note=note)


def _is(rows: pl.DataFrame, key: str, value: Any) -> pl.Expr:
    if rows.schema[key] == pl.String and not isinstance(value, str):
        value = toml.inline(value)
    return pl.col(key).eq(value)


def chart_of(
    rows: pl.DataFrame,
    axis: str,
    measure: str,
    by: str | None,
    keys: Sequence[str],
    *,
    joined: bool = True,
    caption: bool = False,
    scales: tuple[Scale | None, Scale | None] = (None, None),
) -> tuple[Any, list[Caveat]]:
    """Return lines for a numeric axis, bars for names, with the caveats of the points.

    There is no chart for more names than bars can have. `keys` are all axes of the sweep, of which
    titles have the short names; without `scales` those that suit the values are chosen. With a
    `caption` the texts of the caveats stand below the chart.
    """
    names = {axis: axis, by or "": by or ""} | dict(zip(keys, short_names(keys), strict=True))
    rows, found = statistics.summary_of(rows, measure, [axis, *([by] if by else [])])
    factor, unit = _prefix(rows.get_column(measure), unit_of(measure))
    rows = rows.with_columns(pl.col(measure, "low", "high") / factor)
    titles = {axis: names[axis], measure: measure}
    legend = names[by] if by else ""
    if not _is_quantity(rows.get_column(axis)):
        if rows.get_column(axis).n_unique() > BARS:
            return None, found
        rows = rows.with_columns(pl.col(axis).cast(pl.String))
        units = {measure: unit}
        chart = figures.bars(
            rows, axis, measure, by, units=units, titles=titles, legend=legend, width=WIDTH
        )
        return captioned(chart, found, WIDTH, "Note") if caption else chart, found
    across, base = _prefixed(rows.get_column(axis))
    rows = rows.with_columns(across)
    units = {measure: unit, axis: base}
    suited = _scales(across)
    chart = figures.lines(
        rows,
        axis,
        measure,
        by,
        low="low",
        high="high",
        units=units,
        titles=titles,
        legend=legend,
        scales=(scales[0] or suited[0], scales[1] or suited[1]),
        width=WIDTH,
    )
    if not joined:
        chart.layer = [
            each for each in chart.layer if getattr(each.mark, "type", each.mark) != "line"
        ]
    return captioned(chart, found, WIDTH) if caption else chart, found


def _is_quantity(column: pl.Series) -> bool:
    if column.dtype == pl.Boolean:
        return False
    if column.dtype.is_numeric():
        return True
    try:
        return len({quantities.base_unit(value) for value in column.unique()}) == 1
    except ValueError:
        return False


def _prefixed(column: pl.Series) -> tuple[pl.Series, str]:
    """Return the numbers of an axis in a readable unit, and that unit."""
    if column.dtype.is_numeric():
        return column, ""
    numbers = pl.Series(column.name, [quantities.number(value) for value in column])
    factor, unit = _prefix(numbers, quantities.base_unit(column[0]))
    # Rounded, so that equal quantities are equal numbers.
    return (numbers / factor).round(9), unit


def _prefix(column: pl.Series, unit: str) -> tuple[float, str]:
    """Return a factor and a prefixed unit in which the largest number is easy to read."""
    most = column.abs().max()
    if not unit or not isinstance(most, int | float) or not most or not math.isfinite(most):
        return 1.0, unit
    prefixed = quantities.text(float(most), unit).rpartition(" ")[2]
    if not prefixed.endswith(unit):
        return 1.0, unit
    prefix = prefixed.removesuffix(unit)
    return float(quantities.PREFIXES[prefix]), prefixed


def _scales(across: pl.Series) -> tuple[Scale, Scale]:
    """Return a logarithmic scale for an axis whose values span more than two decades."""
    low, high = across.min(), across.max()
    assert isinstance(low, int | float)
    assert isinstance(high, int | float)
    return ("log" if low > 0 and high / low > 100 else "linear", "linear")  # noqa: PLR2004


def _command(
    folder: Path,
    axis: str,
    measure: str,
    by: str | None,
    fixed: Mapping[str, Any],
    *,
    lines: bool,
) -> str:
    """Return Python that makes a similar figure, also while runs are missing."""
    code = ["import polars as pl"] if fixed else []
    code += ["import tcphoton as tp", "", f"rows = tp.scan({str(folder)!r}).collect()"]
    for key, value in fixed.items():
        # Tables, and values of several kinds, are texts in a table.
        text = value if isinstance(value, str | bool | int | float) else toml.inline(value)
        code.append(f"rows = rows.filter(pl.col({key!r}) == {text!r})")
    if lines:
        code.append(f"tp.figures.lines(rows, {axis!r}, {measure!r}{f', {by!r}' if by else ''})")
    else:
        keys = [axis, by] if by else [axis]
        code.append(f"means = tp.statistics.summarise(rows, {measure!r}, {keys!r})")
        code.append(f"tp.figures.bars(means, {axis!r}, {measure!r}{f', {by!r}' if by else ''})")
    return "\n".join(code)


def in_words(values: Sequence[Any]) -> str:
    """Return values as a text, of many only the first."""
    shown = ", ".join(
        value if isinstance(value, str) else toml.inline(value) for value in values[:LISTED]
    )
    return shown if len(values) <= LISTED else f"{shown}, … ({len(values):,} values)"


def varies(rows: pl.DataFrame, name: str) -> bool:
    """Tell whether a column has several values."""
    return rows.get_column(name).drop_nulls().n_unique() > 1
