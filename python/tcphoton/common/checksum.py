"""Checksums of kept files: reading one back verifies that it is what was written.

A table in Parquet has 48 bytes between its pages and its footer: `MAGIC`, and the SHA-256 of all
bytes except the 32 of the digest itself. Parquet is read from its end, and no column uses the bytes
there (other writers put bloom filters and page indices in that place), so any program can still
read the file, and it is still written in one piece.

A JSON object has a key `KEY`, the SHA-256 of its content without that key in one canonical form. So
the file may be reformatted; if it is edited, the key must be removed.

A checksum detects errors of disks and copies, not attacks: an attacker can compute one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Literal

MAGIC = b"tcphoton sha-256"
KEY = "checksum"
PARQUET = b"PAR1"
DIGEST = hashlib.sha256().digest_size
TAIL = 8
"""Bytes after the footer of a Parquet file: its length, and `PARQUET`."""

State = Literal["whole", "damaged", "without"]
"""The results of a verification: correct, wrong, or no checksum."""


def seal(data: bytes) -> bytes:
    """Return a Parquet file with its checksum.

    Examples
    --------
    >>> from io import BytesIO
    >>> import polars as pl
    >>> file = BytesIO()
    >>> pl.DataFrame({"x": [1, 2]}).write_parquet(file)
    >>> data = seal(file.getvalue())
    >>> state(data), pl.read_parquet(data)["x"].to_list()
    ('whole', [1, 2])
    """
    footer = _footer(data)
    before, behind = data[:footer], data[footer:]
    return b"".join((before, MAGIC, _digest(before, behind), behind))


def state(data: bytes) -> State:
    """Tell whether a Parquet file is what was written.

    A damaged checksum is distinguished from a file that never had one.
    """
    footer = _footer(data)
    at = footer - DIGEST
    if data[-4:] == PARQUET and at > len(MAGIC) and data[at - len(MAGIC) : at] == MAGIC:
        view = memoryview(data)
        same = _digest(view[: at - len(MAGIC)], view[footer:]) == data[at:footer]
        return "whole" if same else "damaged"
    return "damaged" if MAGIC in data or data[-4:] != PARQUET else "without"


def sealed(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return a JSON object with its checksum as the first key.

    Examples
    --------
    >>> json_state(sealed({"seed": 1})), json_state({"seed": 1})
    ('whole', 'without')
    >>> json_state(sealed({"seed": 1}) | {"seed": 2})
    'damaged'
    """
    return {KEY: of_content(content), **content}


def json_state(content: object) -> State:
    """Tell whether a JSON value is what was written; only objects have checksums."""
    if not isinstance(content, Mapping) or KEY not in content:
        return "without"
    return "whole" if content[KEY] == of_content(content) else "damaged"


def of_content(content: Mapping[str, Any]) -> str:
    """Return the checksum of a JSON object, regardless of the order of its keys."""
    rest = {name: value for name, value in content.items() if name != KEY}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _footer(data: bytes) -> int:
    """Return where the footer of a Parquet file begins; a negative offset if there is none."""
    return len(data) - TAIL - int.from_bytes(data[-TAIL:-4], "little")


def _digest(*parts: bytes | memoryview) -> bytes:
    digest = hashlib.sha256(MAGIC)
    for part in parts:
        digest.update(part)
    return digest.digest()
