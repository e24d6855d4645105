"""The part `runs`: what `check` accepts runs, is bounded, and its account closes."""

from __future__ import annotations

import json
import resource
import time
from typing import TYPE_CHECKING, ClassVar

from fuzz.account import audit
from fuzz.checks import FILE, accepted
from fuzz.desk import Part
from fuzz.shrink import smaller_text
from tcphoton import _core
from tcphoton.errors import EngineError, ScenarioError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fuzz.desk import Desk, Payload
    from fuzz.draw import Draw

__all__ = ["EVENTS", "Runs", "run"]

EVENTS = 100_000
SLOW = 10.0
"""Seconds of a core after which a run of so many events counts as slow."""
LARGE = 2 << 30
"""Bytes after which it counts as large."""


def run(checked: _core.Checked, desk: Desk, seed: int = 1) -> _core.Outcome | None:
    """Run what was accepted; `None` where that failed, which is a finding."""
    before, held = time.process_time(), _peak()
    try:
        return checked.run(seed)
    except EngineError as error:
        desk.found("a run panics", error)
    except BaseException as error:
        desk.found(f"a run raises {type(error).__name__}", error)
    finally:
        if time.process_time() - before > SLOW:
            desk.found("a run is slow", f"{time.process_time() - before:.1f} s")
        if _peak() > max(LARGE, held):
            desk.found("a run is large", f"{_peak() >> 20} MiB")
    return None


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


class Runs(Part):
    """Accepted scenarios, run for some events."""

    name: ClassVar[str] = "runs"
    about: ClassVar[str] = "what check accepts runs, is bounded, and its account closes"
    seconds: ClassVar[float] = 30.0

    def attack(self, draw: Draw, desk: Desk) -> None:
        """Run a made-up scenario or a mutated example."""
        found = accepted(draw, desk, EVENTS)
        if found is None:
            return
        text, checked = found
        payload = {"text": text, "seed": draw.between(1, 5)}
        desk.note(payload)
        self._run(checked, payload, desk)

    def judge(self, payload: Payload, desk: Desk) -> None:
        """Run it again."""
        try:
            checked = _core.load(FILE, payload["text"], [])
        except ScenarioError:
            desk.count("refused")
            return
        self._run(checked, payload, desk)

    def _run(self, checked: _core.Checked, payload: Payload, desk: Desk) -> None:
        desk.count("run")
        outcome = run(checked, desk, payload.get("seed", 1))
        if outcome is not None:
            desk.count(json.loads(outcome.json)["stop"])
            audit(outcome, desk)

    def smaller(self, payload: Payload) -> Iterator[Payload]:
        """Return the scenario with less in it."""
        return ({**payload, "text": text} for text in smaller_text(payload.get("text", "")))
