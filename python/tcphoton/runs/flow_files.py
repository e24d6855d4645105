"""Rows of finished flows, written file by file during a run."""

from __future__ import annotations

import contextlib
import fnmatch
import json
import os
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from tcphoton.common import checksum
from tcphoton.common.open_folder import made, output_error
from tcphoton.runs.results import RECORD, frame_of

if TYPE_CHECKING:
    from tcphoton import _core
    from tcphoton.runs.results import Report

PATTERN = "flows-[0-9][0-9][0-9][0-9][0-9]*.parquet"
"""The pattern of the files, for ``Path.glob`` and ``polars.scan_parquet``."""


class FlowFiles:
    """The files ``flows-00001.parquet``, ``flows-00002.parquet``, … of a folder.

    Parameters
    ----------
    folder
        The destination; it is created with its parents. Such files of an earlier run are removed,
        its ``report.json`` first: a folder that has one is complete.

    Raises
    ------
    OutputError
        It cannot be written.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.files = 0
        self.rows = 0
        with made(self.folder) as self._place:
            at = self._place.descriptor
            try:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(RECORD, dir_fd=at)
                for old in fnmatch.filter(os.listdir(at), PATTERN):
                    os.unlink(old, dir_fd=at)
            except OSError as error:
                raise output_error(self.folder, error) from None

    def put(self, table: _core.Table) -> None:
        """Write the next file, atomically.

        Raises
        ------
        OutputError
            It cannot be written.
        """
        rows = frame_of(table)
        self.files += 1
        self.rows += rows.height
        data = BytesIO()
        units = {column.name: column.unit for column in table.columns}
        rows.write_parquet(data, metadata={"units": json.dumps(units)})
        self._place.put(f"flows-{self.files:05}.parquet", checksum.seal(data.getvalue()))

    def note(self, report: Report) -> Report:
        """Add to a report's record how many files and rows were written separately.

        Raises
        ------
        OutputError
            The folder was moved or deleted during the run.
        """
        self._place.check()
        report.record["streamed-flows"] = {"files": self.files, "rows": self.rows}
        return report
