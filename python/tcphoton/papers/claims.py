"""The claims of a paper, as its ``claims.toml`` states them.

A part has a rule: a word of `tcphoton.papers.comparisons` or, in a paper of the package, a function
of its ``rules.py``. The keys that a rule takes are the parameters of its function. ``{name}`` in a
text stands for what has that name: in ``[names]`` at the top of the file, or in ``each`` of a part,
which is repeated for each of some values. A part with ``parts`` is a group, whose keys they have.
"""

from __future__ import annotations

import inspect
import itertools
import math
import re
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tcphoton.errors import hint
from tcphoton.papers import comparisons
from tcphoton.papers.files import Table
from tcphoton.papers.ledger import Claim, Part
from tcphoton.papers.rules import Finding, Rule, beside, robust, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import ModuleType

    import polars as pl

    from tcphoton.papers.files import File

    Measured = Callable[[pl.DataFrame], pl.DataFrame]
    Names = Mapping[str, Any]

PUBLISHED = "published.csv"
NAME = re.compile(r"\{([A-Za-z][\w-]*)\}")
"""A name in a text."""
KINDS: dict[str, type] = {
    "str": str, "int": int, "float": float, "bool": bool, "list": list, "Printed": float,
}  # fmt: skip
"""What parameters of rules are said to be. ``At`` is a point; papers have kinds of their own."""
JOINED = ("where", "at", "base")
"""The keys of which a part has its own and those of the groups that it is in."""
TWO = 2
"""The printed numbers of a change."""
ALL_OF = "all-of"
"""The rule that all of several hold."""
OF_PART = ("name", "says", "artefact", "counts", "beyond", "beside", "rule", "of")
"""The keys that are a part's and not its rule's."""
Found = dict[str, Any]
Columns = tuple[str, ...]


@dataclass(frozen=True)
class Source:
    """What claims refer to.

    Attributes
    ----------
    paper, artefacts
        The paper's name, and the names of its artefacts.
    numbers
        Its ``published.csv``.
    rules
        Its own rules by their names.
    kinds
        What makes parameters of them that are no text or number, from a table.
    values
        What names a value of a key, of keys whose values have names.
    measured
        Adds to a table what its rules look at; `None` if they look at measures of runs.
    is_checked
        Whether a rule says which column a table lacks, instead of that nothing was run.
    """

    paper: str
    artefacts: Mapping[str, str]
    numbers: Mapping[tuple[str, str], float] = field(default_factory=dict)
    rules: Mapping[str, Callable[..., Rule]] = field(default_factory=dict)
    kinds: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    values: Mapping[str, Callable[[Any], str]] = field(default_factory=dict)
    measured: Measured | None = None
    is_checked: bool = True


def own_rules(module: ModuleType) -> dict[str, Callable[..., Rule]]:
    """Return the rules of a paper's module by their names: its public functions that make one."""
    return {
        name.replace("_", "-"): each
        for name, each in vars(module).items()
        if inspect.isfunction(each)
        and each.__module__ == module.__name__
        and each.__annotations__.get("return") == "Rule"
        and not name.startswith("_")
    }


def read(file: File, source: Source) -> tuple[Claim, ...]:
    """Return the claims of a file.

    Raises
    ------
    ScenarioError
        The file has errors.
    """
    names: dict[str, Any] = {}
    top = Table(file, file.data, ())
    for name, value in file.data.get("names", {}).items():
        names[name] = _filled(value, names, top)
    found = tuple(_claim(each, source, names) for each in top.listed("claims"))
    known = [each.claim for each in found]
    for at, each in enumerate(found):
        if each.claim in known[:at]:
            file.wrong(("claims", at, "claim"), "a name that another claim has", each.claim)
    file.close()
    return found


def _claim(raw: Table, source: Source, names: Names) -> Claim:
    parts = ("parts", "sensitivity")
    table = _with_names(raw, {key: raw.data[key] for key in raw if key not in parts}, names)
    name = table.take("claim", str)
    if not name.startswith(f"{source.paper}."):
        paper = source.paper
        table.wrong("another paper's claim", "claim", name, f"{paper}.1, {paper}.2 and so on")
    return Claim(
        name,
        table.take("statement", str),
        table.take("published", str),
        table.take("rule", str, "Each part has its rule."),
        _parts(raw, "parts", source, names, name),
        combine=raw.data.get("combine", "all"),
        sensitivity=_parts(raw, "sensitivity", source, names, name),
        changes=tuple(map(str, table.take("changes", list, []))),
        because=table.take("because", str, ""),
        far=table.take("far", str, ""),
    )


def _parts(claim: Table, key: str, source: Source, names: Names, name: str) -> tuple[Part, ...]:
    found: list[Part] = []
    for listed in claim.listed(key):
        before = len(claim.file.mistakes)
        for table, bound in _repeated(listed, {}, names):
            found.append(_part(table, bound, source, name))
            if len(claim.file.mistakes) > before:
                break  # the same would be said of each
    return tuple(found)


# Parts that are repeated, and what is written once for several.


def _repeated(table: Table, above: Found, names: Names) -> Iterator[tuple[Table, Names]]:
    """Yield a part for each of the values that it is repeated for, or those of a group.

    With each part the names that it has.
    """
    data = _joined(above, {key: table.data[key] for key in table if key not in ("each", "parts")})
    inner = table.listed("parts") if "parts" in table else None
    for bound in _each(table, names):
        if inner is None:
            yield Table(table.file, data, table.key), bound
        for each in inner or ():
            yield from _repeated(each, data, bound)


def _joined(above: Found, data: Mapping[str, Any]) -> Found:
    """Return the keys of a group with those of a part in it, whose points are joined."""
    points = {
        key: [*_listed(above[key]), *_listed(data[key])]
        for key in JOINED
        if key in above and key in data
    }
    return {**above, **data, **points}


def _each(table: Table, names: Names) -> Iterator[dict[str, Any]]:
    """Yield the names with the values of ``each``, the last of which changes first.

    A value that is a table gives its keys as names, too.
    """
    values = _filled(table.take("each", dict, {}), names, table)
    for key, some in values.items():
        if not isinstance(some, list):
            table.wrong("not a list", f"each.{key}", some, "a list of values")
            return
    for chosen in itertools.product(*map(_flat, values.values())):
        bound = {**names}
        for key, value in zip(values, chosen, strict=True):
            bound |= {key: value, **(value if isinstance(value, dict) else {})}
        yield bound


def _flat(some: list[Any]) -> list[Any]:
    """Return a list in which a list stands for its values."""
    return [value for each in some for value in _listed(each)]


def _with_names(table: Table, data: Found, names: Names) -> Table:
    return Table(table.file, _filled(data, names, table), table.key)


def _filled(value: Any, names: Names, table: Table) -> Any:
    """Return a value of a file with what its names stand for."""
    if isinstance(value, dict):
        return {
            str(_filled(key, names, table)): _filled(each, names, table)
            for key, each in value.items()
        }
    if isinstance(value, list):
        return [_filled(each, names, table) for each in value]
    if not isinstance(value, str):
        return value
    alone = NAME.fullmatch(value)
    for name in NAME.findall(value):
        problem = "" if name in names else f"no name {name!r}{hint(name, names)}"
        if not alone and isinstance(names.get(name), list | dict):
            problem = f"{name!r} is no text or number"
        if problem:
            table.wrong(problem, "", value, "a name of [names], or of each")
            return value
    if alone:
        return names[alone[1]]
    return NAME.sub(lambda found: _shown(names[found[1]]), value)


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


# A part, and its rule.


def _part(raw: Table, names: Names, source: Source, claim: str) -> Part:
    texts = {key: raw.data[key] for key in ("name", "says") if key in raw}
    data = _filled({key: raw.data[key] for key in raw if key not in texts}, names, raw)
    if source.numbers and isinstance(data.get("published"), str | list):
        data["published"] = _printed(raw, data["published"], source, claim)
    names = {**names, "published": data.get("published", "")}
    table = Table(raw.file, {**data, **_filled(texts, names, raw)}, raw.key)
    found = Part(
        table.take("name", str),
        table.take("says", str),
        table.take("artefact", str, among=source.artefacts),
        _rule(table, source),
        counts=table.take("counts", bool, without=True),
        beyond=table.take("beyond", str, ""),
    )
    table.end()
    return found


def _printed(table: Table, value: Any, source: Source, claim: str) -> float:
    """Return a number that the paper prints, or by how many per cent one is more than another."""
    found = []
    for name in map(str, _listed(value)):
        rows = [(each, name) for each in (claim, "") if (each, name) in source.numbers]
        if not rows:
            known = [what for of, what in source.numbers if of == claim]
            problem = f"no number {name!r} of {claim}{hint(name, known)}"
            table.wrong(problem, "published", value, f"one of {PUBLISHED}")
            return 0.0
        found.append(source.numbers[rows[0]])
    if isinstance(value, str):
        return found[0]
    if len(found) != TWO or found[1] == 0:
        table.wrong("not two numbers of which the second is not 0", "published", value)
        return 0.0
    return 100 * (found[0] / found[1] - 1)


def _rule(table: Table, source: Source) -> Rule:
    rule, columns = _made(table, source)
    if table.take("beside", bool, without=False):
        rule = beside(rule)
    if source.measured:
        rule = _of_measured(rule, source.measured)
    return _with_columns(rule, columns) if source.is_checked else rule


def _made(table: Table, source: Source) -> tuple[Rule, Columns]:
    """Return the rule of a part, and the columns that it names."""
    words = {**comparisons.WORDS, **source.rules}
    word = table.take("rule", str, among=(*words, ALL_OF))
    if word == ALL_OF:
        return _all_of(table, source)
    if word not in words:
        for key in table:
            table.take(key, type(table.data[key]))
        return _no_rule, ()
    make = words[word]
    given = _given(table, make, source)
    ours = table.take("ours", str, "")
    if ours and not isinstance(given.get(ours), float):
        numbers = [key for key, value in given.items() if isinstance(value, float)]
        table.wrong("no number of the rule", "ours", ours, ", ".join(numbers))
        return _no_rule, ()
    judge = _of_values(table, make, source, "x" in given)
    if ours:
        return robust(given[ours], lambda by: judge(**{**given, ours: by})), _columns(given)
    return judge(**given), _columns(given)


def _all_of(table: Table, source: Source) -> tuple[Rule, Columns]:
    """Return the rule that all of several hold, each of which has the keys of the part, too."""
    above = {key: table.data[key] for key in table if key not in OF_PART}
    found: dict[str, Rule] = {}
    columns: Columns = ()
    for each in table.listed("of"):
        inner = Table(each.file, _joined(above, each.data), each.key)
        name = inner.take("name", str)
        found[name], named = _made(inner, source)
        columns += named
        inner.end()
    for key, value in above.items():
        table.take(key, type(value))
    return comparisons.all_of(found), columns


def _given(table: Table, make: Callable[..., Rule], source: Source) -> Found:
    """Return the arguments of a rule, each under the key that is named as its parameter."""
    given: Found = {}
    where = _point(table, "where", {})
    for name, parameter in inspect.signature(make).parameters.items():
        key, kind = name.replace("_", "-"), str(parameter.annotation)
        is_needed = parameter.default is parameter.empty
        if not is_needed and key not in table and key != "at":
            given[name] = parameter.default
        elif kind == "At":
            given[name] = {**where, **_point(table, key, {} if key == "at" else None)}
        elif kind in source.kinds:
            given[name] = _of_kind(table, key, source.kinds[kind])
        elif kind == "Any" and key in table:
            given[name] = table.take(key, type(table.data[key]))
        else:
            given[name] = table.take(key, KINDS[kind.removesuffix(" | None").partition("[")[0]])
    return given


def _of_kind(table: Table, key: str, make: Callable[..., Any]) -> Any:
    """Return what a paper of its own makes of a table."""
    try:
        return make(**table.take(key, dict))
    except (KeyError, TypeError) as error:
        table.wrong(str(error), key)
        return None


def _point(table: Table, key: str, without: Found | None) -> Found:
    """Return a point, which may be a list of tables that are joined."""
    if isinstance(table.data.get(key), list):
        points = _flat(table.take(key, list))
        if not all(isinstance(each, dict) for each in points):
            table.wrong("not a list of tables", key, points, "a table, or tables to be joined")
            return {}
        return {name: value for each in points for name, value in each.items()}
    found: Found = table.take(key, dict) if without is None else table.take(key, dict, without)
    return found


def _of_values(
    table: Table, make: Callable[..., Rule], source: Source, has_x: bool
) -> Callable[..., Rule]:
    """Return what makes the rule: for each value of a key, or for some of the values of `x`."""
    each = table.take("at-each", str, "")
    low, high = table.take("from", float, -math.inf), table.take("to", float, math.inf)
    if math.isfinite(above := table.take("above", float, -math.inf)):
        low = math.nextafter(above, math.inf)
    ends: tuple[float, float] = (low, high)
    if not each:
        if ends == (-math.inf, math.inf):
            return make
        if not has_x:
            table.wrong("values of what", accepted="at-each, or a rule with x")
            return make
        return lambda **given: comparisons.for_some(given["x"], *ends, make(**given))
    is_fixed = table.take("base-stays", bool, without=False)
    deciding = table.take("decides", str, "largest", among=("largest", "smallest"))

    def for_each(**given: Any) -> Rule:
        def at(value: Any) -> Rule:
            moved = ("at",) if is_fixed or "base" not in given else ("at", "base")
            return make(**{**given, **{key: {**given[key], each: value} for key in moved}})

        return comparisons.at_each(
            each, given["at"], at, *ends,
            largest=deciding == "largest", name=source.values.get(each, str),
        )  # fmt: skip

    return for_each


def _no_rule(_: pl.DataFrame) -> Finding:
    return unknown("no rule")


def _columns(given: Mapping[str, Any]) -> Columns:
    """Return the columns that a rule reads, which its arguments name."""
    points = (given[key] for key in ("at", "base") if key in given)
    return (*(given[key] for key in ("measure", "x") if key in given), *itertools.chain(*points))


def _with_columns(rule: Rule, columns: Columns) -> Rule:
    """Say which column a table lacks, instead of that nothing was run."""

    def judged(table: pl.DataFrame) -> Finding:
        for column in columns:
            if column not in table.columns:
                return unknown(f"no column {column!r}{hint(column, table.columns)}")
        try:
            return rule(table)
        except ValueError as error:
            return unknown(str(error))

    return judged


LAST: deque[tuple[Any, pl.DataFrame, pl.DataFrame]] = deque(maxlen=8)
"""The last tables, which nobody changes, with what was added: many rules look at one."""


def _of_measured(rule: Rule, measured: Measured) -> Rule:
    def judged(table: pl.DataFrame) -> Finding:
        known = (more for of, known, more in tuple(LAST) if of is measured and known is table)
        if (added := next(known, None)) is None:
            added = measured(table)
            LAST.append((measured, table, added))
        return rule(added)

    return judged
