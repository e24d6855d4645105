"""A figure of a sweep from a few words: what is drawn, against what, of which runs."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton.analysis import statistics
from tcphoton.analysis.differences import differences_of
from tcphoton.analysis.distributions import COMPLETION
from tcphoton.analysis.quantiles import statistic as statistic_of
from tcphoton.common import toml
from tcphoton.figures import style
from tcphoton.figures.captions import captioned
from tcphoton.report import curves
from tcphoton.report.curves import CDF, COMPLETIONS
from tcphoton.report.dataset import NOT_MEASURES, gather, varies
from tcphoton.report.sweep_figures import WIDTH, chart_of, is_quantity, shown
from tcphoton.runs import caveats
from tcphoton.runs.caveats import Caveat
from tcphoton.sweep import query
from tcphoton.sweep.labels import apart

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence

    from tcphoton.figures.charts import Scale
    from tcphoton.report.dataset import Gathered
    from tcphoton.sweep.labels import Labels

__all__ = ["GROUPS", "Question", "answer", "ask", "lines_of", "plot", "points_of"]

LACKING = 3
"""Maximum points without a value whose place is told."""
GROUPS = 8
"""Maximum values of an axis that lines are drawn for unless it is named."""
SMALL = 3.2
"""Inches of one of several figures."""


@dataclass(frozen=True)
class Question:
    """What a figure shows.

    Attributes
    ----------
    rows
        The runs that it is about.
    measures
        What is drawn, one part of the figure each.
    x, by, facet
        The axis across, the axis that has a line for each value, and the one that has a part of the
        figure for each value; the last two may be empty texts, and `x` is of a distribution.
    statistic
        ``mean``, ``median``, a percentile such as ``p90``, ``cdf`` or ``completions``.
    baseline
        The value of `by` that the others are compared with, as it is in the rows, or none.
    log
        The axes with a logarithmic scale: of ``x`` and ``y``.
    chosen
        What was chosen of the runs, in words.
    """

    rows: pl.DataFrame
    measures: tuple[str, ...]
    x: str
    by: str
    facet: str
    statistic: str
    baseline: Any
    log: str
    chosen: str = ""


def plot(
    folder: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    y: str | Sequence[str] = (),
    x: str = "",
    by: str = "",
    *,
    facet: str = "",
    where: Mapping[str, Any] | Iterable[str] = (),
    statistic: str = "mean",
    baseline: str | float | bool | None = None,
    log: str = "",
    study: int | None = None,
) -> Any:
    """Draw measures of a sweep, or of several, against one of its axes, with 95 % intervals.

    Parameters
    ----------
    folder
        The folder of a sweep, or several, which then are an axis ``folder``.
    y
        The measures, by default the first one that is shown of results. With `completions` it is
        ``completion``, or ``traffic.0.completion`` of an entry of traffic.
    x
        The axis across, by its key, the end of it or its label; by default the one with most
        values.
    by
        A line for each value of this axis; by default that with most values, up to eight.
    facet
        A figure for each value of this axis.
    where
        Values of axes or their labels, of which only the runs are drawn: as a mapping, or as texts
        ``KEY=VALUE``.
    statistic
        ``mean``, ``median``, a percentile such as ``p90``, ``cdf`` (the distribution of a measure
        over the runs), or ``completions`` (that of completion times, where tables of flows are
        kept: flows that had not ended are counted as Kaplan and Meier do).
    baseline
        A value of `by`: the differences of the others to it are drawn, seed by seed.
    log
        The axes with a logarithmic scale: ``x``, ``y`` or ``xy``.
    study
        An earlier study of the folder.

    Returns
    -------
    altair.TopLevelMixin
        The chart, which `tcphoton.figures.save` writes.

    Raises
    ------
    LookupError
        There is no such column, value or statistic; or a further axis varies.
    OutputError
        A folder has no readable results.

    Examples
    --------
    >>> import tempfile
    >>> import tcphoton as tp
    >>> scenario = tp.example("mm1").with_({"run.duration": "12 s"})
    >>> sweep = tp.Sweep(scenario, {"traffic.0.source.rate": ["5 Mb/s", "8 Mb/s"]}, seeds=2)
    >>> with tempfile.TemporaryDirectory() as out:
    ...     runs = sweep.run(out)
    ...     chart = tp.plot(out, "delay-mean", statistic="median")
    >>> chart.to_dict()["layer"][0]["encoding"]["y"]["title"]
    'median of delay-mean (ms)'
    """
    several = isinstance(folder, (list, tuple))
    gathered = gather(list(folder) if several else [folder], study=study)  # type: ignore[arg-type, list-item]
    given = where
    if hasattr(where, "items"):
        given = [f"{key}={toml.shown(value)}" for key, value in where.items()]
    asked = ask(
        gathered, y, x, by, facet=facet, where=given, statistic=statistic,
        baseline=None if baseline is None else toml.shown(baseline), log=log,
    )  # fmt: skip
    chart, found = answer(gathered, asked)
    caveats.warn(found, ", ".join(asked.measures))
    return chart


def ask(
    gathered: Gathered,
    y: str | Sequence[str] = (),
    x: str = "",
    by: str = "",
    *,
    facet: str = "",
    where: Iterable[str] = (),
    statistic: str = "mean",
    baseline: str | None = None,
    log: str = "",
) -> Question:
    """Return what a figure shows of some folders: names become columns, and gaps are filled.

    Raises
    ------
    LookupError
        As in `plot`.
    """
    axes = list(gathered.axes)
    wanted = [y] if isinstance(y, str) else list(y)
    where = list(where)
    labels = gathered.labels
    rows = query.where(gathered.rows, where, axes, labels) if where else gathered.rows
    if not rows.height:
        raise LookupError(f"{gathered.folders[0]}: no rows to draw")

    def column(name: str) -> str:
        return query.columns_named(rows.columns, [name], axes, labels)[0] if name else ""

    x, by, facet = column(x), column(by), column(facet)
    _refuse_twice([x, by, facet], labels)
    varying = [axis for axis in axes if varies(rows, axis)]
    if statistic == COMPLETIONS:
        measures = [curves.accepted(name) for name in wanted if name] or [COMPLETION]
    else:
        measures = [column(name) for name in wanted if name]
        measures = measures or gathered.leading[:1] or gathered.measures[:1]
        for name, given in zip(measures, wanted or [""], strict=False):
            if not _is_number(rows, name):
                raise LookupError(f"--y {given}: not a number")
            if name in NOT_MEASURES or name in axes:
                raise LookupError(f"--y {given}: no measure")
    if not measures:
        raise LookupError(f"{gathered.folders[0]}: no measure to draw: --y")
    if statistic in {CDF, COMPLETIONS}:
        x = ""
    else:
        statistic_of(statistic)
        x = x or max(
            (axis for axis in varying if axis not in {by, facet}),
            key=lambda axis: rows.get_column(axis).n_unique(),
            default="",
        )
        if not x:
            where_, other = gathered.folders[0], by or facet
            instead = f" besides {other}: --x {other}" if other else ", so there is nothing to draw"
            raise LookupError(f"{where_}: nothing varies{instead}")
    by = by or lines_of(gathered, rows, {x, facet})
    taken = {x, by, facet, *gathered.beside(*(key for key in (x, by, facet) if key))}
    _refuse_others(rows, [axis for axis in varying if axis not in taken], labels)
    base = None
    if baseline is not None:
        if not by or statistic in {CDF, COMPLETIONS}:
            raise LookupError(f"--baseline {baseline}: differences need lines (--by) of points")
        base = _base(gathered, rows, by, baseline)
    chosen = _chosen(gathered, rows, [axis for axis in axes if varies(gathered.rows, axis)])
    return Question(rows, tuple(measures), x, by, facet, statistic, base, log, chosen)


def _chosen(gathered: Gathered, rows: pl.DataFrame, axes: Sequence[str]) -> str:
    """Return in words which values of axes were chosen: one of several."""
    fixed = [axis for axis in axes if rows.get_column(axis).n_unique() == 1]
    beside = set(gathered.beside(*fixed))
    return ", ".join(
        f"{_named(gathered, axis)} = {gathered.labels.of_value(axis, rows.get_column(axis)[0])}"
        for axis in fixed
        if axis not in beside
    )


def lines_of(gathered: Gathered, rows: pl.DataFrame, taken: Iterable[str]) -> str:
    """Return the axis that lines are drawn for: with the most values of those with few enough.

    It is an empty text if there is none. Keys that vary together with others have no lines.
    """
    taken = set(taken)
    grouped = {key for group in gathered.together for key in group}
    counts = {
        axis: rows.get_column(axis).n_unique()
        for axis in gathered.axes
        if axis not in taken and axis not in grouped and varies(rows, axis)
    }
    few = [axis for axis, count in counts.items() if count <= GROUPS]
    return max(few, key=counts.__getitem__, default="")


def _is_number(rows: pl.DataFrame, name: str) -> bool:
    return rows.schema[name].is_numeric() or rows.schema[name] == pl.Boolean


def _base(gathered: Gathered, rows: pl.DataFrame, by: str, baseline: str) -> Any:
    """Return the value of an axis that differences are from."""
    try:
        found = query.where(rows, [f"{by}={baseline}"], list(gathered.axes), gathered.labels)
    except LookupError as error:
        told = str(error).replace(f"--where {by}={baseline}", f"--baseline {baseline}")
        raise LookupError(told) from None
    return found.get_column(by)[0]


def _refuse_twice(axes: Sequence[str], labels: Labels) -> None:
    """Refuse an axis that is asked for in two roles."""
    named = [axis for axis in axes if axis]
    if twice := next((axis for axis in named if named.count(axis) > 1), ""):
        raise LookupError(f"--x, --by and --facet: {labels.names.get(twice, twice)} is there twice")


def _refuse_others(rows: pl.DataFrame, axes: Sequence[str], labels: Labels) -> None:
    """Refuse to mix the values of further axes in one mean.

    Raises
    ------
    LookupError
        There are such axes.
    """
    if axes:
        values = rows.get_column(axes[0]).unique(maintain_order=True).to_list()
        words = [apart(labels.label(axes[0], each) or str(each)) for each in values[:GROUPS]]
        there = ", ".join(words) + ", …" * (len(values) > GROUPS)
        named = [labels.names.get(axis, axis) for axis in axes]
        verb = "varies" if len(axes) == 1 else "vary"
        choice = shlex.quote(f"{named[0]}=VALUE")
        raise LookupError(
            f"{', '.join(named)} {verb}, too: choose with --where {choice} ({there}), or --by"
        )


def answer(gathered: Gathered, asked: Question) -> tuple[Any, list[Caveat]]:
    """Return the chart of a question, and what to know about its points.

    Raises
    ------
    LookupError
        An axis has more values than can be drawn, or completion times are not kept.
    """
    import altair as alt

    if asked.facet:
        values = asked.rows.get_column(asked.facet).unique(maintain_order=True).to_list()
        short = _named(gathered, asked.facet)
        parts = [
            (f"{short} = {gathered.labels.of_value(asked.facet, value)}", value) for value in values
        ]
    else:
        parts = [("", None)]
    if len(parts) > style.MOST_GROUPS:
        raise LookupError(
            f"--facet {asked.facet}: {len(parts)} values; at most {style.MOST_GROUPS}"
        )
    if asked.by and (lines := asked.rows.get_column(asked.by).n_unique()) > style.MOST_GROUPS:
        most = f"at most {style.MOST_GROUPS} lines: --where {asked.by}=VALUE chooses some"
        raise LookupError(f"--by {asked.by}: {lines} values; {most}")
    alone = len(parts) * len(asked.measures) == 1
    width = WIDTH if alone else SMALL
    charts, found = [], _unfinished(gathered)
    for measure in asked.measures:
        drawn = []
        for title, value in parts:
            rows = asked.rows
            if asked.facet:
                rows = rows.filter(pl.col(asked.facet).eq_missing(value))
            points, told = _shown(gathered, asked, rows, measure)
            if not points.is_empty():
                drawn.append((title, points))
            elif title and told:
                told[-1] = told[-1]._replace(about=f"all of {title}")
            found += told
        _lacking(gathered, asked, measure, found)
        if not drawn:
            above = " above 0" if found and found[-1].kind == "not-above-0" else ""
            raise LookupError(f"{measure} has no values{above} among these runs")
        # The parts share their axes, and so units and scales.
        like = pl.concat([points for _, points in drawn], how="diagonal_relaxed")
        charts.append(
            [
                _part(gathered, asked, points, measure, width=width, like=like).properties(
                    title=title
                )
                for title, points in drawn
            ]
        )
    word = "Note" if asked.statistic in {CDF, COMPLETIONS} else "Open"
    if alone:
        return captioned(charts[0][0], found, width, word, asked.chosen), found
    across = [
        alt.concat(*row, columns=2).resolve_scale(x="shared", y="shared")
        if len(row) > 1
        else row[0]
        for row in charts
    ]
    chart = across[0] if len(across) == 1 else alt.concat(*across, columns=1 if asked.facet else 2)
    return captioned(chart, found, 2 * SMALL, word, asked.chosen), found


def _unfinished(gathered: Gathered) -> list[Caveat]:
    """Return what is told where runs of the sweeps are missing."""
    missing = sum(each.missing for each in gathered.kept)
    runs = missing + sum(each.table.height for each in gathered.kept)
    return [Caveat("unfinished", (), missing, runs)] if missing else []


def _shown(
    gathered: Gathered, asked: Question, rows: pl.DataFrame, measure: str
) -> tuple[pl.DataFrame, list[Caveat]]:
    """Return what a part of a figure shows of some runs, points or distributions, and caveats."""
    if asked.statistic in {CDF, COMPLETIONS}:
        of_flows = asked.statistic == COMPLETIONS
        return curves.curves_of(gathered, rows, measure, asked.by or None, of_flows=of_flows)
    points, found = points_of(gathered, asked, rows, measure)
    kept, left_out = shown(points, asked.x, measure, asked.log)
    if left_out and left_out[-1].kind == "not-above-0":
        names = [
            name
            for axis in dict.fromkeys([asked.by, asked.x])
            if axis and not (axis == asked.x and is_quantity(points.get_column(axis)))
            for name in _gone(gathered, points, kept, axis)
        ]
        if names:
            left_out[-1] = left_out[-1]._replace(about=f"all of {', '.join(names)}")
    return kept, found + left_out


def _lacking(gathered: Gathered, asked: Question, measure: str, found: list[Caveat]) -> None:
    """Tell at which points no run has a value of a measure, if they are few."""
    told = [at for at, each in enumerate(found) if each.group == f"no-value {measure}"]
    many = sum(found[at].value for at in told)
    if not told or many > LACKING or asked.baseline is not None:
        return
    keys = list(dict.fromkeys(key for key in (asked.by, asked.x, asked.facet) if key))
    points = asked.rows.group_by(keys, maintain_order=True).agg(pl.col(measure).count())
    texts = [
        ", ".join(
            f"{_named(gathered, key)} = {gathered.labels.of_value(key, row[key])}" for key in keys
        )
        for row in points.filter(pl.col(measure) == 0).iter_rows(named=True)
    ]
    found[told[0]] = found[told[0]]._replace(about=f"at {'; '.join(texts)}")


def _gone(gathered: Gathered, points: pl.DataFrame, kept: pl.DataFrame, axis: str) -> list[str]:
    """Return what the values of an axis are called of which a figure shows no point."""
    gone = set(points.get_column(axis)) - set(kept.get_column(axis))
    return [gathered.labels.of_value(axis, each) for each in sorted(gone, key=str)]


def _part(
    gathered: Gathered,
    asked: Question,
    points: pl.DataFrame,
    measure: str,
    *,
    width: float,
    like: pl.DataFrame,
) -> Any:
    """Return a chart of one measure, whose axes are those of `like`: of the whole figure."""
    x, by = asked.x, asked.by or None
    if asked.statistic in {CDF, COMPLETIONS}:
        return curves.chart_of(
            points,
            gathered,
            measure,
            by,
            of_flows=asked.statistic == COMPLETIONS,
            scale="log" if "x" in asked.log else "linear",
            width=width,
            like=like,
        )
    title = measure if asked.statistic == "mean" else f"{asked.statistic} of {measure}"
    if asked.baseline is not None:
        title = f"{title}, less {gathered.labels.of_value(asked.by, asked.baseline)}"
    beside = gathered.beside(x, *([by] if by else []))
    scales: tuple[Scale | None, Scale | None] = (
        "log" if "x" in asked.log else None,
        "log" if "y" in asked.log else None,
    )
    chart = chart_of(
        points, x, measure, by, gathered.axes, labels=gathered.labels,
        joined=not beside, title=title, scales=scales, width=width, like=like,
    )  # fmt: skip
    if chart is None:
        raise LookupError(f"{x} has too many values for bars: --where chooses some")
    return chart


def points_of(
    gathered: Gathered,
    asked: Question,
    rows: pl.DataFrame,
    measure: str,
    also: Iterable[str] = (),
) -> tuple[pl.DataFrame, list[Caveat]]:
    """Return the points of a measure with their intervals, and their caveats.

    A point has one value of each axis of the figure, of `also`, and of those that vary with these.
    """
    named = [key for key in (asked.x, asked.by, *also) if key]
    keys = [*named, *gathered.beside(*named)]
    of = statistic_of(asked.statistic)
    if asked.statistic == "mean":
        rows = gathered.controlled(rows, keys)
    if asked.baseline is not None:
        points, found = differences_of(rows, measure, keys, asked.by, asked.baseline, of=of)
    else:
        points, found = statistics.summary_of(rows, measure, keys, of=of)
    return points, found


def _named(gathered: Gathered, axis: str) -> str:
    """Return what an axis is called."""
    names = dict(zip(gathered.axes, gathered.labels.of_keys(gathered.axes), strict=True))
    return names.get(axis, axis)
