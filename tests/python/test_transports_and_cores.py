"""The kept results of transports over cores: whole, and of scenarios that are still right."""

import importlib.util
import re
from functools import cache
from pathlib import Path
from types import ModuleType

import polars as pl
import pytest

import tcphoton as tp

pytestmark = pytest.mark.slow

HERE = Path(__file__).parents[2] / "docs/background/transports-and-cores"
PAGE = HERE.with_suffix(".md")


@cache
def study() -> ModuleType:
    spec = importlib.util.spec_from_file_location("transports_and_cores", HERE / "study.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def kept() -> pl.DataFrame:
    return pl.read_csv(HERE / "kept.csv")


def test_every_core_transport_and_load_is_kept() -> None:
    rows = kept().select("core", "transport", "load").rows()
    made = study()
    assert rows == [
        (core, transport, load)
        for core in made.CORES
        for transport in made.TRANSPORTS
        for load in made.LOADS
    ]
    for measure in made.MEASURES:
        assert kept()[measure].is_finite().all(), measure
        assert (kept()[f"{measure}-half"] >= 0).all(), measure


def test_the_scenarios_are_right_and_have_the_kept_loads() -> None:
    made = study()
    for core in made.CORES:
        made.sweep(core).check()
        found = kept().filter(core=core)["files-per-second"].unique(maintain_order=True)
        assert found.to_list() == made.files_per_second()


def test_the_page_has_a_figure_a_core_and_the_kept_goodput() -> None:
    text = PAGE.read_text("utf-8")
    figures = re.findall(r"images/transports-([a-z-]+)\.svg", text)
    assert sorted(figures) == sorted(study().name(core) for core in study().CORES)
    for figure in figures:
        assert (study().IMAGES / f"transports-{figure}.svg").stat().st_size < 300_000
    for core, group in kept().filter(load=0.4).group_by("core", maintain_order=True):
        cells = [f"{row['goodput'] / 1e9:.1f} ± {row['goodput-half'] / 1e9:.1f}"
                 for row in group.iter_rows(named=True)]  # fmt: skip
        assert f"| {core[0]} | {' | '.join(cells)} |" in text


@pytest.mark.parametrize("core", ["electronic", "OPS, bufferless"])
def test_a_kept_point_comes_again(core: str) -> None:
    sweep = study().sweep(core)
    (row,) = kept().filter(core=core, transport="CUBIC", load=0.1).rows(named=True)
    scenario = sweep.scenario.with_({"traffic.0.source.per-second": row["files-per-second"]})
    runs = [tp.run(scenario, seed=seed).traffic["goodput"].item() for seed in range(1, 6)]
    assert sum(runs) / 5 == pytest.approx(row["goodput"], rel=1e-6)
