"""Formulas as MathML, which browsers draw without scripts and external fonts."""

from __future__ import annotations

import html
import re

from docutils.utils.math import latex2mathml

__all__ = ["formula", "sentence"]

MEANT = {
    r"\\dots\b": r"\\ldots",
    r"\\rm (\w)": r"\\mathrm{\1}",
    r"\\tag\{(.*?)\}": r"\\qquad (\1)",
}
"""LaTeX commands that papers use, and those that the converter knows."""


def formula(tex: str, *, block: bool = False) -> str:
    r"""Return a formula of TeX as MathML.

    Examples
    --------
    >>> "<mi>ρ</mi>" in formula(r"\rho")
    True
    """
    for written, known in MEANT.items():
        tex = re.sub(written, known, tex)
    return str(latex2mathml.tex2mathml(tex, as_block=block))


def sentence(text: str) -> str:
    r"""Return a sentence with formulas between dollars as HTML.

    Examples
    --------
    >>> sentence("a < b"), sentence("some $x$").count("<mi>x</mi>")
    ('a &lt; b', 1)
    """
    parts = text.split("$")
    return "".join(
        formula(part).replace("\n", "") if at % 2 else html.escape(part.replace("\\sim ", "∼"))
        for at, part in enumerate(parts)
    )
