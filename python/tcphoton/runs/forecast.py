"""What a run will take: foretold from its beginning.

A run is begun and given up after some seconds. How fast the simulated time went by in the second
half of what it reached says how long the rest takes: the first half has the set-up, slow starts and
empty queues. While a network still fills, because flows start or their windows grow, or has not
come down from a peak of that, the run goes on for up to ten times as long. A network that gets
busier later takes longer, and a run that its files end (``run.until``) less.
"""

from __future__ import annotations

import json
import math
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tcphoton.common import memory, quantities
from tcphoton.common.progress import duration
from tcphoton.runs.run import seed_for

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tcphoton.scenario.scenario import Scenario

__all__ = ["Forecast", "Seen", "forecast", "whole"]

DURATION = "duration"
LISTED = ("flows", "shuffle", "incast", "graph", "collective")
"""Kinds of sources that have a last flow."""
SPENT = 3.0
"""Seconds of a core after which a run is given up."""
LONGER = 10.0
"""How many times longer it goes on at most while the network fills."""
STEADY = 0.1
"""How much the events per simulated time may differ between the last three quarters of what was
seen: between two of them they do not at a peak."""


class Forecast(NamedTuple):
    """What a run takes.

    Attributes
    ----------
    seconds
        Seconds of a core.
    events
        Events of the engine.
    memory
        The peak of memory in bytes, by the engine's estimate.
    share
        How much of the simulated time was seen; 1 if the run has ended.
    is_bound
        Whether the run may end earlier (``run.until``).
    share_of_one
        With threads (``run.threads``), the part of the work that the busiest does.
    """

    seconds: float
    events: float
    memory: int
    share: float
    is_bound: bool = False
    share_of_one: float = 1.0

    def __str__(self) -> str:
        """Return it in words.

        Examples
        --------
        >>> print(Forecast(9600.0, 1.2e11, 3_100_000_000, 0.0003))
        about 2 h 40 min of a core, 3.1 GB, 1.2e+11 events (seen: 0.03 %)
        >>> print(Forecast(9600.0, 1.2e11, 3_100_000_000, 0.0003, share_of_one=0.25))
        about 2 h 40 min of a core (40 min 0 s on several), 3.1 GB, 1.2e+11 events (seen: 0.03 %)
        """
        word = "at most about" if self.is_bound else "about"
        spent = f"{_words(self.seconds)} of a core"
        if self.share_of_one < 1:
            spent += f" ({_words(self.share_of_one * self.seconds)} on several)"
        room = quantities.text(float(f"{self.memory:.2g}"), "B")
        return f"{word} {spent}, {room}, {self.events:.2g} events (seen: {100 * self.share:.3g} %)"


def _words(seconds: float) -> str:
    return duration(seconds) if seconds >= 1 else f"{seconds:.2g} s"


class Seen(NamedTuple):
    """What was seen of a run at a moment: seconds of a core, share of simulated time, events."""

    spent: float
    share: float
    events: float


class _EnoughError(Exception):
    """Enough has been seen."""


def forecast(
    scenario: Scenario,
    seed: int | None = None,
    progress: Callable[[float, float, int], Any] | None = None,
    *,
    spend: float = SPENT,
) -> Forecast:
    """Return what a run of a scenario takes, from some seconds of it.

    Parameters
    ----------
    scenario, seed
        As in `tcphoton.run`.
    progress
        Called with the seconds that were spent, those that are spent at most, and events so far.
    spend
        Seconds of a core after which the run is given up, counted from its first events; ten times
        that while the events per simulated time still change.

    Raises
    ------
    ScenarioError
        The scenario has errors, or needs more memory than is available.

    Examples
    --------
    >>> import tcphoton as tp
    >>> forecast(tp.example("mm1")).share
    1.0
    """
    asked = scenario.checked()
    # To show a large network takes seconds.
    has_threads = "threads" in json.loads(asked.canonical())["run"]
    share = scenario.show().get("largest-share", 1.0) if has_threads else 1.0
    room = asked.memory()
    checked = scenario.with_({"run.threads": 1}).checked() if has_threads else asked
    memory.expect_room(checked, scenario.file)
    seen: list[Seen] = []
    began = time.process_time()

    def look(now: float, end: float, events: int) -> None:
        seen.append(Seen(time.process_time() - began, now / end, events))
        # Before the first look the network is built, which says nothing about the rest.
        spent = seen[-1].spent - seen[0].spent
        if progress is not None:
            progress(min(spent, LONGER * spend), LONGER * spend, events)
        if spent > LONGER * spend or (spent > spend and is_steady(seen)):
            raise _EnoughError

    try:
        record = json.loads(checked.run(seed_for(checked, seed), look).json)
    except _EnoughError:
        last, may_end = whole(seen), ends_by_itself(json.loads(checked.canonical()))
        return Forecast(last.spent, last.events, room, seen[-1].share, may_end, share)
    spent = time.process_time() - began
    return Forecast(spent, record["events"], room, 1.0, share_of_one=share)


def is_steady(seen: Sequence[Seen]) -> bool:
    """Tell whether as much happened in each of the last three quarters of what was seen.

    Examples
    --------
    >>> is_steady([Seen(at, at, 100 * at) for at in (0.0, 0.1, 0.15, 0.2)])
    True
    >>> is_steady([Seen(at, at, 100 * at**2) for at in (0.0, 0.1, 0.15, 0.2)])
    False
    """
    last = seen[-1]
    counts = np.diff([_at(seen, part * last.share).events for part in (0.25, 0.5, 0.75, 1.0)])
    return bool(np.ptp(counts) <= STEADY * counts[-1])


def _at(seen: Sequence[Seen], share: float) -> Seen:
    """Return what had been seen at a share of the time, between two looks a mixture of both."""
    looks = seen if seen[0].share <= 0 else [Seen(0.0, 0.0, 0.0), *seen]
    shares = [look.share for look in looks]
    spent = np.interp(share, shares, [look.spent for look in looks])
    return Seen(
        float(spent), share, float(np.interp(share, shares, [look.events for look in looks]))
    )


def ends_by_itself(scenario: Mapping[str, Any]) -> bool:
    """Tell whether a run may end before its duration: by its files, or when all sources have ended.

    Examples
    --------
    >>> ends_by_itself({"run": {"duration": "1 s", "until": "first-file"}})
    True
    >>> ends_by_itself({"traffic": [{"source": {"kind": "transfers", "per-second": 5.0}}]})
    False
    """
    if scenario.get("run", {}).get("until", DURATION) != DURATION:
        return True
    sources = [entry.get("source", {}) for entry in scenario.get("traffic", [])]
    return bool(sources) and all(map(_ends, sources))


def _ends(source: Mapping[str, Any]) -> bool:
    kind = source.get("kind")
    if kind in LISTED:
        return True
    return source.get({"bulk": "size", "transfers": "limit"}.get(str(kind), "")) is not None


def whole(seen: Sequence[Seen]) -> Seen:
    """Return what will be seen at the end of a run of which the beginning was seen.

    The rest is like the second half of that; like the last quarter if that was not steady.

    Examples
    --------
    >>> whole([Seen(1.0, 0.0, 0), Seen(1.5, 0.125, 400), Seen(1.75, 0.25, 600)])
    Seen(spent=3.25, share=1.0, events=1800.0)
    """
    last = seen[-1]
    if last.share <= 0:
        return Seen(math.inf, 1.0, math.inf)
    half = _at(seen, (0.5 if is_steady(seen) else 0.75) * last.share)
    factor = (1 - last.share) / (last.share - half.share)
    spent = last.spent + factor * (last.spent - half.spent)
    return Seen(spent, 1.0, last.events + factor * (last.events - half.events))
