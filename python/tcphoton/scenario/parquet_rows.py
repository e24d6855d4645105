"""Tables in Parquet, row by row as texts; a row counts as a line, and the header is the first."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from tcphoton.scenario.topology_graph import fail

if TYPE_CHECKING:
    from collections.abc import Iterator

MAGIC = b"PAR1"
MOST_CELLS = 10_000_000


def is_parquet(data: bytes) -> bool:
    """Tell whether a file begins and ends like one in Parquet."""
    return data.startswith(MAGIC) and data.endswith(MAGIC)


def parquet_rows(file: str, data: bytes) -> Iterator[tuple[int, list[str]]]:
    """Give the names of the columns, then the rows, each with its number from 1.

    Raises
    ------
    ScenarioError
        It is damaged, or too large.
    """
    import polars as pl

    try:
        shape = pl.scan_parquet(io.BytesIO(data))
        names = shape.collect_schema().names()
        count = shape.select(pl.len()).collect().item()
        if count * len(names) > MOST_CELLS:
            accepted = f"at most {MOST_CELLS:,} values"
            fail(file, "too large a table", found=f"{count:,} rows", accepted=accepted)
        table = shape.collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        fail(file, "not Parquet", found=str(error).partition("\n")[0])
    yield 1, names
    for number, row in enumerate(table.iter_rows(), 2):
        yield number, ["" if value is None else str(value) for value in row]
