"""Charts that the figures of several papers are made of."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from tcphoton import figures
from tcphoton.figures import style
from tcphoton.papers.rules import QUARTER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tcphoton.papers.ledger import Claim

ROW = 13
"""Points between two rows of a chart."""


def said(chart: Any, text: str) -> Any:
    """Say above a chart what the paper's text states of it, if anything."""
    if not text:
        return chart
    title = alt.Title(f"published: {text}", fontSize=8, color=style.GREY, offset=6)
    if isinstance(chart.title, alt.TitleParams):
        # What open points mean stands below it.
        title = title.copy()
        title.subtitle, title.subtitleFontSize = chart.title.text, chart.title.fontSize
        title.anchor = "start"
    return chart.properties(title=title)


def ringed(chart: Any, x: str, y: str, points: Mapping[float, float]) -> Any:
    """Put rings where published numbers belong."""
    rings = pl.DataFrame({x: list(points), y: list(points.values())}, schema={x: float, y: float})
    mark = alt.Chart(rings).mark_point(
        shape="circle", filled=False, size=110, strokeWidth=1.1, color=style.GREY
    )
    return chart + mark.encode(alt.X(f"{x}:Q"), alt.Y(f"{y}:Q"))


def beside(panels: Iterable[Any]) -> Any:
    """Put charts side by side."""
    return alt.hconcat(*panels, spacing=14)


def ticked(chart: Any, x: str, names: Mapping[float, str], joined: float = math.inf) -> Any:
    """Name the ticks across, and join points by lines only up to a value.

    Parameters
    ----------
    chart, x
        What `figures.lines` has made, and its column across.
    names
        What stands at each value that has a tick.
    joined
        The largest value that is joined to the one before it.
    """
    chosen = " : ".join(
        f"datum.value === {at:g} ? {json.dumps(name)}" for at, name in names.items()
    )
    axis = alt.Axis(values=list(names), labelExpr=f"{chosen} : ''", labelOverlap=False)
    chart = chart.copy()
    for layer in chart.layer:
        layer.encoding.x = layer.encoding.x.axis(axis)
        if math.isfinite(joined) and getattr(layer.mark, "type", layer.mark) == "line":
            layer.transform = [alt.FilterTransform(f"datum[{json.dumps(x)}] <= {joined:g}")]
    return chart


def panel(
    title: str, rows: pl.DataFrame, unit: str = "", band: tuple[float, float] | None = None
) -> Any:
    """Draw a row for each of some numbers with its interval.

    Parameters
    ----------
    title
        What the numbers are.
    rows
        The columns ``with`` (its name), ``ours``, ``low`` and ``high``. Where all rows have the
        same number in ``published``, a grey band is what that counts as, and the line in it is the
        number; where they have different ones, each is a ring in its row.
    unit
        The title of the axis.
    band
        The least and the largest published number, between which all is grey.
    """
    # All layers have the rows in their order, those that lack some of them, too.
    up = alt.Y(
        "with:N",
        title=None,
        sort=rows.get_column("with").to_list(),
        axis=alt.Axis(domain=False, ticks=False, labelPadding=6),
    )
    scale = alt.Scale(zero=False, nice=True)
    across = {name: alt.X(f"{name}:Q", title=unit, scale=scale) for name in ("ours", "low")}
    ours = alt.Chart(rows)
    layers = [
        *_band(band, unit),
        *_published(rows, unit, up),
        ours.mark_rule(strokeWidth=1.1).encode(up, across["low"], alt.X2("high:Q")),
        ours.mark_point(color="black", opacity=1).encode(up, across["ours"]),
    ]
    width = round((figures.PAGE - 2 * 1.5) / 2 * figures.POINTS)
    return alt.layer(*layers, title=title, width=width, height=ROW * rows.height)


def _published(rows: pl.DataFrame, unit: str, up: Any) -> list[Any]:
    if "published" not in rows.columns:
        return []
    known = rows.drop_nulls("published")
    across = alt.X("published:Q", title=unit, scale=alt.Scale(zero=False, nice=True))
    if known.get_column("published").n_unique() != 1 or known.height < rows.height:
        ring = alt.Chart(known).mark_point(
            shape="circle", filled=False, size=80, strokeWidth=1.1, color=style.GREY
        )
        return [ring.encode(up, across)] if known.height else []
    number = float(known.get_column("published")[0])
    published = pl.DataFrame(
        {
            "published": [number],
            "low": [number * (1 - QUARTER)],
            "high": [number * (1 + QUARTER)],
        }
    )
    line = alt.Chart(published).mark_rule(color=style.GREY, strokeWidth=1)
    return [_grey(published, unit), line.encode(across)]


def _band(band: tuple[float, float] | None, unit: str) -> list[Any]:
    if band is None:
        return []
    return [_grey(pl.DataFrame({"low": [band[0]], "high": [band[1]]}), unit)]


def _grey(ends: pl.DataFrame, unit: str) -> Any:
    across = alt.X("low:Q", title=unit, scale=alt.Scale(zero=False, nice=True))
    return alt.Chart(ends).mark_rect(color="#dddddd", opacity=0.7).encode(across, alt.X2("high:Q"))


def sensitivity(
    claims: Iterable[Claim],
    artefact: str,
    about: Mapping[str, str] | None = None,
    *,
    bands: bool = False,
    seen: tuple[float, float] = (-math.inf, math.inf),
) -> Callable[[pl.DataFrame], Any]:
    """Draw what the rules of claims give under other assumptions, a panel a claim's part.

    A part's name begins with the assumption, up to its first comma. Where the paper has about a
    number, the grey band is what that counts as; the line in it is the number.

    Parameters
    ----------
    claims
        The claims.
    artefact
        The artefact whose parts are drawn.
    about
        What the parts of a claim leave unsaid.
    bands
        Whether the numbers that hold are a grey band, too, where the paper has no number.
    seen
        Where an interval is cut off that reaches further.
    """
    claims = tuple(claims)

    def figure(table: pl.DataFrame) -> Any:
        panels: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
        held: dict[tuple[str, str, str], tuple[float, float]] = {}
        for claim in claims:
            for part in claim.sensitivity:
                found = part.rule(table) if part.artefact == artefact else None
                if found is None or found.ours is None or found.interval is None:
                    continue
                name, _, rest = part.name.partition(", ")
                number = re.search(r"(?<=about )[\d.]+", part.published)
                row = {"with": name, "ours": found.ours}
                row |= {"published": float(number[0]) if number else None}
                row |= {"low": max(found.interval[0], min(seen[0], found.ours))}
                row |= {"high": min(found.interval[1], max(seen[1], found.ours))}
                what = ", ".join(filter(None, ((about or {}).get(claim.claim), rest)))
                key = (f"{claim.claim}: {what}", found.unit, part.published)
                panels.setdefault(key, []).append(row)
                if bands and found.band and found.published is None:
                    held[key] = found.band
        schema = {"published": pl.Float64}
        charts = [
            panel(
                key[0],
                pl.DataFrame(rows, schema_overrides=schema),
                key[1],
                _shown(held.get(key), rows),
            )
            for key, rows in panels.items()
        ]
        return alt.concat(*charts, columns=2, spacing=12) if charts else alt.Chart().mark_point()

    return figure


def _shown(
    ends: tuple[float, float] | None, rows: Iterable[Mapping[str, Any]]
) -> tuple[float, float] | None:
    """Return what can be seen of a band in a panel with some rows; none if that is nothing."""
    if ends is None:
        return None
    least = min(row["low"] for row in rows)
    largest = max(row["high"] for row in rows)
    low, high = (
        end if math.isfinite(end) else other
        for end, other in zip(ends, (least, largest), strict=True)
    )
    return (low, high) if low < high else None
