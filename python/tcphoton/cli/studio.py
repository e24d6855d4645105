"""The verb ``studio``: a page in which scenarios are written, run and seen."""

import tempfile
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from tcphoton.common.terminal import say
from tcphoton.errors import OutputError


def studio(
    *,
    out: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="Write the page there, and do not open it."),
    ] = None,
) -> None:
    """Open the studio in a browser: the engine, an editor and a player in one page, offline."""
    from tcphoton.common.folder import check_file, put_file
    from tcphoton.pages.page import vega
    from tcphoton.scenario.examples import example, examples
    from tcphoton.web.studio import studio_page

    if out is not None:
        check_file(out, ".html")
    known = {name: (title, example(name).text) for name, title in examples().items()}
    page = studio_page(known, vega())
    if page is None:
        problem = "this installation has no engine for browsers: build it by `make web`"
        raise OutputError(problem)
    place = out or Path(tempfile.mkdtemp(prefix="tcphoton-studio-")) / "studio.html"
    put_file(place, page.encode())
    say(f"written: {place}")
    if out is None and not webbrowser.open(place.resolve().as_uri()):
        say("note: no browser could be opened; open the file in one")
