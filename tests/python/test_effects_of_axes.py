"""The main effects of a study's axes, beside an analysis by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

from tcphoton.analysis.effects import effects


def study(seeds: int = 4) -> pl.DataFrame:
    """Two axes, of which one matters, and they interact: the value 3 of `p` is good only in b."""
    random = np.random.default_rng(3)
    rows = [
        {"p": p, "tcp": tcp, "seed": seed, "goodput": 10.0 * p * (1 if tcp == "a" else -0.2)
         + 5 * seed + random.normal(), "noise": random.normal()}
        for p, tcp, seed in itertools.product((1, 2, 3), "ab", range(seeds))
    ]  # fmt: skip
    return pl.DataFrame(rows)


def test_a_main_effect_is_the_mean_over_the_other_axes_seed_by_seed() -> None:
    table = study()
    found = {(each.axis, each.measure): each for each in effects(table, ["p", "tcp"], ["goodput"])}
    effect = found[("p",), "goodput"]
    assert (effect.low_at, effect.high_at) == ((1,), (3,))

    def at(p: int, seed: int) -> float:
        rows = table.filter(pl.col("p") == p, pl.col("seed") == seed)
        return float(np.mean(rows.get_column("goodput").to_numpy()))

    differences = [at(3, seed) - at(1, seed) for seed in range(4)]
    # Three pairs of values: each interval at 1 - 0.05 / 3.
    told = stats.ttest_1samp(differences, 0.0)
    low, high = told.confidence_interval(1 - 0.05 / 3)
    assert effect.difference.mean == pytest.approx(np.mean(differences))
    means = [np.mean([at(p, seed) for seed in range(4)]) for p in (1, 3)]
    assert effect.size == pytest.approx(np.mean(differences) / np.mean(means))
    assert (effect.difference.low, effect.difference.high) == pytest.approx((low, high))
    assert effect.p == pytest.approx(3 * told.pvalue)
    assert (effect.contrary, effect.cells) == (1, 2)  # it is the other way round in b


def test_what_is_chance_comes_last() -> None:
    found = effects(study(8), ["p", "tcp"], ["noise", "goodput"])
    assert [each.measure for each in found[:2]] == ["goodput", "goodput"]
    assert [each.moved for each in found] == [True, True, False, False]
    assert found[0].size >= found[1].size


def test_keys_that_vary_together_have_one_effect() -> None:
    table = study().with_columns(q=pl.col("p") * 2)
    found = effects(table, ["p", "q", "tcp"], ["goodput"], [frozenset({"p", "q"})])
    assert {each.axis for each in found} == {("p", "q"), ("tcp",)}
    (one,) = (each for each in found if len(each.axis) > 1)
    assert one.high_at == (3, 6)


def test_a_single_seed_has_no_interval_and_other_seeds_are_not_paired() -> None:
    (single,) = effects(study(1), ["p"], ["noise"])
    assert math.isnan(single.p)
    assert math.isinf(single.difference.high)
    assert not single.moved
    table = study().filter(pl.col("tcp") == "a", pl.col("p") < 3)
    apart = table.with_columns(seed=pl.col("seed") + 10 * pl.col("p"))
    (effect,) = effects(apart, ["p"], ["goodput"])
    ones, twos = (apart.filter(p=p).get_column("goodput").to_numpy() for p in (2, 1))
    told = stats.ttest_ind(ones, twos, equal_var=False)
    assert effect.p == pytest.approx(told.pvalue)
    assert effect.difference.high == pytest.approx(told.confidence_interval(0.95).high)


def test_an_effect_leaves_out_combinations_that_lack_a_value_and_names_them() -> None:
    # At s = 3 all is worst, and so bad in b that there is no value: c tells what 3 does.
    rows = [
        {"s": s, "core": core, "seed": seed, "goodput": 1.0, "time": time}
        for s in (1, 2, 3)
        for core in "bc"
        for seed in range(3)
        for time in [None if (s, core) == (3, "b") else s * (10.0 if core == "b" else 1.0) + seed]
    ]
    found = effects(pl.DataFrame(rows), ["s", "core"], ["time"])
    of_s = next(each for each in found if each.axis == ("s",))
    assert (of_s.low_at, of_s.high_at, of_s.difference.mean) == ((1,), (3,), 2.0)
    assert of_s.lacking == ({"s": 3, "core": "b"},)
    assert of_s.is_incomplete
    of_core = next(each for each in found if each.axis == ("core",))
    assert of_core.difference.mean == pytest.approx((9 + 18) / 2)
    # Effects that may be larger where there is no value come last.
    two = effects(study().with_columns(gap=pl.when(pl.col("p") < 3).then("goodput")), ["p"],
                  ["gap", "goodput"])  # fmt: skip
    assert [each.measure for each in two] == ["goodput", "gap"]


def test_values_with_equal_means_are_named_and_an_absent_key_is_no_value() -> None:
    rows = [
        {"ports": ports, "seed": seed, "loss": 0.5 if ports == "0" else 0.0}
        for ports in ("0", "4", "8", "–")
        for seed in range(3)
    ]
    (found,) = effects(pl.DataFrame(rows), ["ports"], ["loss"], absent="–")
    assert (found.low_at, found.equal) == (("4",), ((("8",),), ()))
    assert found.high_at == ("0",)


def test_an_effect_over_points_that_the_seed_does_not_change_says_so() -> None:
    rows = [
        {"p": p, "q": q, "seed": seed, "goodput": p + q * (1 + seed), "x": 10.0 * p}
        for p in (1, 2)
        for q in (0.0, 1.0)
        for seed in range(3)
    ]
    found = effects(pl.DataFrame(rows), ["p", "q"], ["x"])
    of_p = next(each for each in found if each.axis == ("p",))
    (told,) = {each.about for each in of_p.caveats if each.kind == "same-runs"}
    assert told == "at 2 of 4 points"  # those with q = 0


def test_means_of_values_of_other_orders_of_magnitude_are_told() -> None:
    # The completion time is 2 or 3 units, of a unit that `load` makes 100 times as large.
    rows = [
        {"p": p, "load": load, "seed": seed, "time": (1 + p) * load * (1 + seed / 100)}
        for p, load, seed in itertools.product((1, 2), (0.01, 1.0), range(3))
    ]
    by_axis = {each.axis: each for each in effects(pl.DataFrame(rows), ["p", "load"], ["time"])}
    assert by_axis["p",].apart == pytest.approx(100)
    assert by_axis["load",].apart == pytest.approx(1.5)
    alone = pl.DataFrame([row for row in rows if row["load"] == 1.0])
    assert [each.apart for each in effects(alone, ["p"], ["time"])] == [1.0]
