"""What holds for the plan of every paper."""

from __future__ import annotations

import pytest

from tcphoton import papers
from tcphoton.papers import reproduce

SCALES = reproduce.SCALES
PAPERS = papers.papers()


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
