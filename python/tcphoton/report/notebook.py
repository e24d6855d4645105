"""How scenarios, sweeps and reports are shown in a notebook: tables and a drawing in HTML.

All content of scenarios and results is escaped, and its size is limited: a scenario of a million
lines and a report of a million flows make a page of some kilobytes, and a network of many switches
is not drawn. Tables have the notebook's own style, light or dark.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

from tcphoton.common import display, quantities
from tcphoton.errors import ScenarioError
from tcphoton.runs.caveats import told

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import polars as pl

    from tcphoton.report.topology import Network
    from tcphoton.runs.results import Report
    from tcphoton.scenario.scenario import Scenario
    from tcphoton.sweep.sweep import Sweep
    from tcphoton.traces.trace import Trace

__all__ = ["of_report", "of_scenario", "of_sweep", "register"]

ROWS = 8
"""Maximum rows of a table."""
COLUMNS = 20
"""Maximum columns of a table."""
LINES = 120
"""Maximum lines of a scenario's text."""
LONGEST = 160
"""Maximum characters of a line or a value."""
MISTAKES = 10
"""Maximum number of errors."""
SWITCHES = 60
"""Maximum number of nodes with several neighbours in a network that is drawn."""
VALUES = 12
"""Maximum values of a key."""
SET = ("given", "set")
"""Origins of values that were set explicitly."""
OPEN = ("traffic",)
"""Tables that are unfolded at first."""


def register() -> None:
    """Register the display of scenarios, reports and sweeps."""
    display.register("scenario", of_scenario)
    display.register("report", of_report)
    display.register("sweep", of_sweep)
    display.register("trace", _of_trace)


def _of_trace(trace: Trace) -> str:
    from tcphoton.report.widget import of_trace

    return of_trace(trace)


def of_report(report: Report) -> str:
    """Return a report: its facts, and the first rows of each table that has some.

    Columns with only zeros are left out; units are with the values, and the meaning of a column is
    the tooltip of its heading.
    """
    record = report.record
    facts = {
        "seed": record.get("seed"),
        "simulated": quantities.text(record.get("simulated"), "s"),
        "events": quantities.text(record.get("events")),
        "wall time": quantities.text(record.get("timing", {}).get("wall"), "s"),
        "digest": report.digest,
    }
    if record.get("stop") not in {None, "end"}:
        facts["stopped early"] = record["stop"]
    parts = [_heading(record.get("title")), _facts(facts)]
    parts += [
        f"<p>⚠ <b>{_short(kind)}</b>: {html.escape(text)}</p>"
        for kind, text in told(report.caveats).items()
    ]
    if "links" in report.tables:
        from tcphoton.report import topology

        parts.append(_sketch(topology.of_report(report)))
    for name in sorted(report.tables, key=lambda name: name not in OPEN):
        rows = report.tables[name].height
        if rows:
            parts.append(_folded(f"{name} ({rows:,})", _frame(report, name), name in OPEN))
    return _whole(parts)


def of_scenario(scenario: Scenario) -> str:
    """Return a scenario: the engine's description and the text; or the errors."""
    try:
        text = scenario.to_toml()
    except ScenarioError as error:
        text, mistakes = scenario.text, error.mistakes
    else:
        mistakes = scenario.check()
    source = _folded(f"{scenario.file}, as TOML", _text(text), is_open=bool(mistakes))
    if mistakes:
        told = "".join(f"<li>{_short(mistake)}</li>" for mistake in mistakes[:MISTAKES])
        more = len(mistakes) - MISTAKES
        told += f"<li>… and {more:,} more</li>" if more > 0 else ""
        return _whole([_heading(scenario.file), f"<p>errors</p><ul>{told}</ul>", source])
    shown = scenario.show()
    plain = {key: value for key, value in shown.items() if not isinstance(value, dict | list)}
    parts = [_heading(plain.pop("title", "")), _facts({k: v for k, v in plain.items() if v})]
    traffic = [
        {"traffic": at, **{key: value for key, value in entry.items() if key != "paths"}}
        for at, entry in enumerate(shown["traffic"])
    ]
    paths = [
        {"traffic": at, **path}
        for at, entry in enumerate(shown["traffic"])
        for path in entry.get("paths") or []
    ]
    if shown["routers"] <= SWITCHES:
        from tcphoton.report import topology

        parts.append(_sketch(topology.of_scenario(scenario)))
    parts.append(_folded(f"traffic ({len(traffic):,})", _records(traffic), is_open=True))
    if paths:
        parts.append(_folded(f"paths ({len(paths):,})", _records(paths)))
    taken = [each for each in shown["parameters"] if each["origin"] not in SET]
    title = f"defaults and derived values ({len(taken):,})"
    parts += [_folded(title, _records(taken, most=4 * ROWS)), source]
    return _whole(parts)


def of_sweep(sweep: Sweep) -> str:
    """Return a sweep: its grid, its seeds, and the resulting number of runs."""
    try:
        points, seeds = len(sweep.points), sweep.seeds
    except (TypeError, ValueError):  # invalid axes, which its check reports
        told = "".join(f"<li>{_short(mistake)}</li>" for mistake in sweep.check()[:MISTAKES])
        return _whole([_heading(sweep.title), f"<p>errors</p><ul>{told}</ul>"])
    from tcphoton.sweep.designs import columns_of
    from tcphoton.sweep.labels import NO_LABELS

    facts: dict[str, object] = {"points": f"{points:,}", "seeds": _values(seeds)}
    if sweep.until is None:
        runs = points * (seeds if isinstance(seeds, int) else len(seeds))
        facts["runs"] = f"{runs:,}"
    else:
        rule = sweep.until
        until = (
            f"the interval of {' and of '.join(rule.measures)} is within "
            f"± {rule.relative_half_width:.2g} of its mean, with {rule.at_least} to "
            f"{rule.at_most} seeds"
        )
        if rule.against:
            until += f", as a ratio to the point of {rule.base}"
        if rule.controls:
            until += f", controlled by {', '.join(rule.controls)}"
        facts["until"] = until
    axes = columns_of(sweep.axes)
    try:
        labels = sweep.names
    except ScenarioError:  # of its scenario, which is shown below
        labels = NO_LABELS
    grid = [
        {
            "key": f"{labels.names[key]} ({key})" if key in labels.names else key,
            "values": _values([labels.of_value(key, value) for value in values]),
        }
        for key, values in axes.items()
    ]
    grid += [
        {
            "key": labels.names.get(case.name, case.name),
            "values": _values([*case.rows.values()]),
        }
        for case in labels.cases
    ]
    fixed = [{"key": key, "value": _values(value)} for key, value in sweep.set_.items()]
    parts = [_heading(sweep.title or sweep.scenario.file), _facts(facts), _records(grid)]
    if fixed:
        parts.append(_folded(f"set at every point ({len(fixed):,})", _records(fixed)))
    return _whole([*parts, _folded("its scenario", of_scenario(sweep.scenario))])


def _sketch(network: Network) -> str:
    """Return a drawing of a network, or nothing if it is large or has no links."""
    from tcphoton.pages.blocks import figure
    from tcphoton.report import topology

    switches = sum(degree > 1 for _, degree in network.graph.degree)
    if switches > SWITCHES or not network.graph.number_of_edges():
        return ""
    drawing = figure(topology.draw(network), "", "")
    picture = (
        f'<img src="{drawing.picture}" width="{drawing.width}" style="max-width: 100%" '
        f'alt="{_short(f"Drawing of the network: {network}")}"/>'
    )
    return _folded(f"network: {network}", picture, is_open=True)


def _frame(report: Report, name: str) -> str:
    from tcphoton.runs.summary import says_something

    frame: pl.DataFrame = report.tables[name]
    if name == "links":
        busiest = {"descending": True, "nulls_last": True, "maintain_order": True}
        frame = frame.sort("utilization", **busiest)
    head = frame.head(ROWS)
    columns = [column for column in frame.columns if says_something(frame, column)][:COLUMNS]
    units, docs = report.units.get(name, {}), report.docs.get(name, {})
    rows = [
        [_cell(value, units.get(column, "")) for column, value in zip(columns, row, strict=True)]
        for row in head.select(columns).iter_rows()
    ]
    left_out = frame.height - head.height
    which = "the busiest of them; " if name == "links" and left_out else ""
    more = f"<p>… {which}{left_out:,} more rows in <code>report.tables[{name!r}]</code></p>"
    return _table(columns, rows, docs) + (more if left_out else "")


def _records(records: Sequence[Mapping[str, Any]], most: int = ROWS) -> str:
    from tcphoton.runs.summary import UNITS

    names = list(dict.fromkeys(name for record in records for name in record))[:COLUMNS]
    rows = [
        [_cell(record.get(name, ""), UNITS.get(name, "")) for name in names]
        for record in records[:most]
    ]
    more = f"<p>… and {len(records) - most:,} more</p>" if len(records) > most else ""
    return _table(names, rows) + more


def _table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], docs: Mapping[str, str] | None = None
) -> str:
    def heading(column: str) -> str:
        about = html.escape((docs or {}).get(column, ""))
        return (
            f'<th title="{about}">{_short(column)}</th>' if about else f"<th>{_short(column)}</th>"
        )

    head = "".join(map(heading, columns))
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return (
        f'<table style="white-space: nowrap">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _text(text: str) -> str:
    lines = text.splitlines()
    shown = "\n".join(_short(line) for line in lines[:LINES])
    more = f"\n# … and {len(lines) - LINES:,} more lines" if len(lines) > LINES else ""
    return f"<pre>{shown}{more}</pre>"


def _values(values: object) -> str:
    if not isinstance(values, list | tuple):
        return str(values)
    more = f", … ({len(values):,} values)" if len(values) > VALUES else ""
    return ", ".join(map(str, values[:VALUES])) + more


def _cell(value: object, unit: str = "") -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float) or value is None:
        return _short(quantities.text(value, unit))
    return _short(_values(value))


def _short(value: object) -> str:
    """Return a value's text, shortened and escaped."""
    text = str(value)
    return html.escape(text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…")


def _facts(facts: Mapping[str, object]) -> str:
    return (
        "<p>"
        + " · ".join(f"{_short(key)} <b>{_short(each)}</b>" for key, each in facts.items())
        + "</p>"
    )


def _heading(title: object) -> str:
    return f"<p><b>{_short(title or 'untitled')}</b></p>"


def _folded(title: str, inside: str, is_open: bool = False) -> str:
    return (
        f"<details{' open' if is_open else ''}><summary>{_short(title)}</summary>{inside}</details>"
    )


def _whole(parts: Iterable[str]) -> str:
    return f'<div class="tcphoton" style="overflow-x: auto">{"".join(parts)}</div>'
