"""Assumptions: what a paper leaves unsaid, as values that change its runs or its measures.

``readings.toml`` of a paper's folder has them. An assumption has values by name, or a range. A
value sets keys of scenarios, replaces a scenario, or says how a measure is made; where the paper's
text speaks for or against it, it has the words.

A *reading* is a choice of a value for some assumptions; the others are as assumed beforehand, which
is what the paper's scenarios and grids have. Its `Overlay` changes the runs of the grids and the
columns of their tables.
"""

from __future__ import annotations

import fnmatch
import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tcphoton.common import quantities
from tcphoton.errors import hint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from tcphoton.papers.files import File

CONTRADICTS = "contradicts"
"""The source of a value against which a sentence of the paper speaks."""
OF_RANGE = {"from", "to", "scale", "keys", "source", "why"}
"""The keys of an assumption that only a range has."""
DIGITS = 3
"""Significant digits of a value drawn from a range."""
ROUNDING = 1e-9
"""By how much of a range a value may lie outside of it."""


@dataclass(frozen=True)
class Change:
    """A change of the runs of some grids; ``docs/reference/paper.md`` explains its keys."""

    set: Mapping[str, Any] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    scenario: str = ""
    grids: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()

    def concerns(self, grid: str, scenario: str, variant: str = "") -> bool:
        """Tell whether it changes the runs of a grid with a scenario, or those of a variant."""
        of_scenario = not self.scenarios or scenario in self.scenarios
        return of_scenario and _is_among(grid, self.grids) and _is_among(variant, self.variants)


def _is_among(name: str, patterns: tuple[str, ...]) -> bool:
    return not patterns or any(fnmatch.fnmatchcase(name, each) for each in patterns)


@dataclass(frozen=True)
class Measure:
    """Another definition of a measure, for the rows of some grids.

    Attributes
    ----------
    column
        The column of tables that it replaces.
    formula
        Another column, or a formula of columns in SQL.
    where
        The grids and scenarios to which it applies.
    """

    column: str
    formula: str
    where: Change = field(default_factory=Change)


@dataclass(frozen=True)
class Value:
    """A value of an assumption.

    Attributes
    ----------
    name
        What it is called.
    changes
        What it changes of the runs.
    measures
        Other definitions of measures.
    source, why
        Where it comes from, and the paper's words or the reason.
    """

    name: str
    changes: tuple[Change, ...]
    measures: tuple[Measure, ...]
    source: str
    why: str


@dataclass(frozen=True)
class Range:
    """A range of values: of keys that have it, or a multiple of it.

    Attributes
    ----------
    low, high
        Its ends, in the base unit.
    unit
        The base unit; empty for a plain number.
    whole
        Whether its values are whole numbers.
    log
        Whether the logarithm is drawn uniformly.
    keys
        The keys, each with the factor by which the value is multiplied.
    """

    low: float
    high: float
    unit: str
    whole: bool
    log: bool
    keys: Mapping[str, float]

    def at(self, share: float) -> str:
        """Return the value at a share of the range from 0 to 1, to three digits.

        Examples
        --------
        >>> Range(0.001, 0.1, "s", False, True, {}).at(0.5)
        '10 ms'
        """
        if self.log:
            value = self.low * (self.high / self.low) ** share
        else:
            value = self.low + (self.high - self.low) * share
        return self.text(value)

    def share(self, text: str) -> float:
        """Return where a value lies in the range, from 0 to 1."""
        value = quantities.number(_plain(text))
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def text(self, value: float) -> str:
        """Return a number of the range as a scenario has it."""
        if self.whole:
            return str(round(value))
        rounded = float(f"{value:.{DIGITS}g}")
        return quantities.text(rounded, self.unit) if self.unit else f"{rounded:g}"

    def set(self, text: str) -> dict[str, Any]:
        """Return the keys with their values."""
        value = quantities.number(_plain(text))
        return {key: _plain(self.text(value * factor)) for key, factor in self.keys.items()}


@dataclass(frozen=True)
class Assumption:
    """What a paper leaves unsaid.

    Attributes
    ----------
    name, what
        Its short name, and what it is about.
    default
        The name of the value that is assumed beforehand.
    values
        Its values by their names; none if it has a range.
    range
        The range; of it all values have the same source.
    scope
        The grids and scenarios of a range, and its source.
    touches
        The claims that it can affect; all if there are none.
    """

    name: str
    what: str
    default: str
    values: Mapping[str, Value]
    range: Range | None = None
    scope: Value | None = None
    touches: tuple[str, ...] = ()

    def value(self, name: str) -> Value:
        """Return a value by its name.

        Raises
        ------
        LookupError
            It has none of that name, or it is outside of the range.
        """
        if self.range is None:
            if name not in self.values:
                known = ", ".join(self.values)
                raise LookupError(f"{self.name}: no value {name!r}{hint(name, self.values)}; "
                                  f"accepted {known}")  # fmt: skip
            return self.values[name]
        assert self.scope is not None
        try:
            inside = -ROUNDING <= self.range.share(name) <= 1 + ROUNDING
        except (ValueError, ZeroDivisionError):
            inside = False
        if not inside:
            ends = " to ".join(map(self.range.text, (self.range.low, self.range.high)))
            raise LookupError(f"{self.name}: {name!r} is not in its range; accepted {ends}")
        (where,) = self.scope.changes
        change = replace(where, set=self.range.set(name))
        return Value(name, (change,), (), self.scope.source, self.scope.why)

    def at(self, share: float) -> str:
        """Return the name of the value at a share of the range, or of the list, from 0 up to 1."""
        if self.range is not None:
            return self.range.at(share)
        names = list(self.values)
        return names[min(int(share * len(names)), len(names) - 1)]


@dataclass(frozen=True)
class Reading:
    """A choice of values.

    Attributes
    ----------
    name
        Its name; empty for one that has none.
    values
        The names of values by assumption. Assumptions that it does not have are as assumed.
    first_seed
        The number of the first seed of its runs.
    seeds
        The least seeds of a point.
    """

    name: str
    values: Mapping[str, str]
    first_seed: int = 1
    seeds: int = 0


@dataclass(frozen=True)
class Overlay:
    """What a reading changes of a paper's runs and tables.

    Attributes
    ----------
    changes
        Changes of runs, of which a later one wins.
    measures
        Other definitions of measures, of which a later one wins.
    first_seed
        The number of the first seed.
    least
        The least seeds of a point.
    """

    changes: tuple[Change, ...] = ()
    measures: tuple[Measure, ...] = ()
    first_seed: int = 1
    least: int = 0

    def scenario(self, grid: str, file: str, variant: str = "") -> str:
        """Return the file of the scenario of a grid's variant."""
        found = [each.scenario for each in self._of(grid, file, variant) if each.scenario]
        return found[-1] if found else file

    def changed(
        self, grid: str, file: str, keys: Mapping[str, Any], variant: str = ""
    ) -> dict[str, Any]:
        """Return the keys that a grid and its variant set, as the reading has them."""
        found = dict(keys)
        for change in self._of(grid, file, variant):
            for key in change.without:
                found.pop(key, None)
            # A table that is set replaces the keys that were set within it.
            for key in change.set:
                found = {each: found[each] for each in found if not each.startswith(f"{key}.")}
            found |= change.set
        return found

    def seeds(self, seeds: int | Sequence[int]) -> int | list[int]:
        """Return seeds of a grid, counted from the first one."""
        seeds = max(seeds, self.least) if isinstance(seeds, int) else seeds
        if self.first_seed == 1:
            return seeds if isinstance(seeds, int) else list(seeds)
        counted = range(1, seeds + 1) if isinstance(seeds, int) else seeds
        return [self.first_seed - 1 + each for each in counted]

    def measured(self, table: pl.DataFrame, scenarios: Mapping[str, str]) -> pl.DataFrame:
        """Return a table with its measures as the reading has them.

        Parameters
        ----------
        table
            A table whose columns ``grid`` and ``variant`` say of what a row is.
        scenarios
            The scenario's file of each grid.

        Examples
        --------
        >>> import polars as pl
        >>> table = pl.DataFrame({"grid": ["a"], "delay": [1.0], "ack-delay": [3.0]})
        >>> mean = Measure("delay", '("delay" + "ack-delay") / 2')
        >>> Overlay(measures=(mean,)).measured(table, {"a": "scenario.toml"}).rows()
        [('a', 2.0, 3.0)]
        """
        import polars as pl

        made: dict[str, pl.Expr] = {}
        for measure in self.measures:
            where = replace(measure.where, variants=())
            of = [each for each, file in scenarios.items() if where.concerns(each, file)]
            found = _expression(measure, table)
            if found is not None and of:
                here = pl.col("grid").is_in(of)
                if patterns := measure.where.variants:
                    known = table.get_column("variant").unique()
                    some = [each for each in known if _is_among(str(each), patterns)]
                    here &= pl.col("variant").is_in(some)
                other = made.get(measure.column, pl.col(measure.column))
                made[measure.column] = pl.when(here).then(found).otherwise(other)
        return table.with_columns(each.alias(column) for column, each in made.items())

    def _of(self, grid: str, file: str, variant: str) -> list[Change]:
        return [change for change in self.changes if change.concerns(grid, file, variant)]


def _expression(measure: Measure, table: pl.DataFrame) -> pl.Expr | None:
    """Return the formula of a measure; `None` if a table does not have its columns.

    A run in which it divides by 0 has no value.
    """
    import polars as pl

    if measure.column not in table.columns:
        return None
    if measure.formula in table.columns:
        return pl.col(measure.formula)
    found = pl.sql_expr(measure.formula)
    if not set(found.meta.root_names()) <= set(table.columns):
        return None
    return pl.when(found.is_finite()).then(found)


AS_ASSUMED = Overlay()
"""The overlay of no reading."""


def overlay(assumptions: Mapping[str, Assumption], reading: Reading) -> Overlay:
    """Return what a reading changes.

    Raises
    ------
    LookupError
        It names an assumption or a value that does not exist.
    """
    changes: list[Change] = []
    measures: list[Measure] = []
    for name in reading.values:
        if name not in assumptions:
            known = ", ".join(assumptions)
            raise LookupError(f"no assumption {name!r}{hint(name, assumptions)}; accepted {known}")
    for name, assumption in assumptions.items():
        chosen = reading.values.get(name, assumption.default)
        if chosen != assumption.default:
            value = assumption.value(chosen)
            changes += value.changes
            measures += value.measures
    return Overlay(tuple(changes), tuple(measures), reading.first_seed, reading.seeds)


# What a file says.


def made(file: File, name: str, others: Change) -> Assumption:
    """Return an assumption of a file, about what `others` are about unless it says of what."""
    key, data = ("assumptions", name), file.data["assumptions"][name]
    what, touches, default = data["what"], tuple(data.get("touches", ())), str(data["default"])
    where = scope(data, others)
    if "values" in data or "from" not in data:
        for each in sorted(OF_RANGE & data.keys()):
            file.wrong((*key, each), "is for a range, and this has values by name")
        values = {each: _value(each, one, where) for each, one in data.get("values", {}).items()}
        if "values" not in data:
            file.wrong((*key, "values"), "missing", accepted="a table")
        elif default not in values:
            problem = f"not one of them{hint(default, values)}"
            file.wrong((*key, "default"), problem, default, ", ".join(values))
        return Assumption(name, what, default, values, touches=touches)
    for each in ("source", "why"):
        if each not in data:
            file.wrong((*key, each), "missing", accepted="a text")
    about = Value("", (where,), (), data.get("source", ""), data.get("why", ""))
    found = Assumption(name, what, default, {}, _range(file, key, data), about, touches)
    try:
        found.value(default)
    except LookupError as error:
        accepted = str(error).rpartition("accepted ")[2]
        file.wrong((*key, "default"), "not in its range", default, accepted)
    return found


def scope(data: Mapping[str, Any], other: Change) -> Change:
    """Return where something applies, what is left out from another."""
    return Change(
        grids=tuple(data.get("grids", ())) or other.grids,
        scenarios=tuple(data.get("scenarios", ())) or other.scenarios,
        variants=tuple(data.get("variants", ())) or other.variants,
    )


def _value(name: str, data: Mapping[str, Any], where: Change) -> Value:
    changes = [_change(each, where) for each in data.get("changes", ())]
    own = _change(data, where)
    if own.set or own.without or own.scenario:
        changes.insert(0, own)
    measured = scope(data, where)
    measures = tuple(
        Measure(column, formula, measured) for column, formula in data.get("measures", {}).items()
    )
    return Value(name, tuple(changes), measures, data["source"], data["why"])


def _change(data: Mapping[str, Any], where: Change) -> Change:
    return replace(
        scope(data, where),
        set=data.get("set", {}),
        without=tuple(data.get("without", ())),
        scenario=data.get("scenario", ""),
    )


def _range(file: File, key: tuple[str, ...], data: Mapping[str, Any]) -> Range:
    ends = {}
    for each in ("from", "to"):
        value = data.get(each, "")
        try:
            ends[each] = quantities.number(value), quantities.base_unit(value)
        except ValueError:
            accepted = 'a number, or a quantity such as "2 ms"'
            file.wrong((*key, each), "not a quantity", value, accepted)
            ends[each] = 0.0, ""
    log = data.get("scale") == "log"
    (low, unit), (high, other) = ends["from"], ends["to"]
    if unit != other or high <= low or (log and low <= 0):
        accepted = "two quantities of one unit, the smaller first" + (", above 0" if log else "")
        file.wrong((*key, "to"), "no range", data.get("to", ""), accepted)
        low, high = 1.0, 2.0
    whole = all(type(data.get(each)) is int for each in ("from", "to"))
    keys = data.get("keys", ())
    factors = {each: float(keys[each]) if isinstance(keys, dict) else 1.0 for each in keys}
    return Range(low, high, unit, whole, log, factors)


def _plain(text: str) -> Any:
    """Return a number of a text that is one, else the text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
