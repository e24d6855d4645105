"""Statistics against values worked by hand or printed in books."""

from __future__ import annotations

import math

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tcphoton import statistics

NUMBERS = st.lists(st.floats(0.001, 1e9), min_size=1, max_size=30)


def test_the_interval_is_students() -> None:
    interval = statistics.mean_interval([1, 2, 3, 4, 5])
    assert interval.mean == 3
    # t(4, 0.975) = 2.776445, s = sqrt(2.5): Law, table T.1.
    assert interval.half_width == pytest.approx(2.776445 * math.sqrt(2.5 / 5), rel=1e-6)
    assert statistics.mean_interval([1, 2, 3, 4, 5], 0.9).half_width == pytest.approx(
        2.131847 * math.sqrt(0.5), rel=1e-6
    )


def test_one_value_has_no_interval_and_none_no_mean() -> None:
    assert statistics.mean_interval([7]) == (7, -math.inf, math.inf, 1)
    assert math.isnan(statistics.mean_interval([]).mean)


def test_the_interval_covers_as_often_as_it_says() -> None:
    numpy = pytest.importorskip("numpy")
    draws = numpy.random.default_rng(1).normal(size=(4000, 5))
    covered = sum(low <= 0 <= high for _, low, high, _ in map(statistics.mean_interval, draws))
    # Four standard errors of a proportion of 0.95 among 4000.
    assert covered / 4000 == pytest.approx(0.95, abs=4 * math.sqrt(0.95 * 0.05 / 4000))


def test_a_level_is_a_probability() -> None:
    with pytest.raises(ValueError, match="level"):
        statistics.mean_interval([1, 2], 95)


@given(NUMBERS)
def test_jain_lies_between_one_share_and_all(values: list[float]) -> None:
    assert 1 / len(values) - 1e-9 <= statistics.jain(values) <= 1 + 1e-9


def test_jain_and_cov_agree_on_their_identity() -> None:
    values = [1.0, 4.0, 9.0, 16.0]
    population = statistics.cov(values) ** 2 * 3 / 4
    assert statistics.jain(values) == pytest.approx(1 / (1 + population))


def test_the_odd_cases_are_defined() -> None:
    assert math.isnan(statistics.jain([]))
    assert statistics.jain([0, 0]) == 1
    assert math.isnan(statistics.cov([1]))
    assert math.isnan(statistics.cov([-1, 1]))


def test_summarise_keeps_order_and_skips_nulls() -> None:
    table = pl.DataFrame({"k": ["b", "a", "b"], "v": [1.0, 5.0, None]})
    rows = statistics.summarise(table, "v", by="k").select("k", "v", "count").rows()
    assert rows == [("b", 1.0, 1), ("a", 5.0, 1)]
