"""A campaign: many cases of several parts, what they found, and how each is replayed."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from fuzz.desk import signature
from fuzz.shrink import smallest
from fuzz.watch import Child

if TYPE_CHECKING:
    from fuzz.desk import Finding, Part, Payload

__all__ = ["Failure", "Outcome", "attack", "replayed"]

PACE = 0.5 if sys.stdout.isatty() else 30.0
"""Seconds between two lines of progress."""
SHRINKING = 30.0
"""Seconds for making a failure smaller."""


@dataclass(frozen=True)
class Failure:
    """A finding, the first of its kind, with the smallest case that was found for it."""

    part: str
    seed: int
    number: int
    finding: Finding
    payload: Payload

    @property
    def slug(self) -> str:
        """The finding as a part of a file's name."""
        return "".join(each if each.isalnum() else "-" for each in self.finding.title)[:40]

    def save(self, folder: Path) -> Path:
        """Write the case as a file that `--replay` takes; a scenario stands beside it as TOML."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.part}-{self.seed}-{self.number}-{self.slug}.json"
        told = {"part": self.part, "finding": self.finding, "payload": self.payload}
        path.write_text(json.dumps(told, indent=1), "utf-8")
        if "text" in self.payload:
            path.with_suffix(".toml").write_text(
                self.payload["text"], "utf-8", errors="surrogateescape"
            )
        return path


@dataclass
class Outcome:
    """What a part found in a campaign."""

    part: str
    cases: int = 0
    seconds: float = 0.0
    facts: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)

    def line(self) -> str:
        """Return the counts in one line."""
        facts = ", ".join(f"{number:,} {what}" for what, number in sorted(self.facts.items()))
        found = f"{sum(self.kinds.values()):,} failures of {len(self.kinds)} kinds"
        return f"{self.part}: {self.cases:,} cases in {self.seconds:.1f} s ({facts}): {found}"


def attack(
    part: Part,
    seed: int,
    numbers: range,
    *,
    seconds: float = float("inf"),
    shrinking: float = SHRINKING,
    save: Path | None = None,
    loud: bool = False,
) -> Outcome:
    """Judge the cases of a part with some numbers, no longer than some seconds.

    Findings alike are counted and only the first is made smaller, saved and returned.
    """
    outcome = Outcome(part.name)
    begin = told = time.monotonic()
    with Child(part) as child:
        for number in numbers:
            answer = child.ask({"seed": seed, "number": number})
            outcome.cases += 1
            outcome.facts += answer.facts
            for finding, payload in answer.findings:
                kind = signature(finding)
                outcome.kinds[kind] += 1
                if outcome.kinds[kind] == 1:
                    failure = Failure(part.name, seed, number, finding, payload)
                    failure = _smaller(part, child, failure, shrinking)
                    outcome.failures.append(failure)
                    _tell(failure, save, loud=loud)
            now = time.monotonic()
            outcome.seconds = now - begin
            if loud and now > told + PACE:
                told = now
                _progress(outcome, len(numbers), seconds)
            if now - begin > seconds:
                break
    return outcome


def _smaller(part: Part, child: Child, failure: Failure, seconds: float) -> Failure:
    """Return a failure of the same kind with the smallest case that is found in some seconds."""
    wanted = signature(failure.finding)
    if seconds <= 0 or "request" in failure.payload:
        return failure

    def fails(candidate: Payload) -> bool:
        answer = child.ask({"payload": candidate})
        return any(signature(found) == wanted for found, _ in answer.findings)

    payload = smallest(part, failure.payload, fails, seconds)
    again = child.ask({"payload": payload}).findings
    finding = next((found for found, _ in again if signature(found) == wanted), failure.finding)
    return replace(failure, finding=finding, payload=payload)


def _tell(failure: Failure, save: Path | None, *, loud: bool) -> None:
    if save is not None:
        path = failure.save(save)
    if loud:
        sys.stdout.write("\r\x1b[K" if sys.stdout.isatty() else "")
        sys.stdout.write(f"{failure.part}: {failure.finding.title}: {failure.finding.detail}\n")
        case = f"{failure.part}:{failure.seed}:{failure.number}"
        sys.stdout.write(f"  replay: make fuzz REPLAY={path if save else case}\n")
        sys.stdout.flush()


def _progress(outcome: Outcome, wanted: int, seconds: float) -> None:
    share = max(outcome.cases / wanted, min(1.0, outcome.seconds / seconds))
    left = outcome.seconds * (1 - share) / share
    found = len(outcome.kinds)
    text = f"{outcome.part}: {outcome.cases:,} cases, {found} kinds of failures, {left:.0f} s left"
    sys.stdout.write(f"\r\x1b[K{text}" if sys.stdout.isatty() else f"{text}\n")
    sys.stdout.flush()


def replayed(parts: dict[str, Part], what: str) -> Outcome:
    """Judge one case again: a file of a failure, or ``PART:SEED:NUMBER``.

    Raises
    ------
    ValueError
        It names no case.
    """
    path = Path(what)
    if path.suffix == ".json":
        told = json.loads(path.read_text("utf-8"))
        part, request = parts[told["part"]], {"payload": told["payload"]}
        seed = number = 0
    else:
        name, seed_text, number_text = what.split(":")
        seed, number = int(seed_text), int(number_text)
        part, request = parts[name], {"seed": seed, "number": number}
    outcome = Outcome(part.name)
    with Child(part) as child:
        answer = child.ask(request)
    outcome.cases, outcome.facts = 1, answer.facts
    for finding, payload in answer.findings:
        outcome.kinds[signature(finding)] += 1
        outcome.failures.append(Failure(part.name, seed, number, finding, payload))
    return outcome
