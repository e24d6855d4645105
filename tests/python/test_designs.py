"""Designs of sweeps: lists in step, cases, samples."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import tcphoton as tp
from tcphoton.analysis.statistics import Until, mean_interval
from tcphoton.sweep import designs
from tcphoton.sweep import folder as sweep_folder
from tcphoton.sweep.designs import Sample

if TYPE_CHECKING:
    from pathlib import Path

    from tcphoton.sweep.designs import Design

BASE = """
[run]
duration = "1 s"
[topology]
kind = "line"
routers = 1
link = { rate = "1 Mb/s", delay = "1 ms" }
[[traffic]]
from = "a"
to = "b"
transport = { kind = "udp" }
source = { kind = "cbr", rate = "100 kb/s", packet = "1000 B" }
"""


@pytest.mark.parametrize("design", ["latin-hypercube", "sobol"])
def test_each_part_of_a_range_has_one_point(design: Design) -> None:
    """The definition of Latin hypercubes; and Sobol's 2^m points are a net in every dimension."""
    for numbers in designs.draw(design, 64, 7, seed=3):
        assert sorted(int(64 * number) for number in numbers) == list(range(64))


def test_sobols_points_fill_squares_evenly() -> None:
    """The first two dimensions are a (0, 2)-net: each of 8 × 8 squares has one of 64 points."""
    one, other = designs.draw("sobol", 64, 2, seed=5)
    squares = {(int(8 * a), int(8 * b)) for a, b in zip(one, other, strict=True)}
    assert len(squares) == 64


@pytest.mark.parametrize("design", ["latin-hypercube", "sobol", "random"])
def test_a_seed_says_which_points(design: Design) -> None:
    first = designs.draw(design, 10, 3, seed=1)
    assert first == designs.draw(design, 10, 3, seed=1)
    assert first != designs.draw(design, 10, 3, seed=2)
    assert len(first) == 3
    assert all(len(numbers) == 10 for numbers in first)


def test_a_sample_is_drawn_when_a_sweep_is_loaded() -> None:
    text = """
[over]
"traffic.0.count" = [1, 2]
[sample]
design = "sobol"
points = 8
[sample.over]
"topology.link.rate" = { from = "1 Mb/s", to = "100 Mb/s", scale = "log" }
topology.link.delay = { from = "1 ms", to = "9 ms" }
"""
    checked = designs.load("sweep.toml", text, ("base.toml", BASE, []))
    assert checked.points == 16
    axes = designs.axes_of(json.loads(checked.definition()))
    assert [list(axis) for axis in axes] == [
        ["traffic.0.count"],
        ["topology.link.rate", "topology.link.delay"],
    ]
    assert len(set(axes[1]["topology.link.delay"])) == 8
    assert len(checked.digests()) == len(designs.points_of(axes)) == 16


COUNT, DELAY, RATE = "traffic.0.count", "topology.link.delay", "topology.link.rate"
FILE = """
scenario = "base.toml"
seeds = 2
[over]
"traffic.0.count" = [1, 2]
[[zip]]
"topology.link.delay" = ["1 ms", "5 ms", "9 ms"]
"run.warmup" = ["0 s", "100 ms", "200 ms"]
[[cases]]
"topology.link.rate" = "1 Mb/s"
"traffic.0.source.rate" = "200 kb/s"
[[cases]]
"topology.link.rate" = "2 Mb/s"
"traffic.0.source.rate" = "300 kb/s"
[until]
measure = ["goodput", "delay-mean"]
at-least = 2
at-most = 3
"""


def test_a_file_and_python_say_the_same_design(tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text(BASE)
    (tmp_path / "design.toml").write_text(FILE)
    read = tp.Sweep.load(tmp_path / "design.toml")
    given = tp.Sweep(
        tp.Scenario(BASE),
        {COUNT: [1, 2]},
        zip_=[{DELAY: ["1 ms", "5 ms", "9 ms"], "run.warmup": ["0 s", "100 ms", "200 ms"]}],
        cases=[
            {RATE: "1 Mb/s", "traffic.0.source.rate": "200 kb/s"},
            {RATE: "2 Mb/s", "traffic.0.source.rate": "300 kb/s"},
        ],
        seeds=2,
        until=Until(["goodput", "delay-mean"], at_least=2, at_most=3),
    )
    assert read.points == given.points
    assert read.checked().digests() == given.checked().digests()
    assert len(read.points) == 2 * 3 * 2
    assert [point[DELAY] for point in read.points[:4]] == ["1 ms", "1 ms", "5 ms", "5 ms"]
    assert repr(given).startswith("Sweep('', 2 traffic.0.count × 3 of topology.link.delay, run.wa")


def test_a_design_is_run_kept_and_read_again(tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text(BASE)
    (tmp_path / "design.toml").write_text(FILE)
    sweep = tp.Sweep.load(tmp_path / "design.toml")
    table = sweep.run(tmp_path / "out", workers=1)
    assert table.columns[:6] == [
        COUNT, DELAY, "run.warmup", RATE, "traffic.0.source.rate", "seed",
    ]  # fmt: skip
    assert table.height == 12 * 2
    kept = sweep_folder.read(tmp_path / "out")
    assert kept.table.equals(table)
    assert kept.missing == 0
    # What comes of a point is what a run of that scenario alone finds.
    row = table.row(5, named=True)
    alone = tp.run(tp.Scenario(BASE).with_({key: row[key] for key in kept.axes}), seed=row["seed"])
    assert row["goodput"] == alone.traffic["goodput"][0]


def test_a_sample_has_the_points_that_its_folder_keeps(tmp_path: Path) -> None:
    ranges: dict[str, dict[str, object]] = {
        RATE: {"from": "1 Mb/s", "to": "9 Mb/s"},
        COUNT: {"from": 1, "to": 3},
    }
    sweep = tp.Sweep(tp.Scenario(BASE), sample=Sample(ranges, points=6, seed=4), seeds=1)
    table = sweep.run(tmp_path, workers=1)
    assert table.select(RATE, COUNT).rows() == [tuple(point.values()) for point in sweep.points]
    assert len(set(table[RATE])) == 6
    assert sorted(set(table[COUNT])) == [1, 2, 3]
    assert sweep_folder.read(tmp_path).table.equals(table)
    other = tp.Sweep(tp.Scenario(BASE), sample=Sample(ranges, points=6, seed=5), seeds=1)
    assert other.points != sweep.points


def test_what_a_sample_draws_twice_is_one_point_with_its_own_seeds(tmp_path: Path) -> None:
    """Equal points with the same seeds are the same runs, which say nothing more together."""
    sample = Sample({COUNT: {"among": [1, 2]}}, points=8, design="random")
    sweep = tp.Sweep(tp.Scenario(BASE), {DELAY: ["1 ms", "2 ms"]}, sample=sample, seeds=2)
    counts = [point[COUNT] for point in sweep.points]
    assert sorted(counts) == [1, 1, 2, 2]
    assert sweep.checked().points == len(set(sweep.checked().digests())) == 4
    table = sweep.run(tmp_path, workers=1)
    assert table.height == table.select(DELAY, COUNT, "seed").n_unique() == 4 * 2
    assert sweep_folder.read(tmp_path).table.equals(table)


def test_a_rule_of_several_measures_ends_when_each_is_narrow_enough() -> None:
    def ends(measure: str | list[str]) -> list[float]:
        rule = Until(measure, relative_half_width=0.04, at_least=3, at_most=40)
        scenario = tp.example("mm1").with_({"run.duration": "30 s"})
        rows = tp.Sweep(scenario, seeds=3, until=rule).run(workers=1)
        for name in rule.measures:
            found = mean_interval(rows[name])
            assert found.half_width <= 0.04 * found.mean
        return [rows.height]

    both = ends(["packets-sent", "delay-mean"])
    assert both == max(ends("packets-sent"), ends("delay-mean"))
    assert ends("packets-sent") != ends("delay-mean")


@pytest.mark.parametrize(
    ("design", "problem"),
    [
        ({"zip_": [{COUNT: [1, 2], DELAY: ["1 ms"]}]}, "a list of a different length"),
        ({"cases": [{COUNT: 1}, {DELAY: "1 ms"}]}, "keys differ from those of the first case"),
        ({"over": {COUNT: [1]}, "cases": [{COUNT: 2}]}, "also varies elsewhere"),
        ({"cases": [{COUNT: 1}, {COUNT: 2}, {COUNT: 1}]}, "cases.2: the same point as cases.0"),
        ({"zip_": [{COUNT: [1, 1], DELAY: ["1 ms", "1 ms"]}]}, "a row listed twice"),
        ({"zip_": [{COUNT: [1, 1]}]}, "a value listed twice; found 1"),
        (
            {"over": {DELAY: ["1 ms", "1000 us"]}},
            f'over.{DELAY}: the same point as {DELAY} = "1 ms" (at {DELAY} = "1000 us")',
        ),
        ({"sample": Sample({DELAY: {"from": "2 ms", "to": "1 ms"}}, points=3)}, "not above from"),
        (
            {"sample": Sample({"run.duratoin": {"from": "1 s", "to": "2 s"}}, points=3)},
            "unknown key",
        ),
    ],
)
def test_a_wrong_design_is_told(design: dict[str, object], problem: str) -> None:
    (mistake, *_) = tp.Sweep(tp.Scenario(BASE), **design).check()  # type: ignore[arg-type]
    assert problem in mistake.text


@pytest.mark.parametrize(
    ("part", "problem"),
    [
        ({"over": [1, 2]}, "over must be a dictionary of keys"),
        ({"zip_": {COUNT: [1]}}, "zip_ must be a list of dictionaries"),
        ({"cases": {COUNT: 1}}, "cases must be a list of dictionaries"),
        ({"cases": [COUNT]}, "cases must be a list of dictionaries"),
        ({"sample": {COUNT: 1}}, "sample must be a tcphoton.Sample"),
        ({"until": "goodput"}, "until must be a rule such as tcphoton.statistics.* not 'goodput'"),
    ],
)
def test_a_part_of_another_kind_is_refused(part: dict[str, object], problem: str) -> None:
    with pytest.raises(TypeError, match=problem):
        tp.Sweep(tp.Scenario(BASE), **part)  # type: ignore[arg-type]


def test_a_file_instead_of_a_scenario_is_refused_with_what_reads_it() -> None:
    with pytest.raises(TypeError, match=r"not 'losses.toml': tcphoton.Sweep.load reads"):
        tp.Sweep("losses.toml")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"not 'mm1.toml': tcphoton.Scenario.load reads"):
        tp.run("mm1.toml")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"a Scenario is expected, not Sweep\("):
        tp.run(tp.Sweep(tp.Scenario(BASE)))  # type: ignore[arg-type]
