"""The part `checks`: whatever the text, `check` accepts it or says what is wrong with it."""

from __future__ import annotations

import json
import time
import tomllib
from typing import TYPE_CHECKING, ClassVar

from fuzz.desk import Part
from fuzz.mutate import EXAMPLES, examples, mutated_text, mutated_tree, sweeps
from fuzz.repair import repair
from fuzz.scenarios import scenario
from fuzz.shrink import smaller_text
from tcphoton import _core
from tcphoton.common import toml
from tcphoton.errors import EngineError, ScenarioError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fuzz.desk import Desk, Payload
    from fuzz.draw import Draw
    from tcphoton.errors import Mistake

__all__ = ["Checks", "accepted", "judge_text", "look", "made_up"]

FILE = "case.toml"
SWEEPS = EXAMPLES / "sweeps"
LOOKS = 25
"""How often a made-up scenario is mended before it is given up."""
LONG = 4000
"""Characters that no mistake needs."""
ROOM = 1 << 30
"""Bytes by the estimate of `check` that a scenario may take in a run."""
SLOW = 2.0
"""Seconds of a core after which a check counts as slow."""


def look_at_sweep(name: str, text: str, desk: Desk) -> None:
    """Check a sweep beside the examples of sweeps, and as many points as half a second has."""
    before = time.process_time()
    try:
        sweep = _core.load_sweep(str(SWEEPS / name), text)
        json.loads(sweep.definition())
        sweep.digests(0.5)
        desk.count("sweeps")
    except ScenarioError as error:
        _hold(error.mistakes, desk, str(SWEEPS.parent))
        desk.count("sweeps refused")
    except BaseException as error:
        desk.found(f"check of a sweep raises {type(error).__name__}", error)
    if time.process_time() - before > SLOW:
        desk.found("check of a sweep is slow", f"{time.process_time() - before:.1f} s")


def look(text: str, desk: Desk) -> _core.Checked | list[Mistake] | None:
    """Check a text; `None` where that failed as it must not, which is a finding."""
    before = time.process_time()
    try:
        checked = _core.load(FILE, text, [])
    except ScenarioError as error:
        _hold(error.mistakes, desk, FILE)
        return error.mistakes
    except EngineError as error:
        desk.found("check panics", error)
        return None
    except BaseException as error:
        desk.found(f"check raises {type(error).__name__}", error)
        return None
    finally:
        if time.process_time() - before > SLOW:
            desk.found("check is slow", f"{time.process_time() - before:.1f} s")
    return checked


def _hold(mistakes: list[Mistake], desk: Desk, file: str) -> None:
    """Hold mistakes to what every mistake has: a file, a line, a text of one line."""
    if not mistakes:
        desk.found("refused without a mistake")
    for mistake in mistakes:
        if not mistake.text.startswith(file) or not mistake.problem:
            desk.found("a mistake without its place or problem", repr(mistake))
        if not mistake.text.isprintable():
            desk.found("a mistake that is no plain line", ascii(mistake.text)[:600])
        if len(mistake.text) > LONG:
            desk.found("a mistake of many characters", f"{len(mistake.text)}: {mistake.problem}")
        if not mistake.line and not mistake.problem.endswith(("more errors", "more warnings")):
            desk.found("a mistake without a line", repr(mistake))


def judge_text(text: str, desk: Desk) -> _core.Checked | None:
    """Check a text and hold what it is accepted as to its own print."""
    checked = look(text, desk)
    if checked is None or isinstance(checked, list):
        return None
    try:
        canonical = checked.canonical()
        tree = json.loads(canonical)
        again = _core.load(FILE, toml.dumps(tree), [])
        json.loads(checked.show())
    except ScenarioError as error:
        desk.found("its own print is refused", error.mistakes[0].text)
    except (EngineError, ValueError, TypeError) as error:
        desk.found("printing fails", f"{type(error).__name__}: {error}")
    else:
        if again.digest != checked.digest or again.canonical() != canonical:
            desk.found("its own print is another scenario")
    return checked


def made_up(draw: Draw, desk: Desk, events: int | None = None) -> tuple[str, _core.Checked] | None:
    """Return a made-up scenario that is accepted, mended until it is; `None` where that fails."""
    tree = scenario(draw)
    for _ in range(LOOKS):
        if events is not None and isinstance(tree.get("run"), dict):
            tree["run"]["max-events"] = events
        text = toml.dumps(tree)
        desk.note({"text": text})
        checked = look(text, desk)
        if checked is None:
            return None
        if not isinstance(checked, list):
            return text, checked
        repair(tree, checked, draw)
    return None


def accepted(draw: Draw, desk: Desk, events: int) -> tuple[str, _core.Checked] | None:
    """Return a scenario that is accepted: made up, or an example of which something is changed.

    One that needs more than `ROOM` is left to larger machines.
    """
    found = _accepted(draw, desk, events)
    if found is None:
        desk.count("refused")
    elif found[1].memory() > ROOM:
        desk.count("too large")
        return None
    return found


def _accepted(draw: Draw, desk: Desk, events: int) -> tuple[str, _core.Checked] | None:
    if draw.chance(0.6):
        return made_up(draw, desk, events)
    found = examples() + examples("good")
    for _ in range(5):
        tree = mutated_tree(draw.pick(found)[1], draw)
        run = tree.setdefault("run", {})
        if not isinstance(run, dict):
            continue
        run["max-events"] = events
        text = toml.dumps(tree)
        desk.note({"text": text})
        checked = look(text, desk)
        if checked is None:
            return None
        if not isinstance(checked, list):
            return text, checked
    return None


class Checks(Part):
    """Texts of all kinds, checked."""

    name: ClassVar[str] = "checks"
    about: ClassVar[str] = "check accepts a text or names its mistakes, at once"

    def attack(self, draw: Draw, desk: Desk) -> None:
        """Check a made-up scenario, a mutated one, or a mutated sweep."""
        if draw.chance(0.15):
            name, text = draw.pick(sweeps())
            payload = {"sweep": name, "text": mutated_text(text, draw)}
            desk.note(payload)
            look_at_sweep(name, payload["text"], desk)
            return
        if draw.chance(0.25):
            found = made_up(draw, desk)
            text = found[0] if found else ""
        else:
            text = _mutated(draw)
        if text:
            desk.note({"text": text})
            self._judge(text, desk)

    def judge(self, payload: Payload, desk: Desk) -> None:
        """Check a text again."""
        if "sweep" in payload:
            look_at_sweep(payload["sweep"], payload["text"], desk)
            return
        self._judge(payload["text"], desk)

    def _judge(self, text: str, desk: Desk) -> None:
        desk.count("accepted" if judge_text(text, desk) else "refused")

    def smaller(self, payload: Payload) -> Iterator[Payload]:
        """Return the text with less in it."""
        return ({**payload, "text": text} for text in smaller_text(payload.get("text", "")))


def _mutated(draw: Draw) -> str:
    """Return an example, or a file of the engine's tests, with something changed."""
    found = draw.pick([examples(), examples("good"), examples("bad")])
    text = draw.pick(found)[1]
    if draw.chance(0.5):
        try:
            return toml.dumps(mutated_tree(text, draw))
        except (tomllib.TOMLDecodeError, TypeError, RecursionError):
            pass
    return mutated_text(text, draw)
