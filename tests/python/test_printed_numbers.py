"""Every number that a paper prints against ours: what is counted, and what is drawn."""

from __future__ import annotations

from typing import Any

import pytest

from tcphoton.papers import against, keep, ledger, papers


def part(published: float, ours: float, verdict: str = "holds") -> dict[str, Any]:
    return {
        "verdict": verdict,
        "against": published,
        "ours": ours,
        "factor": ours / published,
        "interval": [0.9 * ours, 1.1 * ours],
        "one-run": None,
    }


def entries(*parts: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"claim": "a.1", "parts": list(parts)}]


def test_what_is_out_of_reach_or_was_not_run_is_not_counted() -> None:
    beyond = part(0.01, 0.03, "out of reach")
    absent = part(10, 10, "not covered")
    found = entries(part(10, 12.5), part(-40, -29), beyond, absent, {**absent, "factor": None})
    assert against.near(found) == (1, 2)


def test_a_fall_is_drawn_by_its_size_and_another_sign_at_the_lower_edge() -> None:
    falls = [part(-50, -25, "in shape"), part(-7, 22, "differs"), part(0.5, 0.6), part(300, 280)]
    chart = against.draw(entries(*falls))
    drawn = [row for data in chart.to_dict()["datasets"].values() for row in data]
    rows = {row["published"]: row for row in drawn if "verdict" in row}
    assert set(rows) == {50, 7, 0.5, 300}
    assert (rows[50]["ours"], rows[50]["mark"]) == (25, "in shape")
    assert rows[7]["mark"] == "other sign"
    assert rows[7]["ours"] == min(row["ours"] for row in rows.values()) > 0
    assert {row["letter"] for row in drawn if "at-ours" in row} == {"a"}
    assert chart.to_dict()["title"]["text"] == ["a: a.1"]


def test_numbers_that_are_far_have_their_cause_below() -> None:
    near, far = [part(10, 11), part(20, 21), part(30, 31)], [part(100, 9), part(500, 8)]
    found = [
        {"claim": "a.1", "parts": [*near, far[0]], "far": "short runs"},
        {"claim": "a.2", "parts": [far[1]], "far": "short runs"},
        {"claim": "a.3", "parts": [part(7, 70)], "far": "another law"},
    ]
    assert against.draw(found).to_dict()["title"]["text"] == [
        "a: short runs (a.1, a.2)",
        "b: another law (a.3)",
    ]
    assert "title" not in against.draw(entries(*near, part(40, 41))).to_dict()


def test_few_numbers_are_no_figure() -> None:
    assert against.draw(entries(part(20, 24), part(20, 22), part(30, 31))) is None


@pytest.mark.parametrize("name", papers())
def test_the_kept_figure_is_there_where_it_should_be(name: str) -> None:
    results = keep.folder(name) / keep.RESULTS
    kept = ledger.read(results / "ledger.json")
    if any(results.glob("*.parquet")):
        there = (results / f"{keep.AGAINST}.svg").is_file()
        assert there == (against.draw(kept) is not None)
