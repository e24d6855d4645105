"""How much memory this process may still use, whether a run fits, and how much another one uses.

Linux reports it: for the machine in ``/proc/meminfo``, for a control group (a container, a batch
job) in the group's files. On other systems nothing is known.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from tcphoton.errors import Mistake, ScenarioError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tcphoton import _core

KIB = 1024
PAGE = os.sysconf("SC_PAGE_SIZE")
# The limit, the usage, and the file with the reclaimable part of it, of versions 2 and 1.
FILES = {
    "": ("memory.max", "memory.current", "inactive_file"),
    "memory": ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}


def available(root: Path = Path("/")) -> int | None:
    """Return the available bytes: the minimum over the machine and its control groups.

    `None` if the system does not report it. `root` is where its files are.
    """
    found = list(_of_groups(root))
    with contextlib.suppress(OSError, ValueError, LookupError):
        found.append(_number(root / "proc/meminfo", "MemAvailable:") * KIB)
    return max(0, min(found)) if found else None


def expect_room(checked: _core.Checked, file: str) -> None:
    """Refuse a scenario that needs more memory than is available.

    Raises
    ------
    ScenarioError
        Its estimate exceeds the available memory.
    """
    left = available()
    needed = checked.memory()
    if left is not None and needed > left:
        problem = "needs more memory than is available, by an estimate"
        accepted = f"at most {_gb(left)}, or --force (in Python force=True)"
        raise ScenarioError([Mistake.at(file, problem, found=_gb(needed), accepted=accepted)])


def _gb(number: int) -> str:
    return f"{number / 1e9:.3g} GB"


def held(pid: int) -> int:
    """Return the resident bytes of a process, 0 if not known."""
    with contextlib.suppress(OSError, ValueError, LookupError):
        return int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]) * PAGE
    return 0


def _of_groups(root: Path) -> Iterator[int]:
    """Yield the available memory of every control group of this process, including outer ones."""
    try:
        lines = (root / "proc/self/cgroup").read_text("utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        _, _, rest = line.partition(":")
        names, _, path = rest.partition(":")
        kind = "memory" if "memory" in names.split(",") else names
        if kind not in FILES:
            continue
        mount = root / "sys/fs/cgroup" / kind
        group = mount / path.lstrip("/")
        # In a container the path may be that of the host: then the mount is the group itself.
        for folder in (group, *group.parents):
            with contextlib.suppress(OSError, ValueError, LookupError):
                yield _left(folder, *FILES[kind])
            if folder == mount:
                break


def _left(folder: Path, limit: str, usage: str, reclaimable: str) -> int:
    """Return the available memory of a group; `ValueError` if it has no limit."""
    most = int((folder / limit).read_text("ascii"))
    used = int((folder / usage).read_text("ascii"))
    return most - used + _number(folder / "memory.stat", reclaimable)


def _number(path: Path, name: str) -> int:
    """Return the number after a name in a file of lines."""
    for line in path.read_text("ascii").splitlines():
        words = line.split()
        if words and words[0] == name:
            return int(words[1])
    raise LookupError(name)
