"""The packaged example scenarios."""

from __future__ import annotations

import difflib
import tomllib
from importlib import resources

from tcphoton.scenario import Scenario

__all__ = ["example", "examples"]

FOLDER = resources.files("tcphoton") / "scenarios"


def examples() -> dict[str, str]:
    """Return the names of the examples with their titles.

    Examples
    --------
    >>> "mm1" in examples()
    True
    """
    files = sorted(FOLDER.iterdir(), key=lambda file: file.name)
    return {
        file.name.removesuffix(".toml"): str(tomllib.loads(file.read_text("utf-8"))["title"])
        for file in files
        if file.name.endswith(".toml")
    }


def example(name: str) -> Scenario:
    """Return an example scenario.

    Raises
    ------
    LookupError
        There is none of that name.

    Examples
    --------
    >>> example("mm1").check()
    []
    """
    known = examples()
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        raise LookupError(f"no example {name!r}{hint}; there are: {', '.join(known)}")
    text = (FOLDER / f"{name}.toml").read_text("utf-8")
    return Scenario.from_text(text, f"{name}.toml")
