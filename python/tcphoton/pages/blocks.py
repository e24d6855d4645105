"""What a page is made of: plain values, which the template draws."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import altair as alt
import vl_convert

from tcphoton.common import quantities
from tcphoton.pages.interactive import interactive

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

__all__ = [
    "VEGA_LITE",
    "Block",
    "Choice",
    "Code",
    "Facts",
    "Figure",
    "Note",
    "Section",
    "Table",
    "Verdicts",
    "drawn",
    "figure",
    "says_something",
    "table",
]

VEGA_LITE = ".".join(alt.SCHEMA_VERSION.split(".")[:2])
"""The version of Vega-Lite that charts are written for."""
ROWS = 200
"""Rows of a table that a page shows."""
CELL = 200
"""Characters of a text that a page shows in a cell."""
NAMED = re.compile(r' (?:aria-[a-z]+|role)="[^"]*"')
"""What a renderer says of every mark, which a picture has no use for: a third of its size."""


@dataclass(frozen=True)
class Note:
    """A paragraph. One of the kind ``warning`` says what is missing or doubtful."""

    text: str
    kind: str = "plain"
    macro: ClassVar[str] = "note"


@dataclass(frozen=True)
class Facts:
    """Names with their values."""

    pairs: Sequence[tuple[str, str]]
    macro: ClassVar[str] = "facts"


@dataclass(frozen=True)
class Code:
    """A command or a file to read, folded where it is long."""

    text: str
    title: str = ""
    macro: ClassVar[str] = "code"


@dataclass(frozen=True)
class Column:
    """A column: its name, its unit, what it means, and whether it holds numbers."""

    name: str
    unit: str
    about: str
    number: bool


@dataclass(frozen=True)
class Table:
    """Rows of cells, each a text and what it is sorted by."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[tuple[str, str]]]
    note: str = ""
    macro: ClassVar[str] = "table"


@dataclass(frozen=True)
class Figure:
    """A figure: its interactive description, its picture, and how it is made again."""

    title: str
    about: str
    picture: str
    width: int
    spec: Mapping[str, Any] | None
    command: str = ""
    note: str = ""
    macro: ClassVar[str] = "figure"


@dataclass(frozen=True)
class Choice:
    """Figures of which one is seen at a time."""

    title: str
    what: str
    figures: Sequence[tuple[str, Figure]]
    macro: ClassVar[str] = "choice"


@dataclass(frozen=True)
class Verdicts:
    """Claims with their verdicts, and how many there are of each."""

    entries: Sequence[Mapping[str, Any]]
    counts: Mapping[str, int]
    macro: ClassVar[str] = "verdicts"


Block = Note | Facts | Code | Table | Figure | Choice | Verdicts


@dataclass
class Section:
    """A heading with what stands below it, and with sections of its own."""

    title: str
    blocks: list[Block] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    anchor: str = ""


def figure(
    chart: alt.TopLevelMixin,
    title: str,
    about: str,
    *,
    picture: str | None = None,
    command: str = "",
    note: str = "",
) -> Figure:
    """Return a chart as a figure of a page.

    Parameters
    ----------
    chart
        The chart.
    title, about
        Its title, and what it shows, for those who do not see it.
    picture
        Its static form as SVG, where that is there already.
    command, note
        What makes it again, and what stands below it.
    """
    # What figures make is valid: asking Altair once more takes longer than drawing it.
    spec = chart.to_dict(validate=False)
    if picture is None:
        picture = vl_convert.vegalite_to_svg(spec, vl_version=VEGA_LITE)
    spec = interactive(spec) | {"description": about}
    return Figure(title, about, *_embedded(picture), spec, command, note)


def drawn(title: str, about: str, picture: str, *, command: str = "", note: str = "") -> Figure:
    """Return a picture as a figure of a page that has no interactive form."""
    return Figure(title, about, *_embedded(picture), None, command, note)


def _embedded(picture: str) -> tuple[str, int]:
    """Return a picture as the address of an image, in which nothing runs, and its width."""
    width = re.search(r'<svg[^>]*?\bwidth="(\d+(?:\.\d+)?)', picture)
    data = base64.b64encode(NAMED.sub("", picture).encode()).decode()
    return f"data:image/svg+xml;base64,{data}", round(float(width[1])) if width else 500


def table(
    title: str,
    frame: pl.DataFrame,
    *,
    units: Mapping[str, str] | None = None,
    docs: Mapping[str, str] | None = None,
    whole: str = "",
    most: int = ROWS,
    keep: bool = False,
) -> Table:
    """Return a table of a page: so many rows, and no column that says nothing.

    Parameters
    ----------
    title
        What its rows are.
    frame
        All of it, in the order of importance.
    units, docs
        The unit and the meaning of columns.
    whole
        Where all rows can be found.
    most
        The number of rows after which the rest is only counted.
    keep
        Whether columns of nothing but zeros stay.
    """
    units, docs = units or {}, docs or {}
    names = [name for name in frame.columns if keep or says_something(frame, name)]
    shown = frame.select(names).head(most)
    columns = [
        Column(name, units.get(name, ""), docs.get(name, ""), frame.schema[name].is_numeric())
        for name in names
    ]
    rows = [
        [cell(value, column.unit) for value, column in zip(row, columns, strict=True)]
        for row in shown.iter_rows()
    ]
    notes = []
    if frame.height > shown.height:
        notes.append(f"The first {shown.height:,} of {frame.height:,} rows.")
    if silent := len(frame.columns) - len(names):
        notes.append(
            f"{silent} column{'s' * (silent > 1)} of nothing but zeros or nothing at all left out."
        )
    if notes and whole:
        notes.append(f"All of it: {whole}.")
    return Table(title, columns, rows, " ".join(notes))


def cell(value: object, unit: str = "") -> tuple[str, str]:
    """Return a value as it is read, and as it is sorted by: nothing for a text.

    Examples
    --------
    >>> cell(2.5e9, "b/s"), cell("reno"), cell(None, "s"), cell(True)
    (('2.5 Gb/s', '2500000000.0'), ('reno', ''), ('–', ''), ('yes', '1'))
    """
    if isinstance(value, bool):
        return ("yes", "1") if value else ("no", "0")
    if value is None:
        return "–", ""
    if isinstance(value, int | float):
        return quantities.text(value, unit), repr(value)
    text = str(value)
    return (text if len(text) <= CELL else f"{text[:CELL]}…"), ""


def says_something(frame: pl.DataFrame, name: str) -> bool:
    """Tell whether a column has anything but zeros and nulls."""
    column = frame.get_column(name)
    if column.dtype.is_numeric():
        return frame.height == 0 or bool(column.fill_null(0).ne(0).any())
    return column.null_count() < len(column)
