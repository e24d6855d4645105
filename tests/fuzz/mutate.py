"""Mutations: of text, by bytes, tokens and lines; of trees, by their values."""

from __future__ import annotations

import copy
import functools
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fuzz.language import ODD, language
from fuzz.repair import delete, replace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fuzz.draw import Draw

__all__ = ["EXAMPLES", "examples", "mutated_text", "mutated_tree", "paths", "sweeps"]

EXAMPLES = Path(__file__).parents[2] / "examples"
BAD = Path(__file__).parents[2] / "crates" / "scenario" / "tests"
TOKEN = re.compile(r'"[^"\n]*"|[\w.+-]+|\s+|.', re.DOTALL)
SPLINTERS = (
    '"', "'", "[", "]", "[[", "]]", "{", "}", "=", ",", ".", "\n", "\r", "#", '"""', "\\u", "\0",
    "\x7f", "0", "-1", "1e999", "nan", "-inf", "18446744073709551616", "1_000", "true", "{}", "[]",
    "0x7fffffffffffffff", '"0 s"', '"-1 b/s"', '"1e30 kB"', '"18446744073709551615 ps"', "kind",
    '"0.0000000000001 s"', "1979-05-27", '"explicit"', '"nsfnet"', "[[traffic]]", "\ufeff",
    "\u202e", "é", "\U0001f600", '"1 ps"', '"2400 h"', '"100 Tb/s"', '"1 kb/s"', '"1 B"', '"1 TB"',
    "1000000", "50000", "10000000",
)  # fmt: skip
DEEP = ("[", "{ a = ", "a.", "[[a.", '"')
"""What may be repeated thousands of times."""


@functools.cache
def examples(under: str = "") -> tuple[tuple[str, str], ...]:
    """Return names and texts of the examples (with `under` those of the engine's tests)."""
    folder = BAD / under if under else EXAMPLES
    return tuple((path.name, path.read_text("utf-8")) for path in sorted(folder.glob("*.toml")))


@functools.cache
def sweeps() -> tuple[tuple[str, str], ...]:
    """Return names and texts of the examples of sweeps."""
    return tuple(
        (path.name, path.read_text("utf-8")) for path in sorted(EXAMPLES.glob("sweeps/*.toml"))
    )


def mutated_text(text: str, draw: Draw) -> str:
    """Return a text with one to four mutations."""
    for _ in range(draw.between(1, 4)):
        how = draw.weighted([(3, _bytes), (4, _tokens), (4, _lines), (4, _value), (0.3, _deep)])
        text = how(text, draw)
    return text


def _bytes(text: str, draw: Draw) -> str:
    data = bytearray(text.encode())
    for _ in range(draw.between(1, 4)):
        if data:
            data[draw.below(len(data))] ^= 1 << draw.below(8)
    return data.decode(errors="replace")


def _tokens(text: str, draw: Draw) -> str:
    tokens = TOKEN.findall(text) or [""]
    at, other = draw.below(len(tokens)), draw.below(len(tokens))
    match draw.below(4):
        case 0:
            tokens[at] = draw.pick(SPLINTERS)
        case 1:
            tokens[at], tokens[other] = tokens[other], tokens[at]
        case 2:
            tokens.insert(at, draw.pick(SPLINTERS))
        case _:
            del tokens[at : at + draw.between(1, 6)]
    return "".join(tokens)


def _lines(text: str, draw: Draw) -> str:
    lines = text.splitlines(keepends=True) or [""]
    at, other = draw.below(len(lines)), draw.below(len(lines))
    match draw.below(4):
        case 0:
            lines.insert(other, lines[at])
        case 1:
            del lines[at : at + draw.between(1, 5)]
        case 2:
            lines[at], lines[other] = lines[other], lines[at]
        case _:
            lines.insert(other, draw.pick(examples())[1].splitlines(keepends=True)[0])
    return "".join(lines)


def _value(text: str, draw: Draw) -> str:
    """Replace what stands behind an equals sign."""
    places = [match.span(1) for match in re.finditer(r'= *("[^"\n]*"|[\w.+-]+)', text)]
    if not places:
        return text
    start, end = draw.pick(places)
    return text[:start] + draw.pick(SPLINTERS) + text[end:]


def _deep(text: str, draw: Draw) -> str:
    at = draw.below(len(text) + 1)
    return text[:at] + draw.pick(DEEP) * draw.pick([50, 200, 3000, 100_000]) + text[at:]


def mutated_tree(text: str, draw: Draw) -> dict[str, Any]:
    """Return the tree of a text that is TOML with one to four of its values changed."""
    tree = copy.deepcopy(tomllib.loads(text))
    for _ in range(draw.between(1, 4)):
        ways = list(paths(tree))
        if not ways:
            return tree
        path = draw.pick(ways)
        schema = language().at(path, tree)
        match draw.below(5):
            case 0:
                delete(tree, path)
            case 1:
                replace(tree, path, draw.pick(ODD))
            case _ if schema is not None:
                replace(tree, path, language().value(schema, draw, path[-1]))
    return tree


def paths(tree: object) -> Iterator[list[str]]:
    """Return the path of every value of a tree, those of whole tables before those in them."""
    if isinstance(tree, dict):
        items = [(str(key), value) for key, value in tree.items()]
    elif isinstance(tree, list):
        items = [(str(at), value) for at, value in enumerate(tree)]
    else:
        return
    for step, value in items:
        yield [step]
        for rest in paths(value):
            yield [step, *rest]
