"""The parts of a page: plain values, which the template renders."""

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

VEGA_LITE = ".".join(alt.SCHEMA_VERSION.split(".")[:2])
"""The version of Vega-Lite that charts are written for."""
ROWS = 200
"""Maximum rows of a table on a page."""
CELL = 200
"""Maximum characters of a text in a cell."""
NAMED = re.compile(r' (?:aria-[a-z]+|role)="[^"]*"')
"""ARIA attributes of every mark, which an image does not need: a third of its size."""
NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 does not have (section 2.2)."""


@dataclass(frozen=True)
class Note:
    """A paragraph. The kind ``warning`` is for what is missing or doubtful."""

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
    """A command or a file, folded if it is long."""

    text: str
    title: str = ""
    macro: ClassVar[str] = "code"


@dataclass(frozen=True)
class Column:
    """A column: its name, its unit, its meaning, and whether it has numbers."""

    name: str
    unit: str
    about: str
    number: bool


@dataclass(frozen=True)
class Table:
    """Rows of cells, each a text and its sort key."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[tuple[str, str]]]
    note: str = ""
    macro: ClassVar[str] = "table"


@dataclass(frozen=True)
class Figure:
    """A figure: its interactive description, its image, and the command that makes it again."""

    title: str
    about: str
    picture: str
    width: int
    spec: Mapping[str, Any] | None
    command: str = ""
    note: str = ""
    macro: ClassVar[str] = "figure"


@dataclass(frozen=True)
class Explorer:
    """A study that answers questions: its data, the first figure, and what was left out."""

    data: Mapping[str, Any]
    picture: Figure
    notes: Sequence[str] = ()
    macro: ClassVar[str] = "explorer"


@dataclass(frozen=True)
class Finding:
    """An effect in words, with the question that shows it, and warnings."""

    question: str
    measure: str
    text: str
    warnings: Sequence[str] = ()


@dataclass(frozen=True)
class Findings:
    """Effects, the largest first; those after `most` are folded."""

    entries: Sequence[Finding]
    note: str = ""
    most: int = 8
    macro: ClassVar[str] = "findings"


@dataclass(frozen=True)
class Verdicts:
    """Claims with their verdicts, and the number of claims per verdict."""

    entries: Sequence[Mapping[str, Any]]
    counts: Mapping[str, int]
    macro: ClassVar[str] = "verdicts"


@dataclass(frozen=True)
class Recording:
    """A recorded run that is played: the player's file, in base64, and what it has."""

    data: str
    about: str
    macro: ClassVar[str] = "recording"


Block = Recording | Note | Facts | Code | Table | Figure | Explorer | Findings | Verdicts


@dataclass
class Section:
    """A heading with its content and subsections."""

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
        Its title, and a description for those who do not see it.
    picture
        Its static form as SVG, if it exists already.
    command, note
        The command that makes it again, and a text below it.
    """
    # Our figures are valid: letting Altair validate them again takes longer than drawing them.
    spec = chart.to_dict(validate=False)
    if picture is None:
        picture = svg_of(spec)
    spec = interactive(spec) | {"description": about}
    return Figure(title, about, *_embedded(picture), spec, command, note)


def svg_of(spec: dict[str, Any]) -> str:
    """Return the drawing of a chart as SVG, whatever its texts are.

    The renderer aborts the interpreter at what XML does not have, such as ESC or U+FFFF.
    """
    return vl_convert.vegalite_to_svg(_clean(spec), vl_version=VEGA_LITE)


def _clean(value: Any) -> Any:
    """Return a value of JSON with U+FFFD in place of what XML does not have."""
    if isinstance(value, str):
        return value if value.isprintable() else NOT_XML.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_clean(key): _clean(each) for key, each in value.items()}
    return [_clean(each) for each in value] if isinstance(value, list) else value


def drawn(title: str, about: str, picture: str, *, command: str = "", note: str = "") -> Figure:
    """Return an image as a figure of a page, without an interactive form."""
    return Figure(title, about, *_embedded(picture), None, command, note)


def _embedded(picture: str) -> tuple[str, int]:
    """Return an image as a data URL, in which no script runs, and its width."""
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
    """Return a table of a page: a limited number of rows, without columns that have no information.

    Parameters
    ----------
    title
        What its rows are.
    frame
        The whole table, sorted by importance.
    units, docs
        The unit and the meaning of columns.
    whole
        Where all rows can be found.
    most
        The number of rows that are shown; further ones are only counted.
    keep
        Whether columns with only zeros are kept.
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
        notes.append(f"{silent} column{'s' * (silent > 1)} with only zeros or no values left out.")
    if notes and whole:
        notes.append(f"The whole table: {whole}.")
    return Table(title, columns, rows, " ".join(notes))


def cell(value: object, unit: str = "") -> tuple[str, str]:
    """Return the displayed text of a value and its sort key, which is empty for a text.

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
    """Tell whether a column has anything except zeros and nulls."""
    column = frame.get_column(name)
    if column.dtype.is_numeric():
        return frame.height == 0 or bool(column.fill_null(0).ne(0).any())
    return column.null_count() < len(column)
