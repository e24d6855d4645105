"""What the figures of the paper have in common: measures in their units, panels, and their grid.

Bands and bars are 95 % intervals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from tcphoton import figures
from tcphoton.papers.hybrid.measures import LENGTH, LOAD, MARGIN, PORTS, THROUGHPUT, VARIANT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ENERGY, LATENCY, TAIL = "energy.per-delivered-bit", "completion-mean", "delay-p99"
DONE_99 = "completion-p99"
TITLES = {
    "load": "requests a second",
    "throughput": "throughput",
    "p": "p",
    "ports": "n_e, or electronic (el.)",
    "energy": "energy",
    "latency": "mean completion time",
    "tail": "delay of a packet, 99 %",
    "done": "completion time, 99 %",
    "rate": "rate of the links",
}
UNITS = {
    "throughput": "Gb/s", "energy": "pJ/b", "latency": "ms", "tail": "µs", "done": "ms",
    "rate": "Gb/s",
}  # fmt: skip
TERMS = {
    "throughput": (THROUGHPUT, 1e-9),
    "energy": (ENERGY, 1e12),
    "latency": (LATENCY, 1e3),
    "tail": (TAIL, 1e6),
    "done": (DONE_99, 1e3),
}
"""A figure's measure: a sweep's, and what turns it into the figure's unit."""
POWERS = {10.0**power: f"10^{power}" for power in range(5, 10)}
THIRD, HALF = 2.33, 3.5
"""Inches of one of three or of two panels beside each other."""


def lines(table: pl.DataFrame, x: str, y: str, by: str, **options: Any) -> Any:
    """Draw one line per group as in `tcphoton.figures.lines`, with bands, in half a page."""
    options = {"interval": "band", "titles": TITLES, "units": UNITS, "width": HALF, **options}
    return figures.lines(table, x=x, y=y, by=by, **options)


def merits(table: pl.DataFrame) -> pl.DataFrame:
    """Add the figures of merit in the units of the figures."""
    return table.with_columns(
        (pl.col(column).cast(pl.Float64) * scale).alias(name)
        for name, (column, scale) in TERMS.items()
        if column in table.columns
    )


def at(table: pl.DataFrame, **values: object) -> pl.DataFrame:
    """Return the rows at some values, named by the names of `measures` in small letters."""
    keys = {"length": LENGTH, "load": LOAD, "margin": MARGIN, "ports": PORTS, "variant": VARIANT}
    return table.filter(*(pl.col(keys[name]) == value for name, value in values.items()))


def grid(rows: Iterable[Sequence[Any]], *, shared: bool = False) -> Any:
    """Put rows of charts below each other; with `shared` those of a row have one scale up."""
    rows = [list(charts) for charts in rows]
    for chart in [each for charts in rows for each in charts][:-1]:
        _without_legend_of_curves(chart)
    one = alt.Resolve(scale=alt.ScaleResolveMap(y="shared")) if shared else alt.Undefined
    drawn = [alt.hconcat(*charts, spacing=10, resolve=one) for charts in rows]
    return drawn[0] if len(drawn) == 1 else alt.vconcat(*drawn, spacing=12)


def _without_legend_of_curves(chart: Any) -> None:
    """Leave the legend of the grey curves, the first layer's own, to another chart."""
    first = chart.layer[0].encoding
    if first.color is alt.Undefined and first.strokeDash is not alt.Undefined:
        first.strokeDash = first.strokeDash.legend(None)


def titled(chart: Any, title: str) -> Any:
    """Put a title over a panel."""
    return chart.properties(title=title)


def in_order(rows: pl.DataFrame, column: str, names: Iterable[str]) -> pl.DataFrame:
    """Put rows into the order of the names in a column, and keep it within each."""
    places = {name: place for place, name in enumerate(names)}
    return rows.sort(pl.col(column).replace_strict(places), maintain_order=True)
