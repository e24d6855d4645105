"""The figures of the paper, from the tables of its artefacts.

The paper prints tables, so a figure has its numbers as a table, ours with half of the 95 % interval
and the published one below in italics, and as dots with the published ones as rings.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from tcphoton import figures
from tcphoton.analysis.statistics import paired_interval
from tcphoton.common import quantities
from tcphoton.papers.charts import said, sensitivity
from tcphoton.papers.lbas.beyond import (
    DURATION,
    account,
    host_queue,
    rack,
    rates,
    today,
    transports,
    tried,
    whole_file,
)
from tcphoton.papers.lbas.drawing import (
    concat,
    interval,
    numbers,
    numbers_of,
    of_cells,
    panels,
    published_at,
    rows_of,
    text_of,
)
from tcphoton.papers.lbas.inet import inet
from tcphoton.papers.lbas.measures import (
    ACCESS,
    ALL,
    BUNDLE_QUEUE,
    BUNDLE_WAIT,
    CELL,
    DEGREES,
    EXTENT,
    FAST,
    GOODPUT,
    IDEAL,
    JSVOQ,
    NOT,
    POLICIES,
    PUBLISHED,
    RANDOM,
    RATES,
    REORDERED,
    REORDERED_3,
    RR,
    SIZE,
    SPURIOUS,
    TRIED,
    VARIANT,
    VOQ_LARGEST,
    VOQ_MEAN,
    VOQ_P99,
    WHOLE,
    cell,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tcphoton.analysis.statistics import Interval
    from tcphoton.papers.ledger import Claim

SEEN = (-100.0, 500.0)
"""Percent between which intervals are drawn: those of two seeds may be almost unbounded."""
SEEN_SHARE = 0.01
"""Percent of packets below which displacements are left out of a figure: few packets of a run."""
COLUMNS = {cell(*each): each for each in ALL}


# Tables I to III.


def _files(table: pl.DataFrame, access: int) -> str:
    """Say with which files a table was made, where they are not the paper's."""
    sizes = table.get_column(SIZE).unique().to_list()
    paper = PUBLISHED["", f"file at {access} Mb/s"]
    ours = sorted({quantities.number(size) / 1e6 for size in sizes})
    if ours == [paper]:
        return f"files of {paper:g} MB"
    return f"files of {', '.join(f'{size:g}' for size in ours)} MB, the paper's have {paper:g} MB"


def _goodputs(access: int) -> Callable[[pl.DataFrame], Any]:
    def figure(table: pl.DataFrame) -> Any:
        found = of_cells(table, partial(interval, value=GOODPUT))
        title = f"goodput (Mb/s), U = {access} Mb/s, {_files(table, access)}; in italics: published"
        # Runs that ended before a sink had its file.
        cut = table.filter(pl.col(WHOLE) == 0)
        if not cut.is_empty():
            title += f"; †: some runs cut off at {' or '.join(cut[DURATION].unique().sort())}"
        marked = set(cut.select(VARIANT, CELL).iter_rows())
        dots = panels(found, "goodput (Mb/s)", published_at(access))
        above = numbers(found, title, published_at(access), marked=marked)
        return alt.vconcat(above, concat(dots), spacing=14)

    return figure


# The core.


def _ratio(table: pl.DataFrame, value: str, policy: str, name: str, access: int) -> Interval:
    """Return how many times smaller a measure is than without LB+AS, over the seeds of both."""
    both = [
        rows_of(table, policy=each, cell=name, access=access).drop_nulls(value)
        for each in (NOT, policy)
    ]
    joined = both[0].join(both[1], on="seed", suffix=".with")
    return paired_interval(joined[value], joined[f"{value}.with"], ratio=True)


def queues(table: pl.DataFrame) -> Any:
    """Draw waits and lengths at the bundle, and how many times less they are than without LB+AS."""
    drawn = []
    for access in _accesses(table):
        here = rows_of(table, access=access)
        for value, unit in ((BUNDLE_WAIT, "ms"), (BUNDLE_QUEUE, "packets")):
            than = "in italics: than Not LB+AS"
            what = "queuing time" if value == BUNDLE_WAIT else "queue length"
            found = of_cells(here, partial(interval, value=value), POLICIES)
            below = {key: _ratio(table, value, *key, access) for key in found if key[0] != NOT}
            rows = [
                {
                    "policy": policy,
                    "cell": name,
                    "ours": text_of(known),
                    "published": f"{below[policy, name].mean:.3g} times less"
                    if (policy, name) in below
                    else "",
                }
                for (policy, name), known in found.items()
            ]
            drawn.append(numbers_of(rows, f"U = {access}: mean {what} of a port ({unit}); {than}"))
    text = "10 ms to 0.1 … 10 ms at 50 %, 30 ms to 2.5 … 10 ms at 80 %, one to two orders less"
    return said(concat(drawn, 1), text)


def _accesses(table: pl.DataFrame) -> list[int]:
    known = set(table.get_column(ACCESS))
    return [access for access, text in RATES.items() if text in known]


def _in_numbers(
    measures: Iterable[tuple[str, str]], policies: Iterable[str]
) -> Callable[[pl.DataFrame], Any]:
    """Draw a table of numbers a measure and access rate."""
    measures, policies = list(measures), list(policies)

    def figure(table: pl.DataFrame) -> Any:
        drawn = []
        for value, title in measures:
            for access in _accesses(table):
                here = rows_of(table, access=access)
                found = of_cells(here, partial(interval, value=value), policies)
                if found:
                    drawn.append(numbers(found, f"U = {access}: {title}"))
        return concat(drawn, 1)

    return figure


def random(table: pl.DataFrame) -> Any:
    """Draw the goodput of Random beside RR and JSVOQ."""
    drawn = []
    for access in _accesses(table):
        here = rows_of(table, access=access)
        found = of_cells(here, partial(interval, value=GOODPUT), (RR, JSVOQ, RANDOM))
        drawn.append(numbers(found, f"U = {access}: goodput (Mb/s)", published_at(access)))
        drawn.append(concat(panels(found, "goodput (Mb/s)")))
    return said(alt.vconcat(*drawn, spacing=12), "Random is worse than RR and JSVOQ")


# The order of packets.


def density(table: pl.DataFrame) -> Any:
    """Draw the reorder density of TCP: the share of packets by how far they were displaced.

    Displacements of fewer than one packet in ten thousand are left out, and the middle b_D: the
    table has all.
    """
    drawn = []
    last = table.get_column("traffic").max()
    table = table.filter(pl.col("traffic") == last)
    for access in _accesses(table):
        for name, (degree, _) in COLUMNS.items():
            if degree not in {DEGREES[0], DEGREES[-1]}:
                continue
            here = rows_of(table, access=access, cell=name)
            if here.is_empty():
                continue
            # Colours and dashes go by the order of appearance.
            policy = pl.col(VARIANT).replace_strict({each: n for n, each in enumerate(POLICIES)})
            here = here.sort(policy, "displacement").with_columns(
                displacement=pl.col("displacement").cast(pl.Float64),
                share=100 * pl.col("share"),
            )
            here = here.filter(pl.col("share").mean().over(VARIANT, "displacement") >= SEEN_SHARE)
            chart = figures.lines(
                here,
                "displacement",
                "share",
                VARIANT,
                scales=("linear", "log"),
                titles={"displacement": "displacement (packets)", "share": "packets"},
                units={"share": "%"},
                height=1.3,
            )
            drawn.append(chart.properties(title=f"U = {access}, {name}"))
    return concat(drawn)


# What the paper leaves open.


def _tried(claims: Sequence[Claim], artefact: str) -> Callable[[pl.DataFrame], Any]:
    """Draw the goodput under other assumptions, and what the claims' rules find there."""
    judged = sensitivity(claims, artefact, bands=True, seen=SEEN)
    ways = TRIED[artefact]
    ((key, _),) = {(key, "") for key, _ in ways.values()}

    def figure(table: pl.DataFrame) -> Any:
        if artefact == "host-queue":
            shown = host_queue(table)
        else:
            shown = tried(table, key, {name: value for name, (_, value) in ways.items()})
        return alt.vconcat(shown, judged(table), spacing=14)

    return figure


ORDER = (
    (REORDERED, "packets that came late (RFC 4737), %"),
    (REORDERED_3, "packets that came late by 3 or more, %"),
    (EXTENT, "mean extent of a late packet (packets)"),
    (FAST, "fast retransmits for 500 MB"),
    (SPURIOUS, "spurious ones of these"),
)
VOQS = (
    (VOQ_MEAN, "mean content of the VOQ that a packet joins (B)"),
    (VOQ_P99, "content of a VOQ with the packet, 99 % (B), the line card with most"),
    (VOQ_LARGEST, "content of a VOQ with the packet, the most (B)"),
)

FIGURES: dict[str, Callable[[pl.DataFrame], Any]] = {
    "table1": _goodputs(10),
    "table2": _goodputs(100),
    "table3": _goodputs(1000),
    "account": account,
    "queues": queues,
    "random": random,
    "voqs": _in_numbers(VOQS, [each for each in POLICIES if each != IDEAL]),
    "reordering": _in_numbers(ORDER, POLICIES),
    "density": density,
    "whole-file": whole_file,
    "inet": inet,
    "transports": transports,
    "today": today,
    "rack": rack,
    "rates": rates,
}


def of_claims(claims: Sequence[Claim]) -> dict[str, Callable[[pl.DataFrame], Any]]:
    """Return the figures of what claims give under other assumptions."""
    return {artefact: _tried(claims, artefact) for artefact in TRIED}
