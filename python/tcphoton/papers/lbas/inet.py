"""NewReno as INET 2.1.0 had it: runs of two kinds, and the means of three of them."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np
import polars as pl

from tcphoton.figures import style
from tcphoton.papers.lbas.drawing import concat, published_at
from tcphoton.papers.lbas.measures import ACCESS, CELL, POLICIES, RATES, VARIANT

if TYPE_CHECKING:
    from collections.abc import Sequence

RUNS = 3
"""The seeds of a number that the paper prints: ours, since it names none."""
MIDDLE = (0.025, 0.975)
GOODPUT = pl.col("traffic.2.goodput") / pl.col("traffic.2.flows") / 1e6
"""That of a cell in Mb/s; no tables of links are kept here, from which further measures come."""
ROW = 18


def means_of_three(runs: Sequence[float]) -> tuple[float, float]:
    """Return between what 95 % of the means of three runs lie that are drawn from some, any twice.

    All draws are counted, so the range is that of the bootstrap and has no error of drawing. Of
    runs of two kinds it has a step for each number of runs of either kind, and no normal law.

    Examples
    --------
    >>> means_of_three([10, 10, 10])
    (10.0, 10.0)
    >>> means_of_three([0, 300])
    (0.0, 300.0)
    """
    means = np.mean(list(product(runs, repeat=RUNS)), axis=1)
    low, high = np.quantile(means, MIDDLE, method="inverted_cdf")
    return float(low), float(high)


def inet(table: pl.DataFrame) -> Any:
    """Draw each run's goodput, and where means of three lie, beside the published number."""
    drawn = []
    for access, text in RATES.items():
        published = published_at(access)
        for policy in POLICIES:
            here = table.filter(pl.col(ACCESS) == text, pl.col(VARIANT) == policy)
            if here.is_empty():
                continue
            cells = here.get_column(CELL).unique(maintain_order=True).to_list()
            rows = []
            for name in cells:
                runs = here.filter(pl.col(CELL) == name).select(GOODPUT).to_series()
                low, high = means_of_three(runs.to_list())
                rows.append(
                    {"cell": name, "low": low, "high": high, "published": published(policy, name)}
                )
            up = alt.Y("cell:N", sort=cells, title=None, axis=alt.Axis(domain=False, ticks=False))
            scale = alt.Scale(type="log", domain=[1, 1000])
            side = alt.X("goodput:Q", title="goodput (Mb/s)", scale=scale, axis=_axis())
            ranges = alt.Chart(pl.DataFrame(rows))
            layers = [
                ranges.mark_bar(color="#e4e4e4", height=ROW - 6).encode(
                    alt.X("low:Q", scale=scale), alt.X2("high:Q"), up
                ),
                ranges.mark_tick(color=style.COLOURS[2], thickness=2, height=ROW - 4).encode(
                    alt.X("published:Q", scale=scale), up
                ),
                alt.Chart(here.select(cell=CELL, goodput=GOODPUT))
                .mark_point(size=18, filled=False, strokeWidth=0.9, color="black", opacity=0.8)
                .encode(side, up),
            ]
            title = f"{policy}, U = {access} Mb/s"
            drawn.append(alt.layer(*layers, title=title, width=210, height=ROW * len(cells)))
    note = "○ a run; grey: 95 % of the means of three of them; bar: published"
    return concat(drawn).properties(title=alt.Title(note, fontSize=8, color=style.GREY))


def _axis() -> alt.Axis:
    return alt.Axis(values=[1, 3, 10, 30, 100, 300, 1000], labelExpr=style.SHORT_NUMBER)
