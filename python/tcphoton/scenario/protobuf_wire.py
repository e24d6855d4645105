r"""Messages of Protocol Buffers as they are on the wire, without their schema.

See https://protobuf.dev/programming-guides/encoding: a message is a list of fields, each with its
number and a value: a whole number, or bytes, which may be a text, a message or packed numbers.

>>> fields(bytes.fromhex("089601120774657374696e67"))
{1: [150], 2: [b'testing']}
>>> numbers([3, b"\x01\x96\x01"])
[3, 1, 150]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

Fields = dict[int, list[int | bytes]]
"""The values of each field of a message."""

VARINT, EIGHT, BYTES, FOUR = 0, 1, 2, 5
"""Kinds of values: a varint, 8 bytes, a length with so many bytes, 4 bytes."""
CONTINUES = 0x80
"""The bit of a byte of a varint after which another follows."""
MOST = 10
"""Bytes of a varint of 64 bits."""


def fields(message: bytes) -> Fields:
    """Return the values of each field of a message.

    Raises
    ------
    ValueError
        It is none.
    """
    found: Fields = {}
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        kind = key & 7
        value: int | bytes
        if kind == VARINT:
            value, at = _varint(message, at)
        elif kind in (EIGHT, FOUR):
            value, at = _part(message, at, 8 if kind == EIGHT else 4)
        elif kind == BYTES:
            size, at = _varint(message, at)
            value, at = _part(message, at, size)
        else:
            raise ValueError("not a message of Protocol Buffers")
        found.setdefault(key >> 3, []).append(value)
    return found


def numbers(values: list[int | bytes]) -> list[int]:
    """Return the whole numbers of a repeated field, packed or not."""
    found: list[int] = []
    for value in values:
        if isinstance(value, int):
            found.append(value)
            continue
        at = 0
        while at < len(value):
            number, at = _varint(value, at)
            found.append(number)
    return found


def part(value: int | bytes) -> bytes:
    """Return a value that is no number.

    Raises
    ------
    TypeError
        It is one.
    """
    if isinstance(value, int):
        raise TypeError("not a message of Protocol Buffers: a number where there is none")
    return value


def delimited(data: bytes) -> Iterator[bytes]:
    """Give the messages of a file in which each follows its length.

    Raises
    ------
    ValueError
        The file ends within one.
    """
    at = 0
    while at < len(data):
        size, at = _varint(data, at)
        message, at = _part(data, at, size)
        yield message


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return a number at a place, and the place after it."""
    number = 0
    for shift in range(MOST):
        if at + shift >= len(data):
            break
        byte = data[at + shift]
        number |= (byte & ~CONTINUES) << 7 * shift
        if byte < CONTINUES:
            return number & (1 << 64) - 1, at + shift + 1
    raise ValueError("not a message of Protocol Buffers")


def _part(data: bytes, at: int, size: int) -> tuple[bytes, int]:
    if at + size > len(data):
        raise ValueError("not a message of Protocol Buffers: it ends too early")
    return data[at : at + size], at + size
