"""The page of a search over the readings of a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton import _core
from tcphoton.common import quantities
from tcphoton.pages.blocks import Code, Facts, Note, Section, figure, table
from tcphoton.readings.drawing import FIGURES
from tcphoton.readings.readings import BEST, RECORD, Findings

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tcphoton.pages.blocks import Block
    from tcphoton.readings.outcome import Outcome

__all__ = ["is_one", "sections", "title"]

TITLES = {
    "assumptions": "Assumptions: share of the readings with each value that survive",
    "targets": "Targets: our numbers against the published ones",
    "claims": "Claims: share of the readings under which their numbers agree",
}
COLUMNS = ("claim", "role", "status", "as assumed", "joint", "another", "agree", "of",
           "agree-surviving", "surviving", "at-the-cost-of", "miss", "nearest")  # fmt: skip
DOCS = {
    "role": "fit: it decides which readings survive; predict: it is only looked at",
    "status": "when the claim agrees",
    "as assumed": "verdict with fresh seeds at the confirming scale",
    "joint": "the same under the best joint reading",
    "another": "the same under another reading that was run again",
    "agree": "readings under which its numbers agree at the scale of the search",
    "of": "readings whose runs have the claim, or a part of it",
    "agree-surviving": "of the surviving readings, those under which its numbers agree",
    "surviving": "of these, those that survive",
    "at-the-cost-of": "claims that agree under the best joint reading and never with this one",
    "miss": "the part that misses most under the nearest reading",
    "nearest": "the reading under which most of its parts agree",
    "decides": "largest share of a condition's variance that the assumption explains (first wave)",
    "delta": "Borgonovo's delta, mean over the conditions (first wave)",
}


def is_one(folder: Path) -> bool:
    """Tell whether a folder holds the results of a search."""
    return (folder / RECORD).exists()


def title(folder: Path) -> str:
    """Return the title of the page."""
    return f"Readings of {Findings.load(folder).paper}"


def sections(folder: Path) -> list[Section]:
    """Return the sections of the page: how it was made, then one for each search.

    Raises
    ------
    OutputError
        The results cannot be read.
    """
    found = Findings.load(folder)
    return [
        Section("Readings", _head(found, folder)),
        *(_of_search(each) for each in found.outcomes),
    ]


def _head(found: Findings, folder: Path) -> list[Block]:
    facts = found.facts
    pairs = [
        (name, str(facts[key]))
        for name, key in (
            ("paper", "title"), ("source", "source"), ("command", "command"),
            ("version", "version"), ("results revision", "revision"), ("commit", "commit"),
            ("runs", "all-runs"),
        )
        if facts.get(key) is not None
    ]  # fmt: skip
    pairs.append(("CPU time of the runs", quantities.text(float(facts["cpu-seconds"]), "s")))
    blocks: list[Block] = [
        Note(
            "What the paper leaves unsaid was varied jointly. A reading is a choice of a value for "
            "each assumption; a published number that it misses by too many standard deviations "
            "excludes it. Claims were divided beforehand: some fit, the others are only predicted."
        ),
        Facts(pairs),
    ]
    if facts.get("revision") != _core.results_revision():
        blocks.append(Note("Made with another results revision than this page.", "warning"))
    best = folder / BEST
    if best.is_file():
        blocks.append(Code(best.read_text("utf-8"), f"The best joint reading, {BEST}"))
        blocks.append(Code(f"tcphoton reproduce {found.paper} --reading {best}", "Reproduce it"))
    return blocks


def _of_search(found: Outcome) -> Section:
    facts = found.facts
    blocks: list[Block] = [Note(found.what), Facts(_facts(facts)), *_warnings(facts)]
    best = "; ".join(f"{name}: {value}" for name, value in found.best.items())
    blocks.append(Note(f"Best joint reading: {best or 'as assumed'}."))
    inner = [Section("Claims", [_frame("Claims", found.claims, COLUMNS)])]
    if found.readings:
        inner += [
            Section(
                TITLES[name].partition(":")[0],
                [figure(draw(found), "", TITLES[name]), *_tables(found, name)],
            )
            for name, draw in FIGURES.items()
            if name != "claims"
        ]
        inner[0].blocks.insert(0, figure(FIGURES["claims"](found), "", TITLES["claims"]))
    if found.pairs:
        inner.append(Section("Claims that exclude each other", [_frame("Pairs", found.pairs)]))
    inner.append(
        Section("All readings", [_frame("Readings, the best first", found.readings, most=100)])
    )
    return Section(found.name, blocks, inner)


def _tables(found: Outcome, name: str) -> list[Block]:
    if name == "targets":
        return [_frame("Targets", found.targets)]
    return [_frame("Assumptions", found.assumptions), _frame("Their values", found.values)]


def _frame(
    name: str, rows: list[dict[str, Any]], columns: tuple[str, ...] = (), most: int = 200
) -> Block:
    frame = pl.DataFrame(rows, infer_schema_length=None)
    if columns:
        frame = frame.select(column for column in columns if column in frame.columns)
    if not frame.height:
        return Note(f"{name}: none.")
    return table(name, frame, docs=DOCS, most=most)


def _facts(facts: Mapping[str, Any]) -> list[tuple[str, str]]:
    scores = {
        kind: f"fit {_percent(each['fit'])}, predicted {_percent(each['predicted'])}"
        for kind, each in facts["scores"].items()
    }
    rank = facts.get("rank-correlation")
    pairs = [
        ("assumptions varied", str(facts["assumptions"])),
        ("conditions", str(facts["conditions"])),
        ("claims that fit", ", ".join(facts["fit"])),
        ("claims that are predicted", ", ".join(facts["predict"]) or "none"),
        ("scale", facts["scale"]),
        *(
            (
                f"scale {each['scale']} against the last",
                f"rank correlation {each['correlation']:.2f} over {each['readings']} readings",
            )
            for each in facts["scales"]
        ),
        ("readings by wave", ", ".join(map(str, facts["waves"]))),
        ("simpler readings after them", str(facts["simpler"])),
        ("excluded beyond", f"{facts['cutoff']:g} standard deviations"),
        ("discrepancy of models", _percent(facts["discrepancy"])),
        (
            "surviving readings",
            f"{facts['surviving']} of {facts['judged']}, each with at most {facts['level']} "
            "conditions broken",
        ),
        *((f"parts that hold, {kind}", text) for kind, text in scores.items()),
    ]
    if rank is not None:
        text = f"rank correlation {rank:.2f} over {facts['ranked']} readings that were run again"
        pairs.append((f"scale {facts['scale']} against {facts['confirmed-at']}", text))
    if facts["emulators"]:
        kinds = ", ".join(f"{count} by {kind}" for kind, count in facts["emulators"].items())
        pairs.append(("targets emulated in the last wave", kinds))
    return pairs


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f} %"


def _warnings(facts: Mapping[str, Any]) -> list[Block]:
    blocks: list[Block] = []
    if not facts["complete"]:
        done = f"{len(facts['waves'])} of {facts['planned']} waves"
        blocks.append(Note(f"The budget was spent in {done}.", "warning"))
    if facts["refused"]:
        many = quantities.counted(facts["refused"], "reading")
        blocks.append(Note(f"{many} could not be run: {facts['refusal']}", "warning"))
    if facts["level"]:
        blocks.append(
            Note(
                "No five readings meet all conditions: those survive that break the fewest.",
                "warning",
            )
        )
    return blocks
