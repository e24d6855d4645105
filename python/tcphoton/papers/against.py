"""Every number that a paper prints against ours: a figure of a ledger, and how many are near."""

from __future__ import annotations

import math
from itertools import islice, product
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from tcphoton.figures import style
from tcphoton.papers.rules import (
    CANNOT_TELL,
    DIFFERS,
    HOLDS,
    IN_SHAPE,
    NOT_COVERED,
    OUT_OF_REACH,
    QUARTER,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tcphoton.papers.ledger import Entry

SIDE = 3.0
"""Inches of the square."""
FEWEST = 4
"""Different printed numbers that make a figure."""
FAR = 2.0
"""The factor from which a number is labelled."""
DECADE = 10.0
OTHER = "other sign"
MARKS = {
    HOLDS: (style.COLOURS[3], "circle"),
    IN_SHAPE: (style.COLOURS[5], "triangle-up"),
    CANNOT_TELL: (style.GREY, "diamond"),
    DIFFERS: (style.COLOURS[2], "square"),
    OTHER: (style.COLOURS[2], "cross"),
}
"""The colour and the shape of each verdict, and of a number with the other sign."""


def near(entries: Iterable[Entry]) -> tuple[int, int]:
    """Return how many printed numbers ours is within a quarter of, and how many there are.

    Each part that is held against one counts, whether or not a verdict depends on it, except those
    that are out of reach.

    Examples
    --------
    >>> part = {"verdict": "holds", "against": 10.0, "ours": 12.0, "factor": 1.2}
    >>> near([{"claim": "a.1", "parts": [part, part | {"factor": 1.3}, part | {"factor": None}]}])
    (1, 2)
    """
    factors = [part["factor"] for _, part in _printed(entries)]
    return sum(abs(factor - 1) <= QUARTER for factor in factors), len(factors)


def _printed(entries: Iterable[Entry]) -> Iterator[tuple[Entry, Entry]]:
    """Yield the parts with a printed number, each with its claim."""
    for each in entries:
        for part in each["parts"]:
            is_met = part["verdict"] not in {NOT_COVERED, OUT_OF_REACH}
            if is_met and part.get("factor") is not None:
                yield each, part


def draw(entries: Iterable[Entry]) -> Any:
    """Draw ours against the printed numbers, both by their size and ours with its sign of theirs.

    A mark is a number, and its bar the 95 % prediction interval of one run; a number of ours with
    the other sign, or 0, is at the lower edge. The grey band is a quarter to either side. Numbers
    that are more than twice as far apart have a letter, and its cause or claim stands below.

    Parameters
    ----------
    entries
        The ledger.

    Returns
    -------
    Any
        The chart of Altair; `None` if the paper prints hardly any number.
    """
    rows = [_row(claim, part) for claim, part in _printed(entries)]
    if len({row["published"] for row in rows}) < FEWEST:
        return None
    every = [value for row in rows for value in (row["published"], row["ours"]) if value > 0]
    low = DECADE ** math.floor(math.log10(min(every)) - 0.1)
    high = DECADE ** math.ceil(math.log10(max(every)) + 0.1)
    for row in rows:
        row["mark"] = OTHER if row["ours"] <= 0 else row["verdict"]
        row["ours"], row["low"], row["high"] = (
            min(max(row[key], low), high) for key in ("ours", "low", "high")
        )
    frame = pl.DataFrame(rows)
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    x = alt.X("published:Q", scale=scale, title="published", axis=_axis())
    y = alt.Y("ours:Q", scale=scale, title="ours, with the range of one run", axis=_axis())
    ends = pl.DataFrame({"published": [low, high], "ours": [low, high]})
    ends = ends.with_columns(
        least=pl.col("ours") * (1 - QUARTER), most=pl.col("ours") * (1 + QUARTER)
    )
    band = alt.Chart(ends).mark_area(color="#e4e4e4", clip=True)
    line = alt.Chart(ends).mark_line(color=style.GREY, strokeWidth=0.8).encode(x, y)
    base = alt.Chart(frame)
    words = [word for word in MARKS if word in set(frame.get_column("mark"))]
    colours, shapes = ([MARKS[word][at] for word in words] for at in (0, 1))
    colour = alt.Color("mark:N", title=None, scale=alt.Scale(domain=words, range=colours))
    shape = alt.Shape("mark:N", title=None, scale=alt.Scale(domain=words, range=shapes))
    bars = base.mark_rule(strokeWidth=0.7, clip=True).encode(x, alt.Y("low:Q"), alt.Y2("high:Q"))
    marks = base.mark_point(filled=True, size=28, opacity=1, clip=True).encode(x, y, colour, shape)
    far = frame.filter((pl.col("factor") > FAR) | (pl.col("factor") < 1 / FAR))
    far = far.with_columns(why=pl.when(pl.col("far") == "").then("claim").otherwise("far"))
    causes = far.group_by("why", "far", maintain_order=True).agg(
        pl.col("claim").unique(maintain_order=True).str.join(", ")
    )
    causes = causes.with_columns(letter=pl.Series(_letters(causes.height), dtype=pl.String))
    place = (pl.col(each).log10().floor().alias(f"at-{each}") for each in ("published", "ours"))
    lettered = far.join(causes.select("why", "letter"), on="why", maintain_order="left")
    near_by = (
        lettered.with_columns(place)
        .group_by("letter", "at-published", "at-ours", maintain_order=True)
        .agg(pl.col("published").max(), pl.col("ours").log10().mean())
    )
    near_by = near_by.with_columns(ours=10 ** pl.col("ours"))
    text = alt.Chart(near_by).mark_text(align="left", dx=6, fontSize=8)
    layers = alt.layer(
        band.encode(x, alt.Y("least:Q", scale=scale), alt.Y2("most:Q")),
        line,
        bars.encode(colour),
        marks,
        text.encode(x, y, alt.Text("letter:N")),
    )
    side = SIDE * style.POINTS
    said = [
        f"{letter}: {cause} ({claims})" if cause else f"{letter}: {claims}"
        for _, cause, claims, letter in causes.iter_rows()
    ]
    chart = layers.properties(width=side, height=side)
    if not said:
        return chart
    title = alt.Title(said, orient="bottom", anchor="start", fontSize=8, fontWeight="normal")
    return chart.properties(title=title)


def _letters(count: int) -> list[str]:
    """Return names of so many causes: a to z, then aa and so on.

    Examples
    --------
    >>> _letters(28)[24:]
    ['y', 'z', 'aa', 'ab']
    """
    names = ("".join(each) for n in (1, 2) for each in product(ascii_lowercase, repeat=n))
    return list(islice(names, count))


def _row(claim: Entry, part: Entry) -> dict[str, Any]:
    """Return a number by its size, with the interval of one run."""
    sign = math.copysign(1.0, part["against"])
    low, high = part["one-run"] or part["interval"]
    low, high = sorted((sign * low, sign * high))
    return {
        "claim": claim["claim"],
        "far": claim.get("far", ""),
        "published": abs(part["against"]),
        "ours": sign * part["ours"],
        "low": low,
        "high": high,
        "factor": part["factor"],
        "verdict": part["verdict"],
    }


def _axis() -> alt.Axis:
    return alt.Axis(tickCount=6, labelExpr=style.SHORT_NUMBER)
