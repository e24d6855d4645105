"""Figures of a search: what survives of each assumption, the targets' numbers, and the claims."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from tcphoton.figures import style
from tcphoton.figures.charts import PAGE, POINTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tcphoton.readings.outcome import Outcome

ROW = 13
"""Points between two rows."""
SHARE = "share of the readings with this value that survive"
FURTHEST = 4.0
"""Half-widths of a band at which a number is drawn at the most."""
SHAPES = {"as assumed": "circle", "best joint reading": "diamond"}


def assumptions(found: Outcome) -> Any:
    """Draw for each value the share of its readings that survive; the value assumed is filled."""
    rows = pl.DataFrame(
        [
            {
                "name": f"{row['assumption']}: {row['value']}",
                "share": row["surviving"] / row["tried"],
                "tried": row["tried"],
                "kind": "as assumed" if row["as assumed"] else "other value",
            }
            for row in found.values
            if row["tried"]
        ]
    )
    up = _rows(rows.get_column("name").to_list())
    bars = alt.Chart(rows).mark_bar(height=ROW * 0.6)
    bars = bars.encode(
        up,
        alt.X(
            "share:Q",
            title=SHARE,
            axis=alt.Axis(format="%"),
        ),
        alt.Color(
            "kind:N",
            scale=alt.Scale(
                domain=["as assumed", "other value"], range=[style.COLOURS[1], style.COLOURS[6]]
            ),
        ),
    )
    text = alt.Chart(rows).mark_text(align="left", dx=3, fontSize=7, color=style.GREY)
    return _sized(bars + text.encode(up, alt.X("share:Q"), alt.Text("tried:Q")), rows.height)


def targets(found: Outcome) -> Any:
    """Draw each target's number in half-widths of its band, which is grey.

    A thin line goes over all readings, a thick one over the surviving ones. Of a band with one end
    the distance is in multiples of what the surviving readings span.
    """
    rows = [made for row in found.targets if (made := _target(row)) is not None]
    frame = pl.DataFrame(rows)
    names = frame.get_column("name").to_list()
    up, scale = _rows(names), alt.Scale(domain=[-FURTHEST, FURTHEST], clamp=True)
    title = [
        "distance from the published number (half-widths of its band)",
        "grey: the band; thin line: all readings; thick line: those that survive",
    ]

    def x(column: str) -> alt.X:
        return alt.X(f"{column}:Q", title=title, scale=scale)

    base = alt.Chart(frame)
    band = base.mark_bar(height=ROW * 0.75, color="#dddddd").encode(up, x("from"), alt.X2("to:Q"))
    whole = base.mark_rule(strokeWidth=0.8, color=style.GREY).encode(
        up, x("least"), alt.X2("largest:Q")
    )
    left = base.mark_rule(strokeWidth=3, color=style.COLOURS[6]).encode(
        up, x("least-surviving"), alt.X2("largest-surviving:Q")
    )
    points = frame.unpivot(
        ["as assumed", "best joint reading"], index="name", variable_name="reading"
    )
    marks = alt.Chart(points.drop_nulls("value")).mark_point(filled=True, size=34, opacity=1)
    kinds = list(SHAPES)
    marks = marks.encode(
        up,
        x("value"),
        alt.Color("reading:N", scale=alt.Scale(domain=kinds, range=style.COLOURS[1:3])),
        alt.Shape("reading:N", scale=alt.Scale(domain=kinds, range=list(SHAPES.values()))),
    )
    return _sized(band + whole + left + marks, frame.height)


def _target(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a target with its numbers in half-widths of its band."""
    low, high = row["low"], row["high"]
    if row["least"] is None or (low is None and high is None):
        return None
    if low is not None and high is not None:
        middle, half = (low + high) / 2, (high - low) / 2
        ends = -1.0, 1.0
    else:
        middle = low if low is not None else high
        span = max(abs(row["largest"] - middle), abs(row["least"] - middle))
        half = span / FURTHEST
        ends = (0.0, FURTHEST) if high is None else (-FURTHEST, 0.0)
    if half == 0:
        return None

    def scaled(value: float | None) -> float | None:
        return None if value is None else max(-FURTHEST, min((value - middle) / half, FURTHEST))

    said = f"{row['claim']}: {row['part']} ({row['published']})"
    return {
        "name": said if row["counts"] else f"({said})",
        "from": ends[0],
        "to": ends[1],
        **{name: scaled(row[name]) for name in ("least", "largest")},
        **{name: scaled(row[name]) for name in ("least-surviving", "largest-surviving")},
        "as assumed": scaled(row["as-assumed"]),
        "best joint reading": scaled(row["best"]),
    }


def claims(found: Outcome) -> Any:
    """Draw for each claim the share of readings under which its numbers agree."""
    kinds = {"all": ("agree", "of"), "surviving": ("agree-surviving", "surviving")}
    rows = pl.DataFrame(
        [
            {
                "name": f"{row['claim']} ({row['role']})",
                "share": row[agree] / row[of],
                "readings": kind,
            }
            for row in found.claims
            for kind, (agree, of) in kinds.items()
            if row[of]
        ]
    )
    names = list(dict.fromkeys(rows.get_column("name").to_list()))
    bars = alt.Chart(rows).mark_bar()
    bars = bars.encode(
        _rows(names),
        alt.X("share:Q", title="share of readings in which it agrees", axis=alt.Axis(format="%")),
        alt.YOffset("readings:N", sort=list(kinds)),
        alt.Color(
            "readings:N",
            scale=alt.Scale(domain=list(kinds), range=[style.COLOURS[6], style.COLOURS[1]]),
        ),
    )
    return _sized(bars, 2 * len(names))


def _rows(names: list[str]) -> alt.Y:
    axis = alt.Axis(domain=False, ticks=False, labelPadding=6, labelLimit=330)
    return alt.Y("name:N", title=None, sort=names, axis=axis)


def _sized(chart: Any, rows: int) -> Any:
    return chart.properties(width=round(PAGE / 2 * POINTS), height=ROW * max(rows, 1))


FIGURES: dict[str, Callable[[Outcome], Any]] = {
    "assumptions": assumptions,
    "targets": targets,
    "claims": claims,
}
"""The figures of a search by their names."""
