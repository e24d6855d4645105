"""The page of a sweep, or of several side by side: what was found, and any figure of it."""

from __future__ import annotations

import json
import shlex
import tomllib
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton.analysis import statistics
from tcphoton.analysis.points import caveats_of
from tcphoton.common import quantities, toml
from tcphoton.errors import ScenarioError
from tcphoton.pages.blocks import Code, Column, Facts, Note, Section, Table, cell, table
from tcphoton.report import of_run, topology
from tcphoton.report.dataset import first_point, gather, scenario_at
from tcphoton.report.explorer import docs_of, explorer
from tcphoton.report.findings import findings
from tcphoton.report.of_run import doubts, network_of, parameters, played
from tcphoton.report.sweep_figures import in_words
from tcphoton.runs import caveats
from tcphoton.runs.measures import unit_of
from tcphoton.scenario import files
from tcphoton.sweep import designs, studies
from tcphoton.sweep import folder as sweep_folder
from tcphoton.sweep.labels import written
from tcphoton.sweep.precheck import Remarks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tcphoton import _core
    from tcphoton.pages.blocks import Block
    from tcphoton.report.dataset import Gathered
    from tcphoton.runs.caveats import Caveat
    from tcphoton.scenario.scenario import Scenario
    from tcphoton.sweep.folder import Kept

__all__ = ["sections", "title"]

MEASURES = 8
"""Maximum number of measures in the table of points."""
POINTS = 200
"""Maximum number of points in this table."""
LOOK_SECONDS = 2.0
"""Time for checking the scenarios of points."""


def title(folders: Sequence[Path]) -> str:
    """Return the title of a sweep, or of several."""

    def of(folder: Path) -> str:
        # The definition has it; the runs of a large sweep take long to read.
        asked = sweep_folder.definition(folder)
        return str(asked["title"] if asked else sweep_folder.read(folder).title) or "untitled"

    return " and ".join(dict.fromkeys(map(of, folders)))


def sections(folders: Sequence[Path]) -> list[Section]:
    """Return the sections on a sweep, or on several.

    Raises
    ------
    OutputError
        There is no readable sweep.
    """
    gathered = gather(folders, timings=True)
    asked = [sweep_folder.definition(folder) for folder in folders]
    first = [first_point(each, kept) for each, kept in zip(asked, gathered.kept, strict=True)]
    points, found_caveats = _points(gathered)
    page = [
        Section("What this study found", _found(gathered, asked, found_caveats)),
        Section("Explore", _explorer(gathered, first[0]), anchor="explore"),
        Section("Points", [points]),
    ]
    for number, folder in enumerate(folders):
        inside = _of_folder(gathered.kept[number], asked[number], first[number], folder)
        page += inside if len(folders) == 1 else [Section(f"{folder}", [], inside)]
    return page


def _found(
    gathered: Gathered, asked: Sequence[Mapping[str, Any]], of_points: Sequence[Caveat]
) -> list[Block]:
    """Return what opens the page: what is missing or doubtful, and the largest effects."""
    blocks: list[Block] = [note for kept in gathered.kept for note in _missing(kept)]
    blocks += [Note(text) for text in gathered.notes]
    for each, kept in zip(asked, gathered.kept, strict=True):
        blocks += _remarks(each, kept)
    blocks += doubts(of_points)
    found = findings(gathered)
    if found is None:
        blocks.append(Note("Nothing was varied, no run has finished, or all runs are alike."))
        return blocks
    return [*blocks, found]


def _remarks(asked: Mapping[str, Any], kept: Kept) -> list[Block]:
    """Return what the scenarios of a folder's sweep say before any run."""
    if not asked:
        return []

    def checked(_: int, point: Mapping[str, Any]) -> _core.Checked | None:
        scenario = scenario_at(asked, point)
        try:
            return scenario.checked() if scenario is not None else None
        except ScenarioError:
            return None

    remarks = Remarks(designs.axes_of(asked), kept.labels)
    remarks.look(checked, LOOK_SECONDS)
    return [
        *(Note(f"{each.key}: {each.problem}.", "warning") for each in remarks.warnings()),
        *(Note(f"{text}.", "warning") for text in remarks.changes()),
    ]


def _explorer(gathered: Gathered, scenario: Scenario | None) -> list[Block]:
    found = explorer(gathered, docs_of(scenario))
    return [Note("Nothing was varied, or no run has finished.")] if found is None else [found]


def _of_folder(
    kept: Kept, asked: Mapping[str, Any], scenario: Scenario | None, folder: Path
) -> list[Section]:
    """Return the sections on one folder: its definition, its network, and how to run it again."""
    if not asked:
        return [each for each in of_run.sections(folder) if each.title not in {"Series", "Tables"}]
    page = [Section("Summary", [_summary(kept, asked, folder)])]
    if scenario is not None:
        page.append(Section("Topology", _network(kept, scenario, folder)))
        page.append(Section("The network at work", played(scenario)))
        if not scenario.check():
            entries = parameters(_of_axes(scenario.show()["parameters"], kept))
            page.append(Section("Parameters of the first point", [entries]))
    page.append(Section("Run it again", _again(kept, asked, folder)))
    return page


def _network(kept: Kept, scenario: Scenario, folder: Path) -> list[Block]:
    """Return the network, with the mean load of its links at a few points if that is kept."""
    try:
        links = sweep_folder.read(folder, table="links").table
    except LookupError:
        text = 'Utilization and loss are unknown: no tables of links are kept (keep = ["links"]).'
        title = "The network of the first point" if kept.axes else "The network"
        return [*network_of(lambda: topology.of_scenario(scenario), title), Note(text)]
    axes = list(kept.axes)
    if links.is_empty():
        return network_of(lambda: topology.of_scenario(scenario))
    means = links.group_by([*axes, "link"], maintain_order=True).agg(pl.selectors.numeric().mean())
    about = scenario.show()["parameters"]
    blocks: list[Block] = []
    for why, rows in topology.telling(means, axes):
        point = kept.labels.of_point(rows.select(axes).row(0, named=True)) if axes else {}
        names = kept.labels.of_keys(tuple(point))
        at = ", ".join(f"{name} = {text}" for name, text in zip(names, point.values(), strict=True))
        title = f"The network at {why}" if at else "The network"
        blocks += network_of(partial(topology.of_links, rows, about), title)
        blocks.append(Note(f"Means over the seeds at {at}." if at else "Means over the seeds."))
    return blocks


def _of_axes(entries: Sequence[Mapping[str, Any]], kept: Kept) -> list[dict[str, Any]]:
    """Return the parameters of a point, with the sweep as the origin of those of its axes."""

    def is_on_axis(key: str) -> bool:
        return any(key == axis or key.startswith(f"{axis}.") for axis in kept.axes)

    return [
        {**each, "origin": "axis of the sweep" if is_on_axis(str(each["key"])) else each["origin"]}
        for each in entries
    ]


def _missing(kept: Kept) -> list[Block]:
    notes: list[Block] = []
    if kept.missing:
        runs = quantities.counted(kept.missing, "run")
        notes.append(
            Note(
                f"Unfinished: {runs} of the sweep missing. This page shows the finished ones.",
                "warning",
            )
        )
    if kept.early:
        runs = quantities.counted(kept.early, "run")
        text = f"{runs} stopped early: see the column stop of results.csv."
        notes.append(Note(text, "warning"))
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
        ("runs", f"{rows.height:,} finished, {kept.missing:,} missing"),
        ("points", f"{points:,}"),
        ("seeds", f"{seeds:,}"),
    ]
    pairs += _axes(kept)
    for key, value in {**_overrides(asked), **dict(asked.get("set", []))}.items():
        pairs.append((f"set: {key}", in_words([value])))
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
    known = studies.studies(folder)
    if len(known) > 1:
        at = next(each for each in known if each.shown)
        text = f"{at.number} of {len(known)} of this folder, of {at.time}"
        pairs.append(("study", f"{text}: tcphoton results {shlex.quote(str(folder))} --studies"))
    pairs.append(("folder", str(folder)))
    return Facts(pairs)


def _axes(kept: Kept) -> list[tuple[str, str]]:
    """Return the axes with their values, and what each is called."""
    names = kept.labels.names
    pairs = [
        (names.get(case.name, case.name), in_words([*case.rows.values()]))
        for case in kept.labels.cases
    ]
    for key, values in kept.axes.items():
        named = [kept.labels.label(key, value) for value in values]
        words = [
            f"{toml.shown(value)} ({label})" if label else toml.shown(value)
            for value, label in zip(values, named, strict=True)
        ]
        pairs.append((f"{names[key]}: {key}" if key in names else key, in_words(words)))
    return pairs


def _points(gathered: Gathered) -> tuple[Table, list[Caveat]]:
    """Return a table of the mean of each measure at every point, and the caveats of these."""
    axes, labels = list(gathered.axes), gathered.labels
    measures = (gathered.leading or gathered.measures)[:MEASURES]
    # All runs are looked at, and the intervals of the points that the table has.
    of_all = [each for name in measures for each in caveats.of_rows(gathered.rows, name)]
    of_all = [each for each in of_all if each.kind != "transient"]
    rows: list[list[tuple[str, str]]] = []
    shown = gathered.controlled(gathered.rows, axes)
    groups = shown.group_by(axes, maintain_order=True) if axes else [((), shown)]
    count = gathered.rows.select(axes).unique().height if axes else 1
    for number, (values, group) in enumerate(groups):
        if number >= POINTS:
            break
        row = [
            (labels.label(axis, value) or cell(value)[0], cell(value)[1])
            for axis, value in zip(axes, values, strict=True)
        ]
        row.append(cell(group.height))
        of_point: list[Caveat] = []
        for name in measures:
            found = statistics.mean_interval(group.get_column(name).drop_nulls())
            of_point += caveats_of(group, name, found)
            text = quantities.interval(found.mean, found.half_width, unit_of(name))
            row.append((text, repr(found.mean)))
        row.append(cell(caveats.kinds(of_point) or ""))
        of_all += of_point
        rows.append(row)
    names = labels.names
    columns = [
        Column(names.get(axis, axis), "", axis if axis in names else "", number=False)
        for axis in axes
    ]
    columns.append(Column("seeds", "", "", number=True))
    columns += [
        Column(name, unit_of(name), "mean ± half of the 95 % interval", number=True)
        for name in measures
    ]
    columns.append(
        Column(caveats.COLUMN, "", "what to know before these means are believed: see above", False)
    )
    note = f"The first {POINTS} of {count:,} points. All are in results.csv." * (count > POINTS)
    if gathered.rule and gathered.rule.controls:
        of = ", ".join(gathered.rule.controls)
        note += f" Controlled by {of}: chance is taken out. The explorer has the measured values."
    return Table("Points, means over their seeds", columns, rows, note.strip()), of_all


def _overrides(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys that replace some of the scenario's text, as values."""
    return {key: toml.value_of(value) for key, value in asked.get("overrides", [])}


def _again(kept: Kept, asked: Mapping[str, Any], folder: Path) -> list[Block]:
    command = f"tcphoton sweep sweep.toml --out {shlex.quote(str(folder))}"
    if not isinstance(asked.get("text"), str):
        return [Code(command)]
    try:
        data = {
            "title": kept.title,
            "scenario": "scenario.toml",
            "seeds": asked.get("seeds", []),
            "set": {**_overrides(asked), **dict(asked.get("set", []))},
            "over": dict(asked["over"]),
            "sample": asked.get("sample"),
            "keep": asked.get("keep"),
            **written(asked),
            "until": {key: asked["until"][key] for key in asked["until"] if key != "level"}
            if asked.get("until")
            else None,
        }
        data = {key: value for key, value in data.items() if value}
        text, scenario, left = toml.dumps(data), asked["text"], ""
        if contents := files.contents(asked, text):
            # The page is complete without the files that the scenario names.
            text = toml.dumps(files.inlined(data, contents))
            scenario = toml.dumps(files.inlined(tomllib.loads(scenario), contents))
            left = ", ".join(name for name in contents if json.dumps(name) in text + scenario)
    except (TypeError, ValueError, KeyError):
        return [Code(command)]
    note = "Finished runs are not repeated; missing ones are added."
    if left:
        note = f"{note} Files that vary are needed beside these: {left}."
    return [Note(note), Code(command), Code(text, "sweep.toml"), Code(scenario, "scenario.toml")]
