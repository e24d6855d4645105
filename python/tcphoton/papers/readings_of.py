"""The readings of a paper: its assumptions, and readings that are kept under a name.

A paper's ``readings.toml`` has the assumptions (and what is searched, see `tcphoton.readings`);
``readings/NAME.toml`` beside it is a reading: its values by assumption.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tcphoton.common import toml
from tcphoton.errors import Mistake, ScenarioError, hint
from tcphoton.papers import assumptions
from tcphoton.papers.assumptions import Change, Reading, overlay
from tcphoton.papers.files import READING, READINGS, File, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tcphoton.papers.assumptions import Assumption
    from tcphoton.papers.paper import Paper

FILE = READINGS
FOLDER = "readings"
ENDING = ".toml"


def file_of(paper: Paper) -> File:
    """Return a paper's ``readings.toml``.

    Raises
    ------
    ScenarioError
        There is none, or it has errors.
    """
    path = Path(str(paper.home / FILE))
    if not path.is_file():
        problem = f"no such file: nobody has said what {paper.name} leaves unsaid"
        raise ScenarioError([Mistake.at(str(path), problem)])
    name = f"{paper.name}/{FILE}" if paper.package else str(path)
    return File(READINGS, name, text_of(path))


def assumptions_of(file: File) -> dict[str, Assumption]:
    """Return the assumptions of a ``readings.toml``; errors are added to the file's.

    Those that do not say of which ``grids``, ``scenarios`` and ``variants`` are about those of the
    file.
    """
    where = assumptions.scope(file.data, Change())
    return {name: assumptions.made(file, name, where) for name in file.data["assumptions"]}


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
    file = File(READING, str(path), text_of(path))
    known = assumptions_of(file_of(paper))
    for each, value in file.data["values"].items():
        if each not in known:
            problem = f"no such assumption{hint(each, known)}"
            file.wrong(("values", each), problem, accepted=", ".join(known))
            continue
        try:
            known[each].value(value)
        except LookupError as error:
            accepted = str(error).rpartition("accepted ")[2]
            file.wrong(("values", each), "no value of the assumption", value, accepted)
    file.close()
    first, seeds = file.data.get("first-seed", 1), file.data.get("seeds", 0)
    return Reading(path.stem, file.data["values"], first, seeds)


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
    file.close()
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
