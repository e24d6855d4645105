"""Results as one page: a self-contained file in HTML that opens offline in any browser.

The page of a run, a sweep, finished or not, or of reproduced papers. All figures share one copy of
Vega. Nothing that is read from a folder is ever run: texts are escaped by the template, tables and
descriptions of figures travel as JSON, pictures as images, and the page's own policy names the two
scripts that may run by their digests and forbids every access to a network.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from tcphoton import _core
from tcphoton.errors import OutputError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    import altair as alt

    from tcphoton.pages.blocks import Section

__all__ = ["NAME", "figure_page", "page", "write"]

NAME = "report.html"
DAMAGE = (AttributeError, LookupError, TypeError, ValueError, RecursionError, ArithmeticError)
CANVAS = 4000
"""Rows of a figure from which it is drawn on a canvas."""


def write(folder: str | os.PathLike[str], out: str | os.PathLike[str] | None = None) -> Path:
    """Write the page of a folder of results, and return its path.

    Parameters
    ----------
    folder
        What ``tcphoton run``, ``sweep`` or ``reproduce`` has left with ``--out``; an unfinished
        sweep or reproduction, too.
    out
        The file; ``report.html`` in the folder unless given.

    Raises
    ------
    OutputError
        The folder holds no results that can be read, or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import tcphoton as tp
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tp.run(tp.example("mm1").with_({"run.duration": "20 s"})).save(folder)
    ...     write(folder).read_text("utf-8").startswith("<!DOCTYPE html>")
    True
    """
    from tcphoton.common.folder import check_file, put_file
    from tcphoton.common.open_folder import OpenFolder

    path = Path(folder) / NAME if out is None else Path(out)
    if out is not None or not path.is_symlink():
        check_file(path, ".html")
    text = page(folder)
    if out is None:
        # A link that lies in the folder is replaced, and what it leads to stays as it is.
        OpenFolder.at(Path(folder)).put(NAME, text.encode())
    else:
        put_file(path, text.encode())
    return path


def page(folder: str | os.PathLike[str]) -> str:
    """Return the page of a folder of results as text.

    Raises
    ------
    OutputError
        The folder holds no results that can be read.
    """
    folder = Path(folder)
    if folder.is_file():
        raise OutputError(f"{folder}: a file; give the folder that --out DIR named")
    if not folder.is_dir():
        raise OutputError(f"{folder}: no folder")
    try:
        return _page(*_found(folder), folder)
    except DAMAGE as error:
        # Whatever a file of a folder lacks, or has in another form than it was written.
        said = f"{type(error).__name__}: {error}"
        raise OutputError(f"{folder}: no results that can be read: {said}") from error


def _found(folder: Path) -> tuple[str, str, list[Section]]:
    """Return what a folder holds: its kind, its title, and what there is to say of it."""
    from tcphoton.report import of_papers, of_run, of_sweep
    from tcphoton.sweep import folder as sweep_folder

    if names := of_papers.found_in(folder):
        return "Reproduction", of_papers.title(names), of_papers.sections(folder, names)
    if (folder / sweep_folder.ASKED).exists():
        return "Sweep", of_sweep.title(folder), of_sweep.sections(folder)
    if (folder / sweep_folder.RECORD).exists():
        return "Run", of_run.title(folder), of_run.sections(folder)
    if inside := sweep_folder.titles_below(folder):
        names = [str(folder / name) for name in inside]
        one = names[0] if len(names) == 1 else f"one of {', '.join(names)}"
        raise OutputError(f"{folder}: holds folders of results; give {one}")
    raise OutputError(f"{folder}: holds no results of a run, a sweep or a reproduction")


def figure_page(chart: alt.TopLevelMixin, title: str) -> str:
    """Return a page of one figure in its interactive form.

    Examples
    --------
    >>> import polars as pl
    >>> from tcphoton import figures
    >>> table = pl.DataFrame({"x": [0, 1], "y": [0.0, 1.0]})
    >>> "<h1>rise</h1>" in figure_page(figures.lines(table, "x", "y"), "rise")
    True
    """
    from tcphoton.pages.blocks import Section, figure

    return _page("Figure", title, [Section("", [figure(chart, "", title)])])


def _page(kind: str, title: str, sections: list[Section], folder: Path | None = None) -> str:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    from tcphoton.pages.interactive import rows_in

    environment = Environment(
        loader=PackageLoader(__name__, "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["data"] = _data
    environment.filters["canvas"] = lambda spec: rows_in(spec) > CANVAS
    _number(sections, {})
    scripts, style = [_vega(), _text("page.js")], _text("page.css")
    policy = {
        "default-src": ["'none'"],
        "script-src": [_digest(each) for each in scripts],
        # Vega writes styles at its marks; what is read from a folder reaches no style.
        "style-src": ["'unsafe-inline'"],
        "img-src": ["data:"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }
    text = environment.get_template("page.html").render(
        kind=kind,
        title=title,
        sections=sections,
        command="" if folder is None else f"tcphoton report {folder}",
        version=_core.__version__,
        revision=_core.results_revision(),
        policy="; ".join(f"{name} {' '.join(values)}" for name, values in policy.items()),
        scripts=scripts,
        style=style,
    )
    return f"{text.strip()}\n"


def _number(sections: Iterable[Section], taken: dict[str, int]) -> None:
    """Give every section an anchor of its own."""
    for section in sections:
        name = (
            section.anchor
            or re.sub(r"[^a-z0-9]+", "-", section.title.partition(":")[0].lower()).strip("-")
            or "section"
        )
        taken[name] = taken.get(name, 0) + 1
        section.anchor = name if taken[name] == 1 else f"{name}-{taken[name]}"
        _number(section.sections, taken)


def _data(value: Mapping[str, object]) -> object:
    """Return a value as JSON that ends no script, whatever it holds."""
    from markupsafe import Markup

    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)


def _digest(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def _text(name: str) -> str:
    return (resources.files(__name__) / name).read_text("utf-8")


@cache
def _vega() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script, as they come with the renderer."""
    import vl_convert

    from tcphoton.pages.blocks import VEGA_LITE

    # What would end the element in which the script stands is written so that it does not.
    return str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", VEGA_LITE)).replace(
        "</script", "<\\/script"
    )
