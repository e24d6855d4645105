"""What holds for the claims of every paper, whatever the claims say, on worlds that are made up."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import made_up
import made_up_hybrid
import made_up_lbas
import made_up_ops
import made_up_sync
from made_up_runs import World
from tcphoton.papers import keep, ledger, load, papers
from tcphoton.papers.ledger import entry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tcphoton.papers.ledger import Claim, Part

pytestmark = pytest.mark.slow

MADE_UP: dict[str, Callable[..., pl.DataFrame]] = {
    "hybrid": made_up_hybrid.table,
    "lbas": made_up_lbas.table,
    "obs": made_up.table,
    "ops": made_up_ops.table,
    "sync": made_up_sync.table,
}
WORLDS = tuple(MADE_UP)
SCALE = {"scale": "made up"}
CLAIMS = {"hybrid": 7, "lbas": 8, "obs": 13, "ops": 15, "sync": 13}
SIZES = "obs.6"
"""The claim whose rule names burst sizes, and has no number."""
OURS = {
    "hybrid.1": [25.0], "hybrid.4": [5.0], "hybrid.7": [10.0],
    "lbas.3": [10.0], "lbas.4": [20.0],
    "obs.5": [5.0], "obs.7": [50.0], "obs.13": [20.0],
    "ops.1": [20.0], "ops.2": [5.0], "ops.4": [10.0], "ops.12": [10.0, 50.0],
    "sync.1": [10.0, 50.0], "sync.8": [50.0], "sync.10": [5.0], "sync.13": [3.0],
}  # fmt: skip
"""Per cent, or seconds: bounds that are ours."""
DRAWS = 300
"""Tables that are tried."""
LEFT = re.compile(r"bursts\.(released|lost|deflected).*|flows")
"""Columns that stay: counts of which rules take shares, and the key that is counted."""


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
            if claim.claim != SIZES
        ]
        if found["verdict"] != wanted or not all(inside):
            faults.append(found)
    assert not faults


@pytest.mark.parametrize("seeds", [1, 2])
@pytest.mark.parametrize("paper", WORLDS)
def test_fewer_than_three_seeds_cannot_tell(paper: str, seeds: int) -> None:
    claims = load(paper).claims
    found = {each.claim: world(paper).entry(each, seeds=seeds)["verdict"] for each in claims}
    assert set(found.values()) == {"cannot tell"}, found


@cache
def unlike(paper: str, artefact: str, draw: int, spread: float = 0) -> pl.DataFrame:
    """Return a table in which most measures are multiplied by what some of its rows have in common.

    These are the rows of a value of one key, or of a point. With a `spread` runs differ, too.
    """
    table, random = world(paper).table(artefact), np.random.default_rng(draw)
    first = table.columns.index("seed")
    ways = [[key] for key in table.columns[:first] if table[key].n_unique() > 1]
    ways.append(table.columns[:first])
    way = ways[random.integers(len(ways))]
    rows = table.select(pl.struct(way).rank("dense") - 1).to_series().to_numpy()
    sigma = 2.0 ** random.integers(-2, 3)
    changed = {}
    for name in table.columns[first + 1 :]:
        is_measure = table.schema[name].is_numeric() and not LEFT.fullmatch(name)
        if is_measure and random.random() < 0.7:
            factors = np.exp(random.normal(0, sigma, rows.max() + 1))
            factors *= np.where(random.random(rows.max() + 1) < 0.1, -1, 1)
            factor = pl.Series(factors[rows] * (1 + random.normal(0, spread, table.height)))
            # What is 0 is no longer.
            changed[name] = factor * pl.when(pl.col(name) == 0).then(1).otherwise(pl.col(name))
    return table.with_columns(**changed)


def never(verdict: str, paper: str, spreads: tuple[float, ...]) -> list[str]:
    """Return the parts that have a verdict in no table that is unlike the paper's."""
    found = []
    for claim in load(paper).claims:
        for part in claim.parts:
            tables = (unlike(paper, part.artefact, at, by) for at in range(DRAWS) for by in spreads)
            if all(part.rule(table).verdict != verdict for table in tables):
                found.append(f"{claim.claim}: {part.name}")
    return found


@pytest.mark.parametrize("paper", WORLDS)
def test_a_rule_differs_where_what_it_compares_is_otherwise(paper: str) -> None:
    assert never("differs", paper, (0,)) == []


@pytest.mark.parametrize("paper", WORLDS)
def test_a_rule_cannot_tell_where_runs_are_far_apart(paper: str) -> None:
    # What never happens is counted, and has no interval.
    counted = ["lbas.4: ideal-JSQ, packets that came late"] if paper == "lbas" else []
    assert never("cannot tell", paper, (0.05, 0.5, 2)) == counted


def thresholds(part: dict[str, Any], above: dict[str, Any] | None = None) -> Iterator[float]:
    """Give the bounds of a part and of those in it that are ours and not the paper's."""
    keys = {**(above or {}), **part}
    bound = keys.get("ours") or ("by" if keys.get("rule") == "far-more" else "")
    if bound and "parts" not in part:
        yield abs(keys[bound])
    for each in part.get("parts", ()):
        yield from thresholds(each, {key: at for key, at in keys.items() if key != "parts"})


def test_what_is_ours_was_written_before_the_runs() -> None:
    """A bound that is ours is changed only with a reason, in the `changes` of its claim."""
    found = {}
    for paper in papers():
        text = (load(paper).home / "claims.toml").read_text("utf-8")
        for claim in tomllib.loads(text)["claims"]:
            if ours := sorted({at for part in claim["parts"] for at in thresholds(part)}):
                found[claim["claim"]] = ours
    assert found == OURS


def test_every_claim_of_the_sheets_is_there() -> None:
    assert {name: [claim.claim for claim in load(name).claims] for name in papers()} == {
        name: [f"{name}.{number}" for number in range(1, count + 1)]
        for name, count in CLAIMS.items()
    }


@pytest.mark.parametrize(
    ("paper", "artefact"),
    [
        ("hybrid", "assumptions"),
        ("hybrid", "batch"),
        ("ops", "assumptions-tcp"),
        ("ops", "assumptions-udp"),
        ("sync", "assumptions-nsf"),
    ],
)
def test_every_assumption_is_a_variant(paper: str, artefact: str) -> None:
    parts = [part for claim in load(paper).claims for part in claim.sensitivity]
    names = {part.name.partition(", ")[0] for part in parts if part.artefact == artefact}
    assert names == set(load(paper).plan["variants"][artefact])


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
    if claim.claim != SIZES and (
        part.rule(world(paper).table(part.artefact, scale)).interval is None
    ):
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
