"""What readers of graphs return: places with coordinates, links with lengths, or an error.

What a file has besides is counted by its name, so that a user is told what no network uses.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from tcphoton.errors import Mistake, ScenarioError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

FORMATS = "GraphML, GML, SNDlib in its native or its XML format, or a graph of REPETITA"
LENGTHS = {"length", "distance", "dist", "km", "lengthkm", "distancekm", "distkm"}
LONGITUDES = {"longitude", "lon", "lng", "long"}
LATITUDES = {"latitude", "lat"}
CAPACITIES = {"capacity", "bandwidth", "linkspeedraw"}
LARGEST_CAPACITY = 1e18
"""The largest that the language accepts."""

LONGEST_KM = 1_000_000
"""More than any distance on Earth, and small enough for every delay to be valid."""

OWN = {"id", "label", "source", "target", "key"}
"""What readers themselves use, or what only tells one link from another."""

LONGEST_SHOWN = 80
"""Maximum characters of a file's text in a message."""

KM = re.compile(r"([+-]?+(?:\d++(?:\.\d*+)?+|\.\d++)(?:[eE][+-]?+\d++)?+)\s*+(?:km)?+")


@dataclass(frozen=True)
class Place:
    """A node: its name in the file, and longitude and latitude in degrees if it has them."""

    name: str
    coordinates: tuple[float, float] | None = None
    line: int = 1


@dataclass(frozen=True)
class Edge:
    """A link between two places, by their identifiers.

    With its length in km, its capacity, in whatever unit the file means, and its delay, if it has
    them.
    """

    ends: tuple[str, str]
    km: float | None = None
    one_way: bool = False
    line: int = 1
    capacity: float | None = None
    delay: str | None = None


@dataclass
class Graph:
    """The content of a file: places by their identifiers, and links between them.

    In `unused` what it has besides is counted, by what it is.
    """

    file: str
    places: dict[str, Place] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    unused: Counter[str] = field(default_factory=Counter)

    def add_place(self, identifier: str, place: Place) -> None:
        """Add a place, unless its identifier is empty or used already."""
        line = place.line
        if not identifier:
            fail(self.file, "a node without an id", line=line, accepted="a unique id")
        if identifier in self.places:
            problem = f"another node is also called {quoted(identifier)}"
            fail(self.file, problem, line=line, accepted="unique ids")
        self.places[identifier] = place

    def add_edge(self, edge: Edge) -> None:
        """Add a link whose ends are places."""
        for end in edge.ends:
            if end not in self.places:
                problem = "a link to an unknown node"
                accepted = "the id of a node of this file"
                fail(self.file, problem, line=edge.line, found=quoted(end), accepted=accepted)
        self.edges.append(edge)


def fail(
    file: str, problem: str, *, line: int | None = None, found: str = "", accepted: str = ""
) -> NoReturn:
    """Raise one error of a file."""
    mistake = Mistake.at(file, problem, line=line, found=short(found), accepted=accepted)
    raise ScenarioError([mistake])


def short(text: str) -> str:
    """Return the beginning of a text of any length.

    Examples
    --------
    >>> short("a" * 1000)[-5:], len(short("a" * 1000))
    ('aaaa…', 80)
    """
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"


def quoted(text: str) -> str:
    """Return a name in quotes, shortened for a message."""
    return repr(short(text))


def coordinates_of(
    file: str, node: str, values: Mapping[str, str], line: int | None
) -> tuple[float, float] | None:
    """Return longitude and latitude from a node's values, if both are there."""
    found = [_value(values, names) for names in (LONGITUDES, LATITUDES)]
    longitude, latitude = (math.nan if text is None else _number(text) for text in found)
    if None in found:
        return None
    if not (abs(longitude) <= 180 and abs(latitude) <= 90):  # noqa: PLR2004
        east, north = (short(str(text)) for text in found)
        fail(
            file,
            f"the coordinates of node {quoted(node)} are invalid",
            line=line,
            found=f"longitude {east}, latitude {north}",
            accepted="-180 to 180 and -90 to 90 degrees",
        )
    return longitude, latitude


def length_of(
    file: str, ends: tuple[str, str], values: Mapping[str, str], line: int | None
) -> float | None:
    """Return the km of a link from its values, if they have a length."""
    text = _value(values, LENGTHS)
    if text is None:
        return None
    match = KM.fullmatch(text.strip())
    km = float(match[1]) if match else math.nan
    if not 0 <= km <= LONGEST_KM:
        fail(
            file,
            f"the length of the link from {quoted(ends[0])} to {quoted(ends[1])} is invalid",
            line=line,
            found=text,
            accepted=f"a number of km, 0 to {LONGEST_KM}",
        )
    return km


def capacity_of(values: Mapping[str, str]) -> float | None:
    """Return the capacity of a link from its values, if they have one that is a number above 0."""
    text = _value(values, CAPACITIES)
    capacity = math.nan if text is None else _number(text)
    return capacity if 0 < capacity <= LARGEST_CAPACITY else None


def used_of(subject: str, values: Mapping[str, str]) -> dict[str, str]:
    """Return the values of nodes or links that a network uses, the first of each meaning."""
    known, found = _known(subject), dict[str, tuple[str, str]]()
    for key, value in values.items():
        meaning = _plain(key)
        if value and (key == "label" or meaning in known):
            found.setdefault(meaning, (key, value))
    return dict(found.values())


def _known(subject: str) -> set[str]:
    return LONGITUDES | LATITUDES if subject == "nodes" else LENGTHS | CAPACITIES


def unused_of(subject: str, keys: Iterable[str]) -> Iterator[str]:
    """Give the names of the values of a node or a link that no network uses."""
    known = _known(subject)
    for key in keys:
        if key not in OWN and _plain(key) not in known:
            yield f"{short(key)} of {subject}"


def geographical(x: str | None, y: str | None) -> tuple[float, float] | None:
    """Return coordinates that may be degrees; others are positions in a drawing."""
    if x is None or y is None:
        return None
    longitude, latitude = _number(x), _number(y)
    possible = abs(longitude) <= 180 and abs(latitude) <= 90  # noqa: PLR2004
    return (longitude, latitude) if possible else None


def _number(text: str) -> float:
    """Return a number, or NaN, for which every comparison is false."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def _plain(key: str) -> str:
    return re.sub(r"[^a-z]", "", key.lower())


def _value(values: Mapping[str, str], names: Iterable[str]) -> str | None:
    """Return the value with one of some names, ignoring case and punctuation."""
    for key, value in values.items():
        if value and _plain(key) in names:
            return value
    return None
