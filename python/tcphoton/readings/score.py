"""What a reading is worth: the conditions that it breaks, and the claims that agree under it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tcphoton.papers.ledger import verdict_of
from tcphoton.papers.rules import CANNOT_TELL, DIFFERS, HOLDS, NOT_RUN, Finding, not_covered
from tcphoton.readings.implausibility import FAR, distance, within
from tcphoton.readings.plan import FIT, PREDICT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tcphoton.papers.ledger import Claim
    from tcphoton.readings.evaluate import Judged
    from tcphoton.readings.plan import Search, Target
    from tcphoton.readings.space import Space


@dataclass(frozen=True)
class Condition:
    """What a reading must meet: a target, or one of some targets of which a claim needs one.

    Attributes
    ----------
    name
        Its name: the target's, or the claim's.
    claim
        The claim.
    targets
        The targets' names.
    """

    name: str
    claim: str
    targets: tuple[str, ...]

    def of(self, found: Mapping[str, float | None]) -> float | None:
        """Return its implausibility from those of the targets."""
        known = [each for name in self.targets if (each := found.get(name)) is not None]
        return min(known, default=None)


def conditions(targets: Sequence[Target], role: str = FIT) -> list[Condition]:
    """Return the conditions of a role, in the order of the targets."""
    found: dict[str, Condition] = {}
    for target in targets:
        if target.role != role:
            continue
        claim = target.claim.claim
        if target.counts and target.claim.combine == "any":
            before = found.get(claim, Condition(claim, claim, ()))
            found[claim] = Condition(claim, claim, (*before.targets, target.name))
        else:
            found[target.name] = Condition(target.name, claim, (target.name,))
    return list(found.values())


def _is_not_run(finding: Finding) -> bool:
    """Tell whether a part, or one of several places that it looks at, is not run at a scale."""
    return finding.note == NOT_RUN or finding.note.endswith(f": {NOT_RUN}")


def implausibilities(
    findings: Mapping[str, Finding], discrepancy: float
) -> dict[str, float | None]:
    """Return the implausibility of each target; `None` if nothing is known of it."""
    found: dict[str, float | None] = {}
    for name, finding in findings.items():
        away = distance(finding)
        if away is not None:
            found[name] = away.implausibility(discrepancy)
        else:
            found[name] = {HOLDS: 0.0, DIFFERS: FAR}.get(finding.verdict)
    return found


def claims_of(targets: Sequence[Target]) -> dict[str, Claim]:
    """Return the claims with a verdict among some targets."""
    return {each.claim.claim: each.claim for each in targets if each.counts}


def holding(
    claim: Claim, targets: Sequence[Target], findings: Mapping[str, Finding]
) -> tuple[bool | None, float]:
    """Tell whether our numbers agree with a claim, and which share of its parts does.

    Other than a verdict this does not ask whether the seeds suffice: a number in the band of those
    that agree counts. Parts that are not run at the scale of a search are left out; `None` is
    returned if all of them are.
    """
    parts = {each.part.name: each for each in targets if each.claim is claim and each.counts}
    judged: list[Finding] = []
    count, known = 0, 0
    for part in claim.parts:
        target = parts.get(part.name)
        finding = findings.get(target.name) if target is not None else None
        if finding is None or _is_not_run(finding):
            judged.append(not_covered())
            continue
        is_within = within(finding)
        verdict = {True: HOLDS, False: DIFFERS, None: CANNOT_TELL}[is_within]
        judged.append(Finding(verdict))
        known += 1
        count += is_within is True
    if not known:
        return None, 0.0
    return verdict_of(claim, judged) == HOLDS, count / known


@dataclass(frozen=True)
class Score:
    """A reading's score.

    Attributes
    ----------
    against
        The assumptions whose value a sentence of the paper contradicts.
    excluded
        The conditions that exclude it.
    levels
        Those of them, and of what is predicted, that the paper prints a number for.
    claims
        By claim, whether our numbers agree with it; `None` if it was not judged.
    shares
        By claim, the share of its parts that hold.
    changes
        How many assumptions are not as assumed.
    fit, predicted
        The mean of these shares over the claims that fit, and over those that are predicted.
    misfit
        The root mean square implausibility of the conditions, and of what is predicted.
    """

    against: tuple[str, ...]
    excluded: tuple[str, ...]
    levels: tuple[str, ...]
    claims: Mapping[str, bool | None]
    shares: Mapping[str, float]
    changes: int
    fit: float
    predicted: float
    misfit: float

    @property
    def rank(self) -> tuple[float, ...]:
        """A key by which the best reading comes first.

        A reading that contradicts the paper ranks behind those that do not, and one that breaks a
        number that it prints behind those that break fewer. Then the misfit decides, to a tenth,
        and of readings that do equally well the one with the fewest changes is the best.
        """
        misfit = self.misfit if math.isfinite(self.misfit) else math.inf
        return (bool(self.against), len(self.levels), round(misfit, 1), self.changes, misfit)


def _is_printed(condition: Condition, judged: Judged) -> bool:
    """Tell whether a condition is about a number that the paper prints."""
    return any(judged.findings[each].published is not None for each in condition.targets)


def score(search: Search, space: Space, targets: Sequence[Target], judged: Judged) -> Score:
    """Return the score of a reading that was run."""
    found = implausibilities(judged.findings, search.discrepancy)
    fit, predicted = (conditions(targets, role) for role in (FIT, PREDICT))
    away = {each: known for each in (*fit, *predicted) if (known := each.of(found)) is not None}
    broken = [each for each in away if away[each] > search.cutoff]
    squares = [each**2 for each in away.values()]
    results = {
        name: holding(claim, targets, judged.findings) for name, claim in claims_of(targets).items()
    }
    shares = {name: share for name, (_, share) in results.items()}

    def mean(names: Sequence[str]) -> float:
        some = [shares[name] for name in names if name in results and results[name][0] is not None]
        return math.fsum(some) / len(some) if some else math.nan

    return Score(
        tuple(space.against(judged.values)),
        tuple(each.name for each in broken if each in fit),
        tuple(each.name for each in broken if _is_printed(each, judged)),
        {name: agree for name, (agree, _) in results.items()},
        shares,
        len(space.changed(judged.values)),
        mean(search.fit),
        mean(search.predict),
        math.sqrt(math.fsum(squares) / len(squares)) if squares else math.nan,
    )
