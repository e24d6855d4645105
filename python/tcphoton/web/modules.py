"""Modules of JavaScript as one text, since a page that is opened from a disk may load no others.

A module names what it imports, ``import { a, b } from "./other.js";``, and exports what it
declares, ``export function a``. Joined, all of them share one scope: browsers refuse a name that
two of them declare.
"""

from __future__ import annotations

import posixpath
import re
from importlib import resources

__all__ = ["ENGINE", "engine", "joined"]

PACKAGE = "tcphoton.web"
ENGINE = "engine.wasm"
"""The engine for browsers, which `make web` builds into the package."""
IMPORT = re.compile(r"^import \{[\w\s,]*\} from \"(\.\.?/[\w./-]+)\.js\";\n", re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async function|function|class|const) )", re.MULTILINE)
OTHER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def joined(*names: str) -> str:
    """Return modules and all that they import as one text, each after what it uses.

    Examples
    --------
    >>> text = joined("slices")
    >>> "function nextSlice" in text, "export" in text
    (True, False)
    """
    done: dict[str, str] = {}
    for name in names:
        _join(name, done)
    return "\n".join(done.values())


def engine() -> bytes | None:
    """Return the engine for browsers, nothing where it was not built."""
    place = resources.files(PACKAGE) / ENGINE
    return place.read_bytes() if place.is_file() else None


def _join(name: str, done: dict[str, str]) -> None:
    if name in done:
        return
    text = (resources.files(PACKAGE) / f"{name}.js").read_text("utf-8")
    for used in IMPORT.findall(text):
        _join(posixpath.normpath(posixpath.join(posixpath.dirname(name), used)), done)
    text = EXPORT.sub("", IMPORT.sub("", text))
    if other := OTHER.search(text):
        raise ValueError(f"{name}.js: of a form that is not joined: {other[0]}")
    done[name] = text
