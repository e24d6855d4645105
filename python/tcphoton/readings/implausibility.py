"""How far a finding is from what was published, in standard deviations.

The implausibility of a target is the distance of our number from the published one, over the
standard deviation of that distance: of our mean over the seeds, of the published run where the
paper prints a number, of the tolerance, and of a stated discrepancy of any model from what it
models (M. Goldstein and J. Rougier, *Bayes linear calibrated prediction for complex systems*, J.
Am. Stat. Assoc. 2006). The tolerance of a rule is its band of numbers that hold, taken as two
standard deviations to either side. Of a band with one end, such as "grows", it is the distance
beyond that end, without a tolerance.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from scipy import special

from tcphoton.papers.rules import DIFFERS, HOLDS, Finding

FAR = 9.0
"""The implausibility of a finding that differs and has no number; the largest that counts."""
LEVEL = 0.95


class Distance(NamedTuple):
    """A finding's number and the variances of its distance from what was published.

    Attributes
    ----------
    ours
        Our number.
    low, high
        The numbers that agree.
    noise
        The standard error of our number, and of the published one if it is that of a run.
    """

    ours: float
    low: float
    high: float
    noise: float

    def implausibility(self, discrepancy: float, extra: float = 0.0) -> float:
        """Return the implausibility.

        Parameters
        ----------
        discrepancy
            The error of any model, as a share of the published number.
        extra
            A further variance: that of an emulator.

        Examples
        --------
        >>> about_ten = Distance(ours=14.0, low=8.0, high=12.0, noise=0.0)
        >>> about_ten.implausibility(0.0), round(about_ten.implausibility(0.1), 2)
        (4.0, 2.56)
        >>> Distance(ours=-1.0, low=0.0, high=math.inf, noise=0.25).implausibility(0.0)
        4.0
        """
        bounded = math.isfinite(self.low) and math.isfinite(self.high)
        if bounded:
            away = abs(self.ours - (self.low + self.high) / 2)
            tolerance = (self.high - self.low) / 4
            size = max(abs(self.low), abs(self.high))
        else:
            away = max(self.low - self.ours, self.ours - self.high, 0.0)
            tolerance, size = 0.0, abs(self.ours)
        if away == 0:
            return 0.0
        spread = math.sqrt(self.noise**2 + tolerance**2 + (discrepancy * size) ** 2 + extra)
        return min(away / spread, FAR) if spread > 0 else FAR


def distance(finding: Finding) -> Distance | None:
    """Return the distance of a finding; `None` if it has no number, no interval or no band."""
    if finding.ours is None or finding.interval is None or finding.band is None:
        return None
    # What is held against a printed number has that of a run, with the variance of our mean in it.
    low, high = finding.run or finding.interval
    half = (high - low) / 2
    if not math.isfinite(half) or not math.isfinite(finding.ours) or finding.seeds < 2:  # noqa: PLR2004
        return None
    noise = half / float(special.stdtrit(finding.seeds - 1, (1 + LEVEL) / 2))
    return Distance(finding.ours, *finding.band, noise)


def within(finding: Finding) -> bool | None:
    """Tell whether our number lies in the band of those that agree; `None` if there is none.

    A rule without a band is taken by its verdict.

    Examples
    --------
    >>> within(Finding(DIFFERS)), within(Finding(DIFFERS, 3.0, (2.0, 4.0), "", 5, band=(0.0, 9.0)))
    (False, True)
    """
    if finding.ours is not None and finding.band is not None and math.isfinite(finding.ours):
        return finding.band[0] <= finding.ours <= finding.band[1]
    return {HOLDS: True, DIFFERS: False}.get(finding.verdict)
