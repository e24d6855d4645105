"""A disk without space: the terminal still gets the summary, and the folder keeps what fits."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest

import tcphoton as tp
from inline_workers import work_here
from tcphoton import report as report_page
from tcphoton.common import open_folder as folders
from tcphoton.errors import DamageWarning
from tcphoton.runs.results import Report

if TYPE_CHECKING:
    from pathlib import Path

    from command_here import Command
    from tcphoton.common.open_folder import OpenFolder


def full_at(monkeypatch: pytest.MonkeyPatch, *, space: int) -> None:
    """Let the disk have so many bytes for all files of a folder."""
    write, used = folders._write, dict[tuple[str, str], int]()

    def bounded(place: OpenFolder, name: str, data: bytes) -> None:
        folder = str(place.path)
        taken = sum(size for (at, _), size in used.items() if at == folder)
        if taken + len(data) > space:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        used[folder, name] = len(data)
        write(place, name, data)

    monkeypatch.setattr(folders, "_write", bounded)


@pytest.fixture
def sizes(small: tp.Scenario, tmp_path: Path) -> dict[str, int]:
    """Return the size of each file of a run."""
    tp.run(small).save(tmp_path / "whole")
    return {path.stem: path.stat().st_size for path in (tmp_path / "whole").iterdir()}


def test_what_fits_is_kept_and_the_rest_is_named(
    small: tp.Scenario, sizes: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report, out = tp.run(small), tmp_path / "out"
    largest = max((name for name in sizes if name != "report"), key=sizes.__getitem__)
    with monkeypatch.context() as patch:
        full_at(patch, space=sum(sizes.values()) - 1000)
        named = f"no space left on the disk for {largest}.parquet"
        with pytest.raises(tp.OutputError, match=named):
            report.save(out)
    assert {path.stem for path in out.iterdir()} == sizes.keys() - {largest}
    with pytest.warns(DamageWarning, match=f"the disk was full: {largest}"):
        read = Report.load(out)
    assert read.left_out == [largest]
    assert read.tables[largest].is_empty()
    assert read.tables[largest].columns == report.tables[largest].columns
    assert all(
        read.tables[name].equals(report.tables[name]) for name in sizes.keys() - {largest, "report"}
    )
    with pytest.warns(DamageWarning):
        report_page.write(out, tmp_path / "page.html")
    assert (tmp_path / "page.html").exists()


def test_without_space_for_the_record_nothing_is_left(
    small: tp.Scenario, sizes: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full_at(monkeypatch, space=sizes["report"] // 2)
    with pytest.raises(tp.OutputError, match="No space left"):
        tp.run(small).save(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_run_prints_its_summary(
    small: tp.Scenario,
    small_file: Path,
    tmp_path: Path,
    tcphoton: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    full_at(monkeypatch, space=100)
    ran = tcphoton("run", str(small_file), "--out", str(tmp_path / "out"), code=2)
    assert tp.run(small).digest in ran.stdout
    assert "No space left" in ran.stderr


def test_a_sweep_prints_what_it_has_kept_and_resumes(
    small_file: Path,
    tmp_path: Path,
    tcphoton: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    work_here(monkeypatch, lambda _: "")
    file, out = tmp_path / "sweep.toml", tmp_path / "out"
    file.write_text(
        'scenario = "small.toml"\nseeds = 2\n[over]\n"topology.bottleneck.loss.p" = [0.01, 0.05]\n'
    )
    tcphoton("sweep", str(file), "--out", str(tmp_path / "whole"))
    runs = [path.stat().st_size for path in (tmp_path / "whole" / "points").glob("*.parquet")]
    with monkeypatch.context() as patch:
        full_at(patch, space=sum(runs) - min(runs))
        ended = tcphoton("sweep", str(file), "--out", str(out))
    assert ended.returncode == 2
    assert "No space left" in ended.stderr
    assert "3 runs kept" in ended.stdout
    assert "goodput" in ended.stdout
    ended = tcphoton("sweep", str(file), "--out", str(out), code=0)
    assert "4 runs (3 of them already finished)" in ended.stdout
