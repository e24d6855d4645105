"""The estimate of a run's memory against what runs take."""

from __future__ import annotations

import sys

import pytest

from made_up_memory import FLOOR, Taken, far_off, runs

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux says what the peak is"),
]

CASES = 200
FAR = 0.07
"""The share of cases that may be far off: of 1,981 cases of the seeds 1, 2 and 6 to 13 3 % were,
and of the last two of these, for which the model was not looked at, 4 %."""
LARGE = 16e6
"""The peak above which a case is large …"""
FAR_IF_LARGE = 0.3
"""… and the share of those that may be far off."""
VERY_FAR = 4
"""By what factor none may be off, beyond the floor: two of 1,981 cases were by more."""


# A share of so few says nothing of a part of the cases.
@pytest.mark.verify
def test_the_estimate_of_memory_is_near_the_peak_of_made_up_runs() -> None:
    found = runs(1, CASES)
    assert len(found) >= 0.9 * CASES
    far = {number: run for number, run in found.items() if far_off(run)}
    assert len(far) <= FAR * CASES, far
    large = {number for number, run in found.items() if run.peak > LARGE}
    assert len(large & far.keys()) <= FAR_IF_LARGE * len(large), far
    very_far = {
        number: run
        for number, run in far.items()
        if run.estimate + FLOOR > VERY_FAR * (run.peak + FLOOR)
        or run.peak + FLOOR > VERY_FAR * (run.estimate + FLOOR)
    }
    assert not very_far


def test_an_estimate_is_far_off_by_a_quarter_of_the_peak_or_some_megabytes() -> None:
    assert not far_off(Taken(4_000_000, 100_000))
    assert far_off(Taken(5_000_000, 100_000))
    assert not far_off(Taken(80_000_000, 100_000_000))
    assert far_off(Taken(70_000_000, 100_000_000))
    assert far_off(Taken(130_000_000, 100_000_000))
