"""What holds for the claims of every paper, whatever the claims say, on worlds that are made up."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import polars as pl
import pytest

import made_up_hybrid
import made_up_lbas
import made_up_ops
import made_up_sync
from made_up_runs import World
from tcphoton.papers import keep, ledger, load, papers
from tcphoton.papers.ledger import entry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tcphoton.papers.ledger import Claim, Part

pytestmark = pytest.mark.slow

MADE_UP = {
    "hybrid": made_up_hybrid.table,
    "lbas": made_up_lbas.table,
    "ops": made_up_ops.table,
    "sync": made_up_sync.table,
}
WORLDS = tuple(MADE_UP)
SCALE = {"scale": "made up"}


@cache
def world(paper: str) -> World:
    return World(load(paper), MADE_UP[paper])


def every_claim() -> Iterator[tuple[str, Claim]]:
    return ((name, claim) for name in papers() for claim in load(name).claims)


@pytest.mark.parametrize("paper", WORLDS)
def test_a_table_like_the_papers_holds(paper: str) -> None:
    faults = []
    for claim in load(paper).claims:
        found = world(paper).entry(claim)
        # Parts of these are beyond what any simulation can have.
        wanted = "out of reach" if claim.claim in {"ops.7", "sync.10"} else "holds"
        inside = [
            part["interval"][0] - 1e-6 <= part["ours"] <= part["interval"][1] + 1e-6
            for part in found["parts"]
        ]
        if found["verdict"] != wanted or not all(inside):
            faults.append(found)
    assert not faults


@pytest.mark.parametrize("paper", WORLDS)
def test_one_seed_cannot_tell(paper: str) -> None:
    claims = load(paper).claims
    found = {each.claim: world(paper).entry(each, seeds=1)["verdict"] for each in claims}
    assert set(found.values()) == {"cannot tell"}, found


def test_what_was_not_run_is_not_covered() -> None:
    faults = []
    for _, claim in every_claim():
        found = entry(claim, {}, SCALE)
        notes = {part["note"] for part in found["parts"]}
        empty = {part.artefact: pl.DataFrame({"seed": [1]}) for part in claim.parts}
        verdicts = {found["verdict"], entry(claim, empty, SCALE)["verdict"]}
        if notes != {"not run"} or verdicts != {"not covered"}:
            faults.append((claim.claim, notes, verdicts))
    assert not faults


def test_the_rules_read_artefacts_of_measures_that_there_are() -> None:
    faults = []
    for name, claim in every_claim():
        paper = load(name)
        measured = {artefact for artefact in paper.artefacts if paper.kept(artefact) is None}
        read = {part.artefact for part in (*claim.parts, *claim.sensitivity)}
        if not read <= measured:
            faults.append((claim.claim, read - measured))
    assert not faults


def unread(paper: str, claim: Claim, part: Part, scale: str) -> Iterator[str]:
    """Give the name of a part whose points are not all in the table of a scale."""
    if part.rule(world(paper).table(part.artefact, scale)).interval is None:
        yield f"{claim.claim}: {part.name}"


@pytest.mark.parametrize("paper", WORLDS)
def test_every_point_that_a_rule_reads_is_run_at_full_scale(paper: str) -> None:
    faults: list[str] = []
    for claim in load(paper).claims:
        for part in (*claim.parts, *claim.sensitivity):
            faults += unread(paper, claim, part, "full")
    assert not faults


@pytest.mark.parametrize("paper", WORLDS)
def test_every_point_that_has_a_say_is_run_at_quick_scale(paper: str) -> None:
    faults: list[str] = []
    for claim in load(paper).claims:
        for part in filter(lambda part: part.counts, claim.parts):
            faults += unread(paper, claim, part, "quick")
    assert not faults


@pytest.mark.parametrize("paper", papers())
def test_every_difference_has_its_reason(paper: str) -> None:
    """In the claims, and in the ledger that is kept, which readers meet."""
    because = {claim.claim: claim.because for claim in load(paper).claims}
    kept = ledger.read(keep.folder(paper) / keep.RESULTS / "ledger.json")
    assert {each["claim"]: each["because"] for each in kept} == because or (
        keep.is_older(load(paper), kept)
    )
    assert [
        each["claim"] for each in kept if each["verdict"] != "holds" and not ledger.why(each)
    ] == []
