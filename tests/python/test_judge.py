"""Verdicts made anew from tables that are there, without a run."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import polars as pl
import pytest

import made_up_folders
import tcphoton as tp
from tcphoton import papers
from tcphoton.papers import keep, kept_tables, ledger, rules
from tcphoton.papers.judge import judge
from tcphoton.papers.kept_tables import ENDING, judged, kept, packed, small
from tcphoton.papers.reproduce import LEDGER

if TYPE_CHECKING:
    from pathlib import Path

    from command_here import Command

pytestmark = pytest.mark.slow

KEPT = [
    name for name in papers.papers() if any((keep.folder(name) / keep.RESULTS).glob(f"*{ENDING}"))
]
MOST = 1_000_000
"""Bytes of all tables that are kept of a paper."""


def test_a_changed_rule_is_judged_without_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_up_folders.reproduction(tmp_path, monkeypatch, "obs/fig2a")
    before = ledger.read(tmp_path / LEDGER)
    monkeypatch.setattr(tp, "run", None)
    pages: list[Path] = []
    assert judge(["obs"], tmp_path, pages.append) == before == ledger.read(tmp_path / LEDGER)
    monkeypatch.setattr(rules, "FEWEST", 1000)
    after = judge(["obs"], tmp_path, pages.append)
    assert pages == [tmp_path, tmp_path]
    # A paper is judged as a whole, and once.
    assert judge(["obs/fig2a", "obs"], tmp_path) == after
    assert after == ledger.read(tmp_path / LEDGER)
    assert after != before
    verdicts = {each["claim"]: each["verdict"] for each in after}
    assert verdicts["obs.3"] == "cannot tell"
    assert "| **cannot tell** |" in (tmp_path / "obs" / "ledger.md").read_text("utf-8")


@pytest.mark.parametrize("name", ["obs", "sync"])
def test_what_is_kept_of_a_table_gives_the_same_verdicts(name: str, tmp_path: Path) -> None:
    paper = papers.load(name)
    judged_by = dict.fromkeys(part.artefact for claim in paper.claims for part in claim.parts)
    some = [each for each in judged_by if each in paper.at("quick")][:3]
    tables = {each: paper.seen(made_up_folders.table(paper, each)) for each in some}
    for artefact, table in small(paper, tables).items():
        (tmp_path / f"{artefact}{ENDING}").write_bytes(packed(table))
    again = kept(paper, tmp_path)
    assert again
    width = sum(table.width for table in again.values())
    assert width < sum(tables[each].width for each in again) / 2 + 30
    facts = dict.fromkeys(("command", "scale", "version", "revision"), "")
    entries, others = (judged(paper, each, facts) for each in (tables, again))
    assert [each["verdict"] for each in entries] == [each["verdict"] for each in others]
    numbers, found = (
        [part["ours"] or 0.0 for each in some for part in each["parts"]]
        for some in (entries, others)
    )
    assert found == pytest.approx(numbers, rel=1e-4, abs=1e-4, nan_ok=True)


def test_a_table_that_would_change_a_verdict_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    paper = papers.load("hybrid")
    tables = {"fig2a": paper.seen(made_up_folders.table(paper, "fig2a"))}
    monkeypatch.setattr(kept_tables, "_used", lambda *_: [])
    with pytest.raises(tp.OutputError, match=r"give another verdict of hybrid\.\d"):
        small(paper, tables)


@pytest.mark.parametrize("name", KEPT)
def test_the_kept_ledger_is_what_its_tables_say(name: str) -> None:
    """A rule that was changed has been applied: `python -m tcphoton.papers.keep NAME`."""
    results = keep.folder(name) / keep.RESULTS
    assert json.loads(json.dumps(keep.judged_again(name))) == ledger.read(results / LEDGER)
    assert sum(path.stat().st_size for path in results.glob(f"*{ENDING}")) < MOST


def test_papers_without_tables_are_one_error(tcphoton: Command, tmp_path: Path) -> None:
    done = tcphoton(
        "reproduce", str(keep.TREE / "papers/circuits"), "--judge", "--out", str(tmp_path), code=2
    )
    (told,) = (line for line in done.stderr.splitlines() if not line.startswith("warning: "))
    assert told.startswith("error: circuits: no tables to judge")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", KEPT)
def test_a_part_could_hold_with_the_spread_of_its_runs(name: str) -> None:
    """Whatever its number is: a rule that no data can meet at its seeds is none."""
    paper, results = papers.load(name), keep.folder(name) / keep.RESULTS
    tables = {
        each: table.cast({pl.Float32: pl.Float64}) for each, table in kept(paper, results).items()
    }
    hopeless = []
    for claim in paper.claims:
        for part in claim.parts:
            finding = ledger.find(part, tables)
            if not part.counts or part.beyond or finding.interval is None or finding.band is None:
                continue
            width = finding.interval[1] - finding.interval[0]
            room = finding.band[1] - finding.band[0]
            if finding.published is not None and finding.one_run is not None:
                # It holds within the band, or where one run says something.
                least, most = finding.one_run
                room = max(room, math.inf if most - least <= 2 * abs(finding.published) else 0.0)
            if width >= room:
                hopeless.append(f"{claim.claim}: {part.name}")
    assert not hopeless
