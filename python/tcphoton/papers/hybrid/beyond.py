"""The figures beyond the paper: other transports, switches, links and workloads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from tcphoton.analysis import statistics, theory
from tcphoton.common import quantities
from tcphoton.papers.charts import panel, ticked
from tcphoton.papers.hybrid.drawing import (
    THIRD,
    TITLES,
    UNITS,
    at,
    grid,
    in_order,
    lines,
    merits,
    titled,
)
from tcphoton.papers.hybrid.measures import LENGTHS, PORTS, THROUGHPUT, VARIANT, per_second

if TYPE_CHECKING:
    from collections.abc import Iterable

RATE, SPEED = "topology.link.rate", "topology.link.delay-per-km"
OVER_LARGEST = theory.total_over_largest(500, 9.48, 2.46, 5e6)
"""The batch of scenario.toml over its largest file; a test compares them."""
CYCLE = "closed form"
TRANSPORTS = ("SAWL", "mSACK", "DCTCP", "NewReno")


def _numbers(table: pl.DataFrame, key: str, unit: float = 1.0) -> pl.Series:
    """Return the quantities of a column in a unit."""
    return pl.Series([quantities.number(value) / unit for value in table[key]], dtype=pl.Float64)


def _over_ports(rows: pl.DataFrame, values: Iterable[str], **options: Any) -> list[Any]:
    """Return one panel per measure: over n_e and electronic switches, one line per transport."""
    known = sorted(float(at) for at in rows.get_column(PORTS).drop_nulls().unique())
    apart = known[-1] + 2
    ports = pl.col(PORTS).cast(pl.Float64).fill_null(apart)
    rows = in_order(rows.with_columns(ports=ports).sort("ports"), "transport", TRANSPORTS)
    ticks = {**{at: f"{at:g}" for at in known}, apart: "el."}
    panels = []
    for value in values:
        chart = lines(rows, "ports", value, "transport", interval="bars", **options)
        panels.append(ticked(chart, "ports", ticks, joined=known[-1]))
    return panels


def beyond(table: pl.DataFrame) -> Any:
    """Draw throughput, energy and latency by the switch, one line per transport."""
    rows = merits(table).with_columns(transport=pl.col(VARIANT))
    columns = []
    for length, load in (("10 m", 1e6), ("10 m", 1e8), ("1000 m", 1e8)):
        here = at(rows, length=length, load=load)
        panels = [
            *_over_ports(here, ("throughput", "energy"), width=THIRD, height=1.4),
            *_over_ports(
                here, ("latency", "tail"), width=THIRD, height=1.4, scales=("linear", "log")
            ),
        ]
        columns.append([titled(panels[0], f"{length}, {per_second(load)}"), *panels[1:]])
    return grid(zip(*columns, strict=True))


def _ceiling(rate: float, length: str, per_km: float = 5e-6) -> float:
    """Return the throughput of the batch in Gb/s if each transfer had the cycle rate at once."""
    cycle = theory.stop_and_wait_rate(quantities.number(length), rate=rate, delay_per_km=per_km)
    return 1e-9 * cycle * OVER_LARGEST


def rates(table: pl.DataFrame) -> Any:
    """Draw the throughput against the rate of the links, with the closed form of stop-and-wait."""
    rows = merits(table).with_columns(_numbers(table, RATE, 1e9).alias("rate"))
    order = table.get_column(VARIANT).unique(maintain_order=True)
    panels = []
    for length in LENGTHS:
        shown = in_order(at(rows, length=length).sort("rate"), VARIANT, order)
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
        panels.append(titled(lines(shown, "rate", "throughput", VARIANT, **options), length))
    return grid([panels], shared=True)


def hollow_core(table: pl.DataFrame) -> Any:
    """Draw what hollow-core fibre adds to the throughput in percent, with the closed form."""
    panels = []
    for length in LENGTHS:
        here = at(table, length=length)
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
    """Return one panel per measure with one row per variant."""
    rows = merits(table)
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
            here = at(table, length=length, ports=ports)
            if not here.is_empty():
                title = f"{length}, n_e = {ports}"
                panels += _named_rows(here, ("throughput", "latency"), title)
    return alt.concat(*panels, columns=2, spacing=12)


def electronic(table: pl.DataFrame) -> Any:
    """Draw throughput and latency of TCP on electronic switches for each change."""
    return alt.concat(*_named_rows(table, ("throughput", "latency"), "10 m"), columns=2, spacing=12)


def workloads(table: pl.DataFrame) -> Any:
    """Draw throughput, energy and completion of shuffle and incast by the switch."""
    rows = merits(table)
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
        columns.append([titled(panels[0], workload), *panels[1:]])
    return grid(zip(*columns, strict=True))
