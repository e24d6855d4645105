"""The readings of a paper: its assumptions, and readings that are kept under a name.

A paper's ``readings.toml`` has the assumptions (and what is searched, see `tcphoton.readings`);
``readings/NAME.toml`` beside it is a reading: its values by assumption.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tcphoton.common import toml
from tcphoton.common.fields import File
from tcphoton.errors import Mistake, ScenarioError, hint
from tcphoton.papers import assumptions
from tcphoton.papers.assumptions import Change, Reading, overlay
from tcphoton.papers.own import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tcphoton.papers.assumptions import Assumption
    from tcphoton.papers.paper import Paper

FILE = "readings.toml"
FOLDER = "readings"
ENDING = ".toml"


def file_of(paper: Paper) -> File:
    """Return a paper's ``readings.toml``.

    Raises
    ------
    ScenarioError
        There is none, or it is not TOML.
    """
    path = Path(str(paper.home / FILE))
    if not path.is_file():
        problem = f"no such file: nobody has said what {paper.name} leaves unsaid"
        raise ScenarioError([Mistake.at(str(path), problem)])
    name = f"{paper.name}/{FILE}" if paper.package else str(path)
    return File(name, text_of(path))


def assumptions_of(file: File) -> dict[str, Assumption]:
    """Return the assumptions of a ``readings.toml``; errors are added to the file's.

    Those that do not say of which ``grids`` and ``scenarios`` are about those of the file.
    """
    tables = file.table.each_below("assumptions", needed=True)
    where = Change(grids=file.table.texts("grids"), scenarios=file.table.texts("scenarios"))
    return {name: assumptions.taken(each, where) for name, each in tables.items()}


def kept(paper: Paper) -> list[str]:
    """Return the names of the readings that a paper keeps."""
    return sorted(_kept(paper))


def _kept(paper: Paper) -> Iterator[str]:
    folder = paper.home / FOLDER
    if folder.is_dir():
        for each in folder.iterdir():
            if each.name.endswith(ENDING):
                yield each.name.removesuffix(ENDING)


def load(paper: Paper, name: str) -> Reading:
    """Return a reading that a paper keeps, or one of a file.

    Raises
    ------
    LookupError
        There is no such reading.
    ScenarioError
        Its file has errors.
    """
    if name.endswith(ENDING):
        path = Path(name)
    elif name in kept(paper):
        path = Path(str(paper.home / FOLDER / f"{name}{ENDING}"))
    else:
        names = kept(paper)
        raise LookupError(
            f"{paper.name} has no reading {name!r}{hint(name, names)}; available: "
            f"{', '.join(names) or 'none'}, or a file that ends in {ENDING}"
        )
    file = File(str(path), text_of(path))
    top = file.table
    top.take("about", str, "")
    first, seeds = top.take("first-seed", int, 1), top.take("seeds", int, 0)
    values = top.below("values", needed=True)
    found = {each: str(values.take(each, str)) for each in values}
    known = assumptions_of(file_of(paper))
    for each, value in found.items():
        if each not in known:
            values.wrong(f"no such assumption{hint(each, known)}", each, accepted=", ".join(known))
            continue
        try:
            known[each].value(value)
        except LookupError as error:
            accepted = str(error).rpartition("accepted ")[2]
            values.wrong("no value of the assumption", each, value, accepted)
    if first < 1:
        top.wrong("below 1", "first-seed", first, "a whole number from 1 on")
    if seeds < 0:
        top.wrong("below 0", "seeds", seeds, "the least seeds of a point")
    file.close(top, values)
    return Reading(path.stem, found, first, seeds)


def under(paper: Paper, reading: Reading) -> Paper:
    """Return a paper as a reading has it.

    Raises
    ------
    LookupError
        The reading has an assumption or a value that the paper has not.
    ScenarioError
        The paper's assumptions have errors.
    """
    file = file_of(paper)
    known = assumptions_of(file)
    if file.mistakes:
        raise ScenarioError(file.mistakes)
    return replace(paper, overlay=overlay(known, reading))


def written(reading: Reading, about: str) -> str:
    """Return the text of a reading's file.

    Examples
    --------
    >>> print(written(Reading("best", {"rtt": "40 ms"}, 1001), "the best"))
    about = "the best"
    first-seed = 1001
    <BLANKLINE>
    [values]
    rtt = "40 ms"
    <BLANKLINE>
    """
    return toml.dumps(
        {"about": about, "first-seed": reading.first_seed, "values": dict(reading.values)}
    )
