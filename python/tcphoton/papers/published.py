"""The numbers that a paper's text states."""

from __future__ import annotations

import csv
from importlib import resources

__all__ = ["published", "rows"]


def rows(paper: str) -> list[dict[str, str]]:
    """Return the rows of a paper's ``published.csv`` as they stand there."""
    text = (resources.files("tcphoton.papers") / paper / "published.csv").read_text("utf-8")
    return list(csv.DictReader(text.splitlines()))


def published(paper: str) -> dict[tuple[str, str], float]:
    """Return the numbers of a paper's ``published.csv`` by claim and what they are.

    Examples
    --------
    >>> published("obs")["obs.9", "throughput"]
    27.0
    """
    return {(row["claim"], row["what"]): float(row["value"]) for row in rows(paper)}
