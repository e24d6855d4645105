"""Operations that wait for each other, gathered one by one into a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SCHEMA = {
    "host": pl.String, "to": pl.String, "size": pl.Int64, "compute": pl.Float64,
    "after": pl.String, "after-start": pl.String, "cpu": pl.Int64,
}  # fmt: skip


class Operations:
    """Operations of hosts that are known by their numbers."""

    def __init__(self, hosts: Sequence[str]) -> None:
        """Begin with none; `hosts` has the name of each host."""
        self._hosts = list(hosts)
        self._rows: list[list[object]] = []
        self._after: list[list[int]] = []
        self._start: list[list[int]] = []

    def __len__(self) -> int:
        """Return their number."""
        return len(self._rows)

    def send(self, host: int, to: int, size: int, after: Iterable[int] = ()) -> int:
        """Add a send, which waits for the ends of others; return its number."""
        return self._add([self._hosts[host], self._hosts[to], size, None], after, None)

    def compute(self, host: int, seconds: float, after: Iterable[int] = (), cpu: int = 0) -> int:
        """Add a computation, which waits for the ends of others; return its number."""
        return self._add([self._hosts[host], None, None, seconds], after, cpu or None)

    def wait(self, later: int, earlier: Iterable[int], *, start: bool = False) -> None:
        """Let an operation wait for the ends, or the starts, of others."""
        (self._start if start else self._after)[later] += earlier

    def table(self) -> pl.DataFrame:
        """Return them with the columns that a source of the kind ``graph`` reads."""

        def text(numbers: list[int]) -> str | None:
            return " ".join(map(str, dict.fromkeys(numbers))) or None

        rows = [
            [*row[:4], text(after), text(start), row[4]]
            for row, after, start in zip(self._rows, self._after, self._start, strict=True)
        ]
        return pl.DataFrame(rows, schema=SCHEMA, orient="row")

    def _add(self, row: list[object], after: Iterable[int], cpu: int | None) -> int:
        self._rows.append([*row, cpu])
        self._after.append(list(after))
        self._start.append([])
        return len(self._rows) - 1
