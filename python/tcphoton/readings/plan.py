"""The plan of a search: what is varied, what it is judged by, at which scales, and how many runs.

It is the part of a paper's ``readings.toml`` beside the assumptions. Claims are divided beforehand:
some *fit*, which decide which readings survive, the others *predict*, which are only looked at.
"""

from __future__ import annotations

import copy
import fnmatch
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tcphoton.errors import hint
from tcphoton.papers import readings_of
from tcphoton.papers.own import KEYS_OF_GRID
from tcphoton.papers.paper import load
from tcphoton.papers.rules import FEWEST

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from tcphoton.papers.assumptions import Assumption
    from tcphoton.papers.files import File
    from tcphoton.papers.ledger import Claim, Part
    from tcphoton.papers.paper import Paper

__all__ = ["FIT", "PREDICT", "Plan", "Search", "Target", "plan_of"]

FIT, PREDICT = "fit", "predict"
CONFIRMED = "full"
SOME = 2
"""Seeds of an interval, at least."""


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

    Its name, and the keys of its table in ``readings.toml`` (``docs/reference/paper.md``).
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
    searches = file.data.get("searches")
    if searches is None:
        file.wrong(("searches",), "missing", accepted="a table")
    found = {each: _search(file, each, paper, known, names) for each in searches or ()}
    _expect_apart(file, found)
    file.close()
    return Plan(paper, known, found)


def _with_scales(paper: Paper, file: File) -> tuple[Paper, set[str]]:
    """Return a paper whose grids have the scales of a file, and the names of all scales."""
    plan = copy.deepcopy(paper.plan)
    grids = plan["grids"]
    names = {scale for grid in grids.values() for scale in grid.keys() - KEYS_OF_GRID}
    for scale, of_grids in file.data.get("scales", {}).items():
        if scale in names | KEYS_OF_GRID:
            problem = "a scale or a key of sweeps.toml"
            file.wrong(("scales", scale), problem, scale, "another name")
            continue
        for grid, products in of_grids.items():
            key = ("scales", scale, grid)
            if grid not in grids:
                file.wrong(key, f"no such grid{hint(grid, grids)}", accepted=", ".join(grids))
                continue
            for at, product in enumerate(products):
                if _number(seeds := product["seeds"]) < SOME:
                    problem = "too few for an interval"
                    file.wrong((*key, at, "seeds"), problem, seeds, "2 or more")
            grids[grid][scale] = products
        names.add(scale)
    return replace(paper, plan=plan), names


def _number(seeds: int | Sequence[int]) -> int:
    return seeds if isinstance(seeds, int) else len(seeds)


def _search(
    file: File, name: str, paper: Paper, known: Mapping[str, Assumption], scales: set[str]
) -> Search:
    key, data = ("searches", name), file.data["searches"][name]

    def wrong(at: str, problem: str, found: object = "", accepted: str = "") -> None:
        file.wrong((*key, at), problem, found, accepted)

    def among(at: str, names: Collection[str]) -> tuple[str, ...]:
        asked = data.get(at, ())
        for each in (missing := [each for each in asked if each not in names]):
            wrong(at, f"no such name{hint(each, names)}", each, ", ".join(sorted(names)))
        return tuple(each for each in asked if each not in missing)

    chosen = among("assumptions", known)
    claims = [each.claim for each in paper.claims]
    found = Search(
        name,
        data["what"],
        {each: known[each] for each in chosen},
        among("fit", claims),
        among("predict", claims),
        tuple(data.get("also", ())),
        among("scales", scales),
        data.get("confirmed", CONFIRMED),
        data.get("points", 32),
        data.get("waves", 3),
        data.get("best", 1),
        float(data.get("cutoff", 3)),
        float(data.get("discrepancy", 0.1)),
        data.get("seed", 1),
        tuple(data.get("first", ())),
    )
    if found.confirmed not in scales:
        problem = f"not one of them{hint(found.confirmed, scales)}"
        wrong("confirmed", problem, found.confirmed, ", ".join(sorted(scales)))
    for at, reading in enumerate(found.first):
        _check_reading(file, (*key, "first", at), reading, found.assumptions)
    if both := set(found.fit) & set(found.predict):
        wrong("predict", "a claim cannot both fit and be predicted", ", ".join(sorted(both)))
    artefacts = {target.part.artefact for target in found.targets(paper)}
    judged = {grid for each in artefacts for grid in paper.plan["artefacts"][each]["grids"]}
    for grid in sorted(judged):
        products = paper.plan["grids"][grid].get(found.confirmed, [])
        if any(_number(product["seeds"]) < FEWEST for product in products):
            accepted = f"{FEWEST} or more, for a verdict"
            wrong("confirmed", "too few seeds", f"{found.confirmed}, {grid}", accepted)
    names = {target.name for target in replace(found, also=("*",)).targets(paper)}
    for pattern in found.also:
        if not fnmatch.filter(names, pattern):
            wrong("also", "no part of a claim", pattern, 'patterns of "claim: part"')
    return found


def _check_reading(
    file: File,
    key: tuple[str | int, ...],
    reading: Mapping[str, str],
    chosen: Mapping[str, Assumption],
) -> None:
    """Check a reading by the values that differ from the defaults."""
    for name, value in reading.items():
        if name not in chosen:
            problem = f"not an assumption of the search{hint(name, chosen)}"
            file.wrong((*key, name), problem)
            continue
        try:
            chosen[name].value(value)
        except LookupError as error:
            accepted = str(error).rpartition("accepted ")[2]
            file.wrong((*key, name), "no such value", value, accepted)


def _expect_apart(file: File, searches: Mapping[str, Search]) -> None:
    """Refuse an assumption or a claim that belongs to two searches."""
    seen: dict[str, str] = {}
    for name, search in searches.items():
        for each in (*search.assumptions, *search.claims):
            if each in seen:
                problem = f"{each!r} belongs to the search {seen[each]!r} already"
                file.wrong(("searches", name), problem)
            seen[each] = name
