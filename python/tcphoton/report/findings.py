"""What a study found, in words: the largest effects of its axes, each with the question for it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from tcphoton.analysis.effects import effects
from tcphoton.common import quantities
from tcphoton.pages.blocks import Finding, Findings
from tcphoton.report.dataset import FOLDER, UNKNOWN
from tcphoton.report.plot import lines_of
from tcphoton.runs import caveats
from tcphoton.runs.measures import unit_of
from tcphoton.sweep.labels import apart

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tcphoton.analysis.effects import Effect
    from tcphoton.report.dataset import Gathered

__all__ = ["findings"]

MEASURES = 8
"""Maximum measures whose effects are told."""
LACKING = 3
"""Maximum points without a value that are told."""
EQUAL = 3
"""Maximum values with the same mean that are told."""
LARGE = 5
"""Ratio of two means from which their difference is told as a factor."""
ORDERS = 10
"""Ratio of the values over the other axes from which on it is told."""
NOTE = (
    "Each effect is the difference between the two values of an axis at which a measure is largest "
    "and smallest on average over the other axes, paired by seed where the seeds are the same. "
    "Intervals are at 95 %, widened for the choice of these two values. Effects on measures that "
    "have no value somewhere come after the others, and those that may be chance (Benjamini and "
    "Hochberg, 5 %) last. A link shows the measure against the axis, and what its caveats mean."
)


def findings(gathered: Gathered) -> Findings | None:
    """Return the effects of a study's axes on its leading measures; none if nothing varies."""
    measures = gathered.leading[:MEASURES]
    found = effects(gathered.rows, gathered.varying, measures, gathered.together, UNKNOWN)
    found = [each for each in found if each.difference.mean != 0]
    if not found:
        return None
    return Findings([_finding(gathered, each) for each in found], NOTE)


def _finding(gathered: Gathered, effect: Effect) -> Finding:
    axis = effect.axis[0]
    words = [("y", effect.measure), ("x", axis)]
    if by := lines_of(gathered, gathered.rows, effect.axis):
        words.append(("by", by))
    unit = unit_of(effect.measure)
    ends = [
        f"{quantities.text(mean, unit)} at {_all_of(gathered, effect.axis, [at, *equal])}"
        for mean, at, equal in (
            (effect.low, effect.low_at, effect.equal[0]),
            (effect.high, effect.high_at, effect.equal[1]),
        )
    ]
    difference = quantities.interval(effect.difference.mean, effect.difference.half_width, unit)
    short = dict(zip(gathered.axes, gathered.labels.of_keys(gathered.axes), strict=True))
    verb = "differs" if effect.moved else "may not differ"
    axes = ", ".join(short[key] for key in effect.axis)
    text = f"{verb} with {axes}: {ends[0]}, {ends[1]}; by {difference}{_ratio(effect)}."
    warnings = []
    if math.isnan(effect.p):
        warnings.append("A single seed: no interval.")
    elif not effect.moved:
        warnings.append("Not more than chance.")
    if effect.contrary:
        warnings.append(
            f"The other way round in {effect.contrary} of {effect.cells} combinations of the other "
            "axes."
        )
    if effect.apart >= ORDERS:
        warnings.append(
            f"The values differ by a factor of {effect.apart:,.0f} over the other axes: the "
            "largest decide the means."
        )
    if effect.unknown_at:
        where = "; ".join(_at(gathered, effect.axis, each) for each in effect.unknown_at)
        warnings.append(f"No run has a value at {where}.")
    if effect.lacking:
        first = "; ".join(_point(gathered, each) for each in effect.lacking[:LACKING])
        more = len(effect.lacking) - LACKING
        further = f"; and at {quantities.counted(more, 'further point')}" if more > 0 else ""
        warnings.append(f"No run has a value at {first}{further}: the comparison leaves this out.")
    if FOLDER in gathered.axes and not effect.paired:
        warnings.append("The other axes have no values in common, so this may be their effect.")
    if effect.caveats:
        warnings.append(f"Caveats: {caveats.kinds(effect.caveats)}.")
    return Finding(urlencode(words), effect.measure, text, tuple(warnings))


def _all_of(gathered: Gathered, keys: tuple[str, ...], values: Sequence[tuple[Any, ...]]) -> str:
    """Return the values of an axis that have the same mean."""
    texts = [_at(gathered, keys, each) for each in values]
    *some, last = texts[:EQUAL]
    if len(texts) > EQUAL:
        some, last = texts[:EQUAL], quantities.counted(len(texts) - EQUAL, "other value")
    return f"{', '.join(some)} and {last}" if some else last


def _at(gathered: Gathered, keys: tuple[str, ...], values: tuple[Any, ...]) -> str:
    """Return the value of an axis, or of each key that varies with it."""
    if len(keys) == 1:
        return apart(gathered.labels.of_value(keys[0], values[0]))
    return _point(gathered, dict(zip(keys, values, strict=True)))


def _point(gathered: Gathered, point: Mapping[str, Any]) -> str:
    """Return the values of some keys with their names."""
    labels = gathered.labels
    texts = [f"{labels.names.get(key, key)} = {labels.of_value(key, point[key])}" for key in point]
    return ", ".join(texts)


def _ratio(effect: Effect) -> str:
    """Return the difference relative to the smaller mean, where that has a meaning."""
    if effect.low <= 0:
        return ""
    if effect.high >= LARGE * effect.low:
        return f" ({float(f'{effect.high / effect.low:.3g}'):,g} times)"
    return f" ({effect.difference.mean / effect.low:+.0%})"
