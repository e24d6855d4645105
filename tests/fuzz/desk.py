"""What a part is given: a place to note the case in hand, and to say what it found."""

from __future__ import annotations

import json
import mmap
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fuzz.draw import Draw

__all__ = ["Desk", "Finding", "Part", "Payload", "Slate", "signature"]

Payload = dict[str, Any]
"""A case as plain data: what is saved of a failure, and judged again when it is replayed."""
SLATE = 1 << 22


class Finding(NamedTuple):
    """A property that does not hold: which, and what was seen."""

    title: str
    detail: str


class Slate:
    """A file in memory on which the child notes its case: it outlives the child."""

    def __init__(self, path: Path) -> None:
        if not path.exists():
            path.write_bytes(bytes(SLATE))
        with path.open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), SLATE)

    def write(self, payload: Payload) -> None:
        """Note a case in the place of the one before."""
        text = json.dumps(payload).encode()[: SLATE - 8]
        self._memory[:8] = len(text).to_bytes(8, "little")
        self._memory[8 : 8 + len(text)] = text

    def read(self) -> Payload | None:
        """Return the case that was noted last, `None` where there is none."""
        text = self._memory[8 : 8 + int.from_bytes(self._memory[:8], "little")]
        try:
            payload: Payload = json.loads(text)
        except ValueError:
            return None
        return payload

    def wipe(self) -> None:
        """Forget it."""
        self._memory[:8] = bytes(8)


@dataclass
class Desk:
    """Where one case is judged.

    Attributes
    ----------
    folder
        Where files may be made; what is there from an earlier case of the child may be used again.
    """

    folder: Path
    slate: Slate
    facts: Counter[str] = field(default_factory=Counter)
    findings: list[tuple[Finding, Payload]] = field(default_factory=list)
    _payload: Payload = field(default_factory=dict)

    def note(self, payload: Payload) -> None:
        """Say what is going to be judged, before anything can go wrong with it."""
        self._payload = payload
        self.slate.write(payload)

    def found(self, title: str, detail: object = "") -> None:
        """Say that a property does not hold for what was noted last."""
        self.findings.append((Finding(title, str(detail)[:2000]), self._payload))

    def count(self, what: str, number: int = 1) -> None:
        """Count something for the summary."""
        self.facts[what] += number


class Part:
    """A kind of attack.

    Attributes
    ----------
    cases
        How many of them take about a minute.
    seconds
        How long a case may take before it counts as hanging.
    memory
        How many bytes of memory the child may ask for; 0: as many as there are.
    """

    name: ClassVar[str]
    about: ClassVar[str]
    seconds: ClassVar[float] = 5.0
    cases: ClassVar[int] = 1000
    memory: ClassVar[int] = 3 << 30

    def attack(self, draw: Draw, desk: Desk) -> None:
        """Make one case up, note it, and judge it."""
        raise NotImplementedError

    def judge(self, payload: Payload, desk: Desk) -> None:
        """Judge a case that was noted before."""
        raise NotImplementedError

    def smaller(self, payload: Payload) -> Iterator[Payload]:
        """Return cases that are smaller than one, those that leave much out first."""
        del payload
        return iter(())


NUMBERS = re.compile(r"0x[0-9a-f]+|[0-9a-f]{16}|\d[\d.e+-]*|\"[^\"]*\"|'[^']*'")


def signature(finding: Finding) -> str:
    """Return what findings of one cause have in common: the text without its numbers and names."""
    detail = finding.detail.strip().splitlines()
    return NUMBERS.sub("#", f"{finding.title}: {detail[0] if detail else ''}")[:160]
