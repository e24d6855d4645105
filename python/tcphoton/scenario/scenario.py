"""Scenarios: text in TOML, overridden keys, and the engine's checks and description."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tcphoton import _core
from tcphoton.common import arguments, display, toml
from tcphoton.errors import Mistake, ScenarioError
from tcphoton.scenario.files import File, of_scenario

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping
    from importlib.resources.abc import Traversable

__all__ = ["Scenario"]


@dataclass(frozen=True)
class Scenario:
    """A scenario: its text and the keys that override it.

    A scenario is a value. It is checked on request (`check`) or when it is run, so a template with
    missing keys can be completed by `with_`.

    Attributes
    ----------
    text
        The scenario in TOML.
    file
        The file name in its error messages.
    overrides
        Pairs of a dotted key and the text of its value, applied in order. Entries of a list are
        numbered: ``traffic.0.count``.
    files
        The files that it refers to, which `load`, `from_text`, `from_dict` and `with_` read. So a
        scenario is complete: what happens to these files later does not change it.

    Examples
    --------
    >>> import tcphoton as tp
    >>> scenario = tp.Scenario.from_dict(
    ...     {
    ...         "run": {"duration": "100 ms"},
    ...         "topology": {
    ...             "kind": "line",
    ...             "routers": 1,
    ...             "link": {"rate": "1 Mb/s", "delay": "1 ms"},
    ...         },
    ...         "traffic": [
    ...             {
    ...                 "from": "a",
    ...                 "to": "b",
    ...                 "transport": {"kind": "udp"},
    ...                 "source": {"kind": "cbr", "rate": "100 kb/s", "packet": "1000 B"},
    ...             }
    ...         ],
    ...     }
    ... )
    >>> scenario.check()
    []
    """

    text: str
    file: str = "<text>"
    overrides: tuple[tuple[str, str], ...] = ()
    files: tuple[File, ...] = ()

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Scenario:
        """Read a scenario's file and the files that it refers to.

        What is wrong with one of the latter is an error of the scenario, as `check` has it.

        Raises
        ------
        ScenarioError
            The file cannot be read, is not text, or is too large.
        """
        file, text = _core.read(arguments.path("path", path))
        return cls.from_text(text, file)

    @classmethod
    def from_text(
        cls, text: str, file: str = "<text>", *, folder: Path | Traversable | None = None
    ) -> Scenario:
        """Make a scenario from a text in TOML.

        Parameters
        ----------
        text
            The text.
        file
            The name of its file in messages.
        folder
            Where the paths of files that it refers to start; default: the folder of `file`, which
            for a text without a file is the current directory.
        """
        arguments.text("text", text, "a scenario in TOML")
        return cls(text, file, (), of_scenario(file, text, (), (), folder))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Scenario:
        """Make a scenario from plain dicts, lists, texts and numbers.

        Examples
        --------
        >>> print(Scenario.from_dict({"run": {"duration": "1 s"}}).to_toml())
        [run]
        duration = "1 s"
        <BLANKLINE>
        """
        return cls.from_text(toml.dumps(arguments.mapping("data", data)), "<dict>")

    def with_(self, changes: Mapping[str, Any]) -> Scenario:
        """Return this scenario with other values for some dotted keys.

        The path of a file that one of them names starts at the current directory.

        Examples
        --------
        >>> scenario = Scenario.from_dict({"run": {"duration": "1 s"}})
        >>> scenario.with_({"run.duration": "2 s", "run.seed": 7}).to_dict()
        {'run': {'duration': '2 s', 'seed': 7}}
        """
        arguments.mapping("changes", changes)
        return self.with_texts((key, toml.inline(value)) for key, value in changes.items())

    def with_texts(self, changes: Iterable[tuple[str, str]]) -> Scenario:
        """Return this scenario with other values, given as texts in TOML, for some dotted keys."""
        overrides = (*self.overrides, *changes)
        read = of_scenario(self.file, self.text, overrides, self.files)
        return replace(self, overrides=overrides, files=read)

    def to_dict(self) -> dict[str, Any]:
        """Return the scenario as plain values, with all overrides applied.

        Raises
        ------
        ScenarioError
            The text is not TOML, or a key does not exist.
        """
        try:
            data = tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            raise ScenarioError([Mistake.at(self.file, f"not TOML: {error}")]) from None
        for key, text in self.overrides:
            try:
                _set(data, key, toml.value_of(text))
            except (KeyError, IndexError, ValueError, TypeError):
                raise ScenarioError(
                    [Mistake.at(f"{self.file}: {key}", "does not exist in this scenario")]
                ) from None
        return data

    def to_toml(self) -> str:
        """Return the text in TOML, with all overrides applied.

        Without overrides, it is the text as it was read, including comments.
        """
        return toml.dumps(self.to_dict()) if self.overrides else self.text

    def check(self) -> list[Mistake]:
        """Return all errors, an empty list if there are none."""
        try:
            self.checked()
        except ScenarioError as error:
            return error.mistakes
        return []

    def warnings(self) -> list[Mistake]:
        """Return a warning for each part of the scenario that has no effect, even with errors.

        Examples
        --------
        >>> import tcphoton as tp
        >>> tp.example("mm1").warnings()
        []
        """
        try:
            return self.checked().warnings
        except ScenarioError as error:
            return error.warnings

    def checked(self) -> _core.Checked:
        """Return the checked scenario that the engine runs.

        Raises
        ------
        ScenarioError
            The scenario has errors.
        """
        return _core.load(self.file, self.text, self.overrides, self.files)

    @staticmethod
    def expect(given: object) -> None:
        """Refuse a value that is not a scenario, such as the name of its file.

        Raises
        ------
        TypeError
            It is not a scenario.
        """
        if not isinstance(given, Scenario):
            of_file = ": tcphoton.Scenario.load reads its file" * isinstance(given, str | Path)
            raise TypeError(f"a Scenario is expected, not {given!r}{of_file}")

    def show(self) -> dict[str, Any]:
        """Return the topology, derived quantities and the defaults used."""
        checked = self.checked()
        shown: dict[str, Any] = json.loads(checked.show())
        return shown | {"memory": checked.memory()}

    @property
    def digest(self) -> str:
        """The digest of the scenario: it depends on the meaning, not on the layout."""
        return self.checked().digest

    def _repr_html_(self) -> str:
        """Show in a notebook the engine's description or the errors, and the text."""
        return display.in_html("scenario", self)


def _set(data: dict[str, Any], key: str, value: object) -> None:
    """Set a value for a dotted key, creating tables as needed."""
    *way, last = key.split(".")
    place: Any = data
    for step in way:
        place = place[int(step)] if isinstance(place, list) else place.setdefault(step, {})
    if isinstance(place, list):
        place[int(last)] = value
    elif isinstance(place, dict):
        place[last] = value
    else:
        raise TypeError
