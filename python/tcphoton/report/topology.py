"""Drawings of networks, from two nodes to hundreds."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import altair as alt
import networkx as nx
import numpy as np
import polars as pl

from tcphoton import figures
from tcphoton.common import quantities
from tcphoton.figures import style

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tcphoton.runs.results import Report
    from tcphoton.scenario.scenario import Scenario

__all__ = ["Network", "draw", "of_links", "of_report", "of_scenario", "telling"]

ARROW = " -> "
LOAD = ("utilization", "loss")
"""What is known of a link that has carried packets."""
DROPPED = ("dropped-queue", "dropped-red", "dropped-loss", "dropped-down", "dropped-burst")
BUSY = 0.05
"""Utilization from which it is written at a link."""
TOLD = 12
"""Maximum links whose load is written: the busiest, and those that lost most."""
GATHERED = 6
"""Hosts behind a node from which they are drawn as one symbol with their number."""
CROWDED = 60
"""Nodes from which hosts are always grouped, and only some names are written."""
NAMES, NAMES_IN_ROW = 40, 16
"""Maximum nodes of a drawing, or of a row in a drawing with rows, whose names are written."""
SOLVED = 120
"""Maximum nodes for an exact layout; a larger network gets a spring layout."""
TREES = (("core", "agg", "edge"), ("spine", "leaf"))
"""Prefixes of the names of switches in rows, from the top: of a fat tree, of leaf and spine."""
HEIGHTS = (1.1, 4.5)
"""Minimum and maximum height of a drawing in inches."""
WIDTH = figures.PAGE - 0.4
ROOM = 0.35
"""Margin of a drawing in inches, for names."""
FLAT = 0.05
"""Ratio of height to width from which a drawing counts as a line."""
HOST, HOSTS, SWITCH = "host", "hosts", "switch or router"


@dataclass(frozen=True)
class Network:
    """Nodes with the links between them.

    Attributes
    ----------
    graph
        One edge for all links between two nodes: their number ``links`` in both directions, the
        ``rate`` of one in b/s, and the largest ``utilization`` and ``loss`` if they are known: the
        share of the packets offered to a link that it dropped.
    kinds
        The known kinds of nodes: ``"edge"``, ``"core"``, ``"host"``.
    """

    graph: nx.Graph[str]
    kinds: Mapping[str, str]

    def __str__(self) -> str:
        """Return its size in words."""
        nodes = self.graph.number_of_nodes()
        links = sum(about["links"] for *_, about in self.graph.edges(data=True))
        hosts = len(_leaves(self.graph))
        return f"{nodes:,} nodes, {hosts:,} of them with one neighbour, and {links:,} one-way links"


def of_report(report: Report) -> Network:
    """Return the network of a run, from its table of links."""
    return of_links(report.links, report.record["parameters"])


def of_links(links: pl.DataFrame, parameters: Sequence[Mapping[str, Any]]) -> Network:
    """Return a network from a table of its links: of a run, or the means of several runs."""
    graph: nx.Graph[str] = nx.Graph()
    shown = _with_loss(links).select("link", "rate", "utilization", "loss")
    for link, rate, used, loss in shown.iter_rows():
        start, arrow, end = str(link).partition(ARROW)
        end = end.rpartition(":")[0] or end
        if arrow and start != end:
            known = graph.get_edge_data(start, end, {"links": 0, **dict.fromkeys(LOAD)})
            most = {
                name: _most(known[name], each)
                for name, each in zip(LOAD, (used, loss), strict=True)
            }
            graph.add_edge(start, end, links=known["links"] + 1, rate=rate, **most)
    return Network(graph, _kinds(parameters))


def _with_loss(links: pl.DataFrame) -> pl.DataFrame:
    """Return links with the share of the packets offered to each that it dropped."""
    lost = pl.sum_horizontal(pl.col(name) for name in links.columns if name in DROPPED)
    share = pl.when(pl.col("packets-in") > 0).then(lost / pl.col("packets-in"))
    return links.with_columns(share.alias("loss"))


def telling(links: pl.DataFrame, axes: Sequence[str]) -> list[tuple[str, pl.DataFrame]]:
    """Return the links of a few points of a sweep: the first, the busiest, that with most loss.

    Each has what it is called, and the rows of its links; a point that is several has the names
    of all.
    """
    if not axes:
        return [("the only point", links)]
    of_points = _with_loss(links).group_by(axes, maintain_order=True)
    most = of_points.agg(pl.col(name).max() for name in LOAD).fill_null(0)
    chosen = {0: ["the first point"]}
    for name, title in zip(LOAD, ("the highest utilization", "the largest loss"), strict=True):
        at = most.get_column(name).arg_max()
        if at is not None and most.get_column(name)[at] > 0:
            chosen.setdefault(at, []).append(title)
    points = most.select(axes)
    return [
        (", ".join(titles), links.join(points[at], on=axes, how="semi", nulls_equal=True))
        for at, titles in chosen.items()
    ]


def _most(*values: float | None) -> float | None:
    return max((each for each in values if each is not None), default=None)


def of_scenario(scenario: Scenario) -> Network:
    """Return the network of a scenario, from a simulation of its first event.

    Raises
    ------
    ScenarioError
        The scenario has errors.
    """
    from tcphoton.runs.run import first_event

    network = of_report(first_event(scenario))
    for *_, about in network.graph.edges(data=True):
        about.update(dict.fromkeys(LOAD))
    return network


def draw(network: Network) -> alt.LayerChart:
    """Draw a network: nodes and links have tooltips."""
    graph, gathered = _gathered(network.graph)
    places = _places(graph)
    spans = [np.ptp([place[axis] for place in places.values()]) for axis in (0, 1)]
    inches = WIDTH - 2 * ROOM
    wide = max(spans[0], spans[1] * inches / (HEIGHTS[1] - 2 * ROOM), 1e-9)
    inch = wide / inches
    height = min(max(spans[1] / inch + 2 * ROOM, HEIGHTS[0]), HEIGHTS[1])
    scales = []
    for axis, size in enumerate((WIDTH, height)):
        values = [place[axis] for place in places.values()]
        middle, half = (min(values) + max(values)) / 2, size * inch / 2
        scales.append(alt.Scale(domain=[middle - half, middle + half], nice=False, zero=False))
    across, up = (
        channel(f"{name}:Q", axis=None, scale=scale)
        for channel, name, scale in zip((alt.X, alt.Y), "xy", scales, strict=True)
    )
    nodes = _nodes(graph, gathered, network.kinds, places)
    layers = [_lines(graph, places).encode(across, up, alt.X2("x2"), alt.Y2("y2"))]
    kinds = nodes.get_column("kind").unique(maintain_order=True).to_list()
    shown = {HOST: ("circle", "#ffffff"), HOSTS: ("circle", "#dddddd")}
    looks = [shown.get(kind, ("square", style.COLOURS[at + 1])) for at, kind in enumerate(kinds)]
    fill = alt.Fill("kind:N", scale=alt.Scale(domain=kinds, range=[colour for _, colour in looks]))
    shape = alt.Shape("kind:N", scale=alt.Scale(domain=kinds, range=[shape for shape, _ in looks]))
    told = [alt.Tooltip(each) for each in ("node:N", "kind:N", "neighbours:Q")]
    for (size,), group in nodes.group_by("size", maintain_order=True):
        mark = alt.Chart(group).mark_point(
            filled=True, stroke="black", strokeWidth=0.6, opacity=1, size=int(str(size))
        )
        layers.append(mark.encode(across, up, fill, shape, tooltip=told))
    written = nodes.filter(pl.col("label") != "")
    # White below the black, so that no link crosses a name.
    for look in ({"stroke": "white", "strokeWidth": 2.5}, {"color": "black"}):
        text = alt.Chart(written).mark_text(dy=-9, fontSize=7, limit=90, **look)
        layers.append(text.encode(across, up, text="label:N"))
    layers += [each.encode(across, up) for each in _loads(graph, places)]
    area = {"width": round(WIDTH * figures.POINTS), "height": round(height * figures.POINTS)}
    chart = alt.layer(*layers).properties(**area)
    assert isinstance(chart, alt.LayerChart)
    return chart


def _kinds(parameters: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the kinds of nodes that a scenario names itself."""
    known = {str(each["key"]): each["value"] for each in parameters}
    kinds = {}
    for key, name in known.items():
        way = key.split(".")
        if key.startswith("topology.nodes.") and way[-1] == "name":
            kinds[str(name)] = str(known.get(".".join([*way[:-1], "kind"]), SWITCH))
    return kinds


def _leaves(graph: nx.Graph[str]) -> dict[str, str]:
    """Return the nodes with a single neighbour that has other neighbours, with that neighbour."""
    found = {}
    for node in graph:
        if graph.degree(node) == 1:
            (neighbour,) = graph[node]
            if graph.degree(neighbour) > 1:
                found[node] = neighbour
    return found


def _gathered(graph: nx.Graph[str]) -> tuple[nx.Graph[str], dict[str, int]]:
    """Return a graph in which the hosts of a node are one node, and the number of hosts in each."""
    behind: dict[str, list[str]] = {}
    for leaf, node in _leaves(graph).items():
        behind.setdefault(node, []).append(leaf)
    crowded = graph.number_of_nodes() > CROWDED
    smaller, gathered = graph.copy(), {}
    for node, leaves in behind.items():
        if len(leaves) >= GATHERED or (crowded and len(leaves) > 1):
            name = f"{len(leaves):,} behind {node}"
            while name in smaller:
                name += "'"
            smaller.add_edge(node, name, **graph.edges[node, leaves[0]])
            smaller.edges[node, name]["links"] = sum(
                graph.edges[node, leaf]["links"] for leaf in leaves
            )
            for load in LOAD:
                smaller.edges[node, name][load] = _most(
                    *(graph.edges[node, leaf][load] for leaf in leaves)
                )
            smaller.remove_nodes_from(leaves)
            gathered[name] = len(leaves)
    return smaller, gathered


def _places(graph: nx.Graph[str]) -> dict[str, tuple[float, float]]:
    """Return the position of each node: switches first, hosts around theirs."""
    leaves = _leaves(graph)
    inner: nx.Graph[str] = nx.Graph()
    inner.add_nodes_from(node for node in graph if node not in leaves)
    inner.add_edges_from(pair for pair in graph.edges if not leaves.keys() & set(pair))
    found = {node.partition("-")[0] for node in inner}
    layers = next((each for each in TREES if found == set(each)), None)
    layered = layers is not None
    places = _relaxed(inner) if layers is None else _layers(inner, layers)
    lengths = [math.dist(places[one], places[other]) for one, other in inner.edges]
    reach = 0.5 * float(np.median(lengths)) if lengths else 1.0
    behind: dict[str, list[str]] = {}
    for leaf, node in leaves.items():
        behind.setdefault(node, []).append(leaf)
    for node, outer in behind.items():
        x, y = places[node]
        if layered:
            step = max(places[other][1] - y for other in inner[node])
            offsets = ((at - (len(outer) - 1) / 2) / len(outer) for at in range(len(outer)))
            places |= {
                leaf: (x + offset, y - step) for leaf, offset in zip(outer, offsets, strict=True)
            }
            continue
        for leaf, angle in zip(outer, _angles(places, inner, node, len(outer)), strict=True):
            places[leaf] = (x + reach * math.cos(angle), y + reach * math.sin(angle))
    return places


def _layers(inner: nx.Graph[str], layers: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Return the switches of a tree in rows."""
    rows = [[node for node in inner if node.partition("-")[0] == layer] for layer in layers]
    widest = max(map(len, rows))
    step = max(1.0, widest / 6)
    return {
        node: ((at + 0.5) * widest / len(row), (len(layers) - level) * step)
        for level, row in enumerate(rows)
        for at, node in enumerate(row)
    }


def _relaxed(inner: nx.Graph[str]) -> dict[str, tuple[float, float]]:
    """Return positions with distances similar to those in the graph, the long side horizontal."""
    if len(inner) <= SOLVED and nx.is_connected(inner):
        found = nx.kamada_kawai_layout(inner)
    else:
        found = nx.spring_layout(inner, seed=1, iterations=80)
    points = np.array([found[node] for node in inner])
    points -= points.mean(axis=0)
    if len(points) > 1:
        _, _, axes = np.linalg.svd(points, full_matrices=False)
        points = points @ axes.T
        # The first node is on the left and not below the middle, so that drawings are similar.
        points *= np.where(points[0] * [1, -1] > 0, -1.0, 1.0)
        if np.ptp(points[:, 1]) < FLAT * np.ptp(points[:, 0]):
            points[:, 1] = 0.0
    return {node: (float(x), float(y)) for node, (x, y) in zip(inner, points, strict=True)}


def _angles(
    places: Mapping[str, tuple[float, float]], inner: nx.Graph[str], node: str, count: int
) -> list[float]:
    """Return the directions of hosts: away from the neighbours of their switch."""
    if not inner[node]:
        return [math.pi * (1 + 2 * at / count) for at in range(count)]
    x, y = places[node]
    away = [(x - places[other][0], y - places[other][1]) for other in inner[node]]
    lengths = [math.hypot(*each) or 1.0 for each in away]
    dx, dy = (
        sum(each[axis] / length for each, length in zip(away, lengths, strict=True))
        for axis in (0, 1)
    )
    middle = math.atan2(dy, dx) if math.hypot(dx, dy) > 1e-6 else math.pi / 2  # noqa: PLR2004
    step = min(math.pi / 5, math.pi / max(count - 1, 1))
    return [middle + (at - (count - 1) / 2) * step for at in range(count)]


def _nodes(
    graph: nx.Graph[str],
    gathered: Mapping[str, int],
    kinds: Mapping[str, str],
    places: Mapping[str, tuple[float, float]],
) -> pl.DataFrame:
    leaves, crowded = _leaves(graph), graph.number_of_nodes() > CROWDED
    heights = Counter(round(y, 6) for _, y in places.values())
    layered = len(heights) <= len(TREES[0]) + 1
    most = NAMES_IN_ROW if layered else NAMES
    beside = {node: heights[round(places[node][1], 6)] if layered else len(graph) for node in graph}
    rows = []
    for node in graph:
        kind = HOSTS if node in gathered else kinds.get(node, HOST if node in leaves else SWITCH)
        label = f"{gathered[node]:,} hosts" if node in gathered else node
        if beside[node] > most:
            label = ""
        x, y = places[node]
        size = (12 if len(graph) > SOLVED else 20) if crowded else 30 if node in leaves else 60
        neighbours = gathered.get(node, graph.degree(node))
        rows.append((node, kind, label, neighbours, size, x, y))
    order = ("node", "kind", "label", "neighbours", "size", "x", "y")
    table = pl.DataFrame(rows, schema=order, orient="row", infer_schema_length=None)
    return table.sort(pl.col("kind").is_in([HOST, HOSTS]), maintain_order=True)


def _lines(graph: nx.Graph[str], places: Mapping[str, tuple[float, float]]) -> Any:
    """Return the links: darker and wider the busier they are, if that is known."""
    rows = []
    for one, other, about in graph.edges(data=True):
        (x, y), (x2, y2) = places[one], places[other]
        told = {"between": f"{one} – {other}", "one-way links": about["links"]}
        told |= {"rate of a link": quantities.text(about["rate"], "b/s")}
        told |= {
            f"{name}, at most": "unknown" if about.get(name) is None else f"{about.get(name):.2%}"
            for name in LOAD
        }
        rows.append({**told, "used": about.get("utilization"), "x": x, "y": y, "x2": x2, "y2": y2})
    table = pl.DataFrame(rows, infer_schema_length=None)
    shown = [name for name in table.columns if name not in {"used", "x", "y", "x2", "y2"}]
    many = table.height > 2 * CROWDED
    chart = alt.Chart(table)
    if table.get_column("used").count():
        least, most = (0.5, 2.0) if many else (1.0, 4.0)
        wide = least + (most - least) * pl.col("used").fill_null(0)
        # The busiest are on top.
        table = table.with_columns(wide.alias("wide")).sort("used", nulls_last=False)
        scale = alt.Scale(domain=[0, 1], range=["#c8c8c8", "#f0a040", "#8a2000"])
        legend = alt.Legend(
            title="utilization", format=".0%", gradientLength=110, gradientThickness=8, tickCount=3
        )
        mark = (
            alt.Chart(table)
            .mark_rule()
            .encode(
                alt.Color("used:Q", scale=scale, legend=legend),
                alt.StrokeWidth("wide:Q", scale=None),
            )
        )
    else:
        shown = [name for name in shown if not name.endswith(", at most")]
        mark = chart.mark_rule(
            color=style.GREY, strokeWidth=0.5 if many else 1.1, opacity=0.6 if many else 1.0
        )
    return mark.encode(
        tooltip=[alt.Tooltip(figures.escaped(name), title=name, type="nominal") for name in shown]
    )


def _loads(graph: nx.Graph[str], places: Mapping[str, tuple[float, float]]) -> list[alt.Chart]:
    """Return the load of some links as texts beside them, what they lost in red."""
    known = [
        (about.get("loss") or 0.0, float(about["utilization"]), one, other)
        for one, other, about in graph.edges(data=True)
        if about.get("utilization")
    ]
    busy = sorted((each for each in known if each[1] >= BUSY), key=lambda each: -each[1])
    busy = busy[: TOLD // 2]
    lossy = [each for each in sorted(known, key=lambda each: -each[0]) if each[0]][: TOLD // 2]
    rows = []
    for loss, used, one, other in dict.fromkeys([*lossy, *busy]):
        (x, y), (x2, y2) = places[one], places[other]
        lost = f"loss {100 * loss:.2g} %" if loss else ""
        rows.append({"text": f"{used:.0%}", "lost": lost, "x": (x + x2) / 2, "y": (y + y2) / 2})
    if not rows:
        return []
    table = pl.DataFrame(rows)
    looks: list[dict[str, Any]] = [{"stroke": "white", "strokeWidth": 2.5}, {"color": "#333333"}]
    layers = [
        alt.Chart(table).mark_text(dy=-6, fontSize=7, **look).encode(text="text:N")
        for look in looks
    ]
    if any(row["lost"] for row in rows):
        looks[1] = {"color": "#b00020", "fontWeight": "bold"}
        layers += [
            alt.Chart(table.filter(pl.col("lost") != ""))
            .mark_text(dy=8, fontSize=7, **look)
            .encode(text="lost:N")
            for look in looks
        ]
    return layers
