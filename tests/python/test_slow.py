"""What takes seconds: every example, and the wheel in an empty environment."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
import zipfile
from email import message_from_bytes
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement

import tcphoton as tp
from tcphoton.cli import bench
from tcphoton.scenario.examples import examples
from tcphoton.web import modules
from test_papers import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from command_here import Command

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.slow


MOST_EVENTS = 15_000_000
"""Of an example: events, since seconds depend on the machine. nsfnet, the slowest, does 2 million
a second."""


@pytest.mark.parametrize("events", [1_000_000, pytest.param(MOST_EVENTS, marks=pytest.mark.verify)])
@pytest.mark.parametrize("name", examples())
def test_an_example_delivers_packets_and_takes_some_seconds(
    name: str,
    events: int,
    tmp_path: Path,
    tcphoton: Command,
) -> None:
    short = events < MOST_EVENTS
    words = ["--set", f"run.max-events={events}", *(["--set", 'run.warmup="0 s"'] * short)]
    file = ROOT / "examples" / f"{name}.toml"
    done = tcphoton("run", file, *words, "--out", tmp_path / "out")
    assert done.returncode == 0 or (short and "event budget spent" in done.stderr), done.stderr
    report = tp.Report.load(tmp_path / "out")
    assert report.flows.get_column("delivered").sum() > 0


def test_the_wheel_carries_code_scenarios_and_rules_alone() -> None:
    (wheel,) = (ROOT / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if name.startswith("tcphoton/")}
    files = [Path(name) for name in names]
    assert {each.suffix for each in files} - {".wasm"} == KINDS
    engines = {name for name in names if name.endswith(".wasm")}
    assert engines <= {f"tcphoton/web/{modules.ENGINE}"}
    # One that was built after the wheel is not in it.
    engine = ROOT / "python" / "tcphoton" / "web" / modules.ENGINE
    if engine.exists() and engine.stat().st_mtime <= wheel.stat().st_mtime:
        assert engines
    assert {each.name for each in files if each.suffix == ".csv"} == {"published.csv"}
    assert {"tcphoton/papers/obs/sweeps.toml", "tcphoton/pages/page.html"} <= names


def said_by(wheel: Path) -> list[str]:
    """Return what a wheel says that it needs."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith(".dist-info/METADATA"))
        return message_from_bytes(archive.read(name)).get_all("Requires-Dist") or []


def packages(requirements: Iterable[str], extras: Iterable[str] = ()) -> set[str]:
    """Return the packages of here that some requirements lead to, with what these need."""
    found = set()
    for requirement in map(Requirement, requirements):
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            needs = metadata.requires(requirement.name) or []
            found |= {requirement.name, *packages(needs, requirement.extras)}
    return found


def link_what_it_needs(wheel: Path, python: Path) -> None:
    """Give an environment the packages that a wheel names, those of here, and no others.

    So nothing has to be fetched; whatever else is imported is missing as for a user.
    """
    (site,) = (python.parents[1] / "lib").glob("python*/site-packages")
    for package in packages(said_by(wheel)):
        installed = metadata.distribution(package)
        assert installed.files is not None
        for top in {file.parts[0] for file in installed.files} - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(Path(str(installed.locate_file(top))))


@pytest.mark.timeout(900)
def test_the_wheel_runs_in_an_empty_environment(tmp_path: Path) -> None:
    (wheel,) = (ROOT / "dist").glob("*.whl")
    assert "abi3" in wheel.name
    venv.create(tmp_path / "venv", with_pip=False)
    python = tmp_path / "venv" / "bin" / "python"
    link_what_it_needs(wheel, python)
    for words in (["install", "--quiet", "--no-deps", "--no-index", str(wheel)], ["check"]):
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(python)]
        subprocess.run([*pip, *words], check=True, cwd=tmp_path)
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
    # What the wheel does not name is not there, whatever is installed here.
    for absent in ("pytest", "sphinx", "distributed"):
        done = subprocess.run(
            [python, "-c", f"import {absent}"], stderr=subprocess.DEVNULL, check=False, cwd=tmp_path
        )
        assert done.returncode == 1, absent


@pytest.mark.verify
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


@pytest.mark.verify
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
