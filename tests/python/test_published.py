"""The published numbers of every paper: found in its text, and each only once."""

from __future__ import annotations

import csv
import re
from importlib import resources

from tcphoton.papers import load, papers


def published(paper: str) -> list[dict[str, str]]:
    text = (resources.files("tcphoton.papers") / paper / "published.csv").read_text("utf-8")
    return list(csv.DictReader(text.splitlines()))


def test_every_published_number_stands_in_its_sentence() -> None:
    faults = []
    for paper in papers():
        claims = {"", *(claim.claim for claim in load(paper).claims)}
        for row in published(paper):
            number = rf"(?<![\d.]){re.escape(row['value'])}(?![\d]|\.\d)"
            sentence = row["sentence"]
            holds = {
                "its claim is one of the paper's": row["claim"] in claims,
                "it says what it is": bool(row["what"]),
                "it stands in its sentence": re.search(number, sentence.replace(",", "")),
                "its sentence is a whole one": sentence[:1].isupper() and sentence.endswith("."),
            }
            faults += [f"{paper}: {row}: not so: {what}" for what, so in holds.items() if not so]
    assert not faults, "\n".join(faults)


def test_no_number_is_published_twice() -> None:
    keys = [(paper, row["claim"], row["what"]) for paper in papers() for row in published(paper)]
    assert len(keys) == len(set(keys)) > 200


def test_what_a_claim_calls_published_is_in_the_list() -> None:
    faults = []
    for paper in ("hybrid", "obs", "ops"):
        stated: dict[str, set[str]] = {}
        for each in published(paper):
            stated.setdefault(each["claim"], set()).add(each["value"])
        for claim in load(paper).claims:
            for part in claim.parts:
                called = set(re.findall(r"[\d.]+(?= (?:%|[MG]b/s|times))", part.published))
                faults += [
                    (claim.claim, part.name, each)
                    for each in called - stated.get(claim.claim, set())
                ]
    assert not faults
