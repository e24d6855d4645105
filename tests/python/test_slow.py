"""What takes seconds: every example, and the wheel in an empty environment."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import tcphoton as tp
from tcphoton.cli import bench
from tcphoton.scenario.examples import examples
from tcphoton.web import modules
from test_papers import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.slow


# Events, since seconds depend on the machine: nsfnet, the slowest, does 2 million a second.
@pytest.mark.parametrize("name", examples())
def test_an_example_takes_some_seconds(
    name: str, tmp_path: Path, tcphoton: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    done = tcphoton("run", ROOT / "examples" / f"{name}.toml", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    report = tp.Report.load(tmp_path / "out")
    assert report.flows.get_column("delivered").sum() > 0
    assert report.record["events"] < 15e6


def test_the_wheel_carries_code_scenarios_and_rules_alone() -> None:
    (wheel,) = (ROOT / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if name.startswith("tcphoton/")}
    files = [Path(name) for name in names]
    engines = {f"tcphoton/web/{modules.ENGINE}"} if modules.is_built() else set()
    assert {each.suffix for each in files} - {".wasm"} == KINDS
    assert {name for name in names if name.endswith(".wasm")} == engines
    assert {each.name for each in files if each.suffix == ".csv"} == {"published.csv"}
    assert {"tcphoton/papers/obs/sweeps.toml", "tcphoton/pages/page.html"} <= names


@pytest.mark.timeout(900)
def test_the_wheel_runs_in_an_empty_environment(tmp_path: Path) -> None:
    (wheel,) = (ROOT / "dist").glob("*.whl")
    assert "abi3" in wheel.name
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", wheel], check=True, cwd=tmp_path)
    command = tmp_path / "venv" / "bin" / "tcphoton"
    subprocess.run([command, "example", "mm1", "--out", "mm1.toml"], check=True, cwd=tmp_path)
    done = subprocess.run(
        [command, "run", "mm1.toml", "--json"], check=True, capture_output=True, cwd=tmp_path
    )
    assert json.loads(done.stdout)["digest"] == tp.run(tp.example("mm1")).digest
    program = (
        "from tcphoton.papers import load; paper = load('obs');"
        "assert paper.claims and paper.figures;"
        "assert not any(runs.sweep.check() for runs in paper.runs(paper.artefacts, 'full'))"
    )
    subprocess.run([python, "-c", program], check=True, cwd=tmp_path)
    assert sys.prefix not in str(python)


def test_a_packet_of_lbas_crosses_two_fabrics_in_the_cells_of_its_size() -> None:
    """40, 576 and 1500 B are 1, 12 and 32 cells of 48 B: 7.42 in the mean, and two switches."""
    measured = bench.measure_once("lbas")
    cells = measured["cells_per_second"] * measured["cpu_seconds"]
    assert cells / measured["delivered_packets"] == pytest.approx(2 * 7.42, rel=0.05)
    assert "nanoseconds_per_slot" not in measured


def test_a_slot_of_islip_has_its_cost() -> None:
    measured = bench.measure_once("islip-8")
    assert 0 < measured["nanoseconds_per_slot"] < 1e6
    assert "cells_per_second" not in measured


def test_make_bench_names_what_is_absent(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "benches" / "side_by_side.py", "dumbbell"],
        env={"PATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Debian package ns2" in done.stdout
    assert "libns3-dev" in done.stdout or "pkg-config" in done.stdout
    lines = (tmp_path / "out" / "bench" / "side-by-side.csv").read_text("utf-8").splitlines()
    assert [line.split(",")[0] for line in lines] == ["workload", "dumbbell"]
