"""One run: a scenario and a seed become a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tcphoton.common import memory
from tcphoton.errors import Mistake, ScenarioError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from tcphoton import _core
    from tcphoton.runs.results import Report
    from tcphoton.scenario.scenario import Scenario

__all__ = ["first_event", "run", "seed_for"]

LARGEST_SEED = 2**53
"""As in a scenario: every program that reads JSON gets these numbers right."""


def run(
    scenario: Scenario,
    seed: int | None = None,
    progress: Callable[[float, float, int], Any] | None = None,
    flows_to: str | os.PathLike[str] | None = None,
    *,
    force: bool = False,
) -> Report:
    """Simulate a scenario and return its report.

    The same scenario and seed give the same report on every machine, whatever is recorded and on
    whichever thread it runs. Other Python threads go on meanwhile, so a pool of threads runs
    several seeds at once.

    Parameters
    ----------
    scenario
        What to simulate.
    seed
        The seed of all random numbers; the scenario's own (``run.seed``) unless given.
    progress
        Called some twenty times a second of work with the simulated seconds so far, the seconds to
        simulate and the events so far. An exception that it raises ends the run and passes on.
    flows_to
        A folder for the rows of flows that have ended, where a run has more of them than fit in
        memory. They are written while the run goes on, to ``flows-00001.parquet`` and so on, each
        file whole or not there; such files of an earlier run, and its ``report.json``, are removed
        first. The report's ``flows`` then has only the other flows, and nothing else of the report
        depends on it.
    force
        Whether it is run even where it needs more memory than there seems to be.

    Raises
    ------
    TypeError
        It is no scenario.
    ScenarioError
        The scenario has mistakes, or needs more memory than is left.
    MemoryError
        The run has taken more memory than was left when it began.
    OutputError
        ``flows_to`` cannot be written.
    KeyboardInterrupt
        Ctrl-C, within a slice of the run.

    Examples
    --------
    >>> import tcphoton as tp
    >>> report = tp.run(tp.example("mm1").with_({"run.duration": "20 s"}), seed=3)
    >>> report.summary["seed"]
    3
    >>> report.digest == tp.run(tp.example("mm1").with_({"run.duration": "20 s"}), seed=3).digest
    True
    """
    from tcphoton.runs.results import Report
    from tcphoton.scenario.scenario import Scenario

    Scenario.expect(scenario)
    checked = scenario.checked()
    seed = seed_for(checked, seed)
    if not force:
        memory.expect_room(checked, scenario.file)
    left = memory.available()
    if flows_to is None:
        return Report.from_outcome(checked.run(seed, progress, None, left))
    from tcphoton.runs.flow_files import FlowFiles

    files = FlowFiles(flows_to)
    report = Report.from_outcome(checked.run(seed, progress, files.put, left))
    return files.note(report)


def first_event(scenario: Scenario) -> Report:
    """Simulate one event: the report has what the engine alone knows, its links and its measures.

    Raises
    ------
    ScenarioError
        The scenario has mistakes.
    """
    return run(scenario.with_({"run.max-events": 1, "run.seed": 1}))


def seed_for(checked: _core.Checked, seed: int | None) -> int:
    """Return the seed of a run: the one given, or the scenario's.

    Raises
    ------
    ScenarioError
        It is out of range.
    """
    if seed is None:
        return checked.seed
    if not 0 <= seed <= LARGEST_SEED:
        mistake = Mistake.at(f"seed {seed}", "out of range", accepted=f"0 to {LARGEST_SEED}")
        raise ScenarioError([mistake])
    return int(seed)
