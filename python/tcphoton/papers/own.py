"""A paper of one's own: a folder with files only, in place of the modules of a packaged paper.

==================  ============================================================================
``scenario.toml``   the system of the paper (further scenarios beside it)
``sweeps.toml``     what is run for which figure; of each artefact also what is plotted
``claims.toml``     the claims, each with the rules of its parts
``published.csv``   the numbers that the paper's text states, each with its sentence
``readings.toml``   what the paper leaves unsaid, if its readings are to be searched
==================  ============================================================================
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tcphoton.analysis.controls import SURPLUS
from tcphoton.errors import Mistake, ScenarioError, hint
from tcphoton.papers.files import SWEEPS, File, text_of
from tcphoton.sweep.serialize import until_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from importlib.resources.abc import Traversable

    import polars as pl

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
"""The names of grids and artefacts, which files in the folder of the results have."""
KEYS_OF_GRID = {"scenario", "set", "keep", "variants", "cells"}
"""The keys of a grid that are no scales."""


# What is run.


def plan(home: Traversable, *, is_drawn: bool) -> dict[str, Any]:
    """Return the plan of a paper's ``sweeps.toml``, checked.

    Parameters
    ----------
    home
        The paper's folder.
    is_drawn
        Whether the file says what is plotted.

    Raises
    ------
    ScenarioError
        The file has errors.
    """
    file = File(SWEEPS, str(home / SWEEPS), text_of(home / SWEEPS))
    grids, artefacts = file.data["grids"], file.data["artefacts"]
    for table, names in {"grids": grids, "artefacts": artefacts}.items():
        for name in names:
            if not NAME.fullmatch(name):
                accepted = "letters, digits, -, _ and ."
                file.wrong((table, name), "no name of a file", name, accepted)
    for name, grid in grids.items():
        _check_grid(file, name, grid, home)
    for name, each in artefacts.items():
        key = ("artefacts", name)
        for grid in each["grids"]:
            if grid not in grids:
                problem = f"no grid {grid!r}{hint(grid, grids)}"
                file.wrong((*key, "grids"), problem, grid, ", ".join(grids))
        if is_drawn and "plot" not in each:
            file.wrong((*key, "plot"), "missing", accepted="a table")
    for name in file.data.get("controls", {}).get("surpluses", ()):
        if not name.endswith(SURPLUS):
            accepted = f"a measure whose name ends in {SURPLUS}"
            file.wrong(("controls", "surpluses"), "its expectation is not known", name, accepted)
    file.close()
    return file.data


def _check_grid(file: File, name: str, grid: Mapping[str, Any], home: Traversable) -> None:
    key, scenario = ("grids", name), grid["scenario"]
    if not (home / scenario).is_file():
        accepted = "a scenario in the paper's folder"
        file.wrong((*key, "scenario"), "no such file", scenario, accepted)
    for each in ("variants", "cells"):
        known, used = file.data.get(each, {}), grid.get(each)
        if used is not None and used not in known:
            problem = f"no {each} {used!r}{hint(used, known)}"
            file.wrong((*key, each), problem, used, ", ".join(known))
    for scale in sorted(grid.keys() - KEYS_OF_GRID):
        for at, product in enumerate(grid[scale]):
            try:
                until_of(product.get("until"))
            except ValueError as error:
                file.wrong((*key, scale, at, "until"), str(error))


# What is drawn.


def figures(plan: Mapping[str, Any]) -> dict[str, Callable[[pl.DataFrame], Any]]:
    """Return a function from the table to the chart, for every artefact."""
    return {name: _lines(name, each["plot"]) for name, each in plan["artefacts"].items()}


def _lines(name: str, plot: Mapping[str, str]) -> Callable[[pl.DataFrame], Any]:
    def figure(table: pl.DataFrame) -> Any:
        from tcphoton import figures

        x, y = plot["x"], plot["y"]
        units = {y: plot["unit"]} if plot.get("unit") else {}
        titles = {y: plot["title"]} if plot.get("title") else {}
        rows, by = table.drop_nulls(y), plot.get("by") or None
        try:
            return figures.lines(rows, x, y, by, units=units, titles=titles)
        except ValueError as error:
            mistake = Mistake.at(SWEEPS, f"artefacts.{name}.plot: {error}")
            raise ScenarioError([mistake]) from None

    return figure
