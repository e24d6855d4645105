"""What is run for the ops paper: its grids and figures."""

from __future__ import annotations

import re

import pytest

from made_up_runs import seeds_of
from tcphoton import papers
from tcphoton.analysis.theory import truncated_normal_moments
from tcphoton.common import quantities
from tcphoton.papers import reproduce
from tcphoton.papers.ops.fit import cut_normal, path
from tcphoton.papers.ops.fit_mesh import LOAD
from tcphoton.papers.ops.measures import MU, SIGMA, P
from tcphoton.sweep.sweep import Sweep

PAPER = papers.load("ops")
SCALES = reproduce.SCALES


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
        assert seeds_of(runs) >= 10


# The abstract path that fits the mesh.


@pytest.mark.parametrize(("mean", "deviation"), [(5.0, 4.0), (10.0, 0.5), (8.0, 10.0), (3.0, 0.0)])
def test_the_law_that_is_cut_at_0_has_the_moments_that_it_is_made_for(
    mean: float, deviation: float
) -> None:
    cut = truncated_normal_moments(*cut_normal(mean, deviation))
    assert cut.mean == pytest.approx(mean)
    assert cut.deviation == pytest.approx(deviation, abs=1e-6)


def test_runs_are_fitted_as_one() -> None:
    """Costs of 2 and 2 s in one run, of 8 s in another: mean 4 s, variance 8 s²."""

    def row(delivered: int, lost: int, mean: float) -> dict[str, float]:
        bursts = {
            "deflected-delivered": delivered,
            "lost-contention": lost,
            "lost-hops": 1,
            "deflection-cost-mean": mean,
            "deflection-cost-std": 0.0,
        }
        return {f"bursts.{key}": value for key, value in bursts.items()}

    found = path([row(2, 0, 2.0), row(1, 3, 8.0)])
    assert found is not None
    assert found.p == pytest.approx(5 / 8)
    assert (found.mu, found.sigma) == pytest.approx(cut_normal(4.0, 8**0.5))
    assert path([{}]) is None


@pytest.mark.parametrize("scale", SCALES)
def test_the_abstract_path_is_fitted_at_each_load_of_the_mesh(scale: str) -> None:
    mesh, fitted = (PAPER.plan["grids"][name][scale] for name in ("mesh", "mesh-abstract"))
    assert [each["over"][LOAD] for each in fitted] == [[load] for load in mesh[0]["over"][LOAD]]
    assert {each["seeds"] for each in fitted} == {mesh[0]["seeds"]}
    full = [each["over"] for each in PAPER.plan["grids"]["mesh-abstract"]["full"]]
    assert all(each["over"] in full for each in fitted)


def test_the_path_that_is_used_is_that_of_the_mesh() -> None:
    """A short run of the mesh; p, µ and σ vary by some per cent from seed to seed."""
    (mesh,) = (runs for runs in PAPER.runs(["mesh"], "full") if runs.variant == "deflect")
    short = {"run.duration": "6 s", LOAD: "80 Mb/s"}
    (row,) = (
        Sweep(
            mesh.sweep.scenario, {"run.warmup": ["3 s"]}, set_={**mesh.sweep.set_, **short}, seeds=1
        )
        .run()
        .to_dicts()
    )
    found = path([row])
    assert found is not None
    used = {
        each["over"][LOAD][0]: each["over"] for each in PAPER.plan["grids"]["mesh-abstract"]["full"]
    }["80 Mb/s"]
    for ours, key in ((found.p, P), (found.mu, MU), (found.sigma, SIGMA)):
        assert ours == pytest.approx(quantities.number(used[key][0]), rel=0.25), key
