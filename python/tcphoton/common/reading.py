"""How files of a folder of results are read: bounded, verified, and never waited for.

A folder may come from somebody else, or from a disk that rots. So what is read is a plain file, at
most as large as results are; JSON is at most so deep; a table takes at most so much memory; and
where there is a checksum, it holds. All of that is known before polars or anything else sees it.

A file may be reached through a link, as archives keep files, where it has a checksum; one that has
none (`read` without `follow`) has to lie in the folder itself, or a page of the folder could show
any file of the reader.
"""

from __future__ import annotations

import errno
import json
import os
import stat
import warnings
from typing import TYPE_CHECKING, Any

from tcphoton.common import checksum
from tcphoton.errors import DamageWarning, OutputError

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

__all__ = [
    "LARGEST_JSON",
    "LARGEST_TABLE",
    "LARGEST_TEXT",
    "DamagedError",
    "broken",
    "problem",
    "read",
    "read_frame",
    "read_object",
    "read_parquet",
    "read_value",
    "too_large",
    "warn",
]  # fmt: skip

LARGEST_TEXT = 2**26
LARGEST_JSON = 2**27
"""A sweep of a million points takes half of it."""
LARGEST_TABLE = 2**30
"""Bytes that files may have."""
FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
DAMAGED = "damaged: it is not what was written"
WITHOUT = "it has no checksum"
DEEPEST = 64
"""Lists and objects of JSON within each other; results have some five."""


class DamagedError(OutputError):
    """A file of a folder of results that is there and is not what was written."""


def warn(message: str) -> None:
    """Warn of a file that counts as absent, or of which nothing can be said."""
    warnings.warn(message, DamageWarning, stacklevel=2)


def read(path: Path, most: int, *, follow: bool = True) -> bytes:
    """Return the bytes of a plain file.

    Parameters
    ----------
    path
        The file.
    most
        How many bytes it may have.
    follow
        Whether it may be reached through a link.

    Raises
    ------
    DamagedError
        It is no plain file, or too large.
    OSError
        It is not there, or cannot be read.
    """
    try:
        # To open a device may already do something, so it is looked at before and after.
        _expect_plain(path, os.stat(path, follow_symlinks=follow).st_mode)
        file = os.open(path, FLAGS if follow else FLAGS | os.O_NOFOLLOW)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise DamagedError(f"{path}: a link that leads to no file") from None
        raise
    try:
        about = os.fstat(file)
        _expect_plain(path, about.st_mode)
        if about.st_size > most:
            raise DamagedError(f"{path}: larger than any file of results: more than {most:,} B")
        parts, left = [], about.st_size + 1
        while left > 0 and (part := os.read(file, left)):
            parts.append(part)
            left -= len(part)
    finally:
        os.close(file)
    if left <= 0:
        raise DamagedError(f"{path}: grows while it is read")
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _expect_plain(path: Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "a link" if stat.S_ISLNK(mode) else None
        raise DamagedError(f"{path}: {kind or 'a device, a pipe or a socket'}, not a file")


def read_value(path: Path) -> Any:
    """Return what a file of JSON holds.

    Raises
    ------
    DamagedError
        It is no JSON, or not what was written.
    OSError
        It cannot be read.
    """
    data = read(path, LARGEST_JSON)
    try:
        found = json.loads(data)
        if _is_deep(found):
            raise DamagedError(f"{path}: more than {DEEPEST} levels of JSON")
        state = checksum.json_state(found)
    except RecursionError:
        raise DamagedError(f"{path}: more than {DEEPEST} levels of JSON") from None
    except ValueError as error:
        raise DamagedError(f"{path}: no JSON: {error}") from None
    if state == "damaged":
        raise DamagedError(f"{path}: {DAMAGED}")
    return found


def read_object(path: Path) -> dict[str, Any]:
    """Return an object that a file of JSON holds, without its checksum; warn where it has none.

    Raises
    ------
    DamagedError
        It is no object in JSON, or not what was written.
    OSError
        It cannot be read.
    """
    found = read_value(path)
    if not isinstance(found, dict):
        raise DamagedError(f"{path}: no object in JSON")
    if checksum.KEY not in found:
        warn(f"{path}: {WITHOUT}; damage to it could not be seen")
    return {name: value for name, value in found.items() if name != checksum.KEY}


def read_parquet(path: Path) -> bytes:
    """Return a file in Parquet that may be read by polars; warn where it has no checksum.

    Raises
    ------
    DamagedError
        It is not what was written, or would take more memory than results do.
    OSError
        It cannot be read.
    """
    data = read(path, LARGEST_TABLE)
    state = checksum.state(data)
    if state == "damaged":
        raise DamagedError(f"{path}: {DAMAGED}")
    if problem := too_large(data):
        raise DamagedError(f"{path}: {problem}")
    if state == "without":
        warn(f"{path}: {WITHOUT}; damage to it could not be seen")
    return data


def read_frame(path: Path) -> pl.DataFrame:
    """Return a table that a file in Parquet holds.

    Raises
    ------
    DamagedError
        It cannot be read as one.
    OSError
        It cannot be read.
    """
    import polars as pl

    data = read_parquet(path)
    try:
        return pl.read_parquet(data)
    except broken() as error:
        raise DamagedError(f"{path}: no table that can be read: {error}") from None


def broken() -> tuple[type[Exception], ...]:
    """Return what polars raises where bytes have no meaning: it can panic, too."""
    import polars as pl

    panic: Any = pl.exceptions.PanicException
    return (OSError, pl.exceptions.PolarsError, panic)


def problem(data: bytes) -> str:
    """Return why a piece is not to be read, an empty text where nothing speaks against it."""
    match checksum.state(data):
        case "damaged":
            return DAMAGED
        case "without":
            return WITHOUT
    return too_large(data)


def too_large(data: bytes) -> str:
    """Return why a file in Parquet is not to be read, an empty text where nothing speaks so."""
    from tcphoton.common import parquet_size

    try:
        fits = parquet_size.fits(data)
    except ValueError as error:
        return f"no Parquet: {error}"
    return "" if fits else f"{len(data):,} B that would take more memory than any results"


def _is_deep(value: object) -> bool:
    """Tell whether lists and objects lie deeper within each other than results have them."""
    level: list[Any] = [value] if isinstance(value, dict | list) else []
    for _ in range(DEEPEST):
        level = [
            inner
            for each in level
            for inner in (each.values() if isinstance(each, dict) else each)
            if isinstance(inner, dict | list)
        ]
    return bool(level)
