"""Read which module of a crate names which: `python tests/python/rust_modules.py crates/network`.

An arrow runs from a module to one whose item it names, by a `use`, by a path in the code
(`crate::a::f()`, `super::x`), or by a path in an attribute (`#[serde(with = "crate::a")]`). A name
that is exported again counts where it is defined: `crate::Thing` with `pub use a::Thing` in
`lib.rs` is an arrow to `a`. A module that exports what is defined in its own folder makes no arrow
by that: it is a signpost. One that exports what a neighbour defines stands between: who imports it
there has arrows to both. What is only for tests (`#[cfg(test)]`) is left out.

The reader sees names. A method that is called on a value whose type nobody names is no arrow.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from rust_source import Import, Module, Way, read_file

LIB = "lib"
"""The crate's own file, `lib.rs`, among the modules that it declares."""


@dataclass(frozen=True)
class Arrow:
    """A module names what another defines: where, and in which words."""

    source: Way
    target: Way
    file: Path
    line: int
    words: str

    def __str__(self) -> str:
        """Return the place and the words."""
        return f"{self.file}:{self.line}: {self.words}"


def is_within(way: Way, folder: Way) -> bool:
    return way[: len(folder)] == folder


Passed: TypeAlias = frozenset[tuple[Way, Import]]
"""The imports through which a search has come, so that it ends."""


class Crate:
    """The modules of a crate, and the arrows between them."""

    def __init__(self, folder: Path) -> None:
        self.root = read_file((), folder / "src" / "lib.rs")

    def modules(self) -> list[Module]:
        """Return all modules, each before its children."""
        found = [self.root]
        for module in found:
            found += module.children.values()
        return found

    def at(self, way: Way) -> Module:
        module = self.root
        for name in way:
            module = module.children[name]
        return module

    def targets(self, module: Module, path: Way) -> set[Way]:
        """Return the modules that a path in a module names: none if it leads out of the crate."""
        return self._from(module, path, frozenset())

    def _from(self, module: Module, path: Way, passed: Passed) -> set[Way]:
        """Follow a path from the module in which it stands."""
        here, at = module, 0
        if path[0] in {"crate", "$crate"}:
            here, at = self.root, 1
        elif path[0] == "self":
            at = 1
        while at < len(path) and path[at] == "super":
            here, at = self.at(here.way[:-1]), at + 1
        if at == len(path):
            return {here.way}
        return self._down(here, path[at:], passed, named=at > 0)

    def _down(self, module: Module, path: Way, passed: Passed, *, named: bool) -> set[Way]:
        """Follow a path down from a module, which the path has named or in which it stands."""
        name, rest = path[0], path[1:]
        if rest and name in module.children:
            return self._down(module.children[name], rest, passed, named=True)
        found: set[Way] = set()
        # A module, a function and an import may have the same name, and a `use` means them all.
        if name in module.children:
            found.add((*module.way, name))
        if name in module.items:
            found.add(module.way)
        for brought in module.imports.get(name, []):
            whole = (*brought.path, *rest)
            found |= self._through(module, brought, whole, passed, named=named)
        if not found:
            for brought in module.globs:
                if self._brings(module, brought, name, passed):
                    whole = (*brought.path, name, *rest)
                    found |= self._through(module, brought, whole, passed, named=named)
        if not found and named:
            # A macro has made the name, or it is a variant or an associated item.
            found.add(module.way)
        return found

    def _through(
        self, module: Module, brought: Import, path: Way, passed: Passed, *, named: bool
    ) -> set[Way]:
        """Follow a path through an import, whose module counts, too, unless it is a signpost."""
        step = (module.way, brought)
        if step in passed:
            return set()
        found = self._from(module, path, passed | {step})
        if named and not (found and all(is_within(way, module.way) for way in found)):
            return found | {module.way}
        return found

    def _brings(self, module: Module, brought: Import, name: str, passed: Passed) -> bool:
        """Say whether a glob has a name."""
        step = (module.way, brought)
        if step in passed:
            return False
        passed |= {step}
        return any(
            name in there.items
            or name in there.children
            or name in there.imports
            or any(self._brings(there, more, name, passed) for more in there.globs)
            for there in map(self.at, self._from(module, brought.path, passed))
        )

    @cached_property
    def arrows(self) -> list[Arrow]:
        """All arrows, sorted."""
        found: set[Arrow] = set()
        for module in self.modules():
            for path, line, is_import, is_signpost in self._namings(module):
                for target in self.targets(module, path):
                    whole_module = is_import and path[-1:] == target[-1:]
                    if target == module.way or (whole_module and is_within(module.way, target)):
                        # To import a folder in which one stands is to name nothing of it yet.
                        continue
                    if is_signpost and is_within(target, module.way):
                        continue
                    words = "::".join(path)
                    found.add(Arrow(module.way, target, module.file, line, words))
        return sorted(found, key=lambda arrow: (arrow.source, arrow.target, arrow.line))

    def _namings(self, module: Module) -> list[tuple[Way, int, bool, bool]]:
        """Return the paths in a module: line, whether it is an import, whether only a signpost."""
        namings = [(path, line, False, False) for path, line in module.paths]
        for name, several in module.imports.items():
            for one in several:
                only_exported = one.exported and name not in module.said
                namings.append((one.path, one.line, True, only_exported))
        for one in module.globs:
            namings.append((one.path, one.line, True, one.exported))
            namings += [
                ((*one.path, name), line, False, False)
                for name, line in module.said.items()
                if name not in module.imports and self._brings(module, one, name, frozenset())
            ]
        return namings


Graph: TypeAlias = dict[str, dict[str, list[Arrow]]]
"""For each of some siblings those that it names, and where."""


def levels(crate: Crate) -> dict[Way, Graph]:
    """Lift each arrow to the siblings between which it runs, and return these, folder by folder.

    A folder's own file and what is in the folder are one part, so the arrows between the two are
    its own affair. The crate's own file alone, which is no part's, stands as `lib` beside the
    modules.
    """
    graphs: dict[Way, Graph] = {
        module.way: {name: {} for name in module.children}
        for module in crate.modules()
        if module.children
    }
    graphs.setdefault((), {})[LIB] = {}
    for arrow in crate.arrows:
        common = 0
        while arrow.source[common : common + 1] == arrow.target[common : common + 1] != ():
            common += 1
        folder = arrow.source[:common]
        if folder and folder in {arrow.source, arrow.target}:
            continue
        source, target = ((*way, LIB)[common] for way in (arrow.source, arrow.target))
        graphs[folder][source].setdefault(target, []).append(arrow)
    return graphs


def circles(graph: Graph) -> list[list[str]]:
    """Return a shortest circle through each sibling that is in one, each circle once."""
    found: dict[frozenset[str], list[str]] = {}
    for start in sorted(graph):
        circle = _way(graph, start, start)
        if circle is not None:
            found.setdefault(frozenset(circle), circle)
    return list(found.values())


def _way(graph: Graph, source: str, target: str) -> list[str] | None:
    """Return a shortest way of at least one arrow from one sibling to another."""
    ways = [[source]]
    seen: set[str] = set()
    for way in ways:
        for other in sorted(graph[way[-1]]):
            if other == target:
                return [*way, other]
            if other not in seen:
                seen.add(other)
                ways.append([*way, other])
    return None


def told(graph: Graph, circle: list[str]) -> str:
    """Return a circle in words, with the places of its arrows."""
    lines = [" -> ".join(circle)]
    for source, target in pairwise(circle):
        lines += [f"  {source} -> {target}: {arrow}" for arrow in graph[source][target]]
    return "\n".join(lines)


def circles_of(crate: Crate) -> list[str]:
    """Return all circles of a crate in words."""
    return [
        f"a circle in {'::'.join(('crate', *way))}: {told(graph, circle)}"
        for way, graph in levels(crate).items()
        for circle in circles(graph)
    ]


def against_floors(crate: Crate, floors: list[str]) -> list[str]:
    """Return what is wrong with the floors of a crate's modules, `lib.rs` being the roof."""
    graph = levels(crate)[()]
    height = {name: floor for floor, name in enumerate([*floors, LIB])}
    faults = [f"{name} has no floor" for name in graph if name not in height]
    faults += [f"there is no module {name}" for name in floors if name not in graph]
    faults += [f"{name} has two floors" for name in set(floors) if floors.count(name) > 1]
    return faults + [
        f"up from {source} to {target}: {arrow}"
        for source, targets in graph.items()
        for target, arrows in targets.items()
        if height.get(source, len(height)) < height.get(target, 0)
        for arrow in arrows
    ]


def floors_of(page: str) -> dict[str, list[str]]:
    """Return the floors of each crate out of the table of `ARCHITECTURE.md`, from low to high."""
    rows = page.partition("| crate | its modules, from low to high |")[2].splitlines()
    floors = {}
    for row in rows[2:]:
        if not row.startswith("|"):
            break
        crate, modules = (re.findall(r"`(\w+)`", cell) for cell in row.strip("| ").split("|"))
        floors[crate[0]] = modules
    return floors


def main(folder: Path) -> None:
    """Print the arrows between the modules of a crate, those that run up, and the circles."""
    crate = Crate(folder)
    graph = levels(crate)[()]
    lines = [f"{name} -> {', '.join(sorted(graph[name])) or 'nothing'}" for name in sorted(graph)]
    page = (Path(__file__).parents[2] / "ARCHITECTURE.md").read_text(encoding="utf-8")
    floors = floors_of(page).get(folder.resolve().name)
    if floors is not None:
        lines += against_floors(crate, floors)
    sys.stdout.write("\n".join([*lines, *circles_of(crate), ""]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
