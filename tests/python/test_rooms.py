"""The rooms of the Python package: arrows between them and between modules point one way."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import networkx as nx
import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python" / "tcphoton"
LINKED = "scenarios"
"""The link to `examples`, which has no modules of the package."""
DOOR = "tcphoton"
FOR_ALL = {"_core", "errors"}
"""The engine, and the errors that it raises, which every module may use."""
OUTSIDE = {DOOR, "__main__", *FOR_ALL}
"""Modules that lie in no room."""
LOADED = ("claims", "figures", "measures", "rules")
"""The modules of a paper that `papers.paper` loads by their names."""
BY_NAME = {DOOR, "papers.paper", "sweep.workers.cluster"}
"""Modules that load others by names: the public ones, those of a paper, and Dask."""
ROW = re.compile(r"^\| `([a-z./]+)` \|[^|]*\| ([^|]*) \|$", re.MULTILINE)


@cache
def modules() -> dict[str, Path]:
    """Return the modules by their names within the package."""
    found = {"_core": PACKAGE / "_core.pyi"}
    for file in sorted(PACKAGE.rglob("*.py")):
        way = file.relative_to(PACKAGE).with_suffix("").parts
        if LINKED not in way:
            found[".".join(way).removesuffix("__init__").removesuffix(".") or DOOR] = file
    return found


def imported(text: str, name: str, known: set[str], *, is_package: bool = False) -> set[str]:
    """Return the modules that a module's text imports anywhere: in functions and for types, too."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = [DOOR, *name.split(".")] if name != DOOR else [DOOR]
            above = above[: len(above) - node.level + is_package] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            found |= {f"{base}.{each.name}" for each in node.names}
    used = {_longest(each, known) for each in found if each.split(".")[0] == DOOR}
    return used - {name}


def _longest(name: str, known: set[str]) -> str:
    """Return the module that a dotted name of the package begins with."""
    parts = name.split(".")[1:]
    tries = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((each for each in tries if each in known), DOOR)


@cache
def arrows() -> frozenset[tuple[str, str]]:
    """Return all arrows between modules, also those that go by names."""
    known = set(modules())
    found = {
        (name, used)
        for name, file in modules().items()
        if file.suffix == ".py"
        for used in imported(
            file.read_text("utf-8"), name, known, is_package=file.name == "__init__.py"
        )
    }
    found |= {
        ("papers.paper", name)
        for name in known
        if name.startswith("papers.") and name.split(".")[-1] in LOADED and name.count(".") > 1
    }
    return frozenset(found)


@cache
def table() -> dict[str, set[str]]:
    """Return what each room may use, as ARCHITECTURE.md says, the room that uses most first."""
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    section = text.partition("## The rooms of the Python package")[2].partition("\n## ")[0]
    return {
        room.replace("/", "."): set(re.findall(r"[a-z.]+", uses.replace("/", ".")))
        for room, uses in ROW.findall(section)
    }


def room_of(module: str) -> str:
    """Return the innermost room in which a module lies, an empty text where it lies in none."""
    inside = [room for room in table() if module == room or module.startswith(f"{room}.")]
    return max(inside, key=len, default="")


def between_rooms() -> set[tuple[str, str]]:
    found = {(room_of(start), room_of(end)) for start, end in arrows()}
    return {(start, end) for start, end in found if start and end and start != end}


def circles(found: frozenset[tuple[str, str]] | set[tuple[str, str]]) -> list[list[str]]:
    parts = nx.strongly_connected_components(nx.DiGraph(list(found)))
    return [sorted(part) for part in parts if len(part) > 1]


def test_every_module_lies_in_a_room_of_the_table() -> None:
    outside = {name for name in modules() if not room_of(name)}
    assert outside == OUTSIDE
    assert set(map(room_of, modules())) == {"", *table()}


@pytest.mark.parametrize("room", table())
def test_a_room_uses_what_the_table_says_and_nothing_else(room: str) -> None:
    assert {end for start, end in between_rooms() if start == room} == table()[room]


def test_the_table_has_only_arrows_that_point_down() -> None:
    order = list(table())
    for room, uses in table().items():
        assert all(order.index(used) > order.index(room) for used in uses), room


def test_no_modules_form_a_circle() -> None:
    assert circles(arrows()) == []


def test_nobody_comes_in_by_the_door_of_the_package_or_of_the_own_room() -> None:
    own = {(start, end) for start, end in arrows() if start.startswith(f"{end}.")}
    assert own == set()
    assert {start for start, end in arrows() if end == DOOR} == set()


def test_what_all_may_use_uses_nobody() -> None:
    assert {start for start, _ in arrows()} & FOR_ALL == set()


def test_no_paper_uses_another() -> None:
    papers = {name.split(".")[1] for name in modules() if re.fullmatch(r"papers\.\w+\.rules", name)}
    assert len(papers) == 5
    for start, end in arrows():
        of = [each.split(".")[1] for each in (start, end) if each.startswith("papers.")]
        assert len(papers.intersection(of)) < 2, (start, end)


def test_modules_are_loaded_by_name_in_known_places_alone() -> None:
    loading = re.compile(r"import_module|__import__|\bexec\(|\bimportlib\.util\b")
    found = {
        name
        for name, file in modules().items()
        if loading.search(file.read_text("utf-8")) and file.suffix == ".py"
    }
    assert found == BY_NAME


def test_the_names_that_the_door_loads_are_those_that_it_is_read_by() -> None:
    text = modules()[DOOR].read_text("utf-8")
    named = set(re.findall(r'^    "\w+": "tcphoton\.([\w.]+)",$', text, re.MULTILINE))
    assert len(named) > 8
    assert named <= {end for start, end in arrows() if start == DOOR}


@pytest.mark.parametrize(
    "text",
    [
        "from tcphoton.sweep.store import cache",
        "from tcphoton.sweep.store.cache import Cache",
        "import tcphoton.sweep.store.cache as cache",
        "from .cache import Cache",
        "from . import cache",
        "from ..store import cache",
        "def late():\n    from tcphoton.sweep.store import cache",
        "if TYPE_CHECKING:\n    from tcphoton.sweep.store.cache import Cache",
        "try:\n    import tcphoton.sweep.store.cache\nexcept ImportError:\n    pass",
    ],
)
def test_every_form_of_import_is_read(text: str) -> None:
    known = {"sweep", "sweep.store", "sweep.store.cache", "sweep.store.piece"}
    assert imported(text, "sweep.store.piece", known) == {"sweep.store.cache"}


def test_imports_of_others_and_of_names_are_told_apart() -> None:
    known = {"sweep", "sweep.sweep"}
    text = "import json\nfrom os import path\nfrom tcphoton import Scenario, sweep"
    assert imported(text, "runs.run", known) == {DOOR, "sweep"}
    assert imported("from .sweep import Sweep", "sweep", known, is_package=True) == {"sweep.sweep"}


def test_an_arrow_back_is_a_circle() -> None:
    assert ("sweep.sweep", "sweep.runs") in arrows()
    (found,) = circles(arrows() | {("sweep.runs", "sweep.sweep")})
    assert found == ["sweep.runs", "sweep.sweep"]
