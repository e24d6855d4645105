"""What a sweep keeps of a run: one row of plain numbers, computed from the run's record.

Totals over all entries of the scenario's traffic come first under plain names, then the columns of
each entry (``traffic.0.goodput``), then those of graphs of operations (``graphs.duration-mean``),
of bursts (``bursts.size-mean``), of links that lose
packets at random (``links.lost-wire``), of rare losses (``splitting.loss``), of switches
(``switches.packets-buffered``), of line cards (``line-cards.voq-mean``), of racks and of circuit
switches (``racks.wait-mean``, ``circuits.lost-dark``) and of the energy model
(``energy.per-delivered-bit``).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from functools import reduce
from io import BytesIO
from operator import or_
from typing import TYPE_CHECKING, Any

from tcphoton.common import checksum, toml
from tcphoton.runs import caveats

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import polars as pl

Row = dict[str, Any]
Derive = Callable[
    [Mapping[str, Any], Mapping[str, "pl.DataFrame"]], Mapping[str, float | int | None]
]
"""Computes further measures from a run's record and its kept tables."""

UNITS = {
    "goodput": "b/s",
    "delay-mean": "s",
    "jitter": "s",
    "delay-p50": "s",
    "delay-p90": "s",
    "delay-p99": "s",
    "delay-wire-mean": "s",
    "delay-first-mean": "s",
    "ack-delay-mean": "s",
    "makespan": "s",
    "batch-throughput": "b/s",
    "completion-mean": "s",
    "completion-p50": "s",
    "completion-p99": "s",
    "completion-km-p50": "s",
    "completion-km-p99": "s",
    "completion-restricted-mean": "s",
    "goodput-bound": "b/s",
    "offered": "b/s",
    "offered-surplus": "B",
    "transient": "s",
    "duration": "s",
    "duration-mean": "s",
    "duration-max": "s",
    "goodput-steady": "b/s",
    "first-file": "s",
    "reorder-extent-mean": "packets",
    "reorder-extent-max": "packets",
    "displacement": "packets",
    "size-mean": "B",
    "size-from": "B",
    "size-below": "B",
    "assembly-mean": "s",
    "deflection-cost-mean": "s",
    "deflection-cost-std": "s",
    "time": "s",
    "cwnd": "B",
    "cwnd-max": "B",
    "span-mean": "b/s",
    "span-std": "b/s",
    "span-min": "b/s",
    "span-max": "b/s",
    "bytes-through": "B",
    "bytes-buffered": "B",
    "buffer-max": "packets",
    "buffer-max-bytes": "B",
    "buffer-mean": "packets",
    "wait-mean": "s",
    "wait-max": "s",
    "voq-mean": "B",
    "voq-p99": "B",
    "voq-max": "B",
    "stay-mean": "s",
    "stay-max": "s",
    "per-bit": "J/b",
    "energy": "J",
    "per-delivered-bit": "J/b",
}
"""The units of measures that are not plain numbers, and of the tables on synchronization,
rates over spans, switches and energy. A test compares them with the engine's."""

SERIES_UNITS = {"cwnd": "B", "ssthresh": "B", "rtt": "s", "queue": "packets", "channels": "busy"}
"""The units of what a series can record; a test compares them with the engine's."""

MAIN = ("goodput", "batch-throughput", "loss", "timeouts", "delay-mean", "bursts.size-mean")
"""The measures that are suggested for a misspelt name."""
TRANSFERS = ("completion-mean", "completion-p50", "completion-p99")
CENSORED = ("completion-km-p50", "completion-km-p99", "completion-restricted-mean")
STREAMS = ("goodput",)
OF_BATCH = ("makespan", "unstarted")
"""Measures of which a batch has one, ended or not, and a stream none."""
ALWAYS = ("loss", "timeouts", "delay-mean", "bursts.size-mean")

SUMMED = (
    "flows",
    "completed",
    "goodput",
    "packets-sent",
    "reordered",
    "retransmissions",
    "timeouts",
    "fast-retransmits",
    "spurious-fast-retransmits",
    "files-complete",
    "acks-delivered",
    "unfinished",
    "unfinished-halfway",
    "unstarted",
    "goodput-bound",
    "offered",
    "offered-surplus",
)
WEIGHTED = ("delay-mean", "delay-wire-mean", "delay-first-mean")
"""Means over packets: entries are weighted by their packets not lost."""
NESTED = (
    "graphs", "bursts", "links", "splitting", "switches", "line-cards", "racks", "circuits",
    "lightpaths", "fibres", "energy",
)  # fmt: skip
LAST = (caveats.COLUMN, "events", "stop", "error", "replay")


def unit_of(column: str) -> str:
    """Return the unit of a measure, an empty text for a plain number.

    Examples
    --------
    >>> unit_of("traffic.0.goodput"), unit_of("loss")
    ('b/s', '')
    """
    return UNITS.get(column.rpartition(".")[2], "")


def of_batch(table: pl.DataFrame) -> pl.Series:
    """Tell which rows are of a batch, ended or not; the table has at least the makespan."""
    known = (table.get_column(name).is_not_null() for name in OF_BATCH if name in table.columns)
    return reduce(or_, known)


def leading(table: pl.DataFrame) -> list[str]:
    """Return the measures that are shown by default, by what means something for a source.

    Of a batch these are its makespan and its throughput: its goodput would only say how long the
    run was. Of transfers they are the completion times, with estimates that count those that have
    not ended, if they are many; these come first where they are in most runs. Of streams it is
    the goodput.

    Examples
    --------
    >>> import polars as pl
    >>> leading(pl.DataFrame({"goodput": [4e6], "makespan": [0.5], "batch-throughput": [3.7e9]}))
    ['makespan', 'batch-throughput']
    """

    def has(name: str) -> bool:
        return name in table.columns and bool(table.get_column(name).fill_null(0).ne(0).any())

    # Several entries of traffic together have no makespan, though one may be a batch.
    is_batch = OF_BATCH[0] in table.columns and of_batch(table).all()
    streams = () if is_batch else STREAMS
    kinds = table.get_column(caveats.COLUMN) if caveats.COLUMN in table.columns else ()
    censored = sum("censored" in str(each) for each in kinds)
    times = [*TRANSFERS, *(CENSORED if censored else ())]
    if censored > table.height / 2:
        times = [*reversed(CENSORED), *TRANSFERS]
    wanted = [*caveats.BATCHES, *times, *streams, *ALWAYS]
    return [name for name in wanted if has(name)]


def row(record: Mapping[str, Any]) -> Row:
    """Return the measures of a run.

    Examples
    --------
    >>> entries = [
    ...     {"traffic": 0, "goodput": 3e6, "packets-sent": 300, "loss": 0.01},
    ...     {"traffic": 1, "goodput": 1e6, "packets-sent": 100, "loss": 0.03},
    ... ]
    >>> found = row({"traffic": entries, "events": 9, "stop": "end"})
    >>> found["goodput"], found["packets-sent"], found["loss"], found["traffic.1.loss"]
    (4000000.0, 400, 0.015, 0.03)
    """
    entries: list[dict[str, Any]] = record["traffic"]
    found: Row = {}
    for name in _names(entries):
        total = _total(name, entries)
        if total is not ABSENT:
            found[name] = total
    for at, entry in enumerate(entries):
        found |= {f"traffic.{at}.{name}": entry[name] for name in entry if name != "traffic"}
    for group in NESTED:
        within = record.get(group)
        if isinstance(within, dict):
            numbers = {name: value for name, value in within.items() if not isinstance(value, str)}
            found |= {f"{group}.{name}": value for name, value in numbers.items()}
    found[caveats.COLUMN] = caveats.kinds(caveats.of_run(found)) or caveats.NONE
    return found | {name: record[name] for name in LAST if name in record}


def with_derived(found: Row, derived: Mapping[str, Any]) -> Row:
    """Return a row with further measures added.

    Raises
    ------
    ValueError
        One of them exists already.
    TypeError
        A value is not a number, or there are no values. A non-finite number counts as absent.

    Examples
    --------
    >>> with_derived({"seed": 1, "loss": 0.01}, {"share": 0.5})
    {'seed': 1, 'loss': 0.01, 'share': 0.5}
    """
    if not isinstance(derived, Mapping):
        raise TypeError(f"derive: a dictionary of measures is expected, not {derived!r}")
    more = {}
    for name, value in derived.items():
        plain = value.item() if hasattr(value, "item") else value
        if isinstance(plain, float) and not math.isfinite(plain):
            plain = None
        if name in found or name in LAST:
            raise ValueError(f"derive: {name!r} is a column already: give it another name")
        if plain is not None and not isinstance(plain, int | float):
            raise TypeError(f"derive: {name!r} is not a number: {plain!r}")
        more[name] = plain
    return found | more


ABSENT = object()


def _names(entries: Iterable[Mapping[str, Any]]) -> list[str]:
    names = dict.fromkeys(name for entry in entries for name in entry)
    return [name for name in names if name != "traffic"]


def _total(name: str, entries: Sequence[Mapping[str, Any]]) -> object:
    """Return a measure over all entries: `None` if no entry has it, `ABSENT` if none can."""
    if len(entries) == 1:
        return entries[0].get(name)
    values = [entry.get(name) for entry in entries]
    if name in SUMMED:
        return _sum([value for value in values if value is not None])
    if name == "loss":
        return _mean(values, [entry.get("packets-sent") for entry in entries])
    if name in WEIGHTED:
        return _mean(values, [_arrived(entry) for entry in entries])
    if name in ("completion-mean", "slowdown-mean"):
        return _mean(values, [entry.get("completed") for entry in entries])
    if name == "jain":
        return _jain(entries)
    return ABSENT


def _sum(values: Sequence[float]) -> float | None:
    if not values:
        return None
    whole = all(isinstance(value, int) for value in values)
    return sum(values) if whole else math.fsum(values)


def _mean(values: Sequence[float | None], weights: Sequence[float | None]) -> float | None:
    pairs = [
        (value, weight)
        for value, weight in zip(values, weights, strict=True)
        if value is not None and weight
    ]
    total = math.fsum(weight for _, weight in pairs)
    return math.fsum(value * weight for value, weight in pairs) / total if total else None


def _arrived(entry: Mapping[str, Any]) -> float:
    """Return the packets of an entry that were sent and not lost."""
    sent: float = entry.get("packets-sent") or 0
    return sent * (1 - (entry.get("loss") or 0))


def _jain(entries: Sequence[Mapping[str, Any]]) -> float | None:
    """Return the index over all flows, from the indices of the entries: J = (Σx)² / (n Σx²)."""
    total, squares, flows = [], [], 0
    for entry in entries:
        flows += entry.get("flows") or 0
        goodput, index = entry.get("goodput"), entry.get("jain")
        if goodput and index and entry.get("flows"):
            total.append(goodput)
            squares.append(goodput**2 / (entry["flows"] * index))
    return math.fsum(total) ** 2 / (flows * math.fsum(squares)) if squares else None


def frame(axes: Mapping[str, Sequence[object]], rows: Sequence[Row]) -> pl.DataFrame:
    """Return a table of rows that have the keys of `axes`, ``seed`` and measures.

    Texts and numbers keep their types; an axis with values of several kinds, or with tables, is
    written as in TOML.
    """
    import polars as pl

    columns = list(dict.fromkeys(["seed", *(name for row in rows for name in row)]))
    columns = [*axes, *(name for name in sorted(columns, key=_rank) if name not in axes)]
    data = []
    for name in columns:
        values = [row.get(name) for row in rows]
        if name in axes and not _is_plain(axes[name]):
            values = [toml.shown(value) for value in values]
        data.append(pl.Series(name, values, dtype=_type(values), strict=False))
    return pl.DataFrame(data)


def _rank(name: str) -> int:
    """Order the groups of columns; within a group columns keep their order of appearance."""
    if name == "seed":
        return 0
    if name in LAST:
        return 4
    head = name.partition(".")[0] if "." in name else ""
    return 2 if head == "traffic" else 3 if head in NESTED else 1


def _is_plain(values: Sequence[object]) -> bool:
    """Tell whether values are all texts, all Booleans, or all numbers."""
    kinds: tuple[Callable[[object], bool], ...] = (
        lambda value: isinstance(value, str),
        lambda value: isinstance(value, bool),
        lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    )
    return any(all(kind(value) for value in values) for kind in kinds)


def _type(values: Sequence[object]) -> type[pl.DataType]:
    import polars as pl

    known = [value for value in values if value is not None]
    if any(isinstance(value, str) for value in known):
        return pl.String
    if known and all(isinstance(value, bool) for value in known):
        return pl.Boolean
    if known and all(isinstance(value, int) for value in known):
        return pl.Int64
    return pl.Float64


def beside(
    axes: Mapping[str, Sequence[object]], name: str, runs: Sequence[tuple[Row, pl.DataFrame]]
) -> pl.DataFrame:
    """Return a kept table of several runs as one table, after the keys of `axes` and ``seed``.

    A column with the same name as one of these gets the table's name as a prefix.

    Examples
    --------
    >>> import polars as pl
    >>> runs = [({"p": 0.1, "seed": seed}, pl.DataFrame({"flow": [0, 1]})) for seed in (1, 2)]
    >>> beside({"p": [0.1]}, "flows", runs).rows()
    [(0.1, 1, 0), (0.1, 1, 1), (0.1, 2, 0), (0.1, 2, 1)]
    """
    import polars as pl

    heads = frame(axes, [{key: head[key] for key in (*axes, "seed")} for head, _ in runs])
    if not runs:
        return heads
    numbers = [at for at, (_, table) in enumerate(runs) for _ in range(table.height)]
    heads = heads.select(pl.all().gather(pl.Series(numbers, dtype=pl.UInt32)))
    whole = pl.concat([table for _, table in runs], how="diagonal_relaxed")
    clashes = {column: f"{name}.{column}" for column in whole.columns if column in heads}
    return heads.hstack(whole.rename(clashes))


def csv_text(table: pl.DataFrame) -> str:
    """Return a table as CSV, floats in their shortest form that is read back exactly.

    Examples
    --------
    >>> import polars as pl
    >>> print(csv_text(pl.DataFrame({"p": ["1 kB", "2 kB"], "x": [0.1, None]})))
    p,x
    1 kB,0.1
    2 kB,
    <BLANKLINE>
    """
    import csv
    from io import StringIO

    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.columns)
    for values in table.iter_rows():
        writer.writerow([_cell(value) for value in values])
    return text.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else value


def parquet(table: pl.DataFrame, also: Mapping[str, str] | None = None) -> bytes:
    """Return a table as Parquet, with known units and the given metadata.

    It has a checksum: see `tcphoton.common.checksum`.
    """
    data = BytesIO()
    units = {name: unit for name in table.columns if (unit := unit_of(name))}
    table.write_parquet(data, metadata={"units": json.dumps(units), **(also or {})})
    return checksum.seal(data.getvalue())
