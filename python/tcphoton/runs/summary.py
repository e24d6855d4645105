"""A report and a scenario as text: tables on a terminal, plain columns elsewhere."""

from __future__ import annotations

import shutil
from typing import IO, TYPE_CHECKING, Any

from rich.console import Console
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from tcphoton.common import quantities, toml
from tcphoton.common.terminal import visible
from tcphoton.runs.caveats import of_run
from tcphoton.runs.footnotes import Marks
from tcphoton.runs.measures import CENSORED, of_batch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import polars as pl
    from rich.console import ConsoleOptions, RenderableType

    from tcphoton.runs.results import Report

PLAIN_WIDTH = 400
BUSIEST = 8
BATCH = 0.9
"""The share of the measured time up to which a batch has ended long before the run."""
TRAFFIC = [
    "traffic", "flows", "completed", "makespan", "batch-throughput", "completion-mean",
    "completion-p99", "completion-km-p50", "completion-km-p99", "completion-restricted-mean",
    "slowdown-mean", "slowdown-p99", "goodput", "jain", "loss", "retransmissions", "timeouts",
    "delay-mean", "delay-first-mean", "delay-p50", "delay-p99",
]  # fmt: skip
SIZES = [
    "traffic", "size-from", "size-below", "flows", "completed", "unfinished", "completion-mean",
    "completion-p50", "completion-p99", "completion-km-p50", "completion-km-p99", "slowdown-mean",
    "slowdown-p50", "slowdown-p99",
]  # fmt: skip
UNITS = {"offered": "b/s", "bandwidth-delay-product": "B", "memory": "B"}
"""Units of the plain numbers that a scenario's description has."""
LINKS = [
    "link", "rate", "utilization", "packets-out", "dropped-queue", "dropped-red", "dropped-loss",
    "dropped-down", "dropped-burst", "dropped-contention", "trimmed", "marked", "queue-mean",
    "wait-mean", "wait-max",
]  # fmt: skip

FECS = [
    "ingress", "egress", "bursts", "by-size", "by-timer", "size-mean", "packets-mean",
    "assembly-mean", "lost-random", "lost-ingress", "lost-contention", "lost-control", "lost-late",
    "lost-down", "lost-deflected", "lost-hops", "deflected", "converted", "delayed", "delivered",
    "deflected-delivered", "deflection-cost-mean", "hops-mean",
]  # fmt: skip


def print_report(report: Report, file: IO[str]) -> None:
    """Print the results of a run: its traffic, its busiest links, and the run itself."""
    console = console_on(file)
    record = report.record
    console.print(heading(record.get("title")))
    _print_traffic(console, report)
    busiest = report.links.sort(
        "utilization", descending=True, nulls_last=True, maintain_order=True
    )
    title = "links" if busiest.height <= BUSIEST else f"busiest links of {busiest.height:,}"
    title += share_of_time(report)
    _print_frame(console, title, busiest.head(BUSIEST), LINKS, report.units["links"])
    if not report.fecs.is_empty():
        most = report.fecs.sort("bursts", descending=True, maintain_order=True)
        title = "bursts" if most.height <= BUSIEST else f"bursts, {BUSIEST} of {most.height:,} FECs"
        _print_frame(console, title, most.head(BUSIEST), FECS, report.units["fecs"])
    for line in _accounts(record):
        console.print(line, highlight=False)
    timing = record["timing"]
    speed = record["events"] / timing["cpu"] if timing["cpu"] > 0 else 0
    console.print(
        f"seed {record['seed']} · {record['events']:,} events · "
        f"{timing['wall']:.2f} s ({speed / 1e6:.1f} M events/s) · digest {report.digest}",
        highlight=False,
    )


def share_of_time(report: Report) -> str:
    """Return what is said where all traffic are batches that end long before the run.

    Shares of time, as the utilization of links, are then mostly of time in which nothing happened.
    """
    spans = report.traffic.get_column("makespan")
    longest, measured = spans.max(), report.record["measured"]
    if spans.null_count() or not isinstance(longest, float) or longest > BATCH * measured:
        return ""
    took, of = (quantities.text(each, "s") for each in (longest, measured))
    return f"; utilization is over {of}, of which the batch took {took}"


def _print_traffic(console: Console, report: Report) -> None:
    """Print what means something for each entry of traffic, and mark what has a caveat."""
    import polars as pl

    frame, found = report.traffic, report.caveats
    frame = frame.with_columns(pl.when(~of_batch(frame)).then(pl.col("goodput")).alias("goodput"))
    left_out = set() if any(each.kind == "censored" for each in found) else set(CENSORED)
    left_out |= {"goodput"} if frame.get_column("goodput").null_count() == frame.height else set()
    marks = Marks()

    def mark(row: dict[str, Any], name: str) -> str:
        measure = f"traffic.{row['traffic']}.{name}"
        return marks.of_cell(each for each in found if each.concerns(measure))

    wanted = [name for name in TRAFFIC if name not in left_out]
    _print_frame(console, "traffic", frame, wanted, report.units["traffic"], mark=mark)
    sizes = report.tables.get("sizes", pl.DataFrame())
    if sizes.height > frame.height:
        all_ended = not sizes.get_column("unfinished").sum()
        wanted = [name for name in SIZES if not (all_ended and name in CENSORED)]
        _print_frame(
            console, "completion by size of file", sizes, wanted, report.units["sizes"],
            mark=lambda row, name: marks.of_cell(
                each for each in of_run(row) if each.concerns(name)
            ),
        )  # fmt: skip
    for line in marks.notes():
        console.print(line, highlight=False)


def _accounts(record: dict[str, Any]) -> list[str]:
    """Report what is not a table: rare losses, switches, energy, circuits, where there are any."""
    lines = []
    if splitting := record.get("splitting"):
        found, low, high = (splitting[name] for name in ("loss", "loss-low", "loss-high"))
        if not found:
            told = "no loss was met"
        elif low is None:
            told = f"{found:.3g} (met too seldom for an interval: a longer run, or more seeds)"
        else:
            told = f"{found:.3g} (95 %: {low:.3g} to {high:.3g})"
        lines.append(
            f"lost at {splitting['link']}: {told}, by {splitting['events']:,} events of retrials"
        )
    if graphs := record.get("graphs"):
        times = [quantities.text(graphs[name], "s") if graphs[name] is not None else "–"
                 for name in ("duration-mean", "duration-max")]  # fmt: skip
        lines.append(
            f"repetitions: {graphs['ended']:,} of {graphs['repetitions']:,} ended, "
            f"{times[0]} in the mean, {times[1]} at most"
        )
    switches, energy = record.get("switches"), record.get("energy")
    if switches and switches["packets-in"]:
        shares = {
            "as light": switches["packets-through"] / switches["packets-in"],
            "buffered": switches["buffered-share"],
            "lost": switches["lost-share"],
        }
        told = ", ".join(f"{share:.2%} {what}" for what, share in shares.items())
        most = f", at most {switches['buffer-max']:,} in a buffer" if switches["buffer-max"] else ""
        lines.append(f"packets at switches: {switches['packets-in']:,}, of which {told}{most}")
    if energy and energy["per-delivered-bit"] is not None:
        total = quantities.text(energy["total"], "J")
        share = quantities.text(energy["per-delivered-bit"], "J/b")
        lines.append(f"energy: {total}, {share} of data delivered")
    return lines + _circuits(record) + _lightpaths(record)


def _circuits(record: dict[str, Any]) -> list[str]:
    """Report what racks sent on circuits, and what was lost on the way, where there are any."""
    racks, circuits = record.get("racks"), record.get("circuits")
    if not racks or not circuits or not racks["packets-in"]:
        return []
    sent = f"{racks['sent-on']:,} to their rack, {racks['sent-over']:,} by way of another one"
    wait = racks["wait-mean"]
    waited = f", after {quantities.text(wait, 's')} on average" if wait is not None else ""
    lost = f"lost: {racks['lost-full']:,} in full queues, {circuits['lost-dark']:,} in the dark"
    if racks["sent-short"]:
        share = f"{racks['sent-short']:,} of short flows, {racks['trimmed']:,} trimmed"
        return [f"packets on circuits: {sent}{waited}; {share}; {lost}"]
    return [f"packets on circuits: {sent}{waited}; {lost}"]


def _lightpaths(record: dict[str, Any]) -> list[str]:
    """Report what became of requests for lightpaths, where there are any."""
    racks, lightpaths, fibres = (record.get(name) for name in ("racks", "lightpaths", "fibres"))
    if not racks or not lightpaths or not fibres or not lightpaths["requests"]:
        return []
    blocked = f"{lightpaths['blocking']:.2%} blocked"
    held = f"{lightpaths['open-mean']:.3g} at a time on {fibres['held-share']:.1%} of all channels"
    lost = f"packets lost: {racks['lost-full']:,} in full queues, {racks['lost-blocked']:,} blocked"
    return [f"requests for lightpaths: {lightpaths['requests']:,}, {blocked}; {held}; {lost}"]


def print_record(record: dict[str, Any], file: IO[str]) -> None:
    """Print a nested record: plain entries first, then one section per list or table."""
    console = console_on(file)
    plain = {key: value for key, value in record.items() if not isinstance(value, dict | list)}
    _print_pairs(console, plain)
    for key, value in record.items():
        if isinstance(value, dict) and value:
            console.print(Text(f"\n{key}", style="bold"))
            _print_pairs(console, {name: _plain(item) for name, item in value.items()})
        elif isinstance(value, list) and value:
            _print_list(console, key, value)


def console_on(file: IO[str]) -> Console:
    """Return a console with bold text only on a terminal, which never truncates text."""
    return _Console(
        file=file,
        force_terminal=file.isatty(),
        width=PLAIN_WIDTH,
        height=PLAIN_WIDTH,  # a dumb terminal gets the width only with both
        soft_wrap=True,
        highlight=False,
        markup=False,
        emoji=False,
    )


class _Console(Console):
    """A console that shows every character as it is: no markup, no emoji names, no control code."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Return the rendering of a table or a text, with the escapes of `visible`."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control else Segment(visible(text, lines=True), style)


def heading(title: object) -> Text:
    """Return a title in its own line."""
    return Text(visible(str(title or "untitled")), style="bold")


def _print_frame(
    console: Console,
    title: str,
    frame: pl.DataFrame,
    wanted: list[str],
    units: dict[str, str],
    *,
    mark: Callable[[dict[str, Any], str], str] = lambda _row, _name: "",
) -> None:
    columns = [name for name in wanted if name in frame.columns and says_something(frame, name)]
    table = plain_table(title)
    for name in columns:
        table.add_column(name, justify="right" if frame.schema[name].is_numeric() else "left")
    for row in frame.iter_rows(named=True):
        table.add_row(*(_cell(row[name], units[name]) + mark(row, name) for name in columns))
    print_table(console, table)


def says_something(frame: pl.DataFrame, name: str) -> bool:
    """Leave out a column of only zeros or nulls, unless the table is about that column."""
    column = frame.get_column(name)
    if column.dtype.is_numeric():
        return bool(column.fill_null(0).ne(0).any()) or name in {
            "traffic",
            "goodput",
            "utilization",
        }
    return column.null_count() < len(column)


def _print_pairs(console: Console, pairs: dict[str, Any]) -> None:
    width = max((len(key) for key in pairs), default=0)
    for key, value in pairs.items():
        console.print(Text(f"{key:<{width}}  {_cell(value, UNITS.get(key, ''))}"))


def _print_list(console: Console, title: str, items: list[Any]) -> None:
    if not all(isinstance(item, dict) for item in items):
        console.print(Text(f"\n{title}", style="bold"))
        for item in items:
            console.print(Text(f"  {_plain(item)}"))
        return
    names = list(dict.fromkeys(name for item in items for name in item))
    within = [
        name
        for name in names
        if any(_is_table(item.get(name)) for item in items)
        and all(_is_table(item.get(name)) or not item.get(name) for item in items)
    ]
    names = [name for name in names if name not in within]
    names = [name for name in names if any(item.get(name) is not None for item in items)]
    table = plain_table(title)
    for name in names:
        number = all(isinstance(item.get(name), int | float | None) for item in items)
        table.add_column(name, justify="right" if number else "left")
    for item in items:
        table.add_row(*(_cell(_plain(item.get(name, "")), UNITS.get(name, "")) for name in names))
    print_table(console, table)
    # A nested table follows its table; each of its rows has the number of its entry.
    for name in within:
        rows = [{title: at, **row} for at, item in enumerate(items) for row in item.get(name) or []]
        _print_list(console, f"{title}: {name}", rows)


def _is_table(value: object) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def plain_table(title: str) -> Table:
    """Return an empty table without lines."""
    return Table(
        title=f"\n{title}",
        title_justify="left",
        title_style="bold",
        box=None,
        pad_edge=False,
        padding=(0, 2, 0, 0),
        header_style="bold",
    )


def print_table(console: Console, table: Table) -> None:
    """Print a table; if a terminal has too few columns, its headers take several lines."""
    fitting = shutil.get_terminal_size().columns if console.is_terminal else PLAIN_WIDTH
    if console.measure(table).maximum > fitting:
        for column in table.columns:
            column.header = str(column.header).replace("-", "-\n")
    console.print(table)


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_cell(_plain(item))}" for key, item in value.items())
    if isinstance(value, list) and len(value) > toml.LISTED:
        return toml.brief(value)
    if isinstance(value, list):
        return ", ".join(_cell(_plain(item)) for item in value) or "none"
    return value


def _cell(value: object, unit: str = "") -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float) or value is None:
        return quantities.text(value, unit)
    return visible(str(value))
