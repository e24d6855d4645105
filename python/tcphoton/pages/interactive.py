"""The interactive form of a figure: the same chart with tooltips, zoom, and series that toggle.

The static form does not change: additions are made in a copy of the chart's description.
"""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import altair as alt

Spec = dict[str, Any]
Layer = tuple[Spec, list[Spec]]
"""A layer of a plotting area, and the rows of its table."""

CONCATS = ("hconcat", "vconcat", "concat")
LEGENDS = ("color", "shape", "strokeDash", "fill", "stroke")
"""Channels whose legend toggles series."""
AXES = ("x", "y")
DIGITS = ".5~g"
ENLARGED = 1.6
"""The interactive form is larger than a column of a paper by this factor."""
LENGTHS = {
    "width", "height", "spacing", "offset", "fontSize", "labelFontSize", "titleFontSize",
    "labelPadding", "titlePadding", "rowPadding", "columnPadding", "strokeWidth", "minExtent",
    "tickSize", "symbolStrokeWidth", "labelLimit", "limit", "labelSeparation", "dx", "dy",
    "domainWidth", "gridWidth", "tickWidth",
}  # fmt: skip
AREAS = {"size", "symbolSize"}
SIGNS, ALIKE = ".[]\\", "․⟦⟧⧵"
"""Characters with a meaning in a field's name, which legends cannot bind, and replacements."""
LOOKALIKES, BACK = str.maketrans(SIGNS, ALIKE), str.maketrans(ALIKE, SIGNS)
WHEEL = "wheel![event.ctrlKey || event.metaKey]"
"""Without the key the wheel scrolls the page."""
REACH = 160
"""Size in square points of the invisible marks that show tooltips on a line without points."""


def interactive(chart: alt.TopLevelMixin | Spec) -> Spec:
    """Return the Vega-Lite description of the interactive form of a chart, or of its description.

    A tooltip shows the numbers of the mark at the pointer. Dragging moves a plotting area with
    numeric axes, Ctrl and the wheel zoom it, a double click resets it. A click on an entry of a
    legend hides its series, another click shows it.

    Examples
    --------
    >>> import polars as pl
    >>> from tcphoton import figures
    >>> table = pl.DataFrame({"x": [0, 1, 0, 1], "y": [0.0, 1.0, 2.0, 3.0], "by": list("aabb")})
    >>> spec = interactive(figures.lines(table, "x", "y", "by"))
    >>> [param["name"] for param in spec["layer"][0]["params"]]
    ['zoom_0', 'shown_0_0']
    """
    spec: Spec = chart if isinstance(chart, dict) else chart.to_dict()
    spec = _renamed(enlarged(spec))
    tables: dict[str, list[Spec]] = spec.get("datasets", {})
    views = []
    for number, (view, above) in enumerate(list(_views(spec, {}))):
        _hover(view)
        units = [(unit, _rows(data, tables)) for unit, data in _units(view, above)]
        for unit, rows in units:
            _clip(unit, f"zoom_{number}")
            unit["encoding"] = unit.get("encoding", {}) | _tooltip(unit, units, rows)
        axes = [axis for axis in AXES if any(_is_number(unit, axis) for unit, _ in units)]
        if axes:
            units[0][0].setdefault("params", []).append(_zoom(f"zoom_{number}", axes))
        views.append(units)
    # Plotting areas share a legend unless the chart separates them.
    scales = spec.get("resolve", {}).get("scale", {})
    apart = any(scales.get(channel) == "independent" for channel in LEGENDS[:2])
    for number, units in enumerate(views if apart else [list(itertools.chain(*views))]):
        _toggle(units, f"shown_{number}")
    return spec


def _toggle(units: Sequence[Layer], name: str) -> None:
    """Let the legends of some layers hide and show series, in all of these layers.

    Curves that differ only by their dash have a separate legend.
    """
    holders: dict[tuple[str, bool], Spec] = {}
    groups: dict[tuple[str, bool], dict[Any, None]] = {}
    told = [(unit, rows, _series(unit, rows)) for unit, rows in units]
    for unit, _, series in told:
        for (column, dashed, has_legend), values in series.items():
            groups.setdefault((column, dashed), {}).update(dict.fromkeys(values))
            if has_legend:
                holders.setdefault((column, dashed), unit)
    for number, ((column, dashed), holder) in enumerate(holders.items()):
        param = f"{name}_{number}"
        holder.setdefault("params", []).append(_shown(param, column, groups[column, dashed]))
        for unit, rows, series in told:
            _keep_entries(unit, column, groups[column, dashed])
            own = {dashes for one, dashes, _ in series if one == column} or {False}
            if rows and column in rows[0] and dashed in own:
                shown = {"filter": {"param": param, "empty": False}}
                unit["transform"] = [*unit.get("transform", []), shown]


def _keep_entries(unit: Spec, column: str, groups: Iterable[Any]) -> None:
    """Keep the entries of a legend while their series are hidden."""
    for channel in LEGENDS:
        each = unit.get("encoding", {}).get(channel, {})
        if each.get("type") == "nominal" and _column(each["field"]) == column:
            scale = each.get("scale", {})
            if scale is not None and "domain" not in scale:
                each["scale"] = scale | {"domain": sorted(groups, key=str)}


def enlarged(value: Any, name: str = "") -> Any:
    """Return a copy of a description in which lengths and areas are larger."""
    if isinstance(value, dict):
        whole = {"datasets", "scale", "params", "transform"}
        return {key: each if key in whole else enlarged(each, key) for key, each in value.items()}
    if isinstance(value, list):
        return [enlarged(each) for each in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value * (dict.fromkeys(LENGTHS, ENLARGED) | dict.fromkeys(AREAS, ENLARGED**2)).get(
            name, 1
        )
    return value


def _renamed(spec: Spec) -> Spec:
    """Return a description whose columns have names without special characters."""
    tables = spec.get("datasets", {})
    columns = {name for rows in tables.values() for row in rows for name in row}
    names = {name: name.translate(LOOKALIKES) for name in columns}
    names = {old: new for old, new in names.items() if old != new}

    def renamed(value: Any) -> Any:
        if isinstance(value, list):
            return [renamed(each) for each in value]
        if isinstance(value, str):
            for old, new in names.items():
                value = value.replace(f"datum[{json.dumps(old)}]", f"datum[{json.dumps(new)}]")
            return value
        if not isinstance(value, dict):
            return value
        found = {key: renamed(each) for key, each in value.items() if key != "datasets"}
        if isinstance(value.get("field"), str):
            column = _column(value["field"])
            found["field"] = names.get(column, value["field"])
            if value.get("type") == "quantitative" and column in names:
                found.setdefault("title", column)
        return found

    rows_of = {
        table: [{names.get(key, key): each for key, each in row.items()} for row in rows]
        for table, rows in tables.items()
    }
    return {**renamed(spec), "datasets": rows_of} if names else spec


def rows_in(spec: Spec) -> int:
    """Return the total number of rows in the tables of a description."""
    return sum(len(rows) for rows in spec.get("datasets", {}).values())


def _views(spec: Spec, above: Spec) -> Iterator[tuple[Spec, Spec]]:
    """Yield the plotting areas of a chart, each with the data that it inherits."""
    data = spec.get("data", above)
    for kind in CONCATS:
        if kind in spec:
            for part in spec[kind]:
                yield from _views(part, data)
            return
    yield spec, data


def _units(view: Spec, above: Spec) -> Iterator[tuple[Spec, Spec]]:
    """Yield the layers of a plotting area, each with its data."""
    data = view.get("data", above)
    if "layer" not in view:
        yield view, data
        return
    for layer in view["layer"]:
        yield from _units(layer, data)


def _rows(data: Spec, tables: Mapping[str, list[Spec]]) -> list[Spec]:
    return tables.get(data.get("name", ""), [])


def _hover(view: Spec) -> None:
    """Put invisible points on lines without points, for tooltips."""
    units = [unit for unit, _ in _units(view, {})]
    if not any(_kind(unit) == "point" for unit in units):
        for unit in units:
            if _kind(unit) == "line":
                _put_points(unit)


def _put_points(view: Spec) -> None:
    moved = ("mark", "encoding", "transform")
    line = {key: view.pop(key) for key in moved if key in view}
    found = {axis: line["encoding"][axis] for axis in AXES}
    found["detail"] = [
        {"field": each["field"], "type": each["type"], "title": each.get("title")}
        for channel in LEGENDS
        if "field" in (each := line["encoding"].get(channel, {}))
    ]
    mark = {"type": "point", "opacity": 0, "size": REACH}
    hover = {"mark": mark, "encoding": found, "transform": line.get("transform", [])}
    view["layer"] = [line, hover]


def _kind(unit: Spec) -> str:
    mark = unit.get("mark", "")
    return str(mark if isinstance(mark, str) else mark["type"])


def _clip(unit: Spec, zoom: str) -> None:
    """Clip what was moved or zoomed out of the plotting area.

    Before that, a mark at the edge is drawn completely.
    """
    mark = unit["mark"]
    moved = {"expr": f"length(data('{zoom}_store')) > 0"}
    unit["mark"] = ({"type": mark} if isinstance(mark, str) else mark) | {"clip": moved}


def _is_number(unit: Spec, channel: str) -> bool:
    each = unit.get("encoding", {}).get(channel, {})
    return "field" in each and each.get("type") == "quantitative"


def _zoom(name: str, axes: list[str]) -> Spec:
    select = {"type": "interval", "encodings": axes, "zoom": WHEEL}
    return {"name": name, "select": select, "bind": "scales"}


def _shown(name: str, field: str, values: Iterable[Any]) -> Spec:
    """Return the selection of the series that are shown: all at first."""
    select = {"type": "point", "fields": [field], "toggle": "true", "clear": False}
    value = [{field: each} for each in values]
    return {"name": name, "select": select, "bind": "legend", "value": value}


def _series(unit: Spec, rows: list[Spec]) -> dict[tuple[str, bool, bool], list[Any]]:
    """Return the columns by which a layer distinguishes series, with their groups.

    A key also says whether it does so only by dashes, and whether there is a legend.
    """
    encoding = unit.get("encoding", {})
    channels: dict[str, list[str]] = {}
    for channel in LEGENDS:
        if encoding.get(channel, {}).get("type") == "nominal":
            channels.setdefault(_column(encoding[channel]["field"]), []).append(channel)
    found = {}
    for column, named in channels.items():
        groups = encoding[named[0]].get("scale", {}).get("domain")
        groups = groups or list(dict.fromkeys(row.get(column) for row in rows))
        has_legend = any(encoding[each].get("legend", True) is not None for each in named)
        found[column, named == ["strokeDash"], has_legend] = groups
    return found


def _column(field: str) -> str:
    r"""Return the name of a column that Vega-Lite knows by an escaped name."""
    return field.replace("\\", "")


def _tooltip(unit: Spec, units: Iterable[Layer], rows: list[Spec]) -> Spec:
    """Return the tooltip of a layer's marks: their position, their series, and their interval."""
    encoding = unit.get("encoding", {})
    if _kind(unit) in {"text", "rect", "area"} or not rows or "tooltip" in encoding:
        return {}
    told: dict[str, Spec] = {}
    for channel in (*LEGENDS, "detail", *AXES):
        each = encoding.get(channel, [])
        for one in each if isinstance(each, list) else [each]:
            if "field" in one:
                told.setdefault(one["field"], _line(one))
    for other, _ in units:
        for axis in AXES:
            ends = [
                other.get("encoding", {}).get(key, {}).get("field") for key in (axis, f"{axis}2")
            ]
            if None not in ends and all(_column(str(end)) in rows[0] for end in ends):
                for end, word in zip(ends, ("from", "to"), strict=True):
                    title = f"95 % interval, {word}"
                    told[end] = {
                        "field": end,
                        "type": "quantitative",
                        "title": title,
                        "format": DIGITS,
                    }
    return {"tooltip": list(told.values())}


def _line(encoding: Spec) -> Spec:
    """Return a line of a tooltip."""
    line = {"field": encoding["field"], "type": encoding.get("type", "nominal")}
    line["title"] = encoding.get("title") or _column(encoding["field"]).translate(BACK)
    return line | ({"format": DIGITS} if line["type"] == "quantitative" else {})
