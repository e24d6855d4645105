"""A mean with its confidence interval."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Interval"]


class Interval(NamedTuple):
    """A mean with its confidence interval.

    Examples
    --------
    >>> print(Interval(mean=2.0, low=1.5, high=2.5, n=4))
    2 ± 0.5
    """

    mean: float
    low: float
    high: float
    n: int

    @property
    def half_width(self) -> float:
        """Half of the interval's width."""
        return (self.high - self.low) / 2

    def __str__(self) -> str:
        """Return mean and half-width to four digits."""
        return f"{self.mean:.4g} ± {self.half_width:.2g}"
