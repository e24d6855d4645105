"""What a study found, in words: the largest effects of its axes, each with the question for it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from tcphoton.analysis.effects import effects
from tcphoton.common import quantities
from tcphoton.pages.blocks import Finding, Findings
from tcphoton.report.plot import lines_of
from tcphoton.runs import caveats
from tcphoton.runs.measures import unit_of

if TYPE_CHECKING:
    from tcphoton.analysis.effects import Effect
    from tcphoton.report.gathered import Gathered

__all__ = ["findings"]

MEASURES = 8
"""Maximum measures whose effects are told."""
LARGE = 5
"""Ratio of two means from which their difference is told as a factor."""
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
    found = effects(gathered.rows, gathered.varying, measures, gathered.together)
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
    ends = (
        f"{quantities.text(effect.low, unit)} at {_at(gathered, effect.axis, effect.low_at)}"
        f"{_and_others(effect.equal[0])}",
        f"{quantities.text(effect.high, unit)} at {_at(gathered, effect.axis, effect.high_at)}"
        f"{_and_others(effect.equal[1])}",
    )
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
    if effect.unknown_at:
        where = "; ".join(_at(gathered, effect.axis, each) for each in effect.unknown_at)
        warnings.append(f"No run has a value at {where}.")
    if effect.caveats:
        warnings.append(f"Caveats: {caveats.kinds(effect.caveats)}.")
    return Finding(urlencode(words), effect.measure, text, tuple(warnings))


def _and_others(many: int) -> str:
    """Return that so many other values have the same mean."""
    return f" and {quantities.counted(many, 'other value')}" if many else ""


def _at(gathered: Gathered, keys: tuple[str, ...], values: tuple[Any, ...]) -> str:
    labels = gathered.labels
    texts = [labels.of_value(key, each) for key, each in zip(keys, values, strict=True)]
    if len(keys) == 1:
        return texts[0]
    names = [labels.names.get(key, key) for key in keys]
    return ", ".join(f"{name} = {text}" for name, text in zip(names, texts, strict=True))


def _ratio(effect: Effect) -> str:
    """Return the difference relative to the smaller mean, where that has a meaning."""
    if effect.low <= 0:
        return ""
    if effect.high >= LARGE * effect.low:
        return f" ({effect.high / effect.low:.3g} times)"
    return f" ({effect.difference.mean / effect.low:+.0%})"
