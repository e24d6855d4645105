"""The page of one run: its record, network, tables and series."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton import figures
from tcphoton.common import quantities, toml
from tcphoton.errors import ScenarioError
from tcphoton.figures import style
from tcphoton.pages.blocks import Code, Facts, Note, Recording, Section, Table, figure, table
from tcphoton.report import topology
from tcphoton.runs import caveats
from tcphoton.runs.measures import unit_of
from tcphoton.runs.results import Report
from tcphoton.runs.summary import share_of_time
from tcphoton.scenario.scenario import Scenario
from tcphoton.traces.recording import recording
from tcphoton.traces.trace import trace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from tcphoton.pages.blocks import Block
    from tcphoton.report.topology import Network
    from tcphoton.runs.caveats import Caveat

__all__ = ["doubts", "network_of", "parameters", "played", "sections", "title"]

ORDERED = {"links": "utilization", "fecs": "bursts", "channels": "utilization"}
"""The columns by which the rows of large tables are sorted, in descending order."""
LEFT_OUT = ("series",)
PLAYED = 1
"""Seconds of a run that are recorded for its page,"""
ROWS_PLAYED = 20_000
"""at most so many rows,"""
EVENTS_PLAYED = 5_000_000
"""at most so many events,"""
LARGEST_PLAYED = 500_000_000
"""of runs that take at most so many bytes."""
GIVEN = ("given", "set", "command-line")
"""Origins of parameters that define a scenario; the last is the second's word of long ago."""


def title(folder: Path) -> str:
    """Return the title of a run."""
    return str(Report.load(folder).record.get("title") or "untitled")


def sections(folder: Path) -> list[Section]:
    """Return the sections on a run.

    Raises
    ------
    OutputError
        There is no complete report.
    """
    report = Report.load(folder)
    scenario = _scenario(report)
    return [
        Section("Summary", [*_stopped(report), *doubts(report.caveats), _summary(report)]),
        Section("Topology", [*network_of(lambda: topology.of_report(report)), *_batch(report)]),
        Section("The network at work", played(scenario, int(report.record["seed"]))),
        Section("Series", _series(report, folder)),
        Section("Tables", _tables(report)),
        Section("Parameters", [parameters(report.record["parameters"])]),
        Section("Run it again", _again(report, scenario)),
    ]


def network_of(find: Callable[[], Network], title: str = "The network") -> list[Block]:
    """Return a drawing of the network that a function returns, or the reason why there is none."""
    try:
        network = find()
    except ScenarioError as error:
        return [Note(f"Not drawn: {error}", "warning")]
    if network.graph.number_of_edges() == 0:
        return [Note("There are no links to draw.")]
    about = f"Drawing of the network: {network}."
    note = f"{network}. Tooltips describe nodes and links."
    if any(about["utilization"] is not None for *_, about in network.graph.edges(data=True)):
        note += (
            " Of links between two nodes the busiest one is told, and the largest share of lost "
            "packets; numbers are written at the busiest links and at those that lost most."
        )
    return [figure(topology.draw(network), title, about, note=note)]


def played(scenario: Scenario | None, seed: int | None = None) -> list[Block]:
    """Return the first packets of a run, to be played; or the reason why there are none."""
    if scenario is None:
        return [Note("The scenario's own file is needed to record its packets: `tcphoton trace`.")]
    try:
        if scenario.checked().memory() > LARGEST_PLAYED:
            return [Note("Not recorded: the run is too large for a page.")]
        duration = quantities.number(scenario.to_dict()["run"]["duration"])
        stop = None if duration <= PLAYED else f"{PLAYED} s"
        traced = trace(
            scenario, seed, stop=stop, limit=ROWS_PLAYED, counters=True, progress=_bounded
        )
    except (ScenarioError, _TooManyEventsError) as error:
        return [Note(f"Not recorded: {error}")]
    about = (
        f"The first {quantities.text(traced.end / 1e12, 's')} of the run: "
        f"{traced.packets.height:,} packets. For another part, or a longer one: tcphoton trace "
        "--format player."
    )
    return [Recording(base64.b64encode(recording(traced)).decode(), about)]


class _TooManyEventsError(Exception):
    """A page is not worth so many events."""


def _bounded(_now: float, _end: float, events: int) -> None:
    if events > EVENTS_PLAYED:
        raise _TooManyEventsError("few packets in many events")


def parameters(entries: Sequence[Mapping[str, Any]]) -> Table:
    """Return all parameters with their origins."""
    rows = [(str(each["key"]), toml.brief(each["value"]), str(each["origin"])) for each in entries]
    names = ("key", "value", "origin")
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    about = {
        "origin": "given by the scenario, set instead of it, from the profile, derived or default"
    }
    return table("Parameters", frame, docs=about, most=2000)


def _stopped(report: Report) -> list[Block]:
    if report.record["stop"] == "end":
        return []
    when = quantities.text(report.record["simulated"], "s")
    return [
        Note(
            f"The run stopped early ({report.record['stop']}) at {when} of simulated time.",
            "warning",
        )
    ]


def _batch(report: Report) -> list[Block]:
    told = share_of_time(report).removeprefix("; ")
    return [Note(f"{told.capitalize()}.", "warning")] if told else []


def doubts(found: Iterable[Caveat]) -> list[Block]:
    """Return a warning for each kind of some caveats."""
    return [
        Note(f"{group.partition(' ')[0]}: {text}.", "warning")
        for group, text in caveats.told(found).items()
    ]


def _summary(report: Report) -> Facts:
    record, versions = report.record, report.record["versions"]
    timing = record["timing"]
    pairs = [
        ("seed", str(record["seed"])),
        ("simulated", quantities.text(record["simulated"], "s")),
        ("events", quantities.text(record["events"])),
        ("wall time", quantities.text(timing["wall"], "s")),
        ("digest of the results", report.digest),
        ("digest of the scenario", str(record.get("scenario-digest", "unknown"))),
        ("conservation", str(record.get("conservation", "unknown"))),
        *((f"{name}", str(version)) for name, version in versions.items()),
    ]
    for name in ("bursts", "switches", "energy"):
        about = record.get(name)
        if isinstance(about, dict):
            pairs += [
                (f"{name}: {key}", quantities.text(value, unit_of(key)))
                for key, value in about.items()
                if isinstance(value, int | float) and value
            ]
    return Facts(pairs)


def _series(report: Report, folder: Path) -> list[Block]:
    """Return a figure for each recorded series."""
    whats = report.series.get_column("what").unique(maintain_order=True).to_list()
    if not whats:
        text = "None were recorded. The key record.series of a scenario selects them."
        return [Note(text)]
    blocks: list[Block] = []
    for what in whats:
        found = report.series.filter(pl.col("what") == what)
        subjects = found.get_column("subject").unique(maintain_order=True)
        chart = figures.series(report, what, width=figures.PAGE)
        shown = min(len(subjects), len(style.COLOURS))
        about = f"{what} over time, {shown} of {len(subjects)} recorded."
        note = "" if shown == len(subjects) else f"The first {shown} of {len(subjects)} recorded."
        command = f"tp.figures.series(tp.Report.load({str(folder)!r}), {what!r})"
        blocks.append(figure(chart, f"{what} over time", about, command=command, note=note))
    return blocks


def _tables(report: Report) -> list[Block]:
    blocks: list[Block] = []
    if streamed := report.record.get("streamed-flows"):
        blocks.append(Note(f"Finished flows were written to separate files: {streamed}."))
    for name, whole in report.tables.items():
        if name in LEFT_OUT or whole.is_empty():
            continue
        order, frame = ORDERED.get(name), whole
        if order in whole.columns:
            frame = whole.sort(order, descending=True, nulls_last=True, maintain_order=True)
        blocks.append(
            table(
                name,
                frame,
                units=report.units[name],
                docs=report.docs[name],
                whole=f"{name}.parquet",
            )
        )
    return blocks


def _scenario(report: Report) -> Scenario | None:
    """Return the scenario of a run if its given parameters define all of it.

    The contents of files are among them, so it needs none of these.
    """
    data: dict[str, Any] = {}
    try:
        for each in report.record["parameters"]:
            way = str(each["key"]).split(".")
            if each["origin"] in GIVEN and way[-1] != "file":
                _put(data, way, each["value"])
        scenario = Scenario.from_dict(_lists(data))
        same = scenario.digest == report.record.get("scenario-digest")
    except (ScenarioError, KeyError, TypeError, ValueError, AttributeError, RecursionError):
        return None
    return scenario if same else None


def _put(data: dict[str, Any], way: Sequence[str], value: object) -> None:
    for step in way[:-1]:
        data = data.setdefault(step, {})
    data[way[-1]] = value


def _lists(value: Any) -> Any:
    """Convert tables with numbers as keys to lists."""
    if not isinstance(value, dict):
        return value
    inner = {key: _lists(each) for key, each in value.items()}
    if inner and all(key.isdigit() for key in inner):
        return [inner[key] for key in sorted(inner, key=int)]
    return inner


def _again(report: Report, scenario: Scenario | None) -> list[Block]:
    command = f"tcphoton run scenario.toml --seed {report.record['seed']} --out DIR"
    if scenario is None:
        text = "The scenario's own file is needed: its given parameters are in the table above."
        return [Note(text), Code(command)]
    text = f"With this scenario the command gives the same digest, {report.digest}."
    return [Note(text), Code(command), Code(scenario.to_toml(), "scenario.toml")]
