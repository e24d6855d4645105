"""The verb ``report``: a folder of results as one page."""

from pathlib import Path
from typing import Annotated

import typer

from tcphoton.cli.studies import tell_of_studies
from tcphoton.common.terminal import put, put_text


def report(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR",
            help="A folder written by run, sweep or reproduce (--out); or several of sweeps.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="The page, - for stdout; default for one DIR: DIR/report.html."
        ),
    ] = None,
) -> None:
    """Write folders of results as one HTML page that works offline in any browser."""
    from tcphoton import report as pages

    for folder in folders:
        tell_of_studies(folder)
    if str(out) == "-":
        put_text(pages.page(folders))
        return
    path = pages.write(folders, out)
    put(f"written: {path} ({path.stat().st_size / 1e6:.1f} MB)")
