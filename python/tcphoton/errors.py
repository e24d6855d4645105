"""Exceptions, each with a message of one line."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "CaveatWarning",
    "DamageWarning",
    "EngineError",
    "FailedRunsError",
    "LostClusterError",
    "Mistake",
    "NoMeasureError",
    "OutputError",
    "ProgramError",
    "ScenarioError",
    "WorkerError",
    "hint",
    "nearest",
]


@dataclass(frozen=True)
class Mistake:
    """One error of a scenario.

    Attributes
    ----------
    file, line, key
        Its location: the file as it was named, the line (``None`` if there is none) and the dotted
        key.
    problem, found, accepted
        What is wrong, what was found, and what is accepted instead.
    text
        All of these in one line, which is also its ``str``.
    warning
        Whether it is only a warning: the scenario can be run, but a part of it has no effect.

    Examples
    --------
    >>> import tcphoton as tp
    >>> for mistake in tp.example("mm1").with_({"run.duration": 5}).check():
    ...     print(mistake.problem)
    a number without a unit
    """

    file: str
    line: int | None
    key: str
    problem: str
    found: str
    accepted: str
    text: str
    warning: bool = False

    def __str__(self) -> str:
        """Return it as one line."""
        return self.text

    @classmethod
    def at(
        cls, file: str, problem: str, *, line: int | None = None, key: str = "", found: str = "",
        accepted: str = "",
    ) -> Mistake:  # fmt: skip
        """Return one with its text, in the format of the engine: empty parts are left out."""
        place = file if line is None else f"{file}:{line}"
        parts = [": ".join(part for part in (place, key, problem) if part)]
        named = (("found", found), ("accepted", accepted))
        parts += [f"{word} {part}" for word, part in named if part]
        return cls(file, line, key, problem, found, accepted, " ".join("; ".join(parts).split()))


class ScenarioError(ValueError):
    """A scenario with errors, all of them in `mistakes`; its warnings are in `warnings`.

    Examples
    --------
    >>> import tcphoton as tp
    >>> try:
    ...     tp.run(tp.Scenario.from_text(""))
    ... except tp.ScenarioError as error:
    ...     print(len(error.mistakes) > 0)
    True
    """

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        found = list(mistakes)
        self.mistakes: list[Mistake] = [one for one in found if not one.warning]
        self.warnings: list[Mistake] = [one for one in found if one.warning]
        super().__init__("\n".join(str(one) for one in self.mistakes + self.warnings))

    def __reduce__(self) -> tuple[type[ScenarioError], tuple[list[Mistake]]]:
        """Pickle the error with its list."""
        return ScenarioError, (self.mistakes + self.warnings,)


class EngineError(RuntimeError):
    """A bug of the engine: it stopped unexpectedly. The message says where."""


class ProgramError(RuntimeError):
    """A program of a scenario that cannot go on, and with it the run.

    The message has the key, the line of the program, what is wrong, the flow and the time.

    Examples
    --------
    >>> import tcphoton as tp
    >>> source = "def on_ack(acked): window.cwnd = -1"
    >>> rule = {"kind": "program", "source": source}
    >>> try:
    ...     tp.run(tp.example("dumbbell").with_({"traffic.0.transport.congestion": rule}))
    ... except tp.ProgramError as error:
    ...     print(str(error).split("; accepted")[0])
    traffic.0.transport.congestion.source: line 1: window.cwnd would be -1
    """


class OutputError(OSError):
    """A result that could not be written or read; no partially written file is left.

    Attributes
    ----------
    is_full
        Whether no space was left on the disk, or in a quota.
    """

    is_full = False


class DamageWarning(UserWarning):
    """A file of a folder of results that was changed since, has no checksum, or did not fit."""


class CaveatWarning(UserWarning):
    """A measure that means less than it seems: see `tcphoton.runs.caveats` for the kinds."""


class NoMeasureError(LookupError):
    """A rule of a sweep that refers to something that is not a measure of its runs.

    Attributes
    ----------
    measure, problem, accepted
        The name in the rule, what is wrong with it, and what is accepted instead.
    key
        The key of the rule that has the name.
    """

    def __init__(
        self, measure: str, problem: str, accepted: str, key: str = "until.measure"
    ) -> None:
        self.measure, self.problem, self.accepted, self.key = measure, problem, accepted, key
        super().__init__(f"{key}: {problem}; accepted {accepted}")

    def mistake(self, file: str, line: int | None = None) -> Mistake:
        """Return it as an error of a file."""
        accepted = self.accepted
        return Mistake.at(file, self.problem, line=line, key=self.key, accepted=accepted)

    def __reduce__(self) -> tuple[type[NoMeasureError], tuple[str, str, str, str]]:
        """Pickle the error with its parts."""
        return NoMeasureError, (self.measure, self.problem, self.accepted, self.key)


class FailedRunsError(RuntimeError):
    """Failed runs, where a result needs all of them."""


class WorkerError(RuntimeError):
    """Workers that cannot be used: a cluster does not answer, or has another tcphoton."""


class LostClusterError(WorkerError):
    """A cluster whose scheduler was lost during runs."""


SYNONYMS = {
    "fct": ("completion-mean", "completion-p50"),
    "flow-completion-time": ("completion-mean", "completion-p50"),
    "fct-slowdown": ("slowdown-mean", "slowdown-p99"),
    "normalized-fct": ("slowdown-mean", "slowdown-p99"),
    "stretch": ("slowdown-mean", "slowdown-p99"),
    "cct": ("makespan",),
    "duration": ("makespan", "completion-mean"),
    "throughput": ("goodput", "batch-throughput"),
    "bandwidth": ("goodput",),
    "rate": ("goodput",),
    "latency": ("delay-mean", "delay-p99"),
    "delay": ("delay-mean", "delay-p99"),
    "rtt": ("delay-mean",),
    "fairness": ("jain",),
    "drops": ("packets-lost", "loss"),
    "drop-rate": ("loss",),
    "plr": ("loss",),
    "rto": ("timeouts",),
    "retransmits": ("retransmissions",),
    "reordering": ("reorder-ratio",),
}
"""Other words of the field for measures."""


def hint(wrong: str, names: Iterable[str]) -> str:
    """Return a question in brackets with the nearest of some names, or an empty text.

    Examples
    --------
    >>> hint("fig2", ["fig2a", "power"]), hint("x", ["fig2a"])
    (" (did you mean 'fig2a'?)", '')
    """
    near = nearest(wrong, names)
    return f" (did you mean {near[0]!r}?)" if near else ""


def nearest(wrong: str, names: Iterable[str]) -> list[str]:
    """Return the few names that are most similar to a wrong one, the nearest first.

    Examples
    --------
    >>> nearest("fig2", ["fig2a", "power", "fig2b"])
    ['fig2b', 'fig2a']
    >>> nearest("fct", ["goodput", "completion-mean"])
    ['completion-mean']
    """
    names = list(names)
    meant = [each for each in SYNONYMS.get(wrong.lower(), ()) if each in names]
    if meant:
        return meant
    return difflib.get_close_matches(wrong, names, n=3)
