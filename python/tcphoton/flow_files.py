"""Rows of ended flows, written file by file while a run goes on."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from tcphoton.errors import OutputError
from tcphoton.folder import put_file
from tcphoton.results import RECORD, frame_of

if TYPE_CHECKING:
    import os

    from tcphoton import _core
    from tcphoton.results import Report

__all__ = ["PATTERN", "FlowFiles"]

PATTERN = "flows-[0-9][0-9][0-9][0-9][0-9]*.parquet"
"""What the files are called, for ``Path.glob`` and ``polars.scan_parquet``."""


class FlowFiles:
    """The files ``flows-00001.parquet``, ``flows-00002.parquet``, … of a folder.

    Parameters
    ----------
    folder
        Where they go; it is made with its parents. Such files of an earlier run are removed, its
        ``report.json`` first: what has one is whole.

    Raises
    ------
    OutputError
        It cannot be written.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.files = 0
        self.rows = 0
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / RECORD).unlink(missing_ok=True)
            for old in self.folder.glob(PATTERN):
                old.unlink()
        except OSError as error:
            reason = error.strerror or error
            raise OutputError(f"{self.folder}: cannot be written: {reason}") from None

    def put(self, table: _core.Table) -> None:
        """Write the next file, whole or not at all.

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
        put_file(self.folder / f"flows-{self.files:05}.parquet", data.getvalue())

    def note(self, report: Report) -> Report:
        """Say in a report's record how many files and rows were written apart from it."""
        report.record["streamed-flows"] = {"files": self.files, "rows": self.rows}
        return report
