"""The reproduction of papers: what is run, what is written, and what a folder keeps."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import made_up
import tcphoton as tp
from made_up_runs import seeds_of
from tcphoton import papers
from tcphoton.cli import demo
from tcphoton.errors import FailedRunsError
from tcphoton.papers import begun, keep, ledger
from tcphoton.papers import reproduce as reproduction
from tcphoton.papers.obs.measures import LOSS
from tcphoton.papers.reproduce import reproduce, select
from tcphoton.papers.rules import NOT_COVERED
from tcphoton.sweep import sweep

if TYPE_CHECKING:
    from collections.abc import Mapping

    from command_here import Command
    from tcphoton.sweep.sweep import Sweep

pytestmark = pytest.mark.slow

PAPER = papers.load("obs")
SCALES = ("quick", "full", "demo")
FORMATS = {"parquet", "svg", "pdf", "png", "html"}


@pytest.fixture
def unrun(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Make sweeps find made-up numbers, and list those that were asked for."""
    asked: list[str] = []

    def run_all(sweeps: Mapping[str, Sweep], *_: object, **__: object) -> dict[str, pl.DataFrame]:
        asked.extend(sweeps)
        return {name: made_up.frame(each) for name, each in sweeps.items()}

    monkeypatch.setattr(sweep, "run_all", run_all)
    return asked


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let artefacts be tables alone."""
    monkeypatch.setattr("tcphoton.figures.drawn", lambda *_: [])


# What a paper has.


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("artefact", PAPER.artefacts)
def test_a_table_has_each_point_and_seed_once(artefact: str, scale: str) -> None:
    runs = PAPER.runs([artefact], scale)
    if not runs:
        return
    table = PAPER.table(artefact, scale, {each.name: made_up.frame(each.sweep) for each in runs})
    keys = [key for each in runs for key in (*each.common, *each.sweep.over)]
    points = table.select("variant", *dict.fromkeys(keys), "seed")
    assert points.is_unique().all()
    assert table.get_column("grid").null_count() == 0
    assert points.unique().height == table.height


def test_scales_differ_in_points_and_seeds_and_never_in_the_scenario() -> None:
    for grid in PAPER.plan["grids"].values():
        assert set(grid) <= {"scenario", "variants", "set", *SCALES}
    settings = {
        key
        for grid in PAPER.plan["grids"].values()
        for scale in SCALES
        for product in grid.get(scale, [])
        for key in product.get("set", {})
    }
    assert settings <= {"run.duration"}


def test_full_has_the_seeds_and_lengths_that_were_promised() -> None:
    for runs in PAPER.runs([name for name in PAPER.artefacts if "fig" in name], "full"):
        three = "eight" not in runs.sweep.scenario.file
        assert seeds_of(runs) >= (10 if three else 5)
        length = runs.sweep.scenario.to_dict()["run"]["duration"]
        assert length == ("20 s" if three else "10 s")


# What is selected.


def test_a_name_is_a_paper_or_an_artefact() -> None:
    assert select(["obs"], "quick") == {"obs": list(PAPER.artefacts)}
    assert select(["obs/fig6b", "obs/fig2a", "obs/fig6b"], "full") == {"obs": ["fig2a", "fig6b"]}
    assert select(["obs/fig2a", "obs"], "quick") == {"obs": list(PAPER.artefacts)}


@pytest.mark.parametrize("name", ["", "obss", "obs/", "obs/fig", "obs/fig2a/x", "../obs", "/"])
def test_what_there_is_not_is_one_error(name: str) -> None:
    with pytest.raises(LookupError) as raised:
        select([name], "quick")
    assert "available: " in raised.value.args[0]


# What is written.


def test_an_artefact_is_a_table_and_a_figure_in_four_formats(
    unrun: list[str], tmp_path: Path
) -> None:
    entries = reproduce(["obs/fig5a"], tmp_path)
    assert {name.split("/")[0] for name in unrun} == {"fig5"}
    written = {file.name for file in (tmp_path / "obs").iterdir()}
    assert written == {f"fig5a.{ending}" for ending in FORMATS} | {"ledger.md", "run.json"}
    table = pl.read_parquet(tmp_path / "obs" / "fig5a.parquet")
    units = json.loads(pl.read_parquet_metadata(tmp_path / "obs" / "fig5a.parquet")["units"])
    assert units["traffic.0.goodput"] == "b/s"
    assert {"grid", "variant", LOSS, "seed", "traffic.0.goodput"} <= set(table.columns)
    assert ledger.read(tmp_path / "ledger.json") == json.loads(json.dumps(entries))
    verdicts = {each["claim"]: each["verdict"] for each in entries}
    assert list(verdicts) == [f"obs.{number}" for number in range(1, 14)]
    assert verdicts["obs.8"] == "holds"
    assert {verdicts[f"obs.{number}"] for number in (1, 3, 4, 9)} == {"not covered"}


@pytest.mark.usefixtures("undrawn")
def test_entries_say_how_they_came_about_and_not_when_or_where(
    unrun: list[str], tmp_path: Path
) -> None:
    assert unrun == []
    first, second = (reproduce(["obs/fig6a"], tmp_path / name, "quick") for name in ("a", "b"))
    texts = [(tmp_path / name / "ledger.json").read_bytes() for name in ("a", "b")]
    assert texts[0] == texts[1]
    assert first == second
    provenance = first[0]["provenance"]
    assert provenance["command"] == "tcphoton reproduce obs/fig6a --scale quick"
    assert provenance["version"] == tp.__version__
    assert len(provenance["revision"]) >= 8
    assert str(tmp_path).encode() not in texts[0]
    run = json.loads((tmp_path / "a" / "obs" / "run.json").read_text("utf-8"))
    assert {"command", "scale", "commit", "seconds", "workers", "runs", "found"} <= set(run)


@pytest.mark.usefixtures("undrawn")
def test_an_earlier_artefact_counts_at_its_own_scale_only(unrun: list[str], tmp_path: Path) -> None:
    def judged(names: list[str], scale: str) -> tuple[str, list[int]]:
        found = next(each for each in reproduce(names, tmp_path, scale) if each["claim"] == "obs.9")
        return found["verdict"], found["holding"]

    assert unrun == []
    assert judged(["obs/fig6a"], "quick") == ("holds", [1, 1])
    assert judged(["obs/fig6b"], "quick") == ("holds", [2, 2])
    assert judged(["obs/fig6b"], "full") == ("holds", [1, 1])


@pytest.mark.usefixtures("undrawn")
def test_other_papers_keep_their_claims(unrun: list[str], tmp_path: Path) -> None:
    other = [{"claim": "hybrid.1", "verdict": "holds"}]
    (tmp_path / "ledger.json").write_text(json.dumps(other), "utf-8")
    reproduce(["obs/fig5a"], tmp_path)
    assert unrun
    assert ledger.read(tmp_path / "ledger.json")[0] == other[0]


def test_a_place_that_cannot_be_written_is_one_error(unrun: list[str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", "utf-8")
    with pytest.raises(tp.OutputError):
        reproduce(["obs/fig5a"], tmp_path / "file")
    assert unrun == []


def small(scale: str) -> papers.Paper:
    """Return the paper with runs of a moment."""
    plan = json.loads(json.dumps(PAPER.plan))
    for grid in plan["grids"].values():
        grid["set"] = {**grid.get("set", {}), "run.duration": "30 ms"}
        for product in grid.get(scale, []):
            product["seeds"] = min(product["seeds"], 2)
            product.pop("set", None)
            product["over"].pop("run.duration", None)
    return replace(PAPER, plan=plan)


def test_a_reproduction_runs_from_end_to_end_and_not_twice(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(reproduction, "load", lambda _: small("quick"))
    progress: list[Any] = []
    artefacts = ["obs/fig2a", "obs/contention"]
    first = reproduce(artefacts, tmp_path, "quick", progress=progress.append)
    assert progress[-1].done == progress[-1].total > 50
    assert progress[-1].cached < progress[-1].total
    table = pl.read_parquet(tmp_path / "obs" / "contention.parquet")
    assert table.get_column("bursts.released").min() > 0  # type: ignore[operator]
    assert table.get_column("variant").n_unique() == 4
    cost = pl.read_csv(tmp_path / "obs" / "cost.csv")
    points = sum(
        len(each.sweep.points) for each in small("quick").runs(["fig2a", "contention"], "quick")
    )
    assert cost.height == points
    assert cost.get_column("wall").min() > 0  # type: ignore[operator]
    assert set(cost.get_column("runs")) <= {1, 2}
    assert {"grid", "variant", LOSS, "cpu", "events"} <= set(cost.columns)
    second = reproduce(artefacts, tmp_path, "quick", progress=progress.append)
    assert progress[-1].cached == progress[-1].total
    assert first == second


def test_the_demonstration_prints_claims_and_names_figures(
    unrun: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert demo.main(tmp_path) == 0
    printed = capsys.readouterr().out
    assert {name.split("/")[0] for name in unrun} == {"fig2", "fig3"}
    assert re.search(
        r"^HOLDS\n(?:.*\n)*obs.3   Three nodes, 1000 Mb/s, 260 kB.*\n(?: +.*\n)*?"
        r" +p = 0\.001: about 10 %, ours \S+ %; p = 0\.003: about 50 %, ours \S+ %$",
        printed,
        re.M,
    )
    assert "Not covered by what was run: obs.8, obs.9, obs.10." in printed
    assert re.search(r"^Of 10 claims \d+ holds?.*; of their \d+ parts \d+ hold\.", printed, re.M)
    assert "not run" not in printed
    for file in re.findall(rf"{re.escape(str(tmp_path))}\S+", printed):
        assert Path(file).exists()
    assert f"{tmp_path}/obs/fig2a.png" in printed


# The command.


def test_without_a_paper_the_command_lists_and_exits_with_2(tcphoton: Command) -> None:
    done = tcphoton("reproduce", code=2)
    assert "obs/fig2a " in done.stdout
    listed = tcphoton("reproduce", "--list")
    assert (listed.returncode, listed.stdout, listed.stderr) == (0, done.stdout, "")


@pytest.mark.parametrize("name", ["osb", "obs/fig2", "obs/fig2a/b"])
def test_an_unknown_name_is_one_line_and_exits_with_2(
    tcphoton: Command, tmp_path: Path, name: str
) -> None:
    done = tcphoton("reproduce", name, "--out", tmp_path / "out", code=2)
    assert re.fullmatch(r"error: .*available: .*\n", done.stderr)
    assert done.stdout == ""
    assert not (tmp_path / "out").exists()


def test_an_unknown_scale_exits_with_2(tcphoton: Command) -> None:
    assert tcphoton("reproduce", "obs", "--scale", "huge").returncode == 2


# The paper's page.


@pytest.mark.parametrize("name", papers.papers())
def test_the_page_of_the_paper_has_the_ledger_that_is_kept(name: str) -> None:
    paper, folder = papers.load(name), Path(keep.folder(name))
    page = (folder / "README.md").read_text("utf-8")
    kept = folder / "results" / "ledger.json"
    assert keep.with_results(page, folder, paper) == page, "see `python -m tcphoton.papers.keep`"
    if kept.exists():
        entries = ledger.read(kept)
        assert (folder / "results" / keep.PARTS).read_bytes() == ledger.parts(entries)
        assert [each["claim"] for each in entries] == [claim.claim for claim in paper.claims]
        # Claims is the scale that has all of what they need, where there is one.
        is_older = keep.is_older(paper, entries)
        whole = "claims" if "claims" in paper.scales and not is_older else "full"
        assert {each["scale"] for each in entries} == {whole}
        if is_older:
            # The page says so; with tables it would have been judged anew.
            assert keep.OLDER in page
            assert not list((folder / "results").glob("*.parquet"))
            return
        for claim, each in zip(paper.claims, entries, strict=True):
            texts = (claim.statement, claim.published, claim.rule, list(claim.changes))
            assert texts == (each["statement"], each["published"], each["rule"], each["changes"])
            # Parts that affect no verdict may have been added since.
            known = {part["name"] for part in each["parts"]}
            now = [part.name for part in claim.parts if part.counts or part.name in known]
            assert now == [part["name"] for part in each["parts"]]
            assert {part["name"]: part["counts"] for part in each["parts"]} == {
                part.name: part.counts for part in claim.parts if part.name in known
            }


@pytest.mark.parametrize("name", papers.papers())
def test_every_link_of_the_page_leads_somewhere(name: str) -> None:
    folder = Path(keep.folder(name))
    for target in re.findall(r"\]\(([^)#\s]+)", (folder / "README.md").read_text("utf-8")):
        there = (folder / target).exists() or target.startswith("https://")
        assert there or (target.startswith("results/") and not (folder / "results").exists())


def test_tables_of_a_scale_stay_those_of_their_runs_while_another_scale_changes() -> None:
    plan = deepcopy(PAPER.plan)
    plan["grids"]["fig5"]["quick"][0]["seeds"] += 1
    other = replace(PAPER, plan=plan)
    stamps = [[reproduction.stamp_of(paper, scale) for paper in (PAPER, other)] for scale in SCALES]
    assert [one == another for one, another in stamps] == [False, True, True]


@pytest.mark.usefixtures("undrawn")
def test_a_full_run_in_parts_is_kept_as_if_it_had_been_made_at_once(
    unrun: list[str], tmp_path: Path
) -> None:
    homes = [tmp_path / each for each in ("parts", "part-and-rest", "at-once")]
    for home in homes:
        home.mkdir()
        (home / "README.md").write_text(f"{keep.BEGIN}\n{keep.END}\n", "utf-8")
    for _ in range(2):
        begun.put_by(PAPER, homes[0], "full", ["fig5", "fig6"], tmp_path / "store")
    begun.put_by(PAPER, homes[1], "full", ["fig5"], tmp_path / "store")
    reproduce(["obs/fig6a"], tmp_path / "rest", "full")
    # Of the grid of each of these is another figure, too.
    reproduce([f"obs/fig{each}" for each in ("5a", "5b", "6a", "6b")], tmp_path / "whole", "full")
    assert unrun
    for home, out in zip(homes, ("none", "rest", "whole"), strict=True):
        keep.keep("obs", tmp_path / out, home)
        assert {file.name for file in home.iterdir()} == {"README.md", "results"}
    ledgers = [ledger.read(home / "results" / "ledger.json") for home in homes]
    assert ledgers[0] == ledgers[1] == ledgers[2]
    covered = {each["claim"] for each in ledgers[0] if each["verdict"] != NOT_COVERED}
    assert covered >= {"obs.8", "obs.9"}
    facts = [json.loads((home / "results" / "run.json").read_text("utf-8")) for home in homes]
    rows = [
        pl.read_parquet(homes[0] / "results" / f"{each}.measures.parquet").height
        for each in ("fig5a", "fig6a")
    ]
    # Where runs are made up a reproduction counts none.
    assert [each["runs"] for each in facts] == [sum(rows), rows[0], 0]
    assert facts[0].keys() == facts[1].keys() == facts[2].keys()


def test_a_grid_that_is_not_run_at_a_scale_cannot_be_put_by(tmp_path: Path) -> None:
    with pytest.raises(tp.OutputError, match="no grid 'fig9' at the scale full: fig2, "):
        begun.put_by(PAPER, tmp_path, "full", ["fig9"], tmp_path / "store")


def test_a_grid_with_failed_runs_is_not_put_by(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    failed = pl.DataFrame({"error": ["too many events"], "replay": ["tcphoton run x.toml"]})
    monkeypatch.setattr(sweep, "run_all", lambda sweeps, *_, **__: dict.fromkeys(sweeps, failed))
    with pytest.raises(FailedRunsError, match=r"fig5: 1 run failed, .*too many events"):
        begun.put_by(PAPER, tmp_path, "full", ["fig5"], tmp_path / "store")
    assert not (tmp_path / begun.FOLDER).exists()


@pytest.mark.parametrize("name", papers.papers())
def test_tables_that_wait_for_the_rest_of_a_run_are_those_of_its_plan(name: str) -> None:
    paper, waiting = papers.load(name), keep.folder(name) / begun.FOLDER
    stamps = {pl.read_parquet_metadata(each)["stamp"] for each in waiting.glob("*.parquet")}
    assert stamps <= {reproduction.stamp_of(paper, scale) for scale in paper.scales}


def test_results_are_kept_with_the_page(unrun: list[str], tmp_path: Path) -> None:
    out, home = tmp_path / "out", tmp_path / "home"
    home.mkdir()
    (home / "README.md").write_text(
        f"# obs\n\n{keep.BEGIN}\nKEPT BEFORE\n{keep.END}\n\nafter\n", "utf-8"
    )
    reproduce(["obs/fig5a"], out, "full")
    assert unrun
    keep.keep("obs", out, home)
    page = (home / "README.md").read_text("utf-8")
    assert "| **obs.8** |" in page
    assert "KEPT BEFORE" not in page
    assert page.endswith(f"{keep.END}\n\nafter\n")
    kept = {file.name for file in (home / "results").iterdir()}
    assert kept == {"ledger.json", "parts.csv", "run.json", "fig5a.svg", "fig5a.measures.parquet"}
