"""The search: waves of readings, each of which is drawn where the ones before did not exclude.

The first wave has the reading as assumed and all with one change of it; half of the second are
those with two of the best of these. Then an emulator predicts the targets' numbers for many
readings; those that it does not exclude, its own error counted, are spread evenly over a wave
(history matching: I. Vernon, M. Goldstein and R. Bower, *Galaxy formation: a Bayesian uncertainty
analysis*, Bayesian Analysis 2010). Without scikit-learn the values of the best readings are crossed
instead. At the end changes of the best reading that do not matter are taken back.
"""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from tcphoton.common import checksum, safe_read
from tcphoton.common.open_folder import made
from tcphoton.common.quantities import counted
from tcphoton.readings import emulator
from tcphoton.readings.evaluate import Judged, judge
from tcphoton.readings.implausibility import distance
from tcphoton.readings.plan import FIT
from tcphoton.readings.score import Score, conditions, score
from tcphoton.readings.space import Space

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from tcphoton.readings.evaluate import Runner
    from tcphoton.readings.plan import Plan, Search, Target
    from tcphoton.readings.space import Values

PILOT = 6
"""Readings that are run at every scale, to see which scales order readings alike."""
ALIKE = 0.8
"""Rank correlation from which a scale orders readings as the reference does."""
CANDIDATES = 2000
"""Readings that are predicted for a wave."""
PARENTS = 0.25
"""The share of the readings whose values are crossed."""
SIMPLER = 2
"""Waves at the end in which the best reading is tried with fewer changes."""
FOR_WAVES = 0.7
"""The share of a budget for the waves; the rest is for simpler readings and the confirmation."""
JOURNAL = "design.json"
CLIPPED = 8.0
"""Half-widths of a target's band at which its numbers are cut off for an emulator."""


@dataclass(frozen=True)
class ScaleRank:
    """How a scale orders readings.

    Attributes
    ----------
    scale
        The scale.
    correlation
        The rank correlation of the readings' misfits with those at the reference, the last scale.
    readings, runs, seconds
        How many were compared, the runs, and the time that they took here.
    """

    scale: str
    correlation: float
    readings: int
    runs: int
    seconds: float


@dataclass
class Found:
    """What a search has found.

    Attributes
    ----------
    search, space, targets
        The search, its space, and what readings are judged by.
    scale
        The scale at which readings were compared.
    ranks
        How the scales order readings, if there are several.
    waves, simpler
        The readings of each wave that were judged, and those of the simpler ones after them.
    emulators
        How many targets each kind of emulator served in the last wave.
    complete
        Whether all waves were run.
    """

    search: Search
    space: Space
    targets: list[Target]
    scale: str
    ranks: list[ScaleRank] = field(default_factory=list)
    waves: list[list[Judged]] = field(default_factory=list)
    simpler: list[list[Judged]] = field(default_factory=list)
    emulators: dict[str, int] = field(default_factory=dict)
    complete: bool = False

    @property
    def judged(self) -> list[Judged]:
        """All readings that were run without an error."""
        return [each for each in self.tried if not each.error]

    @property
    def tried(self) -> list[Judged]:
        """All readings, also those that could not be run."""
        return [each for wave in [*self.waves, *self.simpler] for each in wave]

    def scores(self) -> list[Score]:
        """Return the scores of these readings."""
        return [score(self.search, self.space, self.targets, each) for each in self.judged]


class _Journal:
    """The design of a search in its folder, so that an interrupted one goes on as it began."""

    def __init__(self, folder: Path, stamp: str) -> None:
        self._folder, self._stamp = folder, stamp
        self.scale = ""
        self.ranks: list[ScaleRank] = []
        self.waves: list[list[Values]] = []
        self.emulators: dict[str, int] = {}
        try:
            kept = safe_read.read_object(folder / JOURNAL)
            if kept.get("stamp") == stamp:
                self.scale = kept["scale"]
                self.ranks = [ScaleRank(**each) for each in kept["ranks"]]
                self.waves = [[dict(each) for each in wave] for wave in kept["waves"]]
                self.emulators = dict(kept["emulators"])
        except (OSError, KeyError, TypeError, ValueError):
            pass

    def put(self) -> None:
        kept = {
            "stamp": self._stamp,
            "scale": self.scale,
            "ranks": [asdict(each) for each in self.ranks],
            "waves": self.waves,
            "emulators": self.emulators,
        }
        with made(self._folder) as place:
            place.put(JOURNAL, (json.dumps(checksum.sealed(kept), indent=1) + "\n").encode())


def run(plan: Plan, search: Search, runner: Runner) -> Found:
    """Run a search as far as the budget goes.

    Parameters
    ----------
    plan, search
        The plan, and the search of it.
    runner
        Makes the runs. The design is in a folder of its folder that has the search's name.
    """
    space, targets = Space(search.assumptions), search.targets(plan.paper)
    runner.budget.share = FOR_WAVES
    journal = _Journal(runner.folder / "search" / search.name, _stamp(plan, search))
    found = Found(search, space, targets, journal.scale, journal.ranks)
    found.emulators = journal.emulators
    if not journal.scale:
        _choose_scale(plan, found, runner)
        if not runner.budget.is_spent:
            journal.scale, journal.ranks = found.scale, found.ranks
            journal.put()
    for number in range(search.waves):
        if number == len(journal.waves):
            if number and not found.judged:
                break
            journal.waves.append(_next(found, number))
            journal.emulators = found.emulators
            journal.put()
        what = f"wave {number + 1} of {search.waves}"
        judged = _judge(plan, found, what, journal.waves[number], runner)
        found.waves += [judged] if judged else []
        if len(judged) < len(journal.waves[number]):
            break
    else:
        found.complete = True
    runner.budget.share = 1.0
    known = list(found.judged)
    for step in range(SIMPLER):
        simpler = _simpler(found, known, step)
        judged = _judge(plan, found, "simpler ones", simpler, runner) if simpler else []
        found.simpler += [judged] if judged else []
        if not judged or len(judged) < len(simpler):
            break
    return found


def _judge(plan: Plan, found: Found, what: str, wave: list[Values], runner: Runner) -> list[Judged]:
    """Judge the readings of a wave as far as the budget goes, and say so."""
    many = f"{counted(len(wave), 'reading')} at the scale {found.scale}"
    runner.say(f"{plan.paper.name}, {found.search.name}: {what}, {many}")
    judged = judge(plan, found.targets, found.scale, wave, runner)
    if len(judged) < len(wave):
        many = counted(len(judged), "reading")
        runner.say(f"{found.search.name}: the budget for {what} is spent after {many}")
    return judged


def _choose_scale(plan: Plan, found: Found, runner: Runner) -> None:
    """Choose the cheapest scale that orders some readings as the last one does."""
    search, space = found.search, found.space
    found.scale = search.scales[-1]
    if len(search.scales) == 1:
        return
    readings = _unique([space.default, *space.drawn(PILOT - 1, search.seed)])
    misfits: dict[str, dict[tuple[str, ...], float]] = {}
    costs = {}
    for scale in search.scales:
        many = counted(len(readings), "reading")
        runner.say(f"{search.name}: {many} at the scale {scale}, to compare scales")
        before, began = runner.budget.used, time.monotonic()
        judged = judge(plan, found.targets, scale, readings, runner)
        costs[scale] = (runner.budget.used - before, time.monotonic() - began)
        misfits[scale] = {
            tuple(each.values.values()): score(search, space, found.targets, each).misfit
            for each in judged
            if not each.error
        }
    reference = misfits[found.scale]
    for scale in search.scales:
        both = [each for each in misfits[scale] if each in reference]
        ours, theirs = ([some[each] for each in both] for some in (misfits[scale], reference))
        found.ranks.append(ScaleRank(scale, correlation(ours, theirs), len(both), *costs[scale]))
    alike = (each.scale for each in found.ranks if each.correlation >= ALIKE)
    found.scale = next(alike, found.scale)


def correlation(one: Sequence[float], other: Sequence[float]) -> float:
    """Return Spearman's rank correlation; 0 for fewer than three values.

    Examples
    --------
    >>> correlation([1.0, 2.0, 3.0, 4.0], [10.0, 20.0, 25.0, 40.0])
    1.0
    """
    if len(one) < 3 or len(set(one)) == 1 or len(set(other)) == 1:  # noqa: PLR2004
        return 0.0
    from scipy import stats

    return round(float(stats.spearmanr(one, other).statistic), 6)


def _stamp(plan: Plan, search: Search) -> str:
    """Return a digest of everything on which a design depends."""
    asked = asdict(search) | {"claims": search.claims}
    text = json.dumps([asked, plan.paper.plan], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# The readings of a wave.


def _next(found: Found, number: int) -> list[Values]:
    """Return the readings of a wave."""
    search, space = found.search, found.space
    seed = search.seed + 1000 * number
    if number == 0:
        named = [{**space.default, **each} for each in search.first]
        return _unique([space.default, *space.neighbours(), *named])
    known = [each.values for wave in found.waves for each in wave]
    ranked = [judged.values for judged, _ in best_first(found)]
    parents = ranked[: max(2, round(PARENTS * len(ranked)))]
    pairs: list[Values] = []
    if number == 1:
        singles = [each for each in ranked if len(space.changed(each)) == 1]
        pairs = space.pairs(singles)[: search.points // 2]
        known += pairs
    candidates = space.crossed(parents, CANDIDATES // 2, seed)
    candidates = _unique([*known, *candidates, *space.drawn(CANDIDATES // 2, seed + 1)])
    candidates = candidates[len(_unique(known)) :]
    if not candidates:
        return pairs
    if emulator.is_available() and len(found.judged) >= emulator.FEWEST:
        candidates = _not_excluded(found, candidates)
    else:
        candidates = candidates[: 4 * search.points]
    return pairs + space.spread(candidates, search.points - len(pairs), known)


def _simpler(found: Found, known: Sequence[Judged], step: int) -> list[Values]:
    """Return the best of known readings with fewer changes.

    At first each change is taken back alone. Then those that made the reading no worse are taken
    back together, the most harmless first.
    """
    space = found.space
    scored = {tuple(judged.values.items()): each for judged, each in best_first(found)}
    best = next(
        (judged for judged, _ in best_first(found) if any(judged is each for each in known)), None
    )
    if best is None:
        return []
    score_of_best = scored[tuple(best.values.items())]
    alone = {
        name: {**best.values, name: space.default[name]} for name in space.changed(best.values)
    }
    if step == 0:
        return _unique([each for each in alone.values() if tuple(each.items()) not in scored])
    scores = {name: scored.get(tuple(each.items())) for name, each in alone.items()}
    harmless = [
        (each.misfit, name)
        for name, each in scores.items()
        if each is not None and each.rank[:3] <= score_of_best.rank[:3]
    ]
    found_simpler, values = [], dict(best.values)
    for _, name in sorted(harmless):
        values = {**values, name: space.default[name]}
        found_simpler.append(values)
    return [each for each in _unique(found_simpler) if tuple(each.items()) not in scored]


def best_first(found: Found) -> list[tuple[Judged, Score]]:
    """Return the readings with their scores, the best first."""
    pairs = list(zip(found.judged, found.scores(), strict=True))
    return sorted(pairs, key=lambda pair: pair[1].rank)


def _unique(readings: Sequence[Values]) -> list[Values]:
    """Return readings each once, in their order."""
    return list({tuple(each.items()): each for each in readings}.values())


def _not_excluded(found: Found, candidates: list[Values]) -> list[Values]:
    """Return the candidates that an emulator excludes least: some times what a wave has."""
    search, space = found.search, found.space
    here = space.numbers([each.values for each in found.judged])
    there = space.numbers(candidates)
    targets, kinds = _predicted(found, here, there)
    found.emulators = kinds
    broken = np.zeros(len(candidates))
    misfit = np.zeros(len(candidates))
    for condition in conditions(found.targets):
        known = [targets[name] for name in condition.targets if name in targets]
        if known:
            least = np.min(known, axis=0)
            broken += least > search.cutoff
            misfit += least**2
    order = np.lexsort((misfit, broken))
    # Of those that break as few conditions as the best ones a wave takes such as are far apart.
    least = broken[order[0]]
    alike = int((broken <= least + 1).sum())
    count = min(max(2 * search.points, alike), 6 * search.points)
    return [candidates[at] for at in order[:count]]


def _predicted(
    found: Found, here: NDArray[np.float64], there: NDArray[np.float64]
) -> tuple[dict[str, NDArray[np.float64]], dict[str, int]]:
    """Return the implausibility of each target for some readings, and the kinds of emulators."""
    search = found.search
    result: dict[str, NDArray[np.float64]] = {}
    kinds: dict[str, int] = {}
    for target in found.targets:
        if target.role != FIT:
            continue
        away = [distance(each.findings[target.name]) for each in found.judged]
        at = [number for number, each in enumerate(away) if each is not None]
        known = [each for each in away if each is not None]
        if len(known) < emulator.FEWEST:
            continue
        one = known[0]
        ours = np.array([each.ours for each in known])
        ours = _clipped(ours, one.low, one.high)
        made = emulator.fitted(here[at], ours, search.seed)
        kinds[made.kind] = kinds.get(made.kind, 0) + 1
        noise = float(np.median([each.noise for each in known]))
        result[target.name] = np.array(
            [
                type(one)(float(number), one.low, one.high, noise).implausibility(
                    search.discrepancy, made.variance
                )
                for number in made.predict(there)
            ]
        )
    return result, kinds


def _clipped(ours: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64]:
    """Cut off numbers that are far outside of a band: how far does not matter."""
    if np.isfinite(low) and np.isfinite(high):
        middle, half = (low + high) / 2, (high - low) / 2
        return np.clip(ours, middle - CLIPPED * half, middle + CLIPPED * half)
    ends = np.quantile(ours, [0.05, 0.95])
    return np.clip(ours, *ends)
