"""The plan of a search: what is varied, what it is judged by, at which scales, and how many runs.

It is the part of a paper's ``readings.toml`` beside the assumptions. Claims are divided beforehand:
some *fit*, which decide which readings survive, the others *predict*, which are only looked at.
"""

from __future__ import annotations

import copy
import fnmatch
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tcphoton.errors import hint
from tcphoton.papers import readings_of
from tcphoton.papers.paper import load
from tcphoton.papers.rules import FEWEST

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tcphoton.common.fields import File, Table
    from tcphoton.papers.assumptions import Assumption
    from tcphoton.papers.ledger import Claim, Part
    from tcphoton.papers.paper import Paper

__all__ = ["FIT", "PREDICT", "Plan", "Search", "Target", "plan_of"]

FIT, PREDICT = "fit", "predict"
CONFIRMED = "full"
SOME, MANY = 2, 100_000
GRID = {"scenario", "set", "keep", "variants", "cells"}
"""The keys of a grid that are no scales."""


@dataclass(frozen=True)
class Target:
    """A part of a claim that readings are judged by.

    Attributes
    ----------
    claim, part
        The claim and its part.
    role
        ``fit`` or ``predict``.
    """

    claim: Claim
    part: Part
    role: str

    @property
    def name(self) -> str:
        """Its name."""
        return f"{self.claim.claim}: {self.part.name}" if self.part.name else self.claim.claim

    @property
    def counts(self) -> bool:
        """Whether the claim's verdict depends on it; otherwise it is only a condition."""
        return self.part.counts


@dataclass(frozen=True)
class Search:
    """A search over some assumptions of a paper.

    Attributes
    ----------
    name, what
        Its name, and what is searched.
    assumptions
        What varies, by name.
    fit, predict
        The claims that exclude readings, and those that are only looked at.
    also
        Further parts of claims that exclude readings although no verdict depends on them: patterns
        of ``claim: part``.
    scales
        The scales at which readings may be compared, the cheapest first; the last is the reference.
    confirmed
        The scale at which the best readings are run again.
    points, waves
        Readings of a wave, and waves.
    best
        Joint readings that are run again.
    cutoff
        The implausibility above which a target excludes a reading.
    discrepancy
        The error of any model, as a share of the published number.
    seed
        The seed of the design.
    first
        Readings that the first wave has, beside those that change one thing.
    """

    name: str
    what: str
    assumptions: Mapping[str, Assumption]
    fit: tuple[str, ...]
    predict: tuple[str, ...]
    also: tuple[str, ...]
    scales: tuple[str, ...]
    confirmed: str
    points: int
    waves: int
    best: int
    cutoff: float
    discrepancy: float
    seed: int
    first: tuple[Mapping[str, str], ...] = ()

    def targets(self, paper: Paper) -> list[Target]:
        """Return the parts that readings are judged by, in the order of the claims."""
        return list(self._targets(paper))

    def _targets(self, paper: Paper) -> Iterator[Target]:
        for claim in paper.claims:
            role = (
                FIT if claim.claim in self.fit else PREDICT if claim.claim in self.predict else ""
            )
            for part in claim.parts:
                target = Target(claim, part, role or FIT)
                named = any(fnmatch.fnmatchcase(target.name, each) for each in self.also)
                if named or (role and part.counts):
                    yield replace(target, role=FIT) if named else target

    @property
    def claims(self) -> tuple[str, ...]:
        """Its claims, those that fit first."""
        return (*self.fit, *self.predict)


@dataclass(frozen=True)
class Plan:
    """The searches of a paper.

    Attributes
    ----------
    paper
        The paper, whose plan of runs has the scales of the searches, too.
    assumptions
        All its assumptions by name.
    searches
        Its searches by name.
    """

    paper: Paper
    assumptions: Mapping[str, Assumption]
    searches: Mapping[str, Search]


def plan_of(name: str) -> Plan:
    """Return the plan of a paper, by its name or the folder of one's own.

    Raises
    ------
    LookupError
        There is no such paper.
    ScenarioError
        Its files have errors.
    """
    paper = load(name)
    file = readings_of.file_of(paper)
    known = readings_of.assumptions_of(file)
    paper, names = _with_scales(paper, file)
    searches = {
        each: _search(table, paper, known, names)
        for each, table in file.table.each_below("searches", needed=True).items()
    }
    _expect_apart(file, searches)
    file.close(file.table)
    return Plan(paper, known, searches)


def _with_scales(paper: Paper, file: File) -> tuple[Paper, set[str]]:
    """Return a paper whose grids have the scales of a file, and the names of all scales."""
    plan = copy.deepcopy(paper.plan)
    names = {
        scale for grid in plan["grids"].values() for scale, each in grid.items() if _is_scale(each)
    }
    for scale, table in file.table.each_below("scales").items():
        if scale in names or scale in GRID:
            table.wrong("a scale or a key of sweeps.toml", found=scale, accepted="another name")
            continue
        for grid in table:
            if grid not in plan["grids"]:
                near = hint(grid, plan["grids"])
                table.wrong(f"no such grid{near}", grid, accepted=", ".join(plan["grids"]))
                continue
            products = table.listed(grid)
            for product in products:
                whole = isinstance(product.data.get("seeds"), int)
                seeds = product.take("seeds", int if whole else list)
                if _number(seeds) < SOME:
                    product.wrong("too few for an interval", "seeds", seeds, "2 or more")
                product.take("over", dict)
                product.take("set", dict, {})
                product.texts("variants")
                product.texts("cells")
                product.end()
            plan["grids"][grid][scale] = [product.data for product in products]
        names.add(scale)
    return replace(paper, plan=plan), names


def _number(seeds: int | Sequence[int]) -> int:
    return seeds if isinstance(seeds, int) else len(seeds)


def _is_scale(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) for each in value)


def _search(
    table: Table, paper: Paper, known: Mapping[str, Assumption], scales: set[str]
) -> Search:
    claims = [each.claim for each in paper.claims]
    chosen = _among(table, "assumptions", known)
    found = Search(
        str(table.key[-1]),
        table.take("what", str),
        {name: known[name] for name in chosen},
        _among(table, "fit", claims),
        _among(table, "predict", claims),
        table.texts("also"),
        _among(table, "scales", scales),
        table.take("confirmed", str, CONFIRMED, among=sorted(scales)),
        _count(table, "points", 32),
        _count(table, "waves", 3),
        _count(table, "best", 1),
        table.take("cutoff", float, 3.0),
        table.take("discrepancy", float, 0.1),
        table.take("seed", int, 1),
        tuple(_reading(each, chosen, known) for each in table.listed("first")),
    )
    for key, values in (("assumptions", chosen), ("fit", found.fit), ("scales", found.scales)):
        if not values:
            table.wrong("at least one is needed", key)
    if both := set(found.fit) & set(found.predict):
        table.wrong("a claim cannot both fit and be predicted", "predict", ", ".join(sorted(both)))
    artefacts = {target.part.artefact for target in found.targets(paper)}
    judged = {grid for each in artefacts for grid in paper.plan["artefacts"][each]["grids"]}
    for grid in sorted(judged):
        products = paper.plan["grids"][grid].get(found.confirmed, [])
        if any(_number(product["seeds"]) < FEWEST for product in products):
            accepted = f"{FEWEST} or more, for a verdict"
            table.wrong("too few seeds", "confirmed", f"{found.confirmed}, {grid}", accepted)
    names = {target.name for target in replace(found, also=("*",)).targets(paper)}
    for pattern in found.also:
        if not fnmatch.filter(names, pattern):
            table.wrong("no part of a claim", "also", pattern, 'patterns of "claim: part"')
    table.end()
    return found


def _reading(
    table: Table, chosen: Sequence[str], known: Mapping[str, Assumption]
) -> dict[str, str]:
    """Return a reading by the values that differ from the defaults."""
    for name, value in table.data.items():
        if name not in chosen:
            table.wrong(f"not an assumption of the search{hint(name, chosen)}", name)
            continue
        try:
            known[name].value(table.take(name, str))
        except LookupError as error:
            table.wrong("no such value", name, value, str(error).rpartition("accepted ")[2])
    table.end()
    return dict(table.data)


def _among(table: Table, key: str, known: Any) -> tuple[str, ...]:
    found = table.texts(key)
    for each in found:
        if each not in known:
            table.wrong(f"no such name{hint(each, known)}", key, each, ", ".join(sorted(known)))
    return tuple(each for each in found if each in known)


def _count(table: Table, key: str, without: int) -> int:
    found: int = table.take(key, int, without)
    if not 1 <= found <= MANY:
        table.wrong("out of range", key, found, f"1 to {MANY:,}")
    return found


def _expect_apart(file: File, searches: Mapping[str, Search]) -> None:
    """Refuse an assumption or a claim that belongs to two searches."""
    seen: dict[str, str] = {}
    for name, search in searches.items():
        for each in (*search.assumptions, *search.claims):
            if each in seen:
                problem = f"{each!r} belongs to the search {seen[each]!r} already"
                file.wrong(("searches", name), problem)
            seen[each] = name
