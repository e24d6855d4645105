"""``benches/instructions.py``: what it reads, and when it says that the engine is slower."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tcphoton as tp

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benches"))
import instructions  # noqa: E402

REPORT = "==7== Cachegrind\n==7== \n==7== I   refs:      1,386,335,952\n"


def test_the_total_is_read() -> None:
    assert instructions.total_of(REPORT) == 1_386_335_952
    with pytest.raises(ValueError, match="no count"):
        instructions.total_of("==7== killed\n")


def test_a_change_is_in_percent_of_before() -> None:
    assert instructions.Counted("sack", 1000, 1030).more == pytest.approx(3.0)
    assert instructions.Counted("sack", 1000, 990).more == pytest.approx(-1.0)


@pytest.mark.parametrize(("now", "code"), [(1029, 0), (1031, 1)])
def test_more_than_the_limit_is_an_error(
    now: int, code: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(shutil, "which", lambda program: program)
    monkeypatch.setattr(instructions, "git", lambda *_, **__: "true")
    monkeypatch.setattr(instructions, "engine_of", lambda revision: Path(revision or "now"))
    monkeypatch.setattr(
        instructions, "counted", lambda case, _: instructions.Counted(case, 1000, now)
    )
    assert instructions.main(["sack"]) == code
    kept = (tmp_path / "out" / "bench" / "instructions.csv").read_text("utf-8").splitlines()
    assert kept[1:] == [f"sack,true,1000,{now}"]


@pytest.mark.parametrize("name", instructions.CASES)
def test_a_case_is_a_scenario_for_both_durations(name: str) -> None:
    case = instructions.CASES[name]
    for duration in (case.short, case.long):
        tp.example(case.example).with_({"run.duration": duration, **case.fixed})


def test_without_valgrind_nothing_is_counted(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "benches" / "instructions.py"],
        env={"PATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "valgrind is not installed: no instructions are counted.\n"
