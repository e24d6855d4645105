"""Rules that compare each point with another: which one, for how long, and what it saves."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

import tcphoton as tp
from tcphoton.analysis.statistics import Until, paired_interval
from tcphoton.sweep import folder, query
from tcphoton.sweep.point import Point, compare

if TYPE_CHECKING:
    from pathlib import Path

AXES = [{"policy": ["base", "near", "far"]}]
RULE = Until("x", 0.1, at_least=3, at_most=60, against={"policy": "base"})


def points_of(axes: list[dict[str, list[str]]], rule: Until) -> list[Point]:
    (axis,) = axes
    names = next(iter(axis.values()))
    points = [Point(name, {"policy": name}, [1, 2, 3], rule) for name in names]
    compare(points, axes)
    return points


def values() -> dict[str, list[float]]:
    draw = np.random.default_rng(4)
    common = draw.normal(10, 3, 60)
    return {
        "base": common.tolist(),
        "near": (1.2 * common + draw.normal(0, 0.4, 60)).tolist(),
        "far": (0.5 * common + draw.normal(0, 2, 60)).tolist(),
    }


def expected(one: list[float], base: list[float]) -> int:
    """The first number of seeds at which the ratio's interval is narrow enough."""
    return next(
        n
        for n in range(3, 61)
        if n == 60 or paired_interval(one[:n], base[:n], ratio=True).half_width <= 0.1
    )


@pytest.mark.parametrize("order", range(6))
def test_points_end_at_the_same_seeds_in_any_order_of_runs(order: int) -> None:
    found = points_of(AXES, RULE)
    measured = values()
    runs = [(point, at) for point in found for at in range(60)]
    random.Random(order).shuffle(runs)
    for point, at in runs:
        point.give(at + 1, {"x": measured[point.digest][at]})
    base, near, far = found
    assert near.enough == expected(measured["near"], measured["base"])
    assert far.enough == expected(measured["far"], measured["base"])
    assert base.enough == max(near.enough, far.enough)
    assert near.enough < far.enough
    assert len(base.table()) == base.enough


def test_a_base_that_fails_ends_what_is_compared_with_it() -> None:
    found = points_of(AXES, RULE)
    for at in range(1, 10):
        for point in found:
            failed = {"error": "it failed", "stop": "failed"}
            point.give(at, failed if point.digest == "base" else {"x": 1.0})
    assert all(point.enough is not None for point in found)


def test_a_point_is_compared_along_the_axis_alone() -> None:
    axes: list[dict[str, list[object]]] = [
        {"load": [1, 2]},
        {"policy": ["a", "b"], "name": ["A", "B"]},
    ]
    rule = Until("x", against={"policy": "b"})
    places = [(load, policy) for load in (1, 2) for policy in "ab"]
    points = [Point(f"{load}{policy}", {}, [1], rule) for load, policy in places]
    compare(points, axes)
    assert [point.base.digest if point.base else "" for point in points] == ["1b", "", "2b", ""]


def test_differences_need_fewer_seeds_than_means_and_resume(tmp_path: Path) -> None:
    scenario = tp.example("mm1").with_({"run.duration": "20 s"})
    over = {"traffic.0.source.rate": ["5 Mb/s", "5.5 Mb/s"]}
    means = tp.Sweep(scenario, over, seeds=3, until=Until("delay-mean", 0.01)).run()
    rule = Until("delay-mean", 0.01, against={"traffic.0.source.rate": "5 Mb/s"})
    sweep = tp.Sweep(scenario, over, seeds=3, until=rule)
    ratios = sweep.run(tmp_path)
    assert ratios.height < 0.6 * means.height
    kept = folder.read(tmp_path)
    assert kept.until == rule
    assert kept.table.equals(ratios)
    assert kept.missing == 0
    assert sweep.run(tmp_path).equals(ratios)
    assert query.wide(ratios, list(over), rule) == (0, 2)


def test_wide_looks_at_ratios() -> None:
    measured = values()
    table = pl.DataFrame(
        {
            "policy": [name for name in measured for _ in range(8)],
            "seed": [*range(8)] * 3,
            "x": [value for each in measured.values() for value in each[:8]],
        }
    )
    rule = Until("x", 0.05, at_least=2, at_most=8, against={"policy": "base"})
    ratios = {
        name: paired_interval(each[:8], measured["base"][:8], ratio=True).half_width
        for name, each in measured.items()
    }
    assert query.wide(table, ["policy"], rule) == (sum(each > 0.05 for each in ratios.values()), 3)
    assert 0 < sum(each > 0.05 for each in ratios.values()) < 3


def test_a_sweep_s_file_names_the_base(tmp_path: Path) -> None:
    (tmp_path / "mm1.toml").write_text(tp.example("mm1").text, "utf-8")
    text = (
        'scenario = "mm1.toml"\n[over]\n"run.duration" = ["11 s", "12 s"]\n[until]\n'
        'measure = "goodput"\nagainst."run.duration" = "11 s"\n'
    )
    (tmp_path / "sweep.toml").write_text(text, "utf-8")
    sweep = tp.Sweep.load(tmp_path / "sweep.toml")
    assert sweep.until == Until("goodput", against={"run.duration": "11 s"})
    nested = text.replace('against."run.duration"', "against.run.duration")
    (tmp_path / "sweep.toml").write_text(nested, "utf-8")
    assert tp.Sweep.load(tmp_path / "sweep.toml").until == sweep.until
