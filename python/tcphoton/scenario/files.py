"""The files that a scenario refers to, read and converted for the engine.

The engine knows which keys name files, and reads none. Here they are read: a relative path starts
at the folder of the file that names it, and at the current directory for a key that the command
line or Python sets. As with the scenario's own file, links are followed, and only regular files of
limited size are read. A scenario is complete with its files: what is made of it reads none again.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tcphoton import _core
from tcphoton.common import safe_read, toml
from tcphoton.errors import ScenarioError
from tcphoton.scenario import (
    demands,
    flow_files,
    matchings,
    operation_files,
    size_tables,
    topology_value,
)
from tcphoton.scenario.table_rows import text_of
from tcphoton.scenario.topology_graph import fail

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from importlib.resources.abc import Traversable

    from tcphoton.errors import Mistake


def _text(_file: str, data: bytes) -> str:
    """Return a text as a value in TOML, on one line: the engine counts its lines."""
    return toml.inline(data.decode().replace("\r\n", "\n"))


def _document(file: str, data: bytes) -> str:
    """Return a text that is TOML by itself."""
    text = text_of(file, data)
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problem, _, place = str(error).partition(" (at line ")
        line = place.split(",")[0]
        fail(file, f"not TOML: {problem}", line=int(line) if line.isdigit() else None)
    return text


CONTENTS: dict[str, Callable[[str, bytes], str]] = {
    "demands": demands.content,
    "flows": flow_files.content,
    "graph": topology_value.content,
    "matchings": matchings.content,
    "operations": operation_files.content,
    "profile": _document,
    "program": _text,
    "sizes": size_tables.content,
}
"""What files have, each with its converter: of a file's name and bytes, to a value in TOML, or of a
profile a whole text. What a line of the file says is on the same line of the value."""

KEYS = {
    "demands": "demands", "flows": "flows", "graph": "graph", "matchings": "matchings",
    "operations": "operations", "profile": "values", "program": "source", "sizes": "points",
}  # fmt: skip
"""The key that has what is in a file beside the key ``file``, by what that is."""

Unread = tuple[int | None, str, str, str]


class File(NamedTuple):
    """A file that a scenario refers to.

    Attributes
    ----------
    within
        The text that names it: that of a ``scenario`` or a ``sweep``, or an ``override``.
    name
        Its name there.
    path
        Its path.
    content
        Its content as a value in TOML; ``None`` if it has none.
    unread
        Why it has none: the line, the problem, what was found, what is accepted.
    kind
        What it was read as: one file may be a topology and a matrix. Empty for whatever it is asked
        for.
    """

    within: str
    name: str
    path: str
    content: str | None
    unread: Unread | None = None
    kind: str = ""


def of_scenario(
    file: str,
    text: str,
    overrides: Sequence[tuple[str, str]],
    known: Iterable[File] = (),
    folder: Path | Traversable | None = None,
) -> tuple[File, ...]:
    """Return the files that a scenario refers to; those that are not known are read.

    Parameters
    ----------
    file, text, overrides
        The scenario.
    known
        Files that have been read.
    folder
        Where relative paths start; default: at the folder of `file`.
    """
    return _read(_core.references(file, text, overrides), known, folder)


def of_sweep(
    file: str,
    text: str,
    base: tuple[str, str, Sequence[tuple[str, str]]] | None,
    known: Iterable[File] = (),
) -> tuple[File, ...]:
    """Return the files that a sweep and its scenario refer to; unknown ones are read."""
    return _read(_core.sweep_references(file, text, base), known, None)


def kept(definition: Mapping[str, Any]) -> tuple[File, ...]:
    """Return the files of a sweep from its definition."""
    return tuple(
        File(within, name, name, content, None, *kind)
        for within, name, content, *kind in definition.get("files", [])
    )


def contents(definition: Mapping[str, Any], sweep: str) -> dict[str, dict[str, object]]:
    """Return the contents of the files of a kept sweep: by name, its value for each key.

    Parameters
    ----------
    definition
        The definition of the sweep, with the text of its scenario and the files that were read.
    sweep
        The sweep's own text.
    """
    overrides = [(key, value) for key, value in definition.get("overrides", [])]
    base = ("scenario.toml", definition["text"], overrides)
    named = [*_core.references(*base), *_core.sweep_references("sweep.toml", sweep, base)]
    kinds = {name: content for name, content, *_ in named}
    found: dict[str, dict[str, object]] = {}
    for each in kept(definition):
        if each.content is not None and each.name in kinds:
            key = KEYS[each.kind or kinds[each.name]]
            whole = (each.kind or kinds[each.name]) == "profile"
            value = tomllib.loads(each.content) if whole else toml.value_of(each.content)
            found.setdefault(each.name, {})[key] = value
    return found


def inlined(value: Any, contents: Mapping[str, Mapping[str, object]], place: str = "") -> Any:
    """Return a value of a scenario in which tables have the contents of the files that they name.

    Parameters
    ----------
    value, contents
        The value, and what its files have, by their names, for each key.
    place
        The last word of the value's key: a matrix has demands.

    Examples
    --------
    >>> inlined({"kind": "file", "file": "a.gml"}, {"a.gml": {"graph": ["a", "b"]}})
    {'kind': 'file', 'graph': ['a', 'b']}
    """
    if isinstance(value, list):
        return [inlined(each, contents, place) for each in value]
    if not isinstance(value, dict):
        return value
    name = value.get("file")
    if isinstance(name, str) and name in contents:
        found = contents[name]
        keys = [key for key in found if (key == "demands") == (place.endswith("matrix"))]
        key = (keys or list(found))[0]
        return {each: inner for each, inner in value.items() if each != "file"} | {key: found[key]}
    return {each: inlined(inner, contents, each) for each, inner in value.items()}


def _read(
    named: Iterable[tuple[str, str, str, str]],
    known: Iterable[File],
    folder: Path | Traversable | None,
) -> tuple[File, ...]:
    found = {(each.within, each.name, each.kind): each for each in known}
    files: dict[tuple[str, str, str], File] = {}
    for name, content, within, origin in named:
        key = (within, name, content)
        if key not in files:
            start = folder if folder is not None and origin else Path(origin).parent
            read = found.get(key) or found.get((within, name, ""))
            files[key] = read or _file(within, name, start / name, content)
    return tuple(files.values())


def _file(within: str, name: str, path: Path | Traversable, content: str) -> File:
    """Read a file; why it cannot be read is part of what is returned."""
    shown = str(path)
    try:
        data = safe_read.read(Path(shown), safe_read.LARGEST_TEXT)
        return File(within, name, shown, CONTENTS[content](shown, data), kind=content)
    except ScenarioError as error:
        unread = _unread(error.mistakes[0])
    except safe_read.DamagedError as error:
        unread = (None, str(error).removeprefix(f"{shown}: "), "", "a file")
    except FileNotFoundError:
        unread = (None, "no such file", "", "")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        unread = (None, f"cannot be read: {reason}", "", "")
    return File(within, name, shown, None, unread, content)


def _unread(mistake: Mistake) -> Unread:
    return mistake.line, mistake.problem, mistake.found, mistake.accepted
