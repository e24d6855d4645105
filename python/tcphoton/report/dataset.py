"""The runs of one folder of a sweep, or of several side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton.common import toml
from tcphoton.errors import OutputError, ScenarioError
from tcphoton.runs.measures import leading
from tcphoton.runs.results import Report
from tcphoton.scenario import files
from tcphoton.scenario.scenario import Scenario
from tcphoton.sweep import folder as sweep_folder
from tcphoton.sweep.labels import NO_LABELS, Labels, meaning
from tcphoton.sweep.studies import ASKED

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from tcphoton.analysis.statistics import Until
    from tcphoton.sweep.folder import Kept

__all__ = [
    "FOLDER",
    "NOT_MEASURES",
    "UNKNOWN",
    "Gathered",
    "first_point",
    "gather",
    "scenario_at",
    "varies",
]

FOLDER = "folder"
"""The axis that distinguishes several folders."""
UNKNOWN = "–"
"""The value of an axis in a folder that has no such key."""
NOT_MEASURES = (
    "seed",
    "stop",
    "error",
    "replay",
    "flows",
    "wall",
    "cpu",
    "memory",
    "worker",
    "finished",
    "host",
)
"""Columns of a table of runs that say nothing about the network."""


@dataclass(frozen=True)
class Gathered:
    """Runs with what varies among them.

    Attributes
    ----------
    folders
        The folders that they are from.
    title
        The title of the study, or of all of them.
    axes
        The keys that vary, the outermost first; `FOLDER` is the first of several folders, and an
        axis of named rows stands for their keys.
    rows
        One row per finished run.
    together
        Groups of keys that vary together.
    kept
        The contents of each folder.
    notes
        What is unlike among the folders.
    labels
        The names of the axes and of their values.
    """

    folders: tuple[Path, ...]
    title: str
    axes: tuple[str, ...]
    rows: pl.DataFrame
    together: tuple[frozenset[str], ...]
    kept: tuple[Kept, ...]
    notes: tuple[str, ...] = ()
    labels: Labels = NO_LABELS

    @property
    def varying(self) -> list[str]:
        """The keys with several values among the finished runs."""
        return [axis for axis in self.axes if varies(self.rows, axis)]

    def beside(self, *axes: str) -> list[str]:
        """Return the keys that vary together with some of them."""
        groups = [group for group in self.together if group & set(axes)]
        return [key for key in self.axes if key not in axes and any(key in g for g in groups)]

    @property
    def measures(self) -> list[str]:
        """All measures, those of the rule and those that mean most first."""
        numbers = [
            name
            for name, kind in self.rows.schema.items()
            if (kind.is_numeric() or kind == pl.Boolean)
            and name not in (*self.axes, *self.labels.replaced, *NOT_MEASURES)
            and self.rows.get_column(name).count()
        ]
        rule = [name for each in self.kept for name in each.measures]
        first = [name for name in (*rule, *leading(self.rows)) if name in numbers]
        return list(dict.fromkeys([*first, *numbers]))

    @property
    def leading(self) -> list[str]:
        """The measures that mean most, if they vary."""
        rule = [name for each in self.kept for name in each.measures]
        names = dict.fromkeys([*rule, *leading(self.rows)])
        return [name for name in names if name in self.measures and varies(self.rows, name)]

    @property
    def rule(self) -> Until | None:
        """The rule of the folders; none where they have several."""
        rule = self.kept[0].until
        return rule if all(each.until == rule for each in self.kept) else None

    def controlled(self, rows: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
        """Return rows with the controls of the rule taken out of its measures."""
        return rows if self.rule is None else self.rule.controlled(rows, by)


def varies(rows: pl.DataFrame, name: str) -> bool:
    """Tell whether a column has several values."""
    return name in rows.columns and rows.get_column(name).drop_nulls().n_unique() > 1


def gather(
    folders: Sequence[str | os.PathLike[str]], *, study: int | None = None, timings: bool = False
) -> Gathered:
    """Return the runs of some folders.

    With several folders the axis `FOLDER` has their names. An axis that a folder does not have gets
    the value that this key has in the folder's scenario. Values are written as in the first folder
    that has an equal one.

    Raises
    ------
    OutputError
        One of them has no readable sweep or run, or is named twice.
    """
    paths = [Path(each) for each in folders]
    kept = [sweep_folder.read(each, study=study, timings=timings) for each in paths]
    if len(paths) == 1:
        (one,) = kept
        return _labelled(
            Gathered((paths[0],), one.title, tuple(one.axes), one.table, one.together, tuple(kept)),
            one.labels,
        )
    if len({each.resolve() for each in paths}) < len(paths):
        raise OutputError(f"{', '.join(map(str, paths))}: a folder is named twice")
    axes = list(dict.fromkeys(axis for each in kept for axis in each.axes if axis != FOLDER))
    labels = Labels.merged([each.labels for each in kept])
    notes, tables = [], []
    for path, name, each in zip(paths, _names(paths), kept, strict=True):
        lacking = {
            axis: [value for one in kept for value in one.axes.get(axis, ())]
            for axis in axes
            if axis not in each.axes
        }
        table = each.table
        for axis, value in _fixed(path, each, lacking).items():
            is_plain = isinstance(value, bool | int | float | str)
            column = pl.lit(value if is_plain else toml.shown(value))
            table = table.with_columns(column.alias(axis))
            what, there = labels.names.get(axis, axis), labels.of_value(axis, value)
            notes.append(f"{what} does not vary in {name}: it is {there} there.")
        tables.append(table.with_columns(pl.lit(name).alias(FOLDER)))
    rows = _alike(tables, axes)
    first = [FOLDER, *axes, "seed"]
    rows = rows.select([*first, *(name for name in rows.columns if name not in first)])
    groups = tuple(dict.fromkeys(group for each in kept for group in each.together))
    title = " and ".join(dict.fromkeys(each.title or "untitled" for each in kept))
    found = Gathered(tuple(paths), title, (FOLDER, *axes), rows, groups, tuple(kept), tuple(notes))
    return _labelled(found, labels)


def _labelled(found: Gathered, labels: Labels) -> Gathered:
    """Return runs with the axes of named rows."""
    return replace(
        found,
        axes=tuple(labels.axes(found.axes)),
        rows=labels.with_cases(found.rows),
        together=tuple(group for group in found.together if not group & labels.replaced),
        labels=labels,
    )


def _names(paths: Sequence[Path]) -> list[str]:
    """Return the last part of each path, or all of it where that is not unique."""
    ends = [path.resolve().name for path in paths]
    return ends if len({*ends}) == len(ends) else [str(path) for path in paths]


def _fixed(folder: Path, kept: Kept, axes: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """Return the values that a folder's scenario has for keys that do not vary there.

    Of a table, or a list, it is one of those elsewhere if the scenario with it is the same.
    """
    if not axes:
        return {}
    try:
        if not (folder / ASKED).exists():
            entries = Report.load(folder).record["parameters"]
            scenario = None
        else:
            scenario = first_point(sweep_folder.definition(folder), kept)
            entries = scenario.show()["parameters"] if scenario else []
        known = {str(each["key"]): each["value"] for each in entries}
    except (ScenarioError, KeyError, TypeError):
        scenario, known = None, {}
    found = {}
    for axis, values in axes.items():
        same = (value for value in values if scenario and _is_same(scenario, axis, value))
        found[axis] = known[axis] if axis in known else next(same, UNKNOWN)
    return found


def _is_same(scenario: Scenario, key: str, value: object) -> bool:
    """Tell whether a scenario already has a value."""
    try:
        return scenario.with_texts([(key, toml.inline(value))]).digest == scenario.digest
    except (ScenarioError, TypeError, ValueError):
        return False


def first_point(asked: Mapping[str, Any], kept: Kept) -> Scenario | None:
    """Return the scenario of the first point."""
    return scenario_at(asked, {key: values[0] for key, values in kept.axes.items() if values})


def scenario_at(asked: Mapping[str, Any], point: Mapping[str, Any]) -> Scenario | None:
    """Return the scenario of a point of a sweep that a folder has."""
    text, set_ = asked.get("text"), asked.get("set", [])
    if not isinstance(text, str):
        return None
    try:
        values = {**dict(set_), **point}.items()
        overrides = [*asked.get("overrides", []), *((k, toml.inline(v)) for k, v in values)]
        # A page reads no file: its folder has what its sweep has read.
        read = files.kept(asked)
        read += tuple(each._replace(within="override") for each in read if each.within == "sweep")
        return Scenario(text, "scenario.toml", tuple((k, v) for k, v in overrides), read)
    except (TypeError, ValueError):
        return None


def _alike(tables: Sequence[pl.DataFrame], axes: Sequence[str]) -> pl.DataFrame:
    """Return tables as one in which equal values of an axis are written alike."""
    known: dict[str, dict[object, str]] = {axis: {} for axis in axes}
    found = []
    for table in tables:
        columns = []
        for axis in axes:
            if any(each.schema[axis] == pl.String for each in tables):
                texts = [
                    None
                    if value is None
                    else known[axis].setdefault(meaning(value), toml.shown(value))
                    for value in table.get_column(axis)
                ]
                columns.append(pl.Series(axis, texts, dtype=pl.String))
        found.append(table.with_columns(columns))
    return pl.concat(found, how="diagonal_relaxed")
