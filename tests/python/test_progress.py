"""How long the rest may take."""

from __future__ import annotations

import pytest

from tcphoton.analysis.statistics import Until
from tcphoton.common.progress import Estimate, Place, Progress, duration, show
from tcphoton.sweep.point import Point


def test_an_estimate_knows_what_each_axis_costs() -> None:
    estimate = Estimate()
    # A value of the first axis costs 1 or 10, one of the second 1 or 3.
    for place, seconds in {(0, 0): 1.0, (0, 1): 3.0, (1, 0): 10.0, (1, 1): 30.0}.items():
        estimate.tell(Place(0, place), seconds)
    assert estimate.expect(Place(0, (1, 1))) == 30
    assert estimate.total == 44
    half = Estimate()
    for place, seconds in {(0, 0): 1.0, (1, 0): 10.0, (0, 1): 3.0}.items():
        half.tell(Place(0, place), seconds)
    guess = half.expect(Place(0, (1, 1)))
    assert guess is not None
    assert 3 < guess < 40


def test_an_estimate_of_another_sweep_goes_by_the_mean() -> None:
    estimate = Estimate()
    assert estimate.expect(Place(1, ())) is None
    estimate.tell(Place(0, (0,)), 2.0)
    estimate.tell(Place(0, (1,)), 4.0)
    assert estimate.expect(Place(1, (0, 5))) == 3


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.0, "1 s"), (59.4, "59 s"), (59.6, "1 min 0 s"), (3600, "1 h 0 min"), (90061, "25 h 1 min")],
)
def test_a_time_to_wait_is_in_words(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_a_line_of_progress_comes_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    said: list[str] = []
    monkeypatch.setattr("tcphoton.common.progress._is_terminal", lambda: False)
    with show(said.append) as tell:
        for second in range(400):
            now[0] = float(second)
            tell(Progress(second, 400, 0, 2, float(second), 400.0 - second, second / 400))
    assert said[0] == "10 of 400 runs, 2 running, 60 runs/min, about 6 min 30 s left"
    assert 10 <= len(said) <= 30


def test_a_point_looks_at_its_seeds_in_their_order() -> None:
    rule = Until("x", 0.05, at_least=3, at_most=5)
    point = Point("0", {}, [7, 3], rule)
    assert [point.seed(at) for at in range(4)] == [7, 3, 8, 9]
    assert (point.first, point.most, point.foreseen()) == (3, 5, 3)
    point.give(9, {"x": 5.0})
    point.give(8, {"x": 1.0})
    point.give(3, {"x": 1.0})
    assert point.enough is None
    point.give(7, {"x": 1.0})
    # Three seeds agree, so the fourth does not count although it is there.
    assert point.enough == 3
    assert [row["seed"] for row in point.table()] == [3, 7, 8]


def test_a_point_without_a_rule_has_its_seeds() -> None:
    point = Point("0", {"a": 1}, [2, 1])
    assert (point.enough, point.most, point.foreseen()) == (2, 2, 2)
    point.give(1, {"x": 1.0})
    assert point.table() == [{"a": 1, "seed": 1, "x": 1.0}]
