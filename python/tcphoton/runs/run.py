"""One run: a scenario and a seed give a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tcphoton.common import arguments, memory
from tcphoton.errors import Mistake, ScenarioError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from tcphoton import _core
    from tcphoton.runs.results import Report
    from tcphoton.scenario.scenario import Scenario

__all__ = ["first_event", "run", "seed_for"]

LARGEST_SEED = 2**53
"""As in scenarios: every program that reads JSON represents these numbers exactly."""


def run(
    scenario: Scenario,
    seed: int | None = None,
    progress: Callable[[float, float, int], Any] | None = None,
    flows_to: str | os.PathLike[str] | None = None,
    *,
    force: bool = False,
) -> Report:
    """Simulate a scenario and return its report.

    The same scenario and seed give the same report on every machine and thread, regardless of what
    is recorded. Other Python threads continue during the run, so a pool of threads can run several
    seeds in parallel.

    Parameters
    ----------
    scenario
        What to simulate.
    seed
        The seed of all random numbers; default: the scenario's own (``run.seed``).
    progress
        Called about twenty times per second with the simulated seconds so far, the seconds to
        simulate and the events so far. An exception that it raises ends the run and propagates.
    flows_to
        A folder for the rows of finished flows, for runs with more flows than fit in memory. They
        are written during the run, to ``flows-00001.parquet`` and so on, each file atomically; such
        files of an earlier run, and its ``report.json``, are removed first. The report's ``flows``
        then has only the other flows; the rest of the report does not change.
    force
        Whether to run even if less memory seems to be available than the run needs.

    Raises
    ------
    TypeError
        It is not a scenario.
    ScenarioError
        The scenario has errors, or needs more memory than is available.
    MemoryError
        The run has used more memory than was available at its start.
    OutputError
        ``flows_to`` cannot be written.
    KeyboardInterrupt
        Ctrl-C; the run stops within one slice.

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
    """Simulate one event: the report has what only the engine knows, its links and its measures.

    Raises
    ------
    ScenarioError
        The scenario has errors.
    """
    return run(scenario.with_({"run.max-events": 1, "run.seed": 1}))


def seed_for(checked: _core.Checked, seed: int | None) -> int:
    """Return the seed of a run: the given one, or the scenario's.

    Raises
    ------
    ScenarioError
        It is out of range.
    """
    if seed is None:
        return checked.seed
    seed = arguments.whole("seed", seed)
    if not 0 <= seed <= LARGEST_SEED:
        mistake = Mistake.at(f"seed {seed}", "out of range", accepted=f"0 to {LARGEST_SEED}")
        raise ScenarioError([mistake])
    return seed
