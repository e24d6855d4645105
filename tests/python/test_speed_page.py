"""``benches/speed_page.py``: the page of what was measured, and the form of the kept one."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import polars as pl
import pytest

from tcphoton import _core

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benches"))
import speed_page  # noqa: E402

ROWS = pl.DataFrame(
    {
        "workload": ["dumbbell", "nsf"],
        "tcphoton M hops/s": ["23.10", "9.00"],
        "aim": ["≥ 22", ""],
        "ns-2 M hops/s": ["5.000", ""],
        "× ns-2": ["4.6", ""],
        "aim × ns-2": ["≥ 5", ""],
    }
)
COUNTS = pl.DataFrame(
    {
        "case": ["sack"],
        "base": ["abc1234"],
        "instructions before": [1_000_000],
        "instructions now": [1_010_000],
    }
)


def test_the_block_has_the_machine_the_speeds_and_the_instructions() -> None:
    block = speed_page.block_of(ROWS, COUNTS, ["2026-11-26", "commit abc1234"])
    assert block.splitlines()[0] == "Measured: 2026-11-26; commit abc1234. Medians of the rounds."
    assert "| dumbbell | 23.10 (≥ 22) | 5.000 | 4.6 (≥ 5) |" in block
    assert "| nsf | 9.00 | – | – |" in block
    assert "| sack | 1.0 M | 1.0 M | +1.00 % |" in block
    assert "Instructions" not in speed_page.block_of(ROWS, None, [])


def test_a_page_keeps_what_is_around_the_block() -> None:
    page = f"before\n{speed_page.BEGIN}\nold\n{speed_page.END}\nafter\n"
    kept = speed_page.kept(page, "new\n")
    assert kept == f"before\n{speed_page.BEGIN}\n\nnew\n\n{speed_page.END}\nafter\n"
    with pytest.raises(ValueError, match="measured"):
        speed_page.kept("no marks", "new\n")


def test_the_kept_page_has_every_workload_with_the_machine_and_the_date() -> None:
    page = speed_page.PAGE.read_text("utf-8")
    assert re.search(r"Measured: \d{4}-\d\d-\d\d; commit [0-9a-f]{7}; .+ cores; rustc", page)
    rows = dict(re.findall(r"^\| (\S+) \| ([\d.–]+)", page, re.MULTILINE))
    assert set(_core.workloads()) <= rows.keys()
    assert all(float(rows[name]) > 0 for name in ("dumbbell", "fat-tree", "nsf", "lbas"))
    assert "ns-2" in speed_page.FIGURE.read_text("utf-8")


def test_nothing_measured_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert speed_page.main([]) == 2
    assert "benches/side_by_side.py writes it" in capsys.readouterr().out
