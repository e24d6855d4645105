"""What the paper measures, from the tables of its runs.

In the access network all flows are one class, and its *throughput* is the sum of their congestion
windows over the round trip (equation (4) of the paper), sampled every 0.7 s. In the NSF network it
is what the bursts of a pair of edge routers bring to the first core router, in spans of 3 ms; a
value is the mean over all pairs. The *index* is equation (1) over samples of 0.7 s; the one per
lost burst is the engine's (``bursts.synchronization-index``).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from tcphoton.analysis import synchronization
from tcphoton.papers.published import published

if TYPE_CHECKING:
    from collections.abc import Mapping

POLICY, QUEUES, ALLOCATION = "assembly.policy", "assembly.queues", "assembly.allocation"
TIMEOUT, LOSS = "assembly.timeout", "assembly.loss"
FLOWS, START = "flows", "traffic.0.start.to"
PUBLISHED = published("sync")

RTT = 0.4
"""Seconds that light takes from the sources to the sinks and back in the access network.

Runs of variants with another round trip are divided by it all the same: of them only quotients are
looked at, which do not depend on it."""
SPAN = 3e-3
"""Seconds of a span in which Table 2 counts bytes."""
FEWEST = 2
"""Spans that have a deviation."""
MOST = 0.8
"""The share of the flows from which figure 7's highest class begins, by its label."""
WEST = ("edge-WA", "edge-CA1", "edge-CA2", "edge-UT", "edge-CO")
"""Edge routers of the NSF network on one side; the others are on the other side."""
MINUTE = 60.0
SAMPLE, BURST = "index", "bursts.synchronization-index"
INDICES = {"samples of 0.7 s": SAMPLE, "a lost burst": BURST}
"""The index by what a sample is; the paper does not say it for the NSF network."""
TOP = "flows-100"
"""Percent of bursts that hold more than 80 % of the flows."""
PLAIN = {"PF": "per-flow", "MF": "mixed-flow", "SMQ": "static-queues"}
"""Policies of the schemes that have one number of queues."""
LOST = ("lost-random", "lost-ingress", "lost-contention", "lost-control", "lost-late", "lost-down")

Found = dict[str, float | None]


class Scheme(NamedTuple):
    """An assembly scheme: its name in the paper, and what its rows have in some columns."""

    name: str
    at: dict[str, Any]


def scheme(name: str) -> Scheme:
    """Return a scheme by its name.

    Examples
    --------
    >>> scheme("SMQ").at
    {'assembly.policy': 'static-queues'}
    >>> scheme("DMQ-4").at[QUEUES]
    4
    """
    if name in PLAIN:
        return Scheme(name, {POLICY: PLAIN[name]})
    kind, _, rest = name.partition("-")
    queues, _, posteriori = rest.partition(" ")
    if kind == "WA":
        return Scheme(name, {POLICY: "window-aware", QUEUES: int(queues)})
    allocation = "a-posteriori" if posteriori else "proactive"
    return Scheme(name, {POLICY: "dynamic-queues", QUEUES: int(queues), ALLOCATION: allocation})


def name_of(row: Mapping[str, Any]) -> str:
    """Return the name of the scheme of a row; MF where it names none.

    Examples
    --------
    >>> name_of({POLICY: "dynamic-queues", QUEUES: 4, ALLOCATION: "a-posteriori"})
    'DMQ-4 a posteriori'
    >>> name_of({})
    'MF'
    """
    policy = row.get(POLICY) or "mixed-flow"
    if policy in PLAIN.values():
        return next(name for name, plain in PLAIN.items() if plain == policy)
    if policy == "window-aware":
        return f"WA-{row[QUEUES]}"
    posteriori = " a posteriori" if row.get(ALLOCATION) == "a-posteriori" else ""
    return f"DMQ-{row[QUEUES]}{posteriori}"


def derive(record: Mapping[str, Any], tables: Mapping[str, pl.DataFrame]) -> Found:
    """Return further measures of a run, out of its record and of the tables that were kept.

    ``index`` by samples of 0.7 s; ``active-flows``; ``loss-interval`` (s from a lost burst with
    data to the next, of a pair); ``burst-loss`` (percent). Of the access network also
    ``throughput-mean`` and ``throughput-std`` (Mb/s), ``throughput-cov`` (percent), ``fall``
    (Mb/s) and ``fall-share`` (percent of the mean), ``window-mean`` and ``window-fall``
    (normalized), ``flows-a-burst``, and ``flows-20`` to ``flows-100``, ``flows-from-80`` (80 % or
    more) and ``flows-all`` (percent of bursts). Of the NSF network ``span-mean``, ``span-std``,
    ``span-min`` and ``span-max``, and of the pair whose spans are listed ``busy-mean`` to
    ``busy-max``, the same over its spans with bytes (Mb/s). Those of pairs on one side of the
    country are ``near-span-mean`` and so on, of the other pairs ``far-span-mean``; ``near-index``
    and ``far-index`` are their indices per lost burst. ``active-share`` is the share of the flows
    of a minute, with those that end within it, that are active at a time.
    """
    found = _of_bursts(record)
    if "synchronization" in tables:
        found |= _of_samples(record, tables["synchronization"])
    if "burst-flows" in tables:
        found |= _of_flows(record, tables["burst-flows"])
    if "fecs" in tables:
        found |= _of_classes(tables["fecs"])
    if "spans" in tables:
        found |= _of_spans(record, tables["spans"])
    return {name: _finite(value) for name, value in found.items()}


def _of_bursts(record: Mapping[str, Any]) -> Found:
    bursts = record["bursts"]
    lost = sum(bursts.get(cause, 0) for cause in LOST)
    return {"burst-loss": 100 * lost / bursts["released"] if bursts["released"] else None}


def _of_samples(record: Mapping[str, Any], samples: pl.DataFrame) -> Found:
    begun = record["simulated"] - record["measured"]
    samples = samples.filter(pl.col("time") > begun)
    if samples.is_empty():
        return {}
    times = samples.get_column("time").n_unique()
    pairs = samples.select("ingress", "egress").n_unique()
    lost = sum(samples.get_column("bursts-lost"))
    found: Found = {
        SAMPLE: synchronization.index(samples["flows-lost"], samples["flows"]),
        "active-flows": sum(samples.get_column("flows")) / times,
        "loss-interval": record["measured"] * pairs / lost if lost else None,
    }
    if pairs == 1:
        return found | _of_windows(samples)
    done = MINUTE * record["traffic"][0]["completed"] / record["measured"]
    active = found["active-flows"] or 0
    return found | {"active-share": active / (active + done) if active else None}


def _of_windows(samples: pl.DataFrame) -> Found:
    windows = samples.get_column("cwnd").to_list()
    rates = [synchronization.aggregate_throughput([each], RTT) / 1e6 for each in windows]
    normalized = [
        synchronization.normalized_window(window, largest)
        for window, largest in samples.select("cwnd", "cwnd-max").iter_rows()
    ]
    lost = samples.get_column("flows-lost").to_list()
    mean = math.fsum(rates) / len(rates)
    cov = synchronization.coefficient_of_variation(rates)
    falls = synchronization.fall(rates, lost)
    return {
        "throughput-mean": mean,
        "throughput-std": cov * mean,
        "throughput-cov": 100 * cov,
        "fall": falls,
        "fall-share": 100 * falls / mean if mean else None,
        "window-mean": math.fsum(normalized) / len(normalized),
        "window-fall": synchronization.fall(normalized, lost),
    }


def _of_flows(record: Mapping[str, Any], table: pl.DataFrame) -> Found:
    table = table.filter(pl.col("flows") > 0)
    if table.is_empty() or table.select("ingress", "egress").n_unique() > 1:
        return {}
    of = record["traffic"][0]["flows"]
    flows, bursts = (table.get_column(name).to_list() for name in ("flows", "bursts"))
    shares = synchronization.classes(flows, bursts, of)
    full, most = (
        sum(count for some, count in zip(flows, bursts, strict=True) if some >= share * of)
        for share in (1, MOST)
    )
    ends = range(100 // len(shares), 101, 100 // len(shares))
    return {
        "flows-a-burst": synchronization.mean_flows(flows, bursts),
        **{f"flows-{end}": 100 * share for end, share in zip(ends, shares, strict=True)},
        "flows-from-80": 100 * most / sum(bursts),
        "flows-all": 100 * full / sum(bursts),
    }


def _of_classes(table: pl.DataFrame) -> Found:
    """Return the means over all pairs of edge routers, and over those near and far."""
    west = [pl.col(end).is_in(WEST) for end in ("ingress", "egress")]
    found = _of_pairs(table)
    for name, which in (("near", west[0] == west[1]), ("far", west[0] != west[1])):
        pairs = table.filter(which)
        if pairs.is_empty() or pairs.height == table.height:
            continue
        found |= {f"{name}-{each}": value for each, value in _of_pairs(pairs).items()}
        if {"lost-flows", "lost-active"} <= set(pairs.columns):
            lost, active = (
                math.fsum(pairs.get_column(f"lost-{each}")) for each in ("flows", "active")
            )
            found[f"{name}-index"] = lost / active if active else None
    return found


def _of_pairs(table: pl.DataFrame) -> Found:
    names = [name for name in ("mean", "std", "min", "max") if f"span-{name}" in table.columns]
    columns = {f"span-{name}": table.get_column(f"span-{name}").drop_nulls() for name in names}
    return {
        name: math.fsum(values) / len(values) / 1e6
        for name, values in columns.items()
        if len(values)
    }


def _of_spans(record: Mapping[str, Any], spans: pl.DataFrame) -> Found:
    """Return the statistics of the spans in which a burst of the listed pair ended."""
    begun = record["simulated"] - record["measured"]
    spans = spans.filter(pl.col("time") >= begun, pl.col("bytes") > 0)
    if spans.height < FEWEST or spans.select("ingress", "egress").n_unique() > 1:
        return {}
    rates = spans.get_column("bytes") * 8 / (1e6 * SPAN)
    return {f"busy-{name}": float(getattr(rates, name)()) for name in ("mean", "std", "min", "max")}


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
