"""The measures of synchronization: what holds for any counts, and what is known by hand."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tcphoton.analysis import synchronization

if TYPE_CHECKING:
    from collections.abc import Sequence

COUNTS = st.lists(st.integers(1, 40), min_size=1, max_size=20)


@given(COUNTS, st.integers(1, 60))
def test_the_index_is_1_when_all_lose_in_every_sample_with_a_loss(
    samples: list[int], flows: int
) -> None:
    lost = [flows if sample % 2 else 0 for sample in [1, *samples]]
    assert synchronization.index(lost, flows) == 1
    assert synchronization.index(lost, [flows] * len(lost)) == 1


@given(COUNTS, st.integers(1, 60))
def test_the_index_is_one_flow_of_all_when_exactly_one_loses(
    samples: list[int], flows: int
) -> None:
    lost = [sample % 2 for sample in [1, *samples]]
    assert synchronization.index(lost, flows) == pytest.approx(1 / flows)


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=30))
def test_the_index_lies_between_0_and_1_and_ignores_samples_without_a_loss(
    samples: list[tuple[int, int]],
) -> None:
    lost, others = zip(*samples, strict=True)
    active = [some + more for some, more in samples]
    found = synchronization.index(lost, active)
    assert math.isnan(found) if not any(lost) else 0 < found <= 1
    calm = synchronization.index([*lost, 0, 0], [*active, 7, sum(others)])
    assert calm == found or (math.isnan(calm) and math.isnan(found))


def test_the_odd_cases_are_defined() -> None:
    assert synchronization.normalized_window(5, 10) == 0.5
    assert math.isnan(synchronization.mean_flows([], []))


def test_samples_and_flows_belong_together() -> None:
    with pytest.raises(ValueError, match="shorter"):
        synchronization.index([1, 2], [3])


@given(COUNTS, COUNTS)
def test_classes_add_up_and_every_burst_is_in_one(flows: list[int], bursts: list[int]) -> None:
    pairs = list(zip(flows, bursts, strict=False))
    some, counts = zip(*pairs, strict=True)
    shares = synchronization.classes(some, counts, of=40)
    assert math.fsum(shares) == pytest.approx(1)
    for number, share in enumerate(shares):
        inside = [count for each, count in pairs if number * 8 < each <= (number + 1) * 8]
        assert share == pytest.approx(sum(inside) / sum(counts))


@pytest.mark.parametrize("of", range(1, 51))
def test_a_class_is_closed_above(of: int) -> None:
    for flows in range(1, of + 1):
        shares = synchronization.classes([flows], [1], of)
        # The class is the k-th where 20 (k - 1) % < flows <= 20 k %, in whole numbers.
        k = shares.index(1.0) + 1
        assert (k - 1) * of < 5 * flows <= k * of


@pytest.mark.parametrize("flows", [0, 16])
def test_a_burst_holds_no_more_flows_than_there_are(flows: int) -> None:
    with pytest.raises(ValueError, match="1 to 15"):
        synchronization.classes([flows], [1], 15)


@pytest.mark.parametrize(
    ("size", "most"), [(1500, (9, 26, 42)), (1040, (13, 37, 61))], ids=["1500 B", "1040 B"]
)
def test_a_burst_is_full_at_the_rate_of_the_access_link(size: int, most: Sequence[int]) -> None:
    found = [synchronization.most_packets(ms * 1e-3, size, 100e6) for ms in (1, 3, 5)]
    assert found == list(most)


def test_no_burst_of_1_ms_holds_more_than_60_percent_of_15_flows() -> None:
    most = synchronization.most_packets(1e-3, 1500, 100e6)
    shares = synchronization.classes(range(1, most + 1), [1] * most, of=15)
    assert shares[2] > 0
    assert shares[3:] == [0, 0]


@given(st.lists(st.floats(0, 1e6), min_size=2, max_size=50))
def test_spans_are_what_numpy_finds(sizes: list[float]) -> None:
    found = synchronization.spans(sizes, 3e-3)
    rates = np.array(sizes) * 8 / 3e-3
    assert found.mean == pytest.approx(rates.mean(), rel=1e-9, abs=1e-6)
    assert found.std == pytest.approx(rates.std(ddof=1), rel=1e-6, abs=1e-3)
    assert (found.low, found.high) == pytest.approx((rates.min(), rates.max()))


def test_25_flows_at_their_largest_windows_stay_below_the_access_link() -> None:
    # 128 packets of 1500 B in 0.4 s are 3.84 Mb/s, so the link fills at 26 flows.
    windows = [128 * 1500.0] * 26
    assert synchronization.aggregate_throughput(windows[:25], 0.4) == pytest.approx(96e6)
    assert synchronization.aggregate_throughput(windows, 0.4) < 100e6
    assert synchronization.aggregate_throughput([*windows, 128 * 1500.0], 0.4) > 100e6


def test_the_fall_is_that_around_losses_alone() -> None:
    saw = [10.0, 12.0, 6.0, 8.0, 10.0, 12.0, 6.0]
    lost = [0, 1, 0, 0, 0, 1, 0]
    assert synchronization.fall(saw, lost) == 4
    assert math.isnan(synchronization.fall(saw, [0] * len(saw)))
    assert synchronization.fall([5.0] * 9, [1] * 9) == 0
