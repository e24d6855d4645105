"""The one style of all figures: sizes, colours, dashes, markers and the theme.

It is for columns of a paper, for grey prints and for the colour-blind: every series differs in
colour (the palette of Okabe and Ito, Color Universal Design, 2008), dash and marker. Text is in
Arial or, where that is absent, in Liberation Sans, which has the same widths and comes with the
renderer.
"""

from __future__ import annotations

from typing import Any

import altair as alt

POINTS = 72
"""Points in an inch: the unit of all lengths in a figure."""
COLUMN = 3.4
"""Inches of a column in a paper of two columns."""
PAGE = 7.0
"""Inches of both columns."""
HEIGHT = 2.1
"""Inches of a figure's plotting area, by default."""
MARGIN = 0.72
"""Inches beside the plotting area: the axis, whose extent is fixed so that the plotting areas of
figures below each other align, its title, and the padding of both sides."""
DOTS_PER_INCH = 300
SHORT_NUMBER = "abs(datum.value) >= 1e4 ? format(datum.value, '~s') : datum.label"
"""Vega's expression for the label of a tick: thousands and more with a prefix, as in 20k."""

COLOURS = ["#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442"]
LIGHT = [*(COLOURS[at] for at in (7, 6, 3, 1, 5, 2, 4)), "#FFFFFF"]
"""The palette for areas, on which a black interval is visible; the first four differ in grey."""
DASHES = [[1, 0], [6, 2], [2, 2], [8, 2, 2, 2], [4, 2], [1, 1], [8, 3, 1, 3, 1, 3], [10, 2]]
SHAPES = [
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
    "arrow",
]
MOST_GROUPS = 2 * len(COLOURS)
"""Maximum groups of a figure: of two with one colour the markers and dashes differ."""
STROKES: dict[str, Any] = {"symbolType": "stroke", "symbolSize": 200}
"""Symbols of a legend that are long enough to show a dash."""
GREY = "#444444"
FONT = "Arial, 'Liberation Sans', Helvetica, sans-serif"


# Figures only hold the rows that they show, which can be more than the limit for web pages.
alt.data_transformers.disable_max_rows()


@alt.theme.register("tcphoton", enable=True)
def theme() -> alt.theme.ThemeConfig:
    """Return the common style, which Altair applies to every chart after this module is loaded.

    Examples
    --------
    >>> theme()["config"]["font"].split(",")[0]
    'Arial'
    """
    return {
        "config": {
            "font": FONT,
            "background": "white",
            "view": {"stroke": None},
            "axis": {
                "domainColor": GREY,
                "domainWidth": 0.6,
                "gridColor": "#dddddd",
                "gridWidth": 0.4,
                "labelFontSize": 8,
                "labelOverlap": "greedy",
                "labelSeparation": 4,
                "tickColor": GREY,
                "tickSize": 3,
                "tickWidth": 0.6,
                "titleFontSize": 9,
                "titleFontWeight": "normal",
                "titlePadding": 4,
            },
            "axisYQuantitative": {"minExtent": 26, "labelExpr": SHORT_NUMBER},
            "axisXQuantitative": {"labelExpr": SHORT_NUMBER},
            "legend": {
                "columns": 3,
                "columnPadding": 8,
                "offset": 6,
                "rowPadding": 1,
                "labelFontSize": 8,
                "labelLimit": 220,
                "orient": "bottom",
                "symbolOpacity": 1,
                "symbolSize": 45,
                "symbolStrokeWidth": 1.3,
                "title": None,
                "titleFontSize": 8,
                "titleFontWeight": "normal",
            },
            "title": {"fontSize": 9, "fontWeight": "normal", "anchor": "start", "offset": 4},
            "header": {"labelFontSize": 8, "titleFontSize": 9, "titleFontWeight": "normal"},
            "line": {"strokeWidth": 1.3},
            "point": {"size": 28, "filled": True},
            "range": {"category": COLOURS},
        }
    }
