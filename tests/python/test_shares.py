"""What is sampled: the same cases each time, as many as are asked for, and all of them with 1."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import shares

HERE = Path(__file__)
NAMES = [f"a case {number}" for number in range(20_000)]


@pytest.mark.parametrize("part", ["0.1", "0.25", "1"])
def test_a_share_of_the_cases_is_chosen(monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    monkeypatch.setenv(shares.VARIABLE, part)
    found = [name for name in NAMES if shares.chosen(name)]
    assert len(found) / len(NAMES) == pytest.approx(float(part), rel=0.05)
    assert shares.few(2000) == 2000 * float(part)
    assert shares.few(3) >= 1
    assert shares.few(3, least=2) >= 2
    assert shares.all_of_it() == (part == "1")


def test_a_larger_share_has_the_cases_of_a_smaller_one(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for part in ("0.1", "0.3", "1"):
        monkeypatch.setenv(shares.VARIABLE, part)
        found.append({name for name in NAMES if shares.chosen(name)})
    assert found[0] < found[1] < found[2]


def test_cases_are_left_out_but_some(monkeypatch: pytest.MonkeyPatch) -> None:
    some = NAMES[:30]
    kept = {}
    for part in ("0.1", "0.5", "1"):
        monkeypatch.setenv(shares.VARIABLE, part)
        kept[part] = set(some) - shares.left_out(some, 5)
        assert kept[part] == set(some) - shares.left_out(some[::-1], 5)
    assert [len(each) for each in kept.values()] == [5, 15, 30]
    assert kept["0.1"] < kept["0.5"]
    assert shares.left_out(["alone"], 5) == set()


def test_a_tenth_is_the_share_that_nobody_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(shares.VARIABLE, raising=False)
    assert shares.share() == 0.1
    monkeypatch.setenv(shares.VARIABLE, "")
    assert shares.share() == 0.1


@pytest.mark.parametrize("text", ["0", "-1", "1.01", "a tenth", "nan", "inf"])
def test_what_is_no_share_is_told(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv(shares.VARIABLE, text)
    with pytest.raises(pytest.UsageError, match=f"TEST_SHARE={text}: not a share"):
        shares.share()


def test_seconds_are_limited_where_all_is_tried_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(shares.VARIABLE, "0.5")
    with shares.core_seconds_below(0):
        pass
    monkeypatch.setenv(shares.VARIABLE, "1")
    with pytest.raises(AssertionError, match="s of a core"), shares.core_seconds_below(0):
        pass


TESTS = """
import pytest

@pytest.mark.verify
def test_whole(): pass

@pytest.mark.sampled
def test_part(): pass

@pytest.mark.sampled(least=2)
@pytest.mark.parametrize("number", range(9))
def test_cases(number): pass

def test_other(): pass

@pytest.mark.skip(reason="no Moon (Debian: apt install moon)")
@pytest.mark.parametrize("number", range(3))
def test_without_a_moon(number): pass
"""


def asked(folder: Path, *words: str, part: str = "") -> subprocess.CompletedProcess[str]:
    """Run the tests above with the `conftest.py` of all."""
    (folder / "test_these.py").write_text(TESTS, "utf-8")
    root = HERE.parents[2]
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-v", "-c", root / "pyproject.toml", "-o", "addopts=",
         "-o", f"pythonpath={root / 'docs'} {HERE.parent.parent} {HERE.parent}",
         "-p", "no:cacheprovider", "-p", "conftest", f"--rootdir={folder}", *words, folder],
        env=os.environ | {shares.VARIABLE: part, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True, text=True, check=False, cwd=folder,
    )  # fmt: skip


def test_what_is_marked_verify_is_there_with_all_alone_and_what_is_sampled_joins_it(
    tmp_path: Path,
) -> None:
    whole = asked(tmp_path, "-m", "verify", part="1")
    assert "11 passed, 4 deselected" in whole.stdout, whole
    assert "test_other" not in whole.stdout


def test_a_share_leaves_out_what_needs_all_and_what_is_skipped_is_counted_by_its_reason(
    tmp_path: Path,
) -> None:
    part = asked(tmp_path)
    assert "4 passed, 3 skipped, 8 deselected" in part.stdout, part
    assert "test_whole" not in part.stdout
    assert "3 skipped: no Moon (Debian: apt install moon)" in part.stdout.splitlines()
