"""Arrows between crates point one way, and no kind of core knows another.

Cargo refuses a circle of crates; this test holds the floors, too, so that a crate gets no new
dependency by the way.
"""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

ROOT = Path(__file__).parents[2]

ALLOWED: dict[str, set[str]] = {
    "units": set(),
    "random": {"units"},
    "extension": {"units"},
    "kernel": {"units"},
    "kinds": set(),
    "traffic": {"random", "units"},
    "transport": {"extension", "kinds", "random", "units"},
    "optics": {"extension", "random", "units"},
    "plan": {"kernel", "optics", "random", "traffic", "transport", "units"},
    "wire": {"kernel", "kinds", "optics", "plan", "random", "transport", "units"},
    "cores": {"kernel", "kinds", "optics", "plan", "random", "transport", "units", "wire"},
    "engine": {
        *("cores", "kernel", "optics", "plan", "random", "traffic", "transport", "units", "wire")
    },
    "scenario": {
        *("cores", "engine", "kernel", "kinds", "optics", "plan", "random", "traffic", "transport"),
        *("units", "wire"),
    },
    "bench": {"optics", "random", "traffic", "transport", "units"},
    "binding": {"scenario"},
    "packetdrill": {"transport", "units"},
    "tests": {
        *("cores", "engine", "optics", "plan", "random", "scenario", "traffic", "transport"),
        *("units", "wire"),
    },
    "trials": set(),
    "web": {"scenario"},
}
"""For each crate of the workspace the crates of the workspace that it may use."""

FOR_TESTS = {"trials"}
"""What the tests of any crate may use, too."""

SWITCHING = ["burst", "packet", "hybrid", "cioq", "output_queued", "ideal", "circuit", "lightpath"]
"""The kinds of core."""


@cache
def uses(*, in_tests: bool = False) -> dict[str, set[str]]:
    """Return what each crate of the workspace uses, test dependencies left out unless asked for."""
    done = subprocess.run(
        ["cargo", "metadata", "--format-version", "1", "--no-deps", "--offline", "--locked"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    packages: list[dict[str, Any]] = json.loads(done.stdout)["packages"]
    return {
        package["name"]: {
            dependency["name"]
            for dependency in package["dependencies"]
            if in_tests or dependency["kind"] != "dev"
        }
        for package in packages
    }


def test_every_crate_has_its_arrows() -> None:
    assert set(uses()) == set(ALLOWED)


def wrong(
    used: dict[str, set[str]], besides: AbstractSet[str] = frozenset()
) -> dict[str, set[str]]:
    """Return what crates of the workspace use and may not."""
    ours = set(ALLOWED) - besides
    found = {crate: used[crate] & ours - allowed for crate, allowed in ALLOWED.items()}
    return {crate: names for crate, names in found.items() if names}


def test_arrows_point_one_way() -> None:
    assert not wrong(uses())


def test_arrows_of_tests_point_the_same_way() -> None:
    assert not wrong(uses(in_tests=True), FOR_TESTS)


def test_transport_sees_only_units_random_numbers_and_the_language_of_programs() -> None:
    assert uses()["transport"] <= {
        "extension",
        "kinds",
        "random",
        "units",
        "serde",
        "schemars",
        "libm",
        "toml",
    }


def test_the_language_of_programs_sees_only_units() -> None:
    assert uses()["extension"] == {"units", "serde", "schemars", "libm"}


def test_kernel_sees_only_units() -> None:
    assert uses()["kernel"] == {"units"}


def test_only_the_binding_sees_python() -> None:
    assert [crate for crate, used in uses().items() if "pyo3" in used] == ["binding"]


def test_a_library_whose_tests_are_not_built_has_none() -> None:
    """Cargo says nothing of those that it leaves out."""
    for file in ROOT.glob("crates/*/Cargo.toml"):
        if tomllib.loads(file.read_text("utf-8")).get("lib", {}).get("test", True):
            continue
        for source in file.parent.glob("src/**/*.rs"):
            assert "cfg(test)" not in source.read_text("utf-8"), source


def test_every_program_of_tests_is_built() -> None:
    """Those in ``tests/it`` of a crate are in a package of their own, as its manifest says."""
    package = ROOT / "crates" / "tests"
    targets = tomllib.loads((package / "Cargo.toml").read_text("utf-8"))["test"]
    built = {(package / target["path"]).resolve() for target in targets}
    assert built == set(ROOT.glob("crates/*/tests/it/main.rs"))


def test_no_kind_of_core_names_another_nor_the_edges() -> None:
    cores = ROOT / "crates" / "cores" / "src"
    devices = {*SWITCHING, "edge", "router"}
    assert devices <= {path.stem for path in cores.iterdir()}
    for kind in devices:
        files = (
            [cores / f"{kind}.rs"]
            if (cores / f"{kind}.rs").exists()
            else cores.glob(f"{kind}/**/*.rs")
        )
        for file in files:
            code = re.sub(r"//.*", "", file.read_text("utf-8"))
            named = set(re.findall(r"\bcrate::(\w+)", code)) & devices - {kind}
            assert not named, file
