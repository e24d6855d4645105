"""Finished runs in a folder: one small file a point and seed, found again by what it means.

A file's name is the digest of the scenario, the seed and the results revision, so a run is found by
any sweep that needs it, and a change of results finds none of the old ones. Tables that a sweep
keeps stand beside it under the same name. A file is written whole or not at all, the tables first.
A run counts as absent where one of the wanted files cannot be read, or holds another run. There is
no lock: two calls at once on one folder may do a run twice and write the same.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import threading
import time
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from tcphoton import measures
from tcphoton.folder import SCRATCH, Folder, put_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    import polars as pl

__all__ = ["Cache", "Finished", "Key", "Timing"]

POINTS = "points"
TIMINGS = "timings.csv"
STALE = 3600
"""Seconds after which a file that a killed call left half-written is removed."""
LEFT_OUT = {"parameters", "tables", "timing", "versions", "title"}
"""What of a report no sweep needs, or what differs between machines."""

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
        '00c0ffee00c0ffee-7-0123456789abcdef.json'
        """
        return f"{self._name}.json"

    def table(self, name: str) -> str:
        """Return the name of a table's file.

        Examples
        --------
        >>> Key("00c0ffee00c0ffee", 7, "0123456789abcdef").table("fecs")
        '00c0ffee00c0ffee-7-0123456789abcdef.fecs.parquet'
        """
        return f"{self._name}.{name}.parquet"

    @property
    def _name(self) -> str:
        return f"{self.digest}-{self.seed}-{self.revision}"


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


class Timing(NamedTuple):
    """How long a run took, where and when: what no result depends on."""

    wall: float
    cpu: float
    events: int
    worker: int
    finished: str
    host: str


COLUMNS = (*Key._fields, *Timing._fields)


class Cache:
    """The finished runs of a folder, or of this process alone where there is no folder."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self._kept: dict[Key, Finished] = {}
        self._lock = threading.Lock()

    def open(self) -> None:
        """Make the folder, and clear away what killed calls left half-written.

        Raises
        ------
        OutputError
            The folder cannot be written.
        """
        if self.folder is None:
            return
        points = self.folder / POINTS
        with Folder(points, last=SCRATCH):
            pass  # made, and found to be writable
        for scratch in (*points.glob(f"{SCRATCH}*"), *self.folder.glob(f"{SCRATCH}*")):
            with contextlib.suppress(OSError):
                if time.time() - scratch.stat().st_mtime > STALE:
                    scratch.unlink()

    def load(self, key: Key, tables: Iterable[str] = ()) -> Finished | None:
        """Return a finished run with some of its tables, `None` where it or one of them is not."""
        record = self._record(key)
        if record is None:
            return None
        found = {}
        for name in tables:
            table = self._table(key, name)
            if table is None:
                return None
            found[name] = table
        return Finished(record, found)

    def _record(self, key: Key) -> Record | None:
        if self.folder is None:
            kept = self._kept.get(key)
            return None if kept is None else kept.record
        try:
            kept = json.loads((self.folder / POINTS / key.file).read_bytes())
            fits = kept["key"] == list(key) and _is_record(kept["record"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        return kept["record"] if fits else None

    def _table(self, key: Key, name: str) -> pl.DataFrame | None:
        if self.folder is None:
            return self._kept[key].tables.get(name)
        import polars as pl

        # Bytes of no meaning can make Polars panic, too.
        broken = (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException)
        try:
            data = BytesIO((self.folder / POINTS / key.table(name)).read_bytes())
            fits = pl.read_parquet_metadata(data).get("key") == json.dumps(key)
            data.seek(0)
            return pl.read_parquet(data) if fits else None
        except broken:
            return None

    def store(
        self,
        key: Key,
        record: Mapping[str, Any],
        timing: Timing,
        tables: Mapping[str, pl.DataFrame] | None = None,
    ) -> Finished:
        """Keep a finished run, and return what is kept of it.

        Raises
        ------
        OutputError
            It cannot be written.
        """
        kept = {name: value for name, value in record.items() if name not in LEFT_OUT}
        finished = Finished(kept, tables or {})
        if self.folder is None:
            self._kept[key] = finished
            return finished
        for name, table in finished.tables.items():
            data = measures.parquet(table, {"key": json.dumps(key)})
            put_file(self.folder / POINTS / key.table(name), data)
        text = json.dumps({"key": key, "record": kept}, ensure_ascii=False, separators=(",", ":"))
        put_file(self.folder / POINTS / key.file, text.encode())
        self._note(key, timing)
        return finished

    def timings(self) -> dict[Key, Timing]:
        """Return how long the runs took, as far as it is known."""
        found: dict[Key, Timing] = {}
        if self.folder is None:
            return found
        try:
            text = (self.folder / TIMINGS).read_text("utf-8", errors="replace")
        except OSError:
            return found
        for row in csv.reader(io.StringIO(text.replace("\0", ""))):
            with contextlib.suppress(ValueError, TypeError):
                digest, seed, revision, wall, cpu, events, worker, finished, host = row
                key = Key(digest, int(seed), revision)
                found[key] = Timing(
                    float(wall), float(cpu), int(events), int(worker), finished, host
                )
        return found

    def _note(self, key: Key, timing: Timing) -> None:
        """Add a line on how long a run took; what cannot be noted is not worth stopping for."""
        assert self.folder is not None
        path = self.folder / TIMINGS
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow([*key, *timing])
        with self._lock, contextlib.suppress(OSError):
            file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
            try:
                head = "" if os.fstat(file).st_size else f"{','.join(COLUMNS)}\n"
                os.write(file, (head + line.getvalue()).encode())
            finally:
                os.close(file)


def _is_record(record: object) -> bool:
    """Tell whether a record has what measures are made of."""
    if not isinstance(record, dict):
        return False
    traffic = record.get("traffic")
    return isinstance(traffic, list) and all(isinstance(entry, dict) for entry in traffic)
