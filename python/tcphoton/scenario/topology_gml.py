"""GML, the Graph Modelling Language: keys with numbers, texts, or lists of keys in brackets.

M. Himsolt, GML: A portable Graph File Format, Technical Report, Universität Passau 1997. As other
other readers do, this one accepts an unquoted word as an id or a label, and NAN and INF as numbers.

The time is linear in the length of the file, for any content: every pattern is possessive, and
nested brackets are kept in a list of open ones.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from tcphoton.scenario.topology_graph import (
    Edge,
    Graph,
    Place,
    capacity_of,
    coordinates_of,
    fail,
    length_of,
    short,
    unused_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

TOKEN = re.compile(
    r"""(?P<blank>\s++|\#[^\n]*+)
    |(?P<word>[A-Za-z][0-9A-Za-z_]*+)
    |(?P<number>[+-]?+(?:INF\b|(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[Ee][+-]?+[0-9]++)?+))
    |(?P<text>"[^"]*+")
    |(?P<open>\[)
    |(?P<close>\])
    |(?P<wrong>\S)""",
    re.VERBOSE,
)
HEAD = re.compile(r"^[^\S\n]*+graph\s*+\[", re.MULTILINE | re.IGNORECASE)
CHARACTER = re.compile(r"&(?:\#x[0-9A-Fa-f]{1,6}+|\#[0-9]{1,7}+|[A-Za-z][0-9A-Za-z]{0,31}+);")
WORDS_FOR = {"id", "label", "source", "target"}
WORDS = {"NAN", "INF"}
KEY = "a key, followed by a number, a text in quotes or [ … ]"


class Token(NamedTuple):
    """A token: its kind, its text, and the line in which it begins."""

    kind: str
    text: str
    line: int


@dataclass
class Record:
    """The content of a pair of brackets, each key with its values in order."""

    line: int
    values: dict[str, list[str]] = field(default_factory=dict)
    records: dict[str, list[Record]] = field(default_factory=dict)


def is_gml(text: str) -> bool:
    """Tell whether a text begins like a graph in GML."""
    return HEAD.search(text) is not None


def read_gml(file: str, text: str) -> Graph:
    """Read a graph in GML.

    Raises
    ------
    ScenarioError
        It is not GML, or not a graph.
    """
    found = _records(file, text.removeprefix("\ufeff")).records.get("graph", [])
    if len(found) != 1:
        line = found[1].line if found else None
        fail(file, "not a graph", line=line, found=f"{len(found)} graphs", accepted="graph [ … ]")
    whole = found[0]
    for key in ("node", "edge"):
        if key in whole.values:
            value = f"{key} {whole.values[key][0]}"
            fail(file, "not GML", line=whole.line, found=value, accepted=f"{key} [ … ]")
    graph = Graph(file)
    for node in whole.records.get("node", []):
        values = {key: each[0] for key, each in node.values.items()}
        identifier = _one(file, node, "node", "id")
        name = values.get("label", identifier)
        place = Place(name, coordinates_of(file, identifier, values, node.line), node.line)
        graph.add_place(identifier, place)
        graph.unused.update(unused_of("nodes", [*values, *node.records]))
    one_way = whole.values.get("directed", ["0"])[0] not in ("", "0")
    for edge in whole.records.get("edge", []):
        ends = (_one(file, edge, "edge", "source"), _one(file, edge, "edge", "target"))
        values = {key: each[0] for key, each in edge.values.items()}
        km = length_of(file, ends, values, edge.line)
        graph.add_edge(Edge(ends, km, one_way, edge.line, capacity_of(values)))
        graph.unused.update(unused_of("links", [*values, *edge.records]))
    return graph


def _one(file: str, record: Record, kind: str, key: str) -> str:
    """Return the only value of a required key."""
    found = record.values.get(key, [])
    if len(found) != 1 or key in record.records:
        count = len(found) + len(record.records.get(key, []))
        problem = f"not GML: {'no' if not count else 'not one'} {key} of this {kind}"
        fail(file, problem, line=record.line, accepted=f"{key} with a number or a text, once")
    return found[0]


def _records(file: str, text: str) -> Record:
    """Return all keys of a file, from outside of all brackets."""
    top = Record(1)
    opened = [top]
    tokens = _tokens(text)
    for token in tokens:
        within = opened[-1]
        if token.kind == "close" and len(opened) > 1:
            opened.pop()
        elif token.kind == "word":
            value = next(tokens, None)
            if value is not None and value.kind == "open":
                record = Record(token.line)
                within.records.setdefault(token.text, []).append(record)
                opened.append(record)
            else:
                within.values.setdefault(token.text, []).append(_plain(file, token, value))
        else:
            _refuse(file, token)
    if len(opened) > 1:
        fail(file, "not GML: a bracket that is not closed", line=opened[-1].line, accepted="]")
    return top


def _plain(file: str, key: Token, value: Token | None) -> str:
    """Return the value of a key that is not a list, as text."""
    if value is None:
        fail(file, f"not GML: no value after {short(key.text)}", line=key.line, accepted=KEY)
    if value.kind == "text":
        return CHARACTER.sub(lambda match: html.unescape(match[0]), _joined(value.text[1:-1]))
    if value.kind == "number":
        return _as_read(value.text)
    if value.kind != "word" or not (key.text in WORDS_FOR or value.text in WORDS):
        _refuse(file, value)
    return value.text


def _joined(text: str) -> str:
    """Return a text of several lines as one line, with a space for each line end."""
    first, *further = text.split("\n")
    if not further:
        return first
    *inner, last = further
    return " ".join([first.rstrip(), *(line.strip() for line in inner), last.lstrip()])


def _as_read(text: str) -> str:
    """Return a normalized number: 1, +1 and 01 are one id."""
    digits = text.lstrip("+-").lstrip("0")
    if not digits.isdigit():
        return text if digits else "0"
    return f"-{digits}" if text.startswith("-") else digits


def _refuse(file: str, token: Token) -> NoReturn:
    fail(file, "not GML", line=token.line, found=token.text, accepted=KEY)


def _tokens(text: str) -> Iterator[Token]:
    line = 1
    for match in TOKEN.finditer(text):
        kind, found = str(match.lastgroup), match[0]
        if kind != "blank":
            yield Token(kind, found, line)
        line += found.count("\n")
