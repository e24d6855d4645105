"""The verb ``trace``: run a scenario and record single packets."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from tcphoton.cli.command import StoppedEarlyError, progress_bar, with_settings
from tcphoton.common.terminal import say
from tcphoton.scenario.scenario import Scenario

Format = Literal["player", "pcapng", "perfetto", "csv"]
ENDINGS = {"player": ".html", "pcapng": ".pcapng", "perfetto": ".json", "csv": ".csv"}
"""The file ending of each format; unknown endings are accepted, too."""
LIMITS = {"player": 200_000}
"""The default maximum of rows of a format that has its own: a page of some megabytes."""


def trace(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A scenario in TOML.")],
    *,
    format_: Annotated[
        Format,
        typer.Option(
            "--format",
            help="player for a page that shows the network at work, pcapng for Wireshark, "
            "perfetto for ui.perfetto.dev, csv for rows.",
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="PATH", help="The file to write.")],
    seed: Annotated[int | None, typer.Option(help="Seed; default: the scenario's.")] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Set a dotted key; repeatable."),
    ] = None,
    from_: Annotated[
        str | None, typer.Option("--from", metavar="TIME", help="Only packets from this time on.")
    ] = None,
    to: Annotated[
        str | None, typer.Option(metavar="TIME", help="Only packets before this time.")
    ] = None,
    flow: Annotated[
        list[int] | None, typer.Option(metavar="N", help="Only this flow; repeatable.")
    ] = None,
    node: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only links of this node; repeatable."),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Maximum number of rows, one per packet and link; default: 1,000,000, for the "
            "player 200,000.",
        ),
    ] = None,
) -> None:
    """Run a scenario and write what happened to each packet."""
    from tcphoton.common.folder import Folder, check_file, put_file
    from tcphoton.errors import OutputError

    check_file(out, ENDINGS[format_])
    if out.exists() and out.samefile(file):
        raise OutputError(f"{out}: the scenario itself, which is not replaced; name another file")
    scenario = with_settings(Scenario.load(file), set_ or [])
    scenario.checked()
    from tcphoton.traces.files import WRITERS
    from tcphoton.traces.trace import LIMIT
    from tcphoton.traces.trace import trace as record

    Folder(out.parent, last="").probe()
    limit = limit if limit is not None else LIMITS.get(format_, LIMIT)
    with progress_bar() as progress:
        traced = record(
            scenario,
            seed,
            start=from_,
            stop=to,
            flows=flow or [],
            nodes=node or [],
            limit=limit,
            counters=format_ in {"perfetto", "player"},
            progress=progress,
        )
    put_file(out, WRITERS[format_](traced))
    packets, rows = traced.packets.height, traced.hops.height
    say(f"written: {out}: {packets:,} packets in {rows:,} rows")
    if traced.cut is not None:
        say(f"note: {_cut(traced.cut, rows, limit)}")
    if traced.stopped is not None:
        raise StoppedEarlyError(f"event budget spent at {traced.stopped:g} s of simulated time")


def _cut(at: int, rows: int, limit: int) -> str:
    """Return where and why a trace ends that reached its limit of rows.

    A packet whose joining of a queue is computed retroactively is known after packets that were
    offered later. If there is no room for it, the rows of those are removed: no packet is missing
    before the end of the trace.
    """
    where = f"the trace ends at {at / 1e12:.12g} s"
    why = (
        f", where --limit {limit} was reached"
        if rows == limit
        else f" with {rows:,} rows of --limit {limit}: a packet earlier than the other "
        f"{limit - rows:,} did not fit"
    )
    return f"{where}{why}; select a span (--from, --to), flows or nodes, or a larger limit"
