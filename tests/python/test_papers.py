"""What holds for the plan of every paper."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import made_up_hybrid
import made_up_lbas
import made_up_ops
import made_up_sync
import shares
from made_up_runs import rows_of
from tcphoton import figures, papers
from tcphoton.errors import OutputError
from tcphoton.papers import keep, reproduce
from tcphoton.web import modules

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

pytestmark = pytest.mark.slow

SCALES = reproduce.SCALES
PAPERS = papers.papers()
PACKAGE = Path(papers.__file__).parents[1]
KINDS = {".css", ".csv", ".html", ".js", ".py", ".pyi", ".so", ".toml", ".typed"}
"""Endings of what a wheel carries."""


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", PAPERS)
def test_every_point_of_every_grid_is_a_scenario(name: str, scale: str) -> None:
    paper = papers.load(name)
    for runs in paper.runs(paper.at(scale), scale):
        assert runs.sweep.check() == [], runs.name


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", PAPERS)
def test_every_artefact_has_a_figure_and_something_to_run(name: str, scale: str) -> None:
    paper = papers.load(name)
    assert set(paper.figures) == set(paper.artefacts)
    assert paper.at(scale) == list(paper.artefacts)


def test_an_artefact_is_made_where_its_own_grids_are_run() -> None:
    """The tables alone make no account of a connection alone, nor a table of other schedulers."""
    tables = ["table1", "table2", "table3"]
    of_all = ["queues", "random", "voqs", "reordering", "density"]
    assert papers.load("lbas").at("claims") == [*tables, *of_all]


def test_the_package_carries_no_results_of_papers() -> None:
    files = [each for each in PACKAGE.rglob("*") if each.is_file()]
    built = {modules.ENGINE}  # like the engine of this machine, it is not in the source tree
    carried = [each for each in files if "__pycache__" not in each.parts and each.name not in built]
    assert {each.suffix for each in carried} <= KINDS
    assert {each.name for each in carried if each.suffix == ".csv"} == {"published.csv"}
    assert all(each.stat().st_size < 100_000 for each in carried if each.suffix != ".so")


TABLES: dict[str, Callable[..., pl.DataFrame]] = {
    "hybrid": partial(made_up_hybrid.table, seeds=3),
    "lbas": made_up_lbas.table,
    "ops": made_up_ops.table,
    "sync": made_up_sync.table,
}
"""Tables of a paper that are made up; those of the obs paper are in `test_reproduce`."""


@cache
def table(name: str, artefact: str, scale: str) -> pl.DataFrame:
    """Return the table of an artefact; two tests look at it."""
    return TABLES[name](papers.load(name), artefact, scale)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", TABLES)
def test_a_table_has_each_point_and_seed_once(name: str, scale: str) -> None:
    paper = papers.load(name)
    faults = []
    for artefact in paper.at(scale):
        made, runs = table(name, artefact, scale), paper.runs([artefact], scale)
        keys = dict.fromkeys(key for each in runs for key in (*each.common, *each.sweep.over))
        if paper.kept(artefact) is None:
            points = made.select("variant", *keys, "seed")
            if not points.is_unique().all() or made.get_column("grid").null_count():
                faults.append(f"{artefact}: a point and seed twice, or of no grid")
        elif name == "sync":
            continue  # drawn over time
        # A kept table of reorder densities has seven rows a run.
        wanted = rows_of(runs, 3 if name == "hybrid" else None)
        wanted *= 7 if paper.kept(artefact) else 1
        if name != "sync" and made.height != wanted:
            faults.append(f"{artefact}: {made.height} rows instead of {wanted}")
    assert not faults


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("name", "scale"),
    [
        *((name, "quick") for name in TABLES),
        ("lbas", "claims"),
        *(
            pytest.param(name, "full", marks=pytest.mark.verify)
            for name in TABLES
            if name != "sync"
        ),
    ],
)
def test_every_figure_is_drawn(name: str, scale: str, tmp_path: Path) -> None:
    """Every one is made; drawing it takes longer than that, and is sampled."""
    paper = papers.load(name)
    faults = []
    for artefact in paper.at(scale):
        over_time = name == "sync" and paper.kept(artefact)
        rows = (
            made_up_sync.over_time(paper, artefact, scale)
            if over_time
            else table(name, artefact, scale)
        )
        chart = paper.figures[artefact](rows)
        if not shares.chosen(f"{name} {artefact}"):
            assert chart.to_dict(validate=False), artefact
            continue
        (file,) = figures.save(chart, tmp_path / artefact, ["svg"])
        drawn = file.read_text("utf-8")
        broken = [each for each in ("NaN", ">nan", ">inf ", ">null") if each in drawn]
        if broken or len(drawn) <= 2000:
            faults.append(f"{artefact}: {len(drawn)} characters, {broken}")
        if name == "hybrid" and (">el.<" in drawn) != (artefact in {"beyond", "workloads"}):
            faults.append(f"{artefact}: electronic switches, or none")
    assert not faults


@pytest.mark.parametrize("name", PAPERS)
def test_a_paper_has_its_page_in_the_source_tree(name: str) -> None:
    assert keep.folder(name).relative_to(PACKAGE.parents[1]) == Path("papers", name)


def test_an_installed_package_says_where_results_are_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(keep, "TREE", tmp_path)
    with pytest.raises(
        OutputError, match="kept in tcphoton's source tree, in its folder papers/obs"
    ):
        keep.folder("obs")
    with pytest.raises(OutputError, match="source tree"):
        keep.keep("obs", tmp_path)
