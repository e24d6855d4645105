"""Runs that are carried on are of the plan and of this engine, or they would be for nothing."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from tcphoton import _core, papers

FOLDER = Path(__file__).parents[2] / "unfinished"
LARGEST = 1_000_000


@pytest.mark.parametrize("archive", sorted(FOLDER.glob("*.tar.xz")), ids=lambda path: path.name)
def test_runs_that_are_carried_on_are_of_the_plan(archive: Path) -> None:
    paper, scale = archive.name.removesuffix(".tar.xz").split("-")[:2]
    assert archive.stat().st_size < LARGEST
    asked = {
        digest
        for runs in papers.load(paper).runs(papers.load(paper).at(scale), scale)
        for digest in runs.sweep.checked().digests()
    }
    with tarfile.open(archive) as packed:
        names = [Path(name) for name in packed.getnames() if name.endswith(".parquet")]
    assert names
    for name in names:
        digest, _, revision = name.stem.split("-")
        assert name.parts[:2] == (paper, "points")
        assert digest in asked
        assert revision == _core.results_revision()
