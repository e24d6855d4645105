"""The charts of points of a sweep: a measure against an axis, and distributions of it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton import figures
from tcphoton.common import quantities, toml
from tcphoton.runs.caveats import Caveat
from tcphoton.runs.measures import unit_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tcphoton.figures.charts import Scale
    from tcphoton.sweep.labels import Labels

__all__ = ["BARS", "chart_of", "in_words", "is_quantity", "prefix", "shown"]

WIDTH = 5.0
"""Inches of a figure."""
LISTED = 12
"""Maximum values of an axis that are listed."""
BARS = 24
"""Maximum values of an axis of names in a bar chart."""


def chart_of(
    points: pl.DataFrame,
    axis: str,
    measure: str,
    by: str | None,
    keys: Sequence[str],
    *,
    labels: Labels,
    joined: bool = True,
    title: str = "",
    scales: tuple[Scale | None, Scale | None] = (None, None),
    width: float = WIDTH,
    like: pl.DataFrame | None = None,
) -> Any:
    """Return lines for a numeric axis, bars for names.

    There is no chart for more names than bars can have. `points` has the columns ``low`` and
    ``high`` of each interval. `keys` are all axes of the sweep, of which titles have the short
    names or `labels`; `title` is the measure's. Without `scales` those that suit the values are
    chosen. Units and scales are those of `like`, where the chart shares its axes with others: of
    the points of all of them.
    """
    names = {axis: axis, by or "": by or ""} | dict(zip(keys, labels.of_keys(keys), strict=True))
    like = points if like is None else like
    factor, unit = prefix(like.get_column(measure), unit_of(measure))
    rows = points.with_columns(pl.col(measure, "low", "high") / factor)
    if by:
        rows = rows.with_columns(labels.shown(rows.get_column(by)))
    titles = {axis: names[axis], measure: title or measure}
    legend = names[by] if by else ""
    if not is_quantity(like.get_column(axis)):
        if rows.get_column(axis).n_unique() > BARS:
            return None
        rows = rows.with_columns(labels.shown(rows.get_column(axis)).cast(pl.String))
        return figures.bars(
            rows, axis, measure, by, units={measure: unit}, titles=titles, legend=legend,
            scale=scales[1] or "linear", width=width,
        )  # fmt: skip
    factor, base = _readable(like.get_column(axis))
    rows = rows.with_columns(_numbers(rows.get_column(axis), factor))
    suited = _scales(_numbers(like.get_column(axis), factor))
    chart = figures.lines(
        rows,
        axis,
        measure,
        by,
        low="low",
        high="high",
        units={measure: unit, axis: base},
        titles=titles,
        legend=legend,
        scales=(scales[0] or suited[0], scales[1] or suited[1]),
        width=width,
    )
    if not joined:
        chart.layer = [
            each for each in chart.layer if getattr(each.mark, "type", each.mark) != "line"
        ]
    return chart


def shown(
    points: pl.DataFrame, axis: str, measure: str, log: str
) -> tuple[pl.DataFrame, list[Caveat]]:
    """Return the points that a figure can show, and what is told of the others.

    Those without a value are left out, and those that are not above 0 where the axes in `log`, of
    ``x`` and ``y``, are logarithmic.
    """
    known = points.filter(pl.col(measure).is_not_nan() & pl.col(measure).is_not_null())
    found = []
    if known.height < points.height:
        left_out = points.height - known.height
        found.append(Caveat("no-value", (measure,), left_out, points.height))
    above = known.filter(pl.col(measure) > 0) if "y" in log else known
    if "x" in log and is_quantity(known.get_column(axis)):
        above = above.filter(_numbers(above.get_column(axis)) > 0)
    if above.height < known.height:
        found.append(Caveat("not-above-0", (), known.height - above.height, points.height))
    return above, found


def is_quantity(column: pl.Series) -> bool:
    """Tell whether the values of an axis are numbers, or quantities of one kind."""
    if column.dtype == pl.Boolean:
        return False
    if column.dtype.is_numeric():
        return True
    try:
        return len({quantities.base_unit(value) for value in column.unique()}) == 1
    except ValueError:
        return False


def _readable(column: pl.Series) -> tuple[float, str]:
    """Return a readable unit of an axis of quantities, as a factor and a word."""
    if column.dtype.is_numeric() or column.is_empty():
        return 1.0, ""
    return prefix(_numbers(column), quantities.base_unit(column[0]))


def _numbers(column: pl.Series, factor: float = 1.0) -> pl.Series:
    """Return the numbers of an axis of quantities, in a unit of so many base units."""
    if column.dtype.is_numeric():
        return column
    numbers = [quantities.number(value) for value in column]
    # Rounded, so that equal quantities are equal numbers.
    return (pl.Series(column.name, numbers, dtype=pl.Float64) / factor).round(9)


def prefix(column: pl.Series, unit: str) -> tuple[float, str]:
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


def in_words(values: Sequence[Any]) -> str:
    """Return values as a text, of many only the first."""
    shown = ", ".join(toml.shown(value) for value in values[:LISTED])
    return shown if len(values) <= LISTED else f"{shown}, … ({len(values):,} values)"
