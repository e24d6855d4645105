"""The figures of the paper, from the tables of its artefacts.

Bands and bars are 95 % intervals. What the text says of a figure is written above it; nothing is
read off a printed figure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from tcphoton import figures
from tcphoton.analysis import statistics
from tcphoton.common import quantities
from tcphoton.papers.charts import beside, panel, said, sensitivity
from tcphoton.papers.ops.fit import path
from tcphoton.papers.ops.measures import (
    DELTA,
    FORMULA,
    GRID,
    MU,
    SIGMA,
    VARIANT,
    P,
    measured,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tcphoton.papers.ledger import Claim

TITLES = {
    "delta": "aggregation interval Δ",
    "mu": "mean µ of the deflection cost",
    "sigma": "deviation σ of the deflection cost",
    "p": "congestion factor p",
    "throughput": "throughput",
    "fairness": "Jain's index",
    "jitter": "delay jitter",
    "gain": "gain by deflection",
    "reordered": "packets reordered",
    "window": "largest window",
    "load": "load of a UDP flow",
    "udp-lost": "UDP packets lost",
    "tcp-throughput": "TCP throughput",
    "tcp-fairness": "TCP, Jain's index",
    "tcp-reordered": "TCP packets reordered",
    "udp-reordered": "UDP packets reordered",
    "udp-jitter": "UDP delay jitter",
    "udp-fairness": "UDP, Jain's index",
    "contention": "optical packets in contention",
    "hops": "links passed",
}
UNITS = {
    "delta": "ms", "mu": "ms", "sigma": "ms", "throughput": "Mb/s", "jitter": "ms", "gain": "%",
    "reordered": "%", "window": "segments", "load": "Mb/s", "udp-lost": "%",
    "tcp-throughput": "Mb/s", "tcp-reordered": "%", "udp-reordered": "%", "udp-jitter": "ms",
    "contention": "%",
}  # fmt: skip
SCHEMES = {"mixed": "mixed-flow", "per-flow": "per-flow", "none": "none"}
WITH, WITHOUT = "with deflection", "without"
PRESET, WINDOW = "traffic.0.transport.preset", "traffic.0.transport.max-window"
RTO = "traffic.0.transport.min-rto"
WAYS = {
    "mixed-flow, with deflection": "",
    "mixed-flow, without": ", no deflection",
    "none, with deflection": ", no aggregation",
}
TCPS = {"reno": "Reno", "newreno": "NewReno", "sack": "SACK", "cubic": "CUBIC"}
LOAD = "traffic.0.source.rate"
PORTS, FITTED = "other ports", "abstract path"
PANEL = 3.3
"""Inches of a figure that is drawn next to another."""


def _lines(table: pl.DataFrame, x: str, y: str, by: str, **options: Any) -> Any:
    options = {"interval": "band", "titles": TITLES, "units": UNITS, "width": PANEL, **options}
    return figures.lines(table, x=x, y=y, by=by, **options)


def _merits(table: pl.DataFrame) -> pl.DataFrame:
    """Add the figures of merit in the units of the figures."""
    table = measured(table)
    terms = {
        "throughput": pl.col("goodput") / 1e6,
        "fairness": pl.col("jain"),
        "reordered": pl.col("reordered-share"),
    }
    if "traffic.0.jitter" in table.columns:
        terms |= {"jitter": 1e3 * pl.col("traffic.0.jitter"), "formula": 1e3 * pl.col(FORMULA)}
    return table.with_columns(**terms)


def _numbers(table: pl.DataFrame, key: str, unit: float) -> pl.Series:
    """Return the quantities of a column in a unit, null where there is none."""
    return pl.Series(
        [
            None if value is None else round(quantities.number(value) / unit, 9)
            for value in table[key]
        ],
        dtype=pl.Float64,
    )


# Figures 3 to 5: schemes against Δ.


def _schemes(table: pl.DataFrame) -> pl.DataFrame:
    """Add the scheme and Δ in ms; without aggregation a run counts at every Δ."""
    names = [str(grid).partition("-")[2] for grid in table[GRID]]
    rows = _merits(table).with_columns(scheme=pl.Series([SCHEMES[name] for name in names]))
    none = pl.col("scheme") == "none"
    aggregated = rows.filter(~none)
    aggregated = aggregated.with_columns(delta=_numbers(aggregated, DELTA, 1e-3))
    everywhere = aggregated.select("delta").unique().sort("delta")
    flat = rows.filter(none).join(everywhere, how="cross")
    rank = {name: at for at, name in enumerate(SCHEMES.values())}
    order = pl.col("scheme").replace_strict(rank)
    return pl.concat([aggregated, flat], how="diagonal").sort(order, "delta")


def _against_delta(value: str, text: str) -> Callable[[pl.DataFrame], Any]:
    def figure(table: pl.DataFrame) -> Any:
        return said(
            _lines(_schemes(table), "delta", value, "scheme", scales=("log", "linear")), text
        )

    return figure


# Figures 6 and 7: the deflection cost.


def _against_cost(key: str, x: str, text: str) -> Callable[[pl.DataFrame], Any]:
    """Draw TCP's throughput and fairness against a cost, with and without deflection."""

    def figure(table: pl.DataFrame) -> Any:
        without = pl.col(GRID) == "tcp-without"
        rows = _merits(table)
        deflected = rows.filter(~without)
        deflected = deflected.with_columns(
            _numbers(deflected, key, 1e-3).alias(x), way=pl.lit(WITH)
        )
        flat = rows.filter(without).join(deflected.select(x).unique(), how="cross")
        flat = flat.with_columns(way=pl.lit(WITHOUT))
        shown = pl.concat([deflected, flat], how="diagonal").sort("way", x)
        panels = [_lines(shown, x, value, "way") for value in ("throughput", "fairness")]
        return said(beside(panels), text)

    return figure


def fig7(table: pl.DataFrame) -> Any:
    """Draw UDP's jitter against µ and against σ, with the closed form beside."""
    panels = []
    for grid, key, x in (("udp-mu", MU, "mu"), ("udp-sigma", SIGMA, "sigma")):
        rows = _merits(table.filter(pl.col(GRID) == grid))
        rows = rows.with_columns(_numbers(rows, key, 1e-3).alias(x), what=pl.lit("simulated"))
        formula = rows.group_by(x).agg(jitter=pl.col("formula").mean()).sort(x)
        formula = formula.with_columns(what=pl.lit("√(q E[tc²] − (q E[tc])² + Var W)"))
        panels.append(_lines(rows.sort(x), x, "jitter", "what", curves=formula))
    return said(beside(panels), "increases linearly with both")


# Figure 8: the congestion factor.


def _transports(table: pl.DataFrame) -> pl.DataFrame:
    rows = _merits(table).rename({P: "p"}).with_columns(transport=pl.col(VARIANT))
    return rows.sort("transport", "p")


def fig8(table: pl.DataFrame) -> Any:
    """Draw throughput, fairness and jitter of TCP and UDP against p."""
    rows = _transports(table)
    values = ("throughput", "fairness", "jitter")
    panels = [_lines(rows, "p", value, "transport") for value in values]
    text = "UDP falls linearly, TCP sharply up to 0.1; UDP's index is almost 1, its jitter falls"
    return said(alt.concat(*panels, columns=2, spacing=14), text)


def deflection(table: pl.DataFrame) -> Any:
    """Draw what deflection adds to the throughput of TCP and of UDP, in percent."""
    rows = _transports(table)
    without = pl.col(GRID).str.ends_with("-without")
    base = rows.filter(without).select("transport", "seed", base="throughput")
    rows = rows.filter(~without).join(base, on=["transport", "seed"], maintain_order="left")
    rows = rows.with_columns(gain=100 * (pl.col("throughput") / pl.col("base") - 1))
    return said(
        _lines(rows, "p", "gain", "transport"), "about 20 % for TCP at p = 0.2, UDP even more"
    )


# Sensitivity, and beyond the paper.


def rto_window(table: pl.DataFrame) -> Any:
    """Draw throughput and fairness against the maximum window, by minimum RTO and path."""
    names = [f"{way}, RTO {rto}" for way, rto in table.select(VARIANT, RTO).iter_rows()]
    windows = [float(str(text).partition(" ")[0]) for text in table[WINDOW]]
    rows = _merits(table).with_columns(way=pl.Series(names), window=pl.Series(windows))
    rows = rows.sort("way", "window")
    options = {"scales": ("log", "linear"), "interval": "bars"}
    panels = [
        _lines(rows, "window", value, "way", **options) for value in ("throughput", "fairness")
    ]
    return beside(panels)


def transports(table: pl.DataFrame) -> Any:
    """Draw throughput, fairness and reordering for each TCP, one row per path."""
    names = [f"{TCPS[preset]}{WAYS[way]}" for way, preset in table.select(VARIANT, PRESET).rows()]
    rows = _merits(table).with_columns(name=pl.Series(names))
    order = [f"{tcp}{way}" for way in WAYS.values() for tcp in TCPS.values()]
    charts = [
        panel(TITLES[value], _means(rows, order, value), UNITS.get(value, ""))
        for value in ("throughput", "fairness", "reordered")
    ]
    return alt.concat(*charts, columns=2, spacing=12)


def _means(rows: pl.DataFrame, order: Iterable[str], value: str) -> pl.DataFrame:
    """Return the mean of a measure with its interval for each name that was run."""
    found = {name: group for (name,), group in rows.group_by("name")}
    shown = []
    for name in order:
        if name in found:
            ours = statistics.mean_interval(found[name].get_column(value).drop_nulls())
            low, high = (ours.low, ours.high) if ours.n > 1 else (ours.mean, ours.mean)
            shown.append({"with": name, "ours": ours.mean, "low": low, "high": high})
    return pl.DataFrame(shown)


def _mesh(table: pl.DataFrame) -> pl.DataFrame:
    """Add the measures of the NSF network; traffic 0 is UDP, traffic 1 TCP."""
    rows = measured(table).with_columns(load=_numbers(table, LOAD, 1e6))
    terms = {"hops": pl.col("bursts.hops-mean"), "udp-lost": 100 * pl.col("traffic.0.loss")}
    for at, name in enumerate(("udp", "tcp")):
        flows = f"traffic.{at}"
        terms |= {
            f"{name}-throughput": pl.col(f"{flows}.goodput") / 1e6,
            f"{name}-fairness": pl.col(f"{flows}.jain"),
            f"{name}-jitter": 1e3 * pl.col(f"{flows}.jitter"),
            f"{name}-reordered": 100
            * pl.col(f"{flows}.reordered")
            / pl.col(f"{flows}.packets-sent"),
        }
    return rows.with_columns(**terms)


def _panels(rows: pl.DataFrame, values: Iterable[str], by: str) -> list[Any]:
    options = {"scales": ("log", "linear"), "interval": "bars"}
    return [_lines(rows, "load", value, by, **options) for value in values]


MESH = (
    "tcp-throughput", "udp-lost", "tcp-fairness", "udp-fairness",
    "tcp-reordered", "udp-reordered", "hops", "udp-jitter",
)  # fmt: skip
ABSTRACT = (
    "tcp-throughput", "udp-lost", "tcp-fairness", "udp-jitter",
    "tcp-reordered", "udp-reordered", "contention", "p", "mu", "sigma",
)  # fmt: skip


def mesh(table: pl.DataFrame) -> Any:
    """Draw the NSF network's measures against the load, a line for what is tried."""
    return alt.concat(*_panels(_mesh(table), MESH, VARIANT), columns=2, spacing=14)


def mesh_abstract(table: pl.DataFrame) -> Any:
    """Draw the NSF network with real deflection and with the abstract path that fits it.

    The last panels have the p, µ and σ that fit these runs, and the ones that the path was given.
    """
    rows = _mesh(table)
    abstract = pl.col(GRID) == "mesh-abstract"
    ports, given = rows.filter(pl.col(VARIANT) == "deflect"), rows.filter(abstract)
    fits = [path([row]) for row in ports.iter_rows(named=True)]
    terms = (("p", 1.0), ("mu", 1e-3), ("sigma", 1e-3))
    ports = ports.with_columns(
        *(
            pl.Series(name, [fit and getattr(fit, name) / unit for fit in fits], dtype=pl.Float64)
            for name, unit in terms
        ),
        way=pl.lit(PORTS),
    )
    given = given.with_columns(
        *(
            _numbers(given, key, unit).alias(name)
            for key, (name, unit) in zip((P, MU, SIGMA), terms, strict=True)
        ),
        way=pl.lit(FITTED),
    )
    shown = pl.concat([each.sort("load") for each in (ports, given)], how="diagonal_relaxed")
    return alt.concat(*_panels(shown, ABSTRACT, "way"), columns=2, spacing=14)


FIGURES: dict[str, Callable[[pl.DataFrame], Any]] = {
    "fig3a": _against_delta(
        "throughput", "mixed-flow much higher; per-flow over none only at large Δ"
    ),
    "fig3b": _against_delta(
        "fairness", "aggregation degrades it; mixed-flow rises, per-flow falls"
    ),
    "fig4a": _against_delta("throughput", "mixed-flow over none over per-flow, hardly with Δ"),
    "fig4b": _against_delta(
        "fairness", "almost perfect, but for per-flow's, which degrades with Δ"
    ),
    "fig5": _against_delta("jitter", "grows; mixed-flow over per-flow, but not at large Δ"),
    "fig6": _against_cost(MU, "mu", "about 20 % more with deflection, fairer; hardly with µ"),
    "fig6-sigma": _against_cost(SIGMA, "sigma", "no effect of σ"),
    "fig7": fig7,
    "fig8": fig8,
    "deflection": deflection,
    "rto-window": rto_window,
    "transports": transports,
    "mesh": mesh,
    "mesh-abstract": mesh_abstract,
}


def of_claims(claims: Sequence[Claim]) -> dict[str, Callable[[pl.DataFrame], Any]]:
    """Return the figures of what claims give under other assumptions."""
    return {name: sensitivity(claims, name) for name in ("assumptions-tcp", "assumptions-udp")}
