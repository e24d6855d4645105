"""The best readings run again, with fresh seeds at the paper's scale: verdicts by the rules.

A search compares readings at a cheap scale by whether our numbers lie in a band. Here the rules
decide, for the reading as assumed, for the best joint readings, and for each claim that agrees
under none of these, for the reading that comes nearest to it, of which only that claim is run.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tcphoton import _core
from tcphoton.papers import ledger
from tcphoton.papers.rules import HOLDS
from tcphoton.readings.evaluate import judge
from tcphoton.readings.plan import FIT, PREDICT, Target
from tcphoton.readings.score import score
from tcphoton.readings.search import best_first, correlation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tcphoton.papers.ledger import Claim
    from tcphoton.readings.evaluate import Judged, Runner
    from tcphoton.readings.plan import Plan, Search
    from tcphoton.readings.score import Score
    from tcphoton.readings.search import Found
    from tcphoton.readings.space import Values

__all__ = ["AS_ASSUMED", "FIRST_SEED", "JOINT", "Confirmed", "confirm", "ordered_alike"]

FIRST_SEED = 1001
"""The number of the first seed: none of a search's."""
AS_ASSUMED, JOINT = "as assumed", "joint"


@dataclass(frozen=True)
class Confirmed:
    """A reading that was run again.

    Attributes
    ----------
    kind
        ``as assumed``, ``joint``, or the claim that it was run for.
    values
        Its values.
    entries
        The claims that were run, as the ledger has them.
    misfit
        Its misfit at this scale; `None` if not all claims were run.
    """

    kind: str
    values: Values
    entries: list[dict[str, Any]]
    misfit: float | None

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdicts by claim."""
        return {each["claim"]: each["verdict"] for each in self.entries}


def confirm(plan: Plan, found: Found, runner: Runner) -> list[Confirmed]:
    """Run the best readings of a search again, as far as the budget goes."""
    search = found.search
    ranked = best_first(found)
    joint = [judged.values for judged, _ in ranked[: search.best]]
    wanted = [(AS_ASSUMED, found.space.default)]
    wanted += [(JOINT, values) for values in joint if values != found.space.default]
    everything = _claims(plan, search)
    runner.say(f"{search.name}: {len(wanted)} readings at the scale {search.confirmed}, all claims")
    done = _run(plan, found, wanted, everything, runner)
    agree = {claim for each in done for claim, verdict in each.verdicts.items() if verdict == HOLDS}
    for claim in everything:
        if claim.claim in agree:
            continue
        nearest = _nearest(ranked, claim.claim)
        if nearest is not None and nearest not in [values for _, values in wanted]:
            runner.say(f"{search.name}: {claim.claim} under the reading that comes nearest")
            done += _run(plan, found, [(claim.claim, nearest)], [claim], runner)
    return done


def _claims(plan: Plan, search: Search) -> list[Claim]:
    return [each for each in plan.paper.claims if each.claim in search.claims]


def _nearest(ranked: Sequence[tuple[Judged, Score]], claim: str) -> Values | None:
    """Return the reading under which most of a claim's parts agree, the best of equal ones."""
    shares = [(each.shares.get(claim, 0.0), judged.values) for judged, each in ranked]
    most = max((share for share, _ in shares), default=0.0)
    return next((values for share, values in shares if share == most and most > 0), None)


def _run(
    plan: Plan,
    found: Found,
    readings: Sequence[tuple[str, Values]],
    claims: Sequence[Claim],
    runner: Runner,
) -> list[Confirmed]:
    search = found.search
    roles = dict.fromkeys(search.fit, FIT) | dict.fromkeys(search.predict, PREDICT)
    whole = [Target(claim, part, roles[claim.claim]) for claim in claims for part in claim.parts]
    targets = list({each.name: each for each in [*whole, *_also(found, claims)]}.values())
    values = [each for _, each in readings]
    done = judge(plan, targets, search.confirmed, values, runner, first_seed=FIRST_SEED)
    kinds = {tuple(each.items()): kind for kind, each in readings}
    provenance = {
        "command": f"tcphoton readings {plan.paper.name}",
        "scale": search.confirmed,
        "version": _core.__version__,
        "revision": _core.results_revision(),
    }
    complete = len(claims) == len(_claims(plan, search))
    confirmed = []
    for each in done:
        if each.error:
            runner.say(f"{search.name}: {each.error}")
            continue
        names = {(target.claim.claim, target.part.name): target.name for target in targets}
        entries = [
            ledger.entry_of(
                claim,
                [each.findings[names[claim.claim, part.name]] for part in claim.parts],
                provenance,
            )
            for claim in claims
        ]
        misfit = score(search, found.space, found.targets, each).misfit if complete else None
        kind = kinds[tuple(each.values.items())]
        confirmed.append(Confirmed(kind, each.values, entries, misfit))
    return confirmed


def _also(found: Found, claims: Sequence[Claim]) -> list[Target]:
    """Return the conditions of a search beside its claims, if all of these are run."""
    return found.targets if len(claims) > 1 else []


def ordered_alike(found: Found, confirmed: Sequence[Confirmed]) -> tuple[float | None, int]:
    """Return the rank correlation of misfits at the scale of the search and when run again.

    It comes with the number of readings; there is none of fewer than three.
    """
    known = {
        tuple(judged.values.items()): each.misfit
        for judged, each in zip(found.judged, found.scores(), strict=True)
    }
    pairs = [
        (known[tuple(each.values.items())], each.misfit)
        for each in confirmed
        if each.misfit is not None and tuple(each.values.items()) in known
    ]
    pairs = [pair for pair in pairs if not any(math.isnan(each) for each in pair)]
    if len(pairs) < 3:  # noqa: PLR2004
        return None, len(pairs)
    ours, theirs = zip(*pairs, strict=True)
    return correlation(ours, theirs), len(pairs)
