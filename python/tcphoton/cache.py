"""The runs that a folder keeps: one Parquet file a point and seed, found again by what it means.

A file's name is the digest of the scenario, the seed and the results revision, so a run is found
by any sweep that needs it, and a change of results finds none of the old ones. ``points`` holds
finished runs, ``failed`` what is known of those that failed. A file is written whole or not at all,
and one that cannot be read, or holds another run, counts as absent. There is no lock: two calls at
once on one folder may do a run twice and write the same.
"""

from __future__ import annotations

import contextlib
import csv
import io
import os
import time
from typing import TYPE_CHECKING, NamedTuple

from tcphoton.folder import SCRATCH, Folder, put_file
from tcphoton.piece import Failure, Finished, Key, decode, decode_failure, encode, tables_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["FAILED", "POINTS", "Cache", "Timing"]

POINTS, FAILED = "points", "failed"
TIMINGS = "timings.csv"
STALE = 3600
"""Seconds after which a file that a killed call left half-written is removed."""


class Timing(NamedTuple):
    """How long a run took, where and when, and its memory: what no result depends on.

    `memory` is the most bytes that its worker held, 0 where that is not known.
    """

    wall: float
    cpu: float
    events: int
    worker: int
    finished: str
    host: str
    memory: int = 0


COLUMNS = (*Key._fields, *Timing._fields)


class Cache:
    """The runs of a folder, or of this process alone where there is no folder."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self._held: dict[tuple[str, Key], bytes] = {}

    def open(self) -> None:
        """Make the folder, and clear away what killed calls left half-written.

        Raises
        ------
        OutputError
            The folder cannot be written.
        """
        if self.folder is None:
            return
        with Folder(self.folder / POINTS, last=SCRATCH):
            pass  # made, and found to be writable
        for below in (self.folder, self.folder / POINTS, self.folder / FAILED):
            for scratch in below.glob(f"{SCRATCH}*"):
                with contextlib.suppress(OSError):
                    if time.time() - scratch.stat().st_mtime > STALE:
                        scratch.unlink()

    def load(self, key: Key, tables: Iterable[str] = ()) -> Finished | None:
        """Return a finished run with some of its tables, `None` where it or one of them is not."""
        return decode(self._get(POINTS, key), key, tables)

    def tables(self, key: Key) -> list[str]:
        """Return the tables that are kept of a run."""
        return tables_of(self._get(POINTS, key), key)

    def failure(self, key: Key) -> Failure | None:
        """Return how a run failed, `None` where it did not."""
        return decode_failure(self._get(FAILED, key), key)

    def failures(self) -> dict[Key, Failure]:
        """Return all runs that failed and have not been done since."""
        assert self.folder is not None
        found = {}
        for path in sorted((self.folder / FAILED).glob("[!.]*.parquet")):
            with contextlib.suppress(ValueError):
                digest, seed, revision = path.stem.split("-")
                key = Key(digest, int(seed), revision)
                if (failure := self.failure(key)) is not None:
                    found[key] = failure
        return found

    def store(self, key: Key, data: bytes, timing: Timing) -> None:
        """Keep the piece of a finished run.

        Raises
        ------
        OutputError
            It cannot be written.
        """
        self._put(POINTS, key, data)
        self._held.pop((FAILED, key), None)
        if self.folder is not None:
            with contextlib.suppress(OSError):
                (self.folder / FAILED / key.file).unlink()
            self._note(key, timing)

    def fail(self, key: Key, failure: Failure) -> None:
        """Keep how a run failed.

        Raises
        ------
        OutputError
            It cannot be written.
        """
        self._put(FAILED, key, encode(key, failure))

    def _get(self, kind: str, key: Key) -> bytes | None:
        if self.folder is None:
            return self._held.get((kind, key))
        try:
            return (self.folder / kind / key.file).read_bytes()
        except OSError:
            return None

    def _put(self, kind: str, key: Key, data: bytes) -> None:
        if self.folder is None:
            self._held[kind, key] = data
            return
        put_file(self.folder / kind / key.file, data)

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
                digest, seed, revision, wall, cpu, events, worker, finished, host, memory = row
                found[Key(digest, int(seed), revision)] = Timing(
                    float(wall), float(cpu), int(events), int(worker), finished, host, int(memory)
                )
        return found

    def _note(self, key: Key, timing: Timing) -> None:
        """Add a line on how long a run took; what cannot be noted is not worth stopping for."""
        assert self.folder is not None
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow([*key, *timing])
        with contextlib.suppress(OSError):
            path = self.folder / TIMINGS
            file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
            try:
                head = "" if os.fstat(file).st_size else f"{','.join(COLUMNS)}\n"
                os.write(file, (head + line.getvalue()).encode())
            finally:
                os.close(file)
