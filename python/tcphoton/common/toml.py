"""Write TOML from plain Python values (the standard library only reads it).

The layout is that of the examples: one section per table of the top level, one ``[[section]]`` per
entry of a list of tables, and each value within a section on one line.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

LISTED = 1000
"""Items of a list from which on only their number is shown."""
BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def dumps(table: Mapping[str, Any]) -> str:
    """Return the text of a table; reading it back gives the same table.

    Examples
    --------
    >>> print(dumps({"title": "a", "run": {"duration": "1 s"}, "traffic": [{"count": 2}]}))
    title = "a"
    <BLANKLINE>
    [run]
    duration = "1 s"
    <BLANKLINE>
    [[traffic]]
    count = 2
    <BLANKLINE>
    """
    plain: list[str] = []
    sections: list[str] = []
    for key, value in table.items():
        if isinstance(value, Mapping):
            sections.append(f"\n[{_key(key)}]\n{_lines(value)}")
        elif _is_list(value) and value and all(isinstance(item, Mapping) for item in value):
            sections.extend(f"\n[[{_key(key)}]]\n{_lines(item)}" for item in value)
        else:
            plain.append(f"{_key(key)} = {inline(value)}\n")
    return "".join(plain + sections).removeprefix("\n")


def shown(value: object) -> str:
    """Return a value as tables and figures have it: like `inline`, but a text without quotes.

    Examples
    --------
    >>> shown("8 Mb/s"), shown(0.5), shown(True)
    ('8 Mb/s', '0.5', 'true')
    """
    return value if isinstance(value, str) else inline(value)


def brief(value: object) -> str:
    """Return a value as `shown` has it, of a long list the number of its items.

    Examples
    --------
    >>> brief("8 Mb/s"), brief([1, 2]), brief([{"from": "a"}] * 2000)
    ('8 Mb/s', '[1, 2]', '2,000 items')
    """
    if isinstance(value, list) and len(value) > LISTED:
        return f"{len(value):,} items"
    return shown(value)


def inline(value: object) -> str:
    """Return a value as it is written after an equals sign.

    Examples
    --------
    >>> print(inline({"kind": "bernoulli", "p": 0.01, "on": [True, 1]}))
    { kind = "bernoulli", p = 0.01, on = [true, 1] }
    """
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(int(value))
        case float():
            return repr(float(value))
        case str():
            return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
        case Mapping():
            pairs = ", ".join(f"{_key(key)} = {inline(item)}" for key, item in value.items())
            return f"{{ {pairs} }}" if pairs else "{}"
        case _ if _is_list(value):
            assert isinstance(value, Sequence)
            return f"[{', '.join(inline(item) for item in value)}]"
        case _ if hasattr(value, "item"):  # a scalar of numpy or polars
            return inline(value.item())
    raise TypeError(f"TOML cannot represent {value!r}")


def value_of(text: str) -> object:
    """Return the value of a text: parsed as TOML if it is TOML, otherwise the text itself.

    Examples
    --------
    >>> value_of("3"), value_of("2 ms"), value_of('"3"')
    (3, '2 ms', '3')
    """
    try:
        table = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return text
    return table["value"] if len(table) == 1 else text


def _lines(table: Mapping[str, Any]) -> str:
    return "".join(f"{_key(key)} = {inline(value)}\n" for key, value in table.items())


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"a key of TOML is a text, not {key!r}")
    return key if BARE_KEY.fullmatch(key) else inline(key)


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)
