"""The studies that a folder was asked for, one after another.

``sweep.json`` has the definition of the one that is shown. When another one begins in the folder,
the earlier definition becomes ``study-N.json``: its runs stay, so its results can still be read. A
study that begins again is shown again. From the second study on, ``studies.csv`` has the time at
which each was first asked for; nothing else depends on it.
"""

from __future__ import annotations

import contextlib
import re
import time as clock
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tcphoton.common import checksum, safe_read
from tcphoton.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tcphoton.common.open_folder import OpenFolder

ASKED = "sweep.json"
"""The definition of the study that is shown."""
EARLIER = re.compile(r"study-(\d+)\.json")
TIMES = "studies.csv"
"""The identity of each study, with the time at which it was first asked for, in this order."""
BESIDE = ("file", "labels", checksum.KEY)
"""Keys of a definition that do not make it another study."""
NAMES = {"text": "scenario", "over": "grid", "results-revision": "results revision"}
"""What keys of a definition are, where that is not their name."""


class Study(NamedTuple):
    """A study of a folder.

    Attributes
    ----------
    number
        Its number, from 1, in the order of time.
    name
        The file in the folder that has its definition.
    definition
        The definition.
    time
        When it was first asked for, as ``2026-11-24 15:30``.
    shown
        Whether results are shown of it unless another one is asked for.
    """

    number: int
    name: str
    definition: Mapping[str, Any]
    time: str
    shown: bool

    @property
    def points(self) -> int:
        """How many points it has."""
        return len(self.definition.get("digests", []))

    def differs(self, other: Study) -> str:
        """Return in what it differs from another one."""
        keys = dict.fromkeys([*self.definition, *other.definition])
        names = [
            NAMES.get(key, key)
            for key in keys
            if key not in {*BESIDE, "digests"}
            and self.definition.get(key) != other.definition.get(key)
        ]
        return ", ".join(names)


def changed(definition: Mapping[str, Any]) -> str:
    """Return the path of the scenario's file if its text has changed since, else an empty text."""
    file, text = definition.get("file"), definition.get("text")
    if not isinstance(file, str) or not isinstance(text, str):
        return ""
    try:
        now = safe_read.read(Path(file), safe_read.LARGEST_TEXT).decode()
    except (safe_read.DamagedError, OSError, ValueError):
        return ""
    return file if now != text else ""


def identity(definition: Mapping[str, Any]) -> str:
    """Return what makes a definition another study: not its file's path, labels or time."""
    return checksum.of_content({key: definition[key] for key in definition if key not in BESIDE})


def studies(folder: Path) -> list[Study]:
    """Return the studies of a folder in the order of time; damaged definitions are left out."""
    times = _times(folder)
    order = list(times)
    found: list[tuple[int, str, str, dict[str, Any]]] = []
    with contextlib.suppress(OSError):
        for name in sorted(each.name for each in folder.iterdir()):
            if name == ASKED or EARLIER.fullmatch(name):
                with contextlib.suppress(safe_read.DamagedError, OSError):
                    value = safe_read.read_value(folder / name)
                    if isinstance(value, dict):
                        key = identity(value)
                        at = order.index(key) if key in times else len(order)
                        time = times.get(key) or _time((folder / name).stat().st_mtime)
                        found.append((at, name, time, value))
    found.sort(key=lambda each: each[0])
    return [
        Study(number, name, value, time, name == ASKED)
        for number, (_, name, time, value) in enumerate(found, 1)
    ]


def _times(folder: Path) -> dict[str, str]:
    try:
        text = safe_read.read(folder / TIMES, safe_read.LARGEST_TEXT, follow=False).decode()
    except (OSError, ValueError):
        return {}
    lines = (line.partition(",") for line in text.splitlines()[1:])
    found: dict[str, str] = {}
    for key, _, time in lines:
        found.setdefault(key, time)
    return found


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M")


def file_of(folder: Path, number: int) -> str:
    """Return the name of the file that has the definition of a study.

    Raises
    ------
    OutputError
        There is no such study.
    """
    known = studies(folder)
    for study in known:
        if study.number == number:
            return study.name
    there = f"1 to {len(known)}" if known else "none"
    raise OutputError(f"{folder}: no study {number}; available: {there}")


def keep(place: OpenFolder, asked: Mapping[str, Any]) -> None:
    """Keep the definition that a folder has as an earlier study: another one begins."""
    earlier, key = studies(place.absolute), identity(asked)
    if not earlier:
        return
    times = _times(place.absolute)
    known = {identity(each.definition): each.time for each in earlier}
    for new, time in {**known, key: _time(clock.time())}.items():
        if new not in times:
            place.append(TIMES, f"{new},{time}\n".encode(), b"study,asked\n")
    numbers = [int(found[1]) for each in earlier if (found := EARLIER.fullmatch(each.name))]
    for each in earlier:
        if identity(each.definition) == key:
            place.discard(each.name)
        elif each.shown:
            with contextlib.suppress(OSError):
                place.rename(ASKED, place, f"study-{max(numbers, default=0) + 1}.json")
