"""Files that are written: whole or not at all, and never over what is no result."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tcphoton.common.folder import check_file, put_file
from tcphoton.errors import OutputError


def test_a_folder_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in (Path(), Path(""), Path(".."), Path("/"), tmp_path):
        with pytest.raises(OutputError, match="a folder; name the file to be written"):
            put_file(path, b"")
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_plain_file_stays(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link):
        with pytest.raises(OutputError, match="a device, a pipe or a socket"):
            put_file(path, b"")
    assert pipe.is_fifo()
    assert link.is_symlink()


def test_a_link_stays_and_its_file_is_replaced(tmp_path: Path) -> None:
    link, file = tmp_path / "link", tmp_path / "below" / "file"
    link.symlink_to(Path("below") / "file")
    for data in (b"new", b"newer"):
        put_file(link, data)
        assert (link.is_symlink(), file.read_bytes()) == (True, data)
    assert [each.name for each in file.parent.iterdir()] == ["file"]


def test_a_link_to_itself_is_one_message(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(link)
    with pytest.raises(OutputError, match="cannot be written"):
        put_file(link / "file", b"")


def test_a_file_in_toml_is_new_or_not_written(tmp_path: Path) -> None:
    file = tmp_path / "scenario.toml"
    put_file(file, b"mine")
    with pytest.raises(OutputError, match="a file in TOML, which is not replaced"):
        put_file(file, b"a page")
    assert file.read_bytes() == b"mine"


def test_an_ending_that_says_something_else_is_refused() -> None:
    for name in ("page.pdf", "page.CSV", "page.toml"):
        with pytest.raises(OutputError, match=r"accepted a name that ends in \.html"):
            check_file(Path(name), ".html")
    for name in ("page", "page.html", "page.v2", "page.HTML"):
        check_file(Path(name), ".html")
