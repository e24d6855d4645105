"""What every reader of graphs gives: places with coordinates, links with lengths, or a mistake."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from tcphoton.errors import Mistake, ScenarioError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "FORMATS", "Edge", "Graph", "Place", "coordinates_of", "fail", "geographical", "length_of",
    "quoted", "short",
]  # fmt: skip

FORMATS = "GraphML, GML, or SNDlib in its native or its XML format"
LENGTHS = {"length", "distance", "dist", "km", "lengthkm", "distancekm", "distkm"}
LONGITUDES = {"longitude", "lon", "lng", "long"}
LATITUDES = {"latitude", "lat"}
LONGEST_KM = 1_000_000
"""More than anything on Earth, and little enough for every delay to be one."""

LONGEST_SHOWN = 80
"""Characters of a file's text that a message repeats."""

KM = re.compile(r"([+-]?+(?:\d++(?:\.\d*+)?+|\.\d++)(?:[eE][+-]?+\d++)?+)\s*+(?:km)?+")


@dataclass(frozen=True)
class Place:
    """A node: its name in the file, and longitude and latitude in degrees where it has them."""

    name: str
    coordinates: tuple[float, float] | None = None


@dataclass(frozen=True)
class Edge:
    """A link between two places, by their identifiers, with its length in km where it has one."""

    ends: tuple[str, str]
    km: float | None = None
    one_way: bool = False
    line: int | None = None


@dataclass
class Graph:
    """What a file says: places by their identifiers, and links between these."""

    file: str
    places: dict[str, Place] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)

    def add_place(self, identifier: str, place: Place, line: int | None) -> None:
        """Take a place, unless its identifier is empty or taken."""
        if not identifier:
            fail(self.file, "a node without an id", line=line, accepted="an id of its own")
        if identifier in self.places:
            problem = f"another node is called {quoted(identifier)} too"
            fail(self.file, problem, line=line, accepted="each id once")
        self.places[identifier] = place

    def add_edge(self, edge: Edge) -> None:
        """Take a link whose ends are places."""
        for end in edge.ends:
            if end not in self.places:
                problem = "a link ends at no node"
                accepted = "the id of a node of this file"
                fail(self.file, problem, line=edge.line, found=quoted(end), accepted=accepted)
        self.edges.append(edge)


def fail(
    file: str, problem: str, *, line: int | None = None, found: str = "", accepted: str = ""
) -> NoReturn:
    """Raise one mistake of a file."""
    mistake = Mistake.at(file, problem, line=line, found=short(found), accepted=accepted)
    raise ScenarioError([mistake])


def short(text: str) -> str:
    """Return the beginning of a text that may be as long as a file.

    Examples
    --------
    >>> short("a" * 1000)[-5:], len(short("a" * 1000))
    ('aaaa…', 80)
    """
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"


def quoted(text: str) -> str:
    """Return a name in quotes, and no more of it than a message can bear."""
    return repr(short(text))


def coordinates_of(
    file: str, node: str, values: Mapping[str, str], line: int | None
) -> tuple[float, float] | None:
    """Return longitude and latitude out of a node's values, where both are there."""
    found = [_value(values, names) for names in (LONGITUDES, LATITUDES)]
    longitude, latitude = (math.nan if text is None else _number(text) for text in found)
    if None in found:
        return None
    if not (abs(longitude) <= 180 and abs(latitude) <= 90):  # noqa: PLR2004
        east, north = (short(str(text)) for text in found)
        fail(
            file,
            f"the coordinates of node {quoted(node)} are none",
            line=line,
            found=f"longitude {east}, latitude {north}",
            accepted="-180 to 180 and -90 to 90 degrees",
        )
    return longitude, latitude


def length_of(
    file: str, ends: tuple[str, str], values: Mapping[str, str], line: int | None
) -> float | None:
    """Return the km of a link out of its values, where they have any."""
    text = _value(values, LENGTHS)
    if text is None:
        return None
    match = KM.fullmatch(text.strip())
    km = float(match[1]) if match else math.nan
    if not 0 <= km <= LONGEST_KM:
        fail(
            file,
            f"the length of the link from {quoted(ends[0])} to {quoted(ends[1])} is none",
            line=line,
            found=text,
            accepted=f"a number of km, 0 to {LONGEST_KM}",
        )
    return km


def geographical(x: str | None, y: str | None) -> tuple[float, float] | None:
    """Return coordinates that may be degrees; others are those of a drawing."""
    if x is None or y is None:
        return None
    longitude, latitude = _number(x), _number(y)
    possible = abs(longitude) <= 180 and abs(latitude) <= 90  # noqa: PLR2004
    return (longitude, latitude) if possible else None


def _number(text: str) -> float:
    """Return a number, or NaN, with which no comparison holds."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def _value(values: Mapping[str, str], names: Iterable[str]) -> str | None:
    """Return the value under one of some names, whatever their case and signs."""
    for key, value in values.items():
        if value and re.sub(r"[^a-z]", "", key.lower()) in names:
            return value
    return None
