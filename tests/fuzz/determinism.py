"""The part `determinism`: the same scenario and seed give the same run, whatever is looked at."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any, ClassVar

from fuzz.checks import FILE, accepted
from fuzz.desk import Part
from fuzz.runs import run
from fuzz.shrink import smaller_text
from tcphoton import _core
from tcphoton.common import toml
from tcphoton.errors import EngineError, ScenarioError
from waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fuzz.desk import Desk, Payload
    from fuzz.draw import Draw

__all__ = ["Determinism"]

EVENTS = 30_000
SERIES = ["cwnd", "ssthresh", "rtt", "queue", "channels"]
ELSEWHERE = """
import json, sys
from tcphoton import _core
text, seed = json.load(sys.stdin)
print(json.loads(_core.load("case.toml", text, []).run(seed).json)["digest"])
"""


class Determinism(Part):
    """Accepted scenarios, run in several ways."""

    name: ClassVar[str] = "determinism"
    about: ClassVar[str] = "a scenario and a seed give one digest, however it is run and looked at"
    seconds: ClassVar[float] = 60.0

    def attack(self, draw: Draw, desk: Desk) -> None:
        """Run a made-up scenario or a mutated example again and again."""
        found = accepted(draw, desk, EVENTS)
        if found is None:
            return
        payload = {
            "text": found[0],
            "seed": draw.between(0, 2**53),
            "interval": draw.pick(["1 us", "77 us", "1 ms"]),
            "elsewhere": draw.chance(0.05),
        }
        desk.note(payload)
        self.judge(payload, desk)

    def judge(self, payload: Payload, desk: Desk) -> None:
        """Run it in all ways."""
        text, seed = payload["text"], payload["seed"]
        try:
            checked = _core.load(FILE, text, [])
        except ScenarioError:
            desk.count("refused")
            return
        first = run(checked, desk, seed)
        if first is None:
            return
        desk.count("run")
        digest = _digest(first)
        for how, other in self._ways(checked, payload, desk):
            found = other if isinstance(other, str) else _digest(other)
            desk.count("compared")
            if found != digest:
                desk.found("another digest", f"{how}: {found}, not {digest}")
        if payload.get("elsewhere"):
            self._elsewhere(text, seed, digest, desk)

    def _ways(
        self, checked: _core.Checked, payload: Payload, desk: Desk
    ) -> Iterator[tuple[str, _core.Outcome]]:
        """Return the run in other ways, each with its name."""
        seed = payload["seed"]
        tree: dict[str, Any] = json.loads(checked.canonical())
        ways = {
            "once more": checked,
            "from its print": _loaded(tree, {}),
            "with series": _loaded(tree, {"series": SERIES, "interval": payload["interval"]}),
            "with bursts": _loaded(tree, {"bursts": 1000}),
            "with delays from the first copy": _loaded(tree, {"first-transmission": True}),
            "with delays of acknowledgments": _loaded(tree, {"acknowledgments": True}),
            "with reordering": _loaded(_reordering(tree), {}),
        }
        for how, other in ways.items():
            outcome = run(other, desk, seed) if other is not None else None
            if outcome is not None:
                yield how, outcome
        try:
            taken = checked.run(seed, lambda *_: None, lambda _: None)
            traced = checked.trace(seed, limit=5000)
        except (EngineError, ScenarioError) as error:
            desk.found("tracing or taking flows out fails", error)
            return
        del traced
        yield "with flows taken out", taken

    def _elsewhere(self, text: str, seed: int, digest: str, desk: Desk) -> None:
        """Run it in a process of its own."""
        done = subprocess.run(
            [sys.executable, "-c", ELSEWHERE],
            input=json.dumps([text, seed]),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        desk.count("elsewhere")
        if done.stdout.strip() != digest:
            told = f"{done.stdout.strip()}, not {digest}: {done.stderr[-300:]}"
            desk.found("another digest in another process", told)

    def smaller(self, payload: Payload) -> Iterator[Payload]:
        """Return the scenario with less in it."""
        return ({**payload, "text": text} for text in smaller_text(payload.get("text", "")))


def _digest(outcome: _core.Outcome) -> str:
    found: str = json.loads(outcome.json)["digest"]
    return found


def _loaded(tree: dict[str, Any], record: dict[str, Any]) -> _core.Checked | None:
    """Return a scenario with more recorded, `None` where that is refused."""
    more = {**tree, "record": {**tree.get("record", {}), **record}}
    try:
        return _core.load(FILE, toml.dumps(more), [])
    except ScenarioError:
        return None


def _reordering(tree: dict[str, Any]) -> dict[str, Any]:
    entries = [{**entry, "reordering": True} for entry in tree["traffic"]]
    return {**tree, "traffic": entries}
