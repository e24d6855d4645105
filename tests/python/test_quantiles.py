"""Quantiles with their intervals, and differences to a baseline."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from tcphoton.analysis.differences import differences_of
from tcphoton.analysis.quantiles import quantile_interval, statistic


@pytest.mark.parametrize("count", [2, 5, 6, 9, 30, 200])
@pytest.mark.parametrize("p", [0.5, 0.1, 0.9, 0.99])
def test_an_interval_of_a_quantile_is_that_of_scipy(count: int, p: float) -> None:
    values = np.random.default_rng(count).exponential(size=count)
    found = quantile_interval(values, p)
    told: Any = stats.quantile_test(values, p=p).confidence_interval(0.95)
    assert found.mean == pytest.approx(float(np.quantile(values, p)), rel=1e-14)
    for ours, theirs in ((found.low, told.low), (found.high, told.high)):
        assert ours == theirs or (math.isinf(ours) and math.isnan(theirs))


def test_an_interval_covers_the_median_at_least_as_often_as_it_says() -> None:
    draws = np.random.default_rng(7).lognormal(size=(2000, 11))
    found = [quantile_interval(each, 0.5) for each in draws]
    covered = sum(each.low <= 1.0 <= each.high for each in found)
    # P(x(2) <= median <= x(10)) of eleven values is 1 - 2 P(Bin(11, 1/2) <= 1) = 0.988.
    assert covered / 2000 == pytest.approx(1 - 2 * 12 / 2**11, abs=4 * 0.0024)


@pytest.mark.parametrize("p", [-0.5, 0.0, 1.0, 1.5])
def test_a_quantile_is_between_0_and_1(p: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        quantile_interval([1.0, 2.0], p)


@pytest.mark.parametrize("name", ["p0", "p100", "average", "p"])
def test_an_unknown_statistic_is_told(name: str) -> None:
    with pytest.raises(LookupError, match="accepted mean, median"):
        statistic(name)


def test_differences_are_by_seed_and_within_the_other_axes() -> None:
    rows = [
        {"tcp": tcp, "queue": queue, "seed": seed, "goodput": base + queue + 3 * seed}
        for tcp, base in (("reno", 0.0), ("cubic", 10.0))
        for queue in (1, 2)
        for seed in (1, 2, 3)
        if (tcp, queue, seed) != ("cubic", 2, 3)
    ]
    table = pl.DataFrame(rows)
    found, caveats = differences_of(table, "goodput", ["queue", "tcp"], "tcp", "reno")
    assert found.select("queue", "tcp", "goodput", "low", "high", "count").rows() == [
        (1, "cubic", 10.0, 10.0, 10.0, 3),
        (2, "cubic", 10.0, 10.0, 10.0, 2),
    ]
    assert {each.kind for each in caveats} == {"few-seeds"}
    assert found.get_column("caveats").to_list() == ["few-seeds"] * 2
    # Alone, each mean is far less certain than the difference.
    assert stats.sem([11.0 + 3 * seed for seed in (1, 2, 3)]) > 1
