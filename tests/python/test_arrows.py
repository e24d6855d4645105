"""Arrows between crates point one way, and so do those between the modules of a crate.

Between modules the rule is this. An arrow is lifted to where its ends part: one from `a::x` to
`b::y` is an arrow from `a` to `b`, one from `a::x` to `a::y` is an affair of the folder `a`. At
each of these levels no circle runs among the siblings. A folder's own file (`mod.rs`) is not one of
them: it and its children are one part, and name each other as they like. `lib.rs`, which is no
part's, is one beside the modules that it declares. In the crates of `FLOORED` the modules at the
top also stand in floors, which a table of `ARCHITECTURE.md` has, and no arrow runs up.
"""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rust_modules import Crate, against_floors, circles_of, floors_of, levels

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
    "network": {"kernel", "optics", "random", "traffic", "transport", "units"},
    "scenario": {"kernel", "kinds", "network", "optics", "random", "traffic", "transport", "units"},
    "bench": {"optics", "random", "traffic", "transport", "units"},
    "binding": {"scenario"},
    "packetdrill": {"transport", "units"},
    "tests": {"network", "optics", "random", "scenario", "traffic", "transport", "units"},
    "trials": set(),
    "web": {"scenario"},
}
"""For each crate of the workspace the crates of the workspace that it may use."""

WITH_MODULES = [crate for crate in ALLOWED if crate not in ("bench", "tests")]
"""All but the benches and the tests of whole runs, which are programs of their own."""

FOR_TESTS = {"trials"}
"""What the tests of any crate may use, too."""

FLOORED = ["network", "network::device", "scenario", "transport"]
"""The crates, and a folder, with so many modules that a reader wants their floors."""

SWITCHING = ["burst", "packet", "hybrid", "cioq", "output_queued", "circuit", "rwa"]
"""The kinds of core, in `network::device`."""


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
    }


def test_the_language_of_programs_sees_only_units() -> None:
    assert uses()["extension"] == {"units", "serde", "schemars", "libm"}


def test_kernel_sees_only_units() -> None:
    assert uses()["kernel"] == {"units"}


def test_only_the_binding_sees_python() -> None:
    assert [crate for crate, used in uses().items() if "pyo3" in used] == ["binding"]


@cache
def modules(crate: str) -> Crate:
    return Crate(ROOT / "crates" / crate)


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


def test_no_circle_runs_among_modules() -> None:
    faults = [fault for crate in WITH_MODULES for fault in circles_of(modules(crate))]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("part", FLOORED)
def test_no_arrow_runs_up_between_modules(part: str) -> None:
    floors = floors_of((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    crate, *folder = part.split("::")
    faults = against_floors(modules(crate), floors.get(part, []), tuple(folder))
    assert not faults, "\n".join(faults)


def test_no_kind_of_core_names_another_nor_the_edges() -> None:
    graph = levels(modules("network"))["device",]
    devices = {*SWITCHING, "edge", "router"}
    assert devices < set(graph)
    named = {kind: devices & set(graph[kind]) for kind in devices}
    assert not any(named.values()), named


def test_the_arrows_are_those_of_a_plain_search() -> None:
    """Search for `crate::NAME` in each file, up to its tests: each is an arrow."""
    searched = 0
    for read in map(modules, WITH_MODULES):
        arrows = {(arrow.file, arrow.target[:1]) for arrow in read.arrows}
        for module in read.modules():
            text = module.file.read_text(encoding="utf-8").partition("#[cfg(test)]")[0]
            code = re.sub(r"//.*", "", text)
            for name in set(re.findall(r"\bcrate::(\w+)", code)) & set(read.root.children):
                if module.way[:1] != (name,):
                    searched += 1
                    assert (module.file, (name,)) in arrows, (module.file, name)
    assert searched > 200
