"""The numbers that a paper's text states."""

from __future__ import annotations

import csv
from importlib import resources


def rows(paper: str) -> list[dict[str, str]]:
    """Return the rows of a paper's ``published.csv`` as they stand there."""
    return list(csv.DictReader(_text(paper).splitlines()))


def published(paper: str) -> dict[tuple[str, str], float]:
    """Return the numbers of a paper's ``published.csv`` by claim and what they are.

    Examples
    --------
    >>> published("obs")["obs.9", "throughput"]
    27.0
    """
    return numbers(
        (resources.files("tcphoton.papers") / paper / "published.csv").read_text("utf-8")
    )


def numbers(text: str) -> dict[tuple[str, str], float]:
    r"""Return the numbers of the text of a ``published.csv``, as `published` does.

    Rows without a number are left out.

    Examples
    --------
    >>> numbers("claim,what,value\na.1,delay,27\na.1,loss,some")
    {('a.1', 'delay'): 27.0}
    """
    found = {}
    for row in csv.DictReader(text.splitlines()):
        try:
            found[row["claim"], row["what"]] = float(row["value"])
        except (KeyError, TypeError, ValueError):
            continue
    return found


def _text(paper: str) -> str:
    return (resources.files("tcphoton.papers") / paper / "published.csv").read_text("utf-8")
