"""The format of a kept run: one Parquet file with one row, written atomically.

Its columns are the key of the run (``digest``, ``seed``, ``revision``), every measure under its
name in a sweep's results, and each kept table of the run as a list of structs, ``table.fecs``. Any
program that reads Parquet can query all of them; nothing in them is ever executed. The file's
metadata has, under ``run``, the run's record as JSON, from which measures are computed: it is read
without the columns, which is five times as fast.

A failed run has its own piece: ``error`` and ``replay`` instead of measures.

A piece has a checksum (`tcphoton.common.checksum`), which is verified before polars reads it. A
piece with a wrong or missing checksum is not read.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from tcphoton.common import checksum
from tcphoton.common.safe_read import broken, too_large
from tcphoton.runs import measures

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import polars as pl

__all__ = [
    "SHAPE",
    "TABLE",
    "Failure",
    "Finished",
    "Key",
    "decode",
    "decode_failure",
    "encode",
    "tables_of",
]

LEFT_OUT = {"parameters", "tables", "timing", "version", "versions", "title"}
"""Parts of a report that no sweep needs, or that differ between machines."""
RUN, SHAPE = "run", "shape"
"""Keys of the metadata: the run, and what files with the same columns have in common."""
TABLE = "table."
"""The prefix of the name of a kept table."""

Record = dict[str, Any]


class Key(NamedTuple):
    """The identity of a run: equal keys have equal results."""

    digest: str
    seed: int
    revision: str

    @property
    def file(self) -> str:
        """The name of its file.

        Examples
        --------
        >>> Key("00c0ffee00c0ffee", 7, "0123456789abcdef").file
        '00c0ffee00c0ffee-7-0123456789abcdef.parquet'
        """
        return f"{self.digest}-{self.seed}-{self.revision}.parquet"


@dataclass(frozen=True)
class Finished:
    """What is kept of a run.

    Attributes
    ----------
    record
        The source of its measures.
    tables
        The requested tables.
    """

    record: Record
    tables: Mapping[str, pl.DataFrame] = field(default_factory=dict)


class Failure(NamedTuple):
    """What is kept of a failed run: the error, and the command that repeats it."""

    error: str
    replay: str


def encode(
    key: Key, found: Mapping[str, Any] | Failure, tables: Mapping[str, pl.DataFrame] | None = None
) -> bytes:
    """Return the piece of a run, from its record, or of a failed one."""
    import polars as pl

    if isinstance(found, Failure):
        kept, cells = found._asdict(), found._asdict()
    else:
        kept = {name: value for name, value in found.items() if name not in LEFT_OUT}
        cells = measures.row(kept)
    cells = {**key._asdict(), **cells}
    schema = {name: _type(value) for name, value in cells.items()}
    row = pl.DataFrame([tuple(cells.values())], schema=schema, orient="row")
    row = row.with_columns(
        pl.Series(TABLE + name, [table.to_struct()]) for name, table in (tables or {}).items()
    )
    run = json.dumps([key, kept], ensure_ascii=False, separators=(",", ":"))
    data = BytesIO()
    # A single row needs no statistics: they would make a quarter of the file.
    row.write_parquet(data, statistics=False, metadata={RUN: run, SHAPE: _shape(row)})
    return checksum.seal(data.getvalue())


def decode(data: bytes | None, key: Key, tables: Iterable[str] = ()) -> Finished | None:
    """Return a run with some of its tables.

    `None` if the piece is damaged, belongs to another run, or lacks one of the tables.
    """
    record = _kept(data, key)
    if data is None or not _is_record(record):
        return None
    wanted = {name: TABLE + name for name in tables}
    return None if (found := _tables(data, wanted)) is None else Finished(record, found)


def tables_of(data: bytes | None, key: Key) -> list[str]:
    """Return the tables that a piece of a run has, none if it belongs to another run."""
    import polars as pl

    if data is None or _kept(data, key) is None:
        return []
    columns = pl.read_parquet_schema(BytesIO(data))
    return [name.removeprefix(TABLE) for name in columns if name.startswith(TABLE)]


def decode_failure(data: bytes | None, key: Key) -> Failure | None:
    """Return how a run failed, `None` if its piece cannot be read or belongs to another run."""
    try:
        return Failure(**_kept(data, key))
    except TypeError:
        return None


def _kept(data: bytes | None, key: Key) -> Any:
    """Return the record in a piece, `None` if there is none."""
    import polars as pl

    if data is None or checksum.state(data) != "whole":
        return None
    try:
        found, kept = json.loads(pl.read_parquet_metadata(BytesIO(data))[RUN])
    except broken():
        return None
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return kept if found == list(key) else None


def _tables(data: bytes, wanted: Mapping[str, str]) -> dict[str, pl.DataFrame] | None:
    import polars as pl

    if not wanted:
        return {}
    if too_large(data):
        return None
    try:
        row = pl.read_parquet(BytesIO(data), columns=list(wanted.values()))
        return {name: row[column][0].struct.unnest() for name, column in wanted.items()}
    except broken():
        return None
    except AttributeError:
        return None


def _shape(row: pl.DataFrame) -> str:
    return hashlib.blake2b(str(row.schema).encode(), digest_size=8).hexdigest()


def _type(value: object) -> type[pl.DataType]:
    """Return a type that is the same in every piece: measures that may be absent are floats."""
    import polars as pl

    match value:
        case str():
            return pl.String
        case bool():
            return pl.Boolean
        case int():
            return pl.Int64
    return pl.Float64


def _is_record(record: object) -> bool:
    """Tell whether a record has all that measures need."""
    if not isinstance(record, dict):
        return False
    traffic = record.get("traffic")
    return isinstance(traffic, list) and all(isinstance(entry, dict) for entry in traffic)
