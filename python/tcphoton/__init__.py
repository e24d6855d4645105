"""tcphoton: a packet-level simulator of TCP over electronic and optical networks.

>>> import tcphoton as tp
>>> scenario = tp.example("mm1").with_({"run.duration": "20 s"})
>>> report = tp.run(scenario, seed=1)
>>> report.units["flows"]["goodput"]
'b/s'

Heavy libraries (polars, Altair, SciPy) are loaded when something needs them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from tcphoton._core import __version__
from tcphoton.errors import EngineError, Mistake, OutputError, ScenarioError, WorkerError
from tcphoton.runs import run
from tcphoton.scenario import Scenario

if TYPE_CHECKING:
    from tcphoton import figures, report, statistics, theory, topologies
    from tcphoton.designs import Sample
    from tcphoton.examples import example
    from tcphoton.query import scan
    from tcphoton.results import Report
    from tcphoton.sweep import Sweep
    from tcphoton.traces import Trace, trace

__all__ = [
    "EngineError",
    "Mistake",
    "OutputError",
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
    "report",
    "run",
    "scan",
    "statistics",
    "theory",
    "topologies",
    "trace",
]


def __getattr__(name: str) -> object:
    """Load the parts that need heavy libraries when they are first named."""
    if name in {"figures", "report", "statistics", "theory", "topologies"}:
        return importlib.import_module(f"tcphoton.{name}")
    if name == "Report":
        return importlib.import_module("tcphoton.results").Report
    if name == "Sample":
        return importlib.import_module("tcphoton.designs").Sample
    if name == "Sweep":
        return importlib.import_module("tcphoton.sweep").Sweep
    if name == "scan":
        return importlib.import_module("tcphoton.query").scan
    if name in {"Trace", "trace"}:
        return getattr(importlib.import_module("tcphoton.traces"), name)
    if name == "example":
        return importlib.import_module("tcphoton.examples").example
    raise AttributeError(f"module 'tcphoton' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the lazy parts too."""
    return __all__
