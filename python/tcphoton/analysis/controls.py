r"""Control variates: what is known to be chance is taken out of the measures of runs.

A *surplus* is a measure whose expectation is 0: how much more data sources offered than they do on
average (``offered-surplus``), how many more bursts were lost at random than their probability says
(``bursts.lost-random-surplus``). Where a measure depends on a surplus, its regression on the
surplus says what it would be without: the estimate of the mean is the regression at 0 [Lavenberg]_.

The values that `controlled` returns take the place of the measured ones. They are the pseudo-values
of the jackknife [Avramidis]_, :math:`n \hat\theta - (n - 1) \hat\theta_{-i}`, where
:math:`\hat\theta_{-i}` is the estimate without run i. Their mean is the estimate, less its bias of
the order 1/n; Student's t interval of them is the interval of the estimate, and they are compared
seed by seed like the measured ones. Only means of them have a meaning: a single one says nothing of
its run, and may be below 0.

A regression on few runs costs more than it brings. So there is a control for every eight runs, in
the given order, and none with fewer runs.

References
----------
.. [Lavenberg] S. S. Lavenberg and P. D. Welch, A Perspective on the Use of Control Variables to
   Increase the Efficiency of Monte Carlo Simulations, Management Science 27(3), 1981.
.. [Avramidis] A. N. Avramidis and J. R. Wilson, A Splitting Scheme for Control Variates, Operations
   Research Letters 14(4), 1993.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl

from tcphoton.common.arguments import expect_columns, expect_frame

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["RAW", "SURPLUS", "controlled", "expect_surpluses", "pseudo_values", "without"]

SURPLUS = "-surplus"
RAW = "-raw"
"""How the column of a measure ends that keeps its surpluses."""
"""The end of the name of a measure whose expectation is 0."""
RUNS_FOR_EACH = 8
"""Runs for each control."""
OWN = 1e-9
"""A control whose variation is by less than this share its own depends on those before it."""


def pseudo_values(values: Sequence[float], controls: Sequence[Sequence[float]]) -> list[float]:
    """Return the values of runs, with controls of expectation 0 taken out.

    Parameters
    ----------
    values
        A measure, run by run.
    controls
        Surpluses of the same runs. Those that do not vary, or depend on those before them, are left
        out, as are those beyond one for every eight runs.

    Examples
    --------
    >>> surplus = [-3.0, -1.0, 2.0, 0.0, 1.0, 4.0, -2.0, 3.0]
    >>> [round(value, 6) for value in pseudo_values([5 + 2 * each for each in surplus], [surplus])]
    [5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0]
    >>> pseudo_values([1.0, 2.0], [[0.1, -0.1]])
    [1.0, 2.0]
    """
    count = len(values)
    used = _orthogonal(controls, count)
    if not used:
        return list(values)
    estimate = math.fsum(values) / count
    rest = [value - estimate for value in values]
    weights, leverages = [1 / count] * count, [1 / count] * count
    for mean, around in used:
        square = _product(around, around)
        slope = _product(rest, around) / square
        estimate -= slope * mean
        for run, each in enumerate(around):
            rest[run] -= slope * each
            weights[run] -= mean * each / square
            leverages[run] += each * each / square
    # A run that alone decides a slope leaves no rest, and its leverage is 1.
    return [
        estimate + (count - 1) * weight * left / max(1 - leverage, OWN)
        for weight, left, leverage in zip(weights, rest, leverages, strict=True)
    ]


def _orthogonal(controls: Sequence[Sequence[float]], count: int) -> list[tuple[float, list[float]]]:
    """Return the controls that are used: their means, and what is around the mean.

    Each is less what it has in common with those before it (Gram and Schmidt).
    """
    used: list[tuple[float, list[float]]] = []
    for control in controls:
        if len(used) == count // RUNS_FOR_EACH:
            break
        mean = math.fsum(control) / count
        around = [each - mean for each in control]
        whole = _product(control, control)
        for its_mean, its_around in used:
            share = _product(around, its_around) / _product(its_around, its_around)
            mean -= share * its_mean
            around = [each - share * of_it for each, of_it in zip(around, its_around, strict=True)]
        if _product(around, around) > OWN * whole:
            used.append((mean, around))
    return used


def _product(ones: Sequence[float], others: Sequence[float]) -> float:
    return math.fsum(one * other for one, other in zip(ones, others, strict=True))


def without(
    values: Sequence[float | None], controls: Sequence[Sequence[float | None]]
) -> list[float | None]:
    """Return the values of runs with controls taken out, where runs may have no value.

    A control that one of the runs does not have, or of which it has no finite value, is not used. A
    value that is not finite, such as a rate over no time, has no slope: then no control is used.

    Examples
    --------
    >>> without([1.0, None], [[0.5, None]])
    [1.0, None]
    >>> without([1.0, math.inf], [[0.5, -0.5]])
    [1.0, inf]
    """
    runs = [run for run, value in enumerate(values) if value is not None]
    measured = [value for value in values if value is not None]
    if not all(map(math.isfinite, measured)):
        return list(values)
    known = [
        [each for run in runs if (each := control[run]) is not None and math.isfinite(each)]
        for control in controls
    ]
    found = pseudo_values(measured, [each for each in known if len(each) == len(runs)])
    pseudo = dict(zip(runs, found, strict=True))
    return [pseudo.get(run) for run in range(len(values))]


def controlled(
    table: pl.DataFrame,
    measures: str | Sequence[str],
    by: str | Sequence[str],
    controls: str | Sequence[str],
) -> pl.DataFrame:
    """Return a table in whose measures controls are taken out, point by point.

    Parameters
    ----------
    table
        The results of a sweep, one row per point and seed.
    measures
        The columns whose means are wanted. Their values become pseudo-values, whose mean and
        interval are those of the measure, narrower where it depends on the controls.
    by
        The columns of a point.
    controls
        Columns whose names end in ``-surplus``, the most important first. A point of which a run
        has no value of one does without it.

    Raises
    ------
    LookupError
        The table has no such column.
    ValueError
        A control is no surplus.

    Examples
    --------
    >>> import tcphoton as tp
    >>> sweep = tp.Sweep(tp.example("mm1"), {"run.duration": ["40 s"]}, seeds=24)
    >>> table = sweep.run()
    >>> better = controlled(table, "delay-mean", "run.duration", "offered-surplus")
    >>> raw, narrow = (
    ...     tp.statistics.mean_interval(each["delay-mean"]).half_width for each in (table, better)
    ... )
    >>> narrow < 0.8 * raw
    True
    """
    names, keys, surpluses = (
        [each] if isinstance(each, str) else list(each) for each in (measures, by, controls)
    )
    expect_frame("table", table)
    expect_columns(table, [*names, *keys, *surpluses])
    expect_surpluses(surpluses)
    row = "row of the table"
    numbered = table.with_row_index(row)
    groups = [group for _, group in numbered.group_by(keys)] if keys else [numbered]
    adjusted = [
        group.with_columns(
            pl.Series(name, without(_numbers(group, name), controls_of), dtype=pl.Float64)
            for name in names
        )
        for group in groups
        for controls_of in [[_numbers(group, each) for each in surpluses]]
    ]
    return pl.concat(adjusted).sort(row).drop(row) if adjusted else table


def expect_surpluses(names: Sequence[str]) -> None:
    """Refuse a control whose expectation is not known.

    Raises
    ------
    ValueError
        One of the names is not that of a surplus.
    """
    for name in names:
        if not name.endswith(SURPLUS):
            raise ValueError(f"a control is a measure whose name ends in {SURPLUS}, not {name!r}")


def _numbers(table: pl.DataFrame, name: str) -> list[float | None]:
    return table.get_column(name).cast(pl.Float64).fill_nan(None).to_list()
