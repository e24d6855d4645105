"""A folder held open: no link in it redirects a write, and its removal is noticed.

A folder of results may be untrusted, and a name in it may be a link to any file of the user. So
everything below a folder is accessed from the open folder and never through a link, and a file is
replaced by a rename, which replaces a link instead of following it. Only the path that the user
gives may contain links.

A folder that is moved stays open, so results are written to its new place; `OpenFolder.check`
detects this.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import secrets
import stat
import sys
import time
import weakref
from typing import TYPE_CHECKING

from tcphoton.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SCRATCH = ".unfinished-"
PATIENCE = 30.0
"""Seconds to wait for another call that is writing; such writes take milliseconds."""
MOST_APPENDED = 2**28
"""Maximum bytes of a file to which lines are added; a larger one is not changed."""
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class OpenFolder:
    """A folder held open.

    Attributes
    ----------
    path
        The folder as named in messages.
    absolute
        The same path, independent of the current folder.
    descriptor
        The open folder, for functions with ``dir_fd``. It is closed with the last reference.
    """

    def __init__(self, descriptor: int, path: Path, above: OpenFolder | None = None) -> None:
        self.descriptor = descriptor
        self.path = path
        self._above = above
        self.absolute = path.absolute()
        weakref.finalize(self, os.close, descriptor)

    @classmethod
    def at(cls, path: Path) -> OpenFolder:
        """Open a folder that the user names; it may be a link to one.

        Raises
        ------
        OutputError
            There is none, or it cannot be opened.
        """
        try:
            return cls(os.open(path, FOLDER), path)
        except OSError as error:
            raise output_error(path, error) from None

    def below(self, name: str, *, make: bool = True) -> OpenFolder:
        """Open a folder in this one, creating it if it is missing and `make` is set.

        Raises
        ------
        OutputError
            It is not a folder, for example a link to one, or it cannot be created.
        """
        path = self.path / name
        try:
            if make:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(name, dir_fd=self.descriptor)
            return OpenFolder(
                os.open(name, FOLDER | os.O_NOFOLLOW, dir_fd=self.descriptor), path, self
            )
        except OSError as error:
            if self.is_link(name):
                raise OutputError(
                    f"{path}: a link; nothing is written through links that lie in a folder of "
                    "results; remove it, or name the folder that it leads to"
                ) from None
            raise output_error(path, error) from None

    def probe(self) -> None:
        """Check whether it can be written; leave nothing there.

        Raises
        ------
        OutputError
            It cannot.
        """
        name = f"{SCRATCH}{secrets.token_hex(8)}"
        try:
            os.mkdir(name, 0o700, dir_fd=self.descriptor)
            os.rmdir(name, dir_fd=self.descriptor)
        except OSError as error:
            raise output_error(self.path, error) from None

    def has(self, name: str) -> bool:
        """Tell whether a name in it exists."""
        return self._mode(name) is not None

    def is_link(self, name: str) -> bool:
        """Tell whether a name in it is a link."""
        return stat.S_ISLNK(self._mode(name) or 0)

    def _mode(self, name: str) -> int | None:
        with contextlib.suppress(OSError):
            return os.stat(name, dir_fd=self.descriptor, follow_symlinks=False).st_mode
        return None

    def put(self, name: str, data: bytes) -> None:
        """Write a file atomically, replacing anything that has its name.

        Raises
        ------
        OutputError
            It cannot be written, or the folder no longer exists.
        """
        scratch = f"{SCRATCH}{secrets.token_hex(8)}-{name}"
        try:
            try:
                self._put(scratch, name, data)
            except FileNotFoundError:
                # A call whose clock is hours ahead has removed the scratch file as a stale one.
                self.check()
                self._put(scratch, name, data)
        except OutputError:
            raise
        except OSError as error:
            raise output_error(self.path / name, error) from None
        finally:
            self.discard(scratch)

    def _put(self, scratch: str, name: str, data: bytes) -> None:
        _write(self, scratch, data)
        self.rename(scratch, self, name)

    def rename(self, name: str, place: OpenFolder, other: str) -> None:
        """Move a file to a name in another folder, replacing what is there."""
        os.replace(name, other, src_dir_fd=self.descriptor, dst_dir_fd=place.descriptor)

    def append(self, name: str, line: bytes, head: bytes = b"") -> None:
        """Add a line to a file; a new file gets `head` first.

        Only a regular file is changed. One that has another name, too (a hard link), is replaced by
        a copy first, so that the other one does not change.

        Raises
        ------
        OSError
            It cannot be written.
        """
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        file = os.open(name, flags, 0o666, dir_fd=self.descriptor)
        try:
            about = os.fstat(file)
            if not stat.S_ISREG(about.st_mode):
                raise OSError(errno.EINVAL, "not a regular file")
            if about.st_nlink == 1:
                os.write(file, line if about.st_size else head + line)
            elif about.st_size <= MOST_APPENDED:
                self.put(name, os.pread(file, about.st_size, 0) + line)
        finally:
            os.close(file)

    def discard(self, name: str) -> None:
        """Remove a file or a link if it exists and can be removed."""
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=self.descriptor)

    def clear(self, before: float) -> None:
        """Remove partially written files of killed calls that are older than a time."""
        with contextlib.suppress(OSError):
            for name in os.listdir(self.descriptor):
                if name.startswith(SCRATCH):
                    with contextlib.suppress(OSError):
                        about = os.stat(name, dir_fd=self.descriptor, follow_symlinks=False)
                        if about.st_mtime < before:
                            os.unlink(name, dir_fd=self.descriptor)

    def check(self) -> None:
        """Check whether its path still leads to it.

        Raises
        ------
        OutputError
            It was moved or deleted: the message says which, and its new place.
        """
        if self._above is not None:
            self._above.check()
        own = os.fstat(self.descriptor)
        with contextlib.suppress(OSError):
            found = os.stat(self.absolute)
            if (found.st_dev, found.st_ino) == (own.st_dev, own.st_ino):
                return
        now = _now_at(self.descriptor)
        if own.st_nlink == 0:
            what = "was deleted while it was written to, with all that it held"
        elif now is not None:
            what = f"was moved while it was written to; all that it held is kept in {now}"
        else:
            what = "was moved or deleted while it was written to"
        raise OutputError(f"{self.path}: {what}")

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Exclude other calls while files are written that belong together.

        The lock is on the open folder, so it ends with the process, even if that is killed.
        There is no lock if the system cannot lock folders (some network file systems).

        Raises
        ------
        OutputError
            Another call holds it for `PATIENCE`.
        """
        file = os.open(".", FOLDER, dir_fd=self.descriptor)
        try:
            until = time.monotonic() + PATIENCE
            while not _locked(file):
                if time.monotonic() > until:
                    raise OutputError(f"{self.path}: another call is writing to it and has stopped")
                time.sleep(0.01)
            yield
        finally:
            os.close(file)


@contextlib.contextmanager
def made(path: Path) -> Iterator[OpenFolder]:
    """Open a folder that the user names, creating it with its parents if it is missing.

    If the block fails, created folders are removed again if they are empty.

    Raises
    ------
    OutputError
        It cannot be created.
    """
    new: list[Path] = []
    try:
        try:
            _make(path, new)
        except OSError as error:
            raise output_error(path, error) from None
        yield OpenFolder.at(path)
        new.clear()
    finally:
        while new:
            with contextlib.suppress(OSError):
                new.pop().rmdir()


def output_error(path: Path, error: OSError) -> OutputError:
    """Return an error of the system as an `OutputError` that names the path."""
    failed = OutputError(f"{path}: cannot be written: {error.strerror or error}")
    failed.is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return failed


def _make(path: Path, new: list[Path]) -> None:
    """Create a folder with its parents, and return which of them are new."""
    if path.is_dir():
        return
    if path != path.parent:
        _make(path.parent, new)
    path.mkdir(exist_ok=True)
    new.append(path)


def _locked(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def _now_at(descriptor: int) -> str | None:
    """Return the current path of an open folder, `None` if the system does not report it."""
    with contextlib.suppress(OSError):
        if sys.platform == "darwin":
            found = fcntl.fcntl(descriptor, fcntl.F_GETPATH, bytes(1024))
            return os.fsdecode(found.split(b"\0")[0])
        return os.readlink(f"/proc/self/fd/{descriptor}")
    return None


def _write(place: OpenFolder, name: str, data: bytes) -> None:
    """Write a new file. All results are written here, so tests inject faults here."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(name, flags, 0o666, dir_fd=place.descriptor), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
