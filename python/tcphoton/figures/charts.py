"""Figures in one style: readable in a column of a paper, in grey and by the colour-blind.

One description gives SVG, PDF, PNG and a page that works offline. See `tcphoton.figures.style`.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import altair as alt
import polars as pl

from tcphoton.analysis import statistics
from tcphoton.common import quantities
from tcphoton.common.arguments import expect_columns, expect_frame
from tcphoton.common.folder import put_file
from tcphoton.figures import style
from tcphoton.figures.captions import captioned, doubtful
from tcphoton.figures.style import COLUMN, PAGE, POINTS, theme
from tcphoton.runs import measures

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tcphoton.runs.caveats import Caveat
    from tcphoton.runs.results import Report

__all__ = [
    "COLUMN",
    "PAGE",
    "POINTS",
    "bars",
    "drawn",
    "escaped",
    "lines",
    "save",
    "series",
    "theme",
]

LETTER = 0.065
"""Inches of a letter of a label."""
HOLLOW: dict[str, Any] = {"filled": False, "fill": "white", "opacity": 1, "strokeWidth": 1}
"""A point with a caveat."""
STEPS = 2000
"""Maximum steps of a series in a figure."""

Scale = Literal["linear", "log", "symlog"]
Format = Literal["svg", "pdf", "png", "html"]
FORMATS: tuple[Format, ...] = ("png", "svg", "pdf", "html")


def lines(
    table: pl.DataFrame,
    x: str,
    y: str,
    by: str | None = None,
    *,
    ci: float = 0.95,
    low: str | None = None,
    high: str | None = None,
    interval: Literal["bars", "band"] = "bars",
    units: Mapping[str, str] | None = None,
    titles: Mapping[str, str] | None = None,
    legend: str = "",
    scales: tuple[Scale, Scale] = ("linear", "linear"),
    curves: pl.DataFrame | None = None,
    width: float = COLUMN,
    height: float = style.HEIGHT,
) -> alt.LayerChart:
    """Draw one line per group, with its intervals.

    Parameters
    ----------
    table
        One row per point, or one row per replication: rows with the same `x` and `by` are then
        reduced to their mean and its interval, and points with a caveat are open, with its text
        below the figure (`tcphoton.runs.caveats`).
    x, y, by
        The columns of the horizontal axis, of the vertical axis, and of the groups.
    ci
        The confidence level of the intervals.
    low, high
        Columns that already have the intervals.
    interval
        Bars at the points, or a band along the line.
    units, titles
        The unit and the title of a column on its axis. With neither, the title is the column's
        name, and the unit that of a sweep's measure or the base unit of quantities such as
        ``"20 kB"``.
    legend
        The title of the legend.
    scales
        The scales of the two axes. A logarithmic vertical axis leaves out points that are not above
        0, and an interval that includes 0 begins at the axis.
    curves
        Curves of formulas, drawn in grey with the points: a table with the columns `x`, `y` and
        `by`.
    width, height
        Inches of the figure, and of its plotting area.

    Examples
    --------
    >>> table = pl.DataFrame({"p": [0.01, 0.01, 0.1, 0.1], "goodput": [4.0, 6.0, 1.0, 2.0]})
    >>> chart = lines(table, x="p", y="goodput", units={"goodput": "Mb/s"})
    >>> chart.to_dict()["layer"][0]["encoding"]["y"]["title"]
    'goodput (Mb/s)'
    """
    expect_frame("table", table)
    expect_columns(table, [each for each in (x, y, by, low, high) if each is not None])
    table, known = _plain(table, x, y)
    titles = titles or {}
    units = {key: unit for key, unit in known.items() if key not in titles} | dict(units or {})
    keys = [x] if by is None else [by, x]
    notes: list[Caveat] = []
    if low is None or high is None:
        table, found = statistics.summary_of(table, y, keys, ci)
        low, high = "low", "high"
        notes = found
    table = _finite(table, y, low, high)
    if scales[1] == "log":
        table = _above_nothing(table, y, low)
    if by is not None:
        # Numbers are grouped by their texts, those of the legend.
        table = table.with_columns(_texts(table, by))
    axis = _Axes(units, titles)
    across = alt.X(escaped(x), type="quantitative", title=axis.title(x), scale=_across(scales[0]))
    points = table.get_column(x).unique().sort().to_list()
    if scales[0] == "log" and len(points) <= len(style.COLOURS):
        across = across.axis(values=points)
    up = alt.Y(escaped(y), type="quantitative", title=axis.title(y), scale=_scale(scales[1]))
    group = _group(table, by, legend)
    base = alt.Chart(table).encode(across, up, *group)
    bottom = alt.Y(escaped(low), type="quantitative", title=axis.title(y), scale=_scale(scales[1]))
    spread = alt.Chart(table).encode(across, bottom, alt.Y2(escaped(high)), *group[:1])
    spread = spread.transform_filter(f"isValid(datum[{json.dumps(low)}])")
    layers = [base.mark_line(), base.mark_point(opacity=1)]
    if interval == "band":
        layers.insert(0, spread.mark_area(opacity=0.2, strokeWidth=0))
    else:
        layers.append(spread.mark_rule(strokeWidth=0.9))
    if doubts := doubtful(table):
        hollow = base.transform_filter(doubts).mark_point(**HOLLOW)
        layers.append(hollow.encode(strokeDash=alt.value([1, 0])))
    if curves is not None and by is not None:
        formulas = alt.Chart(curves).mark_line(color=style.GREY, strokeWidth=1)
        dash = _dash(curves, by, style.DASHES[1:]).legend(columns=1, **style.STROKES)
        layers.insert(0, formulas.encode(across, up, dash))
    chart = _sized(layers, width, height, dashes_apart=True)
    captioned_chart: alt.LayerChart = captioned(chart, notes, width)
    return captioned_chart


def bars(
    table: pl.DataFrame,
    x: str,
    y: str,
    by: str | None = None,
    *,
    low: str = "low",
    high: str = "high",
    units: Mapping[str, str] | None = None,
    titles: Mapping[str, str] | None = None,
    legend: str = "",
    scale: Scale = "linear",
    width: float = COLUMN,
    height: float = style.HEIGHT,
) -> alt.LayerChart:
    """Draw one bar per row, in the table's order, with its interval; groups `by` are side by side.

    On a logarithmic `scale`, where bars would begin anywhere, they are points; those that are not
    above 0 are left out.

    Examples
    --------
    >>> table = pl.DataFrame({"tcp": ["reno"], "loss": [0.1], "low": [0.08], "high": [0.12]})
    >>> len(bars(table, x="tcp", y="loss").to_dict()["layer"])
    2
    """
    expect_frame("table", table)
    expect_columns(table, [x, y, *([by] if by is not None else [])])
    if low not in table.columns or high not in table.columns:
        raise LookupError(
            f"no columns {low!r} and {high!r}: bars draws means with their intervals, which "
            "tcphoton.statistics.summarise gives"
        )
    table, names = _finite(table, y, low, high), table.get_column(x).unique(maintain_order=True)
    if scale == "log":
        table = _above_nothing(table, y, low)
    axis = _Axes(units or {}, titles or {})
    across = alt.X(
        escaped(x), type="nominal", title=axis.title(x), sort=names.to_list(),
        axis=alt.Axis(labelAngle=_angle(names, width), labelOverlap=False),
    )  # fmt: skip
    base, band = alt.Chart(table).encode(across), {"band": 0.6}
    if by is not None:
        table = table.with_columns(_texts(table, by))
        beside = alt.XOffset(f"{escaped(by)}:N", sort=_groups(table, by))
        base, band = alt.Chart(table).encode(across, beside), {"band": 1.0}
    up = alt.Y(escaped(y), type="quantitative", title=axis.title(y))
    spread = alt.Y(escaped(low), type="quantitative", title=axis.title(y))
    if scale == "log":
        bar = base.mark_point(filled=True, opacity=1, color=style.COLOURS[0])
        up, spread = (each.scale(_scale(scale)) for each in (up, spread))
    else:
        bar = base.mark_bar(color=style.COLOURS[6], stroke="black", strokeWidth=0.6, width=band)
    if by is not None:
        named: dict[str, Any] = {"title": _printable(legend)} if legend else {}
        colours = style.COLOURS if scale == "log" else style.LIGHT
        coloured = _ranged(table, by, colours)
        if len(_groups(table, by)) > len(colours):
            coloured = alt.Scale(domain=_groups(table, by), scheme="viridis")
        bar = bar.encode(alt.Color(f"{escaped(by)}:N", scale=coloured, **named))
    rule = base.mark_rule(strokeWidth=0.9)
    layers = [bar.encode(up), rule.encode(spread, alt.Y2(escaped(high)))]
    if doubts := doubtful(table):
        hollow = base.transform_filter(doubts).mark_point(**HOLLOW, color="black")
        layers.append(hollow.encode(up))
    return _sized(layers, width, height)


def series(
    report: Report,
    what: str,
    subjects: Sequence[str] | None = None,
    *,
    width: float = COLUMN,
    height: float = style.HEIGHT,
) -> alt.LayerChart:
    """Draw one of a report's series over time, as steps.

    Parameters
    ----------
    report
        A report of a scenario with ``[record] series = […]``.
    what
        The series, as the scenario names it: ``"cwnd"``.
    subjects
        The flows or links to draw, at most eight; default: the first eight. Each is thinned evenly
        to about 2000 steps.

    Examples
    --------
    >>> import tcphoton as tp
    >>> report = tp.run(tp.example("tcp-lossy-path").with_({"run.duration": "20 s"}))
    >>> chart = series(report, "cwnd")
    """
    found = report.series.filter(pl.col("what") == what)
    if found.is_empty():
        recorded = ", ".join(report.series.get_column("what").unique(maintain_order=True)) or "none"
        raise ValueError(f"the report has no series {what!r}; recorded: {recorded}")
    wanted = list(subjects or found.get_column("subject").unique(maintain_order=True))
    wanted = wanted[: len(style.COLOURS)]
    found = found.filter(pl.col("subject").is_in(wanted))
    nth = pl.int_range(pl.len()).over("subject")
    every = 1 + pl.len().over("subject") // STEPS
    found = found.filter(nth % every == 0)
    chart = alt.Chart(found).mark_line(interpolate="step-after", strokeWidth=1)
    chart = chart.encode(
        alt.X("time:Q", title="time (s)", scale=alt.Scale(nice=False, zero=True)),
        alt.Y("value:Q", title=_series_title(what)),
        *_group(found, "subject", marked=False),
    )
    return _sized([chart], width, height)


def save(
    chart: alt.TopLevelMixin,
    stem: str | os.PathLike[str],
    formats: Iterable[Format] = ("svg", "pdf", "png"),
) -> list[Path]:
    """Write a chart as `stem` with the ending of each format, and return the files.

    Parameters
    ----------
    chart
        Any Altair chart.
    stem
        The path without an ending; its folder is created if it is missing.
    formats
        Of ``svg``, ``pdf``, ``png`` (300 dots per inch) and ``html`` (the interactive form, which
        works offline).

    Raises
    ------
    OutputError
        A file cannot be written; no partially written file is left.

    Examples
    --------
    >>> import tempfile
    >>> table = pl.DataFrame({"x": [0, 1], "y": [0.0, 1.0]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [file.suffix for file in save(lines(table, "x", "y"), f"{folder}/line", ["svg"])]
    ['.svg']
    """
    stem = Path(stem)
    written = []
    for name, data in drawn(chart, stem.name, formats):
        put_file(stem.with_name(name), data)
        written.append(stem.with_name(name))
    return written


def drawn(
    chart: alt.TopLevelMixin, name: str, formats: Iterable[Format]
) -> Iterator[tuple[str, bytes]]:
    """Return the files of a chart, by their names with an ending, as `save` writes them."""
    import vl_convert

    from tcphoton.pages.blocks import svg_of

    # Our figures are valid: letting Altair validate them for each file takes as long as drawing.
    with alt.data_transformers.enable("default", max_rows=None):
        spec = chart.to_dict(validate=False)
    # The other formats are made from the drawing: to draw takes longer than to convert it.
    picture = svg_of(spec)
    for ending in formats:
        if ending == "html":
            from tcphoton.pages.page import figure_page

            data = figure_page(chart, name, picture).encode(errors="replace")
        elif ending == "svg":
            data = picture.encode()
        elif ending == "pdf":
            data = vl_convert.svg_to_pdf(picture)
        else:
            data = vl_convert.svg_to_png(picture, ppi=style.DOTS_PER_INCH)
        yield f"{name}.{ending}", data


class _Axes:
    """Titles of axes with their units."""

    def __init__(self, units: Mapping[str, str], titles: Mapping[str, str]) -> None:
        self.units = units
        self.titles = titles

    def title(self, column: str) -> str:
        name = _printable(self.titles.get(column, column))
        unit = self.units.get(column, "")
        return f"{name} ({unit})" if unit else name


def _plain(table: pl.DataFrame, x: str, y: str) -> tuple[pl.DataFrame, dict[str, str]]:
    """Return a table whose `x` is numeric, and the known units of `x` and `y`."""
    known = {y: measures.unit_of(y)}
    column = table.get_column(x)
    if column.dtype == pl.String:
        numbers = [None if text is None else quantities.number(text) for text in column]
        first = column.drop_nulls().head(1).to_list()
        known[x] = quantities.base_unit(first[0]) if first else ""
        table = table.with_columns(pl.Series(x, numbers, dtype=pl.Float64))
    return table, known


def _texts(table: pl.DataFrame, column: str) -> pl.Series:
    texts = [None if value is None else str(value) for value in table.get_column(column)]
    return pl.Series(column, texts, dtype=pl.String)


def _group(
    table: pl.DataFrame,
    by: str | None,
    legend: str = "",
    *,
    marked: bool = True,
) -> list[Any]:
    """Return colour, dash and marker of each group, in the order of appearance.

    The legend shows the markers, or the dashes if there are none, below the title `legend` if there
    is one.
    """
    if by is None:
        return []
    field = f"{escaped(by)}:N"
    named: dict[str, Any] = {"title": _printable(legend)} if legend else {}
    colour = alt.Color(field, scale=_ranged(table, by, style.COLOURS), **named)
    if not marked:
        # One legend shows both, because both have the same field, domain and shape of symbols.
        return [
            colour.legend(**style.STROKES),
            _dash(table, by, style.DASHES).legend(**style.STROKES),
        ]
    dash = _dash(table, by, style.DASHES).legend(None)
    shape = alt.Shape(field, scale=_ranged(table, by, style.SHAPES, shift=3), **named)
    return [colour, dash, shape]


def _ranged(table: pl.DataFrame, by: str, values: Sequence[Any], shift: int = 0) -> alt.Scale:
    """Return a scale that gives each group one of some values.

    Where there are more groups than values, further groups begin again, so many values later.
    """
    groups, count = _groups(table, by), len(values)
    rounds = (divmod(at, count) for at in range(len(groups)))
    taken = [values[(place + shift * times) % count] for times, place in rounds]
    return alt.Scale(domain=groups, range=taken)


def _dash(table: pl.DataFrame, by: str, dashes: list[list[int]]) -> alt.StrokeDash:
    return alt.StrokeDash(f"{escaped(by)}:N", scale=_ranged(table, by, dashes, shift=1))


def _groups(table: pl.DataFrame, by: str) -> list[str]:
    groups = [str(group) for group in table.get_column(by).unique(maintain_order=True)]
    if len(groups) > style.MOST_GROUPS:
        raise ValueError(f"{len(groups)} groups by {by!r}; {style.MOST_GROUPS} can be told apart")
    return groups


def _angle(names: pl.Series, width: float) -> int:
    """Return the angle at which names fit below a figure of so many inches."""
    letters = sum(len(str(name)) + 2 for name in names)
    return 0 if letters * LETTER <= width - style.MARGIN else -40


def _finite(table: pl.DataFrame, y: str, low: str, high: str) -> pl.DataFrame:
    """Leave out points that are not numbers, and intervals without an end."""
    ends = [
        pl.when(pl.col(low).is_finite() & pl.col(high).is_finite()).then(pl.col(end)).alias(end)
        for end in (low, high)
    ]
    numbers = table.with_columns(pl.col(y, low, high).cast(pl.Float64))
    return numbers.filter(pl.col(y).is_finite()).with_columns(ends)


def _above_nothing(table: pl.DataFrame, y: str, low: str) -> pl.DataFrame:
    """Keep what a logarithmic scale can show: an interval from 0 or below begins at the axis."""
    shown = table.filter(pl.col(y) > 0)
    positive = pl.concat([shown.get_column(name).rename("") for name in (y, low)])
    foot = positive.filter(positive > 0).min()
    return shown.with_columns(pl.when(pl.col(low) > 0).then(pl.col(low)).otherwise(foot).alias(low))


def escaped(column: str) -> str:
    """Escape a column's name for Vega-Lite, where dots, brackets and colons have a meaning."""
    for sign in "\\.[]:":
        column = column.replace(sign, f"\\{sign}")
    return column


def _scale(kind: Scale) -> alt.Scale:
    if kind == "linear":
        return alt.Scale(type=kind, zero=False)
    return alt.Scale(type=kind, nice=False, padding=5)


def _across(kind: Scale) -> alt.Scale:
    """Keep a margin between the frame and the first and the last point."""
    if kind == "linear":
        return alt.Scale(type=kind, nice=False, zero=False, padding=5)
    return _scale(kind)


def _series_title(what: str) -> str:
    unit = measures.SERIES_UNITS.get(what, "")
    return f"{_printable(what)} ({unit})" if unit else _printable(what)


def _printable(text: str) -> str:
    """Remove line ends from a title: the renderer cannot read them."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _sized(
    layers: list[alt.Chart],
    width: float,
    height: float,
    *,
    dashes_apart: bool = False,
) -> alt.LayerChart:
    """Give the plotting area the part of a figure's width that the axes leave.

    With `dashes_apart`, a dash has a different meaning in each layer, which has its own legend.
    """
    area = math.floor((width - style.MARGIN) * POINTS)
    apart = alt.Resolve(scale=alt.ScaleResolveMap(strokeDash="independent"))
    # All at once: each method of a chart would copy its layers three times.
    return alt.LayerChart(
        layer=layers,
        width=area,
        height=math.floor(height * POINTS),
        resolve=apart if dashes_apart else alt.Undefined,
    )
