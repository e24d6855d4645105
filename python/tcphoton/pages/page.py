"""One HTML page made of sections: a self-contained file that works offline in any browser.

All figures share one copy of Vega. Nothing read from a folder is ever executed: the template
escapes texts, tables and descriptions of figures are embedded as JSON, drawings as images, and the
page's content security policy allows only the two scripts, by their digests, and no access to a
network.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from tcphoton import _core
from tcphoton.web.modules import joined
from tcphoton.web.page import digest_of, embedded, styles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import altair as alt
    import jinja2

    from tcphoton.pages.blocks import Block, Section

PAGES = "tcphoton.pages"
"""The package that has the template, its style and its script."""
CANVAS = 4000
"""Rows of a figure from which it is drawn on a canvas."""


def figure_page(chart: alt.TopLevelMixin, title: str, picture: str | None = None) -> str:
    """Return a page of one figure in its interactive form; `picture` is its drawing, if it exists.

    Examples
    --------
    >>> import polars as pl
    >>> from tcphoton import figures
    >>> table = pl.DataFrame({"x": [0, 1], "y": [0.0, 1.0]})
    >>> "<h1>rise</h1>" in figure_page(figures.lines(table, "x", "y"), "rise")
    True
    """
    from tcphoton.pages.blocks import Section, figure

    return rendered("Figure", title, [Section("", [figure(chart, "", title, picture=picture)])])


def rendered(kind: str, title: str, sections: list[Section], folders: str = "") -> str:
    """Return a page of some sections as text; a page of folders has the command that made it."""
    from tcphoton.pages.blocks import Explorer, Recording

    _number(sections, {})
    ours = ["page.js"]
    if any(isinstance(block, Explorer) for block in _blocks(sections)):
        ours += ["statistics.js", "question.js", "code.js", "drawing.js", "explorer.js"]
    scripts = [vega(), "\n".join(_text(name) for name in ours)]
    style = _text("page.css")
    if any(isinstance(block, Recording) for block in _blocks(sections)):
        scripts.append(f"(() => {{\n{joined('player/page')}\n}})();")
        style += styles()
    policy = {
        "default-src": ["'none'"],
        "script-src": [f"'{digest_of(each)}'" for each in scripts],
        # Vega sets styles at its marks; no data of a folder are used in a style.
        "style-src": ["'unsafe-inline'"],
        "img-src": ["data:"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }
    text = _template().render(
        kind=kind,
        title=title,
        sections=sections,
        command=f"tcphoton report {folders}" if folders else "",
        version=_core.__version__,
        revision=_core.results_revision(),
        policy="; ".join(f"{name} {' '.join(values)}" for name, values in policy.items()),
        scripts=scripts,
        style=style,
    )
    return f"{text.strip()}\n"


@cache
def _template() -> jinja2.Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    from tcphoton.pages.interactive import rows_in

    environment = Environment(
        loader=PackageLoader(PAGES, "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["data"] = _data
    environment.filters["canvas"] = lambda spec: rows_in(spec) > CANVAS
    return environment.get_template("page.html")


def _blocks(sections: Iterable[Section]) -> Iterator[Block]:
    for section in sections:
        yield from section.blocks
        yield from _blocks(section.sections)


def _number(sections: Iterable[Section], taken: dict[str, int]) -> None:
    """Give every section a unique anchor."""
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
    """Return a value as JSON that cannot end a script element."""
    from markupsafe import Markup

    return Markup(embedded(value))


def _text(name: str) -> str:
    from importlib import resources

    return (resources.files(PAGES) / name).read_text("utf-8")


@cache
def vega() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script, from the renderer's package."""
    import vl_convert

    from tcphoton.pages.blocks import VEGA_LITE

    # Text that would end the script element is escaped.
    return str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", VEGA_LITE)).replace(
        "</script", "<\\/script"
    )
