"""What is run for the ops paper: its grids, budgets and figures."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import made_up_ops
from tcphoton import figures, papers, quantities, reproduce

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tcphoton.papers import Runs

PAPER = papers.load("ops")
SCALES = reproduce.SCALES


@pytest.mark.parametrize("scale", SCALES)
def test_every_point_of_every_grid_is_a_scenario(scale: str) -> None:
    for runs in PAPER.runs(PAPER.at(scale), scale):
        assert runs.sweep.check() == [], runs.name


@pytest.mark.parametrize("scale", SCALES)
def test_every_artefact_has_a_figure_and_something_to_run(scale: str) -> None:
    assert set(PAPER.figures) == set(PAPER.artefacts)
    assert PAPER.at(scale) == list(PAPER.artefacts)


@pytest.mark.parametrize("artefact", PAPER.artefacts)
@pytest.mark.parametrize("scale", SCALES)
def test_a_table_has_each_point_and_seed_once(artefact: str, scale: str) -> None:
    table = made_up_ops.table(PAPER, artefact, scale)
    runs = PAPER.runs([artefact], scale)
    keys = dict.fromkeys(key for each in runs for key in (*each.common, *each.sweep.over))
    points = table.select("grid", "variant", *keys, "seed")
    assert points.is_unique().all()
    assert table.height == sum(len(each.sweep.points) * seeds(each) for each in runs)


def seeds(runs: Runs) -> int:
    assert isinstance(runs.sweep.seeds, int)
    return runs.sweep.seeds


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("artefact", PAPER.artefacts)
def test_a_figure_is_drawn(artefact: str, scale: str, tmp_path: Path) -> None:
    chart = PAPER.figures[artefact](made_up_ops.table(PAPER, artefact, scale))
    (file,) = figures.save(chart, tmp_path / artefact, ["svg"])
    drawn = file.read_text("utf-8")
    assert len(drawn) > 2000
    assert "NaN" not in drawn


def test_scales_differ_in_points_seeds_and_lengths_alone() -> None:
    for grid in PAPER.plan["grids"].values():
        settings = {
            scale: {
                tuple(sorted((key, str(value)) for key, value in settings.items()))
                for settings in (
                    {k: v for k, v in product.get("set", {}).items() if k != "run.duration"}
                    for product in grid[scale]
                )
            }
            for scale in SCALES
            if scale in grid
        }
        assert len(set(map(frozenset, settings.values()))) == 1


def test_full_has_10_seeds_of_60_seconds_where_the_paper_has_figures() -> None:
    figured = [name for name in PAPER.artefacts if re.match(r"fig\d", name)]
    for runs in PAPER.runs(figured, "full"):
        length = runs.sweep.scenario.with_(runs.sweep.set_).to_dict()["run"]["duration"]
        assert length == "60 s"
        assert seeds(runs) >= 10


def seconds(runs: Runs) -> Iterator[tuple[str, float]]:
    """Return the core-seconds of every run, by what makes it another one."""
    for point, digest in zip(runs.sweep.points, runs.sweep.checked().digests(), strict=True):
        whole = runs.sweep.scenario.with_({**runs.sweep.set_, **point}).to_dict()
        length = quantities.number(whole["run"]["duration"])
        cost = 0.042 * length
        for seed in range(seeds(runs)):
            yield f"{digest} {seed}", cost


@pytest.mark.parametrize(("scale", "minutes"), [("quick", 3), ("full", 40)])
def test_a_scale_keeps_its_budget_on_two_cores(scale: str, minutes: float) -> None:
    cost = dict(each for runs in PAPER.runs(PAPER.at(scale), scale) for each in seconds(runs))
    drawing = 2 * len(PAPER.at(scale))
    assert sum(cost.values()) / 2 + drawing < 60 * minutes
