"""How much memory a Parquet file takes when it is read, computed from its footer before reading.

A few bytes of Parquet can represent any number of values: runs of equal values are counted, and
pages are compressed. So before a file is read, the number of values of its columns and the sizes
of its pages are checked. The footer is a struct ``FileMetaData`` of Apache Parquet's
``parquet.thrift``, in Thrift's compact protocol, of which some fields are read by their numbers.

Parsing a footer takes a millisecond or two, more than reading a small table. So first all of its
bytes are added as if they were only numbers: the sum is an upper bound of what the footer says, and
it is usually small enough.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

ROOM = 2**30
TIMES = 200
"""A file may take `ROOM` bytes of memory plus this multiple of its own size."""

CELL = 16
"""Maximum bytes per value in memory, without a text's own bytes: polars' view of a text."""
TAIL = 8
DEEPEST = 24
"""Maximum depth of nested structs; Parquet's own are at most seven deep."""
ROW_GROUPS, CHUNKS, CHUNK = 4, 1, 3
VALUES, UNCOMPRESSED = 5, 6
TRUE, FALSE, BYTE, DOUBLE, BINARY, LIST, SET, STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
INTEGERS = (4, 5, 6)
FULL = 15
"""A count that marks that the length of the list follows."""
LAST = 128
"""A byte less than this is the last one of a number."""
POWERS = 128.0 ** np.arange(10)


def fits(data: bytes) -> bool:
    """Tell whether a file takes at most the memory that any file may take.

    Raises
    ------
    ValueError
        It has no readable footer.
    """
    most = ROOM + TIMES * len(data)
    return (CELL + 1) * _largest(_footer(data)) <= most or decoded(data) <= most


def decoded(data: bytes) -> int:
    """Return the bytes that all columns of a file take in memory, according to its footer.

    Raises
    ------
    ValueError
        It has no readable footer.

    Examples
    --------
    >>> from io import BytesIO
    >>> import polars as pl
    >>> file = BytesIO()
    >>> pl.DataFrame({"x": pl.repeat(1, 1_000_000, eager=True)}).write_parquet(file)
    >>> len(file.getvalue()) < 20_000, decoded(file.getvalue()) > 16_000_000
    (True, True)
    """
    try:
        footer = _Thrift(_footer(data)).struct(0)
        chunks = [chunk[CHUNK] for group in footer[ROW_GROUPS] for chunk in group[CHUNKS]]
        counted = [(chunk[VALUES], chunk[UNCOMPRESSED]) for chunk in chunks]
        if any(number < 0 for pair in counted for number in pair):
            raise ValueError("a negative number in the footer")
        return sum(values * CELL + size for values, size in counted)
    except (IndexError, KeyError, TypeError) as error:
        raise ValueError(f"no readable footer: {error!r}") from None


def _footer(data: bytes) -> bytes:
    length = int.from_bytes(data[-TAIL:-4], "little")
    if not 0 < length <= len(data) - TAIL:
        raise ValueError("no footer")
    return data[len(data) - TAIL - length : len(data) - TAIL]


def _largest(footer: bytes) -> float:
    """Return an upper bound of the sum of all numbers in a footer.

    A number is a sequence of bytes of which all except the last have their highest bit set, the
    lowest seven bits of the value first, with its sign in the lowest bit. Bytes that are not part
    of a number are added, too, and can only make the following one larger.
    """
    found = np.frombuffer(footer, np.uint8)
    ends = np.flatnonzero(found < LAST)
    lengths = ends[1:] - ends[:-1]
    long = np.flatnonzero(lengths > 1)
    powers = POWERS[np.minimum(lengths[long], POWERS.size) - 1]
    short = float(LAST * ends.size) if ends.size and not ends[0] else math.inf
    return (short + float(np.sum((found[ends[1:][long]] + 1.0) * powers))) / 2


class _Thrift:
    """Reads Thrift's compact protocol: structs as fields by their numbers, texts are skipped."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def struct(self, depth: int) -> dict[int, Any]:
        """Return the fields of the struct that begins here."""
        if depth > DEEPEST:
            raise ValueError("too deep")
        found: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            step, kind = head >> 4, head & 15
            number = number + step if step else self._integer()
            found[number] = kind == TRUE if kind in {TRUE, FALSE} else self._value(kind, depth)
        return found

    def _value(self, kind: int, depth: int) -> Any:
        if kind in INTEGERS:
            return self._integer()
        if kind == BINARY:
            self._skip(self._number())
        elif kind in {LIST, SET}:
            return self._list(depth)
        elif kind == STRUCT:
            return self.struct(depth + 1)
        elif kind in {TRUE, FALSE, BYTE}:
            self._skip(1)
        elif kind == DOUBLE:
            self._skip(8)
        else:
            raise ValueError(f"not a type of Parquet: {kind}")
        return None

    def _list(self, depth: int) -> list[Any]:
        if depth > DEEPEST:
            raise ValueError("too deep")
        head = self._byte()
        count, kind = head >> 4, head & 15
        if count == FULL:
            count = self._number()
        return [self._value(kind, depth + 1) for _ in range(count)]

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _number(self) -> int:
        """Return a number of seven bits per byte, the lowest first."""
        found = shift = 0
        while True:
            byte = self._byte()
            found |= (byte & 127) << shift
            if byte < LAST:
                return found
            shift += 7

    def _integer(self) -> int:
        """Return a number with its sign in the lowest bit."""
        found = self._number()
        return found >> 1 ^ -(found & 1)

    def _skip(self, count: int) -> None:
        if self._at + count > len(self._data):
            raise IndexError("cut off")
        self._at += count
