"""Random choices that are the same with every version of Python."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Draw"]

T = TypeVar("T")


class Draw:
    """The choices of one case.

    Only `random.Random.random` is used: the sequence that it gives for a text is promised not to
    change between versions of Python, that of the other methods is not.
    """

    def __init__(self, seed: int, part: str, number: int) -> None:
        self._source = random.Random(f"{seed}/{part}/{number}")

    def unit(self) -> float:
        """Return a number from 0 to below 1."""
        return self._source.random()

    def below(self, end: int) -> int:
        """Return a whole number from 0 to below `end`."""
        return min(int(self.unit() * end), end - 1)

    def between(self, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`, both included."""
        return low + self.below(high - low + 1)

    def chance(self, probability: float) -> bool:
        """Return true with this probability."""
        return self.unit() < probability

    def pick(self, items: Sequence[T]) -> T:
        """Return one of some items."""
        return items[self.below(len(items))]

    def weighted(self, items: Sequence[tuple[float, T]]) -> T:
        """Return one of some items, each with its weight before it."""
        left = self.unit() * sum(weight for weight, _ in items)
        for weight, item in items:
            left -= weight
            if left < 0:
                return item
        return items[-1][1]

    def several(self, items: Sequence[T], least: int, most: int) -> list[T]:
        """Return some of some items, each at most once, in a random order."""
        left = list(items)
        wanted = min(len(left), self.between(least, most))
        return [left.pop(self.below(len(left))) for _ in range(wanted)]

    def logarithmic(self, low: float, high: float) -> float:
        """Return a number between two positive ones, each magnitude as likely as another."""
        return math.exp(math.log(low) + self.unit() * (math.log(high) - math.log(low)))
