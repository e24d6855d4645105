"""Tables of a TOML file that only Python reads; every error names its line and key.

The keys of a table are taken one by one, each with its kind; a key that nobody takes is an error.
Errors are collected and raised together.
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

from tcphoton.common import toml
from tcphoton.errors import Mistake, ScenarioError, hint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

HEADER = re.compile(r"\s*(\[\[?)(.+?)\]\]?\s*(?:#.*)?")
PAIR = re.compile(r"""\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*=""")  # fmt: skip  # noqa: E501
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


class File:
    r"""A file in TOML with the errors found in it.

    Parameters
    ----------
    name
        The file as it is named in messages.
    text
        Its content.

    Examples
    --------
    >>> file = File("a.toml", 'title = "a"\npoints = 1.5')
    >>> file.table.take("title", str), file.table.take("points", int, 3)
    ('a', 3)
    >>> try:
    ...     file.close(file.table)
    ... except ScenarioError as error:
    ...     print(error)
    a.toml:2: points: not a whole number; found 1.5; accepted a whole number
    """

    def __init__(self, name: str, text: str) -> None:
        self.name, self.text = name, text
        self.mistakes: list[Mistake] = []
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            found = re.search(r"\(at line (\d+)", str(error))
            line = int(found[1]) if found else None
            problem = str(error).partition(" (at ")[0]
            raise ScenarioError([Mistake.at(name, problem, line=line, accepted="TOML")]) from None
        self.table = Table(self, data, ())

    def wrong(
        self, key: Sequence[str | int], problem: str, found: object = "", accepted: str = ""
    ) -> None:
        """Add an error at a key."""
        dotted = ".".join(str(each) for each in key)
        shown = toml.shown(found)
        shown = shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…"
        self.mistakes.append(
            Mistake.at(
                self.name,
                problem,
                line=line_of(self.text, key),
                key=dotted,
                found=shown,
                accepted=accepted,
            )
        )

    def close(self, *tables: Table) -> None:
        """Refuse keys of some tables that nobody has taken, and raise all errors.

        Raises
        ------
        ScenarioError
            There are errors.
        """
        for table in tables:
            table.end()
        if self.mistakes:
            raise ScenarioError(sorted(self.mistakes, key=lambda each: each.line or 0))


class Table:
    """A table of a file, whose keys are taken one by one.

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

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts, an empty one if it is left out."""
        found = self.take(key, list, [])
        if not all(isinstance(each, str) for each in found):
            self.wrong("not a list of texts", key, found, "a list of texts")
            return ()
        return tuple(found)

    def below(self, key: str, *, needed: bool = False) -> Table:
        """Return the table of a key, an empty one if it is left out."""
        data = self.take(key, dict, NEEDED if needed else {})
        return Table(self.file, data, (*self.key, key))

    def each_below(self, key: str, *, needed: bool = False) -> dict[str, Table]:
        """Return the tables within the table of a key, by their names."""
        above = self.below(key, needed=needed)
        return {name: above.below(name) for name in above}

    def listed(self, key: str) -> list[Table]:
        """Return a list of tables, an empty one if it is left out."""
        found = self.take(key, list, [])
        if not all(isinstance(each, dict) for each in found):
            self.wrong("not a list of tables", key, found, "a list of tables")
            return []
        return [Table(self.file, each, (*self.key, key, at)) for at, each in enumerate(found)]

    def rest(self) -> dict[str, Any]:
        """Take all keys that nobody has taken yet."""
        left = {key: value for key, value in self.data.items() if key not in self._known}
        self._known |= set(left)
        return left

    def wrong(self, problem: str, key: str = "", found: object = "", accepted: str = "") -> None:
        """Add an error at one of its keys, or at the table itself."""
        self.file.wrong((*self.key, key) if key else self.key, problem, found, accepted)

    def end(self) -> None:
        """Refuse the keys that nobody has taken."""
        for key in self.data:
            if key not in self._known:
                near = hint(key, self._known)
                self.wrong(f"unknown key{near}", key, accepted=", ".join(sorted(self._known)))


def line_of(text: str, key: Sequence[str | int]) -> int | None:
    r"""Return the line in which a key of a TOML text is set, or the nearest table around it.

    Examples
    --------
    >>> text = 'a = 1\n[b."c d"]\ne.f = 2\n[[g]]\nh = 1\n[[g]]\nh = 3'
    >>> [line_of(text, key) for key in (["a"], ["b", "c d", "e", "f"], ["g", 1, "h"], ["b", "x"])]
    [1, 3, 7, None]
    """
    wanted = tuple(key)
    around: tuple[int, int | None] = (0, None)
    inside: int | None = None
    for line, here in _located(text):
        if here == wanted:
            return line
        if here[: len(wanted)] == wanted:
            inside = inside or line
        elif wanted[: len(here)] == here and len(here) > around[0]:
            around = len(here), line
    return inside or around[1]


def _located(text: str) -> Iterator[tuple[int, tuple[str | int, ...]]]:
    """Give the lines that begin a table or set a key, each with the keys that lead there."""
    above: tuple[str | int, ...] = ()
    lists: dict[tuple[str | int, ...], int] = {}
    for line, content in enumerate(text.splitlines(), 1):
        if header := HEADER.fullmatch(content):
            names = _keys(header[2])
            if names is None:
                continue
            above = (*_indexed(names[:-1], lists), names[-1])
            if header[1] == "[[":
                lists[above] = lists.get(above, -1) + 1
                above = (*above, lists[above])
            yield line, above
        elif (pair := PAIR.match(content)) and (names := _keys(pair[1])) is not None:
            yield line, (*above, *names)


def _keys(text: str) -> tuple[str, ...] | None:
    """Return the keys of a dotted key."""
    try:
        found: Any = tomllib.loads(f"{text.strip()} = 0")
    except tomllib.TOMLDecodeError:
        return None
    keys = []
    while isinstance(found, dict):
        ((key, found),) = found.items()
        keys.append(key)
    return tuple(keys)


def _indexed(
    names: Sequence[str], lists: Mapping[tuple[str | int, ...], int]
) -> tuple[str | int, ...]:
    """Return keys with the current index of every list of tables among them."""
    found: tuple[str | int, ...] = ()
    for name in names:
        found = (*found, name)
        if found in lists:
            found = (*found, lists[found])
    return found
