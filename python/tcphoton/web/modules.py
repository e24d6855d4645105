"""Modules of JavaScript as one text, since a page that is opened from a disk may load no others.

A module names what it imports, ``import { a, b } from "./other.js";``, and exports what it
declares, ``export function a``. Joined, each is a function that returns what it exports, in the
order in which they use each other.
"""

from __future__ import annotations

import base64
import gzip
import posixpath
import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

PACKAGE = "tcphoton.web"
ENGINE = "engine.wasm"
"""The engine for browsers, which `make web` builds into the package."""
IMPORT = re.compile(r"^import \{([\w\s,]*)\} from \"(\.\.?/[\w./-]+)\.js\";$", re.MULTILINE)
EXPORT = re.compile(r"^export ((?:async function|function|class|const) (\w+))", re.MULTILINE)
OTHER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def joined(*names: str) -> str:
    """Return modules and all that they import as one script, which has what these export.

    Examples
    --------
    >>> text = joined("slices")
    >>> text.splitlines()[-1]
    'const { nextSlice, inSlices } = modules["slices"];'
    """
    done: dict[str, tuple[str, list[str]]] = {}
    for name in names:
        _join(name, done)
    doors = (f'const {{ {", ".join(done[name][1])} }} = modules["{name}"];' for name in names)
    parts = ["const modules = {};", *(text for text, _ in done.values())]
    return "\n".join(
        [*parts, *(door for name, door in zip(names, doors, strict=True) if done[name][1])]
    )


def is_built() -> bool:
    """Tell whether there is an engine for browsers."""
    return _engine().is_file()


@cache
def engine() -> str | None:
    """Return the engine for browsers, compressed and in base64; nothing where it was not built."""
    if not is_built():
        return None
    # No time in it, so that the same engine gives the same page.
    return base64.b64encode(gzip.compress(_engine().read_bytes(), 9, mtime=0)).decode()


def _engine() -> Traversable:
    return resources.files(PACKAGE) / ENGINE


def _join(name: str, done: dict[str, tuple[str, list[str]]]) -> None:
    if name in done:
        return
    text = resources.files(PACKAGE).joinpath(*f"{name}.js".split("/")).read_text("utf-8")

    def used(found: re.Match[str]) -> str:
        way = posixpath.join(posixpath.dirname(name), found[2])
        other = posixpath.normpath(way)
        _join(other, done)
        return f'const {{{found[1]}}} = modules["{other}"];'

    text = IMPORT.sub(used, text)
    exported = [found[2] for found in EXPORT.finditer(text)]
    text = EXPORT.sub(r"\1", text)
    if other := OTHER.search(text):
        raise ValueError(f"{name}.js: of a form that is not joined: {other[0]}")
    done[name] = (
        f'modules["{name}"] = (() => {{\n{text}return {{ {", ".join(exported)} }};\n}})();',
        exported,
    )
