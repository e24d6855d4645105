r"""Second looks: the intervals of points that got further seeds after a first verdict.

A verdict that is looked at twice has two chances to be wrong. So the second look is taken at 98 %:
what is around the mean of an extended point is widened by the ratio of Student's quantiles,
:math:`t_{n-1, 0.99} / t_{n-1, 0.975}`. For normal values, an interval with one such look covers in
93 to 96 % of the cases, whatever the distance of the truth from the bound
(``tests/python/test_settle.py``); at 95 % it would be as few as 90 %.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl
from scipy import special

if TYPE_CHECKING:
    from collections.abc import Sequence

FIRST, SECOND = 0.95, 0.98
"""The levels of the intervals of the two looks."""
LOOK = "look"
"""A column that says whether a point has been extended after the planned seeds: 2; otherwise 1."""


def reach(number: int, level: float) -> float:
    """Return the half-width of an interval over the standard deviation."""
    return float(special.stdtrit(number - 1, (1 + level) / 2)) / math.sqrt(number)


def widened(table: pl.DataFrame, point: Sequence[str]) -> pl.DataFrame:
    """Return a table in which intervals at extended points are those of a second look.

    A value's distance from the mean of its point is multiplied, so every interval that is made of
    the values is wider by the same factor, and means stay what they are. `point` are the columns of
    a point.
    """
    numbers = [
        name
        for name, kind in table.schema.items()
        if kind.is_numeric() and name not in (*point, "seed", LOOK)
    ]
    most = table.height
    factors = pl.Series(
        [1.0, 1.0, *(reach(n, SECOND) / reach(n, FIRST) for n in range(2, most + 1))]
    )

    def wide(name: str) -> pl.Expr:
        value = pl.col(name).cast(pl.Float64)
        mean, number = (each.over(point) for each in (value.mean(), value.count()))
        factor = number.replace_strict(pl.Series(range(most + 1)), factors, return_dtype=pl.Float64)
        return pl.when(pl.col(LOOK) == 2).then(mean + factor * (value - mean)).otherwise(value)  # noqa: PLR2004

    return table.with_columns(wide(name).alias(name) for name in numbers)
