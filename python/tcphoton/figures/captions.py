"""What a figure tells of the caveats of its points: which are open, and the text below it."""

from __future__ import annotations

import json
import math
import textwrap
from typing import TYPE_CHECKING, Any

import altair as alt

from tcphoton.runs.caveats import COLUMN as CAVEATS
from tcphoton.runs.caveats import MILD, OF_FIGURE, QUIET, told

if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars as pl

    from tcphoton.runs.caveats import Caveat

__all__ = ["captioned", "doubtful"]

LETTERS = 21
"""Letters of a caption on an inch."""


def doubtful(table: pl.DataFrame) -> str:
    """Return what tells the points with a caveat, few seeds left out; an empty text without any."""
    if CAVEATS not in table.columns:
        return ""
    kinds = table.get_column(CAVEATS).drop_nulls().unique(maintain_order=True)
    doubts = [each for each in kinds if not MILD.issuperset(each.split(", "))]
    if not doubts:
        return ""
    return f"indexof({json.dumps(doubts)}, datum.{CAVEATS}) >= 0"


def captioned(
    chart: Any, caveats: Iterable[Caveat], width: float, word: str = "Open", chosen: str = ""
) -> Any:
    """Return a chart with the texts of its points' caveats below it, few seeds left out.

    What was `chosen` of all runs comes first.
    """
    worth_telling = [each for each in caveats if each.kind not in QUIET]
    if not worth_telling and not chosen:
        return chart
    texts = [f"Only {chosen}."] * bool(chosen) + [
        f"{'Note' if kind.split()[0] in OF_FIGURE | MILD else word}: {text}."
        for kind, text in told(worth_telling).items()
    ]
    letters = math.floor(width * LETTERS)
    lines = [line for text in texts for line in textwrap.wrap(text, letters)]
    title = alt.TitleParams(
        text=lines, orient="bottom", anchor="start", fontSize=6.5, fontWeight="normal", offset=4
    )
    return chart.properties(title=title)
