"""What the scenarios of a sweep say before any run: warnings, and what an axis changes besides.

A warning of some points names these: at which values of which axes. A value that implies others,
as a preset of TCP implies a way of loss recovery, changes more than its own key; what its axis
shows is then the effect of all of them.
"""

from __future__ import annotations

import random
import re
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tcphoton.common import toml
from tcphoton.scenario.scenario import Scenario
from tcphoton.sweep import designs
from tcphoton.sweep.labels import apart, meaning
from tcphoton.sweep.point import canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tcphoton import _core
    from tcphoton.errors import Mistake
    from tcphoton.sweep.designs import Axis
    from tcphoton.sweep.labels import Labels

SHOWN = 4
"""Maximum values, and keys, that a remark lists."""
NUMBERS = re.compile(r"\d[\d.,]*")

Point = dict[str, Any]


class Remarks:
    """The remarks on the points that have been looked at.

    Parameters
    ----------
    axes
        The axes of the sweep.
    labels
        The names of the axes and of their values.
    """

    def __init__(self, axes: Sequence[Axis], labels: Labels) -> None:
        self._points = designs.points_of(axes)
        self._labels = labels
        self._near = list(_near(self._points, [tuple(axis) for axis in axes]))
        self._seen: list[Point] = []
        self._warned: dict[tuple[str, str], tuple[Mistake, list[Point]]] = {}
        self._parameters: dict[int, dict[str, str]] = {}

    def look(self, checked: Callable[[int, Point], _core.Checked | None], seconds: float) -> None:
        """Look at the points, at as many as time permits; `checked` returns a point's scenario."""
        end = time.monotonic() + seconds
        # First those whose parameters are compared; the others are spread over all axes.
        compared = list(dict.fromkeys(at for near in self._near for at in near))
        others = list(range(len(self._points)))
        random.Random(1).shuffle(others)
        for at in dict.fromkeys([*compared, *others]):
            scenario = checked(at, self._points[at])
            if scenario is not None:
                self._take(at, scenario, is_compared=at in compared)
            if time.monotonic() > end:
                return

    def _take(self, at: int, checked: _core.Checked, *, is_compared: bool) -> None:
        point = self._points[at]
        self._seen.append(point)
        for warning in checked.warnings:
            # A number in it may depend on the point: the text of the first one stands for all.
            like = (warning.key, NUMBERS.sub("", warning.problem))
            self._warned.setdefault(like, (warning, []))[1].append(point)
        if is_compared:
            # A point alone does not know what its keys imply; a scenario of its own does.
            entries = Scenario(canonical(checked)).show()["parameters"]
            self._parameters[at] = {each["key"]: toml.shown(each["value"]) for each in entries}

    def warnings(self) -> list[Mistake]:
        """Return each warning once, with the values at which it holds, unless it is all of them."""
        return [self._placed(*each) for each in self._warned.values()]

    def _placed(self, warning: Mistake, points: Sequence[Point]) -> Mistake:
        where = self._where(points)
        if not where:
            return warning
        problem = f"{warning.problem}; at {where}"
        text = warning.text.replace(warning.problem, problem, 1)
        return replace(warning, problem=problem, text=text)

    def changes(self) -> list[str]:
        """Return for each axis of texts the keys that change with it, other than its own."""
        return [text for near in self._near if (text := self._change(near))]

    def _change(self, near: Sequence[int]) -> str:
        known = [self._parameters[at] for at in near if at in self._parameters]
        if len(known) < len(near):
            return ""
        points = [self._points[at] for at in near]
        own = [key for key in points[0] if any(point[key] != points[0][key] for point in points)]
        values = {key: [each.get(key) for each in known] for key in known[0]}
        changed = [
            key
            for key, of in values.items()
            if None not in of and len({*of}) > 1 and not _is_below(key, own)
        ]
        # What a key implies for those below it is not told again.
        told = [key for key in changed if not _is_below(key, {*changed} - {key})]
        if not told:
            return ""
        at = [self._labels.of_point({key: point[key] for key in own}) for point in points]
        name = ", ".join(self._labels.names.get(key, key) for key in at[0])
        texts = [", ".join(map(apart, each.values())) for each in at]
        keys = []
        for key in told[:SHOWN]:
            pairs = zip(values[key], texts, strict=True)
            keys.append(f"{key} ({', '.join(f'{value} at {text}' for value, text in pairs)})")
        more = f" and {len(told) - SHOWN} further keys" if len(told) > SHOWN else ""
        return f"{name} sets {', '.join(keys)}{more}, too: its effect is that of all of them"

    def _where(self, points: Sequence[Point]) -> str:
        """Return the values of the axes at some points, of those that have others elsewhere."""
        seen, there = self._texts(self._seen), self._texts(points)
        parts = []
        for key, values in there.items():
            if len(values) < len(seen[key]):
                some = [value for value in seen[key] if value in values]
                more = f" and {len(some) - SHOWN} more" if len(some) > SHOWN else ""
                name = self._labels.names.get(key, key)
                parts.append(f"{name} = {', '.join(some[:SHOWN])}{more}")
        return ", ".join(parts)

    def _texts(self, points: Iterable[Point]) -> dict[str, dict[str, None]]:
        """Return what the values of each axis are called at some points."""
        found: dict[str, dict[str, None]] = {}
        for point in points:
            for key, text in self._labels.of_point(point).items():
                found.setdefault(key, {})[apart(text)] = None
        return found


def _near(points: Sequence[Point], factors: Sequence[tuple[str, ...]]) -> Iterator[list[int]]:
    """Return for each axis of texts the first point, and some that differ from it in that alone."""
    for factor in factors if points else ():
        first = points[0]
        others = [key for key in first if key not in factor]
        near = [at for at, point in enumerate(points) if all(point[k] == first[k] for k in others)]
        if len(near) > 1 and any(_is_text(points[at][key]) for at in near for key in factor):
            yield near[:SHOWN]


def _is_below(key: str, keys: Iterable[str]) -> bool:
    """Tell whether a key is one of some, or in the table of one."""
    return any(key == one or key.startswith(f"{one}.") for one in keys)


def _is_text(value: object) -> bool:
    """Tell whether a value is neither a number nor a quantity."""
    return isinstance(value, dict | list) or isinstance(meaning(value), str)
