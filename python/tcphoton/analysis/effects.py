"""The effect of each axis of a study on its measures, the largest first.

The main effect of an axis is the difference between the two of its values at which a measure is
largest and smallest on average over all other axes (D. C. Montgomery, Design and Analysis of
Experiments, 8th ed., Wiley 2013, section 5.3). It is computed from the combinations of the other
axes at which every value of the axis has the measure, if there are any, seed by seed. Since these
two values were chosen for their distance, the interval and the probability are those of a choice
among all pairs of values (Bonferroni); which effects are more than chance is decided among all of
them (Benjamini and Hochberg, as in `tcphoton.analysis.comparison`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton.analysis import comparison
from tcphoton.analysis.interval import Interval
from tcphoton.analysis.points import caveats_of, same_runs
from tcphoton.analysis.statistics import mean_interval
from tcphoton.runs import caveats
from tcphoton.runs.caveats import Caveat

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence


__all__ = ["Effect", "effects"]

LEVEL = "level of the axis"
"""A column with the number of the value of an axis; keys of scenarios have no spaces."""
OTHER = "other value"


@dataclass(frozen=True)
class Effect:
    """The main effect of an axis on a measure.

    Attributes
    ----------
    axis
        The key, or all keys that vary together.
    measure
        The measure.
    low_at, high_at
        The values of the axis at which the measure is smallest and largest, one for each key.
    low, high
        The means there.
    difference
        By how much `high` exceeds `low`.
    p
        The probability of such a difference by chance; NaN with a single seed.
    contrary, cells
        In how many of the combinations of the other axes the difference has the other sign, and
        how many combinations it is from.
    lacking
        The points where no run has a value of the measure, but for those of `unknown_at`.
    paired
        Whether both values have a combination in common.
    unknown_at
        The values of the axis at which no run has a value of the measure.
    equal
        The further values of the axis with the same mean as `low_at`, and as `high_at`.
    caveats
        What to know about the runs: of any at both values, or without a value.
    moved
        Whether the effect is more than chance.
    apart
        The largest ratio of two of the combinations' means at one of both values: where it is
        large, the largest of them decide `low` and `high`. 1 where one is not above 0.
    """

    axis: tuple[str, ...]
    measure: str
    low_at: tuple[Any, ...]
    high_at: tuple[Any, ...]
    low: float
    high: float
    difference: Interval
    p: float
    contrary: int
    cells: int
    lacking: tuple[Mapping[str, Any], ...] = ()
    paired: bool = True
    unknown_at: tuple[tuple[Any, ...], ...] = ()
    equal: tuple[tuple[tuple[Any, ...], ...], tuple[tuple[Any, ...], ...]] = ((), ())
    caveats: tuple[Caveat, ...] = ()
    moved: bool = False
    apart: float = 1.0

    @property
    def is_incomplete(self) -> bool:
        """Whether the measure has no value in some runs, or at some values of the axis."""
        return len(self.unknown_at) > 0 or any(each.kind == "missing" for each in self.caveats)

    @property
    def size(self) -> float:
        """The difference relative to the middle of both means: 2 where one of them is 0."""
        middle = (abs(self.low) + abs(self.high)) / 2
        return abs(self.difference.mean) / middle if middle else 0.0


def effects(
    table: pl.DataFrame,
    axes: Sequence[str],
    measures: Sequence[str],
    together: Sequence[frozenset[str]] = (),
    absent: object = None,
) -> list[Effect]:
    """Return the main effects, those that are more than chance and the largest of them first.

    Of those, effects on measures that have no value somewhere come last: there they may be larger.

    Parameters
    ----------
    table
        One row per run, with a column ``seed``.
    axes
        The keys that vary.
    measures
        The measures.
    together
        Groups of keys that vary together, and have one effect.
    absent
        What stands for a key that a run does not have: no value, which nothing is compared with.

    Examples
    --------
    >>> cells = [(p, seed) for p in (1, 2, 3) for seed in (1, 2, 3)]
    >>> goodput = [10.0 * p + seed + (p * seed % 2) / 10 for p, seed in cells]
    >>> rows = pl.DataFrame(
    ...     {"p": [p for p, _ in cells], "seed": [s for _, s in cells], "goodput": goodput}
    ... )
    >>> (found,) = effects(rows, ["p"], ["goodput"])
    >>> found.low_at, found.high_at, round(found.difference.mean, 3), found.moved
    ((1,), (3,), 20.0, True)
    """
    factors = _factors(axes, together)
    found = []
    for factor in factors:
        others = [key for key in axes if key not in factor]
        levels = table.select(factor).unique(maintain_order=True)
        if absent is not None:
            levels = levels.filter(~pl.any_horizontal(pl.col(factor).cast(pl.String) == absent))
        if levels.height < 2:  # noqa: PLR2004
            continue
        numbered = table.join(
            levels.with_row_index(LEVEL),
            on=list(factor),
            nulls_equal=True,
            maintain_order="left",
        )
        for measure in measures:
            each = _effect(numbered, factor, others, measure, levels)
            if each is not None:
                found.append(each)
    chances = comparison.adjusted([each.p for each in found])
    told = [
        replace(each, moved=p < comparison.LEVEL and each.difference.mean != 0)
        for each, p in zip(found, chances, strict=True)
    ]
    return sorted(told, key=lambda each: (not each.moved, each.is_incomplete, -each.size))


def _factors(axes: Sequence[str], together: Sequence[frozenset[str]]) -> list[tuple[str, ...]]:
    """Return the axes, those that vary together as one."""
    groups = (
        tuple(key for key in axes if key in next((g for g in together if axis in g), {axis}))
        for axis in axes
    )
    return list(dict.fromkeys(groups))


def _effect(
    table: pl.DataFrame,
    factor: tuple[str, ...],
    others: Sequence[str],
    measure: str,
    levels: pl.DataFrame,
) -> Effect | None:
    """Return the main effect of an axis on a measure; none without two values that compare."""
    cells = [*others, "seed"]
    rows = table.select(LEVEL, *cells, pl.col(measure).cast(pl.Float64)).drop_nulls(measure)
    unknown = set(range(levels.height)) - set(rows.get_column(LEVEL))
    rows = _shared(rows, others)
    # Means that differ by rounding are equal, and of equal ones the first value is told.
    means = rows.group_by(LEVEL).agg(pl.col(measure).mean().round_sig_figs(9)).sort(measure, LEVEL)
    if means.height < 2:  # noqa: PLR2004
        return None
    most = means.filter(pl.col(measure) == means.get_column(measure)[-1])
    ends = [int(means.get_column(LEVEL)[0]), int(most.get_column(LEVEL)[0])]
    least = means.filter(pl.col(measure) == means.get_column(measure)[0])
    equal = [each.get_column(LEVEL).to_list()[1:] for each in (least, most)]
    low, high = (rows.filter(pl.col(LEVEL) == end).drop(LEVEL) for end in ends)
    pairs = math.comb(levels.height, 2)
    level = 1 - comparison.LEVEL / pairs
    both = high.join(low.rename({measure: OTHER}), on=cells, nulls_equal=True)
    if both.height:
        by_seed = both.group_by("seed").agg(pl.col(measure, OTHER).mean()).sort("seed")
        differences = (by_seed.get_column(measure) - by_seed.get_column(OTHER)).to_list()
        shown = mean_interval(differences, level)
        chance = comparison.chance(mean_interval(differences))
        lowest, highest = (
            mean_interval(by_seed.get_column(name)).mean for name in (OTHER, measure)
        )
        means = both.group_by(others).agg(pl.col(measure, OTHER).mean()) if others else both
        of_cells = means.get_column(measure) - means.get_column(OTHER)
        apart = max(_apart(means.get_column(name)) for name in (measure, OTHER))
    else:  # No seed in common.
        ones, twos = (
            each.group_by("seed").agg(pl.col(measure).mean()).sort("seed").get_column(measure)
            for each in (high, low)
        )
        shown, _ = comparison.welch(ones.to_list(), twos.to_list(), level)
        _, chance = comparison.welch(ones.to_list(), twos.to_list())
        lowest, highest = mean_interval(twos).mean, mean_interval(ones).mean
        of_cells, apart = pl.Series([shown.mean]), 1.0
    if shown.mean < 0:
        # Cells that only one value has can make it the smaller one on average over the others.
        shown = Interval(-shown.mean, -shown.high, -shown.low, shown.n)
        lowest, highest, ends, of_cells = highest, lowest, ends[::-1], -of_cells
        equal = equal[::-1]
    at = [levels.row(end) for end in ends]
    runs = table.filter(pl.col(LEVEL).is_in(ends))
    one = Interval(highest, highest, highest, shown.n)
    return Effect(
        factor,
        measure,
        at[0],
        at[1],
        lowest,
        highest,
        shown,
        min(1.0, chance * pairs) if not math.isnan(chance) else chance,
        int((of_cells < 0).sum()) if others else 0,
        len(of_cells) if others else 1,
        tuple(_lacking(table, [*factor, *others], measure, unknown)),
        both.height > 0,
        tuple(levels.row(at) for at in sorted(unknown)),
        (tuple(map(levels.row, equal[0])), tuple(map(levels.row, equal[1]))),
        tuple(_caveats(table, runs, [LEVEL, *others], measure, one)),
        apart=apart if others else 1.0,
    )


def _apart(values: pl.Series) -> float:
    """Return the ratio of the largest of some values to the smallest, 1 if that is not above 0."""
    low, high = float(values.min()), float(values.max())  # type: ignore[arg-type]
    return high / low if low > 0 else 1.0


def _shared(rows: pl.DataFrame, others: Sequence[str]) -> pl.DataFrame:
    """Return the rows at combinations of the other axes that every value has; all if none is."""
    if not others:
        return rows
    values = pl.col(LEVEL).n_unique()
    common = rows.group_by(others).agg(values).filter(pl.col(LEVEL) == rows.select(values).item())
    shared = rows.join(common.select(others), on=others, how="semi", nulls_equal=True)
    return rows if shared.is_empty() else shared


def _lacking(
    table: pl.DataFrame, keys: Sequence[str], measure: str, unknown: Collection[int]
) -> list[dict[str, Any]]:
    """Return the points where no run has a value, outside the values of the axis that have none."""
    points = table.group_by([LEVEL, *keys], maintain_order=True).agg(pl.col(measure).count())
    lacking = points.filter(pl.col(measure) == 0, ~pl.col(LEVEL).is_in(list(unknown)))
    return lacking.select(keys).to_dicts()


def _caveats(
    table: pl.DataFrame, runs: pl.DataFrame, keys: Sequence[str], measure: str, one: Interval
) -> list[Caveat]:
    """Return the caveats of the runs at two values, and of those of all that have no value.

    A mean over the other axes is meant to pool their values. Runs that the seed does not change are
    told of any point.
    """
    found = [
        each for each in caveats_of(runs, measure, one) if each.kind not in {"missing", "pooled"}
    ]
    if "same-runs" not in caveats.kinds(found):
        found += same_runs(runs, keys, measure)
    if missing := table.get_column(measure).null_count():
        found.append(Caveat("missing", (measure,), missing, table.height))
    return found
