"""Control variates: against another regression, and against what they say of themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

import tcphoton as tp
from tcphoton.analysis import controls
from tcphoton.analysis.statistics import Until, mean_interval
from tcphoton.papers.paper import load
from tcphoton.sweep import folder, query

if TYPE_CHECKING:
    from pathlib import Path

SURPLUS = "offered-surplus"


def estimate(values: np.ndarray, surpluses: np.ndarray) -> float:
    """The value of the regression where all surpluses are 0."""
    matrix = np.column_stack([np.ones(len(values)), surpluses])
    return float(np.linalg.lstsq(matrix, values, rcond=None)[0][0])


@pytest.mark.parametrize(("runs", "used"), [(8, 1), (15, 1), (16, 2), (30, 3)])
def test_pseudo_values_are_those_of_the_jackknife(runs: int, used: int) -> None:
    draw = np.random.default_rng(runs)
    surpluses = draw.normal(0.3, 1.0, (runs, 3))
    values = 5 + surpluses @ [1.0, -2.0, 0.5] + draw.normal(size=runs)
    found = controls.pseudo_values(values.tolist(), surpluses.T.tolist())
    taken = surpluses[:, :used]
    whole = estimate(values, taken)
    for run in range(runs):
        less = estimate(np.delete(values, run), np.delete(taken, run, 0))
        assert found[run] == pytest.approx(runs * whole - (runs - 1) * less, rel=1e-9)


def test_with_less_than_eight_runs_there_is_no_control() -> None:
    values = [1.0, 2.5, 3.0, 2.0, 7.0, 1.5, 0.5]
    assert controls.pseudo_values(values, [values]) == values


@pytest.mark.parametrize(
    "useless",
    [
        [0.0] * 16,
        [0.25] * 16,
        [2.0 * each for each in range(16)],  # as the first
    ],
)
def test_a_control_that_says_nothing_new_is_left_out(useless: list[float]) -> None:
    draw = np.random.default_rng(5)
    values, first = draw.normal(size=16).tolist(), [float(each) for each in range(16)]
    alone = controls.pseudo_values(values, [first])
    assert controls.pseudo_values(values, [first, useless]) == pytest.approx(alone)
    third = draw.normal(size=16).tolist()
    both = controls.pseudo_values(values, [first, third])
    assert controls.pseudo_values(values, [first, useless, third]) == pytest.approx(both)


def test_a_run_that_alone_decides_the_slope_has_no_infinite_value() -> None:
    values = [1.0] * 8 + [9.0]
    found = controls.pseudo_values(values, [[0.0] * 8 + [1.0]])
    assert np.isfinite(found).all()


@pytest.mark.parametrize("wrong", [np.inf, -np.inf, np.nan])
def test_what_is_not_finite_is_no_control_and_has_none(wrong: float) -> None:
    values, control = [float(each) for each in range(8)], [float(each % 3) for each in range(8)]
    assert controls.without(values, [control]) != values
    assert controls.without(values, [[*control[:7], wrong]]) == values
    infinite = [*values[:7], wrong]
    np.testing.assert_equal(controls.without(infinite, [control]), infinite)


@pytest.mark.parametrize("explained", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("runs", [8, 10, 40])
def test_intervals_cover_93_to_97_percent(runs: int, explained: float) -> None:
    draw = np.random.default_rng(2011)
    surpluses = draw.normal(size=(2000, runs))
    rest = draw.exponential(size=(2000, runs)) if runs == 40 else draw.normal(size=(2000, runs)) + 1
    values = explained**0.5 * surpluses + (1 - explained) ** 0.5 * rest
    expected, covered, widths = (1 - explained) ** 0.5, 0, [0.0, 0.0]
    for one, surplus in zip(values.tolist(), surpluses.tolist(), strict=True):
        interval = mean_interval(controls.pseudo_values(one, [surplus]))
        covered += interval.low <= expected <= interval.high
        widths[0] += interval.half_width
        widths[1] += mean_interval(one).half_width
    assert 0.93 <= covered / 2000 <= 0.97
    # With a tenth of the variance left the interval is a third as wide, but for what a regression
    # on few runs costs.
    assert widths[0] / widths[1] < {0.0: 1.25, 0.5: 0.9, 0.9: 0.4}[explained]


def test_a_table_is_controlled_point_by_point_in_its_order() -> None:
    draw = np.random.default_rng(7)
    table = pl.DataFrame(
        {
            "p": [1, 2] * 12,
            "seed": range(24),
            "x": draw.normal(size=24),
            SURPLUS: draw.normal(size=24),
        }
    )
    found = controls.controlled(table, "x", "p", SURPLUS)
    assert found.drop("x").equals(table.drop("x"))
    for p in (1, 2):
        rows = table.filter(pl.col("p") == p)
        alone = controls.pseudo_values(rows["x"].to_list(), [rows[SURPLUS].to_list()])
        assert found.filter(pl.col("p") == p)["x"].to_list() == alone


def test_runs_without_values_and_points_without_controls_stay_as_they_are() -> None:
    draw = np.random.default_rng(8)
    values = [None, *draw.normal(size=11).tolist()]
    table = pl.DataFrame(
        {"x": values, SURPLUS: draw.normal(size=12), "lost-surplus": [None, *[0.5] * 11]}
    )
    found = controls.controlled(table, "x", [], SURPLUS)["x"].to_list()
    assert found[0] is None
    assert found[1:] == controls.pseudo_values(values[1:], [table[SURPLUS].to_list()[1:]])
    unknown = table.with_columns(pl.lit(None, dtype=pl.Float64).alias(SURPLUS))
    assert controls.controlled(unknown, "x", [], SURPLUS)["x"].to_list() == values


def test_what_is_no_surplus_is_refused() -> None:
    table = pl.DataFrame({"x": [1.0], "loss": [0.1]})
    with pytest.raises(ValueError, match="ends in -surplus, not 'loss'"):
        controls.controlled(table, "x", [], "loss")
    with pytest.raises(ValueError, match="ends in -surplus, not 'loss'"):
        Until("x", controls="loss")
    with pytest.raises(LookupError, match="no column 'a-surplus'"):
        controls.controlled(table, "x", [], "a-surplus")


def test_a_rule_with_a_control_takes_fewer_seeds() -> None:
    scenario = tp.example("mm1").with_({"run.duration": "40 s"})
    seeds = {}
    for name in ("", SURPLUS):
        rule = Until("delay-mean", 0.01, controls=(name,) if name else ())
        table = tp.Sweep(scenario, seeds=1, until=rule).run()
        seeds[name] = table.height
        assert rule.is_narrow(
            table["delay-mean"].to_list(), [table[name].to_list()] if name else []
        )
        assert query.wide(table, [], rule) == (0, 1)
    assert seeds[SURPLUS] < 0.7 * seeds[""]


def test_a_sweep_s_file_names_its_controls(tmp_path: Path) -> None:
    (tmp_path / "mm1.toml").write_text(tp.example("mm1").text)
    text = 'scenario = "mm1.toml"\n[until]\nmeasure = "goodput"\ncontrols = ["offered-surplus"]\n'
    (tmp_path / "sweep.toml").write_text(text)
    sweep = tp.Sweep.load(tmp_path / "sweep.toml")
    assert sweep.until == Until("goodput", controls=(SURPLUS,))
    sweep.with_({"run.duration": "11 s"}).run(tmp_path / "out")
    assert folder.read(tmp_path / "out").until == sweep.until
    (tmp_path / "sweep.toml").write_text(text.replace("offered", "ofered"))
    (mistake,) = tp.Sweep.load(tmp_path / "sweep.toml").check()
    assert (mistake.key, mistake.problem) == (
        "until.controls",
        "no measure 'ofered-surplus'; did you mean 'offered-surplus'?",
    )


def test_a_paper_s_controls_are_taken_out_of_its_measures_alone() -> None:
    paper = load("obs")
    draw = np.random.default_rng(9)
    table = pl.DataFrame(
        {
            "grid": ["fig2"] * 10,
            "assembly.loss": [0.01] * 10,
            "seed": range(10),
            "traffic.0.goodput": draw.normal(size=10),
            "traffic.0.jitter": draw.normal(size=10),
            "bursts.lost-random-surplus": draw.normal(size=10),
        }
    )
    found = paper.seen(table)
    assert found["traffic.0.jitter"].equals(table["traffic.0.jitter"])
    one = table["traffic.0.goodput"].to_list()
    surplus = table["bursts.lost-random-surplus"].to_list()
    assert found["traffic.0.goodput"].to_list() == controls.pseudo_values(one, [surplus])
