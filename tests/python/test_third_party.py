"""What of others is in the wheel: under which terms, from where, and how old it may be."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import third_party

ROOT = third_party.ROOT
RULES: dict[str, Any] = tomllib.loads((ROOT / "deny.toml").read_text("utf-8"))
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
OLDEST = (ROOT / "tests" / "oldest.txt").read_text("utf-8")
REQUIREMENT = re.compile(r"([\w-]+)>=([\d.]+)(?:,<([\d.]+))?")


def is_accepted(licence: str, accepted: set[str]) -> bool:
    """Tell whether an SPDX expression can be met; AND binds before OR."""
    while inner := re.search(r"\(([^()]*)\)", licence):
        met = "true" if is_accepted(inner[1], accepted) else "false"
        licence = licence[: inner.start()] + met + licence[inner.end() :]
    return any(
        all(each.strip() in accepted | {"true"} for each in every.split(" AND "))
        for every in licence.split(" OR ")
    )


def test_an_expression_of_licences_is_met_as_spdx_says() -> None:
    for licence, met in {
        "A": True, "C": False, "A OR C": True, "A AND C": False, "A AND B": True,
        "(A OR C) AND B": True, "(A OR C) AND C": False, "A AND C OR B": True,
        "A AND (C OR (B AND A))": True, "A WITH x": False,
    }.items():  # fmt: skip
        assert is_accepted(licence, {"A", "B"}) is met, licence


def test_every_crate_is_under_terms_that_we_accept() -> None:
    accepted = set(RULES["licenses"]["allow"])
    met = Counter[str]()
    for crate in third_party.crates().values():
        assert is_accepted(crate.licence, accepted), f"{crate.called}: {crate.licence}"
        met.update(each for each in accepted if each in re.split(r"[()]| AND | OR ", crate.licence))
    assert set(met) == accepted  # no permission that nobody needs


def test_every_crate_is_from_crates_io() -> None:
    for crate in third_party.crates().values():
        registry = (crate.source or "").removeprefix("registry+")
        assert not registry or registry in RULES["sources"]["allow-registry"], crate.called


def test_no_crate_is_there_twice_but_those_with_a_reason() -> None:
    count = Counter(crate.name for crate in third_party.crates().values())
    skipped = {each["crate"].partition("@")[0] for each in RULES["bans"]["skip"]}
    assert {name for name, versions in count.items() if versions > 1} == skipped
    assert all(each["reason"] for each in RULES["bans"]["skip"])


def test_licences_and_bill_are_those_of_the_lock_file() -> None:
    assert third_party.LICENCES.read_text("utf-8") == third_party.licences(), "make licenses"
    assert third_party.BILL.read_text("utf-8") == third_party.bill(), "make licenses"


def test_each_crate_in_the_engine_has_its_terms_and_its_row() -> None:
    text = third_party.LICENCES.read_text("utf-8")
    bill = json.loads(third_party.BILL.read_text("utf-8"))
    listed = {f"{each['name']} {each['version']}": each for each in bill["components"]}
    tree = ["cargo", "tree", "--locked", "-p", third_party.ENGINE, "-e", "normal,build"]
    done = subprocess.run(
        [*tree, "--prefix", "none", "--format", "{p}"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    names = {re.sub(r" v(\S+).*", r" \1", line) for line in done.stdout.splitlines() if line}
    ours = {crate.called for crate in third_party.crates().values() if crate.source is None}
    assert names - ours
    for name in names - ours:
        assert re.search(rf"^(?:.*, )?{re.escape(name)}(?:, .*)?$", text, re.MULTILINE), name
        assert re.fullmatch("[0-9a-f]{64}", listed[name]["hashes"][0]["content"])


@pytest.mark.slow
def test_the_wheel_has_all_terms_and_no_folder_of_who_built_it() -> None:
    (wheel,) = (ROOT / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        files = {name: opened.read(name) for name in opened.namelist()}
    (terms,) = (name for name in files if name.endswith("/THIRD-PARTY-LICENSES"))
    assert files[terms] == third_party.LICENCES.read_bytes()
    (bill,) = (name for name in files if ".dist-info/sboms/" in name)
    assert files[bill] == third_party.BILL.read_bytes()
    cargo = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    sysroot = subprocess.run(
        ["rustc", "--print", "sysroot"], check=True, capture_output=True, text=True
    ).stdout.strip()
    for name, data in files.items():
        for folder in (ROOT, cargo, sysroot):
            assert os.fsencode(folder) + b"/" not in data, f"{name} names {folder}"


@pytest.mark.slow
def test_a_wheel_can_be_built_of_the_source_distribution(tmp_path: Path) -> None:
    command = [str(Path(sys.executable).with_name("maturin")), "sdist", "--out", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    wanted = {*PROJECT["project"]["license-files"], *PROJECT["tool"]["maturin"]["sbom"]["include"]}
    assert wanted <= names


def requirements() -> dict[str, tuple[str, str | None]]:
    """Return the bounds of what the package needs, and of what its tests need."""
    wanted = [*PROJECT["project"]["dependencies"]]
    wanted += PROJECT["project"]["optional-dependencies"]["cluster"]
    found = {}
    for each in wanted:
        match = REQUIREMENT.fullmatch(each)
        assert match, f"{each}: a lower bound and the next major version, as NAME>=1.2,<2"
        found[match[1].lower()] = (match[2], match[3])
    return found


def parts(version: str) -> tuple[int, ...]:
    numbers = [int(part) for part in version.split(".")]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def test_what_we_need_has_bounds() -> None:
    for name, (low, high) in requirements().items():
        # distributed is numbered by the year, and no release of it promises anything of the next.
        assert (high is None) == (name == "distributed"), name
        assert high is None or parts(low) < parts(high)


def test_the_oldest_set_has_the_lower_bounds() -> None:
    pinned = dict(re.findall(r"^([\w.-]+)==([\w.]+)", OLDEST, re.MULTILINE))
    for name, (low, _) in requirements().items():
        assert parts(pinned[name]) == parts(low), f"{name}: CONTRIBUTING.md says how to renew it"
