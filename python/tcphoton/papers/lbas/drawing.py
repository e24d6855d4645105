"""What the figures of the paper have in common: tables of numbers and rows of dots."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from tcphoton.analysis.statistics import Interval, mean_interval
from tcphoton.common import quantities
from tcphoton.figures import style
from tcphoton.papers.charts import panel
from tcphoton.papers.lbas.measures import ACCESS, ALL, CELL, POLICIES, VARIANT, cell, goodput_of

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Sequence

WIDTH, ROW, PLAIN = 74, 20, 13
"""Points of a column and of a row in a table of numbers, with and without published ones."""
ORDER = (*POLICIES, "Random", "ECMP", "flowlet, 500 µs", "flowlet, 50 µs")
"""The policies from the top of a figure to its foot."""
CELLS = tuple(cell(*each) for each in ALL)
"""The columns from the left."""
MANY = 1e5
"""Numbers from this one on are shown in thousands."""


def rows_of(table: pl.DataFrame, **at: object) -> pl.DataFrame:
    """Return the rows at a policy, a cell and an access rate in Mb/s, as far as these are given."""
    keys = {"policy": VARIANT, "cell": CELL, "access": ACCESS}
    if "access" in at:
        at["access"] = next(
            text for text in table[ACCESS].unique() if access_of(text) == at["access"]
        )
    return table.filter(*(pl.col(keys[name]) == value for name, value in at.items()))


def access_of(text: str) -> float:
    """Return an access rate in Mb/s.

    Examples
    --------
    >>> access_of("1 Gb/s")
    1000.0
    """
    return quantities.number(text) / 1e6


def interval(rows: pl.DataFrame, value: str) -> Interval:
    """Return the mean of a measure over the seeds of a point, with its interval."""
    if value not in rows.columns:
        return mean_interval([])
    return mean_interval(rows.get_column(value).drop_nulls().cast(pl.Float64))


def of_cells(
    table: pl.DataFrame,
    found: Callable[[pl.DataFrame], Interval],
    policies: Iterable[str] = ORDER,
    cells: Iterable[str] = CELLS,
) -> dict[tuple[str, str], Interval]:
    """Return what is found of each policy in each cell that has runs."""
    here = {}
    cells = list(cells)
    for policy in policies:
        for each in cells:
            rows = rows_of(table, policy=policy, cell=each)
            if not rows.is_empty() and (known := found(rows)).n:
                here[policy, each] = known
    return here


def published_at(access: int) -> Callable[[str, str], float | None]:
    """Return what gives the published goodput of a policy in a cell, if the paper has it."""
    columns = {cell(*each): each for each in ALL}

    def of(policy: str, name: str) -> float | None:
        return goodput_of(access, policy, *columns[name]) if policy in POLICIES else None

    return of


def numbers(
    found: dict[tuple[str, str], Interval],
    title: str,
    published: Callable[[str, str], float | None] | None = None,
    *,
    digits: int = 3,
    across: int = WIDTH,
    marked: Container[tuple[str, str]] = (),
) -> Any:
    """Draw a table of numbers, policies down and cells across, the published ones below in grey.

    Numbers of policies and cells that are `marked` have a dagger.
    """
    rows = [
        {
            "policy": policy,
            "cell": each,
            "ours": text_of(known, digits) + (" †" if (policy, each) in marked else ""),
            "published": _published(published, policy, each),
        }
        for (policy, each), known in found.items()
    ]
    return numbers_of(rows, title, across)


def numbers_of(rows: Sequence[dict[str, str]], title: str, across: int = WIDTH) -> Any:
    """Draw a table of texts: the keys ``policy``, ``cell``, ``ours`` and ``published``."""
    schema = {"policy": pl.String, "cell": pl.String, "ours": pl.String, "published": pl.String}
    table = pl.DataFrame(rows, schema=schema)
    side = alt.X("cell:N", sort=None, title=None, axis=_bare(orient="top"))
    up = alt.Y("policy:N", sort=None, title=None, axis=_bare())
    base = alt.Chart(table).encode(side, up)
    two = bool(table.get_column("published").str.len_chars().sum())
    layers = [base.mark_text(fontSize=8, dy=-4 if two else 0).encode(alt.Text("ours:N"))]
    if two:
        grey = base.mark_text(fontSize=7, dy=5, color=style.GREY, fontStyle="italic")
        layers.append(grey.encode(alt.Text("published:N")))
    width = across * max(1, table.get_column("cell").n_unique())
    height = (ROW if two else PLAIN) * max(1, table.get_column("policy").n_unique())
    return alt.layer(*layers, title=title, width=width, height=height)


def panels(
    found: dict[tuple[str, str], Interval],
    unit: str,
    published: Callable[[str, str], float | None] | None = None,
) -> list[Any]:
    """Return one panel per cell with one row per policy, the published number as a ring."""
    drawn = []
    for each in dict.fromkeys(name for _, name in found):
        rows = []
        for (policy, name), known in found.items():
            if name != each:
                continue
            low, high = (end if math.isfinite(end) else known.mean for end in known[1:3])
            row = {"with": policy, "ours": known.mean, "low": low, "high": high}
            if published is not None:
                row["published"] = published(policy, name)
            rows.append(row)
        table = pl.DataFrame(rows, schema_overrides={"published": pl.Float64} if published else {})
        drawn.append(panel(each, table, unit))
    return drawn


def concat(charts: Sequence[Any], columns: int = 2) -> Any:
    """Put charts beside and below each other."""
    return alt.concat(*charts, columns=columns, spacing=12)


def _bare(**options: Any) -> alt.Axis:
    return alt.Axis(domain=False, ticks=False, labelAngle=0, labelPadding=6, grid=False, **options)


def text_of(known: Interval, digits: int = 3) -> str:
    """Return a number with half of its interval: whole above 1000, in thousands from `MANY` on.

    Examples
    --------
    >>> text_of(Interval(12.345, 12.0, 12.69, 3)), text_of(Interval(4321.0, 4200.0, 4442.0, 3))
    ('12.3 ± 0.34', '4,321 ± 121')
    >>> text_of(Interval(1040227.0, 453362.0, 1627092.0, 3))
    '1,040 ± 587 k'
    """
    unit, suffix = (1000, " k") if abs(known.mean) >= MANY else (1, "")
    half = (known.high - known.low) / 2
    mean = _rounded(known.mean / unit, digits)
    return f"{mean} ± {_rounded(half / unit, 2)}{suffix}" if math.isfinite(half) else mean + suffix


def _rounded(number: float, digits: int) -> str:
    return f"{number:.{digits}g}" if abs(number) < 10**digits else f"{number:,.0f}"


def _published(published: Callable[[str, str], float | None] | None, policy: str, each: str) -> str:
    number = published(policy, each) if published else None
    return "" if number is None else f"{number:g}"
