"""What comes of a search, as tables: readings, assumptions, claims, and claims that exclude others.

A reading *survives* if no condition excludes it. Where none survives, the conditions cannot all be
met, and the readings that break the fewest survive: as many conditions may be broken as leave some
readings (the *level*), and how many is said.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tcphoton.common import quantities
from tcphoton.papers.rules import CANNOT_TELL, HOLDS, NOT_RUN
from tcphoton.readings.confirm import AS_ASSUMED, JOINT
from tcphoton.readings.influence import deltas, explained, misses
from tcphoton.readings.score import claims_of, conditions, implausibilities
from tcphoton.readings.search import best_first

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tcphoton.readings.confirm import Confirmed
    from tcphoton.readings.evaluate import Judged
    from tcphoton.readings.score import Score
    from tcphoton.readings.search import Found

Row = dict[str, Any]

LEAST = 5
"""Readings that must survive at a level."""
BINS = 4
"""Parts of a range when it is asked how much it decides."""
EXPECTED = 3.0
"""Readings in which two independent claims would both agree, from which a pair is looked at."""


@dataclass(frozen=True)
class Outcome:
    """What has come of a search.

    Attributes
    ----------
    name, what
        The search.
    facts
        How it was made, by name.
    best
        The values of the best joint reading that are not as assumed.
    readings, assumptions, values, claims, targets, pairs
        Rows of the tables.
    """

    name: str
    what: str
    facts: Row
    best: dict[str, str]
    readings: list[Row]
    assumptions: list[Row]
    values: list[Row]
    claims: list[Row]
    targets: list[Row]
    pairs: list[Row]


def outcome(found: Found, confirmed: Sequence[Confirmed]) -> Outcome:
    """Return what has come of a search and of the readings that were run again."""
    pairs = best_first(found)
    level, surviving = _survivors(found, [each for _, each in pairs])
    claims = _claims(found, pairs, surviving, confirmed)
    best = pairs[0] if pairs else None
    return Outcome(
        found.search.name,
        found.search.what,
        _facts(found, pairs, level, surviving),
        found.space.changed(best[0].values) if best else {},
        _readings(found, pairs, surviving),
        _assumptions(found, pairs, surviving),
        _values(found, pairs, surviving),
        claims,
        _targets(found, pairs, surviving),
        _pairs(found, [each for _, each in pairs]),
    )


def _survivors(found: Found, scores: Sequence[Score]) -> tuple[int, list[bool]]:
    """Return the level, and which readings survive at it."""
    counts = [len(each.excluded) for each in scores]
    if not counts:
        return 0, []
    ordered = sorted(counts)
    level = 0 if ordered[0] == 0 else ordered[min(LEAST, len(ordered)) - 1]
    return level, [count <= level for count in counts]


def _facts(
    found: Found, pairs: Sequence[tuple[Judged, Score]], level: int, surviving: Sequence[bool]
) -> Row:
    search = found.search
    errors = [each.error for each in found.tried if each.error]
    default = next((each for judged, each in pairs if judged.values == found.space.default), None)
    best = pairs[0][1] if pairs else None
    return {
        "scale": found.scale,
        "scales": [vars(each) for each in found.ranks],
        "waves": [len(wave) for wave in found.waves],
        "simpler": sum(map(len, found.simpler)),
        "planned": search.waves,
        "complete": found.complete,
        "judged": len(pairs),
        "refused": len(errors),
        "refusal": errors[0] if errors else "",
        "emulators": dict(found.emulators),
        "assumptions": len(search.assumptions),
        "fit": list(search.fit),
        "predict": list(search.predict),
        "conditions": len(conditions(found.targets)),
        "cutoff": search.cutoff,
        "discrepancy": search.discrepancy,
        "level": level,
        "surviving": sum(surviving),
        "confirmed-at": search.confirmed,
        "scores": {
            name: {"fit": _rounded(each.fit), "predicted": _rounded(each.predicted)}
            for name, each in ((AS_ASSUMED, default), (JOINT, best))
            if each is not None
        },
    }


def _rounded(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 4)


# Rows of the tables.


def _readings(
    found: Found, pairs: Sequence[tuple[Judged, Score]], surviving: Sequence[bool]
) -> list[Row]:
    waves = [*found.waves, *found.simpler]
    number = {id(each): at + 1 for at, wave in enumerate(waves) for each in wave}
    return [
        {
            "rank": at + 1,
            "wave": number[id(judged)],
            "survives": survives,
            "broken": len(each.excluded),
            "agree": sum(agree is True for agree in each.claims.values()),
            "fit": _rounded(each.fit),
            "predicted": _rounded(each.predicted),
            "misfit": _rounded(each.misfit),
            "changes": each.changes,
            "contradicts": ", ".join(each.against),
            **judged.values,
        }
        for at, ((judged, each), survives) in enumerate(zip(pairs, surviving, strict=True))
    ]


def _values(
    found: Found, pairs: Sequence[tuple[Judged, Score]], surviving: Sequence[bool]
) -> list[Row]:
    """Return a row for each value: of a range, for each of some parts of it."""
    rows = []
    for name, assumption in found.search.assumptions.items():
        labels = [_label(found, name, judged.values[name]) for judged, _ in pairs]
        drawn = assumption.range
        known = list(assumption.values) if drawn is None else [*map(str, _parts(found, name))]
        for value in known:
            tried = [at for at, label in enumerate(labels) if label == value]
            source = assumption.values[value] if drawn is None else assumption.scope
            assert source is not None
            rows.append(
                {
                    "assumption": name,
                    "value": value,
                    "as assumed": _label(found, name, assumption.default) == value,
                    "source": source.source,
                    "why": source.why,
                    "tried": len(tried),
                    "surviving": sum(surviving[at] for at in tried),
                }
            )
    return rows


def _parts(found: Found, name: str) -> list[str]:
    drawn = found.search.assumptions[name].range
    assert drawn is not None
    ends = [drawn.at(part / BINS) for part in range(BINS + 1)]
    return [f"{low} to {high}" for low, high in itertools.pairwise(ends)]


def _label(found: Found, name: str, value: str) -> str:
    """Return a value, or the part of the range that it is in."""
    drawn = found.search.assumptions[name].range
    if drawn is None:
        return value
    return _parts(found, name)[max(0, min(int(drawn.share(value) * BINS), BINS - 1))]


def _assumptions(
    found: Found, pairs: Sequence[tuple[Judged, Score]], surviving: Sequence[bool]
) -> list[Row]:
    rows = []
    first = {id(each) for each in found.waves[0]} if found.waves else set()
    even = [judged for judged, _ in pairs if id(judged) in first]
    missed = misses(found, even)
    known = deltas(found, even, missed)
    for name, assumption in found.search.assumptions.items():
        labels = [_label(found, name, each.values[name]) for each in even]
        shares = {what: explained(labels, values) for what, values in missed.items()}
        most = max(shares, key=lambda what: shares[what], default="")
        left = [
            judged.values[name] for (judged, _), yes in zip(pairs, surviving, strict=True) if yes
        ]
        rows.append(
            {
                "assumption": name,
                "what": assumption.what,
                "as assumed": assumption.default,
                "surviving": _among(found, name, left),
                "decides": round(shares[most], 3) if most else None,
                "of": most,
                "delta": known.get(name),
            }
        )
    return sorted(rows, key=lambda row: -(row["decides"] or 0.0))


def _among(found: Found, name: str, values: Sequence[str]) -> str:
    """Return values in words: those of a list, the ends of those of a range."""
    drawn = found.search.assumptions[name].range
    if drawn is None:
        known = list(found.search.assumptions[name].values)
        return "; ".join(each for each in known if each in values)
    if not values:
        return ""
    ordered = sorted(values, key=drawn.share)
    return ordered[0] if ordered[0] == ordered[-1] else f"{ordered[0]} to {ordered[-1]}"


def _targets(
    found: Found, pairs: Sequence[tuple[Judged, Score]], surviving: Sequence[bool]
) -> list[Row]:
    """Return a row for each target: its number as assumed, under the best reading, and over all."""
    rows = []
    default = next((judged for judged, _ in pairs if judged.values == found.space.default), None)
    for target in found.targets:
        findings = [judged.findings[target.name] for judged, _ in pairs]
        known = [each.ours for each in findings if each.ours is not None]
        left = [
            each.ours
            for each, yes in zip(findings, surviving, strict=True)
            if yes and each.ours is not None
        ]
        band = next((each.band for each in findings if each.band is not None), None)
        note = next((each.note for each in findings), "")
        if not known and note == NOT_RUN:
            continue
        rows.append(
            {
                "claim": target.claim.claim,
                "part": target.part.name,
                "role": target.role,
                "counts": target.counts,
                "published": target.part.published,
                "unit": next((each.unit for each in findings if each.unit), ""),
                "low": _end(band, 0),
                "high": _end(band, 1),
                "as-assumed": None if default is None else default.findings[target.name].ours,
                "best": findings[0].ours if findings else None,
                "least": min(known, default=None),
                "largest": max(known, default=None),
                "least-surviving": min(left, default=None),
                "largest-surviving": max(left, default=None),
            }
        )
    return rows


def _end(band: tuple[float, float] | None, at: int) -> float | None:
    return band[at] if band is not None and math.isfinite(band[at]) else None


# Claims.


def _claims(
    found: Found,
    pairs: Sequence[tuple[Judged, Score]],
    surviving: Sequence[bool],
    confirmed: Sequence[Confirmed],
) -> list[Row]:
    rows = []
    of: dict[tuple[str, str], str] = {}
    for each in confirmed:
        for judged_claim, verdict in each.verdicts.items():
            of.setdefault((each.kind, judged_claim), verdict)
    best = pairs[0][0].values if pairs else {}
    joint = AS_ASSUMED if best == found.space.default else JOINT
    for name, claim in claims_of(found.targets).items():
        agree = [each.claims.get(name) is True for _, each in pairs]
        looked = [each.claims.get(name) is not None for _, each in pairs]
        row = {
            "claim": name,
            "statement": claim.statement,
            "role": next(each.role for each in found.targets if each.claim.claim == name),
            "as assumed": of.get((AS_ASSUMED, name)),
            "joint": of.get((joint, name)),
            "another": _another(name, best, confirmed),
            "agree": sum(agree),
            "of": sum(looked),
            "agree-surviving": sum(a and s for a, s in zip(agree, surviving, strict=True)),
            "surviving": sum(one and s for one, s in zip(looked, surviving, strict=True)),
            "at-the-cost-of": ", ".join(_cost(name, agree, pairs)),
            **_nearest(found, name, pairs),
        }
        rows.append(row | {"status": _status(row)})
    return rows


def _another(name: str, best: Mapping[str, str], confirmed: Sequence[Confirmed]) -> str | None:
    """Return a claim's verdict under other readings than as assumed and the best one.

    It agrees if it does so under any of these.
    """
    verdicts = [
        each.verdicts[name]
        for each in confirmed
        if each.kind != AS_ASSUMED and each.values != best and name in each.verdicts
    ]
    # The last one was run for this claim, if there is one.
    return HOLDS if HOLDS in verdicts else next(reversed(verdicts), None)


def _cost(name: str, agree: Sequence[bool], pairs: Sequence[tuple[Judged, Score]]) -> list[str]:
    """Return the claims that agree under the best reading, and under none where this one does."""
    if not any(agree) or agree[0]:
        return []
    with_it = [each for (_, each), yes in zip(pairs, agree, strict=True) if yes]
    best = pairs[0][1].claims
    return [
        other
        for other, yes in best.items()
        if yes and other != name and not any(each.claims.get(other) for each in with_it)
    ]


def _nearest(found: Found, name: str, pairs: Sequence[tuple[Judged, Score]]) -> Row:
    """Return the reading under which most parts of a claim agree, and the part that misses most."""
    if not pairs:
        return {"nearest": "", "miss": ""}
    judged, score = max(pairs, key=lambda pair: pair[1].shares.get(name, 0.0))
    changed = found.space.changed(judged.values)
    words = "; ".join(f"{key}: {value}" for key, value in changed.items()) or AS_ASSUMED
    known = implausibilities(judged.findings, found.search.discrepancy)
    own = {
        target.name: known[target.name] or 0.0
        for target in found.targets
        if target.claim.claim == name and target.counts
    }
    worst = max(own, key=lambda each: own[each], default="")
    if not worst or own[worst] == 0 or score.claims.get(name):
        return {"nearest": words, "miss": ""}
    finding = judged.findings[worst]
    target = next(each for each in found.targets if each.name == worst)
    ours = "no number" if finding.ours is None else quantities.text(finding.ours)
    said = f"{target.part.name}: {ours} {finding.unit}".rstrip()
    return {"nearest": words, "miss": f"{said}, published {target.part.published}"}


def _status(row: Row) -> str:
    """Return in words when a claim agrees."""
    if row["as assumed"] == HOLDS:
        stays = row["joint"] in {HOLDS, None}
        return "holds as assumed" + ("" if stays else ", not in the joint reading")
    if row["joint"] == HOLDS:
        return "holds in the joint reading"
    many = f"in {row['agree']} of {row['of']} readings"
    if row["another"] == HOLDS:
        cost = f", at the cost of {row['at-the-cost-of']}" if row["at-the-cost-of"] else ""
        return f"holds {many}{cost}"
    again = {row["as assumed"], row["joint"], row["another"]}
    cannot_tell = "the readings that were run again cannot tell"
    if row["agree"]:
        none = "its verdict under none that was run again"
        return f"its numbers agree {many}, {cannot_tell if CANNOT_TELL in again else none}"
    if row["of"]:
        return "under no reading found"
    return "not part of the search" + (f"; {cannot_tell}" if CANNOT_TELL in again else "")


def _pairs(found: Found, scores: Sequence[Score]) -> list[Row]:
    """Return the pairs of claims that agree under some readings each, and never together."""
    rows = []
    for one, other in itertools.combinations(claims_of(found.targets), 2):
        first, second = (
            [each.claims.get(name) is True for each in scores] for name in (one, other)
        )
        both = sum(a and b for a, b in zip(first, second, strict=True))
        expected = sum(first) * sum(second) / len(scores) if scores else 0.0
        if both == 0 and expected >= EXPECTED:
            rows.append(
                {
                    "one": one,
                    "other": other,
                    "agree-one": sum(first),
                    "agree-other": sum(second),
                    "expected-together": round(expected, 1),
                }
            )
    return rows
