"""The files of a paper: checked by the engine, with errors that only their use shows.

The engine checks a file along its schema (``docs/reference/paper.md``). What names refer to, and
the keys of a rule, which are the parameters of a function, are checked where they are used. These
errors are collected and raised together.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tcphoton import _core
from tcphoton.common import toml
from tcphoton.errors import Mistake, ScenarioError, hint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from importlib.resources.abc import Traversable
    from pathlib import Path

SWEEPS, CLAIMS, READINGS, READING = (
    "sweeps.toml", "claims.toml", "readings.toml", "readings/NAME.toml"
)  # fmt: skip
"""The kinds of files."""
LONGEST = 80
"""Maximum characters of a value in a message."""
NEEDED: Any = object()
WORDS: dict[type, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "a table",
    list: "a list",
}


def text_of(path: Path | Traversable) -> str:
    """Return the text of a file of a paper.

    Raises
    ------
    ScenarioError
        It cannot be read.
    """
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise ScenarioError([Mistake.at(str(path), f"cannot be read: {reason}")]) from None


class File:
    """A file of a paper with the errors that its use shows.

    Parameters
    ----------
    kind
        What it is: `SWEEPS`, `CLAIMS`, `READINGS` or `READING`.
    name
        The file as it is named in messages.
    text
        Its content.

    Attributes
    ----------
    data
        Its content.
    mistakes
        The errors so far.

    Raises
    ------
    ScenarioError
        It is not TOML, or its keys are wrong.
    """

    def __init__(self, kind: str, name: str, text: str) -> None:
        self.name = name
        self._document = _core.load_document(kind, name, text)
        self.data: dict[str, Any] = json.loads(self._document.content())
        self.mistakes: list[Mistake] = []

    def wrong(
        self, key: Sequence[str | int], problem: str, found: object = "", accepted: str = ""
    ) -> None:
        """Add an error at a key."""
        keys = [str(each) for each in key]
        shown = toml.shown(found)
        shown = shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…"
        self.mistakes.append(
            Mistake.at(
                self.name,
                problem,
                line=self._document.line(keys),
                key=".".join(keys),
                found=shown,
                accepted=accepted,
            )
        )

    def close(self) -> None:
        """Raise all errors.

        Raises
        ------
        ScenarioError
            There are errors.
        """
        if self.mistakes:
            raise ScenarioError(sorted(self.mistakes, key=lambda each: each.line or 0))


class Table:
    """A table whose keys are taken one by one, each with its type, as the parameters of a rule are.

    Attributes
    ----------
    file, data, key
        Its file, its content, and the keys that lead to it.
    """

    def __init__(self, file: File, data: Mapping[str, Any], key: tuple[str | int, ...]) -> None:
        self.file, self.data, self.key = file, data, key
        self._known: set[str] = set()

    def __iter__(self) -> Iterator[str]:
        """Go through its keys."""
        return iter(self.data)

    def take(
        self, key: str, kind: type, without: Any = NEEDED, *, among: Iterable[str] = ()
    ) -> Any:
        """Return the value of a key, or `without` if there is none or it is wrong.

        Parameters
        ----------
        key
            The key.
        kind
            The type of its value; a whole number is a `float`, too.
        without
            What is returned if it is left out; if there is nothing, the key is needed.
        among
            The texts that are accepted; any if there are none.
        """
        self._known.add(key)
        names = tuple(among)
        accepted = ", ".join(names) or WORDS[kind]
        if key not in self.data:
            if without is NEEDED:
                self.wrong("missing", key, accepted=accepted)
                return kind()
            return without
        value = self.data[key]
        whole = isinstance(value, int) and not isinstance(value, bool)
        fits = whole if kind is int else isinstance(value, kind) or (kind is float and whole)
        if not fits:
            self.wrong(f"not {WORDS[kind]}", key, value, accepted)
        elif names and value not in names:
            self.wrong(f"not one of them{hint(str(value), names)}", key, value, accepted)
        else:
            return float(value) if kind is float else value
        return kind() if without is NEEDED else without

    def listed(self, key: str) -> list[Table]:
        """Return a list of tables, an empty one if it is left out."""
        found = self.take(key, list, [])
        if not all(isinstance(each, dict) for each in found):
            self.wrong("not a list of tables", key, found, "a list of tables")
            return []
        return [Table(self.file, each, (*self.key, key, at)) for at, each in enumerate(found)]

    def wrong(self, problem: str, key: str = "", found: object = "", accepted: str = "") -> None:
        """Add an error at one of its keys, or at the table itself."""
        self.file.wrong((*self.key, key) if key else self.key, problem, found, accepted)

    def end(self) -> None:
        """Refuse the keys that nobody has taken."""
        for key in self.data:
            if key not in self._known:
                near = hint(key, self._known)
                self.wrong(f"unknown key{near}", key, accepted=", ".join(sorted(self._known)))
