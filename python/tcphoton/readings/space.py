"""The space of readings: named values and ranges, drawn evenly, and as numbers for an emulator."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tcphoton.papers.assumptions import CONTRADICTS
from tcphoton.sweep import designs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from tcphoton.papers.assumptions import Assumption

Values = dict[str, str]
"""A value for each assumption."""

AGAINST = 0.25
"""How often a value is drawn that the paper contradicts, relative to another."""
CROSSED = (0.45, 0.45, 0.1)
"""How often a value comes from the one parent, from the other, and is drawn anew."""
PLACES = (0.1, 0.5, 0.9)
"""Where in a range a neighbour lies, as a share of it."""
HALF = np.sqrt(0.5)
"""The entry of a value that was chosen, so that two different values have a distance of 1."""


class Space:
    """All readings of some assumptions.

    Parameters
    ----------
    assumptions
        The assumptions by name.

    Examples
    --------
    >>> from tcphoton.papers.assumptions import Assumption, Range, Value
    >>> kinds = {name: Value(name, (), (), "possible", "") for name in ("reno", "tahoe")}
    >>> span = Range(1.0, 100.0, "", False, True, {})
    >>> space = Space(
    ...     {"tcp": Assumption("tcp", "", "reno", kinds), "n": Assumption("n", "", "10", {}, span)}
    ... )
    >>> space.default
    {'tcp': 'reno', 'n': '10'}
    >>> space.numbers([space.default]).round(2).tolist()
    [[0.71, 0.0, 0.5]]
    >>> len(space.drawn(5, seed=1))
    5
    """

    def __init__(self, assumptions: Mapping[str, Assumption]) -> None:
        self.assumptions = dict(assumptions)
        self._ends = {name: _ends(each) for name, each in self.assumptions.items()}

    @property
    def default(self) -> Values:
        """The reading as assumed."""
        return {name: each.default for name, each in self.assumptions.items()}

    def neighbours(self) -> list[Values]:
        """Return the readings with one change, except to what a sentence of the paper contradicts.

        Of a range they are near its ends and in its middle.
        """
        found = []
        for name, each in self.assumptions.items():
            if each.range is not None:
                others = [each.range.at(share) for share in PLACES]
            else:
                others = [value for value, one in each.values.items() if one.source != CONTRADICTS]
            found += [self.default | {name: other} for other in others if other != each.default]
        return found

    def pairs(self, singles: Sequence[Values]) -> list[Values]:
        """Return the readings with two of some changes, those of the first ones first."""
        changes = [self.changed(each) for each in singles]
        both = [
            (at + other, one | two)
            for at, one in enumerate(changes)
            for other, two in enumerate(changes[:at])
            if not one.keys() & two.keys()
        ]
        return [self.default | each for _, each in sorted(both, key=lambda pair: pair[0])]

    def drawn(self, count: int, seed: int) -> list[Values]:
        """Return readings that fill the space evenly, each once: by a Latin hypercube."""
        columns = designs.draw("latin-hypercube", count, len(self.assumptions), seed)
        rows = zip(*columns, strict=True)
        readings = [self._at(row) for row in rows]
        return list({tuple(each.items()): each for each in readings}.values())

    def _at(self, shares: Sequence[float]) -> Values:
        found = {}
        for (name, each), share in zip(self.assumptions.items(), shares, strict=True):
            if each.range is not None:
                found[name] = each.range.at(share)
            else:
                at = int(np.searchsorted(self._ends[name], share, side="right"))
                found[name] = list(each.values)[min(at, len(each.values) - 1)]
        return found

    def crossed(self, parents: Sequence[Values], count: int, seed: int) -> list[Values]:
        """Return readings with each value from one of some others; one in ten is drawn anew."""
        stream = np.random.default_rng(seed)
        fresh = self.drawn(count, seed)
        found = []
        for at in range(count):
            one, other = (parents[each] for each in stream.integers(len(parents), size=2))
            of = (one, other, fresh[at % len(fresh)])
            which = stream.choice(len(of), size=len(self.assumptions), p=CROSSED)
            found.append({name: of[each][name] for name, each in zip(one, which, strict=True)})
        return list({tuple(each.items()): each for each in found}.values())

    def numbers(self, readings: Sequence[Values]) -> NDArray[np.float64]:
        """Return readings as numbers: a row each, a column for each named value and each range."""
        return np.array([self._row(each) for each in readings], dtype=np.float64)

    def _row(self, reading: Values) -> list[float]:
        row: list[float] = []
        for name, each in self.assumptions.items():
            if each.range is not None:
                row.append(each.range.share(reading[name]))
            else:
                row += [float(HALF) if value == reading[name] else 0.0 for value in each.values]
        return row

    def spread(
        self, candidates: Sequence[Values], count: int, known: Sequence[Values] = ()
    ) -> list[Values]:
        """Return some candidates that are far from each other and from those that are known.

        One after the other is taken whose smallest distance to the others is the largest.
        """
        if len(candidates) <= count:
            return list(candidates)
        here = self.numbers(candidates)
        nearest = np.full(len(candidates), np.inf)
        if known:
            there = self.numbers(known)
            nearest = np.linalg.norm(here[:, None, :] - there[None, :, :], axis=2).min(axis=1)
        chosen: list[int] = []
        for _ in range(count):
            at = int(np.argmax(nearest)) if np.isfinite(nearest).any() or chosen else 0
            chosen.append(at)
            nearest = np.minimum(nearest, np.linalg.norm(here - here[at], axis=1))
            nearest[chosen] = -1.0
        return [candidates[at] for at in chosen]

    def against(self, reading: Values) -> list[str]:
        """Return the assumptions whose value a sentence of the paper contradicts."""
        return [
            name
            for name, each in self.assumptions.items()
            if reading[name] != each.default and each.value(reading[name]).source == CONTRADICTS
        ]

    def changed(self, reading: Values) -> Values:
        """Return the values that are not as assumed."""
        return {
            name: reading[name]
            for name, each in self.assumptions.items()
            if reading[name] != each.default
        }


def _ends(assumption: Assumption) -> NDArray[np.float64]:
    """Return the share of the draws below which each named value is drawn."""
    weights = np.array(
        [AGAINST if each.source == CONTRADICTS else 1.0 for each in assumption.values.values()]
    )
    return np.cumsum(weights) / weights.sum() if len(weights) else weights
