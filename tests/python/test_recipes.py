"""Recipes of `CONTRIBUTING.md` lead to every place.

The one of an assembly policy is followed: the compiler is asked step by step, as one would do it by
hand. It must demand each place that the recipe names and no other, and its suggestions say where in
these the arms go. In the end the toy runs. That of a core is to copy the smallest kind, which is in
the tree: what else names it is counted.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
BUILT = ROOT / "target" / "recipes"
"""Here the toy is built; what it depends on stays built from run to run."""

TOY = "toy_policy"
"""The folder with a recipe, named like its tests."""

IDEAL = re.compile(r"\bideal\b(?!-jsq|-JSQ)|\bIdeal(?:CoreSpec|Switches)?\b")
"""What names the smallest kind of core."""

TESTS = "crates/scenario/tests/it"
"""The tests of whole runs, one program, to which those of the toy are added."""

KINDS = {
    "Account", "AnycastPolicy", "Arbiter", "AssemblyPolicy", "ClosedLoop", "CoreSpec", "Cores",
    "Device", "Joins", "Memory", "NodeKind", "OfGraph", "Policy", "QueueSpec", "SchedulerSpec",
    "Source", "Topology", "Variation",
}  # fmt: skip
"""Types of kinds, of which no match may take some together: who adds one would not be led there."""

NEEDED = (
    "Cargo.toml",
    "Cargo.lock",
    "crates",
    "tests/fingerprints.csv",
    "tests/fingerprints-added.csv",
    "examples",
)
"""What of the repository the crates and their tests are built from."""

CHEAP = {
    "CARGO_INCREMENTAL": "0",
    "CARGO_PROFILE_DEV_DEBUG": "0",
    "CARGO_PROFILE_DEV_OPT_LEVEL": "0",
    "CARGO_TARGET_DIR": str(BUILT / "target"),
}


@dataclass(frozen=True, order=True)
class Arm:
    """A match that lacks an arm: where the compiler would put one, and what before it."""

    file: str
    function: str
    at: int
    before: str


def enclosing(text: str) -> str:
    """Return the name of the function or macro that a text breaks off in."""
    names = re.findall(r"^ *(?:pub\S* )?(?:fn|macro_rules!) (\w+)", text, re.MULTILINE)
    return str(names[-1])


class Tree:
    """A copy of the crates, to which a recipe is applied."""

    def __init__(self, root: Path) -> None:
        self.root = root
        shutil.rmtree(root, ignore_errors=True)
        for name in NEEDED:
            source, target = ROOT / name, root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target)
            else:
                shutil.copy2(source, target)

    def put(self, file: str, behind: str, lines: str) -> None:
        """Put lines behind the one line of a file that reads so."""
        text = (self.root / file).read_text("utf-8")
        assert text.count(f"{behind}\n") == 1, (file, behind)
        text = text.replace(f"{behind}\n", f"{behind}\n{lines}\n")
        (self.root / file).write_text(text, "utf-8")

    def append(self, file: str, line: str) -> None:
        """Put a line at the end of a file."""
        with (self.root / file).open("a", encoding="utf-8") as opened:
            opened.write(f"{line}\n")

    def match(self, arm: Arm, put: str) -> None:
        """Put an arm where the compiler would; later ones of a file go first."""
        data = (self.root / arm.file).read_bytes()
        added = (arm.before + put).encode()
        (self.root / arm.file).write_bytes(data[: arm.at] + added + data[arm.at :])

    def cargo(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["cargo", *arguments, "--offline", "--locked"],
            cwd=self.root,
            env=os.environ | CHEAP,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            stdin=subprocess.DEVNULL,
        )

    def messages(self, *arguments: str) -> list[dict[str, Any]]:
        """Return what the compiler says, warnings included, when it builds what is asked for."""
        done = self.cargo("test", "--no-run", "--message-format=json", *arguments)
        said = [json.loads(line) for line in done.stdout.splitlines()]
        messages = [each["message"] for each in said if each["reason"] == "compiler-message"]
        assert done.returncode == 0 or messages, done.stderr
        return [each for each in messages if each["spans"]]

    def arms(self, error: dict[str, Any]) -> set[Arm]:
        """Return where the compiler would put an arm."""
        suggested = (span for child in error["children"] for span in child["spans"])
        found = set()
        for span in suggested:
            if "todo!()" in (span["suggested_replacement"] or ""):
                file, at = span["file_name"], span["byte_start"]
                above = (self.root / file).read_bytes()[:at].decode()
                before = re.match(r",?\s*", span["suggested_replacement"])
                assert before is not None
                found.add(Arm(file, enclosing(above), at, before[0]))
        assert found, error["rendered"]
        return found


def follow(tree: Tree, recipe: Path, *build: str) -> None:
    """Go through a recipe step by step: the compiler demands what it names, and nothing else."""
    for step in tomllib.loads((recipe / "recipe.toml").read_text("utf-8"))["steps"]:
        for file, source in step["files"].items():
            (tree.root / file).parent.mkdir(exist_ok=True)
            shutil.copy(recipe / source, tree.root / file)
        for line in step["lines"]:
            tree.put(line["file"], line["behind"], line["put"])
        errors = [each for each in tree.messages(*build) if each["level"] == "error"]
        rendered = "".join(each["rendered"] for each in errors)
        codes = {each["code"]["code"] if each["code"] else "" for each in errors}
        assert codes <= {"E0004"}, rendered
        places = sorted(set().union(*map(tree.arms, errors)))
        named = sorted(step["arms"], key=lambda arm: (arm["file"], arm["in"]))
        assert [(place.file, place.function) for place in places] == [
            (arm["file"], arm["in"]) for arm in named
        ], rendered
        answers = list(zip(places, named, strict=True))
        for place, arm in sorted(answers, key=lambda each: -each[0].at):
            tree.match(place, arm["put"])


@pytest.mark.slow
@pytest.mark.verify
@pytest.mark.timeout(1800)
def test_the_compiler_leads_to_every_place_of_a_new_kind() -> None:
    tree = Tree(BUILT / "crates")
    build = ["-p", "tests", "--test", "scenario"]
    tree.append(f"{TESTS}/main.rs", f"mod {TOY};")
    follow(tree, DATA / TOY, *build)
    warned = "".join(each["rendered"] for each in tree.messages(*build))
    assert not warned, warned
    done = tree.cargo("test", *build, "toy_")
    assert done.returncode == 0, done.stdout + done.stderr
    tests = (tree.root / TESTS / f"{TOY}.rs").read_text("utf-8").count("#[test]")
    assert f"{tests} passed; 0 failed" in done.stdout, done.stdout


def page() -> str:
    """Return the page with the recipes as one line."""
    return " ".join((ROOT / "CONTRIBUTING.md").read_text("utf-8").split())


def test_a_recipe_says_how_much_there_is_to_write() -> None:
    lines: Counter[str] = Counter()
    places = 0
    for step in tomllib.loads((DATA / TOY / "recipe.toml").read_text("utf-8"))["steps"]:
        places += len(step["arms"])
        for file, source in step["files"].items():
            if "/tests/" not in file:
                lines[file] += (DATA / TOY / source).read_text("utf-8").count("\n")
        for each in step["lines"] + step["arms"]:
            lines[each["file"]] += each["put"].count("\n") + 1
    said = f"tests/data/{TOY}`) takes {len(lines)} files and {lines.total()} lines"
    assert said in page(), said
    assert re.search(
        rf"{re.escape(said)}.{{,80}} The compiler asks for (all )?{places} places", page()
    )


def naming() -> dict[str, int]:
    """Return the files that name the smallest core, without its own and tests: lines that do."""
    own = ("crates/cores/src/ideal/", "crates/plan/src/spec/cores/ideal.rs")
    found: dict[str, int] = {}
    for file in sorted((ROOT / "crates").glob("*/src/**/*.rs")):
        name = file.relative_to(ROOT).as_posix()
        if name.startswith(own) or {"tests", "tests.rs"} & set(file.parts):
            continue
        code = file.read_text("utf-8").partition("\n#[cfg(test)]")[0]
        lines = [re.sub(r"//.*", "", line) for line in code.splitlines()]
        if named := sum(IDEAL.search(line) is not None for line in lines):
            found[name] = named
    return found


def test_a_kind_of_core_is_named_in_few_places() -> None:
    found = naming()
    said = f"{len(found)} other files name it, on {sum(found.values())} lines"
    assert said in page(), (said, found)
    for file in found:
        assert file in page(), file
    assert len(found) <= 3, found


def test_a_recipe_says_how_much_the_smallest_core_is() -> None:
    core = ROOT / "crates" / "cores" / "src" / "ideal"
    files = [*core.iterdir(), ROOT / "crates" / "plan" / "src" / "spec" / "cores" / "ideal.rs"]
    lines = sum(file.read_text("utf-8").count("\n") for file in files)
    said = f"in {len(files)} files and {lines} lines"
    assert said in page(), said


def test_a_source_is_named_in_its_crate_alone() -> None:
    found = set()
    for file in sorted((ROOT / "crates").glob("*/src/**/*.rs")):
        name = file.relative_to(ROOT).as_posix()
        if name.startswith("crates/traffic/") or {"tests", "tests.rs"} & set(file.parts):
            continue
        lines = [re.sub(r"//.*", "", line) for line in file.read_text("utf-8").splitlines()]
        if any(re.search(r"\bSource::[A-Z]\w*\(", line) for line in lines):
            found.add(name)
    # A transfer that is under way is run as a file.
    assert found == {"crates/engine/src/workload/poisson.rs"}


def others(text: str) -> list[str]:
    """Return the places of a file that name some kinds and take all others together."""
    lines = text.partition("\n#[cfg(test)]")[0].splitlines()
    found = []
    of = ""
    for at, line in enumerate(lines):
        if begun := re.match(r"impl(?:<.*>)?(?: .* for)? (\w+)", line):
            of = begun[1]
        kinds = KINDS | {"Self"} if of in KINDS else KINDS
        named = re.compile(rf"\b(?:{'|'.join(sorted(kinds))})::[A-Z]\w*[a-z]")
        near = " ".join(lines[at : at + 3]) if "matches!(" in line else line
        patterns = re.findall(r"\blet (.*?) = ", line) + re.findall(r"\bmatches!\((.*)", near)
        if any(map(named.search, patterns)):
            found.append(f"{at + 1}: {line.strip()}")
        elif rest := re.match(r"( +)(?:_|[a-z]\w*)(?: if .*)? =>", line):
            for above in reversed(lines[:at]):
                if above and not above.startswith(rest[1]):
                    break
                arm = above.partition("=>")[0]
                if above[len(rest[1]) :].lstrip(" ") == above[len(rest[1]) :] and named.search(arm):
                    found.append(f"{at + 1}: {line.strip()}")
                    break
    return found


@pytest.mark.parametrize(
    "crate", ["traffic", "optics", "plan", "wire", "cores", "engine", "scenario", "binding"]
)
def test_no_match_over_kinds_takes_some_of_them_together(crate: str) -> None:
    files = (ROOT / "crates" / crate / "src").rglob("*.rs")
    faults = [
        f"{file}:{place}"
        for file in sorted(files)
        if not {"tests", "tests.rs"} & set(file.parts)
        for place in others(file.read_text("utf-8"))
    ]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    "code",
    [
        "    let light = matches!(core, CoreSpec::Hybrid(_));",
        "    if let Cores::Cioq(cores) = self {",
        "    let Device::Core(number) = device else { return };",
        "    match kind {\n        NodeKind::Host => 1,\n        _ => 0,\n    }",
        "    match core {\n        Some(CoreSpec::Burst(core)) => {\n            core.go();\n"
        "        }\n        other => other.stay(),\n    }",
        "impl Cores {\n    match self {\n        Self::None => 1,\n        _ => 0,\n    }\n}",
    ],
)
def test_a_match_that_takes_some_together_is_seen(code: str) -> None:
    assert len(others(code)) == 1


def test_a_match_over_other_things_may_take_some_together() -> None:
    assert not others(
        "    match port {\n        Port::Link(_) => is(NodeKind::Host),\n        _ => true,\n    }"
    )
    assert not others(
        "impl Port {\n    match self {\n        Self::Link => 1,\n        _ => 0,\n    }\n}"
    )
