"""How much each assumption decides: of the first wave's readings, which fill the space evenly."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from tcphoton.readings.implausibility import FAR
from tcphoton.readings.score import conditions, implausibilities

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from tcphoton.readings.evaluate import Judged
    from tcphoton.readings.search import Found

FEWEST = 20
"""Readings from which a density is estimated."""


def misses(found: Found, judged: Sequence[Judged]) -> dict[str, NDArray[np.float64]]:
    """Return the implausibility of each condition for some readings; 0 where nothing is known."""
    known = [implausibilities(each.findings, found.search.discrepancy) for each in judged]
    made = {
        each.name: np.array([min(each.of(row) or 0.0, FAR) for row in known])
        for each in conditions(found.targets)
    }
    return {name: values for name, values in made.items() if len(values) and values.std() > 0}


def explained(labels: Sequence[str], values: NDArray[np.float64]) -> float:
    """Return the share of a variance that groups explain, corrected for chance, from 0 to 1.

    It is Kelley's epsilon squared: the correlation ratio minus what it would be by chance.

    Examples
    --------
    >>> import numpy as np
    >>> explained(["a", "a", "b", "b"], np.array([1.0, 1.0, 3.0, 3.0]))
    1.0
    >>> explained(["a", "b", "a", "b"], np.array([1.0, 1.0, 3.0, 3.0]))
    0.0
    """
    groups = [
        values[[at for at, label in enumerate(labels) if label == each]]
        for each in dict.fromkeys(labels)
    ]
    free = len(values) - len(groups)
    total = float(((values - values.mean()) ** 2).sum())
    if total == 0 or free < 1 or len(groups) < 2:  # noqa: PLR2004
        return 0.0
    within = float(sum(((group - group.mean()) ** 2).sum() for group in groups))
    return max(0.0, 1 - (within / free) / (total / (len(values) - 1)))


def deltas(
    found: Found, judged: Sequence[Judged], of: Mapping[str, NDArray[np.float64]]
) -> dict[str, float]:
    """Return Borgonovo's delta of each assumption, its mean over conditions, where SALib is.

    Parameters
    ----------
    found, judged
        The search, and the readings of it that fill the space evenly.
    of
        The `misses` of these readings.
    """
    if len(judged) < FEWEST or not of:
        return {}
    columns = []
    for name, assumption in found.search.assumptions.items():
        known = list(assumption.values)
        share = assumption.range.share if assumption.range is not None else known.index
        columns.append([float(share(each.values[name])) for each in judged])
    x = np.array(columns).T
    made = [each for y in of.values() if (each := delta_of(x, y)) is not None]
    if not made:
        return {}
    means = np.mean(made, axis=0)
    return {
        name: round(float(mean), 3)
        for name, mean in zip(found.search.assumptions, means, strict=True)
    }


def delta_of(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return SALib's delta of each column; none where it cannot be had or is not installed."""
    try:
        from SALib.analyze import delta
    except ImportError:
        return None
    names = [f"x{column}" for column in range(x.shape[1])]
    problem = {"num_vars": len(names), "names": names, "bounds": [[0.0, 1.0]] * len(names)}
    # SALib sets the format of warnings and the seed of NumPy for the whole process.
    shown, state = warnings.formatwarning, np.random.get_state()  # noqa: NPY002
    try:
        # Recorded and not filtered: it sets its own filter, to show its notices.
        with warnings.catch_warnings(record=True), np.errstate(all="ignore"):
            made = delta.analyze(problem, x, y, num_resamples=2, seed=1, method="delta")
    except ValueError:  # It needs a density of y in each part of x.
        return None
    finally:
        warnings.formatwarning = shown
        np.random.set_state(state)  # noqa: NPY002
    found = np.asarray(made["delta_raw"], dtype=np.float64)
    return found if np.isfinite(found).all() else None
