"""A paper and its runs; `tcphoton.papers` explains the files of its folder."""

from __future__ import annotations

import importlib
import itertools
import re
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tcphoton.errors import hint
from tcphoton.papers import own
from tcphoton.papers.assumptions import AS_ASSUMED
from tcphoton.papers.claims import PUBLISHED, Source, own_rules, read
from tcphoton.papers.files import CLAIMS, SWEEPS, File, text_of
from tcphoton.papers.published import numbers
from tcphoton.scenario.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from importlib.resources.abc import Traversable

    import polars as pl

    from tcphoton.papers.assumptions import Overlay
    from tcphoton.papers.ledger import Claim
    from tcphoton.runs.measures import Derive
    from tcphoton.sweep.sweep import Sweep

PAPERS = "tcphoton.papers"
"""The package that has one folder per paper."""
SCALES = ("quick", "full", "demo", "claims")
"""The scales of runs that `reproduce` can make."""
GRID, VARIANT, CELL = "grid", "variant", "cell"
"""Columns of an artefact's table that say which of its runs a row is; a cell only where there are
some: a named set of keys, as a variant is one."""
PART, SCENARIO = ".part", ".scenario"
"""Columns that say, while a table is put together, which sweep and which scenario a row is of."""
ENTRY = re.compile(r"traffic\.\d+")
"""What comes before the measures of an entry of traffic."""
MEASURES, RULES = "measures", "rules"
"""The modules of a paper that may have ``derive`` and ``measured``, and rules of its own."""


class Runs(NamedTuple):
    """A sweep, and the place of its rows in the tables of artefacts."""

    name: str
    grid: str
    variant: str
    common: dict[str, Any]
    sweep: Sweep
    is_more: bool = False
    """Whether they are further seeds of a point that others plan (`tcphoton.papers.settle`)."""


@dataclass(frozen=True)
class Paper:
    """A paper and what is run for it.

    Attributes
    ----------
    name, title, source
        Its short name, its title, and its authors, place and year.
    artefacts
        Titles of its artefacts.
    plan
        Its ``sweeps.toml``.
    home
        Its folder.
    package
        The package that has its claims and figures; empty if its folder has only files, see
        `tcphoton.papers.own`.
    overlay
        What a reading changes of its runs and tables; nothing as assumed.
    more
        Runs beyond the plan.
    """

    name: str
    title: str
    source: str
    artefacts: dict[str, str]
    plan: dict[str, Any]
    home: Traversable
    package: str
    overlay: Overlay = AS_ASSUMED
    more: tuple[Runs, ...] = ()

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """Its claims in order."""
        if not (self.home / CLAIMS).is_file():
            return ()
        source = Source(self.name, self.artefacts, self.published, is_checked=not self.package)
        if self.package:
            module, measured = self._module(RULES), self._of_measures("measured")
            source = replace(
                source,
                rules=own_rules(module),
                kinds=getattr(module, "KINDS", {}),
                values=getattr(module, "VALUES", {}),
                measured=measured,
            )
        return read(File(CLAIMS, str(self.home / CLAIMS), text_of(self.home / CLAIMS)), source)

    @cached_property
    def published(self) -> dict[tuple[str, str], float]:
        """The numbers that its text states, by claim and what they are."""
        path = self.home / PUBLISHED
        return numbers(text_of(path)) if path.is_file() else {}

    @cached_property
    def figures(self) -> dict[str, Callable[[pl.DataFrame], Any]]:
        """A function from the table to the chart, for every artefact."""
        if not self.package:
            return own.figures(self.plan)
        module = self._module("figures")
        of_claims = getattr(module, "of_claims", None)
        return {**module.FIGURES, **(of_claims(self.claims) if of_claims else {})}

    @cached_property
    def derive(self) -> Derive | None:
        """The function that computes further measures of runs whose tables are kept."""
        derive: Derive | None = self._of_measures("derive") if self.package else None
        return derive

    def kept(self, artefact: str) -> str | None:
        """Return the name of the kept table from which an artefact is made; none for measures."""
        name: str | None = self.plan["artefacts"][artefact].get("table")
        return name

    @property
    def scales(self) -> list[str]:
        """The scales of `reproduce` at which some artefact has runs."""
        return [scale for scale in SCALES if self.at(scale)]

    def at(self, scale: str) -> list[str]:
        """Return the artefacts that have runs at a scale, and those grids there that they need."""
        return [
            name
            for name in self.artefacts
            if self._grids(name, scale)
            and all(scale in self.plan["grids"][grid] for grid in self._needs(name))
        ]

    def plan_at(self, scale: str) -> dict[str, Any]:
        """Return that of its plan on which its tables at a scale depend."""
        others = {*SCALES} - {scale}
        grids = {
            name: {key: value for key, value in grid.items() if key not in others}
            for name, grid in self.plan["grids"].items()
            if scale in grid
        }
        groups = {}
        for key in ("variants", "cells"):
            used = sorted({grid[key] for grid in grids.values() if key in grid})
            groups[key] = {name: self.plan[key][name] for name in used}
        artefacts = {name: (self._grids(name, scale), self.kept(name)) for name in self.at(scale)}
        controls = self.plan.get("controls", {})
        return {"grids": grids, **groups, "artefacts": artefacts, "controls": controls}

    def runs(self, artefacts: Iterable[str], scale: str) -> list[Runs]:
        """Return the sweeps of some artefacts at a scale, each once."""
        wanted = dict.fromkeys(grid for name in artefacts for grid in self._grids(name, scale))
        planned = [runs for grid in wanted for runs in self._runs(grid, scale)]
        return planned + [runs for runs in self.more if runs.grid in wanted]

    def table(self, artefact: str, scale: str, frames: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
        """Return the table of an artefact from the tables of its runs.

        A row is a point and a seed, each once, and says of which grid and variant it is; where the
        artefact has a kept table, it is a row of that table of the point and seed. What the grids
        vary and what they set are columns.
        """
        import polars as pl

        from tcphoton.papers.second_look import LOOK

        scenarios = {name: str(grid["scenario"]) for name, grid in self.plan["grids"].items()}
        parts, keys, every = [], dict.fromkeys([VARIANT]), self.runs([artefact], scale)
        for number, runs in enumerate(every):
            frame = frames[runs.name]
            labels = {GRID: runs.grid, VARIANT: runs.variant, **runs.common, PART: number}
            labels[SCENARIO] = scenarios[runs.grid]
            parts.append(
                frame.with_columns(pl.lit(value).alias(key) for key, value in labels.items())
            )
            keys |= dict.fromkeys([*runs.common, *runs.sweep.over])
        table = pl.concat(parts, how="diagonal_relaxed")
        points = [GRID, *keys, "seed"]
        if self.more:
            of_runs = {number: 1 + runs.is_more for number, runs in enumerate(every)}
            look = pl.col(PART).replace_strict(of_runs, return_dtype=pl.Int64)
            table = table.with_columns(look.max().over(points[:-1]).alias(LOOK))
            points.append(LOOK)
        # A run that is in several sweeps counts once: with all its rows, from the first of them.
        first = pl.col(PART).min().over(SCENARIO, *keys, "seed")
        table = table.filter(pl.col(PART) == first)
        table = table.select(*points, pl.exclude(*points, PART, SCENARIO))
        return self.overlay.measured(table, scenarios)

    def seen(self, table: pl.DataFrame) -> pl.DataFrame:
        """Return the table of an artefact as figures and rules see it.

        From the measures of ``[controls]`` its surpluses are taken out, point by point
        (`tcphoton.analysis.controls`), and points that have been extended have wider intervals
        (`tcphoton.papers.second_look`). What the runs gave is in columns that end in ``-raw``.
        """
        from tcphoton.analysis.controls import RAW, controlled
        from tcphoton.papers.second_look import LOOK, widened

        point = table.columns[: table.columns.index("seed")]
        controls = self.plan.get("controls", {})
        names = [
            column
            for column in table.columns
            for measure in controls.get("measures", ())
            if column == measure or ENTRY.fullmatch(column.removesuffix(f".{measure}"))
        ]
        surpluses = [name for name in controls.get("surpluses", ()) if name in table.columns]
        if names and surpluses:
            raw = table.select(names).rename(lambda name: f"{name}{RAW}")
            table = controlled(table, names, point, surpluses).hstack(raw)
        return widened(table, point) if LOOK in table.columns else table

    def scenario(self, file: str) -> Scenario:
        """Return one of its scenarios."""
        if not self.package:
            return Scenario.load(str(self.home / file))
        return _packaged(self.name, file)

    def _needs(self, artefact: str) -> list[str]:
        """Return the grids without which an artefact says nothing beside the tables of others."""
        grids: list[str] = self.plan["artefacts"][artefact].get("needs", [])
        return grids

    def _grids(self, artefact: str, scale: str) -> list[str]:
        grids: list[str] = self.plan["artefacts"][artefact]["grids"]
        return [grid for grid in grids if scale in self.plan["grids"][grid]]

    def _runs(self, name: str, scale: str) -> Iterator[Runs]:
        from tcphoton.sweep.serialize import until_of
        from tcphoton.sweep.sweep import Sweep

        grid = self.plan["grids"][name]
        keep = grid.get("keep", [])
        derive = self.derive if keep else None
        variants = self.plan["variants"][grid["variants"]] if "variants" in grid else {"": {}}
        cells = self.plan["cells"][grid["cells"]] if "cells" in grid else {"": {}}
        for number, product in enumerate(grid[scale]):
            for cell, variant in itertools.product(
                product.get("cells", cells), product.get("variants", variants)
            ):
                fixed = {**grid.get("set", {}), **cells[cell]}
                keys = {**fixed, **product.get("set", {}), **variants[variant]}
                common = {**grid.get("set", {}), **({CELL: cell} if cell else {})}
                common |= {key: each for key, each in cells[cell].items() if _is_plain(each)}
                file = keys.pop("scenario", grid["scenario"])
                keys = self.overlay.changed(name, file, keys, variant)
                keys = {key: keys[key] for key in keys if key not in product["over"]}
                scenario = self.scenario(self.overlay.scenario(name, file, variant))
                # A sweep enters a table that has no kind; here each table replaces the scenario's.
                tables = {key: keys.pop(key) for key in [*keys] if _is_entered(keys[key])}
                scenario = scenario.with_(tables) if tables else scenario
                sweep = Sweep(
                    scenario,
                    product["over"],
                    seeds=self.overlay.seeds(product["seeds"]),
                    set_=keys,
                    until=until_of(product.get("until")),
                    keep=keep,
                    derive=derive,
                    folder="" if self.package else str(self.home),
                )
                unique = "/".join([name, str(number), *([cell] if cell else []), variant])
                yield Runs(unique, name, variant, common, sweep)

    def _module(self, name: str) -> Any:
        return importlib.import_module(f"{self.package}.{name}")

    def _of_measures(self, name: str) -> Any:
        return getattr(self._module(MEASURES), name, None)


def papers() -> list[str]:
    """Return the short names of all papers.

    Examples
    --------
    >>> "obs" in papers()
    True
    """
    folders = resources.files(PAPERS).iterdir()
    return sorted(folder.name for folder in folders if (folder / SWEEPS).is_file())


def load(name: str) -> Paper:
    """Return a paper of the package by its name, or a paper of one's own by its folder.

    Raises
    ------
    LookupError
        There is no paper with that name.
    ScenarioError
        A file of one's own paper has errors.

    Examples
    --------
    >>> load("obs").source
    'Gowda, Shenai, Sivalingam and Cankaya, ICC 2003'
    """
    known = papers()
    package = f"{PAPERS}.{name}" if name in known else ""
    if package:
        home: Traversable = _folder(name)
    elif is_own(name):
        home = Path(name)
        name = home.resolve().name
    else:
        raise LookupError(
            f"no paper {name!r}{hint(name, known)}; available: {', '.join(known)}, or a folder "
            f"with a {SWEEPS}"
        )
    plan = own.plan(home, is_drawn=not package)
    artefacts = {key: str(each["title"]) for key, each in plan["artefacts"].items()}
    paper = Paper(name, plan["title"], plan["source"], artefacts, plan, home, package)
    if not package:
        assert paper.claims is not None  # what is wrong with them is said before any run
    return paper


def is_own(name: str) -> bool:
    """Tell whether a name is the folder of a paper of one's own."""
    return (Path(name) / SWEEPS).is_file()


def _is_plain(value: object) -> bool:
    return not isinstance(value, dict | list)


def _is_entered(value: object) -> bool:
    return isinstance(value, dict) and "kind" not in value


@cache
def _packaged(paper: str, file: str) -> Scenario:
    """Return a scenario of the package, which many runs have and which does not change."""
    home = _folder(paper)
    return Scenario.from_text((home / file).read_text("utf-8"), f"{paper}/{file}", folder=home)


def _folder(name: str) -> Traversable:
    return resources.files(PAPERS) / name
