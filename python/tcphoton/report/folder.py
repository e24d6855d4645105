"""The page of a folder of results: a run, a sweep, papers, or readings; or of several sweeps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tcphoton.common import arguments
from tcphoton.errors import OutputError
from tcphoton.pages.page import rendered

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from tcphoton.pages.blocks import Section

    Folders = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

__all__ = ["NAME", "page", "write"]

NAME = "report.html"
DAMAGE = (AttributeError, LookupError, TypeError, ValueError, RecursionError, ArithmeticError)


def write(folder: Folders, out: str | os.PathLike[str] | None = None) -> Path:
    """Write the page of a folder of results, or of several side by side, and return its path.

    Parameters
    ----------
    folder
        A folder written by ``tcphoton run``, ``sweep`` or ``reproduce`` with ``--out``; also of an
        unfinished sweep or reproduction. Several are folders of sweeps and runs.
    out
        The file; default: ``report.html`` in the folder. Several folders have no default.

    Raises
    ------
    OutputError
        The folder has no readable results, or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import tcphoton as tp
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tp.run(tp.example("mm1").with_({"run.duration": "20 s"})).save(folder)
    ...     write(folder).read_text("utf-8").startswith("<!DOCTYPE html>")
    True
    """
    from tcphoton.common.folder import check_file, put_file
    from tcphoton.common.open_folder import OpenFolder

    folders = _listed(folder)
    if out is None and len(folders) > 1:
        raise OutputError(f"{', '.join(map(str, folders))}: several folders need --out FILE.html")
    path = folders[0] / NAME if out is None else Path(out)
    if out is not None or not path.is_symlink():
        check_file(path, ".html")
    text = page(folder)
    if out is None:
        # A link in the folder is replaced, and the file that it leads to does not change.
        OpenFolder.at(folders[0]).put(NAME, text.encode())
    else:
        put_file(path, text.encode())
    return path


def page(folder: Folders) -> str:
    """Return the page of a folder of results, or of several side by side, as text.

    Raises
    ------
    OutputError
        The folder has no readable results.
    """
    folders = _listed(folder)
    for each in folders:
        if each.is_file():
            raise OutputError(f"{each}: a file; give the folder of --out DIR")
        if not each.is_dir():
            raise OutputError(f"{each}: not a folder")
    named = ", ".join(map(str, folders))
    try:
        found = _found(folders[0]) if len(folders) == 1 else _side_by_side(folders)
        return rendered(*found, " ".join(map(str, folders)))
    except DAMAGE as error:
        # A file lacks something, or has another form than we write.
        said = f"{type(error).__name__}: {error}"
        raise OutputError(f"{named}: no readable results: {said}") from error


def _listed(folder: Folders) -> list[Path]:
    if isinstance(folder, (list, tuple)):
        if not folder:
            raise OutputError("no folder is given")
        return [arguments.path("folder", each) for each in folder]
    return [arguments.path("folder", folder)]


def _side_by_side(folders: list[Path]) -> tuple[str, str, list[Section]]:
    """Return the contents of several folders of sweeps or runs."""
    from tcphoton.report import of_papers, of_readings, of_sweep

    for folder in folders:
        if of_readings.is_one(folder) or of_papers.found_in(folder):
            raise OutputError(f"{folder}: only sweeps and runs are shown side by side")
    return "Side by side", of_sweep.title(folders), of_sweep.sections(folders)


def _found(folder: Path) -> tuple[str, str, list[Section]]:
    """Return the contents of a folder: its kind, its title, and its sections."""
    from tcphoton.report import of_papers, of_readings, of_run, of_sweep
    from tcphoton.sweep import folder as sweep_folder
    from tcphoton.sweep.studies import ASKED

    if of_readings.is_one(folder):
        return "Readings", of_readings.title(folder), of_readings.sections(folder)
    if names := of_papers.found_in(folder):
        return "Reproduction", of_papers.title(folder, names), of_papers.sections(folder, names)
    if (folder / ASKED).exists():
        return "Sweep", of_sweep.title([folder]), of_sweep.sections([folder])
    if (folder / sweep_folder.RECORD).exists():
        return "Run", of_run.title(folder), of_run.sections(folder)
    if inside := sweep_folder.titles_below(folder):
        names = [str(folder / name) for name in inside]
        one = names[0] if len(names) == 1 else f"one of {', '.join(names)}"
        raise OutputError(f"{folder}: holds folders of results; give {one}")
    raise OutputError(f"{folder}: holds no results of a run, a sweep or a reproduction")
