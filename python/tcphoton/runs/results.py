"""Reports: the tables and the record of one run, and the folder that keeps them.

A folder has ``report.json`` and one Parquet file per table. ``report.json`` is written last, by a
rename: a folder that has it is complete, and a run interrupted by Ctrl-C leaves a folder without
it. A full disk leaves what fits, and ``report.json`` names the rest. Each file has a checksum
(`tcphoton.common.checksum`), which is verified when it is read.
"""

from __future__ import annotations

import json
import platform
import warnings
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tcphoton.common import checksum, display
from tcphoton.common.folder import Folder
from tcphoton.common.safe_read import read_frame, read_object
from tcphoton.errors import DamageWarning, OutputError, hint
from tcphoton.runs import caveats, measures

if TYPE_CHECKING:
    import os

    from tcphoton import _core
    from tcphoton.runs.caveats import Caveat

__all__ = ["RECORD", "Report", "frame_of"]

RECORD = "report.json"
LEFT_OUT = "left-out"
"""The entry of a record that names the tables for which a disk had no space."""


class Report:
    """The results of one run.

    Attributes
    ----------
    record : dict
        All of ``report.json``: title, seed, digest, events, every parameter with its origin,
        versions, timing, and the unit and meaning of every column.
    flows, links, traffic, series : polars.DataFrame
        One row per flow, direction of a link, entry of ``traffic``, recorded value.
    fecs, channels, bursts, reservations : polars.DataFrame
        Of an optical network: one row per forwarding equivalence class, channel of a link, recorded
        burst and recorded reservation; without columns in other networks.
    switches, energy : polars.DataFrame
        For hybrid switches, and for scenarios with an energy model: one row per switch, and per
        part of the energy model; without columns elsewhere.

    Examples
    --------
    >>> import tcphoton as tp
    >>> report = tp.run(tp.example("mm1").with_({"run.duration": "20 s"}))
    >>> report.flows.height
    1
    >>> report.units["links"]["rate"]
    'b/s'
    """

    def __init__(self, record: dict[str, Any], tables: dict[str, pl.DataFrame]) -> None:
        self.record = record
        self.tables: dict[str, pl.DataFrame] = _Tables(tables)
        self.flows = tables["flows"]
        self.links = tables["links"]
        self.traffic = tables["traffic"]
        self.series = tables["series"]
        none = pl.DataFrame()
        self.fecs = tables.get("fecs", none)
        self.channels = tables.get("channels", none)
        self.bursts = tables.get("bursts", none)
        self.reservations = tables.get("reservations", none)
        self.switches = tables.get("switches", none)
        self.energy = tables.get("energy", none)

    @classmethod
    def from_outcome(cls, outcome: _core.Outcome) -> Report:
        """Make a report from the data of the engine."""
        record = json.loads(outcome.json)
        record["versions"] = {
            "tcphoton": record.pop("version"),
            "python": platform.python_version(),
            "polars": pl.__version__,
        }
        record["timing"] = {"wall": outcome.wall_seconds, "cpu": outcome.cpu_seconds}
        record["tables"] = {
            table.name: {
                column.name: {"unit": column.unit, "doc": column.doc} for column in table.columns
            }
            for table in outcome.tables
        }
        return cls(record, {table.name: frame_of(table) for table in outcome.tables})

    @property
    def units(self) -> dict[str, dict[str, str]]:
        """The unit of every column of every table, an empty text for a plain number."""
        return self._about("unit")

    @property
    def docs(self) -> dict[str, dict[str, str]]:
        """The meaning of every column of every table."""
        return self._about("doc")

    @property
    def left_out(self) -> list[str]:
        """The tables that a full disk had no space for; they have no rows here."""
        return list(self.record.get(LEFT_OUT, []))

    @property
    def digest(self) -> str:
        """The digest over the final counters: the same for the same scenario and seed."""
        return str(self.record["digest"])

    @property
    def caveats(self) -> list[Caveat]:
        """What to know before its measures are believed (`tcphoton.runs.caveats`)."""
        return caveats.of_run(measures.row(self.record))

    @property
    def parameters(self) -> pl.DataFrame:
        """Every parameter with its value (as JSON if it is not a text) and its origin."""
        entries = self.record["parameters"]
        values = [
            entry["value"] if isinstance(entry["value"], str) else json.dumps(entry["value"])
            for entry in entries
        ]
        return pl.DataFrame(
            {
                "key": [entry["key"] for entry in entries],
                "value": values,
                "origin": [entry["origin"] for entry in entries],
            },
            schema={"key": pl.String, "value": pl.String, "origin": pl.String},
        )

    @property
    def summary(self) -> dict[str, Any]:
        """The record's plain entries, such as title, seed, digest, events and timing."""
        plain: dict[str, Any] = {
            key: value
            for key, value in self.record.items()
            if not isinstance(value, dict | list) and value is not None
        }
        timing: dict[str, float] = self.record["timing"]
        return plain | timing

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the tables as Parquet, and ``report.json`` last.

        The folder is created with its parents; an earlier report in it is replaced, and other
        files are kept.

        Raises
        ------
        OutputError
            The folder cannot be written; no partially written file is left. If the disk is full,
            as many tables as fit are kept, the smaller ones first, and `left_out` of the report
            that the folder then has names the others.
        """
        files = {name: self._sealed(name) for name in self.tables}
        left_out: list[str] = []
        while True:
            try:
                self._write(folder, files, left_out)
                break
            except OutputError as error:
                if not (error.is_full and files):
                    raise
                largest = max(files, key=lambda name: len(files[name]))
                del files[largest]
                left_out.append(largest)
        if left_out:
            names = ", ".join(f"{name}.parquet" for name in sorted(left_out))
            failed = OutputError(
                f"{folder}: no space left on the disk for {names}; report.json"
                f"{' and the other tables are' if files else ' is'} kept"
            )
            failed.is_full = True
            raise failed

    def _sealed(self, name: str) -> bytes:
        """Return the file of a table."""
        data = BytesIO()
        self.tables[name].write_parquet(data, metadata={"units": json.dumps(self.units[name])})
        return checksum.seal(data.getvalue())

    def _write(
        self, folder: str | os.PathLike[str], files: dict[str, bytes], left_out: list[str]
    ) -> None:
        record = self.record | ({LEFT_OUT: sorted(left_out)} if left_out else {})
        with Folder(folder, last=RECORD) as writing:
            for name, data in files.items():
                writing.put(f"{name}.parquet", data)
            writing.put(RECORD, _text(checksum.sealed(record)).encode())

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Report:
        """Read a folder that `save` wrote.

        The checksum of every file must be correct. A file without one causes a `DamageWarning`, and
        so does a table for which the disk had no space.

        Raises
        ------
        OutputError
            There is no complete report.
        """
        folder = Path(folder)
        try:
            record = read_object(folder / RECORD)
            left_out, tables = record.get(LEFT_OUT, []), {}
            for name, columns in record["tables"].items():
                if not _is_plain(name):
                    raise OutputError(f"{name!r} is not the name of a table")
                if name in left_out:
                    tables[name] = pl.DataFrame(schema=dict.fromkeys(columns, pl.Null))
                else:
                    tables[name] = read_frame(folder / f"{name}.parquet")
            report = cls(record, tables)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise OutputError(f"{folder}: no complete report: {error}") from None
        if left_out:
            text = f"{folder}: without rows, as the disk was full: {', '.join(left_out)}"
            warnings.warn(text, DamageWarning, stacklevel=2)
        return report

    def to_json(self) -> str:
        """Return the text of ``report.json``, including its checksum."""
        return _text(self.record)

    def __repr__(self) -> str:
        """Return one line: title, seed and size."""
        return (
            f"Report({self.record.get('title')!r}, seed={self.record.get('seed')}, "
            f"flows={self.flows.height}, events={self.record.get('events')}, digest={self.digest})"
        )

    def _repr_html_(self) -> str:
        """Show the facts of the run and the first rows of its tables in a notebook."""
        return display.in_html("report", self)

    def _about(self, what: str) -> dict[str, dict[str, str]]:
        found = {
            table: {name: about[what] for name, about in columns.items()}
            for table, columns in self.record["tables"].items()
        }
        return _Tables(found)


class _Tables(dict[str, Any]):
    """Tables by name; of one that does not exist the error says which name was meant."""

    def __missing__(self, name: object) -> Any:
        there = ", ".join(self)
        raise LookupError(f"no table {name!r}{hint(str(name), self)}; available: {there}")


def _text(record: dict[str, Any]) -> str:
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


def _is_plain(name: str) -> bool:
    """Tell whether a table's name refers to a file of the folder itself."""
    return name.replace("-", "").isalnum()


def frame_of(table: _core.Table) -> pl.DataFrame:
    """Convert a table of the engine without a loop over its values."""
    return pl.DataFrame([_column(column) for column in table.columns])


def _column(column: _core.Column) -> pl.Series:
    values = np.frombuffer(column.data, dtype=column.dtype)
    series = pl.Series(column.name, values)
    if column.levels is not None:
        levels = pl.Series(column.name, column.levels, dtype=pl.String)
        return levels.gather(series)
    # Rates of a run that ended within its warm-up are not numbers: the measured time is zero.
    finite = np.isfinite(values)
    return series if finite.all() else series.set(pl.Series(~finite), None)
