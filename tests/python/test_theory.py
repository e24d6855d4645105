"""Formulas against each other, their limits, and a direct solution."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tcphoton as tp
from tcphoton.analysis import theory
from tcphoton.common import toml


@pytest.mark.parametrize("b", [1, 2])
def test_padhye_tends_to_mathis_for_rare_losses(b: int) -> None:
    ratio = theory.padhye(1e-7, rtt=0.1, t0=0.2, b=b) / theory.mathis(1e-7, rtt=0.1, b=b)
    assert ratio == pytest.approx(1, abs=0.002)


def test_padhye_with_a_limit_is_the_window_a_round_trip() -> None:
    assert theory.padhye(1e-7, rtt=0.1, t0=1, wmax=10) == pytest.approx(100, rel=0.001)


@pytest.mark.parametrize(
    ("wmax", "expected"),
    [
        # E[W] = 2/3 + sqrt(8 · 0.98 / (3 · 2 · 0.02) + 4/9) = 8.777017, f(p) = 1.020833,
        # Q(E[W]) = (1 - 0.98^3) (1 + 0.98^3 (1 - 0.98^5.777)) / (1 - 0.98^8.777) = 0.399447:
        # (49 + 8.777017 + 0.407598) / (0.1 (8.777017 + 1) + 0.407598 · 0.4 · 1.020833).
        (math.inf, 50.854555),
        # Q(6) = 0.543661: (49 + 6 + 0.554756) / (0.1 (6/4 + 49/6 + 2) + 0.226525).
        (6, 39.875881),
    ],
)
def test_padhye_is_its_equation_where_an_acknowledgment_is_for_two(
    wmax: float, expected: float
) -> None:
    """Equation 32 of the paper, worked by hand for p = 2 %."""
    assert theory.padhye(0.02, 0.1, 0.4, b=2, wmax=wmax) == pytest.approx(expected, rel=1e-6)


def test_padhye_agrees_with_its_approximation() -> None:
    # Equation 33 of the paper, printed as close to the full model.
    for p in (0.001, 0.01, 0.05):
        for t0 in (0.2, 1.0):
            square = math.sqrt(2 * p / 3)
            backoff = t0 * min(1, 3 * math.sqrt(3 * p / 8)) * p * (1 + 32 * p**2)
            assert theory.padhye(p, 0.1, t0) == pytest.approx(1 / (0.1 * square + backoff), rel=0.2)


def test_a_loss_too_rare_to_tell_from_none_keeps_the_digits_of_its_rate() -> None:
    for p in (1e-9, 1e-14, 1e-17, 1e-100):
        # Three duplicates short of the window, which is w, time out with min(1, 3 / w).
        window = math.sqrt(8 / (3 * p))
        sends = (1 / p + window + 3 / window) / (0.1 * window / 2 + 3 / window * 0.2)
        assert theory.padhye(p, 0.1, 0.2) == pytest.approx(sends, rel=3e-4)
        assert theory.padhye(p, 0.1, 0.2, wmax=20) == pytest.approx(200, rel=1e-6)


@pytest.mark.parametrize("p", [0, 1, -0.1, 2])
def test_a_probability_is_one(p: float) -> None:
    with pytest.raises(ValueError, match="probability"):
        theory.padhye(p, 0.1, 0.2)
    with pytest.raises(ValueError, match="probability"):
        theory.mathis(p, 0.1)


@pytest.mark.parametrize("load", [0.3, 0.8, 1.0, 1.7])
@pytest.mark.parametrize("places", [1, 2, 5, 20])
def test_md1k_is_the_solution_of_its_chain(load: float, places: int) -> None:
    arriving = [math.exp(-load) * load**k / math.factorial(k) for k in range(places)]
    chain = np.zeros((places, places))
    for left in range(places):
        base = max(left - 1, 0)
        for k, chance in enumerate(arriving):
            chain[left, min(base + k, places - 1)] += chance
        chain[left, places - 1] += 1 - sum(arriving)
    system = np.vstack([chain.T - np.eye(places), np.ones(places)])
    left_behind = np.linalg.lstsq(system, np.append(np.zeros(places), 1), rcond=None)[0]
    loss = 1 - 1 / (left_behind[0] + load)
    assert theory.md1k(load, 1, places).loss == pytest.approx(loss, abs=1e-9)


def test_one_place_is_erlangs_formula_for_any_service() -> None:
    for load in (0.2, 1.0, 3.0):
        assert theory.md1k(load, 1, 1).loss == pytest.approx(load / (1 + load))
        assert theory.mm1k(load, 1, 1).loss == pytest.approx(load / (1 + load))
        assert theory.md1k(load, 1, 1).wait == pytest.approx(0, abs=1e-12)


def test_many_places_are_an_endless_queue() -> None:
    assert theory.mm1k(70, 100, 500).wait == pytest.approx(theory.mm1_wait(70, 100))
    assert theory.md1k(70, 100, 300).wait == pytest.approx(theory.md1_wait(70, 100))


def test_overload_loses_the_excess() -> None:
    assert theory.mm1k(200, 100, 400).loss == pytest.approx(0.5)
    assert theory.md1k(200, 100, 400).loss == pytest.approx(0.5)


def test_what_has_no_steady_state_is_refused() -> None:
    with pytest.raises(ValueError, match="steady"):
        theory.mm1_wait(100, 100)
    with pytest.raises(ValueError, match="steady"):
        theory.md1_wait(101, 100)
    with pytest.raises(ValueError, match="place"):
        theory.mm1k(1, 2, 0)


@pytest.mark.parametrize(("mean", "deviation"), [(5, 4), (0, 1), (-3, 2), (20, 4), (5, 0.1)])
def test_the_moments_of_a_truncated_normal_are_its_integrals(mean: float, deviation: float) -> None:
    x = np.linspace(0, max(mean, 0) + 12 * deviation, 400_001)
    density = np.exp(-(((x - mean) / deviation) ** 2) / 2) / (deviation * math.sqrt(2 * math.pi))
    moments = theory.truncated_normal_moments(mean, deviation)
    assert moments.mean == pytest.approx(np.trapezoid(x * density, x), rel=1e-6)
    assert moments.square == pytest.approx(np.trapezoid(x**2 * density, x), rel=1e-6)
    assert moments.deviation**2 == pytest.approx(moments.square - moments.mean**2)


def test_a_normal_far_above_0_is_hardly_truncated_and_one_without_deviation_is_fixed() -> None:
    far = theory.truncated_normal_moments(50, 4)
    assert (far.mean, far.deviation) == pytest.approx((50, 4))
    assert theory.truncated_normal_moments(-5, 0) == (0, 0)
    near, fixed = (theory.truncated_normal_moments(5, each) for each in (1e-9, 0))
    assert near == pytest.approx(fixed)
    with pytest.raises(ValueError, match="negative"):
        theory.truncated_normal_moments(5, -1)


@pytest.mark.parametrize(
    ("mu", "sigma", "largest"), [(9.48, 2.46, 5e6), (2.0, 0.5, 10.0), (1.0, 1.0, 0.5)]
)
def test_the_moments_of_a_truncated_log_normal_are_its_integrals(
    mu: float, sigma: float, largest: float
) -> None:
    z = np.linspace(-12, (math.log(largest) - mu) / sigma, 400_001)
    x, density = np.exp(mu + sigma * z), np.exp(-(z**2) / 2)
    share = np.trapezoid(density, z)
    moments = theory.truncated_log_normal_moments(mu, sigma, largest)
    assert moments.mean == pytest.approx(np.trapezoid(x * density, z) / share, rel=1e-6)
    assert moments.square == pytest.approx(np.trapezoid(x**2 * density, z) / share, rel=1e-6)


def test_a_log_normal_without_a_bound_has_its_own_moments() -> None:
    moments = theory.truncated_log_normal_moments(1.0, 0.5)
    assert moments == pytest.approx((math.exp(1.125), math.exp(2.5)))
    assert theory.truncated_log_normal_moments(1.0, 0.5, 1e30) == pytest.approx(moments)
    for sigma, largest in ((0, 1), (1, 0)):
        with pytest.raises(ValueError, match="above 0"):
            theory.truncated_log_normal_moments(1.0, sigma, largest)


@pytest.mark.parametrize(
    ("count", "mu", "sigma", "largest"),
    [(500, 9.48, 2.46, 5e6), (20, 9.48, 2.46, 1e5), (7, 0.0, 0.3, math.inf)],
)
def test_the_total_over_the_largest_is_that_of_many_batches(
    count: int, mu: float, sigma: float, largest: float
) -> None:
    """Draws again what lies beyond the bound."""
    random = np.random.default_rng(3)
    draws = np.exp(random.normal(mu, sigma, size=(3 * 4000 * count)))
    draws = draws[draws <= largest][: 4000 * count].reshape(4000, count)
    ratios = draws.sum(axis=1) / draws.max(axis=1)
    error = ratios.std() / math.sqrt(4000)
    found = theory.total_over_largest(count, mu, sigma, largest)
    assert abs(found - ratios.mean()) < 4 * error


def test_equal_numbers_sum_to_their_count_times_the_largest() -> None:
    assert theory.total_over_largest(12, 3.0, 1e-6) == pytest.approx(12, rel=1e-4)


@pytest.mark.parametrize(
    ("length", "gigabits"), [(10, 9.17), (100, 5.43), (1000, 1.071), (10_000, 0.1186)]
)
def test_stop_and_wait_has_the_cycle_rates_of_the_fat_tree(length: float, gigabits: float) -> None:
    """Six links of the paper `hybrid`: 7.2 µs of data, 51.2 ns of ACK, and the flight."""
    cycle = 7.2e-6 + 51.2e-9 + 12 * length / 2e8
    rate = theory.stop_and_wait_rate(length)
    assert rate == pytest.approx(72_000 / cycle)
    assert rate == pytest.approx(1e9 * gigabits, rel=1e-3)


def test_switches_that_store_charge_each_link_and_a_faster_link_only_the_sending() -> None:
    stored = theory.stop_and_wait_rate(0, store_and_forward=True)
    assert stored == pytest.approx(theory.stop_and_wait_rate(0) / 6)
    slow, fast = (theory.stop_and_wait_rate(1000, rate=rate) for rate in (10e9, 400e9))
    assert 72_000 / slow - 72_000 / fast == pytest.approx(8 * 9064 * (1 / 10e9 - 1 / 400e9))
    hollow = theory.stop_and_wait_rate(1000, delay_per_km=3.34e-6)
    assert 72_000 / slow - 72_000 / hollow == pytest.approx(12 * 1.66e-6)


# A connection that is alone.

HOPS = [10e6, 2.5e9, 10e6]


def test_a_lone_segment_takes_a_handshake_and_a_flight() -> None:
    """Worked by hand: two control packets and one of data over three links."""
    control = 0.02 + 2 * 8 * 47 * (2 / 10e6 + 1 / 2.5e9)
    data = 0.01 + 8 * 1507 * (2 / 10e6 + 1 / 2.5e9)
    assert theory.lone_transfer(1460, HOPS, 0.02) == pytest.approx(control + data)
    assert theory.lone_transfer(1460, HOPS, 0.02, handshake=False) == pytest.approx(data)


def test_slow_start_from_one_segment_doubles_each_round_trip() -> None:
    """1, 2, 4 segments: the seventh leaves as the last of four, two round trips after the first."""
    trip = 0.02 + 8 * (1507 + 47) * (2 / 10e6 + 1 / 2.5e9)
    first = theory.lone_transfer(1460, HOPS, 0.02)
    seventh = theory.lone_transfer(7 * 1460, HOPS, 0.02)
    assert seventh - first == pytest.approx(2 * trip + 3 * 8 * 1507 / 10e6)


def test_beyond_slow_start_the_window_grows_by_a_segment_a_round_trip() -> None:
    """A little less by RFC 5681: from 2 it is 2.9 after a trip, 3.2 and 3.5 in the next one."""
    fast = [1e12, 1e12]
    one = theory.lone_transfer(2 * 1460, fast, 1.0, initial_window=2, ssthresh=1460)
    some = [
        theory.lone_transfer(n * 1460, fast, 1.0, initial_window=2, ssthresh=1460) - one
        for n in (4, 5, 7, 8, 11)
    ]
    assert [round(each) for each in some] == [1, 2, 2, 3, 3]


def test_a_window_that_holds_the_path_leaves_no_gap() -> None:
    found = theory.lone_transfer(1000 * 1460, HOPS, 0.02, initial_window=1000, handshake=False)
    assert found == pytest.approx(1000 * 8 * 1507 / 10e6 + 0.01 + 8 * 1507 * (1 / 2.5e9 + 1 / 10e6))


def test_a_short_last_segment_waits_behind_the_one_before_it() -> None:
    """At the last link, which takes a thousand times as long for a packet as the first."""
    found = theory.lone_transfer(1461, [1e9, 1e6], 0.02, initial_window=2, handshake=False)
    assert found == pytest.approx(0.01 + 8 * 1507 / 1e9 + 8 * 1507 / 1e6 + 8 * 48 / 1e6)


@pytest.mark.parametrize("size", [500, 1460, 1500, 100_000, 10_000_000])
def test_a_lone_transfer_takes_as_long_as_in_the_engine(size: int) -> None:
    link = {"queue": {"kind": "drop-tail", "packets": 100_000}}
    whole = {
        "profile": "ns2-2008",
        "run": {"duration": "60 s"},
        "topology": {
            "kind": "dumbbell",
            "pairs": 1,
            "access": {"rate": "10 Mb/s", "delay": "5 ms", **link},
            "bottleneck": {"rate": "2.5 Gb/s", "delay": "0 s", **link},
        },
        "traffic": [
            {
                "from": "left-0",
                "to": "right-0",
                "transport": {
                    "kind": "tcp", "preset": "newreno", "segment": "1460 B", "header": "47 B",
                    "initial-window": "1 segments", "initial-ssthresh": "65535 B",
                    "max-window": "unlimited", "receive-window": "unlimited", "ack-every": 1,
                },
                "source": {"kind": "bulk", "size": f"{size} B"},
            }
        ],
    }  # fmt: skip
    flow = tp.run(tp.Scenario(toml.dumps(whole))).flows.row(0, named=True)
    # The engine's end is the last acknowledgment at the source.
    back = 0.01 + 8 * 47 * (2 / 10e6 + 1 / 2.5e9)
    found = theory.lone_transfer(size, HOPS, 0.02, ssthresh=65535)
    assert found == pytest.approx(flow["end"] - back, rel=1e-9)
