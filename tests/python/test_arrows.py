"""Arrows between the crates point one way, and the end points see nothing but quantities."""

from __future__ import annotations

import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

ALLOWED: dict[str, set[str]] = {
    "units": set(),
    "random": {"units"},
    "kernel": {"units"},
    "traffic": {"random", "units"},
    "transport": {"units"},
    "optics": {"random", "units"},
    "network": {"kernel", "optics", "random", "traffic", "transport", "units"},
    "scenario": {"kernel", "network", "optics", "random", "traffic", "transport", "units"},
    "binding": {"scenario"},
}
"""For each crate of the workspace the crates of the workspace that it may use."""


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


@pytest.mark.parametrize("crate", ALLOWED)
def test_arrows_point_one_way(crate: str) -> None:
    assert uses()[crate] & set(ALLOWED) <= ALLOWED[crate]


@pytest.mark.parametrize("crate", ALLOWED)
def test_arrows_of_tests_point_the_same_way(crate: str) -> None:
    assert uses(in_tests=True)[crate] & set(ALLOWED) <= ALLOWED[crate]


def test_transport_sees_only_units() -> None:
    assert uses()["transport"] <= {"units", "serde", "schemars", "libm"}


def test_kernel_sees_only_units() -> None:
    assert uses()["kernel"] == {"units"}


def test_only_the_binding_sees_python() -> None:
    assert [crate for crate, used in uses().items() if "pyo3" in used] == ["binding"]
