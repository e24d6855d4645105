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
from tcphoton.common.fields import File
from tcphoton.errors import Mistake, ScenarioError, hint
from tcphoton.sweep.serialize import until_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from importlib.resources.abc import Traversable
    from pathlib import Path

    import polars as pl

    from tcphoton.common.fields import Table

SWEEPS = "sweeps.toml"
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
"""The names of grids and artefacts, which files in the folder of the results have."""


def text_of(path: Path | Traversable) -> str:
    """Return the text of a file of a paper.

    Raises
    ------
    ScenarioError
        It cannot be read.
    """
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise ScenarioError([Mistake.at(str(path), f"cannot be read: {reason}")]) from None


# What is run.


def plan(home: Path) -> dict[str, Any]:
    """Return the plan of a paper's ``sweeps.toml``, checked.

    Raises
    ------
    ScenarioError
        The file has errors.
    """
    file = File(str(home / SWEEPS), text_of(home / SWEEPS))
    top = file.table
    for key in ("title", "source"):
        top.take(key, str)
    variants, cells = (
        {name: set(within) for name, within in top.each_below(key).items()}
        for key in ("variants", "cells")
    )
    grids = top.each_below("grids", needed=True)
    for grid in grids.values():
        _check_grid(grid, home, {"variants": variants, "cells": cells})
    artefacts = top.each_below("artefacts", needed=True)
    for name, each in (grids | artefacts).items():
        if not NAME.fullmatch(name):
            each.wrong("no name of a file", found=name, accepted="letters, digits, -, _ and .")
    for each in artefacts.values():
        each.take("title", str)
        each.take("table", str, "")
        for name in each.texts("grids"):
            if name not in grids:
                each.wrong(f"no grid {name!r}{hint(name, grids)}", "grids", name, ", ".join(grids))
        plot = each.below("plot", needed=True)
        for key in ("x", "y"):
            plot.take(key, str)
        for key in ("by", "unit", "title"):
            plot.take(key, str, "")
        plot.end()
        each.end()
    if "controls" in top:
        controls = top.below("controls")
        controls.texts("measures")
        for name in controls.texts("surpluses"):
            if not name.endswith(SURPLUS):
                accepted = f"a measure whose name ends in {SURPLUS}"
                controls.wrong("its expectation is not known", "surpluses", name, accepted)
        controls.end()
    file.close(top)
    return dict(top.data)


def _check_grid(grid: Table, home: Path, sets: Mapping[str, Mapping[str, set[str]]]) -> None:
    scenario = grid.take("scenario", str)
    if scenario and not (home / scenario).is_file():
        grid.wrong("no such file", "scenario", scenario, "a scenario in the paper's folder")
    grid.take("set", dict, {})
    grid.texts("keep")
    for key, known in sets.items():
        name = grid.take(key, str, "")
        if name and name not in known:
            grid.wrong(f"no {key} {name!r}{hint(name, known)}", key, name, ", ".join(known))
    for scale in grid.rest():
        for product in grid.listed(scale):
            product.take("seeds", int if isinstance(product.data.get("seeds"), int) else list)
            product.take("over", dict)
            product.take("set", dict, {})
            product.texts("variants")
            product.texts("cells")
            if "until" in product:
                _check_until(product.below("until"))
            product.end()


def _check_until(rule: Table) -> None:
    is_text = isinstance(rule.data.get("measure"), str)
    rule.take("measure", str if is_text else list)
    for key, kind in {"relative-half-width": float, "at-least": int, "at-most": int}.items():
        rule.take(key, kind, None)
    rule.texts("controls")
    rule.take("against", dict, {})
    rule.end()
    if not rule.file.mistakes:
        try:
            until_of(rule.data)
        except (TypeError, ValueError) as error:
            rule.wrong(str(error))


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
