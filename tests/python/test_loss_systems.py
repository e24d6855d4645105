"""Erlang's and Engset's formulas and the fixed point of TCP over them, against slow twins."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from tcphoton.analysis import theory

LOADS = st.floats(1e-3, 1e4)
SERVERS = st.integers(0, 300)
FEW = st.floats(0.01, 30)
SHARES = st.floats(1e-12, 1 - 1e-9)


@pytest.mark.parametrize(
    ("servers", "load"),
    # The tables of Erlang B for losses of 1%, in every textbook.
    [(1, 0.0101), (2, 0.1526), (5, 1.361), (10, 4.461), (20, 12.031), (30, 20.337), (50, 37.901),
     (100, 84.064)],
)  # fmt: skip
def test_erlang_b_has_the_values_of_the_tables(servers: int, load: float) -> None:
    assert theory.erlang_b(load, servers) == pytest.approx(0.01, rel=2e-3)
    assert theory.erlang_b_load(0.01, servers) == pytest.approx(load, abs=6e-4)


def test_erlang_b_is_the_share_of_its_last_term() -> None:
    for load in (Fraction(1, 7), Fraction(3), Fraction(50)):
        for servers in (0, 1, 2, 7, 40):
            terms = [load**k / math.factorial(k) for k in range(servers + 1)]
            exact = float(terms[-1] / sum(terms))
            assert theory.erlang_b(float(load), servers) == pytest.approx(exact, rel=1e-14)


def test_erlang_b_keeps_its_digits_for_thousands_of_servers() -> None:
    # At A = n the loss tends to the root of 2/(πn): Jagerman, theorem 14.
    for servers in (10**4, 10**6):
        limit = math.sqrt(2 / (math.pi * servers))
        assert theory.erlang_b(servers, servers) == pytest.approx(limit, rel=0.02)
    assert theory.erlang_b(1, 10_000) == 0
    assert theory.erlang_b(1e300, 5) == pytest.approx(1)


@settings(max_examples=60)
@given(load=st.floats(0.05, 400), servers=FEW)
def test_erlang_b_between_whole_numbers_is_its_integral(load: float, servers: float) -> None:
    def integrand(u: float) -> float:
        return math.exp(servers * math.log1p(u / load) - u)

    # The integrand is largest at u = n - A and is nothing far beyond.
    top = max(0.0, servers - load)
    whole = sum(
        quad(integrand, low, high, epsabs=0, epsrel=1e-11, limit=500)[0]
        for low, high in ((0.0, top), (top, top + 60), (top + 60, top + 900))
        if high > low
    )
    assert theory.erlang_b(load, servers) == pytest.approx(1 / whole, rel=1e-8)


@given(load=LOADS, more=st.floats(1.001, 10), servers=SERVERS)
def test_erlang_b_grows_with_the_load_and_falls_with_the_servers(
    load: float, more: float, servers: int
) -> None:
    lost = theory.erlang_b(load, servers)
    assert 0 <= lost <= 1
    assert theory.erlang_b(load * more, servers) >= lost
    assert theory.erlang_b(load, servers + 0.5) <= lost
    assert theory.erlang_b(load, servers + 1) <= lost


@given(share=SHARES, servers=st.one_of(st.integers(1, 200), st.floats(0.05, 200)))
def test_the_load_for_a_loss_is_the_inverse(share: float, servers: float) -> None:
    load = theory.erlang_b_load(share, servers)
    lost = theory.erlang_b(load, servers)
    # What is carried tells apart losses near 1.
    assert lost == pytest.approx(share, rel=1e-9)
    assert 1 - lost == pytest.approx(1 - share, rel=1e-3)


@given(
    sources=st.integers(1, 60),
    servers=st.integers(0, 60),
    intensity=st.fractions(Fraction(1, 1000), 1000),
)
def test_engset_is_the_share_of_its_last_term(
    sources: int, servers: int, intensity: Fraction
) -> None:
    def share(of: int) -> float:
        terms = [math.comb(of, k) * intensity**k for k in range(servers + 1)]
        return float(terms[-1] / sum(terms))

    found = theory.engset(sources, servers, float(intensity))
    assert found.time == pytest.approx(share(sources), rel=1e-12)
    assert found.call == pytest.approx(share(sources - 1), rel=1e-12)
    assert 0 <= found.call <= found.time <= 1


@given(load=st.floats(0.1, 50), servers=st.integers(1, 60))
def test_engset_with_many_sources_is_erlang_b(load: float, servers: int) -> None:
    erlang = theory.erlang_b(load, servers)
    apart = []
    for sources in (10**4, 10**6, 10**8):
        found = theory.engset(sources, servers, load / sources)
        apart.append(max(abs(found.time / erlang - 1), abs(found.call / erlang - 1)))
    assert apart[2] < 1e-4
    assert apart[2] <= apart[1] <= apart[0]


TCP = {
    "flows": st.floats(1, 1000), "channels": st.one_of(st.integers(1, 64), st.floats(0.5, 64)),
    "service": st.floats(10, 1e6), "rtt": st.floats(1e-3, 1), "t0": st.floats(1, 30),
    "b": st.sampled_from([1, 2]),
}  # fmt: skip


@given(st.fixed_dictionaries(TCP))
def test_the_fixed_point_satisfies_both_equations(given: dict[str, float]) -> None:
    found = theory.padhye_over_erlang(**given)
    rest = {name: given[name] for name in ("rtt", "t0", "b")}
    assert found.rate == pytest.approx(theory.padhye(found.loss, **rest), rel=1e-9)
    assert found.load == pytest.approx(given["flows"] * found.rate / given["service"], rel=1e-9)
    assert found.loss == pytest.approx(theory.erlang_b(found.load, given["channels"]), rel=1e-7)


@given(st.fixed_dictionaries(TCP))
def test_more_flows_lose_more_and_each_sends_less(given: dict[str, float]) -> None:
    one = theory.padhye_over_erlang(**given)
    more = theory.padhye_over_erlang(**(given | {"flows": 2 * given["flows"]}))
    wider = theory.padhye_over_erlang(**(given | {"channels": given["channels"] + 1}))
    assert wider.loss < one.loss < more.loss
    assert wider.rate > one.rate > more.rate


def test_a_window_that_fits_the_link_is_the_rate_and_loses_nothing() -> None:
    found = theory.padhye_over_erlang(2, 500, service=100, rtt=0.1, t0=0.2, wmax=10)
    assert found.loss == 0
    assert (found.rate, found.load) == pytest.approx((100, 2))


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: theory.erlang_b(-1, 5), "a load must be finite and 0 or more"),
        (lambda: theory.erlang_b(math.nan, 5), "a load must be finite and 0 or more"),
        (lambda: theory.erlang_b(1, math.inf), "a number of servers must be finite and 0 or more"),
        (lambda: theory.erlang_b_load(0, 5), "between 0 and 1"),
        (lambda: theory.erlang_b_load(1, 5), "between 0 and 1"),
        (lambda: theory.erlang_b_load(0.1, 0), "without servers"),
        (lambda: theory.engset(0, 5, 1), "sources is whole and at least 1"),
        (lambda: theory.engset(5, 2.5, 1), "servers is whole"),  # type: ignore[arg-type]
        (lambda: theory.engset(5, 2, -1), "an intensity must be finite and 0 or more"),
        (lambda: theory.padhye_over_erlang(5, 1, 9, rtt=1, t0=0.9), "shorter than the round trip"),
        (
            lambda: theory.padhye_over_erlang(0, 1, 1, rtt=1, t0=1),
            "flows must be finite and more than 0",
        ),
        (
            lambda: theory.padhye_over_erlang(1, 1, 1, rtt=math.inf, t0=1),
            "rtt must be finite and more than 0",
        ),
    ],
)
def test_what_is_no_loss_system_is_refused(call, match: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=match):
        call()


def test_the_ends_of_what_is_accepted() -> None:
    assert theory.erlang_b(0, 0) == 1
    assert theory.erlang_b(0, 3) == theory.erlang_b(0, 0.5) == 0
    assert theory.erlang_b(3, 0) == 1
    assert theory.engset(3, 0, 1) == (1, 1)
    assert theory.engset(3, 1, 0) == (0, 0)
    assert theory.engset(1, 1, 1) == (0.5, 0)
