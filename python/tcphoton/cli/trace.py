"""The verb ``trace``: a run whose packets are written one by one."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from tcphoton.cli.command import StoppedEarlyError, progress_bar, with_settings
from tcphoton.common.terminal import say
from tcphoton.scenario.scenario import Scenario

__all__ = ["trace"]

Format = Literal["pcapng", "perfetto", "csv"]
ENDINGS = {"pcapng": ".pcapng", "perfetto": ".json", "csv": ".csv"}
"""How the file of a format is called; other endings that say nothing pass, too."""


def trace(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A scenario in TOML.")],
    *,
    format_: Annotated[
        Format,
        typer.Option("--format", help="For Wireshark, for ui.perfetto.dev, or plain rows."),
    ],
    out: Annotated[Path, typer.Option(metavar="PATH", help="Write it there.")],
    seed: Annotated[int | None, typer.Option(help="The seed, instead of the scenario's.")] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Set a dotted key.")
    ] = None,
    from_: Annotated[
        str | None, typer.Option("--from", metavar="TIME", help="What begins then or later.")
    ] = None,
    to: Annotated[str | None, typer.Option(metavar="TIME", help="What begins before.")] = None,
    flow: Annotated[
        list[int] | None, typer.Option(metavar="N", help="This flow; may be repeated.")
    ] = None,
    node: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Links of this node; may be repeated."),
    ] = None,
    limit: Annotated[
        int, typer.Option(metavar="N", help="The most rows: packets, each counted at each link.")
    ] = 1_000_000,
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
    from tcphoton.traces.trace import trace as record

    Folder(out.parent, last="").probe()
    with progress_bar() as progress:
        traced = record(
            scenario,
            seed,
            start=from_,
            stop=to,
            flows=flow or [],
            nodes=node or [],
            limit=limit,
            counters=format_ == "perfetto",
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
    """Say where a trace ends whose rows were used up.

    What joins a queue in arrears is known after packets that were offered later. Where it finds no
    room, the rows of those go: no packet is missing before the end.
    """
    where = f"the trace ends at {at / 1e12:.12g} s"
    why = (
        f", where --limit {limit} was reached"
        if rows == limit
        else f" with {rows:,} rows of --limit {limit}: an earlier packet than the other "
        f"{limit - rows:,} had found no room"
    )
    return f"{where}{why}; name a span (--from, --to), flows or nodes, or a larger limit"
