"""The names that tables and figures have for the axes of a sweep, and for their values.

A sweep's file names keys and values in ``[labels]``, and rows of ``[[cases]]`` and ``[[zip]]`` by
``label``. Runs, results and columns of tables have keys and values; names are for readers, and are
accepted where a key or a value is chosen. The axis of rows with names stands for the keys of these
rows: it is called ``case``, a second one ``case-2``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from tcphoton.common import quantities, toml
from tcphoton.sweep import designs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import polars as pl

LABEL = "label"
"""The key of a case or of rows that has their names, and is no key of the scenario."""


class Case(NamedTuple):
    """An axis of rows with names.

    Attributes
    ----------
    name
        The key by which it is asked for: ``case``.
    keys
        The keys of its rows.
    rows
        The name of each row, by the meaning of its values.
    """

    name: str
    keys: tuple[str, ...]
    rows: dict[tuple[object, ...], str]


@dataclass(frozen=True)
class Labels:
    """The names of a sweep's axes and values.

    Attributes
    ----------
    names
        Keys, with their names.
    values
        Keys, with the names of their values by the meaning of these.
    cases
        The axes of rows with names.

    Examples
    --------
    >>> definition = {
    ...     "over": [["core.electronic-ports", [0, 3]]],
    ...     "labels": {
    ...         "names": [["core.electronic-ports", "ports"]],
    ...         "values": [["core.electronic-ports", [[0, "none"], [3, "3 ports"]]]],
    ...         "cases": [],
    ...     },
    ... }
    >>> labels = Labels.of(definition)
    >>> labels.of_keys(["core.electronic-ports", "traffic.0.count"])
    ['ports', '0.count']
    >>> labels.of_value("core.electronic-ports", 3.0), labels.of_value("traffic.0.count", 3)
    ('3 ports', '3')
    """

    names: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[object, str]] = field(default_factory=dict)
    cases: tuple[Case, ...] = ()

    @classmethod
    def of(cls, definition: Mapping[str, Any]) -> Labels:
        """Return the names of a sweep from its definition."""
        found = definition.get("labels")
        if not found:
            return cls()
        columns = {tuple(axis): axis for axis in designs.axes_of(definition)}
        cases = []
        for name, keys, labels in found["cases"]:
            rows = zip(*columns[tuple(keys)].values(), strict=True)
            of_rows = {
                tuple(map(meaning, row)): str(label)
                for row, label in zip(rows, labels, strict=True)
            }
            cases.append(Case(str(name), tuple(keys), of_rows))
        values = {
            str(key): {meaning(value): str(label) for value, label in pairs}
            for key, pairs in found["values"]
        }
        return cls({str(k): str(name) for k, name in found["names"]}, values, tuple(cases))

    @classmethod
    def merged(cls, several: Sequence[Labels]) -> Labels:
        """Return the names of several sweeps side by side; names that contradict are left out."""
        names: dict[str, str] = {}
        values: dict[str, dict[object, str]] = {}
        for each in several:
            names = {**each.names, **names}
            for key, labels in each.values.items():
                values[key] = {**labels, **values.get(key, {})}
        cases = []
        for case in several[0].cases if several else ():
            same = [each for one in several for each in one.cases if each[:2] == case[:2]]
            rows = {k: label for each in reversed(same) for k, label in each.rows.items()}
            if len(same) == len(several) and _is_unique(rows):
                cases.append(case._replace(rows=rows))
        return cls(
            names if _is_unique(names) else {},
            {key: labels for key, labels in values.items() if _is_unique(labels)},
            tuple(cases),
        )

    def axes(self, keys: Iterable[str]) -> list[str]:
        """Return keys that vary, with an axis of named rows in the place of its keys."""
        of = {key: case.name for case in self.cases for key in case.keys}
        return list(dict.fromkeys(of.get(key, key) for key in keys))

    @property
    def replaced(self) -> frozenset[str]:
        """The keys that an axis of named rows stands for."""
        return frozenset(key for case in self.cases for key in case.keys)

    def of_keys(self, keys: Sequence[str]) -> list[str]:
        """Return what keys are called: their names, or their short ends."""
        return [self.names.get(k, short) for k, short in zip(keys, short_names(keys), strict=True)]

    def label(self, key: str, value: object) -> str | None:
        """Return the name of a value; none if it has no name."""
        of_key = self.values.get(key)
        return of_key.get(meaning(value)) if of_key and value is not None else None

    def of_value(self, key: str, value: object) -> str:
        """Return what a value is called: its name, or the value as tables have it."""
        return self.label(key, value) or toml.shown(value)

    def of_point(self, values: Mapping[str, Any]) -> dict[str, str]:
        """Return the axes of a point with what its values on them are called."""
        named = {
            case.name: label
            for case in self.cases
            if (label := case.rows.get(tuple(meaning(values.get(k)) for k in case.keys)))
        }
        axes = [key for key in self.axes(values) if key in values or key in named]
        return {key: named.get(key) or self.of_value(key, values[key]) for key in axes}

    def key_of(self, name: str) -> str | None:
        """Return the key with a name; none if no key is called so."""
        return next((key for key, label in self.names.items() if label == name), None)

    def with_cases(self, table: pl.DataFrame) -> pl.DataFrame:
        """Return a table of rows with a column for each axis of named rows."""
        import polars as pl

        for case in self.cases:
            if case.name in table.columns or not {*case.keys} <= {*table.columns}:
                continue
            rows = table.select(case.keys)
            known = {row: case.rows.get(tuple(map(meaning, row))) for row in set(rows.iter_rows())}
            column = [known[row] for row in rows.iter_rows()]
            table = table.with_columns(pl.Series(case.name, column, dtype=pl.String))
        return table

    def named(self, table: pl.DataFrame) -> pl.DataFrame:
        """Return a table of rows with the axes of named rows, and with the names of values."""
        table = self.with_cases(table)
        return table.with_columns(
            [self.shown(table.get_column(key)) for key in self.values if key in table.columns]
        )

    def shown(self, column: pl.Series) -> pl.Series:
        """Return a column of an axis with the names of its values, as it is if they have none."""
        import polars as pl

        if column.name not in self.values:
            return column
        texts = [None if each is None else self.of_value(column.name, each) for each in column]
        return pl.Series(column.name, texts, dtype=pl.String)


NO_LABELS = Labels()
"""The names of a sweep that gives none."""


def apart(text: str) -> str:
    """Return the name of a value for a list of several: quoted if it has a comma.

    Examples
    --------
    >>> apart("3 ports"), apart("hybrid, 3 ports")
    ('3 ports', '"hybrid, 3 ports"')
    """
    return f'"{text}"' if "," in text and not text.startswith(("{", "[", '"')) else text


def meaning(value: object) -> object:
    """Return what is equal for equal values, however they are written and stored.

    Examples
    --------
    >>> meaning("1 Mb/s") == meaning("1000 kb/s"), meaning(2) == meaning("2.0"), meaning("reno")
    (True, True, 'reno')
    """
    if value is None:
        return None
    text = toml.shown(value)
    try:
        return quantities.number(text), quantities.base_unit(text)
    except ValueError:
        pass
    try:
        return float(text), ""
    except ValueError:
        return text


def short_names(keys: Sequence[str]) -> list[str]:
    """Return the end of each key: two parts, or as many as make it unique.

    Examples
    --------
    >>> short_names(["traffic.0.transport.preset", "a.loss.p", "b.loss.p", "profile"])
    ['transport.preset', 'a.loss.p', 'b.loss.p', 'profile']
    """

    def end(key: str, parts: int) -> str:
        return ".".join(key.split(".")[-parts:])

    found = []
    for key in keys:
        others = [other for other in keys if other != key]
        lengths = range(2, key.count(".") + 2)
        fits = (n for n in lengths if end(key, n) not in {end(other, n) for other in others})
        found.append(end(key, next(fits, key.count(".") + 1)))
    return found


def unlabelled(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return a case, or rows, without their names.

    Examples
    --------
    >>> unlabelled({"label": "short", "run.duration": "1 s"})
    {'run.duration': '1 s'}
    """
    return {key: value for key, value in table.items() if key != LABEL}


def written(definition: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``zip``, ``cases`` and ``labels`` of a definition as a sweep's file has them."""
    found = definition.get("labels") or {"names": [], "values": [], "cases": []}
    of_rows = {tuple(keys): list(labels) for _, keys, labels in found["cases"]}
    zips = [dict(axis) for axis in definition.get("zip", [])]
    zips = [
        axis | ({LABEL: of_rows[tuple(axis)]} if tuple(axis) in of_rows else {}) for axis in zips
    ]
    cases = []
    for axis in map(dict, definition.get("cases", [])):
        rows = designs.points_of([axis])
        if tuple(axis) in of_rows:
            labels = of_rows[tuple(axis)]
            rows = [{LABEL: label, **row} for row, label in zip(rows, labels, strict=True)]
        cases += rows
    columns = {key: values for pairs in _columns(definition) for key, values in pairs}
    keyed: dict[str, Any] = dict(found["names"])
    for key, pairs in found["values"]:
        known = {meaning(value): label for value, label in pairs}
        names = [known[meaning(value)] for value in columns[key]]
        keyed[key] = {**({"name": keyed[key]} if key in keyed else {}), "values": names}
    return {"zip": zips, "cases": cases, "labels": keyed}


def _columns(definition: Mapping[str, Any]) -> list[list[Any]]:
    """Return all keys that vary with their values as the file has them."""
    ranges = (definition.get("sample") or {}).get("over", {})
    return [
        definition["over"],
        *definition.get("zip", []),
        *definition.get("cases", []),
        [[key, each["among"]] for key, each in ranges.items() if "among" in each],
    ]


def _is_unique(labels: Mapping[Any, str]) -> bool:
    return len({*labels.values()}) == len(labels)
