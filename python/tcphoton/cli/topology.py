"""The verb ``topology``: convert a graph file to the network of a scenario."""

from pathlib import Path
from typing import Annotated

import typer

from tcphoton.common.terminal import put_text, say


def topology(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A graph: GraphML, GML, SNDlib, REPETITA; or htsim's .topo."
        ),
    ],
    *,
    edges: Annotated[
        str, typer.Option(metavar="A,B,…", help="Nodes with an edge router (hosts), or all.")
    ] = "all",
    electronic: Annotated[
        bool, typer.Option("--electronic", help="Electronic routers instead of burst switching.")
    ] = False,
    rate: Annotated[str, typer.Option(help="Rate of a link, or of a data channel.")] = "10 Gb/s",
    channels: Annotated[int, typer.Option(help="Data channels of an optical link.")] = 8,
    add_channels: Annotated[
        int | None,
        typer.Option(help="Data channels from an edge router to its core; default: --channels."),
    ] = None,
    hosts: Annotated[
        int | None,
        typer.Option(help="Hosts behind each edge router; default: 1 with --electronic, else 0."),
    ] = None,
    access_rate: Annotated[str, typer.Option(help="Rate of a host's link.")] = "1 Gb/s",
    access_delay: Annotated[str, typer.Option(help="Delay of a host's link.")] = "1 ms",
    delay_per_km: Annotated[str, typer.Option(help="Delay per km.")] = "5 us",
    delay: Annotated[
        str | None, typer.Option(help="Delay of every link, regardless of its length.")
    ] = None,
    missing_length: Annotated[
        str | None,
        typer.Option(help="Delay of links without a length: a time, median or neighbours."),
    ] = None,
    parallel: Annotated[
        str | None, typer.Option(help="What parallel links are: first, sum or bundle.")
    ] = None,
    largest_part: Annotated[
        bool, typer.Option("--largest-part", help="Read the largest part of the graph only.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write it to a new file.")
    ] = None,
) -> None:
    """Print the topology of a scenario, made from a published graph."""
    from tcphoton.common.folder import put_file
    from tcphoton.errors import OutputError
    from tcphoton.scenario.topologies import Options, load

    asked = Options(
        edges=None if edges == "all" else [name.strip() for name in edges.split(",")],
        electronic=electronic,
        rate=rate,
        channels=channels,
        add_channels=add_channels,
        hosts=hosts,
        access_rate=access_rate,
        access_delay=access_delay,
        delay_per_km=delay_per_km,
        delay=delay,
        missing_length=missing_length,
        parallel=parallel,
        largest_part=largest_part,
    )
    if str(out) == "-":
        out = None
    if out is not None and out.exists():
        raise OutputError(f"{out}: exists already")
    text = load(file, asked).to_toml()
    if out is None:
        put_text(text)
    else:
        put_file(out, text.encode())
        say(f"written: {out}")
