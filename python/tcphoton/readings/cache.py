"""What was judged before: the findings of readings, small enough to be carried to another machine.

The runs of a search fill gigabytes; what they said fits in a file. A reading whose runs and rules
are those of an entry is not run again, so a search that was cut off goes on wherever its folder
``search`` is copied to. An entry is identified by everything on which its findings depend: the
digests and seeds of the runs, the results revision, the definitions of measures, the targets, and
the paper's files with its rules. A reading whose runs failed is not in it.
"""

from __future__ import annotations

import hashlib
import inspect
import json
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from tcphoton import _core
from tcphoton.common import checksum, safe_read
from tcphoton.common.open_folder import made
from tcphoton.papers import live, readings_of, rules
from tcphoton.papers.rules import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from importlib.resources.abc import Traversable
    from pathlib import Path

    from tcphoton.papers.paper import Paper
    from tcphoton.readings.plan import Target
    from tcphoton.sweep.store.piece import Key

__all__ = ["FOLDER", "NAME", "Entry", "Memory", "key_of", "rules_of"]

FOLDER, NAME = "search", "judged.json"
RULES = (".py", ".toml", ".csv")
NO_RULES = (readings_of.FILE, live.FILE)
"""Files of a paper that judge nothing."""


@dataclass(frozen=True)
class Entry:
    """What was judged of a reading.

    Attributes
    ----------
    findings
        The findings by the targets' names.
    runs, cpu
        The runs behind it, and the CPU seconds that they took.
    """

    findings: Mapping[str, Finding]
    runs: int
    cpu: float


class Memory:
    """The entries of a folder, by their keys."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FOLDER
        self._entries: dict[str, Entry] = {}
        try:
            kept = safe_read.read_object(self._folder / NAME)
            self._entries = {key: _entry(each) for key, each in kept.items()}
        except (OSError, AttributeError, KeyError, TypeError, ValueError):
            self._entries = {}

    def get(self, key: str) -> Entry | None:
        """Return an entry, `None` if there is none."""
        return self._entries.get(key)

    def put(self, entries: Mapping[str, Entry]) -> None:
        """Keep entries.

        Raises
        ------
        OutputError
            The folder cannot be written.
        """
        if not entries:
            return
        self._entries |= entries
        kept = {key: _kept(each) for key, each in self._entries.items()}
        with made(self._folder) as place:
            text = json.dumps(checksum.sealed(kept), separators=(",", ":"), ensure_ascii=False)
            # One line per reading.
            place.put(NAME, (text.replace('},"', '},\n"') + "\n").encode())


def key_of(paper: Paper, scale: str, runs: Iterable[Key], targets: Sequence[Target]) -> str:
    """Return what identifies the findings of some targets under a reading at a scale."""
    parts = [
        _core.results_revision(),
        scale,
        repr(paper.overlay.measures),
        *(f"{run.digest} {run.seed}" for run in runs),
        *(target.name for target in targets),
        rules_of(paper.home),
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:20]


def rules_of(home: Traversable) -> str:
    """Return a digest of the files of a paper that judge, without its assumptions and pictures."""
    judging = [inspect.getsource(rules)]
    for file in sorted(home.iterdir(), key=lambda each: each.name):
        if file.name.endswith(RULES) and file.name not in NO_RULES and file.is_file():
            judging += [file.name, file.read_text("utf-8")]
    return hashlib.sha256("\n".join(judging).encode()).hexdigest()


def _kept(entry: Entry) -> dict[str, Any]:
    """Return an entry as it is written: of a finding what is not its default."""
    defaults = {each.name: each.default for each in fields(Finding)}
    findings = {
        name: {key: value for key, value in asdict(each).items() if value != defaults[key]}
        for name, each in entry.findings.items()
    }
    return {"findings": findings, "runs": entry.runs, "cpu": entry.cpu}


def _entry(kept: Mapping[str, Any]) -> Entry:
    findings = {name: _finding(each) for name, each in kept["findings"].items()}
    return Entry(findings, kept["runs"], kept["cpu"])


def _finding(kept: Mapping[str, Any]) -> Finding:
    pairs = {
        name: tuple(kept[name]) if kept.get(name) is not None else None
        for name in ("interval", "band", "run")
    }
    plain: dict[str, Any] = {**kept, **pairs}
    return Finding(**plain)
