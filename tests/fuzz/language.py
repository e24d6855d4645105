"""The scenario language as the engine tells it: values that its schema describes."""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any

from tcphoton import _core

if TYPE_CHECKING:
    from fuzz.draw import Draw

__all__ = ["Language", "Schema", "language"]

Schema = dict[str, Any]

USUAL = {
    "time": (1e-6, 0.005, "s"),
    "rate": (1e6, 1e10, "b/s"),
    "size": (200.0, 1e6, "B"),
    "length": (1.0, 1e6, "m"),
    "energy": (1.0, 100.0, "pJ/b"),
    "window": (1.0, 200.0, "segments"),
}
"""Of each quantity the least and the most that are usual, and their unit."""
OF_KEYS = {
    "duration": (0.02, 20.0, "s"),
    "warmup": (1e-6, 0.03, "s"),
    "interval": (1e-3, 0.1, "s"),
    "segment": (100.0, 9000.0, "B"),
    "packet": (40.0, 9000.0, "B"),
    "header": (0.0, 60.0, "B"),
    "control": (40.0, 100.0, "B"),
    "cell": (40.0, 200.0, "B"),
    "cell-payload": (10.0, 60.0, "B"),
    "max-size": (2e3, 1e6, "B"),
    "buffer-size": (1e4, 1e7, "B"),
    "block": (1e3, 1e6, "B"),
    "delay-per-km": (1e-6, 1e-5, "s"),
    "guard": (1e-9, 1e-6, "s"),
    "synchronization": (1e-3, 1.0, "s"),
    "throughput-span": (1e-4, 1.0, "s"),
    "per-second": (1.0, 1e5, ""),
    "min-rto": (1e-3, 1.0, "s"),
    "initial-rto": (1e-2, 3.0, "s"),
    "max-rto": (1.0, 60.0, "s"),
    "granularity": (1e-9, 0.1, "s"),
    "offset": (1e-5, 1e-3, "s"),
    "rtt": (1e-2, 0.1, "s"),
    "mu": (4.0, 12.0, ""),
    "sigma": (0.1, 3.0, ""),
    "shape": (0.5, 3.0, ""),
}
"""The same of keys that mean something of their own."""
GRAINS = {
    "time": ((1, "ps"), (10**3, "ns"), (10**6, "us"), (10**9, "ms"), (10**12, "s")),
    "rate": ((1, "b/s"), (10**3, "kb/s"), (10**6, "Mb/s"), (10**9, "Gb/s"), (10**12, "Tb/s")),
    "size": ((1, "B"), (10**3, "kB"), (10**6, "MB"), (10**9, "GB"), (10**12, "TB")),
    "length": ((1, "mm"), (10**3, "m"), (10**6, "km")),
    "energy": ((1, "aJ/b"), (10**3, "fJ/b"), (10**6, "pJ/b"), (10**9, "nJ/b")),
}
ODD: tuple[object, ...] = (
    "0 s", "0 B", "0 b/s", "-1 s", "1", "", "x", "1e30 kB", "18446744073709551616 ps", "nan",
    "inf s",
    0, -1, 1, 2**53, 2**63 - 1, -(2**63), 0.0, -0.0, 1e308, 5e-324, float("nan"), float("inf"),
    True, False, [], {}, [[]], [{}], "unlimited", "\u2028", "\x1b[2J", "*", "a" * 300,
)  # fmt: skip
"""Values that are wrong nearly everywhere."""


@functools.cache
def language() -> Language:
    """Return the language of this engine."""
    return Language(json.loads(_core.schema()))


class Language:
    """A JSON schema, and values drawn from it."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def plain(self, schema: Schema) -> Schema:
        """Return a schema without references and without 'or null'."""
        while True:
            if "$ref" in schema:
                schema = self.schema["$defs"][schema["$ref"].rpartition("/")[2]]
                continue
            choices = [each for each in schema.get("anyOf", []) if each.get("type") != "null"]
            if len(choices) == 1:
                schema = choices[0]
                continue
            return schema

    def named(self, name: str) -> Schema:
        """Return a definition of the schema by its name."""
        found: Schema = self.schema["$defs"][name]
        return found

    def at(self, path: list[str], tree: object) -> Schema | None:
        """Return the schema of the value at a path of a tree, `None` where there is none."""
        schema: Schema | None = self.schema
        for step in path:
            schema = self._variant(self.plain(schema or {}), tree)
            if schema is None:
                return None
            schema = (
                schema.get("items") if step.isdigit() else schema.get("properties", {}).get(step)
            )
            tree = child(tree, step)
        return schema

    def _variant(self, schema: Schema, value: object) -> Schema | None:
        """Return which of several schemas a value goes by."""
        choices = schema.get("oneOf", schema.get("anyOf"))
        if choices is None:
            return schema if "items" in schema or "properties" in schema else None
        kind = value.get("kind") if isinstance(value, dict) else None
        for choice in (self.plain(each) for each in choices):
            inner = choice
            if "oneOf" in choice:
                inner = self._variant(choice, value) or {}
            if inner.get("properties", {}).get("kind", {}).get("const", 0) == kind:
                return inner
            if isinstance(value, list) and "items" in inner:
                return inner
        return None

    def value(self, schema: Schema, draw: Draw, key: str = "", rich: float = 0.25) -> Any:
        """Return a value of a schema; each optional key is there with probability `rich`."""
        schema = self.plain(schema)
        choices = schema.get("oneOf", schema.get("anyOf"))
        if choices:
            return self.value(draw.pick(choices), draw, key, rich)
        if "const" in schema:
            return schema["const"]
        if "x-quantity" in schema:
            return quantity(schema, draw, key)
        kinds = schema.get("type", "null")
        kind = kinds if isinstance(kinds, str) else kinds[0]
        match kind:
            case "object" if "properties" not in schema:
                # Names of one's own.
                names = ("a", "b", "share")[: draw.between(0, 3)]
                return {name: self.value(schema["additionalProperties"], draw) for name in names}
            case "object":
                return self.table(schema, draw, rich)
            case "array":
                most = min(schema.get("maxItems", 3), 3)
                length = draw.between(min(schema.get("minItems", 0), most), most)
                return [self.value(schema["items"], draw, key, rich) for _ in range(length)]
            case "integer":
                return whole(schema, draw)
            case "number":
                return number(schema, draw, key)
            case "boolean":
                return draw.chance(0.5)
        return "name"

    def table(
        self, schema: Schema, draw: Draw, rich: float = 0.25, without: tuple[str, ...] = ()
    ) -> dict[str, Any]:
        """Return a table that a schema describes, without some of its optional keys."""
        schema = self.plain(schema)
        needed = schema.get("required", [])
        table = {
            key: self.value(inner, draw, key, rich)
            for key, inner in schema["properties"].items()
            if key in needed or (key not in without and draw.chance(rich))
        }
        if draw.chance(0.95):
            _agree(table, schema, draw)
        return table

    def kind(
        self, name: str, kind: str, draw: Draw, rich: float = 0.25, without: tuple[str, ...] = ()
    ) -> dict[str, Any]:
        """Return a table of one kind of a definition."""
        of_kind = (
            choice
            for choice in map(self.plain, self.named(name)["oneOf"])
            if choice["properties"]["kind"]["const"] == kind
        )
        return self.table(next(of_kind), draw, rich, without)


def _agree(table: dict[str, Any], schema: Schema, draw: Draw) -> None:
    """Make values of one table agree that were drawn apart."""
    if "shares" in table:
        count = len(table["sizes"])
        table["shares"] = [0.5 / (count - 1)] * (count - 1) + [0.5] if count > 1 else [1.0]
    if table.get("fibre-delays"):
        step = draw.between(1, 50)
        table["fibre-delays"] = [f"{at * step} us" for at in range(1, draw.between(2, 6))]
    if "mark-above" in schema["properties"] or "weight" in schema["properties"]:
        table["packets"] = draw.between(30, 200)
    if {"min", "max", "weight"} <= schema["properties"].keys():
        table["min"] = draw.between(1, 10)
        table["max"] = table["min"] + draw.between(1, 19)
    elif "mark-above" in table:
        above = draw.between(0, 29)
        table["mark-above"] = draw.pick([above, f"{above} kB"])
    elif table.get("kind") == "drop-tail" and "bytes" not in table:
        table["packets"] = max(2, draw.below(100))


def child(tree: object, step: str) -> object:
    """Return what a step of a path leads to, `None` where it leads nowhere."""
    if isinstance(tree, list):
        return tree[int(step)] if step.isdigit() and int(step) < len(tree) else None
    return tree.get(step) if isinstance(tree, dict) else None


def quantity(schema: Schema, draw: Draw, key: str) -> str:
    """Return a text with a unit: a usual value, or one at an end of what is accepted."""
    what = schema["x-quantity"]
    ends = [schema[end] for end in ("x-min", "x-max") if end in schema]
    if ends and draw.chance(0.02):
        return str(draw.pick(ends))
    if what == "window":
        bytes_ = f"{draw.between(2000, 200_000)} B"
        return draw.pick([f"{draw.between(1, 200)} segments", bytes_, "unlimited"])
    if what == "missing length":
        return draw.pick(["median", "neighbours", f"{draw.between(0, 9000)} us"])
    if what == "mean rate":
        if draw.chance(0.05):
            return f"{draw.between(1, 999_999)}e-3 b/s"
        what = "rate"
    low, high, unit = OF_KEYS.get(key, USUAL[what])
    if draw.chance(0.02):
        low, high, unit = USUAL[what]
    if draw.chance(0.02):
        return f"{draw.below(2)} {GRAINS[what][0][1]}"
    return quantity_text(what, draw.logarithmic(max(low, 1e-12), high), unit)


def quantity_text(what: str, value: float, unit: str) -> str:
    """Return a quantity with three digits, in a unit in which it has few of them."""
    factor = {"s": 10**12, "m": 10**3, "pJ/b": 10**6}.get(unit, 1)
    grains = max(0, round(float(f"{value * factor:.3g}")))
    size, name = next(
        (each for each in reversed(GRAINS[what]) if grains >= each[0] and grains % each[0] == 0),
        GRAINS[what][0],
    )
    return f"{grains // size} {name}"


def whole(schema: Schema, draw: Draw) -> int:
    """Return a whole number, mostly a small one."""
    low, high = int(schema.get("minimum", 0)), int(schema.get("maximum", 10))
    if draw.chance(0.02):
        return draw.pick([low, min(high, 70_000)])
    if draw.chance(0.1):
        return min(high, round(draw.logarithmic(1, 300)))
    return min(high, low + draw.below(6))


def number(schema: Schema, draw: Draw, key: str) -> float:
    """Return a number with three digits, mostly a usual one."""
    low, high = float(schema.get("minimum", 0.0)), float(schema.get("maximum", 1.0))
    if draw.chance(0.05):
        return draw.pick([low, high])
    if key in OF_KEYS:
        least, most, _ = OF_KEYS[key]
        return float(f"{draw.logarithmic(max(least, low), min(most, high)):.3g}")
    if high <= 1.0 and draw.chance(0.6):
        return float(f"{draw.logarithmic(1e-3, 0.2):.2g}")
    return float(f"{low + draw.unit() * (min(high, 100.0) - low):.3g}")
