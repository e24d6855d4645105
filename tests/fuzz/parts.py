"""The parts of the attack, by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fuzz.checks import Checks
from fuzz.determinism import Determinism
from fuzz.flips import Flips
from fuzz.folders import Folders
from fuzz.kills import Kills
from fuzz.rehearsal import Rehearsal
from fuzz.runs import Runs
from fuzz.topologies import Topologies

if TYPE_CHECKING:
    from fuzz.desk import Part

__all__ = ["ALL", "PARTS"]

PARTS: dict[str, Part] = {
    part.name: part
    for part in (Checks(), Runs(), Determinism(), Topologies(), Flips(), Kills(), Folders())
}
ALL: dict[str, Part] = {**PARTS, Rehearsal.name: Rehearsal()}
"""Those of `PARTS` and what tests of the attack need."""
