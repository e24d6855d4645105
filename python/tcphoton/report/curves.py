"""The distributions of a study: of a measure over its runs, and of completion times."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton.analysis import distributions
from tcphoton.analysis.distributions import COMPLETION, ENDED
from tcphoton.figures.cumulative import cumulative
from tcphoton.report.sweep_figures import prefix
from tcphoton.runs import caveats
from tcphoton.runs.caveats import Caveat
from tcphoton.runs.measures import unit_of
from tcphoton.sweep import folder as sweep_folder

if TYPE_CHECKING:
    from tcphoton.figures.charts import Scale
    from tcphoton.report.dataset import Gathered

__all__ = [
    "CDF",
    "COMPLETIONS",
    "accepted",
    "caveats_of_flows",
    "chart_of",
    "curves_of",
    "flows_of",
]

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


def curves_of(
    gathered: Gathered, rows: pl.DataFrame, measure: str, by: str | None, *, of_flows: bool
) -> tuple[pl.DataFrame, list[Caveat]]:
    """Return the distributions of a measure, or of completion times, and what is told.

    Raises
    ------
    LookupError
        Completion times are not kept.
    """
    found = []
    if of_flows:
        rows = _of_flows(gathered, rows, measure)
        found = caveats_of_flows(rows)
        if measure != COMPLETION:
            found = [each for each in found if each.kind != "mixed"]
        rows = rows.rename({COMPLETION: measure})
    return distributions.curves(rows, measure, [by] if by else []), found


def chart_of(
    curves: pl.DataFrame,
    gathered: Gathered,
    measure: str,
    by: str | None,
    *,
    of_flows: bool,
    scale: Scale,
    width: float,
    like: pl.DataFrame,
) -> Any:
    """Return a chart of distributions, in the unit that suits `like`: those of a whole figure."""
    unit = "s" if of_flows else unit_of(measure)
    factor, prefixed = prefix(like.get_column(measure), unit)
    names = dict(zip(gathered.axes, gathered.labels.of_keys(gathered.axes), strict=True))
    if by:
        curves = curves.with_columns(gathered.labels.shown(curves.get_column(by)))
    return cumulative(
        curves.with_columns(pl.col(measure) / factor),
        measure,
        by,
        units={measure: prefixed},
        legend=names[by] if by else "",
        scale=scale,
        width=width,
    )


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
    """Return what is told of a distribution: flows under way, and unlike entries of traffic."""
    found = []
    if under_way := flows.filter(~pl.col(ENDED)).height:
        found.append(Caveat("followed", (COMPLETION,), under_way / flows.height))
    medians = flows.group_by("traffic").agg(pl.col(COMPLETION).median()).get_column(COMPLETION)
    low, high = medians.min(), medians.max()
    if isinstance(low, float) and isinstance(high, float) and 0 < caveats.APART * low <= high:
        found.append(Caveat("mixed", (COMPLETION,), high / low))
    return found


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
