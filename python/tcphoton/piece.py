"""The form of a kept run: one Parquet file of one row, and so one atomic piece.

Its columns are what names the run (``digest``, ``seed``, ``revision``), every measure under the
name that it has in a sweep's results, ``record`` (the run's record as JSON, of which measures are
made), and each table that is kept of the run as a list of structs, ``table.fecs``. Any program that
reads Parquet can ask questions over all of them; nothing in them is ever executed.

A failed run has a piece of its own: ``error`` and ``replay`` instead of measures.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from tcphoton import measures

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import polars as pl

__all__ = ["TABLE", "Failure", "Finished", "Key", "broken", "decode", "decode_failure", "encode"]

LEFT_OUT = {"parameters", "tables", "timing", "version", "versions", "title"}
"""What of a report no sweep needs, or what differs between machines."""
RECORD = "record"
TABLE = "table."
"""What stands before the name of a kept table."""

Record = dict[str, Any]


class Key(NamedTuple):
    """What names a run: equal keys have equal results."""

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
        What its measures are made of.
    tables
        Those of its tables that were asked for.
    """

    record: Record
    tables: Mapping[str, pl.DataFrame] = field(default_factory=dict)


class Failure(NamedTuple):
    """What is kept of a run that failed: the error, and the command that runs it alone."""

    error: str
    replay: str


def encode(
    key: Key, found: Mapping[str, Any] | Failure, tables: Mapping[str, pl.DataFrame] | None = None
) -> bytes:
    """Return the piece of a run, from its record, or of one that failed."""
    import polars as pl

    cells: dict[str, Any] = key._asdict()
    if isinstance(found, Failure):
        cells |= found._asdict()
    else:
        kept = {name: value for name, value in found.items() if name not in LEFT_OUT}
        cells |= measures.row(kept)
        cells[RECORD] = json.dumps(kept, ensure_ascii=False, separators=(",", ":"))
    columns = [pl.Series(name, [value], dtype=_type(value)) for name, value in cells.items()]
    columns += [
        pl.Series(TABLE + name, [each.to_struct()]) for name, each in (tables or {}).items()
    ]
    data = BytesIO()
    # A single row needs no statistics: they would make a third of the file.
    pl.DataFrame(columns).write_parquet(data, statistics=False)
    return data.getvalue()


def decode(data: bytes | None, key: Key, tables: Iterable[str] = ()) -> Finished | None:
    """Return a run with some of its tables.

    `None` where the piece cannot be read, is of another run, or lacks one of the tables.
    """
    wanted = {name: TABLE + name for name in tables}
    cells = _cells(data, key, [RECORD, *wanted.values()])
    if cells is None:
        return None
    try:
        record = json.loads(cells[RECORD].item())
        if not _is_record(record):
            return None
        return Finished(record, {name: cells[at][0].struct.unnest() for name, at in wanted.items()})
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None


def decode_failure(data: bytes | None, key: Key) -> Failure | None:
    """Return how a run failed, `None` where its piece cannot be read or is of another run."""
    cells = _cells(data, key, Failure._fields)
    return (
        None if cells is None else Failure(*(str(cells[name].item()) for name in Failure._fields))
    )


def _cells(data: bytes | None, key: Key, columns: Iterable[str]) -> pl.DataFrame | None:
    """Return some columns of a run's only row."""
    import polars as pl

    if data is None:
        return None
    try:
        cells = pl.read_parquet(BytesIO(data), columns=[*Key._fields, *columns])
        return cells if cells.select(Key._fields).rows() == [tuple(key)] else None
    except broken():
        return None


def broken() -> tuple[type[BaseException], ...]:
    """Return what polars raises where bytes have no meaning: it can panic, too."""
    import polars as pl

    return (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException)


def _type(value: object) -> type[pl.DataType]:
    """Return a type that is the same in every piece: what may be absent is a float there."""
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
    """Tell whether a record has what measures are made of."""
    if not isinstance(record, dict):
        return False
    traffic = record.get("traffic")
    return isinstance(traffic, list) and all(isinstance(entry, dict) for entry in traffic)
