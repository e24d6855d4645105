"""What a page says of a sweep: what was asked, what is there, and a figure an axis."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton import designs, figures, quantities, statistics, sweep_folder, toml
from tcphoton.measures import unit_of
from tcphoton.report import topology
from tcphoton.report.blocks import Choice, Code, Facts, Note, Section, figure, table
from tcphoton.report.of_run import network_of, parameters
from tcphoton.scenario import Scenario
from tcphoton.sweep_table import SHOWN, short_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tcphoton.report.blocks import Block, Figure
    from tcphoton.sweep_folder import Kept

__all__ = ["sections", "title"]

MEASURES = 12
"""Measures that a figure offers to choose from."""
NOT_MEASURES = (
    "seed",
    "stop",
    "error",
    "replay",
    "flows",
    "wall",
    "cpu",
    "worker",
    "finished",
    "host",
)
WIDTH = 5.0
"""Inches of a figure."""
GROUPS = len(figures.COLOURS)
LISTED = 12
"""Values of an axis that are listed."""
BARS = 24
"""Values of an axis of names that a figure has bars for."""


def title(folder: Path) -> str:
    """Return the title of a sweep."""
    return sweep_folder.read(folder).title or "untitled"


def sections(folder: Path) -> list[Section]:
    """Return what a page says of a sweep.

    Raises
    ------
    OutputError
        There is no sweep that can be read.
    """
    kept, asked = sweep_folder.read(folder, timings=True), _asked(folder)
    scenario = _scenario(asked, kept)
    measures = _measures(kept)
    drawn: list[Block] = [Note("Nothing was varied, or no run has finished.")]
    if choices := _choices(kept, measures, folder):
        drawn = [*choices]
    found = [
        Section("Summary", [*_missing(kept), _summary(kept, asked, folder)]),
        Section("Figures", drawn),
        Section("Points", [_points(kept, measures)]),
    ]
    if scenario is not None:
        drawing = network_of(lambda: topology.of_scenario(scenario))
        found.append(Section("Topology of the first point", drawing))
        if not scenario.check():
            entries = parameters(scenario.show()["parameters"])
            found.append(Section("Parameters of the first point", [entries]))
    found.append(Section("Run it again", _again(kept, asked, folder)))
    return found


def _asked(folder: Path) -> dict[str, Any]:
    """Return what was asked, as far as the folder says it; of a run nothing."""
    try:
        asked = json.loads((folder / sweep_folder.ASKED).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return asked if isinstance(asked, dict) else {}


def _scenario(asked: Mapping[str, Any], kept: Kept) -> Scenario | None:
    """Return the scenario of the first point."""
    text, set_ = asked.get("text"), asked.get("set", [])
    if not isinstance(text, str):
        return None
    first = {key: values[0] for key, values in kept.axes.items() if values}
    try:
        return Scenario.from_text(text, "scenario.toml").with_({**dict(set_), **first})
    except (TypeError, ValueError):
        return None


def _missing(kept: Kept) -> list[Block]:
    notes: list[Block] = []
    if kept.missing:
        runs = f"{kept.missing:,} run{'s' * (kept.missing > 1)}"
        notes.append(
            Note(
                f"Unfinished: {runs} of the sweep missing. What is below is what is there.",
                "warning",
            )
        )
    if "stop" in kept.table.columns:
        stops = kept.table.get_column("stop").drop_nulls()
        early = stops.len() - stops.is_in(["end", "failed"]).sum()
        if early:
            notes.append(
                Note(
                    f"{early:,} of the runs stopped early: see the column stop of results.csv.",
                    "warning",
                )
            )
    if "error" in kept.table.columns:
        failed = kept.table.filter(pl.col("error").is_not_null())
        if failed.height:
            names = [
                *kept.axes,
                "seed",
                *(name for name in ("error", "replay") if name in failed.columns),
            ]
            notes.append(Note(f"{failed.height:,} of the runs failed.", "warning"))
            notes.append(table("Failed runs", failed.select(names)))
    return notes


def _summary(kept: Kept, asked: Mapping[str, Any], folder: Path) -> Facts:
    rows = kept.table
    points = rows.select(list(kept.axes)).unique().height if kept.axes else min(rows.height, 1)
    seeds = rows.get_column("seed").n_unique() if rows.height else 0
    pairs = [
        ("runs", f"{rows.height:,} there, {kept.missing:,} missing"),
        ("points", f"{points:,}"),
        ("seeds", f"{seeds:,}"),
    ]
    pairs += [(key, _values(values)) for key, values in kept.axes.items()]
    for key, value in asked.get("set", []):
        pairs.append((f"set: {key}", _values([value])))
    if asked.get("until"):
        pairs.append(("until", toml.inline(asked["until"])))
    if "results-revision" in asked:
        pairs.append(("results revision", str(asked["results-revision"])))
    for name, word in (("cpu", "processor time of all runs"), ("events", "events of all runs")):
        if name in rows.columns and (total := rows.get_column(name).sum()):
            pairs.append((word, quantities.text(float(total), "s" if name == "cpu" else "")))
    if "finished" in rows.columns:
        times = [str(each) for each in rows.get_column("finished").drop_nulls()]
        if times:
            pairs.append(
                (
                    "finished",
                    min(times) if min(times) == max(times) else f"{min(times)} to {max(times)}",
                )
            )
    pairs.append(("folder", str(folder)))
    return Facts(pairs)


def _values(values: Sequence[Any]) -> str:
    shown = ", ".join(
        value if isinstance(value, str) else toml.inline(value) for value in values[:LISTED]
    )
    return shown if len(values) <= LISTED else f"{shown}, … ({len(values):,} values)"


def _measures(kept: Kept) -> list[str]:
    """Return the measures of a sweep's figures, the main ones first."""
    rows = kept.table
    numbers = [
        name
        for name, kind in rows.schema.items()
        if kind.is_numeric() and name not in (*kept.axes, *NOT_MEASURES) and _varies(rows, name)
    ]
    main = [name for name in (kept.measure, *SHOWN) if name in numbers]
    plain = [name for name in numbers if not name.startswith("traffic.")]
    return list(dict.fromkeys([*main, *plain, *numbers]))[:MEASURES]


def _varies(rows: pl.DataFrame, name: str) -> bool:
    return rows.get_column(name).drop_nulls().n_unique() > 1


def _choices(kept: Kept, measures: Sequence[str], folder: Path) -> list[Choice]:
    """Return the figures of each axis with several values, a measure at a time."""
    found = []
    for axis in kept.axes:
        if kept.table.height and kept.table.get_column(axis).n_unique() > 1:
            drawn = [
                (name, each) for name in measures if (each := _against(kept, axis, name, folder))
            ]
            if drawn:
                found.append(Choice(f"Against {axis}", "measure", drawn))
    return found


def _against(kept: Kept, axis: str, measure: str, folder: Path) -> Figure | None:
    """Draw a measure against an axis, a line for each value of another one."""
    rows = kept.table.filter(pl.col(measure).is_not_null(), pl.col(axis).is_not_null())
    beside = next((group for group in kept.together if axis in group), frozenset([axis]))
    others = [key for key in kept.axes if key not in beside and _varies(rows, key)]
    counts = {key: rows.get_column(key).n_unique() for key in others}
    alone = [key for key in others if not any(key in group for group in kept.together)]
    few = [key for key in alone if counts[key] <= GROUPS]
    by = max(few, key=counts.__getitem__, default=None)
    fixed = {key: kept.axes[key][0] for key in others if key != by}
    chosen = rows.filter(_is(rows, key, value) for key, value in fixed.items()) if fixed else rows
    if chosen.get_column(axis).n_unique() < 2:  # noqa: PLR2004
        return None
    # What varies with the axis differs from point to point: no line leads from one to the next.
    scattered = len(beside) > 1
    names = dict(zip(kept.axes, short_names(list(kept.axes)), strict=True))
    chart = _chart(chosen, axis, measure, by, names, joined=not scattered)
    if chart is None:
        return None
    seeds = f"{chosen.get_column('seed').n_unique():,} seeds"
    about = f"{measure} against {axis}" + (f", a line for each value of {by}" if by else "")
    at = ", ".join(f"{key} = {_values([value])}" for key, value in fixed.items())
    note = f"Means and 95 % intervals over at most {seeds}." + (f" With {at}." if at else "")
    if scattered:
        note += f" With it vary {', '.join(sorted(beside - {axis}))}."
    command = _command(folder, axis, measure, by, fixed)
    return figure(chart, f"{measure} against {axis}", about, command=command, note=note)


def _is(rows: pl.DataFrame, key: str, value: Any) -> pl.Expr:
    if rows.schema[key] == pl.String and not isinstance(value, str):
        value = toml.inline(value)
    return pl.col(key).eq(value)


def _chart(
    rows: pl.DataFrame,
    axis: str,
    measure: str,
    by: str | None,
    names: Mapping[str, str],
    *,
    joined: bool,
) -> Any:
    """Return a chart of lines over numbers, of bars over names."""
    factor, unit = _prefix(rows.get_column(measure), unit_of(measure))
    rows = rows.with_columns((pl.col(measure) / factor).alias(measure))
    titles = {axis: names[axis], measure: measure}
    legend = names[by] if by else ""
    if not _is_quantity(rows.get_column(axis)):
        if rows.get_column(axis).n_unique() > BARS:
            return None
        rows = rows.with_columns(pl.col(axis).cast(pl.String))
        means = statistics.summarise(rows, measure, [axis, *([by] if by else [])])
        units = {measure: unit}
        return figures.bars(
            means, axis, measure, by, units=units, titles=titles, legend=legend, width=WIDTH
        )
    across, base = _prefixed(rows.get_column(axis))
    rows = rows.with_columns(across)
    units = {measure: unit, axis: base}
    scales = _scales(across)
    chart = figures.lines(
        rows,
        axis,
        measure,
        by,
        units=units,
        titles=titles,
        legend=legend,
        scales=scales,
        width=WIDTH,
    )
    if not joined:
        chart.layer = [
            each for each in chart.layer if getattr(each.mark, "type", each.mark) != "line"
        ]
    return chart


def _is_quantity(column: pl.Series) -> bool:
    if column.dtype == pl.Boolean:
        return False
    if column.dtype.is_numeric():
        return True
    try:
        return len({quantities.base_unit(value) for value in column.unique()}) == 1
    except ValueError:
        return False


def _prefixed(column: pl.Series) -> tuple[pl.Series, str]:
    """Return the numbers of an axis in a readable unit, and that unit."""
    if column.dtype.is_numeric():
        return column, ""
    numbers = pl.Series(column.name, [quantities.number(value) for value in column])
    factor, unit = _prefix(numbers, quantities.base_unit(column[0]))
    # Rounded, so that the same quantity is the same number.
    return (numbers / factor).round(9), unit


def _prefix(column: pl.Series, unit: str) -> tuple[float, str]:
    """Return a factor and the unit with its prefix by which the largest number is easily read."""
    most = column.abs().max()
    if not unit or not isinstance(most, int | float) or not most or not math.isfinite(most):
        return 1.0, unit
    prefixed = quantities.text(float(most), unit).rpartition(" ")[2]
    if not prefixed.endswith(unit):
        return 1.0, unit
    prefix = prefixed.removesuffix(unit)
    return float(quantities.PREFIXES[prefix]), prefixed


def _scales(across: pl.Series) -> tuple[figures.Scale, figures.Scale]:
    """Return a logarithmic scale for an axis whose values are spread over more than two decades."""
    low, high = across.min(), across.max()
    assert isinstance(low, int | float)
    assert isinstance(high, int | float)
    return ("log" if low > 0 and high / low > 100 else "linear", "linear")  # noqa: PLR2004


def _points(kept: Kept, measures: Sequence[str]) -> Any:
    """Return a table of the mean of each measure at every point, with its interval."""
    axes, rows = list(kept.axes), []
    groups = kept.table.group_by(axes, maintain_order=True) if axes else [((), kept.table)]
    for values, group in groups:
        row = dict(zip(axes, values, strict=True)) | {"seeds": group.height}
        for name in measures:
            found = statistics.mean_interval(group.get_column(name).drop_nulls())
            finite = math.isfinite(found.half_width)
            row |= {name: found.mean, f"± {name}": found.half_width if finite else None}
        rows.append(row)
    frame = pl.DataFrame(rows, infer_schema_length=None)
    units = {name: unit_of(name.removeprefix("± ")) for name in frame.columns}
    docs = {f"± {name}": f"half the width of the 95 % interval of {name}" for name in measures}
    return table(
        "Points, means over their seeds",
        frame,
        units=units,
        docs=docs,
        whole="results.csv, a row a run",
    )


def _command(
    folder: Path, axis: str, measure: str, by: str | None, fixed: Mapping[str, Any]
) -> str:
    """Return the lines of Python that make a figure like it."""
    lines = ["import polars as pl", "import tcphoton as tp", ""]
    lines.append(f"rows = pl.read_csv({str(folder / 'results.csv')!r})")
    lines += [f"rows = rows.filter(pl.col({key!r}) == {value!r})" for key, value in fixed.items()]
    lines.append(f"tp.figures.lines(rows, {axis!r}, {measure!r}{f', {by!r}' if by else ''})")
    return "\n".join(lines)


def _again(kept: Kept, asked: Mapping[str, Any], folder: Path) -> list[Block]:
    command = f"tcphoton sweep sweep.toml --out {folder}"
    if not isinstance(asked.get("text"), str):
        return [Code(command)]
    try:
        data = {
            "title": kept.title,
            "scenario": "scenario.toml",
            "seeds": asked.get("seeds", []),
            "set": dict(asked.get("set", [])),
            "over": dict(asked["over"]),
            "zip": [dict(axis) for axis in asked.get("zip", [])],
            "cases": [
                case for axis in asked.get("cases", []) for case in designs.points_of([dict(axis)])
            ],
            "sample": asked.get("sample"),
            "until": {key: asked["until"][key] for key in asked["until"] if key != "level"}
            if asked.get("until")
            else None,
        }
        text = toml.dumps({key: value for key, value in data.items() if value})
    except (TypeError, ValueError, KeyError):
        return [Code(command)]
    note = "What is there is not run again; what is missing is added."
    return [
        Note(note),
        Code(command),
        Code(text, "sweep.toml"),
        Code(asked["text"], "scenario.toml"),
    ]
