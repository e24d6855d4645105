"""The rules of verdicts, and the ledger that keeps them."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tcphoton as tp
from tcphoton.analysis.statistics import Interval, mean_interval
from tcphoton.common import quantities
from tcphoton.papers import ledger, rules
from tcphoton.papers.ledger import Claim, Part
from tcphoton.papers.rules import Finding

if TYPE_CHECKING:
    from pathlib import Path

    from tcphoton.papers.rules import Verdict

NUMBERS = st.floats(-1e6, 1e6)


def between(low: float, high: float) -> Interval:
    return Interval((low + high) / 2, low, high, 5)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (7.5, 12.5, "agrees"),  # as wide as the band
        (9, 9.5, "agrees"),
        (5, 8, "agrees"),  # overlaps
        (12.4, 16, "agrees"),
        (12.6, 16, "differs"),
        (-12, 7.4, "differs"),
        (6, 12, "cannot tell"),  # wider than the band
        (-100, 100, "cannot tell"),
        (-math.inf, math.inf, "cannot tell"),
        (math.nan, math.nan, "cannot tell"),
    ],
)
def test_about_ten_is_an_overlap_with_a_quarter_either_way(
    low: float, high: float, verdict: str
) -> None:
    assert rules.about(between(low, high), 10).verdict == verdict


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (-9.9, 9.9, "agrees"),
        (10.1, 20, "differs"),
        (-30, -10.1, "differs"),
        (9, 11, "cannot tell"),
        (-11, 11, "cannot tell"),
        (-10, 0, "cannot tell"),
    ],
)
def test_hardly_is_under_ten_per_cent_either_way(low: float, high: float, verdict: str) -> None:
    assert rules.hardly(between(low, high)).verdict == verdict


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(0.1, 5, "agrees"), (-5, -0.1, "differs"), (-0.1, 5, "cannot tell"), (0, 5, "cannot tell")],
)
def test_what_grows_has_a_slope_whose_interval_excludes_0(
    low: float, high: float, verdict: str
) -> None:
    assert rules.grows(between(low, high), "ms").verdict == verdict


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(-50, 12.4, "agrees"), (12.6, 20, "differs"), (12, 13, "cannot tell")],
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
    if found == "agrees":
        assert all(bound <= point <= bound + room for point in points)
    if found == "differs":
        assert not any(bound < point < bound + room for point in points)


def test_one_seed_cannot_tell_and_none_is_not_covered() -> None:
    for count, verdict, note in (
        (1, "cannot tell", "a single seed"),
        (0, "not covered", "not run"),
    ):
        found = rules.about(Interval(10, -math.inf, math.inf, count), 10)
        assert (found.verdict, found.note, found.interval) == (verdict, note, None)


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
    found = [("a", rules.hardly(between(low, low + 1))) for low in (1, -5, 3)]
    assert rules.worst(found).ours == -4.5
    found.append(("b", rules.hardly(between(9.5, 10.5))))
    assert rules.worst(found).verdict == "cannot tell"
    found.append(("c", rules.hardly(between(20, 21))))
    assert (rules.worst(found).verdict, rules.worst(found).note) == ("differs", "c")
    assert rules.worst([]).verdict == "not covered"


def test_places_that_were_run_do_not_agree_for_those_that_were_not() -> None:
    agreeing, differing = (rules.hardly(between(low, low + 1)) for low in (1, 20))
    found = [("a", agreeing), ("b", rules.not_covered())]
    assert (rules.worst(found).verdict, rules.worst(found).note) == ("cannot tell", "b: not run")
    assert rules.worst([*found, ("c", differing)]).verdict == "differs"
    assert rules.worst(found[1:]).verdict == "not covered"


# Claims of several parts.


def claim(verdicts: list[Verdict], combine: Any, uncounted: tuple[Verdict, ...] = ()) -> str:
    def part(verdict: Verdict, counts: bool) -> Part:
        return Part(verdict, "", "table", lambda _: Finding(verdict), counts=counts)

    parts = tuple(
        part(verdict, counts)
        for group, counts in ((verdicts, True), (uncounted, False))
        for verdict in group
    )
    each = Claim("x.1", "", "", "", parts, combine)
    return str(ledger.entry(each, {"table": TABLE}, {"scale": "none"})["verdict"])


@pytest.mark.parametrize(
    ("verdicts", "every", "one", "some"),
    [
        (["agrees", "agrees"], "agrees", "agrees", "agrees"),
        (["agrees", "differs"], "differs", "agrees", "differs"),
        (["agrees", "cannot tell"], "cannot tell", "agrees", "agrees"),
        (["differs", "cannot tell"], "differs", "cannot tell", "differs"),
        (["differs", "differs"], "differs", "differs", "differs"),
        (["cannot tell"], "cannot tell", "cannot tell", "cannot tell"),
    ],
)
def test_parts_become_one_verdict(verdicts: list[Verdict], every: str, one: str, some: str) -> None:
    assert [claim(verdicts, combine) for combine in ("all", "any", "some")] == [every, one, some]


def test_a_part_that_does_not_count_is_shown_only() -> None:
    for combine in ("all", "any", "some"):
        assert claim(["agrees"], combine, ("differs",)) == "agrees"
        assert claim(["differs"], combine, ("agrees",)) == "differs"


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
        "interval": [9, 11], "rule": "Rule.", "verdict": "agrees", "scale": "quick",
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
    assert "obs.1   AGREES: A statement." in text
    assert re.search(r"^ +p = 1 +about 10 % +10 %, × 1 +9 … 11 +7\.55 … 12\.4 +agrees$", text, re.M)
    table = ledger.markdown(entries("obs", 2))
    assert "| **obs.2** | A statement. | **agrees** |" in table
    assert "| obs.2 | p = 1 | about 10 % | 10 %, × 1 | 9 … 11 | 7.55 … 12.4 | agrees |" in table


def test_a_changed_rule_is_named_with_its_reason() -> None:
    part = Part("p = 1", "", "table", lambda _: rules.unknown("not run"))
    changed = Claim("x.1", "S.", "", "", (part,), changes=("10 % for 5 %: a misprint.",))
    each = ledger.entry(changed, {}, {"scale": "full"})
    assert each["changes"] == ["10 % for 5 %: a misprint."]
    assert "The rule of x.1 was changed: 10 % for 5 %: a misprint." in ledger.markdown([each])


@pytest.mark.parametrize("text", ["20", "20 kX", "kB", "2..5 ms", "20 kB 3"])
def test_no_quantity_is_no_number(text: str) -> None:
    with pytest.raises(ValueError, match="is no"):
        quantities.number(text)


def test_a_reason_is_given_where_a_full_run_does_not_agree() -> None:
    def told(verdict: str, scale: str, under: str = "") -> str:
        command = f"tcphoton reproduce x{under}"
        part = {"name": "", "published": "", "ours": 1.0, "interval": None, "unit": "", "note": ""}
        part |= {"verdict": verdict, "counts": True}
        each: ledger.Entry = {"claim": "x.1", "statement": "S.", "verdict": verdict, "scale": scale}
        each |= {"because": "A cause.", "provenance": {"command": command}, "parts": [part]}
        text = ledger.text([each])
        assert ("A cause." in text) == bool(ledger.why(each))
        return ledger.why(each)

    assert told("differs", "quick") == told("cannot tell", "full") == "A cause."
    assert not told("agrees", "full")
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
