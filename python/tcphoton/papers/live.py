"""What a paper's page runs in a browser: ``live.toml`` beside its scenarios.

A value is turned (`x`), and some lines are run at it: each point is one short run, whose measure is
drawn. Which values and lines there are is written in the file, so that each of them can be checked.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any

from tcphoton.common import toml
from tcphoton.scenario.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FILE = "live.toml"

Values = list[tuple[str, str]]
"""Pairs of a dotted key and a text in TOML."""


@dataclass(frozen=True)
class Live:
    """A figure that is run where it is read.

    Attributes
    ----------
    title, about
        What it is, and how it differs from the paper's figure.
    scenario
        The text of the scenario, as it is without any line's values.
    x
        ``title``, ``log``, ``first`` (the place that is shown at first) and ``points``, each with
        its number ``at`` and its ``values``.
    lines
        The values of each line, by its name.
    measure
        ``title``, ``scale``, ``log``; ``of``, a way into the report, or ``series``, whose samples
        are summed at each instant from the second ``from`` on.
    """

    title: str
    about: str
    scenario: Scenario
    x: dict[str, Any]
    lines: dict[str, Values]
    measure: dict[str, Any]

    def runs(self) -> Iterator[tuple[float, str, Scenario]]:
        """Yield the number, the line and the scenario of each point."""
        for point in self.x["points"]:
            for name, values in self.lines.items():
                changes = [*point["values"], *values]
                yield point["at"], name, self.scenario.with_texts(changes)

    def data(self) -> dict[str, Any]:
        """Return what a page needs of it, as JSON has it."""
        return {
            "title": self.title,
            "text": self.scenario.text,
            "values": [list(pair) for pair in self.scenario.overrides],
            "x": json.loads(json.dumps(self.x)),
            "lines": [
                [name, [list(pair) for pair in values]] for name, values in self.lines.items()
            ],
            "measure": self.measure,
        }


def of_paper(name: str) -> Live | None:
    """Return the live figure of a paper, nothing for one without."""
    folder = resources.files("tcphoton.papers") / name
    file = folder / FILE
    if not file.is_file():
        return None
    data = tomllib.loads(file.read_text("utf-8"))
    text = (folder / data["scenario"]).read_text("utf-8")
    base = Scenario.from_text(text, data["scenario"]).with_texts(_values(data["set"]))
    return Live(
        title=data["title"],
        about=data["about"],
        scenario=base,
        x=_x(data["x"]),
        lines={line: _values(values) for line, values in data["lines"].items()},
        measure=data["measure"],
    )


def _x(given: Mapping[str, Any]) -> dict[str, Any]:
    if "points" in given:
        points = [{"at": each["at"], "values": _values(each["set"])} for each in given["points"]]
    else:
        pairs = zip(given["at"], given["values"], strict=True)
        points = [{"at": at, "values": _values({given["key"]: value})} for at, value in pairs]
    return {
        "title": given["title"],
        "log": given.get("log", False),
        "first": given["first"],
        "points": points,
    }


def _values(given: Mapping[str, Any]) -> Values:
    return [(key, toml.inline(value)) for key, value in given.items()]
