"""The published numbers of every paper: found in its text, and each only once."""

from __future__ import annotations

import csv
import re
from importlib import resources

import pytest

from tcphoton.papers import load, papers


def published(paper: str) -> list[dict[str, str]]:
    text = (resources.files("tcphoton.papers") / paper / "published.csv").read_text("utf-8")
    return list(csv.DictReader(text.splitlines()))


ROWS = [(paper, row) for paper in papers() for row in published(paper)]
NAMES = [f"{row['claim'] or paper} {row['what']}" for paper, row in ROWS]


@pytest.mark.parametrize(("paper", "row"), ROWS, ids=NAMES)
def test_a_published_number_stands_in_its_sentence(paper: str, row: dict[str, str]) -> None:
    assert row["claim"] in {"", *(claim.claim for claim in load(paper).claims)}
    assert row["what"]
    digits = row["sentence"].replace(",", "")
    assert re.search(rf"(?<![\d.]){re.escape(row['value'])}(?![\d]|\.\d)", digits)
    assert row["sentence"][0].isupper()
    assert row["sentence"].endswith(".")


def test_no_number_is_published_twice() -> None:
    keys = [(paper, row["claim"], row["what"]) for paper, row in ROWS]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("paper", ["hybrid", "obs", "ops"])
def test_what_a_claim_calls_published_is_in_the_list(paper: str) -> None:
    stated: dict[str, set[str]] = {}
    for each in published(paper):
        stated.setdefault(each["claim"], set()).add(each["value"])
    for claim in load(paper).claims:
        for part in claim.parts:
            for number in re.findall(r"[\d.]+(?= (?:%|[MG]b/s|times))", part.published):
                assert number in stated[claim.claim]
