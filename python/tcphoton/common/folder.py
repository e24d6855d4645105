"""Folders of results that are either complete or recognizably incomplete."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Self

from tcphoton.common import open_folder
from tcphoton.common.open_folder import SCRATCH, OpenFolder, made, output_error
from tcphoton.errors import OutputError

if TYPE_CHECKING:
    from types import TracebackType

ENDINGS = (".csv", ".html", ".json", ".parquet", ".pcapng", ".pdf", ".png", ".svg", ".toml")
"""File endings that identify a format."""


class Folder:
    """A folder being written: files are collected in a scratch folder next to it, then moved.

    Parameters
    ----------
    path
        The folder to write, created with its parents.
    last
        The file that marks the folder as complete. It is removed first and written last.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as scratch:
    ...     with Folder(Path(scratch) / "results", last="report.json") as writing:
    ...         writing.put("report.json", b"{}")
    ...     (Path(scratch) / "results" / "report.json").read_bytes()
    b'{}'
    """

    def __init__(self, path: str | os.PathLike[str], last: str) -> None:
        self.path = Path(path)
        self.last = last
        self._place: OpenFolder
        self._scratch: OpenFolder
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Self:
        """Create the folder and its scratch folder."""
        name = f"{SCRATCH}{secrets.token_hex(8)}"
        with contextlib.ExitStack() as stack:
            self._place = stack.enter_context(made(self.path))
            try:
                os.mkdir(name, 0o700, dir_fd=self._place.descriptor)
            except OSError as error:
                raise output_error(self.path, error) from None
            at = self._place.descriptor
            stack.callback(shutil.rmtree, name, ignore_errors=True, dir_fd=at)
            self._scratch = self._place.below(name, make=False)
            self._stack = stack.pop_all()
        return self

    def put(self, name: str, data: bytes) -> None:
        """Add a file."""
        try:
            open_folder._write(self._scratch, name, data)
        except OSError as error:
            raise output_error(self.path / name, error) from None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Move all files into place; if that fails, remove all of them."""
        if kind is not None:
            self._stack.__exit__(kind, error, traceback)
            return
        with self._stack:
            try:
                self._commit()
            except OSError as failed:
                raise output_error(self.path, failed) from None

    def probe(self) -> None:
        """Check whether the folder can be written; leave nothing there.

        Raises
        ------
        OutputError
            It cannot.
        """
        with contextlib.suppress(_ProbeOverError), self:
            raise _ProbeOverError

    def _commit(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.last, dir_fd=self._place.descriptor)
        names = os.listdir(self._scratch.descriptor)
        for name in sorted(names, key=lambda name: (name == self.last, name)):
            self._scratch.rename(name, self._place, name)


def check_file(path: Path, ending: str | None = None) -> None:
    """Refuse a name to which no file may be written.

    Refused are folders, devices, pipes and sockets, TOML files (which would be a user's own), and
    names with the ending of another format than `ending`.

    Raises
    ------
    OutputError
        It is such a name.

    Examples
    --------
    >>> check_file(Path("page.html"), ".html")
    >>> try:
    ...     check_file(Path("page.pdf"), ".html")
    ... except OutputError as error:
    ...     print(error)
    page.pdf: the file to be written is not .pdf; accepted a name that ends in .html
    """
    try:
        exists, is_file, is_folder = path.exists(), path.is_file(), path.is_dir()
    except OSError as error:
        raise output_error(path, error) from None
    if is_folder or not path.name:
        raise OutputError(f"{path}: a folder; name the file to be written")
    if exists and not is_file:
        raise OutputError(f"{path}: a device, a pipe or a socket; name a file to be written")
    found = path.suffix.lower()
    if found == ".toml" and exists:
        raise OutputError(f"{path}: a file in TOML, which is not replaced; name another file")
    if ending is not None and found != ending and found in ENDINGS:
        accepted = f"accepted a name that ends in {ending}"
        raise OutputError(f"{path}: the file to be written is not {found}; {accepted}")


def put_file(path: Path, data: bytes, ending: str | None = None) -> None:
    """Write one file atomically, and create its folder if there is none.

    A link is kept, and the file that it leads to is replaced.

    Raises
    ------
    OutputError
        It cannot be written, or `check_file` refuses its name.
    """
    check_file(path, ending)
    if path.is_symlink():
        path = Path(os.path.realpath(path))
    with made(path.parent) as folder:
        folder.put(path.name, data)


class _ProbeOverError(Exception):
    """A probe has seen enough."""
