"""The distributions of a study: of a measure over its runs, and of completion times."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton.analysis import distributions
from tcphoton.analysis.distributions import COMPLETION
from tcphoton.figures.cumulative import cumulative
from tcphoton.report.sweep_figures import prefix
from tcphoton.runs import caveats
from tcphoton.runs.caveats import Caveat
from tcphoton.runs.measures import unit_of
from tcphoton.sweep import folder as sweep_folder

if TYPE_CHECKING:
    from tcphoton.figures.charts import Scale
    from tcphoton.report.gathered import Gathered

__all__ = ["CDF", "COMPLETIONS", "accepted", "caveats_of_flows", "drawn", "flows_of"]

CDF, COMPLETIONS = "cdf", "completions"
"""The statistics that are distributions: of a measure over the runs, and of completion times."""
OF_ENTRY = re.compile(rf"(?:traffic\.(\d+)\.)?{COMPLETION}")


def accepted(name: str) -> str:
    """Return the name of completion times: of all flows, or of those of an entry of traffic.

    Raises
    ------
    LookupError
        It is another measure.
    """
    if not OF_ENTRY.fullmatch(name):
        raise LookupError(
            f"--y {name}: --statistic {COMPLETIONS} draws {COMPLETION}, of all flows, or "
            f"traffic.0.{COMPLETION} of those of an entry of traffic"
        )
    return name


def drawn(
    gathered: Gathered,
    rows: pl.DataFrame,
    measure: str,
    by: str | None,
    *,
    of_flows: bool,
    scale: Scale,
    width: float,
) -> tuple[Any, list[Caveat]]:
    """Return a chart of the distributions of a measure, or of completion times, and what is told.

    Raises
    ------
    LookupError
        There are no values, or completion times are not kept.
    """
    unit, found = unit_of(measure), []
    if of_flows:
        rows, unit = _of_flows(gathered, rows, measure), "s"
        found = caveats_of_flows(rows) if measure == COMPLETION else []
        rows = rows.rename({COMPLETION: measure})
    curves = distributions.curves(rows, measure, [by] if by else [])
    if curves.is_empty():
        raise LookupError(f"{measure} has no values among these runs")
    factor, prefixed = prefix(curves.get_column(measure), unit)
    names = dict(zip(gathered.axes, gathered.labels.of_keys(gathered.axes), strict=True))
    if by:
        curves = curves.with_columns(gathered.labels.shown(curves.get_column(by)))
    chart = cumulative(
        curves.with_columns(pl.col(measure) / factor),
        measure,
        by,
        units={measure: prefixed},
        legend=names[by] if by else "",
        scale=scale,
        width=width,
    )
    return chart, found


def _of_flows(gathered: Gathered, rows: pl.DataFrame, measure: str) -> pl.DataFrame:
    """Return the completion times of the flows of some runs, of all entries or of one."""
    axes = [*gathered.axes, "seed"]
    flows = distributions.completions(flows_of(gathered), axes if gathered.axes else [])
    if gathered.axes:
        flows = flows.join(rows.select(axes), on=axes, how="semi", nulls_equal=True)
    entry = OF_ENTRY.fullmatch(measure)
    if entry and entry[1]:
        flows = flows.filter(pl.col("traffic") == int(entry[1]))
    return flows


def caveats_of_flows(flows: pl.DataFrame) -> list[Caveat]:
    """Return what is told where flows of unlike entries of traffic are in one distribution."""
    medians = flows.group_by("traffic").agg(pl.col(COMPLETION).median()).get_column(COMPLETION)
    low, high = medians.min(), medians.max()
    if isinstance(low, float) and isinstance(high, float) and 0 < caveats.APART * low <= high:
        return [Caveat("mixed", (COMPLETION,), high / low)]
    return []


def flows_of(gathered: Gathered) -> pl.DataFrame:
    """Return the kept tables of flows of all runs.

    Raises
    ------
    LookupError
        They are not kept.
    """
    if len(gathered.folders) > 1:
        raise LookupError("completion times can be drawn of one folder at a time")
    flows = sweep_folder.read(gathered.folders[0], table="flows").table
    return gathered.labels.with_cases(flows)
