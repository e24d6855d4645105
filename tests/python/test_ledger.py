"""The rules of verdicts, and the ledger that keeps them."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

import tcphoton as tp
from tcphoton.analysis.statistics import Interval, mean_interval
from tcphoton.common import quantities
from tcphoton.papers import ledger, rules
from tcphoton.papers.ledger import Claim, Part
from tcphoton.papers.rules import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tcphoton.papers.rules import Rule, Verdict

NUMBERS = st.floats(-1e6, 1e6)


def between(low: float, high: float, seeds: int = 5) -> Interval:
    return Interval((low + high) / 2, low, high, seeds)


# Levels. One of five runs reaches √6 times as far as the interval of their mean, of 99 ten times.


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (9, 9.5, "holds"),  # within a quarter
        (7.6, 12.4, "holds"),
        (12.4, 16.2, "holds"),  # 9.65 … 18.95 is one run
        (12.6, 16, "differs"),  # 10.14 … 18.46
        (4, 7.4, "differs"),  # 1.54 … 9.86
        (3.8, 7.6, "holds"),  # 1.05 … 10.35
        (12, 13, "cannot tell"),  # across a quarter, and 11.28 … 13.72
        (6, 14, "holds"),  # 0.20 … 19.80
        (5.9, 14.1, "cannot tell"),  # -0.04 … 20.04 is wider than twice the number
        (-12, 7.4, "cannot tell"),
        (-100, 100, "cannot tell"),
        (-math.inf, math.inf, "cannot tell"),
        (math.nan, math.nan, "cannot tell"),
    ],
)
def test_about_ten_is_a_run_of_ours_or_within_a_quarter(
    low: float, high: float, verdict: str
) -> None:
    for sign in (1, -1):
        first, last = sorted((sign * low, sign * high))
        found = rules.about(between(first, last), 10 * sign, printed=0)
        assert (found.verdict, found.shape) == (verdict, None)


def test_a_quarter_is_a_share_that_may_be_another() -> None:
    found = [rules.about(between(13, 14), 10, share=share) for share in (0.25, 0.41)]
    assert [each.verdict for each in found] == ["differs", "holds"]
    assert [each.band for each in found] == [(7.5, 12.5), pytest.approx((5.9, 14.1))]


@pytest.mark.parametrize(("seeds", "verdict"), [(5, "differs"), (47, "differs"), (49, "holds")])
def test_the_number_is_one_run_however_well_our_mean_is_known(seeds: int, verdict: str) -> None:
    """The same interval of more seeds is that of runs which vary more: 10 is 3.5 below 13.5."""
    assert rules.about(between(13, 14, seeds), 10, printed=0).verdict == verdict


def test_a_number_is_printed_to_its_last_digit() -> None:
    # One of five runs is 10.45 … 12.45 here.
    one = between(11.45 - 1 / math.sqrt(6), 11.45 + 1 / math.sqrt(6))
    assert rules.about(one, 10, share=0.05).verdict == "holds"
    for other in (10.4, 9.95):
        found = rules.about(one, other, share=0.05)
        assert found.verdict == ("holds" if other == 10.4 else "differs")


@pytest.mark.parametrize(
    ("low", "high", "verdict", "shape"),
    [
        (9, 11, "holds", "holds"),
        (12.4, 16.2, "holds", "holds"),
        (20, 22, "in shape", "holds"),
        (0.1, 0.2, "in shape", "holds"),
        (12, 13, "in shape", "holds"),  # a level that cannot tell has this shape whatever it is
        (0.2, 15, "cannot tell", "holds"),  # one run says nothing
        (-22, -20, "differs", "reversed"),
        (-30, -0.1, "cannot tell", "reversed"),  # one run reaches the number
        (-1, 1, "differs", "not seen"),  # too small for a run of 10
        (0, 0, "differs", "not seen"),
        (-0.1, 7.9, "cannot tell", "not seen"),  # -5.9 … 13.7 is one run
        (-1, 21, "cannot tell", "not seen"),
    ],
)
def test_an_effect_of_ten_has_a_shape_and_a_level(
    low: float, high: float, verdict: str, shape: str
) -> None:
    for sign in (1, -1):
        first, last = sorted((sign * low, sign * high))
        found = rules.about(between(first, last), 10 * sign, null=0)
        assert (found.verdict, found.shape) == (verdict, shape)
        factor = rules.about(between(1 + first, 1 + last), 1 + 10 * sign, null=1)
        assert factor.shape == shape


@pytest.mark.parametrize(
    ("low", "high", "verdict", "shape"),
    [
        (0.45, 0.55, "holds", "holds"),
        (0.7, 0.75, "in shape", "holds"),
        (0.1, 0.2, "in shape", "holds"),
        (1.4, 1.5, "differs", "reversed"),
        (0.95, 1.05, "differs", "not seen"),
    ],
)
def test_half_as_much_is_less_than_once(low: float, high: float, verdict: str, shape: str) -> None:
    found = rules.about(between(low, high), 0.5, "times", null=1)
    assert (found.verdict, found.shape) == (verdict, shape)


def test_how_far_a_level_is_away_is_a_factor() -> None:
    assert rules.about(between(20, 22), 10, null=0).factor == pytest.approx(2.1)
    assert rules.about(between(20, 22), 0).factor is None
    assert rules.inside(between(20, 22), 0, 10).factor is None


@pytest.mark.parametrize(("printed", "verdict"), [(0, "differs"), (2, "differs"), (3, "holds")])
def test_a_number_may_be_printed_to_tens(printed: float, verdict: str) -> None:
    """One run gives 12.28 … 14.72."""
    assert rules.about(between(13, 14), 10, printed=printed).verdict == verdict


@pytest.mark.parametrize(("of", "verdict"), [(1, "holds"), (2, "holds"), (3, "differs")])
def test_a_number_may_be_the_mean_of_several_runs(of: int, verdict: str) -> None:
    """Of 99 seeds: 10.00 below the mean for one run, 7.11 for two, 5.83 for three."""
    found = rules.about(between(19, 21, 99), 13.5, of=of)
    assert found.verdict == verdict
    assert found.one_run == pytest.approx(rules.one_run(between(19, 21, 99), of))


def test_one_run_may_vary_more_than_the_means_say() -> None:
    found = {run: rules.about(between(13, 14), 10, run=run) for run in ((9, 18), (9, 30), (11, 16))}
    assert [each.verdict for each in found.values()] == ["holds", "cannot tell", "differs"]
    assert [each.one_run for each in found.values()] == list(found)


def test_one_run_is_wider_by_the_root_of_one_more_than_the_seeds() -> None:
    assert rules.one_run(between(-1, 3, 8)) == (-5, 7)
    assert rules.one_run(between(-1, 3, 8), 8) == pytest.approx((1 - 2**1.5, 1 + 2**1.5))
    # Each side of a ratio's interval by itself.
    assert rules.one_run(Interval(2.0, 1.5, 3.0, 3)) == (1, 4)


@pytest.mark.parametrize("seeds", [10, 100, 1000])
@pytest.mark.parametrize("of", [1, 10])
def test_more_seeds_never_make_a_true_claim_differ(seeds: int, of: int) -> None:
    """The published number is drawn like our runs: one of 20 lies outside of what one run gives."""
    draw = np.random.default_rng(seeds)
    true, false = Counter[str](), Counter[str]()
    for runs in draw.normal(10.0, 2.0, (1000, seeds + of)):
        ours, published = mean_interval(runs[of:]), float(runs[:of].mean())
        for null in (None, 0.0):
            true[rules.about(ours, published, null=null, of=of).verdict] += 1
            false[rules.about(ours, 2 * published, null=null, of=of).verdict] += 1
    assert true["differs"] + true["in shape"] <= 0.08 * 2000
    assert true["holds"] >= 0.92 * 2000
    # Twice the number does differ.
    assert false["differs"] + false["in shape"] >= 0.85 * 2000


@given(
    st.tuples(NUMBERS, st.floats(0, 1e6)),
    NUMBERS,
    st.integers(3, 1000),
    st.sampled_from([None, 0.0, 1.0]),
    st.sampled_from([1, 10]),
)
def test_about_never_holds_by_noise_alone(
    at: tuple[float, float], published: float, seeds: int, null: float | None, of: int
) -> None:
    low, width = at
    interval = between(low, low + 2 * abs(published) + width, seeds)
    assume(interval.high - interval.low > 2 * abs(published))
    assert rules.about(interval, published, null=null, of=of).verdict != "holds"


# Thresholds of ours.


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (-4.9, 4.9, "holds"),
        (6, 8, "in shape"),  # 5 would be too little
        (4, 6, "in shape"),
        (9, 11, "cannot tell"),
        (11, 19, "cannot tell"),  # 20 would be enough
        (15, 25, "cannot tell"),
        (-21, 21, "cannot tell"),
        (-2, 12, "holds"),  # -12.1 … 22.1 is one run: it would not show it
        (2, 8, "holds"),  # -2.3 … 12.3
        (20.1, 30, "differs"),
        (0.1, 40.1, "cannot tell"),
    ],
)
def test_hardly_is_within_ten_per_cent_or_not_seen_in_one_run(
    low: float, high: float, verdict: str
) -> None:
    for found in (rules.hardly(between(low, high)), rules.hardly(between(-high, -low))):
        assert found.verdict == verdict
        assert (found.note == "by a threshold of ours") == (
            verdict == "in shape" or (low, high) in {(11, 19), (15, 25)}
        )


@pytest.mark.parametrize(
    ("deviation", "verdicts"),
    [
        (2, ["cannot tell", "cannot tell", "cannot tell"]),  # one run shows 12 %
        (20, ["cannot tell", "holds", "holds"]),  # and does not here, once it is below 20 %
    ],
)
def test_few_seeds_never_help_a_change_to_be_hardly_one(
    deviation: float, verdicts: Sequence[str]
) -> None:
    found = []
    for seeds in (5, 50, 5000):
        reach = float(stats.t.ppf(0.975, seeds - 1)) * deviation / math.sqrt(seeds)
        found.append(rules.hardly(between(12 - reach, 12 + reach, seeds)).verdict)
    assert found == verdicts


def test_hardly_may_be_within_another_bound() -> None:
    found = [rules.hardly(between(1.2, 1.4), bound) for bound in (0.5, 1, 2, 3)]
    assert [each.verdict for each in found] == ["differs", "cannot tell", "in shape", "holds"]


@given(NUMBERS, st.floats(0, 1e6), st.integers(3, 1000))
def test_what_is_hardly_a_change_is_within_twenty_per_cent(
    low: float, width: float, seeds: int
) -> None:
    interval = between(low, low + width, seeds)
    mirrored = between(-low - width, -low, seeds)
    found = rules.hardly(interval).verdict
    assert found == rules.hardly(mirrored).verdict
    if found == "holds":
        assert -20 < interval.low <= interval.high < 20
    if found == "differs":
        assert interval.low > 20 or interval.high < -20


@pytest.mark.parametrize(
    ("low", "high", "verdict", "note"),
    [
        (41, 42, "holds", ""),
        (39, 41, "in shape", "by a threshold of ours"),  # across twice as much
        (21, 22, "in shape", "by a threshold of ours"),
        (19, 21, "cannot tell", ""),  # across the threshold itself
        (18, 19, "cannot tell", "by a threshold of ours"),
        (9, 11, "cannot tell", "by a threshold of ours"),  # across half as much
        (8, 9, "differs", ""),
        (5, 50, "cannot tell", ""),
    ],
)
def test_a_threshold_of_ours_decides_where_half_and_twice_do_alike(
    low: float, high: float, verdict: str, note: str
) -> None:
    rule = rules.robust(20, lambda each: lambda _: rules.inside(between(low, high), each, math.inf))
    found = rule(TABLE)
    assert (found.verdict, found.note, found.ours) == (verdict, note, (low + high) / 2)
    down = rules.robust(
        20, lambda each: lambda _: rules.inside(between(-high, -low), -math.inf, -each)
    )
    assert down(TABLE).verdict == verdict


def test_a_threshold_of_ours_keeps_the_place_that_was_found() -> None:
    def over(percent: float) -> Rule:
        found = [("a", rules.inside(between(30, 31), percent, math.inf))]
        return lambda _: rules.worst(found)

    assert rules.robust(20, over)(TABLE).note == "a, by a threshold of ours"
    assert rules.robust(20, lambda _: lambda _: rules.not_covered())(TABLE).verdict == "not covered"


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(0.1, 5, "holds"), (-5, -0.1, "differs"), (-0.1, 5, "cannot tell"), (0, 5, "cannot tell")],
)
def test_what_grows_has_a_slope_whose_interval_excludes_0(
    low: float, high: float, verdict: str
) -> None:
    assert rules.grows(between(low, high), "ms").verdict == verdict


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (-50, 12.4, "holds"),
        (12, 13, "cannot tell"),  # 11.28 … 13.72 is one run
        (12.6, 14, "differs"),  # 11.59 … 15.01
        (12.6, 20, "holds"),  # 7.24 … 25.36
        (13, 20, "holds"),  # 7.93 … 25.07
        (12.6, 28, "cannot tell"),  # 1.44 … 39.16: one run says nothing
    ],
)
def test_at_most_about_ten_has_no_lower_bound(low: float, high: float, verdict: str) -> None:
    assert rules.at_most_about(between(low, high), 10).verdict == verdict


@given(NUMBERS, st.floats(0, 1e6), NUMBERS, st.floats(0.001, 1e6))
def test_an_interval_is_inside_or_outside_or_straddles(
    low: float, width: float, bound: float, room: float
) -> None:
    found = rules.inside(between(low, low + width), bound, bound + room).verdict
    mirrored = rules.inside(between(-low - width, -low), -bound - room, -bound).verdict
    assert found == mirrored
    points = [low, low + width / 2, low + width]
    if found == "holds":
        assert all(bound <= point <= bound + room for point in points)
    if found == "differs":
        assert not any(bound < point < bound + room for point in points)


@pytest.mark.parametrize(
    ("count", "verdict", "note"),
    [
        (0, "not covered", "not run"),
        (1, "cannot tell", "a single seed"),
        (2, "cannot tell", "2 seeds"),
        (3, "holds", ""),
    ],
)
def test_fewer_than_three_seeds_cannot_tell_and_none_is_not_covered(
    count: int, verdict: str, note: str
) -> None:
    judges: list[Callable[[Interval], Finding]] = [
        lambda each: rules.about(each, 10),
        lambda each: rules.about(each, 10, null=0),
        lambda each: rules.inside(each, 9, 11),
        lambda each: rules.hardly(each, 30),
        lambda each: rules.at_most_about(each, 10),
        lambda each: rules.grows(each, "ms"),
    ]
    for judge in judges:
        found = judge(mean_interval([10.0] * count))
        assert (found.verdict, found.note) == (verdict, note)
        assert (found.interval is None, found.one_run is None) == (count < 2, count < 3)


TABLE = pl.DataFrame(
    {
        "size": ["20 kB", "20 kB", "20 kB", "40 kB", "40 kB", "100 kB"],
        "seed": [1, 2, 3, 1, 2, 1],
        "delay": [1.0, 2.0, 9.0, 3.0, 5.0, 9.0],
    }
)


def test_changes_are_over_the_seeds_that_both_points_have() -> None:
    found = rules.change(TABLE, "delay", {"size": "40 kB"}, {"size": "20 kB"})
    assert found.n == 2
    assert found.mean == pytest.approx(100 * (8 / 3 - 1))


def test_a_slope_needs_every_point_of_its_seed() -> None:
    assert rules.slopes(TABLE, "delay", "size", {}) == pytest.approx([8.0 / 80e3], rel=0.03)
    short = TABLE.filter(pl.col("size") != "100 kB")
    assert rules.slopes(short, "delay", "size", {}) == pytest.approx([2 / 20e3, 3 / 20e3])
    assert rules.slopes(TABLE, "delay", "size", {"size": "20 kB"}) == []


@pytest.mark.parametrize(
    ("values", "wanted", "seeds"),
    [
        ([1, 2], 1.0, [1]),
        ([1.0, 2.0], 1, [1]),
        ([True, False], False, [2]),
        ([math.nan, 1.0], math.nan, [1]),
        (pl.Series([0.1, 0.2], dtype=pl.Float32), 0.1, [1]),
        ([[1, 2], [3, 4]], [3, 4], [2]),
    ],
)
def test_a_point_is_found_whatever_the_type_of_its_column(
    values: Any, wanted: object, seeds: list[int]
) -> None:
    table = pl.DataFrame({"at": values, "seed": [1, 2], "y": [5.0, 6.0]})
    assert list(rules.replications(table, "y", {"at": wanted})) == seeds


def test_what_a_table_lacks_is_no_number() -> None:
    assert rules.replications(TABLE, "goodput", {}) == {}
    assert rules.replications(TABLE, "delay", {"size": "30 kB"}) == {}
    assert rules.slopes(TABLE, "delay", "timeout", {}) == []


def test_several_points_for_one_are_refused() -> None:
    with pytest.raises(ValueError, match="more than one point"):
        rules.replications(TABLE, "delay", {})
    twice = TABLE.with_columns(size=pl.lit("20 kB"))
    with pytest.raises(ValueError, match="more than one curve"):
        rules.slopes(twice, "delay", "size", {})


def test_the_worst_of_several_decides_and_says_where() -> None:
    found = [(str(low), rules.inside(between(low, low + 1), -10, 10)) for low in (1, -5, 3)]
    worst = rules.worst(found)
    assert (worst.verdict, worst.note, worst.ours) == ("holds", "-5", -4.5)
    assert rules.worst(found, badness=lambda number: number).note == "3"
    for at, each, verdict in (
        ("a", rules.hardly(between(6, 8)), "in shape"),
        ("b", rules.inside(between(9.5, 10.5), -10, 10), "cannot tell"),
        ("c", rules.hardly(between(30, 31)), "differs"),
    ):
        found.append((at, each))
        worst = rules.worst(found)
        assert worst.verdict == verdict
        assert worst.note.partition(":")[0] == at
    assert rules.worst([]).verdict == "not covered"


def test_places_that_were_run_do_not_hold_for_those_that_were_not() -> None:
    holding, differing = (rules.hardly(between(low, low + 1)) for low in (1, 30))
    found = [("a", holding), ("b", rules.not_covered())]
    assert (rules.worst(found).verdict, rules.worst(found).note) == ("cannot tell", "b: not run")
    assert rules.worst([*found, ("c", differing)]).verdict == "differs"
    assert rules.worst(found[1:]).verdict == "not covered"


# Claims of several parts.


def entry_of(
    findings: list[Finding],
    combine: Any = "all",
    beside: tuple[Finding, ...] = (),
    beyond: str = "",
) -> ledger.Entry:
    def part(finding: Finding, counts: bool) -> Part:
        is_beyond = finding.verdict == "out of reach"
        found = replace(finding, verdict="differs") if is_beyond else finding
        reason = beyond * is_beyond
        return Part("a", "", "table", lambda _: found, counts=counts, beyond=reason)

    parts = tuple(
        part(each, counts)
        for group, counts in ((findings, True), (beside, False))
        for each in group
    )
    each = Claim("x.1", "", "", "", parts, combine)
    return ledger.entry(each, {"table": TABLE}, {"scale": "none"})


def verdict(verdicts: list[Verdict], combine: Any, beside: tuple[Verdict, ...] = ()) -> str:
    findings, shown = ([Finding(each) for each in group] for group in (verdicts, beside))
    return str(entry_of(findings, combine, tuple(shown), beyond="No theory has it.")["verdict"])


@pytest.mark.parametrize(
    ("verdicts", "every", "one", "some"),
    [
        (["holds", "holds"], "holds", "holds", "holds"),
        (["holds", "in shape"], "in shape", "holds", "holds"),
        (["in shape", "in shape"], "in shape", "in shape", "in shape"),
        (["holds", "differs"], "in part", "holds", "in part"),
        (["in shape", "differs"], "differs", "in shape", "differs"),
        (["holds", "cannot tell"], "in part", "holds", "holds"),
        (["holds", "cannot tell", "differs"], "in part", "holds", "in part"),
        (["differs", "cannot tell"], "differs", "cannot tell", "differs"),
        (["differs", "differs"], "differs", "differs", "differs"),
        (["cannot tell"], "cannot tell", "cannot tell", "cannot tell"),
        (["holds", "out of reach"], "out of reach", "holds", "holds"),
        (["holds", "differs", "out of reach"], "in part", "holds", "in part"),
        (["holds", "not covered"], "holds", "holds", "holds"),
        (["differs", "not covered"], "differs", "differs", "differs"),
        (["not covered", "not covered"], "not covered", "not covered", "not covered"),
    ],
)
def test_parts_become_one_verdict(verdicts: list[Verdict], every: str, one: str, some: str) -> None:
    for order in (verdicts, verdicts[::-1]):
        found = [verdict(order, combine) for combine in ("all", "any", "some")]
        assert found == [every, one, some]


@pytest.mark.parametrize(
    ("verdicts", "every"),
    [
        (["in shape", "cannot tell"], "in part"),
        (["in shape", "out of reach"], "out of reach"),
        (["out of reach"], "out of reach"),
        (["differs", "out of reach"], "differs"),
        (["holds", "cannot tell", "out of reach"], "in part"),
        (["cannot tell", "out of reach"], "cannot tell"),
    ],
)
def test_all_parts_must_hold(verdicts: list[Verdict], every: str) -> None:
    assert verdict(verdicts, "all") == verdict(verdicts[::-1], "all") == every


def test_a_part_that_does_not_count_is_shown_only() -> None:
    for combine in ("all", "any", "some"):
        assert verdict(["holds"], combine, ("differs",)) == "holds"
        assert verdict(["differs"], combine, ("holds",)) == "differs"
        assert verdict(["not covered"], combine, ("holds",)) == "not covered"


LEVEL = rules.about(between(20, 22), 10)
"""A printed number that is no effect, at another level."""
REVERSED, SMALL, TWICE = (
    rules.about(between(low, low + 2), 10, null=0) for low in (-22.0, -1.0, 20.0)
)
"""A printed effect that is reversed, that is not seen, and that has another level."""
WIDE = rules.about(between(2, 18), 10, null=0)
"""A printed effect that has its shape, and a level that one run cannot tell."""
GROWS, FALLS = (rules.grows(between(low, low + 1), "ms") for low in (1.0, -2.0))


@pytest.mark.parametrize(
    ("findings", "verdict"),
    [
        ([LEVEL, GROWS], "in shape"),
        ([LEVEL, LEVEL, GROWS], "in shape"),
        ([LEVEL, TWICE], "in shape"),
        ([TWICE, GROWS], "in shape"),
        ([LEVEL], "differs"),
        ([LEVEL, LEVEL], "differs"),
        ([LEVEL, rules.about(between(9, 11), 10)], "in part"),  # a level that holds has no shape
        ([LEVEL, FALLS, GROWS], "in part"),
        ([LEVEL, FALLS], "differs"),
        ([WIDE, GROWS], "in shape"),
        ([WIDE], "cannot tell"),
        ([WIDE, LEVEL, GROWS], "in shape"),
        ([rules.about(between(9, 11, 2), 10, null=0), GROWS], "in part"),  # of two seeds
        ([WIDE, FALLS, GROWS], "in part"),
        ([REVERSED, GROWS], "in part"),
        ([SMALL, GROWS], "in part"),
        ([REVERSED, SMALL], "differs"),
        ([REVERSED, TWICE], "differs"),
    ],
)
def test_a_claim_of_which_only_levels_differ_holds_in_shape(
    findings: list[Finding], verdict: str
) -> None:
    for order in (findings, findings[::-1]):
        assert entry_of(order)["verdict"] == verdict


def test_what_no_simulation_can_meet_is_out_of_reach_whatever_was_found() -> None:
    reason = "Contradicts its own model."

    def found(finding: Finding) -> Finding:
        part = Part("a", "", "table", lambda _: finding, beyond=reason)
        assert ledger.find(part, {}) == rules.not_covered()
        return ledger.find(part, {"table": TABLE})

    for each in (GROWS, FALLS, rules.unknown("a single seed")):
        assert found(each) == replace(each, verdict="out of reach", note=reason)
    assert found(rules.not_covered()) == rules.not_covered()
    claim = entry_of([GROWS, Finding("out of reach", ours=2.0, unit="%")], beyond=reason)
    assert claim["holding"] == [1, 2]
    text = ledger.text([claim])
    assert text.startswith("OUT OF REACH\nx.1      (1 of 2 parts)\n")
    assert ", ours 2 % (Contradicts its own model.)" in text


# What is said of them.


def test_the_level_of_a_claim_in_shape_is_said_as_a_factor() -> None:
    low = rules.about(between(2, 2.1), 10, null=0)
    assert ledger.said(entry_of([TWICE, GROWS])) == "holds in shape, level × 2.1"
    assert ledger.said(entry_of([LEVEL, GROWS])) == "holds in shape, level × 2.1"
    assert ledger.said(entry_of([TWICE, low, TWICE])) == "holds in shape, level × 0.205 to 2.1"
    # What holds, and what is shown beside, says nothing of it.
    near = rules.about(between(9, 10), 10, null=0)
    assert ledger.said(entry_of([TWICE, near], beside=(low,))) == "holds in shape, level × 2.1"
    for other in (SMALL, REVERSED):
        assert ledger.said(entry_of([other, TWICE], "any")) == "holds in shape, level × 2.1"
    by_ours = rules.hardly(between(6, 8))
    assert ledger.said(entry_of([by_ours, GROWS])) == "holds in shape"


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        (["holds"], "holds"),
        (["holds", "differs"], "holds in part"),
        (["differs"], "differs"),
        (["cannot tell"], "cannot tell"),
        (["out of reach"], "out of reach"),
        (["not covered"], "not covered"),
    ],
)
def test_a_verdict_is_said_in_words(verdicts: list[Verdict], said: str) -> None:
    each = entry_of([Finding(each) for each in verdicts], beyond="So it is.")
    assert ledger.said(each) == said
    heading = f"{said.upper()}\nx.1"
    assert (heading in ledger.text([each])) == (said != "not covered")
    assert f"| **{said}** |" in ledger.markdown([each])


def test_the_shape_of_an_effect_is_kept_with_its_part() -> None:
    each = entry_of([REVERSED, SMALL, TWICE, LEVEL, GROWS], beside=(REVERSED,))
    shapes = [part["shape"] for part in each["parts"]]
    assert shapes == ["reversed", "not seen", "holds", None, None, "reversed"]
    rows = [ledger.row(part) for part in each["parts"]]
    assert [row[0] for row in rows] == [*"aaaaa", "(a)"]
    ours = ["-21 %, × -2.1", "0 %, × 0", "21 %, × 2.1", "21 %, × 2.1", "1.5 ms", "-21 %, × -2.1"]
    assert [row[2] for row in rows] == ours
    verdicts = ["differs", "differs", "in shape", "differs", "holds", "differs"]
    assert [row[-1] for row in rows] == verdicts


def test_the_claims_are_counted_from_the_best_to_the_worst() -> None:
    several: list[list[Verdict]] = [
        ["differs"],
        ["holds"],
        ["not covered"],
        ["holds", "differs"],
        ["cannot tell"],
        ["holds", "holds"],
        ["out of reach"],
        ["in shape", "holds"],
        ["differs", "not covered"],
    ]
    each = [entry_of([*map(Finding, group)], beyond="So it is.") for group in several]
    assert ledger.tally(each) == (
        "Of 8 claims 2 hold, 1 holds in shape, 1 holds in part, 1 cannot tell, 2 differ, "
        "1 is out of reach; of their 11 parts 5 hold."
    )
    assert ledger.tally(each[:1]) == "Of 1 claims 1 differs; of their 1 parts 0 hold."


def test_a_number_of_claims_has_its_verb() -> None:
    said = {each: (ledger.counted(1, each), ledger.counted(3, each)) for each in rules.VERDICTS}
    assert said == {
        "holds": ("1 holds", "3 hold"),
        "in shape": ("1 holds in shape", "3 hold in shape"),
        "in part": ("1 holds in part", "3 hold in part"),
        "cannot tell": ("1 cannot tell", "3 cannot tell"),
        "differs": ("1 differs", "3 differ"),
        "out of reach": ("1 is out of reach", "3 are out of reach"),
        "not covered": ("1 not covered", "3 not covered"),
    }


def entries(paper: str, count: int, statement: str = "A statement.") -> list[dict[str, Any]]:
    part = Part("p = 1", "about 10 %", "table", lambda _: rules.about(between(9, 11), 10))
    return [
        ledger.entry(
            Claim(f"{paper}.{number}", statement, "Said.", "Rule.", (part,)),
            {"table": TABLE},
            {"scale": "quick", "command": "none"},
        )
        for number in range(1, count + 1)
    ]


def test_an_entry_has_what_the_contract_names(tmp_path: Path) -> None:
    (written,) = ledger.merge(tmp_path / "ledger.json", "obs", entries("obs", 1))
    expected = {
        "claim": "obs.1", "statement": "A statement.", "published": "Said.", "ours": 10.0,
        "interval": [9, 11], "rule": "Rule.", "verdict": "holds", "scale": "quick",
    }  # fmt: skip
    assert {key: written[key] for key in expected} == expected
    (part,) = written["parts"]
    assert (part["name"], part["seeds"], part["unit"]) == ("p = 1", 5, "%")
    assert ledger.read(tmp_path / "ledger.json") == [written]
    json.loads((tmp_path / "ledger.json").read_text("utf-8"), parse_constant=pytest.fail)


def test_a_later_call_replaces_its_own_paper_and_keeps_the_others(tmp_path: Path) -> None:
    path = tmp_path / "ledger.json"
    ledger.merge(path, "ops", entries("ops", 1))
    ledger.merge(path, "obs", entries("obs", 11))
    merged = ledger.merge(path, "obs", entries("obs", 3, "Another."))
    assert [each["claim"] for each in merged] == ["obs.1", "obs.2", "obs.3", "ops.1"]
    assert [each["statement"] for each in merged] == ["Another."] * 3 + ["A statement."]


def test_claims_stand_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    merged = ledger.merge(tmp_path / "ledger.json", "obs", reversed(entries("obs", 11)))
    assert [each["claim"] for each in merged] == [f"obs.{number}" for number in range(1, 12)]


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"claim": 1}]', '{"claim": "obs.1"}', "\xff"])
def test_a_file_that_is_no_ledger_is_left_alone(text: str, tmp_path: Path) -> None:
    path = tmp_path / "ledger.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(tp.OutputError, match=r"ledger\.json: not a ledger"):
        ledger.merge(path, "obs", entries("obs", 1))
    assert path.read_bytes() == text.encode("latin-1")


def test_the_ledger_reads_well() -> None:
    text = ledger.text(entries("obs", 1))
    assert text == "HOLDS\nobs.1   A statement.\n        p = 1: about 10 %, ours 10 %\n"
    table = ledger.markdown(entries("obs", 2))
    assert "| **obs.2** | A statement. | **holds** | 1 of 1 |" in table
    assert "| obs.2 | p = 1 | about 10 % | 10 %, × 1 | 9 … 11 | 7.55 … 12.4 | holds |" in table


def test_claims_stand_by_verdict_and_those_with_one_cause_together() -> None:
    def made(name: str, cause: str, *findings: Finding) -> ledger.Entry:
        each = entry_of(list(findings))
        return each | {"claim": name, "statement": f"Of {name}.", "because": cause, "scale": "full"}

    text = ledger.text([
        made("x.1", "Runs are short.", FALLS, GROWS),
        made("x.2", "Another one.", FALLS),
        made("x.3", "Runs are short.", GROWS, REVERSED, FALLS, FALLS, FALLS),
        made("x.4", "", rules.about(between(9, 11), 10)),
        made("x.5", "", rules.not_covered()),
    ])  # fmt: skip
    assert text == (
        "HOLDS\n"
        "x.4     Of x.4.\n"
        "        a: , ours 10 %\n"
        "\n"
        "HOLDS IN PART\n"
        "x.1     Of x.1. (1 of 2 parts)\n"
        "        a: , ours -1.5 ms\n"
        "x.3     Of x.3. (1 of 5 parts)\n"
        "        a: , ours -21 %; a: , ours -1.5 ms; a: , ours -1.5 ms; 1 more\n"
        "        Because: Runs are short.\n"
        "\n"
        "DIFFERS\n"
        "x.2     Of x.2.\n"
        "        a: , ours -1.5 ms\n"
        "        Because: Another one.\n"
        "\n"
        "Not covered by what was run: x.5.\n"
    )


def test_a_changed_rule_is_named_with_its_reason() -> None:
    part = Part("p = 1", "", "table", lambda _: rules.unknown("not run"))
    changed = Claim("x.1", "S.", "", "", (part,), changes=("10 % for 5 %: a misprint.",))
    each = ledger.entry(changed, {}, {"scale": "full"})
    assert each["changes"] == ["10 % for 5 %: a misprint."]
    assert "\n- x.1: 10 % for 5 %: a misprint.\n" in ledger.markdown([each])


@pytest.mark.parametrize("text", ["20", "20 kX", "kB", "2..5 ms", "20 kB 3"])
def test_no_quantity_is_no_number(text: str) -> None:
    with pytest.raises(ValueError, match="is no"):
        quantities.number(text)


def test_a_reason_is_given_where_a_full_run_does_not_hold() -> None:
    def told(verdict: str, scale: str, under: str = "") -> str:
        command = f"tcphoton reproduce x{under}"
        part = {"name": "", "published": "", "ours": 1.0, "interval": None, "unit": "", "note": ""}
        part |= {"verdict": verdict, "counts": True}
        each: ledger.Entry = {"claim": "x.1", "statement": "S.", "verdict": verdict, "scale": scale}
        each |= {"because": "A cause.", "provenance": {"command": command}, "parts": [part]}
        text = ledger.text([each])
        assert ("A cause." in text) == bool(ledger.why(each))
        return ledger.why(each)

    for verdict in ("in shape", "in part", "differs", "out of reach"):
        assert told(verdict, "quick") == told(verdict, "full") == "A cause."
    assert told("cannot tell", "full") == "A cause."
    assert not told("holds", "full")
    assert not told("cannot tell", "quick")
    assert not told("differs", "full", " --reading y")


def test_one_run_lies_where_the_prediction_interval_says() -> None:
    """Of 4,000 experiments of five runs with one more, as many as a binomial law gives of 95 %."""
    draws = np.random.default_rng(7).normal(10.0, 3.0, (4000, 6))
    hits = 0
    for *runs, one in draws.tolist():
        low, high = rules.about(mean_interval(runs), 10.0).one_run or (math.nan, math.nan)
        hits += low < one < high
    assert abs(hits / 4000 - 0.95) < 4 * math.sqrt(0.95 * 0.05 / 4000)
