"""The runs that a folder keeps: one Parquet file a point and seed, found again by what it means.

A file's name is the digest of the scenario, the seed and the results revision, so a run is found
by any sweep that needs it, and a change of results finds none of the old ones. ``points`` holds
finished runs, ``failed`` what is known of those that failed. A file is written whole or not at all,
and one that is damaged, or holds another run, counts as absent; what is damaged is named. There is
no lock: two calls at once on one folder may do a run twice and write the same.
"""

from __future__ import annotations

import contextlib
import csv
import io
import time
from typing import TYPE_CHECKING, NamedTuple

from tcphoton.common import reading
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
"""Seconds after which a file that a killed call left half-written is removed."""
NAMED = 10
"""Damaged files that are named one by one."""


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


def _timing(row: list[str]) -> tuple[Key, Timing] | None:
    """Return what a line says of a run, `None` where it is torn."""
    try:
        digest, seed, revision, wall, cpu, events, worker, finished, host, memory = row
        return Key(digest, int(seed), revision), Timing(
            float(wall), float(cpu), int(events), int(worker), finished, host, int(memory)
        )
    except ValueError:
        return None


class Cache:
    """The runs of a folder, or of this process alone where there is no folder.

    It reads as it is; to write it needs the open folder, see `open`.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self._held: dict[tuple[str, Key], bytes] = {}
        self._places: dict[str, OpenFolder] = {}
        self._named: set[Path] = set()

    @classmethod
    def open(cls, place: OpenFolder | None) -> Cache:
        """Return the runs of an open folder, or of this process alone where there is none.

        What killed calls left half-written is cleared away.

        Raises
        ------
        OutputError
            The folder cannot be written, or has a link where a folder is to be.
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
        """Return a finished run with some of its tables, `None` where it or one of them is not."""
        data = self._get(POINTS, key)
        found = decode(data, key, tables)
        if found is None and data is not None:
            self._look(POINTS, key, data)
        return found

    def tables(self, key: Key) -> list[str]:
        """Return the tables that are kept of a run."""
        return tables_of(self._get(POINTS, key), key)

    def failure(self, key: Key) -> Failure | None:
        """Return how a run failed, `None` where it did not."""
        data = self._get(FAILED, key)
        found = decode_failure(data, key)
        if found is None and data is not None:
            self._look(FAILED, key, data)
        return found

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
            It cannot be written, or the folder was moved or deleted meanwhile.
        """
        self._put(POINTS, key, data)
        self._held.pop((FAILED, key), None)
        if self._places:
            if self._places[""].has(FAILED):
                self._below(FAILED).discard(key.file)
            self._note(key, timing)
            self._places[POINTS].check()

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
        path = self.folder / kind / key.file
        try:
            return reading.read(path, reading.LARGEST_TABLE)
        except reading.DamagedError as error:
            self._tell(path, str(error))
        except OSError:
            pass
        return None

    def _look(self, kind: str, key: Key, data: bytes) -> None:
        """Tell of a piece that is of no use, where that is for its bytes."""
        assert self.folder is not None
        path = self.folder / kind / key.file
        if problem := reading.problem(data):
            self._tell(path, f"{path}: {problem}")

    def _tell(self, path: Path, problem: str) -> None:
        """Name a damaged file once; of many only the first."""
        if path in self._named:
            return
        self._named.add(path)
        if len(self._named) <= NAMED:
            reading.warn(f"{problem}; its run counts as missing")
        elif len(self._named) == NAMED + 1:
            reading.warn(f"{self.folder}: more files are damaged, which are not named one by one")

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
        """Return how long the runs took, as far as it is known."""
        found: dict[Key, Timing] = {}
        if self.folder is None:
            return found
        try:
            data = reading.read(self.folder / TIMINGS, reading.LARGEST_TEXT, follow=False)
        except OSError:
            return found
        text = data.decode("utf-8", errors="replace")
        with contextlib.suppress(csv.Error):  # a field of more characters than any has
            for row in csv.reader(io.StringIO(text.replace("\0", ""))):
                if (one := _timing(row)) is not None:
                    found[one[0]] = one[1]
        return found

    def _note(self, key: Key, timing: Timing) -> None:
        """Add a line on how long a run took; what cannot be noted is not worth stopping for."""
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow([*key, *timing])
        with contextlib.suppress(OSError):
            head = f"{','.join(COLUMNS)}\n".encode()
            self._places[""].append(TIMINGS, line.getvalue().encode(), head)
