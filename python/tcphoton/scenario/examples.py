"""The packaged examples: scenarios, and sweeps over them."""

from __future__ import annotations

import json
import tomllib
from importlib import resources
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from tcphoton.common import arguments
from tcphoton.common.folder import put_file
from tcphoton.errors import OutputError, hint
from tcphoton.scenario.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable
    from pathlib import Path

__all__ = ["example", "example_sweep", "examples", "sweeps", "write"]

SWEEPS = "sweeps/"
FOLDER = resources.files("tcphoton") / "scenarios"


def examples() -> dict[str, str]:
    """Return the names of the examples with their titles.

    Examples
    --------
    >>> "mm1" in examples()
    True
    """
    return {name: _title(file) for name, file in _files(FOLDER, "").items()}


def sweeps() -> dict[str, str]:
    """Return the names of the example sweeps with their titles.

    Examples
    --------
    >>> "sweeps/tcp-lossy-path" in sweeps()
    True
    """
    files = _files(FOLDER / SWEEPS.rstrip("/"), SWEEPS)
    return {name: _title(file) for name, file in files.items()}


def example(name: str) -> Scenario:
    """Return an example scenario.

    Raises
    ------
    LookupError
        There is no example with that name.

    Examples
    --------
    >>> example("mm1").check()
    []
    """
    arguments.text("name", name, "the name of an example")
    return Scenario.from_text(_text(name, _files(FOLDER, "")), f"{name}.toml", folder=FOLDER)


def example_sweep(name: str) -> str:
    """Return the text of an example sweep.

    Raises
    ------
    LookupError
        There is no example with that name.

    Examples
    --------
    >>> example_sweep("sweeps/dumbbell-presets").splitlines()[1]
    'scenario = "../dumbbell.toml"'
    """
    return _text(name, _files(FOLDER / SWEEPS.rstrip("/"), SWEEPS))


def write(name: str, out: Path) -> list[Path]:
    """Write an example, for a sweep also its scenario, and return the files.

    Raises
    ------
    LookupError
        There is no example with that name.
    OutputError
        A file exists already, or cannot be written.
    """
    text = _text(name, {**examples(), **sweeps()})
    files = {out: text}
    if name.startswith(SWEEPS):
        scenario = tomllib.loads(text)["scenario"]
        beside = out.with_name(PurePosixPath(scenario).name)
        if beside == out:
            raise OutputError(f"{out}: the scenario of the sweep has this name")
        files[out] = text.replace(json.dumps(scenario), json.dumps(beside.name), 1)
        files[beside] = (FOLDER / beside.name).read_text("utf-8")
        if beside.is_file() and beside.read_bytes() == files[beside].encode():
            del files[beside]
    for file in files:
        if file.exists():
            raise OutputError(f"{file}: exists already")
    for file, content in files.items():
        put_file(file, content.encode())
    return list(files)


def _files(folder: Traversable, prefix: str) -> dict[str, Traversable]:
    """Return the files of a folder by the names of examples, unread."""
    files = sorted(folder.iterdir(), key=lambda file: file.name)
    return {
        prefix + file.name.removesuffix(".toml"): file
        for file in files
        if file.name.endswith(".toml")
    }


def _title(file: Traversable) -> str:
    return str(tomllib.loads(file.read_text("utf-8"))["title"])


def _text(name: str, known: Mapping[str, object]) -> str:
    if name not in known:
        raise LookupError(f"no example {name!r}{hint(name, known)}; available: {', '.join(known)}")
    return (FOLDER / f"{name}.toml").read_text("utf-8")
