"""Smaller cases: the greedy search for the least that still fails."""

from __future__ import annotations

import copy
import time
import tomllib
from typing import TYPE_CHECKING, Any

from fuzz.mutate import paths
from fuzz.repair import delete, replace
from tcphoton.common import toml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fuzz.desk import Part, Payload

__all__ = ["fewer_lines", "smaller_text", "smallest"]

PLAIN: dict[str, tuple[object, ...]] = {
    "str": ("1 s", "1 ms", "1 Mb/s", "1000 B", "1 m", "10 segments", "*"),
    "int": (1, 2, 10),
    "float": (0.5, 1.0, 0.1),
    "bool": (False,),
}


def smallest(
    part: Part, payload: Payload, fails: Callable[[Payload], bool], seconds: float
) -> Payload:
    """Return the smallest case that still fails which a greedy search finds in some seconds."""
    end = time.monotonic() + seconds
    while True:
        for candidate in part.smaller(payload):
            if time.monotonic() > end:
                return payload
            if fails(candidate):
                payload = candidate
                break
        else:
            return payload


def smaller_text(text: str) -> Iterator[str]:
    """Return smaller scenarios, by the tree where the text is TOML, by its lines otherwise."""
    try:
        tree = tomllib.loads(text)
        printed = toml.dumps(tree)
    except (ValueError, TypeError, RecursionError):
        yield from fewer_lines(text)
        return
    if len(printed) < len(text):
        yield printed
    for path in paths(tree):
        less = copy.deepcopy(tree)
        delete(less, path)
        yield toml.dumps(less)
    for path in paths(tree):
        for value in _plainer(_at(tree, path)):
            other = copy.deepcopy(tree)
            replace(other, path, value)
            yield toml.dumps(other)


def _at(tree: Any, path: list[str]) -> Any:
    for step in path:
        tree = tree[int(step)] if isinstance(tree, list) else tree[step]
    return tree


def _plainer(value: object) -> Iterator[object]:
    """Return values that are plainer, each of them than the one after it."""
    for plain in PLAIN.get(type(value).__name__, ()):
        if plain == value:
            return
        yield plain


def fewer_lines(text: str) -> Iterator[str]:
    """Return a text without some of its lines, many at first; a text of one line by halves."""
    lines = text.splitlines(keepends=True)
    length = len(lines) // 2
    while length:
        for start in range(0, len(lines), length):
            yield "".join(lines[:start] + lines[start + length :])
        length //= 2
    for end in (len(text) // 2, len(text) - 1):
        if 0 < end < len(text) and len(lines) <= 1:
            yield text[:end]
