"""The figures of the paper, from the tables of its artefacts.

Bands and bars are 95 % intervals. What the text says of a figure is written above it; nothing is
read off a printed figure.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton.papers.charts import panel, said, sensitivity, ticked
from tcphoton.papers.hybrid.beyond import (
    beyond,
    electronic,
    hollow_core,
    maimd,
    rates,
    workloads,
)
from tcphoton.papers.hybrid.drawing import POWERS, THIRD, at, grid, in_order, lines, merits, titled
from tcphoton.papers.hybrid.measures import (
    LENGTHS,
    LOAD,
    MARGIN,
    PORTS,
    PUBLISHED,
    THROUGHPUT,
    VARIANT,
    per_second,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tcphoton.papers.ledger import Claim


# The paper's curves.


def _scheme(margin: int) -> str:
    return "SAW" if margin == 0 else f"SAWL, p = {margin}"


def _over_load(table: pl.DataFrame, length: str, bound: float | None = None) -> list[Any]:
    """Return one panel per p, one line per n_e."""
    rows = merits(at(table, length=length)).with_columns(
        load=pl.col(LOAD), curve=pl.format("n_e = {}", pl.col(PORTS))
    )
    curves = None
    if bound is not None:
        ends = [rows.get_column("load").min(), rows.get_column("load").max()]
        curves = pl.DataFrame(
            {"load": ends, "throughput": [bound, bound], "curve": ["published bound"] * 2}
        )
    panels = []
    for margin in sorted(rows.get_column(MARGIN).unique()):
        shown = at(rows, margin=margin).sort(PORTS, LOAD)
        options = {"scales": ("log", "linear"), "width": THIRD, "curves": curves}
        chart = ticked(lines(shown, "load", "throughput", "curve", **options), "load", POWERS)
        panels.append(titled(chart, f"{_scheme(margin)}, {length}"))
    return panels


def _figure_2(length: str, text: str) -> Callable[[pl.DataFrame], Any]:
    return lambda table: said(grid([_over_load(table, length)], shared=True), text)


def long(table: pl.DataFrame) -> Any:
    """Draw the throughput on long links, with the published bounds."""
    rows = [
        _over_load(table, length, PUBLISHED["hybrid.6", f"bound at {length}"])
        for length in ("1000 m", "10000 m")
    ]
    text = "almost the same for any switch, at most 16.6 and 1.9 Gb/s"
    return said(grid(rows, shared=True), text)


def more_p(table: pl.DataFrame) -> Any:
    """Draw the throughput against p, one line per arrival rate."""
    rows = merits(table).with_columns(
        p=pl.col(MARGIN), curve=pl.Series([per_second(load) for load in table[LOAD]])
    )
    panels = [
        [
            titled(
                lines(
                    at(rows, length=length, ports=ports).sort(LOAD, "p"),
                    "p",
                    "throughput",
                    "curve",
                ),
                f"{length}, n_e = {ports}",
            )
            for ports in (2, 5)
        ]
        for length in ("10 m", "100 m")
    ]
    return said(grid(panels, shared=True), "p over 4 brings nothing more")


def spread_of_seeds(table: pl.DataFrame) -> Any:
    """Draw the deviation over the seeds as a share of the mean, and how it goes with the mean.

    Of each curve over the arrival rate: the middle and both ends of the share at its points, and
    Pearson's coefficient of deviation and mean over them.
    """
    bands = [
        (PUBLISHED["", f"smallest {what}"], PUBLISHED["", f"largest {what}"])
        for what in ("spread", "correlation")
    ]
    shares, coefficients = [], []
    for length in LENGTHS:
        rows = at(table, length=length).drop_nulls(THROUGHPUT)
        spreads, correlations = _spreads(rows)
        if spreads.is_empty():
            continue
        title = f"{length}: deviation over mean"
        shares.append(panel(title, spreads, band=bands[0]))
        title = f"{length}: correlation of deviation and mean"
        coefficients.append(panel(title, correlations, band=bands[1]))
    pairs = [list(pair) for pair in zip(shares, coefficients, strict=True)]
    return said(grid(pairs), "0.144 to 0.196 times the mean, with a correlation of 0.973 to 0.998")


def _spreads(rows: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the rows of the two panels of a length."""
    moments = rows.group_by(PORTS, MARGIN, LOAD).agg(
        mean=pl.col(THROUGHPUT).mean(), deviation=pl.col(THROUGHPUT).std()
    )
    spreads, correlations = [], []
    for (ports, margin), curve in moments.sort(PORTS, MARGIN, LOAD).group_by(
        PORTS, MARGIN, maintain_order=True
    ):
        name = f"n_e = {ports}, p = {margin}"
        shares = curve.select(pl.col("deviation") / pl.col("mean")).to_series().sort().to_list()
        middle = shares[len(shares) // 2]
        spreads.append({"with": name, "ours": middle, "low": shares[0], "high": shares[-1]})
        found = curve.select(pl.corr("deviation", "mean")).item()
        if found is not None and math.isfinite(found):
            correlations.append({"with": name, "ours": found, "low": found, "high": found})
    schema = {"with": pl.String, "ours": pl.Float64, "low": pl.Float64, "high": pl.Float64}
    return pl.DataFrame(spreads, schema=schema), pl.DataFrame(correlations, schema=schema)


def timers(table: pl.DataFrame) -> Any:
    """Draw the throughput against the arrival rate, one line per update rule of the timer."""
    rows = merits(table).with_columns(load=pl.col(LOAD), curve=pl.col(VARIANT))
    order = rows.get_column("curve").unique(maintain_order=True)
    panels = []
    for ports, margin in ((0, 0), (5, 0), (5, 1), (5, 4)):
        row = []
        for length in ("10 m", "100 m"):
            shown = at(rows, length=length, ports=ports, margin=margin).sort("load")
            chart = lines(
                in_order(shown, "curve", order), "load", "throughput", "curve",
                scales=("log", "linear"), height=1.3,
            )  # fmt: skip
            title = f"{_scheme(margin)}, n_e = {ports}, {length}"
            row.append(titled(ticked(chart, "load", POWERS), title))
        panels.append(row)
    return grid(panels)


FIGURES: dict[str, Callable[[pl.DataFrame], Any]] = {
    "fig2a": _figure_2("10 m", "SAW alike but at high load, there double; SAWL 3 times"),
    "fig2b": _figure_2("100 m", "SAW alike but at high load; SAWL over 50 % more"),
    "long": long,
    "more-p": more_p,
    "spread-of-seeds": spread_of_seeds,
    "timers": timers,
    "beyond": beyond,
    "rates": rates,
    "hollow-core": hollow_core,
    "maimd": maimd,
    "electronic": electronic,
    "workloads": workloads,
}


def of_claims(claims: Sequence[Claim]) -> dict[str, Callable[[pl.DataFrame], Any]]:
    """Return the figures of what claims give under other assumptions."""
    return {name: sensitivity(claims, name, bands=True) for name in ("batch", "assumptions")}
