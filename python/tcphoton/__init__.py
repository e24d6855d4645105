"""tcphoton: a packet-level simulator of TCP over electronic and optical networks.

>>> import tcphoton as tp
>>> scenario = tp.example("mm1").with_({"run.duration": "20 s"})
>>> report = tp.run(scenario, seed=1)
>>> report.units["flows"]["goodput"]
'b/s'

Heavy libraries (polars, Altair, SciPy) are loaded when they are needed.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from tcphoton._core import __version__
from tcphoton.errors import (
    EngineError,
    Mistake,
    OutputError,
    ProgramError,
    ScenarioError,
    WorkerError,
)
from tcphoton.report import notebook
from tcphoton.runs.run import run
from tcphoton.scenario.scenario import Scenario

if TYPE_CHECKING:
    from tcphoton import figures, report
    from tcphoton.analysis import statistics, theory
    from tcphoton.readings.readings import Readings
    from tcphoton.report.plot import plot
    from tcphoton.runs.forecast import forecast
    from tcphoton.runs.results import Report
    from tcphoton.scenario import flow_lists, graphs, topologies
    from tcphoton.scenario.examples import example
    from tcphoton.sweep.designs import Sample
    from tcphoton.sweep.query import scan
    from tcphoton.sweep.sweep import Sweep
    from tcphoton.traces.trace import Trace, trace

__all__ = [
    "EngineError",
    "Mistake",
    "OutputError",
    "ProgramError",
    "Readings",
    "Report",
    "Sample",
    "Scenario",
    "ScenarioError",
    "Sweep",
    "Trace",
    "WorkerError",
    "__version__",
    "example",
    "figures",
    "flow_lists",
    "forecast",
    "graphs",
    "plot",
    "report",
    "run",
    "scan",
    "statistics",
    "theory",
    "topologies",
    "trace",
]

MODULES = {
    "figures": "tcphoton.figures",
    "flow_lists": "tcphoton.scenario.flow_lists",
    "graphs": "tcphoton.scenario.graphs",
    "report": "tcphoton.report",
    "statistics": "tcphoton.analysis.statistics",
    "theory": "tcphoton.analysis.theory",
    "topologies": "tcphoton.scenario.topologies",
}
"""Public names that are modules, loaded on first use."""
PARTS = {
    "Readings": "tcphoton.readings.readings",
    "Report": "tcphoton.runs.results",
    "Sample": "tcphoton.sweep.designs",
    "Sweep": "tcphoton.sweep.sweep",
    "Trace": "tcphoton.traces.trace",
    "example": "tcphoton.scenario.examples",
    "forecast": "tcphoton.runs.forecast",
    "plot": "tcphoton.report.plot",
    "scan": "tcphoton.sweep.query",
    "trace": "tcphoton.traces.trace",
}
"""Public names and their modules, loaded on first use."""


# Scenarios, reports and sweeps are shown in notebooks by functions that this import registers.
notebook.register()


def __getattr__(name: str) -> object:
    """Load the parts that need heavy libraries on first use."""
    if name in MODULES:
        return importlib.import_module(MODULES[name])
    if name in PARTS:
        return getattr(importlib.import_module(PARTS[name]), name)
    raise AttributeError(f"module 'tcphoton' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the lazy parts too."""
    return __all__
