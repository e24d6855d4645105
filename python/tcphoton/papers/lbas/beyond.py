"""Figures that the paper does not have: accounts, other TCPs, today's policies, faster links."""

from __future__ import annotations

import statistics
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton import figures
from tcphoton.analysis import theory
from tcphoton.common import quantities
from tcphoton.papers.charts import panel
from tcphoton.papers.lbas.drawing import (
    concat,
    interval,
    numbers,
    numbers_of,
    of_cells,
    published_at,
    rows_of,
    text_of,
)
from tcphoton.papers.lbas.measures import (
    ACCESS,
    ALL,
    CELL,
    DEGREES,
    FAST,
    GOODPUT,
    HOST_QUEUE,
    HOST_QUEUES,
    IDEAL,
    LOADS,
    POLICIES,
    PUBLISHED,
    RATES,
    REORDERED,
    REORDERED_3,
    VARIANT,
    WHOLE,
    cell,
    goodput_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tcphoton.analysis.statistics import Interval
    from tcphoton.figures.charts import Scale

DURATION, PRESET = "run.duration", "traffic.2.transport.preset"
RECOVERY = "traffic.2.transport.recovery"
LINE, SSTHRESH = 2.5e9, 65535
MSS, HEADER = 1460, 47
TCPS = {"newreno": "NewReno", "cubic": "CUBIC", "compound": "Compound"}
TRIED = 100
"""Points of a column that is named by an assumption."""
KEPT, GROWS = "U = 1 Gb/s", "U grows along"


def headers(access: float) -> float:
    """Return what headers leave of an access rate, in its unit.

    Examples
    --------
    >>> round(headers(10), 3)
    9.688
    """
    return access * MSS / (MSS + HEADER)


@cache
def alone(access: float, rtt: float) -> float:
    """Return the goodput in Mb/s of a single connection that never loses a packet.

    Parameters
    ----------
    access
        U in Mb/s; the paper's file for it is sent.
    rtt
        s.

    Examples
    --------
    >>> round(alone(10, 0.02), 2), round(alone(1000, 0.02), 1)
    (9.56, 251.8)
    """
    size = 1e6 * PUBLISHED["", f"file at {access:g} Mb/s"]
    rates = [1e6 * access, LINE, 1e6 * access]
    return 8e-6 * size / theory.lone_transfer(size, rates, rtt, ssthresh=SSTHRESH)


def account(table: pl.DataFrame) -> Any:
    """Draw what headers, the start and the hosts' queues leave of U, one panel per access rate."""
    ends = [1e-3 * PUBLISHED["", f"{end} RTT"] for end in ("longest", "shortest")]
    drawn = []
    for access, text in RATES.items():
        here = table.filter(pl.col(ACCESS) == text)
        low, middle, high = (alone(access, rtt) for rtt in (ends[0], sum(ends) / 2, ends[1]))
        lone = here.filter(pl.col(CELL).str.starts_with("U = "))
        left = headers(access)
        rows = [
            {"with": "headers", "ours": left, "low": left, "high": left},
            {"with": "and the start, 15 to 25 ms", "ours": middle, "low": low, "high": high},
        ]
        kinds: list[tuple[str, pl.DataFrame, float | None]] = [
            (f"TCP alone, {name}", lone.filter(pl.col(HOST_QUEUE) == queue), None)
            for name, queue in HOST_QUEUES.items()
        ]
        kinds += [
            (
                f"ideal-JSQ, {cell(degree, LOADS[0])}",
                rows_of(here, policy=IDEAL, cell=cell(degree, LOADS[0])),
                goodput_of(access, IDEAL, degree, LOADS[0]),
            )
            for degree in DEGREES
        ]
        for name, found, published in kinds:
            known = interval(found, GOODPUT)
            if known.n:
                rows.append({"with": name, "published": published, **_ends(known)})
        shown = pl.DataFrame(rows, schema_overrides={"published": pl.Float64})
        drawn.append(panel(f"U = {access} Mb/s", shown, "goodput (Mb/s)"))
    return concat(drawn)


def whole_file(table: pl.DataFrame) -> Any:
    """Draw the goodput at 60 s beside that of the whole file, in the cells that have both."""
    lengths = sorted(table.get_column(DURATION).unique(), key=quantities.number)
    first, last = f"at {lengths[0]}", "the whole file"
    rows = []
    for (access, name, policy), here in table.group_by(ACCESS, CELL, VARIANT, maintain_order=True):
        runs = {length: here.filter(pl.col(DURATION) == length) for length in lengths}
        if runs[lengths[-1]].is_empty() or runs[lengths[0]].is_empty():
            continue
        short, long = (interval(runs[length], GOODPUT) for length in (lengths[0], lengths[-1]))
        done = (runs[lengths[-1]].get_column(WHOLE) == 1).all()
        whole = text_of(long) if done else f"{text_of(long)} (after {lengths[-1]}, not yet whole)"
        where = f"{policy}, U = {_mbps(str(access)):g}, {name}"
        known = {
            first: text_of(short),
            last: whole,
            "published": _paper(*map(str, (access, policy, name))),
        }
        rows += [
            {"policy": where, "cell": what, "ours": text, "published": ""}
            for what, text in known.items()
        ]
    return numbers_of(rows, "goodput (Mb/s)", across=TRIED)


def _paper(access: str, policy: str, name: str) -> str:
    cells = {cell(degree, load): (degree, load) for degree in DEGREES for load in LOADS}
    return f"{goodput_of(round(_mbps(access)), policy, *cells[name]):g}"


def _mbps(access: str) -> float:
    return quantities.number(access) / 1e6


def tried(table: pl.DataFrame, key: str, ways: Mapping[str, str]) -> Any:
    """Draw the goodput under each of some assumptions: a table of numbers a cell and access rate.

    Parameters
    ----------
    table
        The runs.
    key
        The column that says which assumption a run has. What lacks it is left out, as the switch of
        ideal-JSQ lacks a scheduler.
    ways
        The assumptions, by their names, and what the column has of each.
    """
    drawn = []
    cells = [cell(*each) for each in ALL] if key != CELL else [""]
    for access, text in RATES.items():
        for name in cells:
            here = table.filter(pl.col(ACCESS) == text, *([pl.col(CELL) == name] if name else []))
            found = {
                (policy, way): known
                for policy in POLICIES
                for way, value in ways.items()
                if (
                    known := interval(
                        here.filter(pl.col(VARIANT) == policy, pl.col(key) == value), GOODPUT
                    )
                ).n
            }
            if found:
                at = name or cell(DEGREES[0], LOADS[1])
                drawn.append(numbers(found, f"U = {access}, {at}: goodput (Mb/s)", across=TRIED))
    return concat(drawn, 1)


def host_queue(table: pl.DataFrame) -> Any:
    """Draw the goodput with either queue at the hosts, and what 100 frames cost of it."""
    drawn = []
    for access, text in RATES.items():
        here = table.filter(pl.col(ACCESS) == text)
        for name, queue in HOST_QUEUES.items():
            runs = here.filter(pl.col(HOST_QUEUE) == queue)
            found = of_cells(runs, partial(interval, value=GOODPUT))
            if found:
                title = f"U = {access}, {name} at the host: goodput (Mb/s); in italics: published"
                drawn.append(numbers(found, title, published_at(access)))
    return concat(drawn, 1)


def transports(table: pl.DataFrame) -> Any:
    """Draw the goodput of NewReno, CUBIC and Compound TCP: a table for each U, all in one cell.

    The last column has what the others have of NewReno's, as the geometric mean over the cells.
    """
    drawn = []
    for access, text in RATES.items():
        here = table.filter(pl.col(ACCESS) == text)
        found = {
            preset: of_cells(
                here.filter(pl.col(PRESET) == preset), partial(interval, value=GOODPUT)
            )
            for preset in TCPS
        }
        rows = [
            {
                "policy": policy,
                "cell": name,
                "ours": " / ".join(
                    f"{known[policy, name].mean:.3g}" if (policy, name) in known else "–"
                    for known in found.values()
                ),
            }
            for policy, name in found["newreno"]
        ]
        of_newreno = "of NewReno's"
        for policy in dict.fromkeys(policy for policy, _ in found["newreno"]):
            shares = [_share(found[preset], found["newreno"], policy) for preset in list(TCPS)[1:]]
            shown = " / ".join("–" if each is None else f"{each:.2f}" for each in shares)
            rows.append({"policy": policy, "cell": of_newreno, "ours": shown})
        if rows:
            title = f"U = {access}: goodput (Mb/s) of {' / '.join(TCPS.values())}"
            drawn.append(numbers_of(rows, title))
    return concat(drawn, 1)


def _share(
    one: Mapping[tuple[str, str], Interval], other: Mapping[tuple[str, str], Interval], policy: str
) -> float | None:
    """Return the geometric mean of a ratio over the cells that both have of a policy."""
    both = [
        one[key].mean / other[key].mean
        for key in other
        if key[0] == policy and key in one and one[key].mean > 0 < other[key].mean
    ]
    return statistics.geometric_mean(both) if both else None


def today(table: pl.DataFrame) -> Any:
    """Draw goodput and late packets of ECMP and flowlets beside the paper's policies."""
    drawn = []
    for value, title in ((GOODPUT, "goodput (Mb/s)"), (REORDERED, "late packets (%)")):
        for access, text in RATES.items():
            here = table.filter(pl.col(ACCESS) == text)
            found = of_cells(here, partial(interval, value=value))
            if found:
                drawn.append(numbers(found, f"U = {access}: {title}"))
    return concat(drawn, 1)


def rack(table: pl.DataFrame) -> Any:
    """Draw the goodput where losses are found by time beside NewReno's, of the same seeds."""
    known = table.with_columns(pl.col(RECOVERY).fill_null("newreno"))
    at = [ACCESS, CELL, "seed"]
    found = known.filter(pl.col(RECOVERY) == "rack").select(at).unique()
    both = known.join(found, on=at, how="semi")
    return tried(both, RECOVERY, {"NewReno": "newreno", "RACK": "rack"})


def rates(table: pl.DataFrame) -> Any:
    """Draw late packets, fast retransmits and goodput of TCP against the rate of the lightpaths."""
    names = [str(name) for name in table[CELL]]
    rows = table.with_columns(
        rate=pl.Series([quantities.number(name.split(",")[0]) / 1e9 for name in names]),
        access=pl.Series([GROWS if "grows" in name else KEPT for name in names]),
    )
    # The slowest lightpaths are where both begin.
    first = rows.filter(pl.col("rate") == rows["rate"].min())
    rows = pl.concat([rows, first.with_columns(access=pl.lit(GROWS))])
    rows = rows.with_columns(curve=pl.format("{}, {}", VARIANT, "access")).sort("access", "rate")
    drawn = []
    shown: tuple[tuple[str, str, Scale], ...] = (
        (REORDERED, "late packets (%)", "symlog"),
        (REORDERED_3, "late by 3 or more (%)", "symlog"),
        (FAST, "fast retransmits for 500 MB", "symlog"),
        (GOODPUT, "goodput (Mb/s)", "linear"),
    )
    for value, title, scale in shown:
        if value not in rows.columns or rows.get_column(value).null_count() == rows.height:
            continue
        chart = figures.lines(
            rows, "rate", value, "curve", scales=("log", scale), height=1.7,
            titles={"rate": "rate of a lightpath (Gb/s)", value: title},
        )  # fmt: skip
        drawn.append(chart)
    return concat(drawn)


def _ends(known: Interval) -> dict[str, float]:
    ends = [known.mean if abs(end) == float("inf") else end for end in (known.low, known.high)]
    return {"ours": known.mean, "low": ends[0], "high": ends[1]}
