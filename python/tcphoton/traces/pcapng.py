"""Blocks of the capture format pcapng (draft-ietf-opsawg-pcapng), little-endian.

Only what a trace needs: a section, interfaces of raw IPv4 with nanoseconds, names, packets with
options, and statistics. Existing libraries do not write options of packets.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["interface", "names", "packet", "section", "statistics"]

RAW_IP = 101
"""LINKTYPE_RAW: a packet begins with the IP header."""
NANOSECONDS = 9
END = struct.pack("<HH", 0, 0)
COMMENT, APPLICATION = 1, 4
IF_NAME, IF_SPEED, IF_TSRESOL = 2, 8, 9
DROPPED, PACKET_ID = 4, 5
RECEIVED, IF_DROPPED = 4, 5


def _padded(octets: bytes) -> bytes:
    return octets + b"\0" * (-len(octets) % 4)


def _option(code: int, value: bytes) -> bytes:
    return struct.pack("<HH", code, len(value)) + _padded(value)


def _block(kind: int, body: bytes) -> bytes:
    size = len(body) + 12
    return struct.pack("<II", kind, size) + body + struct.pack("<I", size)


def _time(nanoseconds: int) -> bytes:
    return struct.pack("<II", nanoseconds >> 32, nanoseconds & 0xFFFFFFFF)


def _text(text: str) -> bytes:
    """Return a text that fits in an option, cut at the end of a character."""
    return text.encode()[:65_000].decode(errors="ignore").encode()


def section(application: str, comment: str) -> bytes:
    """Return the header of a section."""
    options = _option(COMMENT, _text(comment)) + _option(APPLICATION, _text(application)) + END
    return _block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1) + options)


def interface(name: str, bits_a_second: int, snap: int) -> bytes:
    """Return the description of an interface that keeps the first ``snap`` octets of a packet."""
    options = (
        _option(IF_NAME, _text(name))
        + _option(IF_SPEED, struct.pack("<Q", bits_a_second))
        + _option(IF_TSRESOL, bytes([NANOSECONDS]))
        + END
    )
    return _block(1, struct.pack("<HHI", RAW_IP, 0, snap) + options)


def names(addresses: Iterable[tuple[int, str]]) -> bytes:
    """Return a block with names of IPv4 addresses."""
    records = b"".join(
        _option(1, struct.pack("!I", address) + _text(name) + b"\0") for address, name in addresses
    )
    return _block(4, records + END)


def packet(
    interface: int,
    nanoseconds: int,
    octets: bytes,
    size: int,
    number: int,
    *,
    dropped: int = 0,
    comment: str = "",
) -> bytes:
    """Return a packet: the kept part of its ``size`` octets, and the number dropped before it."""
    options = _option(PACKET_ID, struct.pack("<Q", number))
    if dropped:
        options += _option(DROPPED, struct.pack("<Q", dropped))
    if comment:
        options += _option(COMMENT, _text(comment))
    head = struct.pack("<I", interface) + _time(nanoseconds) + struct.pack("<II", len(octets), size)
    return _block(6, head + _padded(octets) + options + END)


def statistics(interface: int, nanoseconds: int, received: int, dropped: int) -> bytes:
    """Return how many packets arrived at an interface, and how many of them it dropped."""
    options = (
        _option(RECEIVED, struct.pack("<Q", received))
        + _option(IF_DROPPED, struct.pack("<Q", dropped))
        + END
    )
    return _block(5, struct.pack("<I", interface) + _time(nanoseconds) + options)
