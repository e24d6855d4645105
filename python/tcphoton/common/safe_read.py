"""How files of a folder of results are read: size-limited, verified, and without blocking.

A folder may be untrusted, or corrupted by a disk. So only regular files are read, with a maximum
size; JSON has a maximum depth; a table has a maximum size in memory; and if there is a checksum, it
must be correct. All of this is checked before polars or anything else reads the data.

A file with a checksum may be reached through a link, because archives keep files so. One without
(`read` without `follow`) must be in the folder itself, or a page of the folder could show any file
of the reader.
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

LARGEST_TEXT = 2**26
LARGEST_JSON = 2**27
"""A sweep of a million points takes half of it."""
LARGEST_TABLE = 2**30
"""Maximum bytes of files."""
FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
DAMAGED = "damaged: it is not what was written"
WITHOUT = "it has no checksum"
DEEPEST = 64
"""Maximum depth of lists and objects of JSON; results have about five levels."""


class DamagedError(OutputError):
    """A file of a folder of results that exists but is not what was written."""


def warn(message: str) -> None:
    """Warn about a file that counts as absent, or that cannot be verified."""
    warnings.warn(message, DamageWarning, stacklevel=2)


def read(path: Path, most: int, *, follow: bool = True) -> bytes:
    """Return the bytes of a regular file.

    Parameters
    ----------
    path
        The file.
    most
        Its maximum size in bytes.
    follow
        Whether it may be reached through a link.

    Raises
    ------
    DamagedError
        It is not a regular file, or too large.
    OSError
        It does not exist, or cannot be read.
    """
    try:
        # Opening a device may already have an effect, so the file is checked before and after.
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
            raise DamagedError(f"{path}: too large: more than {most:,} B")
        parts, left = [], about.st_size + 1
        while left > 0 and (part := os.read(file, left)):
            parts.append(part)
            left -= len(part)
    finally:
        os.close(file)
    if left <= 0:
        raise DamagedError(f"{path}: is changing while it is read")
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _expect_plain(path: Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "a link" if stat.S_ISLNK(mode) else None
        raise DamagedError(f"{path}: {kind or 'a device, a pipe or a socket'}, not a file")


def read_value(path: Path) -> Any:
    """Return the content of a JSON file.

    Raises
    ------
    DamagedError
        It is not JSON, or not what was written.
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
        raise DamagedError(f"{path}: not JSON: {error}") from None
    if state == "damaged":
        raise DamagedError(f"{path}: {DAMAGED}")
    return found


def read_object(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file without its checksum; warn if it has none.

    Raises
    ------
    DamagedError
        It is not a JSON object, or not what was written.
    OSError
        It cannot be read.
    """
    found = read_value(path)
    if not isinstance(found, dict):
        raise DamagedError(f"{path}: not a JSON object")
    if checksum.KEY not in found:
        warn(f"{path}: {WITHOUT}; damage to it cannot be detected")
    return {name: value for name, value in found.items() if name != checksum.KEY}


def read_parquet(path: Path) -> bytes:
    """Return a Parquet file that is safe to read with polars; warn if it has no checksum.

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
        warn(f"{path}: {WITHOUT}; damage to it cannot be detected")
    return data


def read_frame(path: Path) -> pl.DataFrame:
    """Return the table in a Parquet file.

    Raises
    ------
    DamagedError
        It is not a readable table.
    OSError
        It cannot be read.
    """
    import polars as pl

    data = read_parquet(path)
    try:
        return pl.read_parquet(data)
    except broken() as error:
        raise DamagedError(f"{path}: not a readable table: {error}") from None


def broken() -> tuple[type[Exception], ...]:
    """Return the types of exceptions that polars raises for invalid bytes; it can panic, too."""
    import polars as pl

    panic: Any = pl.exceptions.PanicException
    return (OSError, pl.exceptions.PolarsError, panic)


def problem(data: bytes) -> str:
    """Return why a piece must not be read, an empty text if it may be."""
    match checksum.state(data):
        case "damaged":
            return DAMAGED
        case "without":
            return WITHOUT
    return too_large(data)


def too_large(data: bytes) -> str:
    """Return why a Parquet file must not be read, an empty text if it may be."""
    from tcphoton.common import parquet_size

    try:
        fits = parquet_size.fits(data)
    except ValueError as error:
        return f"not Parquet: {error}"
    return "" if fits else f"{len(data):,} B that would take more memory than any results"


def _is_deep(value: object) -> bool:
    """Tell whether lists and objects are nested deeper than in any results."""
    level: list[Any] = [value] if isinstance(value, dict | list) else []
    for _ in range(DEEPEST):
        level = [
            inner
            for each in level
            for inner in (each.values() if isinstance(each, dict) else each)
            if isinstance(inner, dict | list)
        ]
    return bool(level)
