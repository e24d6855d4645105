"""Sweeps that keep tables of their runs, what is derived of these, and artefacts made of them."""

from __future__ import annotations

import json
import math
from collections import Counter
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import tcphoton as tp
from conftest import count_runs
from inline_workers import work_here
from tcphoton import _core, papers
from tcphoton.analysis.statistics import Until
from tcphoton.errors import DamageWarning, FailedRunsError
from tcphoton.papers import reproduce as reproduction
from tcphoton.papers.obs import measures as obs_measures
from tcphoton.papers.reproduce import reproduce
from tcphoton.runs import measures
from tcphoton.sweep import folder as sweep_folder
from tcphoton.sweep.sweep import Sweep, run_all

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from command_here import Command

    Tables = Mapping[str, pl.DataFrame]

pytestmark = pytest.mark.slow

RATE = "traffic.0.source.rate"
SIZE = "assembly.max-size"
SHORT = {"run.duration": "30 ms", "run.warmup": "0 s"}


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[str, int]]:
    """Count the runs that workers have done, by scenario and seed."""
    return count_runs(monkeypatch)


@pytest.fixture
def mm1() -> tp.Scenario:
    return tp.example("mm1").with_({"run.duration": "200 ms", "run.warmup": "0 s"})


@pytest.fixture
def sweep(mm1: tp.Scenario) -> Sweep:
    return Sweep(mm1, {RATE: ["5 Mb/s", "8 Mb/s"]}, seeds=2, keep=["flows", "links"])


def bursts(**options: Any) -> Sweep:
    """Return a sweep over the three-node network."""
    scenario = tp.example("obs-three-nodes").with_(SHORT)
    return Sweep(scenario, {SIZE: ["20 kB", "80 kB"]}, **{"seeds": 2, "keep": ["fecs"], **options})


def largest(record: Mapping[str, Any], tables: Tables) -> dict[str, float | int | None]:
    """Return a measure of the record and two of a table."""
    found = tables["fecs"].get_column("bursts")
    return {"most-bursts": found.max(), "classes": found.len(), "per-event": 1 / record["events"]}


def files(folder: Path) -> list[Path]:
    return sorted((folder / "points").iterdir())


def holding(folder: Path, table: str) -> list[Path]:
    """Return the runs that hold a table."""
    return [file for file in files(folder) if f"table.{table}" in pl.read_parquet_schema(file)]


# What is kept.


def test_a_kept_table_is_that_of_the_runs_behind_their_point_and_seed(tmp_path: Path) -> None:
    sweep = bursts()
    rows = sweep.run(tmp_path)
    kept = sweep.kept("fecs", tmp_path)
    assert kept.columns[:2] == [SIZE, "seed"]
    heads = kept.select(SIZE, "seed").unique(maintain_order=True)
    assert heads.equals(rows.select(SIZE, "seed"))
    alone = tp.run(sweep.scenario.with_({SIZE: "80 kB"}), seed=2).fecs
    assert alone.height > 1
    last = kept.filter(pl.col(SIZE) == "80 kB", pl.col("seed") == 2)
    assert last.drop(SIZE, "seed").equals(alone)


@pytest.mark.usefixtures("processes")
def test_a_second_call_finds_tables_and_runs_nothing(
    sweep: Sweep, ran: Counter[Any], tmp_path: Path
) -> None:
    first = sweep.run(tmp_path), sweep.kept("links", tmp_path)
    second = sweep.run(tmp_path), sweep.kept("links", tmp_path)
    assert sum(ran.values()) == 4
    assert len(files(tmp_path)) == len(holding(tmp_path, "links")) == 4
    assert all(one.equals(two) for one, two in zip(first, second, strict=True))


def test_to_keep_more_runs_again_what_lacks_it_and_to_keep_less_runs_nothing(
    sweep: Sweep, mm1: tp.Scenario, ran: Counter[Any], tmp_path: Path
) -> None:
    def keeping(*keep: str) -> Sweep:
        return Sweep(mm1, sweep.over, seeds=2, keep=keep)

    keeping("flows").run(tmp_path)
    assert sum(ran.values()) == 4
    keeping("flows", "links").run(tmp_path)
    assert sum(ran.values()) == 8
    for fewer in ((), ("flows",), ("links", "flows")):
        keeping(*fewer).run(tmp_path)
    assert sum(ran.values()) == 8
    # Two sweeps that take turns on a folder do not take each other's tables away.
    for other in ("traffic", "flows", "traffic", "links"):
        keeping(other).run(tmp_path)
    assert sum(ran.values()) == 12


@pytest.mark.parametrize("damage", ["empty", "torn", "foreign", "text"])
def test_a_damaged_table_counts_as_absent(
    sweep: Sweep, ran: Counter[Any], tmp_path: Path, damage: str
) -> None:
    sweep.run(tmp_path)
    first = sweep.kept("links", tmp_path)
    broken, other, *_ = files(tmp_path)
    data = broken.read_bytes()
    damaged = {
        "empty": b"",
        "torn": data[: len(data) // 2],
        "foreign": other.read_bytes(),
        "text": b"PAR1 none",
    }
    broken.write_bytes(damaged[damage])
    with nullcontext() if damage == "foreign" else pytest.warns(DamageWarning, match=broken.name):
        sweep.run(tmp_path)
    assert sum(ran.values()) == 5
    assert sweep.kept("links", tmp_path).equals(first)


def test_sweeps_that_share_a_run_keep_what_either_wants(
    mm1: tp.Scenario, ran: Counter[Any], tmp_path: Path
) -> None:
    asked = {
        "none": Sweep(mm1, {RATE: ["5 Mb/s"]}, seeds=3),
        "flows": Sweep(mm1, {RATE: ["5 Mb/s", "8 Mb/s"]}, seeds=2, keep=["flows"]),
        "links": Sweep(mm1, {RATE: ["8 Mb/s"]}, seeds=1, keep=["links"]),
    }
    for out in (tmp_path, tmp_path, None):
        run_all(asked, out)
    assert Counter(ran.values()) == {2: 5}
    assert len(holding(tmp_path, "flows")) == 4
    assert len(holding(tmp_path, "links")) == 1
    assert asked["flows"].kept("flows", tmp_path).get_column("seed").n_unique() == 2


@pytest.mark.usefixtures("processes")
def test_two_folders_have_the_same_tables(sweep: Sweep, tmp_path: Path) -> None:
    for workers in (1, 3):
        sweep.run(tmp_path / str(workers), workers=workers)
    for file in files(tmp_path / "1"):
        assert file.read_bytes() == (tmp_path / "3" / "points" / file.name).read_bytes()


def test_a_column_named_as_a_key_of_the_grid_has_the_tables_name_in_front(
    mm1: tp.Scenario, tmp_path: Path
) -> None:
    entry = mm1.to_dict()["traffic"][0]
    sweep = Sweep(mm1, {"traffic": [[entry], [entry, entry]]}, seeds=1, keep=["traffic"])
    sweep.run(tmp_path)
    kept = sweep.kept("traffic", tmp_path)
    assert kept.get_column("traffic.traffic").to_list() == [0, 0, 1]
    assert kept.get_column("traffic").n_unique() == 2


def test_nothing_kept_yet_is_a_table_without_rows(sweep: Sweep, tmp_path: Path) -> None:
    assert sweep.kept("links", tmp_path).rows() == []


# What is derived.


@pytest.mark.parametrize("kept", [True, False], ids=["folder", "memory"])
def test_derived_measures_are_columns(tmp_path: Path, *, kept: bool) -> None:
    table = bursts(derive=largest).run(tmp_path if kept else None)
    for row in table.rows(named=True):
        alone = tp.run(bursts().scenario.with_({SIZE: row[SIZE]}), seed=row["seed"])
        assert row["most-bursts"] == alone.fecs.get_column("bursts").max()
        assert row["classes"] == alone.fecs.height
        assert row["per-event"] == 1 / row["events"]
    if kept:
        assert pl.read_parquet(tmp_path / "results.parquet").equals(table)


def test_a_change_of_what_is_derived_runs_nothing(ran: Counter[Any], tmp_path: Path) -> None:
    bursts(derive=largest).run(tmp_path)
    table = bursts(derive=lambda _, tables: {"rows": tables["fecs"].height}).run(tmp_path)
    assert sum(ran.values()) == 4
    assert table.get_column("rows").min() > 1  # type: ignore[operator]
    assert "most-bursts" not in table.columns
    assert "rows" in pl.read_parquet(tmp_path / "results.parquet").columns


def test_sweeps_that_share_runs_derive_each_its_own(ran: Counter[Any]) -> None:
    found = run_all(
        {
            "one": bursts(derive=largest),
            "other": bursts(derive=lambda record, tables: {"n": len(tables)}, keep=()),
            "none": bursts(),
        },
        None,
    )
    assert sum(ran.values()) == 4
    assert found["one"].get_column("classes").null_count() == 0
    assert found["other"].get_column("n").to_list() == [0] * 4
    assert found["one"].select(found["none"].columns).equals(found["none"])


@pytest.mark.parametrize("name", ["goodput", "seed", SIZE])
def test_a_derived_measure_replaces_none(name: str) -> None:
    with pytest.raises(ValueError, match=f"'{name}' is a column already") as caught:
        bursts(derive=lambda *_: {name: 1}).run()
    assert "seed" in caught.value.__notes__[0]


def test_a_derived_measure_is_a_number() -> None:
    with pytest.raises(TypeError, match="'x' is not a number: 'much'"):
        bursts(derive=lambda *_: {"x": "much"}).run()
    with pytest.raises(TypeError, match="a dictionary of measures is expected, not None"):
        bursts(derive=lambda *_: None).run()
    table = bursts(derive=lambda *_: {"x": math.nan, "y": pl.Series([3]).to_numpy()[0]}).run()
    assert table.get_column("x").null_count() == table.height
    assert table.get_column("y").to_list() == [3] * 4


@pytest.mark.usefixtures("processes")
def test_a_rule_may_go_by_a_derived_measure(ran: Counter[Any], tmp_path: Path) -> None:
    rule = Until("most-bursts", relative_half_width=0.02, at_least=3, at_most=6)
    sweep = bursts(derive=largest, until=rule)
    table = sweep.run(tmp_path, workers=1)
    assert sum(ran.values()) == table.height
    for _, rows in table.group_by(SIZE, maintain_order=True):
        values = rows.get_column("most-bursts").to_list()
        assert rule.is_enough(values) or len(values) == rule.at_most
        assert not any(rule.is_enough(values[:count]) for count in range(3, len(values)))
    assert sweep.run(tmp_path, workers=3).equals(table)
    heads = table.select(SIZE, "seed")
    found = sweep_folder.read(tmp_path)
    assert found.missing == 0
    assert found.table.select(SIZE, "seed").equals(heads)
    kept = sweep_folder.read(tmp_path, table="fecs").table
    assert kept.equals(sweep.kept("fecs", tmp_path))
    assert kept.select(SIZE, "seed").unique(maintain_order=True).equals(heads)


# What cannot be kept.


def test_an_unknown_table_is_a_mistake_before_any_run(mm1: tp.Scenario, ran: Counter[Any]) -> None:
    for keep in ("fec", ["series", "links"]):
        (mistake,) = Sweep(mm1, {}, keep=keep).check()
        assert mistake.key == "keep.0"
    (text,) = (mistake.text for mistake in Sweep(mm1, {}, keep="fec").check())
    assert 'keep.0: unknown value (did you mean "fecs"?); found "fec"; accepted "flows", ' in text
    with pytest.raises(tp.ScenarioError, match=r'"linx"(.|\n)*"fec"'):
        run_all({"a": Sweep(mm1, {}, keep=["linx", "fec"])}, None)
    both = Sweep(mm1, {"run.durration": ["1 s"]}, keep=["linx"]).check()
    assert [mistake.key for mistake in both] == ["keep.0", "over.run.durration"]
    assert not ran


def test_a_table_that_the_scenario_does_not_make_is_named(mm1: tp.Scenario) -> None:
    with pytest.raises(
        LookupError,
        match=r"no table 'fecs'; available: flows, links, traffic.*; at .* 5 Mb/s, seed 1",
    ):
        Sweep(mm1, {RATE: ["5 Mb/s"]}, seeds=1, keep=["fecs"]).run()


def test_a_table_that_the_sweep_does_not_keep_is_named(sweep: Sweep, tmp_path: Path) -> None:
    sweep.run(tmp_path)
    with pytest.raises(LookupError, match=r"'link' is kept \(did you mean 'links'\?\)"):
        sweep.kept("link", tmp_path)
    with pytest.raises(LookupError, match="available: flows, links"):
        sweep_folder.read(tmp_path, table="fecs")


def test_the_tables_that_can_be_kept_are_those_of_the_engine() -> None:
    schema = json.loads(_core.sweep_schema())
    kept = [each["const"] for each in schema["$defs"]["KeptTable"]["oneOf"]]
    made: set[str] = set()
    for name in ("mm1", "obs-three-nodes"):
        made |= tp.run(tp.example(name).with_(SHORT)).tables.keys()
    assert made - {"series", "bursts", "reservations"} <= set(kept)


# The command.


def test_the_command_shows_and_exports_a_kept_table(
    sweep: Sweep, tcphoton: Command, tmp_path: Path
) -> None:
    sweep.run(tmp_path / "sweep")
    kept = sweep.kept("links", tmp_path / "sweep")
    done = tcphoton("results", tmp_path / "sweep", "--table", "links", "--csv")
    assert (done.returncode, done.stdout) == (0, measures.csv_text(kept))
    shown = tcphoton("results", tmp_path / "sweep", "--table", "links").stdout
    assert shown.count("\n") == kept.height + 2
    assert "utilization" in shown
    wrong = tcphoton("results", tmp_path / "sweep", "--table", "fecs", code=2)
    assert wrong.stderr == "error: no table 'fecs' is kept; available: flows, links\n"
    tp.run(sweep.scenario).save(tmp_path / "run")
    of_run = tcphoton("results", tmp_path / "run", "--table", "links", "--csv")
    assert of_run.stdout == measures.csv_text(tp.run(sweep.scenario).links)


# Papers.


def paper() -> papers.Paper:
    """Return a made-up paper with two grids that share a point, and a figure of a kept table."""
    over = {SIZE: ["20 kB", "80 kB"]}
    grid = {"scenario": "scenario.toml", "set": SHORT, "keep": ["fecs"]}
    small = {"seeds": 1, "over": {SIZE: ["80 kB"]}}
    plan: dict[str, Any] = {
        "grids": {
            "both": {**grid, "quick": [{"seeds": 2, "over": over}, {**small, "seeds": 3}]},
            "one": {**grid, "keep": ["fecs", "links"], "quick": [small]},
            "plain": {"scenario": "scenario.toml", "set": SHORT, "quick": [small]},
        },
        "artefacts": {
            "fig2a": {"title": "Measures", "grids": ["both", "one"]},
            "fig2b": {"title": "A table", "grids": ["both", "one"], "table": "fecs"},
            "fig3a": {"title": "No table", "grids": ["plain"]},
        },
    }
    titles = {name: str(each["title"]) for name, each in plan["artefacts"].items()}
    made = replace(papers.load("obs"), artefacts=titles, plan=plan)
    made.__dict__.update(claims=(), figures=dict.fromkeys(titles, len))
    return made


def test_an_artefact_is_a_kept_table_of_each_run_once(
    monkeypatch: pytest.MonkeyPatch, ran: Counter[Any], tmp_path: Path
) -> None:
    monkeypatch.setattr(reproduction, "load", lambda _: paper())
    monkeypatch.setattr(reproduction, "select", lambda names, _: {"obs": list(names)})
    monkeypatch.setattr("tcphoton.figures.drawn", lambda *_: [])
    monkeypatch.setattr(obs_measures, "derive", largest, raising=False)
    reproduce(["fig2a", "fig2b"], tmp_path)
    assert Counter(ran.values()) == {1: 5}
    measured, kept = (pl.read_parquet(tmp_path / "obs" / f"fig2{each}.parquet") for each in "ab")
    keys = ["grid", "variant", "run.duration", "run.warmup", SIZE, "seed"]
    assert measured.columns[: len(keys)] == kept.columns[: len(keys)] == keys
    assert measured.height == 5
    assert measured.get_column("grid").unique().to_list() == ["both"]
    runs = kept.group_by(keys, maintain_order=True).agg(pl.len(), pl.col("bursts").max())
    assert runs.select(keys).equals(measured.select(keys))
    assert runs.get_column("len").to_list() == measured.get_column("classes").to_list()
    assert runs.get_column("bursts").to_list() == measured.get_column("most-bursts").to_list()
    assert kept.select(*keys, "ingress", "egress").is_unique().all()


def test_an_earlier_kept_artefact_counts_until_what_is_kept_or_derived_changes(
    monkeypatch: pytest.MonkeyPatch, ran: Counter[Any], tmp_path: Path
) -> None:
    seen: list[set[str]] = []
    made = paper()
    monkeypatch.setattr(reproduction, "load", lambda _: made)
    monkeypatch.setattr(reproduction, "select", lambda names, _: {"obs": list(names)})
    monkeypatch.setattr("tcphoton.figures.drawn", lambda *_: [])
    write = reproduction._write_artefacts

    def writing(*given: Any) -> dict[str, pl.DataFrame]:
        tables = write(*given)
        seen.append(set(tables))
        return tables

    monkeypatch.setattr(reproduction, "_write_artefacts", writing)
    reproduce(["fig2b"], tmp_path)
    reproduce(["fig3a"], tmp_path)
    assert seen == [{"fig2b"}, {"fig2b", "fig3a"}]
    made.plan["grids"]["one"]["keep"] = ["fecs"]
    reproduce(["fig3a"], tmp_path)
    assert seen[-1] == {"fig3a"}
    reproduce(["fig2b"], tmp_path)
    made.__dict__["derive"] = largest
    reproduce(["fig3a"], tmp_path)
    assert seen[-1] == {"fig3a"}
    assert Counter(ran.values()) == {1: 5}


def test_measures_are_derived_only_of_grids_that_keep_tables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(obs_measures, "derive", largest, raising=False)
    for runs in paper().runs(["fig2a", "fig3a"], "quick"):
        assert (runs.sweep.derive is None) == (runs.grid == "plain") == (not runs.sweep.keep)


def test_a_paper_without_derive_derives_nothing() -> None:
    assert papers.load("obs").derive is None


def test_a_folder_says_what_was_kept(sweep: Sweep, tmp_path: Path) -> None:
    sweep.run(tmp_path)
    assert json.loads((tmp_path / "sweep.json").read_text("utf-8"))["keep"] == ["flows", "links"]


def test_a_paper_with_a_failed_run_gets_no_verdicts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(reproduction, "load", lambda _: paper())
    monkeypatch.setattr(reproduction, "select", lambda names, _: {"obs": list(names)})
    monkeypatch.setattr("tcphoton.figures.drawn", lambda *_: [])
    monkeypatch.setattr(obs_measures, "derive", largest, raising=False)
    written: list[object] = []
    here = work_here(monkeypatch, lambda _: "made up" if sum(here.begun.values()) == 1 else "")
    with pytest.raises(FailedRunsError, match="obs: 1 run failed, the first with: made up; "):
        reproduce(["fig2a"], tmp_path, page=written.append)
    assert written == [tmp_path]
    assert sum(here.begun.values()) == 5
    assert not (tmp_path / "ledger.json").exists()
    assert not list((tmp_path / "obs").glob("fig2a*"))
    work_here(monkeypatch, lambda _: "")
    assert reproduce(["fig2a"], tmp_path) == []
    assert (tmp_path / "obs" / "fig2a.parquet").exists()
