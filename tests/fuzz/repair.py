"""Repairs of a scenario by what `check` says of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fuzz.language import child, language
from fuzz.scenarios import ends, links_of

if TYPE_CHECKING:
    from fuzz.draw import Draw
    from tcphoton.errors import Mistake

__all__ = ["delete", "repair", "replace"]

UNWANTED = (
    "no use",
    "unknown key",
    "given too",
    "has no queue",
    "only hosts",
    "one of them",
    "only with",
)
NEEDED: tuple[list[str], ...] = ([], ["run"], ["topology"], ["traffic"])
LIMIT = re.compile(
    r"(?:at least|at most|more than|the duration,) ((?:\d[\d.]*)(?: [a-zA-Z/]+)?)"
    r"|^(\d[\d.]* [a-zA-Z/]+)$"
)
WORD = re.compile(r'"([^"]+)"')
NUMBER = re.compile(r"\d+")


def repair(tree: dict[str, Any], mistakes: list[Mistake], draw: Draw) -> None:
    """Change what some mistakes are about, each in one of the ways that may help."""
    seen: set[str] = set()
    for mistake in mistakes:
        path = [step for step in mistake.key.split(".") if step]
        if not path or path[0] in seen:
            continue
        # One mistake a table of the top level: the next look sees what is left.
        seen.add(path[0])
        _mend(tree, path, mistake, draw)


def _mend(tree: dict[str, Any], path: list[str], mistake: Mistake, draw: Draw) -> None:
    if any(word in mistake.problem for word in UNWANTED) and draw.chance(0.9):
        delete(tree, path)
        return
    value = _name(tree, path, mistake, draw)
    if value is not None:
        replace(tree, path if path[0] == "topology" else path[:3], value)
        if "receiver" in mistake.problem or "itself" in mistake.problem:
            replace(tree, [*path[:2], "pattern"], draw.pick(["all", "pairs"]))
        return
    value = _accepted(mistake, draw)
    if value is not None and draw.chance(0.8):
        replace(tree, path, value)
        return
    if path[0] == "changes" and draw.chance(0.5):
        delete(tree, path[:2])
        return
    schema = language().at(path, tree)
    needed = "missing" in mistake.problem
    if schema is not None and path != ["topology"] and (needed or draw.chance(0.7)):
        replace(tree, path, language().value(schema, draw, path[-1], 0.1))
        return
    path = path if draw.chance(0.7) else path[:-1]
    if len(path) > 1 or path[-1:] not in NEEDED:
        delete(tree, path)


def _name(tree: dict[str, Any], path: list[str], mistake: Mistake, draw: Draw) -> str | None:
    """Return a name for what asks for the name of a host or of a link."""
    topology = tree.get("topology")
    if len(path) < 3 or not isinstance(topology, dict):
        return None
    if path[0] == "traffic" and path[2] in {"from", "to"}:
        listed = WORD.findall(mistake.accepted)
        return str(draw.pick(listed or ends(topology, draw)))
    if path[0] == "changes" and path[2] == "link" and draw.chance(0.6):
        return draw.pick(links_of(topology, draw))
    if path[:2] == ["topology", "links"] and path[-1] in {"from", "to"}:
        return str(draw.pick(topology["nodes"])["name"])
    return None


def _accepted(mistake: Mistake, draw: Draw) -> Any:
    """Return a value that the mistake names as accepted, `None` where it names none."""
    limit = LIMIT.search(mistake.accepted)
    if limit and not mistake.accepted.startswith(("a time", "a size", "a rate", "a whole", "an ")):
        text = limit[1] or limit[2]
        if "more than" in mistake.accepted:
            digits = NUMBER.match(text)
            text = str(int(digits[0]) + 1) + text[digits.end() :] if digits else text
        return int(text) if NUMBER.fullmatch(text) else text
    if mistake.accepted.startswith('"'):
        words = WORD.findall(mistake.accepted)
        return draw.pick(words) if words else None
    return None


def replace(tree: Any, path: list[str], value: Any) -> None:
    """Put a value at a path, where its table is there."""
    table = _parent(tree, path)
    if isinstance(table, dict):
        table[path[-1]] = value
    elif isinstance(table, list) and path[-1].isdigit() and int(path[-1]) < len(table):
        table[int(path[-1])] = value


def delete(tree: Any, path: list[str]) -> None:
    """Remove what is at a path, where something is."""
    table = _parent(tree, path)
    if isinstance(table, dict):
        table.pop(path[-1], None)
    elif isinstance(table, list) and path[-1].isdigit() and int(path[-1]) < len(table):
        del table[int(path[-1])]


def _parent(tree: Any, path: list[str]) -> Any:
    for step in path[:-1]:
        tree = child(tree, step)
    return tree
