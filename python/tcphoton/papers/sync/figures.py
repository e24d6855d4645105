"""The figures of the paper, from the tables of its artefacts.

Bands and bars are 95 % intervals. A published number that belongs to a row or point is a ring
there; other ones stand above the figure. Nothing is read off a printed figure. What is drawn over
time is the run with the first seed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from tcphoton import figures
from tcphoton.analysis import statistics, synchronization
from tcphoton.figures import style
from tcphoton.papers.charts import beside, panel, said, sensitivity
from tcphoton.papers.sync.measures import (
    BURST,
    FLOWS,
    INDICES,
    LOSS,
    PUBLISHED,
    RTT,
    SAMPLE,
    START,
    TIMEOUT,
    name_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tcphoton.papers.ledger import Claim

TITLES = {
    FLOWS: "number of flows",
    LOSS: "drop probability",
    "burst-loss": "bursts lost",
    "rate": "arrivals",
    "throughput-mean": "mean aggregate throughput",
    "throughput-std": "standard deviation",
    "throughput-cov": "CoV of the throughput",
    "bursts.flows-mean": "distinct flows in a burst",
    SAMPLE: "index (samples of 0.7 s)",
    BURST: "index (a lost burst)",
    "jain": "Jain's index",
}
UNITS = {
    "throughput-mean": "Mb/s", "throughput-std": "Mb/s", "throughput-cov": "%", "burst-loss": "%",
    "rate": "flows/s",
}  # fmt: skip
DRAWN = (10, 15, 25)
"""Numbers of flows that figures 2, 3, 4 and 11 draw."""
TABLE_2 = ("MF", "SMQ", "DMQ-2", "DMQ-4", "DMQ-8")
PLOTTED = (50.0, 90.0)
"""Seconds that figures 2, 3 and 11 plot."""
WINDOWS = (1000.0, 1600.0)
"""Seconds that figure 6 plots."""
DETAIL = 10.0
"""Seconds that figures 15 and 16 have in detail."""
SPAN = 3e-3
"""Seconds of a span of figures 15 and 16."""
BINS = 300
"""Bins of time in a figure of spans, each with its smallest, mean and largest value."""
CLASSES = [f"flows-{end}" for end in (20, 40, 60, 80, 100)]
CELLS = {"mean": "span-mean", "std": "span-std", "min": "span-min", "max": "span-max"}
"""The columns of Table 2 by the measure that each is."""
MADE = {
    "none": "no conversion",
    "partial": "1 converter a node",
    "full": "full conversion",
    "slower": "full conversion, slower links",
}
"""How the losses of figure 14 were made, by the first word of a grid."""
SHOWN = ("PF", "MF", "SMQ", "DMQ-2", "DMQ-8", "WA-2", "WA-8")
"""Schemes of a figure that has lines for eight."""
PRESET, PACING = "traffic.0.transport.preset", "traffic.0.transport.pacing"
TCPS = {"newreno": "NewReno", "sack": "SACK", "cubic": "CUBIC"}


# Tables.


def _schemes(table: pl.DataFrame) -> pl.DataFrame:
    """Add the names of schemes."""
    names = [name_of(row) for row in table.iter_rows(named=True)]
    return table.with_columns(scheme=pl.Series(names, dtype=pl.String))


def _tcps(table: pl.DataFrame) -> pl.DataFrame:
    """Add the names of TCPs, and that of the schemes."""
    names = [
        f"{TCPS[preset]}{', paced' if paced else ''}"
        for preset, paced in table.select(PRESET, PACING).iter_rows()
    ]
    return _schemes(table).with_columns(tcp=pl.Series(names, dtype=pl.String))


def _timeouts(table: pl.DataFrame) -> pl.DataFrame:
    names = [f"T = {timeout}" for timeout in table.get_column(TIMEOUT)]
    return table.with_columns(timeout=pl.Series(names, dtype=pl.String))


def _first(table: pl.DataFrame) -> pl.DataFrame:
    return table.filter(pl.col("seed") == pl.col("seed").min())


def _lines(table: pl.DataFrame, x: str, y: str, by: str, **options: Any) -> Any:
    options = {"interval": "band", "titles": TITLES, "units": UNITS, **options}
    return figures.lines(table, x=x, y=y, by=by, **options)


# Over time.


def _over_time(
    rows: pl.DataFrame,
    value: str,
    by: str,
    title: str,
    *,
    width: float = figures.COLUMN,
    zero: bool = True,
) -> Any:
    """Draw samples as steps, one line per group."""
    groups = rows.get_column(by).unique(maintain_order=True).to_list()
    colour = alt.Scale(domain=groups, range=style.COLOURS[: len(groups)])
    chart = alt.Chart(rows.select("time", value, by)).mark_line(strokeWidth=1)
    return chart.encode(
        alt.X("time:Q", title="time (s)", scale=alt.Scale(nice=False, zero=False)),
        alt.Y(f"{value}:Q", title=title, scale=alt.Scale(zero=zero)),
        alt.Color(f"{by}:N", scale=colour).legend(**style.STROKES),
    ).properties(width=round((width - 0.7) * figures.POINTS), height=150)


def _throughputs(table: pl.DataFrame) -> pl.DataFrame:
    """Add the aggregate throughput in Mb/s to samples."""
    rates = [
        synchronization.aggregate_throughput([window], RTT) / 1e6
        for window in table.get_column("cwnd")
    ]
    return table.with_columns(
        throughput=pl.Series(rates, dtype=pl.Float64),
    ).sort("variant", "time")


def _throughput_over_time(
    span: tuple[float, float] | None, text: str
) -> Callable[[pl.DataFrame], Any]:
    """Draw figures 2, 3, 4 and 11: a line for 10, 15 and 25 flows."""

    def figure(table: pl.DataFrame) -> Any:
        drawn = [f"{flows} flows" for flows in DRAWN]
        rows = _throughputs(_first(table).filter(pl.col("variant").is_in(drawn)))
        if span is not None:
            rows = rows.filter(pl.col("time").is_between(*span))
        title = "aggregate throughput (Mb/s)"
        width = figures.COLUMN if span else figures.PAGE
        return said(_over_time(rows, "throughput", "variant", title, width=width), text)

    return figure


def fig6(table: pl.DataFrame) -> Any:
    """Draw the normalized window over the paper's time, or over the end of a shorter run."""
    rows = _timeouts(_first(table)).sort(TIMEOUT, "time")
    last = rows.get_column("time").max()
    assert isinstance(last, float)
    begun, ended = WINDOWS if last >= WINDOWS[1] else (last - (WINDOWS[1] - WINDOWS[0]), last)
    rows = rows.filter(pl.col("time").is_between(begun, ended))
    normalized = [
        synchronization.normalized_window(window, largest)
        for window, largest in rows.select("cwnd", "cwnd-max").iter_rows()
    ]
    rows = rows.with_columns(window=pl.Series(normalized, dtype=pl.Float64))
    chart = _over_time(rows, "window", "timeout", "normalized window", width=figures.PAGE)
    return said(chart, "closer to 1 with a longer timeout; with 5 ms rarer and deeper drops")


def _spans(rows: pl.DataFrame, begun: float, ended: float) -> Any:
    """Draw a pair's throughput in spans: the mean of each bin of time, smallest to largest."""
    rows = rows.filter(pl.col("time") > begun, pl.col("time") <= ended)
    width = (ended - begun) / BINS
    at = ((pl.col("time") - begun) / width).floor().clip(upper_bound=BINS - 1)
    binned = rows.group_by(time=begun + at * width, maintain_order=True).agg(
        low=pl.col("rate").min(), mean=pl.col("rate").mean(), high=pl.col("rate").max()
    )
    across = alt.X("time:Q", title="time (s)", scale=alt.Scale(nice=False, zero=False))
    base = alt.Chart(binned).encode(across)
    up = {name: alt.Y(f"{name}:Q", title="throughput (Mb/s)") for name in ("low", "mean")}
    area = base.mark_area(opacity=0.35, color=style.COLOURS[1])
    line = base.mark_line(strokeWidth=0.9, color="black").encode(up["mean"])
    chart = area.encode(up["low"], alt.Y2("high:Q")) + line
    return chart.properties(width=205, height=90)


def _of_a_pair(schemes: Sequence[str], text: str) -> Callable[[pl.DataFrame], Any]:
    """Draw figures 15 and 16: one row per scheme, the whole run and ten seconds of it."""

    def figure(table: pl.DataFrame) -> Any:
        rows = (
            _schemes(_first(table)).filter(pl.col("scheme").is_in(schemes)).sort("scheme", "time")
        )
        rows = rows.with_columns(rate=8e-6 * pl.col("bytes") / SPAN)
        charts = []
        for (name,), group in rows.group_by("scheme", maintain_order=True):
            found = synchronization.spans(group.get_column("bytes"), SPAN)
            title = f"{name}: mean {found.mean / 1e6:.3g}, deviation {found.std / 1e6:.3g} Mb/s"
            first, last = group.get_column("time").min(), group.get_column("time").max()
            assert isinstance(first, float)
            assert isinstance(last, float)
            parts = [_spans(group, first, last), _spans(group, last - DETAIL, last)]
            charts.append(beside(parts).properties(title=title))
        return said(alt.vconcat(*charts, spacing=10), text)

    return figure


# The flows in a burst.


def _classes(by: str, groups: Sequence[tuple[str, str]], text: str, where: pl.Expr) -> Any:
    """Draw figures 7, 9 and 10: the share of bursts with so many of the flows, one bar per group.

    `groups` are the values of the column `by` with their names.
    """

    def figure(table: pl.DataFrame) -> Any:
        rows = table.filter(where, pl.col(by).is_in([value for value, _ in groups]))
        names = dict(groups)
        rows = rows.with_columns(group=pl.col(by).replace_strict(names, return_dtype=pl.String))
        rows = rows.unpivot(CLASSES, index=["group", "seed"], variable_name="class")
        ends = [int(name.removeprefix("flows-")) for name in rows.get_column("class")]
        shares = [f"{end - 20}–{end} %" for end in ends]
        rows = rows.with_columns(share=pl.Series(shares), end=pl.Series(ends))
        shown = statistics.summarise(rows.sort("end"), "value", ["group", "share"])
        finite = pl.col("low").is_finite() & pl.col("high").is_finite()
        shown = shown.with_columns(
            pl.when(finite).then(pl.col(end)).alias(end) for end in ("low", "high")
        )
        order = [name for _, name in groups]
        across = alt.X("share:N", title="flows in a burst", sort=None).axis(
            labelAngle=0, labelOverlap=False
        )
        base = alt.Chart(shown).encode(across, alt.XOffset("group:N", sort=order))
        colour = alt.Scale(domain=order, range=style.COLOURS[1:][: len(order)])
        bars = base.mark_bar(stroke="black", strokeWidth=0.5).encode(
            alt.Y("value:Q", title="bursts (%)"), alt.Color("group:N", scale=colour)
        )
        rule = base.mark_rule(strokeWidth=0.9).encode(
            alt.Y("low:Q", title="bursts (%)"), alt.Y2("high:Q")
        )
        return said((bars + rule).properties(width=220, height=150), text)

    return figure


# Curves.


def fig5(table: pl.DataFrame) -> Any:
    """Draw the mean number of distinct flows in a burst under MF."""
    rows = _schemes(table).sort(FLOWS)
    return said(_lines(rows, FLOWS, "bursts.flows-mean", "scheme"), "grows")


def fig8(table: pl.DataFrame) -> Any:
    """Draw the CoV of the aggregate throughput, one curve per timeout."""
    rows = _timeouts(table).sort(TIMEOUT, LOSS)
    chart = _lines(rows, LOSS, "throughput-cov", "timeout", scales=("log", "linear"))
    return said(chart, "falls with the timeout, rises with p, close at 0.01")


def _by_flows(value: str, text: str) -> Callable[[pl.DataFrame], Any]:
    """Draw a measure against the number of flows, one curve per scheme."""

    def figure(table: pl.DataFrame) -> Any:
        return said(_lines(_schemes(table).sort(FLOWS), FLOWS, value, "scheme"), text)

    return figure


def fig14(table: pl.DataFrame) -> Any:
    """Draw both indices against the loss that was measured: how each point was made is its mark."""
    rows = _schemes(table).with_columns(made=pl.Series(_made(table), dtype=pl.String))
    point = ["scheme", "made", "variant", "topology.link.rate"]
    panels = []
    for value in INDICES.values():
        means = rows.group_by(point, maintain_order=True).agg(pl.col("burst-loss", value).mean())
        shown = means.filter(pl.col("burst-loss") > 0).rename({value: "index"})
        chart = alt.Chart(shown).mark_point(size=34, strokeWidth=1.1, filled=False)
        scale = alt.Scale(type="log", nice=False, padding=5)
        schemes = alt.Scale(domain=["MF", "SMQ"], range=style.COLOURS[1:3])
        panels.append(
            chart.encode(
                alt.X("burst-loss:Q", title="bursts lost (%)", scale=scale),
                alt.Y("index:Q", title=TITLES[value], scale=alt.Scale(zero=True)),
                alt.Color("scheme:N", scale=schemes).legend(columns=1),
                alt.Shape("made:N").legend(columns=1),
            ).properties(width=195, height=150)
        )
    return said(beside(panels), "triples from 0.5 % to 5 %")


def _made(table: pl.DataFrame) -> list[str]:
    """Return how the losses of each row were made."""
    return [MADE[grid.partition("-")[0]] for grid in table.get_column("grid")]


def fig14_random(table: pl.DataFrame) -> Any:
    """Draw both indices against the loss at random."""
    rows = _schemes(table).with_columns(pl.col(LOSS) * 100).sort(LOSS)
    options = {"scales": ("log", "linear"), "titles": {**TITLES, LOSS: "drop probability (%)"}}
    panels = [_lines(rows, LOSS, value, "scheme", **options) for value in INDICES.values()]
    return said(beside(panels), "triples from 0.5 % to 5 %")


def active(table: pl.DataFrame) -> Any:
    """Draw both indices against the arrivals, with active flows in proportion."""
    rows = _schemes(table).filter(pl.col("variant") != "")
    rates = [float(variant.partition(" ")[0]) for variant in rows.get_column("variant")]
    rows = rows.with_columns(rate=pl.Series(rates, dtype=pl.Float64)).sort("rate")
    panels = [_lines(rows, "rate", value, "scheme") for value in INDICES.values()]
    return said(beside(panels), "does not depend on the number of flows")


# Table 2, and numbers row by row.


def table2(table: pl.DataFrame) -> Any:
    """Draw the columns of Table 2, published as rings beside ours; a posteriori and WA below."""
    rows = _schemes(table)
    order = [*TABLE_2, *(f"{name} a posteriori" for name in TABLE_2[2:]), "WA-2", "WA-4", "WA-8"]
    charts = []
    for cell, value in {**CELLS, "index": BURST, "": SAMPLE}.items():
        if value not in rows.columns:
            continue
        wanted = {
            name: PUBLISHED.get(("sync.10", f"{name.partition(' ')[0]} {cell}")) for name in order
        }
        title = f"throughput, {cell}" if cell in CELLS else TITLES[value]
        charts.append(panel(title, _numbers(rows, "scheme", value, wanted), _unit(value)))
    return alt.concat(*charts, columns=2, spacing=12)


def _unit(value: str) -> str:
    return "Mb/s" if value.startswith("span-") else ""


def _numbers(
    rows: pl.DataFrame, by: str, value: str, published: dict[str, float | None]
) -> pl.DataFrame:
    """Return the mean of a measure for each name, beside what was published of it."""
    found = {key: group for (key,), group in rows.group_by(by)}
    shown = []
    for name, number in published.items():
        if name in found:
            ours = statistics.mean_interval(found[name].get_column(value).drop_nulls())
            ends = (ours.low, ours.high) if ours.n > 1 else (ours.mean, ours.mean)
            row = {"with": name, "ours": ours.mean, "low": ends[0], "high": ends[1]}
            shown.append({**row, "published": number})
    return pl.DataFrame(shown, schema_overrides={"published": pl.Float64})


# Beyond the paper.


def policies(table: pl.DataFrame) -> Any:
    """Draw mean, deviation and fairness against the number of flows for more schemes."""
    rows = _schemes(table).filter(pl.col("scheme").is_in(SHOWN))
    rank = {name: at for at, name in enumerate(SHOWN)}
    rows = rows.sort(pl.col("scheme").replace_strict(rank), FLOWS)
    values = ("throughput-mean", "throughput-std", "jain", SAMPLE)
    panels = [_lines(rows, FLOWS, value, "scheme") for value in values]
    return alt.concat(*panels, columns=2, spacing=14)


def cost(table: pl.DataFrame) -> Any:
    """Draw the utilization of the access link against the index, one cross per scheme."""
    rows = _schemes(table).with_columns(
        sent=pl.col("throughput-mean"), delivered=1e-6 * pl.col("goodput")
    )
    titles = {
        "sent": "Σ cwnd / RTT, of the access link (%)",
        "delivered": "delivered, of the access link (%)",
    }
    panels = []
    for flows in (15, 25):
        for value, title in titles.items():
            # The link carries 100 Mb/s, so Mb/s are percent of it.
            shown = _crosses(rows.filter(pl.col(FLOWS) == flows), SAMPLE, value)
            base = alt.Chart(shown).encode(
                alt.X("x:Q", title=TITLES[SAMPLE], scale=alt.Scale(zero=False, padding=12)),
                alt.Y("y:Q", title=title, scale=alt.Scale(zero=False, padding=12)),
            )
            bars = base.mark_rule(color="#bbb")
            points = base.mark_point(opacity=1).encode(
                alt.Color("kind:N", title=None, scale=alt.Scale(range=style.COLOURS)),
                alt.Shape("queues:N", title="queues"),
            )
            panels.append(
                alt.layer(
                    bars.encode(alt.Y("low:Q"), y2="high:Q"),
                    bars.encode(alt.X("left:Q"), x2="right:Q"),
                    points,
                ).properties(title=f"{flows} flows", width=195, height=150)
            )
    return alt.concat(*panels, columns=2, spacing=14)


def _crosses(rows: pl.DataFrame, x: str, y: str) -> pl.DataFrame:
    """Return the means of two measures for each scheme with the ends of their intervals."""
    shown = []
    for (name,), group in rows.group_by("scheme", maintain_order=True):
        across, up = (
            statistics.mean_interval(group.get_column(each).drop_nulls()) for each in (x, y)
        )
        ends = {"left": across.low, "right": across.high, "low": up.low, "high": up.high}
        kind, _, queues = name.partition("-")
        named = {"kind": kind, "queues": queues or {"MF": "1", "SMQ": "2"}.get(kind, "a flow")}
        shown.append({**named, "x": across.mean, "y": up.mean, **ends})
    return pl.DataFrame(shown)


def one_queue(table: pl.DataFrame) -> Any:
    """Draw figures 10, 12 and 13 where all flows share one queue and one link."""
    starts = pl.col("grid") == "one-queue-starts"
    rows = _schemes(table.filter(~starts)).sort(FLOWS)
    panels = [_lines(rows, FLOWS, each, "scheme") for each in ("throughput-mean", "throughput-std")]
    shares = _classes(START, STARTS[::2], "", pl.col(TIMEOUT) == "3 ms")
    charts = alt.concat(*panels, shares(table.filter(starts)), columns=2, spacing=14)
    return charts.resolve_scale(color="independent", shape="independent")


def tcp_fig3(table: pl.DataFrame) -> Any:
    """Draw figure 3 for other TCPs and 25 flows: one panel per recovery, paced and not."""
    rows = _throughputs(_first(table).filter(pl.col("variant") == f"{DRAWN[-1]} flows"))
    rows = _tcps(rows.filter(pl.col("time").is_between(*PLOTTED))).sort("tcp", "time")
    title = "aggregate throughput (Mb/s)"
    panels = [
        _over_time(group, "throughput", "tcp", title, width=2.8)
        for _, group in rows.group_by(PRESET, maintain_order=True)
    ]
    return alt.concat(*panels, columns=2, spacing=14).resolve_scale(color="independent")


def tcp_fig8(table: pl.DataFrame) -> Any:
    """Draw figure 8 for other TCPs, a panel each."""
    rows = _tcps(_timeouts(table)).sort("tcp", TIMEOUT, LOSS)
    panels = [
        _lines(group, LOSS, "throughput-cov", "timeout", scales=("log", "linear")).properties(
            title=name
        )
        for (name,), group in rows.group_by("tcp", maintain_order=True)
    ]
    return alt.concat(*panels, columns=2, spacing=14)


def tcp_fig13(table: pl.DataFrame) -> Any:
    """Draw figures 12 and 13 for other TCPs, a row each."""
    rows = _tcps(table).sort("tcp", FLOWS)
    panels = [
        _lines(group, FLOWS, value, "scheme").properties(title=name)
        for (name,), group in rows.group_by("tcp", maintain_order=True)
        for value in ("throughput-mean", "throughput-std")
    ]
    return alt.concat(*panels, columns=2, spacing=14)


def tcp_table2(table: pl.DataFrame) -> Any:
    """Draw mean, deviation and index of each scheme for other TCPs."""
    rows = _tcps(table)
    both = [f"{tcp}, {scheme}" for tcp, scheme in rows.select("tcp", "scheme").iter_rows()]
    rows = rows.with_columns(name=pl.Series(both, dtype=pl.String)).sort("tcp")
    names = dict.fromkeys(rows.get_column("name"))
    charts = [
        panel(title, _numbers(rows, "name", value, names), _unit(value))
        for title, value in (
            ("throughput, mean", "span-mean"),
            ("throughput, std", "span-std"),
            (TITLES[BURST], BURST),
            (TITLES[SAMPLE], SAMPLE),
        )
    ]
    return alt.concat(*charts, columns=2, spacing=12)


THREE_MS, GIVEN = pl.col(TIMEOUT) == "3 ms", pl.col(LOSS) == 0.001  # noqa: PLR2004
BY_TIMEOUT = [(timeout, f"T = {timeout}") for timeout in ("1 ms", "3 ms", "5 ms")]
STARTS = [("0 s", "together"), ("0.1 s", "within 0.1 s"), ("50 s", "within 50 s")]

FIGURES: dict[str, Callable[[pl.DataFrame], Any]] = {
    "fig2": _throughput_over_time(PLOTTED, "nearly flat"),
    "fig3": _throughput_over_time(PLOTTED, "a saw-tooth"),
    "fig4": _throughput_over_time(None, "sharper with more flows"),
    "fig5": fig5,
    "fig6": fig6,
    "fig7": _classes(TIMEOUT, BY_TIMEOUT, "80–100 %: 62 % for 3 ms, 55 % for 5 ms", GIVEN),
    "fig8": fig8,
    "fig9": _classes(TIMEOUT, BY_TIMEOUT, "100 % hold every flow", pl.col(START) == "0 s"),
    "fig10": _classes(START, STARTS, "80–100 %: 100 % together, 55 % within 50 s", THREE_MS),
    "fig11": _throughput_over_time(PLOTTED, "smoother peaks than MF"),
    "fig12": _by_flows("throughput-mean", "very similar, grows; PF worst with few flows"),
    "fig13": _by_flows("throughput-std", "MF much higher than PF, SMQ closer to PF"),
    "fig14": fig14,
    "fig14-random": fig14_random,
    "fig15": _of_a_pair(("MF", "SMQ"), "deviation 61.1 (MF) and 54 Mb/s (SMQ)"),
    "fig16": _of_a_pair(("DMQ-2", "DMQ-4"), "deviation 34 (DMQ-2) and 29 Mb/s (DMQ-4)"),
    "table2": table2,
    "active": active,
    "one-queue": one_queue,
    "policies": policies,
    "cost": cost,
    "tcp-fig3": tcp_fig3,
    "tcp-fig8": tcp_fig8,
    "tcp-fig13": tcp_fig13,
    "tcp-table2": tcp_table2,
}


def of_claims(claims: Sequence[Claim]) -> dict[str, Callable[[pl.DataFrame], Any]]:
    """Return the figures of what claims give under other assumptions."""
    return {name: sensitivity(claims, name) for name in ("assumptions-access", "assumptions-nsf")}
