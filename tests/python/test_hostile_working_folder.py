"""No command runs code of the folder in which it is called: a downloaded study may lie there."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import tcphoton as tp
from small import SMALL
from tcphoton.common import child

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

SWEEP = 'scenario = "small.toml"\nseeds = 2\n[over]\n"run.duration" = ["1 s", "2 s"]\n'


def imported(*commands: str) -> set[str]:
    """Return the names of modules that are there after some code, and those of Python itself."""
    code = "; ".join([*commands, "import sys; print(*sys.modules)"])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in done.stdout.split()} | set(sys.stdlib_module_names)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study beside a file for every module that the package imports; each leaves a mark."""
    names = imported(
        "import tcphoton.sweep.workers.worker, tcphoton.cli.bench, tcphoton.sweep.sweep",
        "import altair, numpy, polars",
    )
    assert {"json", "polars", "numpy", "tcphoton"} <= names
    for name in names - {"__main__", "builtins", "sys"}:
        text = f'import os; open({str(tmp_path / "ran")!r}, "a").write({name!r})\n'
        (tmp_path / f"{name}.py").write_text(text + "raise ImportError(__file__)\n", "utf-8")
    (tmp_path / "small.toml").write_text(SMALL, "utf-8")
    (tmp_path / "study.toml").write_text(SWEEP, "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ["run", "small.toml"],
        ["sweep", "study.toml", "--out", "out", "--workers", "2"],
        ["bench", "islip-8", "--repeat", "1"],
    ],
    ids=lambda words: words[0],
)
def test_no_file_of_the_working_folder_is_run(folder: Path, words: list[str]) -> None:
    command = child.command("from tcphoton.cli.app import main; sys.exit(main())", *words)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert not (folder / "ran").exists(), (folder / "ran").read_text("utf-8")
    assert done.returncode == 0, done.stderr


def test_a_process_has_the_module_path_of_its_parent_without_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.setattr(sys, "path", ["", ".", str(tmp_path), *sys.path, str(other)])
    code = "print(*sys.path, sep='\\n'); print(sys.argv[1:])"
    done = subprocess.run(child.command(code, "a", "b"), capture_output=True, text=True, check=True)
    *path, words = done.stdout.splitlines()
    assert words == "['a', 'b']"
    assert str(other) in path
    assert {"", ".", str(tmp_path)}.isdisjoint(path)
    assert str(tp.__file__).startswith(tuple(path))
