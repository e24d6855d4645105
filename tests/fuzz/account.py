"""What must hold of the tables of every run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from fuzz.desk import Desk
    from tcphoton import _core

__all__ = ["Tables", "audit", "tables_of"]

Values = NDArray[Any]
Tables = dict[str, dict[str, Values]]
SHARES = {
    "traffic": ("loss", "jain", "reorder-ratio", "reorder-3"),
    "links": ("utilization",),
    "channels": ("utilization",),
    "reordering": ("share",),
}
"""Columns from nothing to the whole."""
ORDERED = {
    "traffic": (
        ("delay-p50", "delay-p90"),
        ("delay-p90", "delay-p99"),
        ("completion-p50", "completion-p99"),
        ("completed", "flows"),
        ("files-complete", "flows"),
        ("spurious-fast-retransmits", "fast-retransmits"),
        ("reorder-3", "reorder-ratio"),
        ("reorder-extent-mean", "reorder-extent-max"),
    ),
    "flows": (
        ("start", "end"),
        ("delivered", "size"),
        ("spurious-fast-retransmits", "fast-retransmits"),
    ),
    "links": (("wait-mean", "wait-max"),),
    "fecs": (("span-min", "span-mean"), ("span-mean", "span-max"), ("lost-flows", "lost-active")),
    "switches": (("wait-mean", "wait-max"), ("buffer-mean", "buffer-max")),
}
"""Columns of which one is at most the other, where the run has no warm-up."""
SUMS = {
    "traffic": ((("packets-sent",), ("packets-delivered", "packets-lost", "packets-inside")),),
    "flows": ((("packets-sent",), ("packets-delivered", "packets-lost", "packets-inside")),),
    "links": ((("packets-before", "packets-in"), ("packets-out", "packets-inside", "dropped-")),),
    "fecs": ((("bursts",), ("delivered", "inside", "lost-")),),
}
"""Columns whose sum is that of others, in every run: the account of the measured time closes.

A name that ends in a hyphen stands for all columns that begin with it.
"""
BESIDE = {"lost-flows", "lost-active", "lost-random-surplus", "lost-deflected-surplus"}
"""Columns of a table of classes that count no bursts."""
PARTS_OF = {
    "flows": (
        ("acks-sent", ("acks-lost",)),
        ("throughput", ("goodput",)),
    ),
    "links": (
        ("packets-in", ("packets-out", "dropped-")),
        ("bytes-in", ("bytes-out",)),
    ),
    "fecs": (("bursts", ("delivered", "lost-random", "lost-ingress", "lost-contention")),
        ("bursts", ("by-size", "by-timer")),
        ("bytes-released", ("bytes-delivered",)),
    ),
    "switches": (("packets-in", ("packets-through", "packets-buffered", "lost-ports")),),
    "line-cards": (("packets-in", ("packets-out", "lost-full")),),
    "traffic": (("delay-mean", ("delay-wire-mean",)),),
}  # fmt: skip
"""Columns with others that are parts of them, where the run has no warm-up.

A name that ends in a hyphen stands for all columns that begin with it.
"""
UNLIMITED = {"synchronization.cwnd-max"}
"""Columns without a number where a scenario sets no limit."""
SURPLUS = "-surplus"
"""The end of the names of columns of expectation 0."""
SIGNED = {"reordering.displacement", "fecs.deflection-cost-mean"}
"""Columns that may be below zero: a way that is deflected can be the quicker one."""
LEAST = -1e-9
"""Below zero by no more than rounding."""
LEAST_ONE = ("flows", "slowdown")
"""The column of numbers that are one or more: nothing is faster than in an idle network."""


def tables_of(outcome: _core.Outcome) -> Tables:
    """Return the columns of a run's tables; text as numbers of its levels stays out."""
    return {
        table.name: {
            column.name: np.frombuffer(column.data, dtype=column.dtype)
            for column in table.columns
            if column.levels is None
        }
        for table in outcome.tables
    }


def texts_of(outcome: _core.Outcome, table: str, column: str) -> list[str]:
    """Return a column of text."""
    found = next(each for each in outcome.tables if each.name == table)
    values = next(each for each in found.columns if each.name == column)
    levels = values.levels or []
    return [levels[at] for at in np.frombuffer(values.data, dtype=values.dtype)]


def audit(outcome: _core.Outcome, desk: Desk) -> None:
    """Hold a run's tables to what must hold of every run."""
    record = json.loads(outcome.json)
    tables = tables_of(outcome)
    for name, columns in tables.items():
        for column, values in columns.items():
            if values.dtype.kind == "f" and name != "series":
                _plain(f"{name}.{column}", values, record, desk)
    for name, shares in SHARES.items():
        for column in shares:
            if column == "utilization" and _is_ideal(record):
                continue
            _within(f"{name}.{column}", tables.get(name, {}).get(column), desk)
    for name, pairs in ORDERED.items():
        for pair in pairs:
            _at_most(name, *pair, tables.get(name, {}), desk)
    table, column = LEAST_ONE
    if (tables[table][column] < 1 + LEAST).any():
        desk.found("a flow faster than in an idle network", np.nanmin(tables[table][column]))
    _sums(tables, record, desk)
    _counts(tables, desk)
    _rates(outcome, tables, record, desk)
    if record["simulated"] < record["measured"]:
        desk.found("more is measured than simulated", record["measured"])


def _plain(name: str, values: Values, record: dict[str, Any], desk: Desk) -> None:
    """Hold a column to numbers: none that is infinite where time was measured, none below zero."""
    if record["measured"] > 0 and np.isinf(values).any() and name not in UNLIMITED:
        desk.found("an infinite number", name)
    is_signed = name in SIGNED or name.endswith(SURPLUS)
    if (values < LEAST).any() and not is_signed:
        desk.found("a number below zero", f"{name}: {np.nanmin(values)}")


def _is_ideal(record: dict[str, Any]) -> bool:
    """Tell whether any number of packets may be on a link at once."""
    kinds = [entry["value"] for entry in record["parameters"] if entry["key"] == "core.kind"]
    return kinds == ["ideal"]


def _within(name: str, values: Values | None, desk: Desk) -> None:
    # Nothing divided by no time is no number, and the report says so.
    if values is not None and (np.isfinite(values) & (values > 1 + 1e-9)).any():
        desk.found("a share above one", f"{name}: {np.nanmax(values)}")


def _at_most(table: str, low: str, high: str, columns: dict[str, Values], desk: Desk) -> None:
    if low not in columns or high not in columns:
        return
    less, more = columns[low].astype(float), columns[high].astype(float)
    wrong = less > more * (1 + 1e-9) + 1e-15
    if wrong.any():
        at = int(np.argmax(wrong))
        desk.found(
            "two columns in the wrong order", f"{table}: {low} {less[at]}, {high} {more[at]}"
        )


def _holds(
    table: str, whole: str, parts: tuple[str, ...], columns: dict[str, Values], desk: Desk
) -> None:
    """Hold the sum of some columns to another one."""
    if whole not in columns:
        return
    names = [
        name
        for name in columns
        if name in parts or any(part.endswith("-") and name.startswith(part) for part in parts)
    ]
    total = sum((columns[name].astype(float) for name in names), np.zeros(1))
    more = columns[whole].astype(float)
    wrong = np.isfinite(total) & np.isfinite(more) & (total > more * (1 + 1e-9) + 1e-12)
    if wrong.any():
        at = int(np.argmax(wrong))
        told = f"{table}: {' + '.join(names)} {total[at]}, {whole} {more[at]}"
        desk.found("parts are more than the whole", told)


def _sums(tables: Tables, record: dict[str, Any], desk: Desk) -> None:
    """Hold columns to others that are their parts."""
    for name, sums in SUMS.items():
        for both in sums:
            _equal(name, *both, tables.get(name, {}), desk)
    if record["simulated"] == record["measured"]:
        for name, wholes in PARTS_OF.items():
            for whole, parts in wholes:
                _holds(name, whole, parts, tables.get(name, {}), desk)


def _equal(
    table: str,
    one: tuple[str, ...],
    other: tuple[str, ...],
    columns: dict[str, Values],
    desk: Desk,
) -> None:
    """Hold the sum of some columns to be that of others."""
    if not columns:
        return

    def total(parts: tuple[str, ...]) -> Values:
        names = [
            name
            for name in columns
            if name in parts
            or (name not in BESIDE and any(p.endswith("-") and name.startswith(p) for p in parts))
        ]
        return sum((columns[name].astype(float) for name in names), np.zeros(1))

    wrong = total(one) != total(other)
    if wrong.any():
        at = int(np.argmax(wrong))
        told = f"{table}: {one} {total(one)[at]}, {other} {total(other)[at]}"
        desk.found("an account that does not close", told)


def _counts(tables: Tables, desk: Desk) -> None:
    """Hold the rows of flows to those of the entries of traffic."""
    flows, traffic = tables["flows"], tables["traffic"]
    for name in ("packets-sent", "retransmissions", "timeouts", "fast-retransmits", "reordered"):
        for entry, total in zip(traffic["traffic"], traffic[name], strict=True):
            of_flows = flows[name][flows["traffic"] == entry].sum()
            if of_flows != total:
                desk.found("flows do not add up", f"{name}: {of_flows} of flows, {total} in all")


def _rates(outcome: _core.Outcome, tables: Tables, record: dict[str, Any], desk: Desk) -> None:
    """Hold what is delivered to a host to the rates of its links, where these never change."""
    measured = record["measured"]
    keys = [entry["key"] for entry in record["parameters"]]
    changes = any(key.startswith("changes.") and key.endswith(".rate") for key in keys)
    if not measured > 0 or changes or _is_ideal(record):
        return
    links = tables["links"]
    # The time of each packet is to the picosecond.
    time = record["simulated"] * (1 + 1e-9) + links["packets-out"] * 1e-12
    beyond = links["bytes-out"] * 8.0 > links["rate"] * time
    if beyond.any():
        told = f"{links['bytes-out'][beyond]} B at {links['rate'][beyond]} b/s"
        desk.found("a link carries more than its rate", told)
    into: dict[str, float] = {}
    for link, rate in zip(texts_of(outcome, "links", "link"), tables["links"]["rate"], strict=True):
        end = link.partition(" -> ")[2].partition(":")[0]
        into[end] = into.get(end, 0.0) + float(rate)
    arrived: dict[str, float] = {}
    flows = tables["flows"]
    for host, delivered in zip(texts_of(outcome, "flows", "to"), flows["delivered"], strict=True):
        arrived[host] = arrived.get(host, 0.0) + float(delivered) * 8.0
    for host, bits in arrived.items():
        if bits > into.get(host, 0.0) * measured * (1 + 1e-9) + 1.0:
            told = f"{host}: {bits / measured} b/s of {into.get(host, 0.0)} b/s"
            desk.found("more delivered than the links to a host carry", told)
