"""Cumulative distributions: the share of values that are not larger."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt
import polars as pl

from tcphoton.analysis.distributions import SHARE
from tcphoton.figures import style
from tcphoton.figures.charts import _across, _Axes, _group, _sized, _texts, escaped

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tcphoton.figures.charts import Scale

__all__ = ["cumulative"]


def cumulative(
    table: pl.DataFrame,
    x: str,
    by: str | None = None,
    *,
    units: Mapping[str, str] | None = None,
    titles: Mapping[str, str] | None = None,
    legend: str = "",
    scale: Scale = "linear",
    width: float = style.COLUMN,
    height: float = style.HEIGHT,
) -> alt.LayerChart:
    """Draw one curve of steps per group.

    Parameters
    ----------
    table
        The steps of each curve: values in the column `x`, and the share in
        ``cumulative share``.
    x, by
        The columns of the values and of the groups.
    units, titles, legend, scale, width, height
        As in `tcphoton.figures.lines`; the scale is that of the values.

    Examples
    --------
    >>> from tcphoton.analysis.distributions import SHARE
    >>> steps = pl.DataFrame({"delay": [1.0, 2.0], SHARE: [0.5, 1.0]})
    >>> cumulative(steps, "delay").to_dict()["layer"][0]["mark"]["interpolate"]
    'step-after'
    """
    if scale == "log":
        table = table.filter(pl.col(x) > 0)
    if by is not None:
        table = table.with_columns(_texts(table, by))
    axis = _Axes(units or {}, titles or {})
    across = alt.X(escaped(x), type="quantitative", title=axis.title(x), scale=_across(scale))
    up = alt.Y(
        escaped(SHARE), type="quantitative", title=SHARE, scale=alt.Scale(domain=[0, 1], nice=False)
    )
    group = _group(table, by, legend, marked=False)
    line = alt.Chart(table).mark_line(interpolate="step-after").encode(across, up, *group)
    return _sized([line], width, height)
