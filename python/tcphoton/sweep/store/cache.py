"""The runs that a folder keeps: one Parquet file per point and seed, named by its content's key.

A file's name has the digest of the scenario, the seed and the results revision, so a run is found
by any sweep that needs it, and after a change of results no old run is found. ``points`` has
finished runs, ``failed`` the errors of failed runs. Files are written atomically. A damaged file,
or one with another run, counts as absent; damaged files are reported. There is no lock: two
concurrent calls on one folder may do a run twice and write the same file.
"""

from __future__ import annotations

import contextlib
import csv
import io
import time
from typing import TYPE_CHECKING, NamedTuple

from tcphoton.common import safe_read
from tcphoton.sweep.store.piece import (
    Failure,
    Finished,
    Key,
    decode,
    decode_failure,
    encode,
    tables_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tcphoton.common.open_folder import OpenFolder

__all__ = ["FAILED", "POINTS", "Cache", "Timing"]

POINTS, FAILED = "points", "failed"
TIMINGS = "timings.csv"
STALE = 3600
"""Age in seconds at which a partially written file of a killed call is removed."""
NAMED = 10
"""Maximum number of damaged files that are reported individually."""


class Timing(NamedTuple):
    """Duration, place, time and memory of a run: no result depends on them.

    `memory` is the peak memory of its worker in bytes, 0 if not known.
    """

    wall: float
    cpu: float
    events: int
    worker: int
    finished: str
    host: str
    memory: int = 0


COLUMNS = (*Key._fields, *Timing._fields)


def _timing(row: list[str]) -> tuple[Key, Timing] | None:
    """Return the content of a line, `None` if it is incomplete."""
    try:
        digest, seed, revision, wall, cpu, events, worker, finished, host, memory = row
        return Key(digest, int(seed), revision), Timing(
            float(wall), float(cpu), int(events), int(worker), finished, host, int(memory)
        )
    except ValueError:
        return None


class Cache:
    """The runs of a folder, or of this process only if there is no folder.

    It can be read without further steps; writing needs the open folder, see `open`.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self._held: dict[tuple[str, Key], bytes] = {}
        self._places: dict[str, OpenFolder] = {}
        self._named: set[Path] = set()

    @classmethod
    def open(cls, place: OpenFolder | None) -> Cache:
        """Return the runs of an open folder, or of this process only if there is none.

        Partially written files of killed calls are removed.

        Raises
        ------
        OutputError
            The folder cannot be written, or has a link instead of a subfolder.
        """
        if place is None:
            return cls(None)
        cache = cls(place.absolute)
        cache._places = {"": place, POINTS: place.below(POINTS)}
        if place.has(FAILED):
            cache._places[FAILED] = place.below(FAILED)
        for each in cache._places.values():
            each.probe()
            each.clear(time.time() - STALE)
        return cache

    def load(self, key: Key, tables: Iterable[str] = ()) -> Finished | None:
        """Return a finished run with some of its tables, `None` if it or a table is missing."""
        data = self._get(POINTS, key)
        found = decode(data, key, tables)
        if found is None and data is not None:
            self._look(POINTS, key, data)
        return found

    def tables(self, key: Key) -> list[str]:
        """Return the tables that are kept of a run."""
        return tables_of(self._get(POINTS, key), key)

    def failure(self, key: Key) -> Failure | None:
        """Return how a run failed, `None` if it did not."""
        data = self._get(FAILED, key)
        found = decode_failure(data, key)
        if found is None and data is not None:
            self._look(FAILED, key, data)
        return found

    def failures(self) -> dict[Key, Failure]:
        """Return all failed runs that have not been repeated successfully."""
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
        """Store the piece of a finished run.

        Raises
        ------
        OutputError
            It cannot be written, or the folder was moved or deleted.
        """
        self._put(POINTS, key, data)
        self._held.pop((FAILED, key), None)
        if self._places:
            if self._places[""].has(FAILED):
                self._below(FAILED).discard(key.file)
            self._note(key, timing)
            self._places[POINTS].check()

    def fail(self, key: Key, failure: Failure) -> None:
        """Store how a run failed.

        Raises
        ------
        OutputError
            It cannot be written.
        """
        self._put(FAILED, key, encode(key, failure))

    def _get(self, kind: str, key: Key) -> bytes | None:
        if self.folder is None:
            return self._held.get((kind, key))
        path = self.folder / kind / key.file
        try:
            return safe_read.read(path, safe_read.LARGEST_TABLE)
        except safe_read.DamagedError as error:
            self._tell(path, str(error))
        except OSError:
            pass
        return None

    def _look(self, kind: str, key: Key, data: bytes) -> None:
        """Report an unusable piece, if the file itself is the reason."""
        assert self.folder is not None
        path = self.folder / kind / key.file
        if problem := safe_read.problem(data):
            self._tell(path, f"{path}: {problem}")

    def _tell(self, path: Path, problem: str) -> None:
        """Report a damaged file once; of many only the first ones."""
        if path in self._named:
            return
        self._named.add(path)
        if len(self._named) <= NAMED:
            safe_read.warn(f"{problem}; its run counts as missing")
        elif len(self._named) == NAMED + 1:
            safe_read.warn(f"{self.folder}: more files are damaged, which are not listed")

    def _put(self, kind: str, key: Key, data: bytes) -> None:
        if self.folder is None:
            self._held[kind, key] = data
            return
        self._below(kind).put(key.file, data)

    def _below(self, kind: str) -> OpenFolder:
        if kind not in self._places:
            self._places[kind] = self._places[""].below(kind)
        return self._places[kind]

    def timings(self) -> dict[Key, Timing]:
        """Return the timing of the runs, as far as it is known."""
        found: dict[Key, Timing] = {}
        if self.folder is None:
            return found
        try:
            data = safe_read.read(self.folder / TIMINGS, safe_read.LARGEST_TEXT, follow=False)
        except OSError:
            return found
        text = data.decode("utf-8", errors="replace")
        with contextlib.suppress(csv.Error):  # an overlong field
            for row in csv.reader(io.StringIO(text.replace("\0", ""))):
                if (one := _timing(row)) is not None:
                    found[one[0]] = one[1]
        return found

    def _note(self, key: Key, timing: Timing) -> None:
        """Add a line with the timing of a run; failing to do so is not an error."""
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow([*key, *timing])
        with contextlib.suppress(OSError):
            head = f"{','.join(COLUMNS)}\n".encode()
            self._places[""].append(TIMINGS, line.getvalue().encode(), head)
