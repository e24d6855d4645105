"""What a page needs to answer questions about a study: its runs, axes, measures and caveats."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from scipy import special

from tcphoton.analysis import distributions, points
from tcphoton.analysis.distributions import COMPLETION, ENDED, SHARE
from tcphoton.common import quantities
from tcphoton.errors import ScenarioError
from tcphoton.figures import style
from tcphoton.pages.blocks import Explorer, drawn, figure
from tcphoton.pages.columns import packed
from tcphoton.pages.interactive import enlarged
from tcphoton.report.curves import caveats_of_flows, flows_of
from tcphoton.report.dataset import FOLDER
from tcphoton.report.plot import answer, ask, lines_of
from tcphoton.report.sweep_figures import is_quantity
from tcphoton.runs import caveats
from tcphoton.runs.measures import unit_of
from tcphoton.runs.run import first_event

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tcphoton.pages.blocks import Figure
    from tcphoton.report.dataset import Gathered
    from tcphoton.report.plot import Question
    from tcphoton.scenario.scenario import Scenario

__all__ = ["docs_of", "explorer", "first_question"]

BYTES = 24_000_000
"""Maximum size of all columns of a page; the last measures are left out of larger studies."""
FLOWS = 3_000_000
"""Flows up to which the distribution of completion times is computed."""
CURVES = 2000
"""Maximum points whose distributions a page has."""
LEVEL = 0.95


def explorer(gathered: Gathered, docs: Mapping[str, str]) -> Explorer | None:
    """Return the block that answers questions; none if there is nothing to draw.

    `docs` are the meanings of measures, by the last part of their names.
    """
    asked = first_question(gathered)
    if asked is None:
        return None
    rows, axes = gathered.rows, _axes(gathered)
    measures, left_out = _measures(gathered, docs)
    flows, no_flows = _flows(gathered, axes)
    names = [measure["name"] for measure in measures]
    most = rows.group_by(list(gathered.axes)).len().get_column("len").max() if axes else rows.height
    assert isinstance(most, int)
    others = [axis for axis in gathered.varying if axis not in {asked.x, asked.by}]
    data = {
        "folders": [str(folder) for folder in gathered.folders],
        "rows": rows.height,
        "axes": axes,
        "together": [sorted(group) for group in gathered.together],
        "seed": packed(rows.get_column("seed").to_numpy()),
        "measures": measures,
        "leading": [name for name in gathered.leading if name in names],
        "caveats": _caveats(rows, names),
        "flows": flows,
        "t": [float(special.stdtrit(n, (1 + LEVEL) / 2)) for n in range(1, max(most, 2))],
        "first": {
            "y": list(asked.measures), "x": asked.x, "by": asked.by, "facet": "",
            "where": _first_values(gathered, asked.rows, others),
            "statistic": "mean", "baseline": "", "log": "",
        },
        "style": {
            "config": enlarged(style.theme()["config"]),
            "colours": style.COLOURS, "light": style.LIGHT,
            "dashes": style.DASHES, "shapes": style.SHAPES,
        },
    }  # fmt: skip
    notes = [text for text in (left_out, no_flows) if text]
    return Explorer(data, _picture(gathered, asked), tuple(notes))


def first_question(gathered: Gathered) -> Question | None:
    """Return what is drawn at first: the leading measure, other axes at their first values."""
    varying, measures = gathered.varying, gathered.leading or gathered.measures
    if not varying or not measures:
        return None
    rows = gathered.rows
    counts = {axis: rows.get_column(axis).n_unique() for axis in varying if axis != FOLDER}
    numbers = [axis for axis in counts if is_quantity(rows.get_column(axis))]
    x = max(numbers or counts or [FOLDER], key=lambda axis: counts.get(axis, 0))
    by = FOLDER if FOLDER in varying and x != FOLDER else lines_of(gathered, rows, {x})
    taken = {x, by, *gathered.beside(*(key for key in (x, by) if key))}
    at = _first_values(gathered, rows, [axis for axis in varying if axis not in taken])
    where = [f"{axis}={text}" for axis, text in at.items()]
    try:
        return ask(gathered, measures[0], x, by, where=where)
    except LookupError:
        return None


def _first_values(gathered: Gathered, rows: pl.DataFrame, axes: Sequence[str]) -> dict[str, str]:
    """Return the first values of some axes that most folders have, as texts."""
    if not axes:
        return {}
    kinds = pl.col(FOLDER if FOLDER in rows.columns else axes[0]).n_unique().alias("number of them")
    found = rows.group_by(list(axes), maintain_order=True).agg(kinds)
    best = found.filter(pl.col("number of them") == pl.col("number of them").max()).row(0)
    of_value = gathered.labels.of_value
    return {axis: of_value(axis, value) for axis, value in zip(axes, best, strict=False)}


def _picture(gathered: Gathered, asked: Question) -> Figure:
    """Return the figure that is shown where no script runs."""
    names = gathered.labels.names
    about = f"{asked.measures[0]} against {names.get(asked.x, asked.x)}"
    about += f", one line per value of {names.get(asked.by, asked.by)}" if asked.by else ""
    try:
        chart, _ = answer(gathered, asked)
    except LookupError as error:
        return drawn("", f"{about}: {error}", '<svg xmlns="http://www.w3.org/2000/svg"/>')
    return figure(chart, "", f"{about}.")


def _axes(gathered: Gathered) -> list[dict[str, Any]]:
    """Return the axes with several values, and the place of each run on them."""
    found = []
    labels = gathered.labels
    shorts = dict(zip(gathered.axes, labels.of_keys(gathered.axes), strict=True))
    for key in gathered.axes:
        column = gathered.rows.get_column(key)
        values = column.unique(maintain_order=True).to_list()
        if len(values) < 2:  # noqa: PLR2004
            continue
        number = is_quantity(column)
        if number:
            values.sort(key=quantities.number)
        place = {value: at for at, value in enumerate(values)}
        unit = quantities.base_unit(values[0]) if number else ""
        found.append(
            {
                "key": key,
                "short": shorts[key],
                "name": labels.names.get(key, key),
                "number": number,
                "unit": unit,
                "values": [
                    {"text": labels.of_value(key, each)}
                    | ({"number": quantities.number(each)} if number else {})
                    for each in values
                ],
                "column": packed([place[each] for each in column]),
            }
        )
    return found


def _measures(gathered: Gathered, docs: Mapping[str, str]) -> tuple[list[dict[str, Any]], str]:
    """Return the measures with their columns, and which were left out."""
    found: list[dict[str, Any]] = []
    known: dict[tuple[str, str], str] = {}
    size, out = 0, []
    for name in gathered.measures:
        numbers = gathered.rows.get_column(name).cast(pl.Float64).to_numpy()
        column = packed(np.where(np.isnan(numbers), np.nan, numbers))
        about: dict[str, Any] = {
            "name": name,
            "unit": unit_of(name),
            "about": docs.get(name.rpartition(".")[2], ""),
        }
        if points.is_share(name):
            about["share"] = True
        mark = (column["type"], str(column.get("data", column.get("value"))))
        if mark in known:
            found.append({**about, "like": known[mark]})
            continue
        length = len(column.get("data", ""))
        if size + length > BYTES:
            out.append(name)
            continue
        size += length
        known[mark] = name
        found.append({**about, "column": column})
    note = ""
    if out:
        listed = ", ".join(out[:12]) + (", …" if len(out) > 12 else "")  # noqa: PLR2004
        note = (
            f"{quantities.counted(len(out), 'measure')} left out, as the page would be larger than "
            f"{BYTES / 1e6:.0f} MB: {listed}. tp.plot draws them."
        )
    return found, note


def _caveats(rows: pl.DataFrame, names: Sequence[str]) -> dict[str, Any]:
    """Return what the page needs to tell caveats as `tcphoton.analysis.points` does."""
    runs: dict[tuple[str, tuple[str, ...]], list[tuple[float, float, float]]] = {}
    if any(caveats.ends(name, "unfinished") for name in rows.columns):
        marked = rows.with_row_index("row of a run")
        if caveats.COLUMN in rows.columns:
            marked = marked.filter(pl.col(caveats.COLUMN).ne_missing(caveats.NONE))
        for row in marked.iter_rows(named=True):
            for each in caveats.of_run(row):
                entry = (row["row of a run"], each.value, each.other)
                runs.setdefault((each.kind, each.measures), []).append(entry)
    return {
        "runs": [
            {
                "kind": kind,
                "measures": [name for name in measures if name in names],
                "count": len(entries),
                **{
                    name: packed([entry[at] for entry in entries])
                    for at, name in enumerate(("rows", "value", "other"))
                },
            }
            for (kind, measures), entries in runs.items()
        ],
        "texts": {kind: list(text) for kind, text in caveats.TEXTS.items()},
        "mild": sorted(caveats.MILD),
        "ofFigure": sorted(caveats.OF_FIGURE),
        "quiet": sorted(caveats.QUIET),
        "ofAll": list(caveats.OF_ALL),
        "apart": caveats.APART,
        "quantile": points.QUANTILE.pattern,
        "few": caveats.FEW,
        "slack": points.SLACK,
        "alike": list(points.ALIKE),
    }


def _flows(
    gathered: Gathered, axes: Sequence[Mapping[str, Any]]
) -> tuple[dict[str, Any] | None, str]:
    """Return the distribution of completion times at each point, or why there is none."""
    rows = gathered.rows
    ended = [name for name in ("completed", "unfinished") if name in rows.columns]
    count = sum(float(rows.get_column(name).fill_null(0).sum()) for name in ended)
    if not count or "completed" not in ended:
        return None, ""
    if count > FLOWS:
        return None, f"No distribution of completion times: {count:,.0f} flows are too many."
    try:
        table = flows_of(gathered)
    except LookupError:
        text = 'No distribution of completion times: the folder keeps no flows (keep = ["flows"]).'
        return None, text
    keys = [str(axis["key"]) for axis in axes]
    if math.prod(len(axis["values"]) for axis in axes) > CURVES:
        return None, "No distribution of completion times: the study has too many points."
    flows = distributions.completions(table, [*gathered.axes, "seed"] if gathered.axes else [])
    place = {axis["key"]: {v["text"]: at for at, v in enumerate(axis["values"])} for axis in axes}
    of_value = gathered.labels.of_value
    found = []
    for key, group in flows.group_by(keys, maintain_order=True):
        at, share = distributions.steps(
            group.filter(pl.col(ENDED)).get_column(COMPLETION).to_list(),
            group.filter(~pl.col(ENDED)).get_column(COMPLETION).to_list(),
        )
        if at:
            found.append(
                {
                    "at": [
                        place[name][of_value(name, v)] for name, v in zip(keys, key, strict=True)
                    ],
                    "count": len(at),
                    "x": packed(at),
                    "share": packed(share),
                }
            )
    told = [{"kind": each.kind, "value": each.value} for each in caveats_of_flows(flows)]
    return {"curves": found, "unit": "s", "share": SHARE, "remarks": told}, ""


def docs_of(scenario: Scenario | None) -> dict[str, str]:
    """Return the meanings of measures, from the tables of a scenario's first event."""
    if scenario is None:
        return {}
    try:
        report = first_event(scenario)
    except ScenarioError:
        return {}
    found: dict[str, str] = {}
    names = ("traffic", "links", "flows", "switches", "line-cards", "racks", "circuits",
             "lightpaths", "fibres")  # fmt: skip
    for name in names:
        found = {**report.docs.get(name, {}), **found}
    return found
