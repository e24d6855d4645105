"""The verb ``trace``: a run whose packets are written one by one."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from tcphoton.command import WRONG_INPUT, progress_bar, say, with_settings
from tcphoton.scenario import Scenario

__all__ = ["trace"]

Format = Literal["pcapng", "perfetto", "csv"]


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
    if out.is_dir():
        say(f"error: {out}: a folder; name the file to be written")
        raise typer.Exit(WRONG_INPUT)
    scenario = with_settings(Scenario.load(file), set_ or [])
    scenario.checked()
    from tcphoton.folder import Folder, put_file
    from tcphoton.trace_files import WRITERS
    from tcphoton.traces import trace as record

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
    say(f"written: {out}: {traced.packets.height:,} packets in {traced.hops.height:,} rows")
    if traced.cut is not None:
        say(
            f"note: the trace ends at {traced.cut / 1e12:.12g} s, where --limit {limit} was "
            "reached: name a span (--from, --to), flows or nodes, or a larger limit"
        )
