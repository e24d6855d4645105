"""The parts of the attack, by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fuzz.checks import Checks
from fuzz.determinism import Determinism
from fuzz.runs import Runs

if TYPE_CHECKING:
    from fuzz.desk import Part

__all__ = ["PARTS"]

PARTS: dict[str, Part] = {part.name: part for part in (Checks(), Runs(), Determinism())}
