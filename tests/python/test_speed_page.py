"""``benches/speed_page.py``: the page of what was measured, and the form of the kept one."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import polars as pl
import pytest

from tcphoton import _core

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benches"))
import side_by_side  # noqa: E402
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
    block = speed_page.block_of(ROWS, COUNTS, ["2026-11-26", "commit abc1234"], "Medians.")
    assert block.splitlines()[0] == "Measured: 2026-11-26; commit abc1234. Medians."
    assert "| dumbbell | 23.10 (≥ 22) | 5.000 | 4.6 (≥ 5) |" in block
    assert "| nsf | 9.00 | – | – |" in block
    assert "| sack | 1.0 M | 1.0 M | +1.00 % |" in block
    assert "Instructions" not in speed_page.block_of(ROWS, None, [], "")


def test_the_page_says_how_quiet_the_machine_was_and_what_was_not_measured() -> None:
    begin = side_by_side.Load(average=0.05, wall=0, busy=100, stolen=0, ours=90)
    end = side_by_side.Load(average=1.01, wall=100, busy=205, stolen=1, ours=190)
    conditions = begin.until(end) | {"rounds": "5", "not measured": "ns-2 failed."}
    share = 100 / (os.cpu_count() or 1)
    said = speed_page.quiet(conditions)
    assert said.startswith("Medians of 5 rounds. Load of the machine: 0.05 before, 1.01 after")
    assert f"had {0.05 * share:.1f} % of its cores" in said
    assert f"of its host {0.01 * share:.1f} %. ns-2 failed." in said
    assert speed_page.quiet(conditions | {"not measured": None}).endswith("%.")


def test_the_figure_of_sizes_has_what_a_hop_costs() -> None:
    rates = [
        ("dumbbell", "tcphoton", 5.0),
        ("dumbbell", "ns-2", 2.0),
        ("hops-1e2", "tcphoton", 10.0),
    ]
    rates += [("dumbbell-50000", "tcphoton", rate) for rate in (2.0, 4.0, 2.5)]
    rounds = pl.DataFrame(rates, ["workload", "simulator", "M hops/s"], orient="row")
    panels = speed_page.sizes_of(rounds).to_dict()["hconcat"]
    assert len(panels) == 3
    data = speed_page.sizes_of(rounds).to_dict()["datasets"].values()
    (row,) = [row for rows in data for row in rows if row["size"] == 50_000]
    assert (row["cost"], row["low"], row["high"]) == (400, 250, 500)


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
    assert re.search(
        r"Medians of \d+ rounds\. Load of the machine: [\d.]+ before, [\d.]+ after", page
    )
    assert "ns-2" in (speed_page.IMAGES / "speed.svg").read_text("utf-8")


def test_the_kept_figure_has_every_size() -> None:
    figure = (speed_page.IMAGES / "speed-sizes.svg").read_text("utf-8")
    workloads = {name: size for panel in speed_page.PANELS.values() for name, size in panel.items()}
    assert workloads.keys() <= set(_core.workloads())
    assert workloads.keys() >= side_by_side.SHARED.keys()
    assert all(f">{size:,}<" in figure for size in workloads.values())
    assert all(f">{rival}<" in figure for rival in ("tcphoton", "ns-2", "htsim"))


def test_nothing_measured_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert speed_page.main([]) == 2
    assert "benches/side_by_side.py writes it" in capsys.readouterr().out
