"""Folders of results that are whole or do not look so."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Self

from tcphoton.errors import OutputError

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["Folder", "check_file", "put_file"]

SCRATCH = ".unfinished-"
ENDINGS = (".csv", ".html", ".json", ".parquet", ".pcapng", ".pdf", ".png", ".svg", ".toml")
"""Endings of names that say what a file holds."""


class Folder:
    """A folder being written: files gather in a scratch folder beside their place, then move.

    Parameters
    ----------
    path
        The folder to write, made with its parents where it is missing.
    last
        The file that says that the folder is whole. It is the first to go and the last to come.

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
        self._made: list[Path] = []
        self._scratch = Path()

    def __enter__(self) -> Self:
        """Make the folder and its scratch folder."""
        try:
            self._make(self.path)
            self._scratch = Path(tempfile.mkdtemp(prefix=SCRATCH, dir=self.path))
        except OSError as error:
            self._unmake()
            raise _output_error(self.path, error) from None
        return self

    def put(self, name: str, data: bytes) -> None:
        """Add a file."""
        try:
            _write(self._scratch / name, data)
        except OSError as error:
            raise _output_error(self.path / name, error) from None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Move all files into place, or remove every trace of them."""
        try:
            if kind is None:
                self._commit()
                self._made.clear()
        except OSError as failed:
            raise _output_error(self.path, failed) from None
        finally:
            shutil.rmtree(self._scratch, ignore_errors=True)
            self._unmake()

    def probe(self) -> None:
        """Find out whether the folder can be written, and leave nothing there.

        Raises
        ------
        OutputError
            It cannot.
        """
        with contextlib.suppress(_ProbeOverError), self:
            raise _ProbeOverError

    def _commit(self) -> None:
        (self.path / self.last).unlink(missing_ok=True)
        files = sorted(self._scratch.iterdir(), key=lambda file: (file.name == self.last, file))
        for file in files:
            file.replace(self.path / file.name)

    def _make(self, path: Path) -> None:
        """Make a folder with its parents, and remember which of them are new."""
        if path.is_dir():
            return
        if path != path.parent:
            self._make(path.parent)
        path.mkdir(exist_ok=True)
        self._made.append(path)

    def _unmake(self) -> None:
        while self._made:
            with contextlib.suppress(OSError):
                self._made.pop().rmdir()


def check_file(path: Path, ending: str | None = None) -> None:
    """Refuse a name that no file is to be written to.

    That is a folder's; one that stands for a device, a pipe or a socket; that of a file in TOML,
    which would be a user's own; and one whose ending says something else than `ending` does.

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
    page.pdf: the file to be written is no .pdf; accepted a name that ends in .html
    """
    try:
        exists, is_file, is_folder = path.exists(), path.is_file(), path.is_dir()
    except OSError as error:
        raise _output_error(path, error) from None
    if is_folder or not path.name:
        raise OutputError(f"{path}: a folder; name the file to be written")
    if exists and not is_file:
        raise OutputError(f"{path}: a device, a pipe or a socket; name a file to be written")
    found = path.suffix.lower()
    if found == ".toml" and exists:
        raise OutputError(f"{path}: a file in TOML, which is not replaced; name another file")
    if ending is not None and found != ending and found in ENDINGS:
        accepted = f"accepted a name that ends in {ending}"
        raise OutputError(f"{path}: the file to be written is no {found}; {accepted}")


def put_file(path: Path, data: bytes, ending: str | None = None) -> None:
    """Write one file whole or not at all, and the folder for it where there is none.

    A link stays, and the file that it leads to is replaced.

    Raises
    ------
    OutputError
        It cannot be written, or `check_file` refuses its name.
    """
    check_file(path, ending)
    if path.is_symlink():
        path = Path(os.path.realpath(path))
    scratch = path.with_name(f"{SCRATCH}{secrets.token_hex(8)}-{path.name}")
    try:
        try:
            _put(scratch, path, data)
        except FileNotFoundError:
            # No folder yet; or a call whose clock is hours ahead took the scratch file for a relic.
            path.parent.mkdir(parents=True, exist_ok=True)
            _put(scratch, path, data)
    except OSError as error:
        raise _output_error(path, error) from None
    finally:
        with contextlib.suppress(OSError):
            scratch.unlink(missing_ok=True)


def _put(scratch: Path, path: Path, data: bytes) -> None:
    _write(scratch, data)
    scratch.replace(path)


class _ProbeOverError(Exception):
    """A probe has seen enough."""


def _write(path: Path, data: bytes) -> None:
    """Write a file: the one place where results meet the disk, and where tests let it fail."""
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _output_error(path: Path, error: OSError) -> OutputError:
    return OutputError(f"{path}: cannot be written: {error.strerror or error}")
