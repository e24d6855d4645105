"""Arguments of public functions: what is of another kind is refused with its name."""

from __future__ import annotations

import operator
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex

from tcphoton.errors import hint

if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars as pl


def path(name: str, given: object) -> Path:
    """Return a path.

    Raises
    ------
    TypeError
        It is none.

    Examples
    --------
    >>> path("folder", 5)
    Traceback (most recent call last):
    TypeError: folder: a path is expected, not 5
    """
    if isinstance(given, str | os.PathLike):
        return Path(given)
    raise TypeError(f"{name}: a path is expected, not {given!r}")


def text(name: str, given: object, what: str = "a text") -> str:
    """Return a text.

    Raises
    ------
    TypeError
        It is none.
    """
    if isinstance(given, str):
        return given
    raise TypeError(f"{name}: {what} is expected, not {given!r}")


def mapping(name: str, given: object) -> Mapping[str, Any]:
    """Return a dictionary with texts as keys.

    Raises
    ------
    TypeError
        It is none.

    Examples
    --------
    >>> mapping("changes", {5: 1})
    Traceback (most recent call last):
    TypeError: changes: the keys must be texts such as 'run.duration', not 5
    """
    if not isinstance(given, Mapping):
        raise TypeError(f"{name}: a dictionary is expected, not {given!r}")
    for key in given:
        if not isinstance(key, str):
            raise TypeError(f"{name}: the keys must be texts such as 'run.duration', not {key!r}")
    return given


def whole(name: str, given: object) -> int:
    """Return a whole number, also one of numpy's.

    Raises
    ------
    TypeError
        It is none.
    """
    if not isinstance(given, bool) and isinstance(given, SupportsIndex):
        return operator.index(given)
    raise TypeError(f"{name}: a whole number is expected, not {given!r}")


def expect_frame(name: str, given: object) -> None:
    """Refuse what is not a table of polars.

    Raises
    ------
    TypeError
        It is none.
    """
    if not (hasattr(given, "get_column") and hasattr(given, "columns")):
        raise TypeError(f"{name}: a polars.DataFrame is expected, not {type(given).__name__}")


def expect_columns(table: pl.DataFrame, names: Iterable[str]) -> None:
    """Refuse columns that do not exist.

    Raises
    ------
    LookupError
        A column does not exist.
    """
    for name in names:
        if name not in table.columns:
            near, there = hint(name, table.columns), ", ".join(table.columns)
            raise LookupError(f"no column {name!r}{near}; available: {there}")
