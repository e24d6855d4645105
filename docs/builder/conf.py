"""The configuration of Sphinx; the site is self-contained."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes

import tcphoton
from builder.mathml import formula

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "tcphoton"
copyright = "the authors of tcphoton"  # noqa: A001
release = tcphoton.__version__
language = "en"
# Quotes and dashes of scenarios and options must stay as they are typed.
smartquotes = False

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 6
# The tests run code blocks; here they are only shown.
suppress_warnings = ["misc.highlighting_failure"]

nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 60
nb_merge_streams = True
nb_ipywidgets_js: dict[str, dict[str, str]] = {}

default_role = "py:obj"
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
napoleon_google_docstring = False
# As a list under their own heading, because several names may share a line.
napoleon_custom_sections = [("Attributes", "params_style")]
python_maximum_signature_line_length = 88

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "tcphoton"
html_static_path = [str(Path(__file__).parent / "static")]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_theme_options = {
    "header_links_before_dropdown": 6,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": True,
    "footer_start": [],
    "footer_end": [],
    "show_version_warning_banner": False,
}
html_context = {"default_mode": "light"}


def setup(app: Sphinx) -> None:
    """Draw formulas without a script, and parse docstrings correctly."""

    def draw(block: bool) -> Any:
        def visit(translator: Any, node: nodes.Element) -> None:
            translator.body.append(formula(node.astext(), block=block))
            raise nodes.SkipNode

        return visit

    app.add_html_math_renderer("mathml", (draw(block=False), None), (draw(block=True), None))

    def skip(_app: Sphinx, _what: str, _name: str, each: Any, skip: bool, _options: Any) -> bool:
        return skip or str(each.__doc__).startswith("Alias for field number")

    def separate(
        _app: Sphinx, what: str, _name: str, _each: Any, _options: Any, lines: list[str]
    ) -> None:
        # Napoleon takes the text before a colon in the first line of a property for its type, so
        # that line is empty.
        if what in {"property", "attribute"}:
            lines.insert(0, "\\ ")

    app.connect("autodoc-skip-member", skip)
    app.connect("autodoc-process-docstring", separate, priority=100)
