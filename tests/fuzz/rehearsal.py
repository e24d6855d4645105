"""The part `rehearsal`: all that can happen to a child, for the tests of the attack itself."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, ClassVar

from fuzz.desk import Part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fuzz.desk import Desk, Payload
    from fuzz.draw import Draw

__all__ = ["FATES", "Rehearsal"]

FATES = ("well", "found", "raises", "aborts", "hangs", "greedy", "well")


class Rehearsal(Part):
    """Cases that fail in each of the ways in which one can."""

    name: ClassVar[str] = "rehearsal"
    about: ClassVar[str] = "what the attack does when a case fails"
    cases: ClassVar[int] = len(FATES)
    seconds: ClassVar[float] = 2.0
    memory: ClassVar[int] = 1 << 30

    def attack(self, draw: Draw, desk: Desk) -> None:
        """Fail, or not, as it is drawn."""
        payload = {"fate": draw.pick(FATES), "numbers": [draw.below(1000) for _ in range(8)]}
        desk.note(payload)
        self.judge(payload, desk)

    def judge(self, payload: Payload, desk: Desk) -> None:
        """Fail, or not, as it is written."""
        match payload["fate"]:
            case "found":
                if any(number >= 100 for number in payload["numbers"]):
                    desk.found("a large number", max(payload["numbers"]))
            case "raises":
                raise ArithmeticError("on purpose")
            case "aborts":
                os.abort()
            case "hangs":
                while True:
                    pass
            case "greedy":
                bytearray(4 << 30)
            case _:
                desk.count("well")

    def smaller(self, payload: Payload) -> Iterator[Payload]:
        """Return the case with fewer numbers."""
        numbers = payload["numbers"]
        for at in range(len(numbers)):
            yield {**payload, "numbers": numbers[:at] + numbers[at + 1 :]}
