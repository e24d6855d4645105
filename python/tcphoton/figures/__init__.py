"""Figures in one style: readable in a column of a paper, in grey and by the colour-blind.

One description gives SVG, PDF, PNG and a page that works offline. See `tcphoton.figures.style`.
"""

from tcphoton.figures.charts import (
    COLUMN,
    PAGE,
    POINTS,
    bars,
    drawn,
    escaped,
    lines,
    save,
    series,
    theme,
)

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
