"""What holds for the plan of every paper."""

from __future__ import annotations

from pathlib import Path

import pytest

from tcphoton import papers
from tcphoton.errors import OutputError
from tcphoton.papers import keep, reproduce
from tcphoton.web import modules

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


def test_the_package_carries_no_results_of_papers() -> None:
    files = [each for each in PACKAGE.rglob("*") if each.is_file()]
    built = {modules.ENGINE}  # like the engine of this machine, it is not in the source tree
    carried = [each for each in files if "__pycache__" not in each.parts and each.name not in built]
    assert {each.suffix for each in carried} <= KINDS
    assert {each.name for each in carried if each.suffix == ".csv"} == {"published.csv"}
    assert all(each.stat().st_size < 100_000 for each in carried if each.suffix != ".so")


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
