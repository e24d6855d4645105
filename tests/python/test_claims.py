"""What holds for the claims of every paper whose world can be made up, whatever the claims say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

import made_up_hybrid
import made_up_lbas
import made_up_ops
from made_up_runs import World
from tcphoton.papers import load
from tcphoton.papers.ledger import entry

if TYPE_CHECKING:
    from tcphoton.papers.ledger import Claim

WORLDS = {
    "hybrid": World(load("hybrid"), made_up_hybrid.table),
    "lbas": World(load("lbas"), made_up_lbas.table),
    "ops": World(load("ops"), made_up_ops.table),
}
SCALE = {"scale": "made up"}

of_claims = pytest.mark.parametrize(
    ("paper", "claim"),
    [pytest.param(name, claim, id=claim.claim) for name in WORLDS for claim in load(name).claims],
)


@of_claims
def test_a_table_like_the_papers_agrees(paper: str, claim: Claim) -> None:
    found = WORLDS[paper].entry(claim)
    assert found["verdict"] == "agrees", [
        (part["name"], part["ours"], part["verdict"]) for part in found["parts"]
    ]
    for part in found["parts"]:
        low, high = part["interval"]
        assert low - 1e-6 <= part["ours"] <= high + 1e-6


@of_claims
def test_one_seed_cannot_tell(paper: str, claim: Claim) -> None:
    assert WORLDS[paper].entry(claim, seeds=1)["verdict"] == "cannot tell"


@of_claims
def test_what_was_not_run_cannot_tell(paper: str, claim: Claim) -> None:
    found = entry(claim, {}, SCALE)
    assert found["verdict"] == "cannot tell", paper
    assert {part["note"] for part in found["parts"]} == {"not run"}
    empty = {part.artefact: pl.DataFrame({"seed": [1]}) for part in claim.parts}
    assert entry(claim, empty, SCALE)["verdict"] == "cannot tell"


@of_claims
def test_the_rules_read_artefacts_that_there_are(paper: str, claim: Claim) -> None:
    parts = (*claim.parts, *claim.sensitivity)
    assert {part.artefact for part in parts} <= set(load(paper).artefacts)


@of_claims
def test_every_point_that_a_rule_reads_is_run_at_full_scale(paper: str, claim: Claim) -> None:
    for part in (*claim.parts, *claim.sensitivity):
        found = part.rule(WORLDS[paper].table(part.artefact))
        assert found.interval is not None, part.name


@of_claims
def test_every_point_that_has_a_say_is_run_at_quick_scale(paper: str, claim: Claim) -> None:
    for part in claim.parts:
        if part.counts:
            found = part.rule(WORLDS[paper].table(part.artefact, "quick"))
            assert found.interval is not None, part.name
