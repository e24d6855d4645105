"""The figures of the paper, from the tables of its artefacts.

Bands and bars are 95 % intervals. What the text says of a figure stands above it; nothing is read
off a printed figure.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from tcphoton import figures, quantities, statistics, theory
from tcphoton.papers.charts import panel, said, sensitivity, ticked
from tcphoton.papers.hybrid.claims import BOUNDS, CLAIMS
from tcphoton.papers.hybrid.measures import (
    LENGTH,
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
    from collections.abc import Callable, Iterable, Sequence

__all__ = ["FIGURES"]

RATE, SPEED = "topology.link.rate", "topology.link.delay-per-km"
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
OVER_LARGEST = theory.total_over_largest(500, 9.48, 2.46, 5e6)
"""The batch of scenario.toml over its largest file; a test holds them together."""
CYCLE = "closed form"


def _lines(table: pl.DataFrame, x: str, y: str, by: str, **options: Any) -> Any:
    options = {"interval": "band", "titles": TITLES, "units": UNITS, "width": HALF, **options}
    return figures.lines(table, x=x, y=y, by=by, **options)


def _merits(table: pl.DataFrame) -> pl.DataFrame:
    """Add the figures of merit in the units of the figures."""
    return table.with_columns(
        (pl.col(column).cast(pl.Float64) * scale).alias(name)
        for name, (column, scale) in TERMS.items()
        if column in table.columns
    )


def _numbers(table: pl.DataFrame, key: str, unit: float = 1.0) -> pl.Series:
    """Return the quantities of a column in a unit."""
    return pl.Series([quantities.number(value) / unit for value in table[key]], dtype=pl.Float64)


def _at(table: pl.DataFrame, **values: object) -> pl.DataFrame:
    keys = {"length": LENGTH, "load": LOAD, "margin": MARGIN, "ports": PORTS, "variant": VARIANT}
    return table.filter(*(pl.col(keys[name]) == value for name, value in values.items()))


def _grid(rows: Iterable[Sequence[Any]], *, shared: bool = False) -> Any:
    """Put rows of charts below each other; with `shared` those of a row have one scale up."""
    drawn = []
    for charts in rows:
        row = alt.hconcat(*charts, spacing=10)
        drawn.append(row.resolve_scale(y="shared") if shared else row)
    return drawn[0] if len(drawn) == 1 else alt.vconcat(*drawn, spacing=12)


def _titled(chart: Any, title: str) -> Any:
    return chart.properties(title=title)


# The paper's curves.


def _scheme(margin: int) -> str:
    return "SAW" if margin == 0 else f"SAWL, p = {margin}"


def _over_load(table: pl.DataFrame, length: str, bound: float | None = None) -> list[Any]:
    """Return a panel a p, a line an n_e."""
    rows = _merits(_at(table, length=length)).with_columns(
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
        shown = _at(rows, margin=margin).sort(PORTS, LOAD)
        options = {"scales": ("log", "linear"), "width": THIRD, "curves": curves}
        chart = ticked(_lines(shown, "load", "throughput", "curve", **options), "load", POWERS)
        panels.append(_titled(chart, f"{_scheme(margin)}, {length}"))
    return panels


def _figure_2(length: str, text: str) -> Callable[[pl.DataFrame], Any]:
    return lambda table: said(_grid([_over_load(table, length)], shared=True), text)


def long(table: pl.DataFrame) -> Any:
    """Draw the throughput on long links, with the published bounds."""
    rows = [_over_load(table, length, bound) for length, bound in BOUNDS.items()]
    text = "almost the same for any switch, at most 16.6 and 1.9 Gb/s"
    return said(_grid(rows, shared=True), text)


def more_p(table: pl.DataFrame) -> Any:
    """Draw the throughput against p, a line an arrival rate."""
    rows = _merits(table).with_columns(
        p=pl.col(MARGIN), curve=pl.Series([per_second(load) for load in table[LOAD]])
    )
    panels = [
        [
            _titled(
                _lines(
                    _at(rows, length=length, ports=ports).sort(LOAD, "p"),
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
    return said(_grid(panels, shared=True), "p over 4 brings nothing more")


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
        rows = _at(table, length=length).drop_nulls(THROUGHPUT)
        spreads, correlations = _spreads(rows)
        if spreads.is_empty():
            continue
        title = f"{length}: deviation over mean"
        shares.append(panel(title, spreads, band=bands[0]))
        title = f"{length}: correlation of deviation and mean"
        coefficients.append(panel(title, correlations, band=bands[1]))
    pairs = [list(pair) for pair in zip(shares, coefficients, strict=True)]
    return said(_grid(pairs), "0.144 to 0.196 times the mean, with a correlation of 0.973 to 0.998")


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


# Beyond the paper.


def _over_ports(rows: pl.DataFrame, values: Iterable[str], **options: Any) -> list[Any]:
    """Return a panel a measure: over n_e, and for electronic switches, a line a transport."""
    known = sorted(float(at) for at in rows.get_column(PORTS).drop_nulls().unique())
    apart = known[-1] + 2
    ports = pl.col(PORTS).cast(pl.Float64).fill_null(apart)
    rows = rows.with_columns(ports=ports).sort(_rank(rows), "ports")
    ticks = {**{at: f"{at:g}" for at in known}, apart: "el."}
    panels = []
    for value in values:
        chart = _lines(rows, "ports", value, "transport", interval="bars", **options)
        panels.append(ticked(chart, "ports", ticks, joined=known[-1]))
    return panels


TRANSPORTS = ("SAWL", "mSACK", "DCTCP", "NewReno")


def _rank(rows: pl.DataFrame) -> pl.Series:
    """Return the place of each row's transport in the legend."""
    names = rows.get_column("transport")
    return pl.Series("rank", [TRANSPORTS.index(name) for name in names])


def beyond(table: pl.DataFrame) -> Any:
    """Draw throughput, energy and latency by the switch, a line a transport."""
    rows = _merits(table).with_columns(transport=pl.col(VARIANT))
    columns = []
    for length, load in (("10 m", 1e6), ("10 m", 1e8), ("1000 m", 1e8)):
        here = _at(rows, length=length, load=load)
        panels = [
            *_over_ports(here, ("throughput", "energy"), width=THIRD, height=1.4),
            *_over_ports(
                here, ("latency", "tail"), width=THIRD, height=1.4, scales=("linear", "log")
            ),
        ]
        columns.append([_titled(panels[0], f"{length}, {per_second(load)}"), *panels[1:]])
    return _grid(zip(*columns, strict=True))


def _ceiling(rate: float, length: str, per_km: float = 5e-6) -> float:
    """Return the throughput of the batch in Gb/s if each transfer had the cycle rate at once."""
    cycle = theory.stop_and_wait_rate(quantities.number(length), rate=rate, delay_per_km=per_km)
    return 1e-9 * cycle * OVER_LARGEST


def rates(table: pl.DataFrame) -> Any:
    """Draw the throughput against the rate of the links, with the closed form of stop-and-wait."""
    rows = _merits(table).with_columns(_numbers(table, RATE, 1e9).alias("rate"))
    panels = []
    for length in LENGTHS:
        shown = _at(rows, length=length).sort(VARIANT, "rate")
        if shown.is_empty():
            continue
        across = sorted(shown.get_column("rate").unique())
        curve = pl.DataFrame(
            {
                "rate": across,
                "throughput": [_ceiling(1e9 * rate, length) for rate in across],
                VARIANT: [CYCLE] * len(across),
            }
        )
        options = {"scales": ("log", "log"), "width": THIRD, "interval": "bars", "curves": curve}
        panels.append(_titled(_lines(shown, "rate", "throughput", VARIANT, **options), length))
    return _grid([panels], shared=True)


def hollow_core(table: pl.DataFrame) -> Any:
    """Draw what hollow-core fibre adds to the throughput in per cent, with the closed form."""
    panels = []
    for length in LENGTHS:
        here = _at(table, length=length)
        if here.is_empty():
            continue
        shown = []
        for variant in here.get_column(VARIANT).unique(maintain_order=True):
            fast, slow = (
                here.filter(pl.col(VARIANT) == variant, pl.col(SPEED) == speed).sort("seed")
                for speed in ("3.34 us", "5 us")
            )
            pairs = fast.join(slow, on="seed", suffix=".slow").drop_nulls(THROUGHPUT)
            gain = statistics.paired_interval(
                pairs[THROUGHPUT], pairs[f"{THROUGHPUT}.slow"], ratio=True
            )
            ends = [100 * (end - 1) for end in (gain.mean, gain.low, gain.high)]
            shown.append({"with": variant, **dict(zip(("ours", "low", "high"), ends, strict=True))})
        closed = 100 * (_ceiling(10e9, length, 3.34e-6) / _ceiling(10e9, length) - 1)
        shown.append(
            {"with": "a stop-and-wait cycle", "ours": closed, "low": closed, "high": closed}
        )
        panels.append(panel(f"{length}: hollow-core fibre adds", pl.DataFrame(shown), "%"))
    return alt.concat(*panels, columns=2, spacing=12)


def _named_rows(table: pl.DataFrame, values: Iterable[str], title: str) -> list[Any]:
    """Return a panel a measure with a row a variant."""
    rows = _merits(table)
    panels = []
    for value in values:
        shown = []
        for (name,), group in rows.group_by(VARIANT, maintain_order=True):
            ours = statistics.mean_interval(group.get_column(value).drop_nulls())
            if ours.n:
                low, high = (ours.low, ours.high) if ours.n > 1 else (ours.mean, ours.mean)
                shown.append({"with": name, "ours": ours.mean, "low": low, "high": high})
        if shown:
            panels.append(
                panel(f"{title}: {TITLES[value]}", pl.DataFrame(shown), UNITS.get(value, ""))
            )
    return panels


def maimd(table: pl.DataFrame) -> Any:
    """Draw the throughput and the latency of mSACK for each change of its constants."""
    panels = []
    for length in LENGTHS:
        for ports in (0, 5):
            here = _at(table, length=length, ports=ports)
            if not here.is_empty():
                title = f"{length}, n_e = {ports}"
                panels += _named_rows(here, ("throughput", "latency"), title)
    return alt.concat(*panels, columns=2, spacing=12)


def electronic(table: pl.DataFrame) -> Any:
    """Draw throughput and latency of TCP on electronic switches for each change."""
    return alt.concat(*_named_rows(table, ("throughput", "latency"), "10 m"), columns=2, spacing=12)


def workloads(table: pl.DataFrame) -> Any:
    """Draw throughput, energy and completion of shuffle and incast by the switch."""
    rows = _merits(table)
    names = [str(name).partition(", ") for name in rows[VARIANT]]
    rows = rows.with_columns(
        workload=pl.Series([name[0] for name in names]),
        transport=pl.Series([name[2] for name in names]),
    )
    columns = []
    for workload in ("shuffle", "incast"):
        here = rows.filter(pl.col("workload") == workload)
        panels = [
            *_over_ports(here, ("throughput", "energy"), height=1.6),
            *_over_ports(here, ("latency", "done"), height=1.6, scales=("linear", "log")),
        ]
        columns.append([_titled(panels[0], workload), *panels[1:]])
    return _grid(zip(*columns, strict=True))


FIGURES: dict[str, Callable[[pl.DataFrame], Any]] = {
    "fig2a": _figure_2("10 m", "SAW alike but at high load, there double; SAWL 3 times"),
    "fig2b": _figure_2("100 m", "SAW alike but at high load; SAWL over 50 % more"),
    "long": long,
    "more-p": more_p,
    "spread-of-seeds": spread_of_seeds,
    "batch": sensitivity(CLAIMS, "batch"),
    "assumptions": sensitivity(CLAIMS, "assumptions"),
    "beyond": beyond,
    "rates": rates,
    "hollow-core": hollow_core,
    "maimd": maimd,
    "electronic": electronic,
    "workloads": workloads,
}
