"""A point of a sweep: its seeds, the rows of finished runs, and the rule that ends it."""

from __future__ import annotations

import itertools
import json
import shlex
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tcphoton.analysis.controls import SURPLUS
from tcphoton.common import toml
from tcphoton.common.progress import Place
from tcphoton.errors import NoMeasureError, nearest
from tcphoton.runs import measures
from tcphoton.sweep.store.piece import Failure, Finished, Key

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tcphoton import _core
    from tcphoton.analysis.statistics import Until
    from tcphoton.runs.measures import Derive
    from tcphoton.sweep.designs import Axis
    from tcphoton.sweep.store.cache import Cache

NOWHERE = Place(0, ())
FAILED = "failed"
"""The value of the column ``stop`` for a failed run."""

Row = dict[str, Any]
Values = list[float | None]


@dataclass
class Point:
    """A point of a sweep and its runs.

    Attributes
    ----------
    digest
        The digest of its scenario.
    values
        Its values on the axes.
    seeds
        The seeds with which it starts; further ones are numbered from the largest.
    until
        The rule that ends the point; without one `seeds` are all.
    checked
        Makes the scenario that the engine runs.
    command
        The file and the settings with which ``tcphoton run`` runs it, as arguments.
    keep
        The tables that are kept of each run.
    derive
        Makes further measures of a run.
    base
        The point that the rule compares it with.
    compared
        The points that are compared with it: it takes as many seeds as any of them.
    """

    digest: str
    values: Mapping[str, Any]
    seeds: Sequence[int]
    until: Until | None = None
    checked: Callable[[], _core.Checked] | None = None
    command: Callable[[], tuple[str, Sequence[str]]] | None = None
    place: Place = NOWHERE
    keep: Sequence[str] = ()
    derive: Derive | None = None
    base: Point | None = field(default=None, repr=False, compare=False)
    compared: list[Point] = field(default_factory=list, repr=False, compare=False)
    rows: dict[int, Row] = field(default_factory=dict)
    asked: int = 0
    looked: int = 0
    enough: int | None = None
    _measured: dict[str, list[float | None]] = field(default_factory=dict)
    _controls: dict[str, list[float | None]] = field(default_factory=dict)
    _lost: int = 0

    def __post_init__(self) -> None:
        """Complete without a rule: the seeds are enough."""
        if self.until is None:
            self.enough = len(self.seeds)
        else:
            self._measured = {name: [] for name in self.until.measures}
            self._controls = {name: [] for name in self.until.controls}

    def seed(self, at: int) -> int:
        """Return the seed with this number, counted from 0."""
        beyond = at - len(self.seeds)
        return self.seeds[at] if beyond < 0 else max(self.seeds, default=0) + 1 + beyond

    @property
    def first(self) -> int:
        """The number of seeds before the rule is first evaluated."""
        return max(len(self.seeds), self.until.at_least if self.until else 0)

    @property
    def most(self) -> int:
        """The number of seeds at which the point ends, regardless of the rule."""
        return max(self.until.at_most, self.first) if self.until else len(self.seeds)

    @cached_property
    def scenario(self) -> str:
        """The canonical scenario in TOML, readable by any worker."""
        assert self.checked is not None
        return canonical(self.checked())

    def replay(self, seed: int) -> str:
        """Return the command that repeats the run of a seed."""
        assert self.command is not None
        file, settings = self.command()
        words = ["tcphoton", "run", file, "--seed", str(seed)]
        for setting in settings:
            words += ["--set", setting]
        return shlex.join(words)

    def take(self, seed: int, finished: Finished) -> None:
        """Take the run of a seed: its measures, and those that are derived.

        An exception of `derive` is the row's error: it may depend on the data of one run, and the
        other rows are still useful. A returned value that is not a measure raises: it would do so
        for all runs.
        """
        row = measures.row(finished.record)
        if self.derive is not None:
            tables = {name: finished.tables[name] for name in self.keep}
            try:
                derived = self.derive(finished.record, tables)
            except Exception as error:
                words = f"derive: {type(error).__name__}: {error}"
                self.give(seed, row | Failure(words, self.replay(seed))._asdict())
                return
            try:
                row = measures.with_derived({**self.values, "seed": seed} | row, derived)
            except (TypeError, ValueError) as error:
                error.add_note(f"derive, at {self}, seed {seed}")
                raise
        self.give(seed, row)

    def fail(self, seed: int, failure: Failure) -> None:
        """Take the failed run of a seed."""
        self.give(seed, {"stop": FAILED, **failure._asdict()})

    def give(self, seed: int, row: Row) -> None:
        """Take the row of a seed, and evaluate the rule for each number of complete seeds.

        The rule uses the rows in the order of the seeds, so a point ends at the same seed for any
        number of workers and any order of finished runs. A row with an error has no value for the
        rule; a point also ends when as many rows have errors as the point has initial seeds.
        """
        self.rows[seed] = row
        self._look()
        for each in self.compared:
            each._look()
            self._look()

    def _look(self) -> None:
        """Evaluate the rule for each number of complete seeds."""
        while (
            self.until is not None
            and self.enough is None
            and (found := self.rows.get(self.seed(self.looked))) is not None
            and (self.base is None or self.seed(self.looked) in self.base.rows)
        ):
            if "error" not in found:
                expect_measures(self.until, found)
            for name, values in (*self._measured.items(), *self._controls.items()):
                values.append(found.get(name))
            self._lost += "error" in found
            self.looked += 1
            if self.looked < self.first:
                continue
            ends = self._lost >= self.first
            if not self.compared:
                is_last = self.looked >= self.most
                ends = ends or is_last or all(map(self._is_enough, self._measured))
            if ends:
                self.enough = self.looked
        if self.base is not None:
            if self.enough is None and self.base.enough == self.looked:
                self.enough = self.looked  # that one has failed too often
            if self.enough is not None:
                self.base._end()

    def _end(self) -> None:
        """End as soon as all points that are compared with it have: at the most seeds of any."""
        if self.enough is None and all(each.enough is not None for each in self.compared):
            most = max(each.enough or 0 for each in self.compared)
            if self.looked >= most:
                self.enough = max(most, self.first)

    def _is_enough(self, name: str) -> bool:
        assert self.until is not None
        return self.until.is_enough(*self._values(name))

    def table(self) -> list[Row]:
        """Return the finished rows of the seeds that count, in the order of the seeds."""
        count = max(self.first, self.looked) if self.enough is None else self.enough
        seeds = sorted(self.seed(at) for at in range(count))
        return [
            {**self.values, "seed": seed, **self.rows[seed]} for seed in seeds if seed in self.rows
        ]

    def foreseen(self) -> int:
        """Return how many seeds it will have taken at its end, by an estimate."""
        if self.enough is not None:
            return self.enough
        assert self.until is not None
        if self.looked < self.first:
            return self.first
        if self.compared:
            wanted = max(each.foreseen() for each in self.compared)
        else:
            wanted = max(self.until.foresee(*self._values(name)) for name in self._measured)
        return min(max(wanted, self.looked + 1), self.most)

    def _values(self, name: str) -> tuple[Values, list[Values], tuple[Values, list[Values]] | None]:
        """Return a measure with the rule's controls, and those of the point it is compared with."""
        controls = list(self._controls.values())
        if self.base is None:
            return self._measured[name], controls, None
        rows = [self.base.rows[self.seed(at)] for at in range(self.looked)]
        base = (
            [row.get(name) for row in rows],
            [[row.get(each) for row in rows] for each in self._controls],
        )
        return self._measured[name], controls, base

    @property
    def ahead(self) -> int:
        """How many more seeds it may request."""
        return max(0, self.foreseen() - self.asked)

    def __str__(self) -> str:
        """Return its values."""
        return ", ".join(f"{key} = {value}" for key, value in self.values.items())


def compare(points: Sequence[Point], axes: Sequence[Axis]) -> None:
    """Say of each point which other one its rule compares it with.

    It has the values of the rule's ``against`` on the axes that have these keys, and is the same on
    the others. `points` are all of a sweep, in the order of its axes.
    """
    until = points[0].until if points else None
    if until is None or not until.against:
        return
    lengths = [len(next(iter(axis.values()))) for axis in axes]
    wanted = [_row(axis, until.against) for axis in axes]
    places = list(itertools.product(*map(range, lengths)))
    at = dict(zip(places, points, strict=True))
    for place, point in zip(places, points, strict=True):
        other = tuple(own if row is None else row for own, row in zip(place, wanted, strict=True))
        if other != place:
            point.base = at[other]
            at[other].compared.append(point)


def _row(axis: Axis, against: Mapping[str, Any]) -> int | None:
    """Return the first row of an axis that has the values of `against`, if it has such keys."""
    keys = [key for key in against if key in axis]
    rows = range(len(next(iter(axis.values()))))
    fitting = (row for row in rows if all(axis[key][row] == against[key] for key in keys))
    return next(fitting) if keys else None


def canonical(checked: _core.Checked) -> str:
    """Return a scenario in its canonical form, in TOML."""
    return toml.dumps(json.loads(checked.canonical()))


def expect_measures(until: Until, found: Row) -> None:
    """Refuse a rule that uses a column which is missing in a run's row or not a number.

    Raises
    ------
    NoMeasureError
        The rule does.
    """
    for key, names in (("measure", until.measures), ("controls", until.controls)):
        for name in names:
            if not _is_number(found.get(name, "")):
                raise _no_measure(name, found, f"until.{key}")


def _is_number(value: object) -> bool:
    """Tell whether a rule can use a value; a measure of a run may be absent."""
    return value is None or isinstance(value, int | float)


def _no_measure(measure: str, found: Row, key: str) -> NoMeasureError:
    numbers = [name for name, value in found.items() if _is_number(value)]
    if key == "until.controls":
        numbers = [name for name in numbers if name.endswith(SURPLUS)]
    if measure in found:
        problem, near = f"{measure!r} is not a number", []
    else:
        near = nearest(measure, numbers)
        problem = f"no measure {measure!r}" + (f"; did you mean {near[0]!r}?" if near else "")
    main = numbers if key == "until.controls" else measures.MAIN
    some = [name for name in dict.fromkeys([*near, *main]) if name in numbers]
    return NoMeasureError(measure, problem, f"a measure such as {', '.join(some)}", key)


def fill(point: Point, cache: Cache, revision: str) -> None:
    """Take the kept runs of a point in their order, as many as the rule wants."""
    at = 0
    while at < (point.most if point.enough is None else point.enough):
        key = Key(point.digest, point.seed(at), revision)
        finished = cache.load(key, point.keep)
        if finished is not None:
            point.take(key.seed, finished)
        elif (failure := cache.failure(key)) is not None:
            point.fail(key.seed, failure)
        elif point.until is not None:
            break
        at += 1
