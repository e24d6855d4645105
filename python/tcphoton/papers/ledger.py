"""The ledger of claims: what a paper published, what we find, and the verdict of a rule.

A `Claim` has one or more parts. Each part is a rule on the table of one artefact (a figure, or a
run for sensitivity); see `tcphoton.papers.rules`. A ledger is a list of plain objects, one per
claim, written as JSON. It has no time, host or path, so the same runs give the same bytes.
"""

from __future__ import annotations

import csv
import io
import json
import textwrap
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from tcphoton.common import checksum
from tcphoton.common.open_folder import made
from tcphoton.common.safe_read import read_value
from tcphoton.errors import OutputError
from tcphoton.papers.rules import (
    CANNOT_TELL,
    DIFFERS,
    HOLDS,
    IN_PART,
    IN_SHAPE,
    NOT_COVERED,
    OUT_OF_REACH,
    VERDICTS,
    Finding,
    Rule,
    Verdict,
    not_covered,
    together,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import polars as pl

Entry = dict[str, Any]
Combine = Literal["all", "any", "some"]


@dataclass(frozen=True)
class Part:
    """A part of a claim: a rule on the table of one artefact.

    Attributes
    ----------
    name
        What it is about, as short as ``"p = 0.001"``.
    published
        What the paper says of it, as short as ``"about 10 %"``.
    artefact
        The artefact whose table the rule reads.
    rule
        The rule.
    counts
        Whether the claim's verdict depends on it; otherwise it is only shown.
    beyond
        Why no simulation can meet it, in a line: it is out of reach. Empty of all others.
    """

    name: str
    published: str
    artefact: str
    rule: Rule
    counts: bool = True
    beyond: str = ""


@dataclass(frozen=True)
class Claim:
    """A claim of a paper.

    Attributes
    ----------
    claim
        Its name, ``"obs.3"``.
    statement
        The claim in our words.
    published
        The paper's own sentence.
    rule
        The rule in words.
    parts
        What the rule checks.
    combine
        How the verdicts of the parts are combined. ``all`` must hold; or ``any`` one, if the paper
        leaves a parameter open; or ``some`` must hold and none differ, if a part may be undecided
        by its nature.
    sensitivity
        The same rule under other assumptions. It does not affect the verdict.
    changes
        What was changed in the rule after the first full run, each with its reason.
    because
        Why the full run does not hold, in a line; empty where it does.
    far
        Why printed numbers are far from ours, in a few words, for the figure of them.
    """

    claim: str
    statement: str
    published: str
    rule: str
    parts: tuple[Part, ...]
    combine: Combine = "all"
    sensitivity: tuple[Part, ...] = ()
    changes: tuple[str, ...] = ()
    because: str = ""
    far: str = ""


def verdict_of(claim: Claim, findings: Sequence[Finding]) -> Verdict:
    """Return the verdict of a claim from the findings of its parts, in their order.

    Parts that are not covered are left out; a claim of which no part is covered is not either. A
    claim of which some parts hold and others differ or cannot tell holds in part; or in shape, if
    all the others are levels that differ, or have the right shape and a level that one run cannot
    tell. One of which none holds, some have the shape alone and others differ differs. Where all
    parts hold but those that are out of reach, the claim is.
    """
    found = [
        finding
        for part, finding in zip(claim.parts, findings, strict=True)
        if part.counts and finding.verdict != NOT_COVERED
    ]
    known = {finding.verdict for finding in found}
    if claim.combine == "any" and found:
        best = next((each for each in (HOLDS, IN_SHAPE) if each in known), CANNOT_TELL)
        return next(iter(known)) if len(known) == 1 else best
    if claim.combine == "some" and HOLDS in known and DIFFERS not in known:
        return HOLDS
    good = [each for each in found if each.verdict in {HOLDS, IN_SHAPE}]
    others = [each for each in found if each.verdict in {DIFFERS, CANNOT_TELL}]
    has_shape = any(each.published is None or each.shape for each in good)
    if others and has_shape and all(_is_level(each) for each in others):
        return IN_SHAPE
    if known & {DIFFERS, CANNOT_TELL} and good and known != {DIFFERS, IN_SHAPE}:
        return IN_PART
    if OUT_OF_REACH in known and not known & {DIFFERS, CANNOT_TELL}:
        return OUT_OF_REACH
    return together(known)


def _is_level(finding: Finding) -> bool:
    """Tell whether only the level of a printed number differs or cannot be told."""
    if finding.verdict == CANNOT_TELL:
        return finding.shape == HOLDS
    return finding.published is not None and finding.shape is None


def entry(claim: Claim, tables: Mapping[str, pl.DataFrame], provenance: Mapping[str, Any]) -> Entry:
    """Return a claim's object of the ledger.

    Parameters
    ----------
    claim
        The claim.
    tables
        The tables of the artefacts that were run.
    provenance
        How they were run; its ``scale`` is also in the entry.
    """
    beside = [_part(part, find(part, tables)) for part in claim.sensitivity]
    return entry_of(claim, [find(part, tables) for part in claim.parts], provenance, beside)


def entry_of(
    claim: Claim,
    findings: Sequence[Finding],
    provenance: Mapping[str, Any],
    sensitivity: Sequence[Entry] = (),
) -> Entry:
    """Return a claim's object of the ledger from the findings of its parts, in their order."""
    alone = len(claim.parts) == 1
    parts = [_part(part, finding) for part, finding in zip(claim.parts, findings, strict=True)]
    return {
        "claim": claim.claim,
        "statement": claim.statement,
        "published": claim.published,
        "ours": parts[0]["ours"] if alone else _ours(parts),
        "interval": parts[0]["interval"] if alone else None,
        "unit": parts[0]["unit"] if alone else "",
        "parts": parts,
        "rule": claim.rule,
        "verdict": verdict_of(claim, findings),
        "because": claim.because,
        "far": claim.far,
        "holding": list(holding(parts)),
        "scale": provenance["scale"],
        "sensitivity": list(sensitivity),
        "changes": list(claim.changes),
        "provenance": dict(provenance),
    }


def merge(path: Path, paper: str, entries: Iterable[Entry]) -> list[Entry]:
    """Replace a paper's entries in a ledger, and keep all others.

    Raises
    ------
    OutputError
        The existing ledger is not readable, or it cannot be written.
    """
    kept = [each for each in read(path) if paper_of(each) != paper] if path.exists() else []
    merged = sorted([*kept, *entries], key=_order)
    with made(path.parent) as place:
        place.put(path.name, written(merged))
    return merged


def written(entries: Iterable[Entry]) -> bytes:
    """Return the bytes of a ledger's file, in which each claim has a checksum."""
    sealed = [checksum.sealed(each) for each in entries]
    return (json.dumps(sealed, indent=2, ensure_ascii=False) + "\n").encode()


def read(path: Path) -> list[Entry]:
    """Read a ledger.

    Raises
    ------
    OutputError
        The file is not a ledger, or is damaged. Claims without a checksum are accepted.
    """
    try:
        entries = read_value(path)
        named = all(isinstance(each["claim"], str) for each in entries)
        damaged = [each["claim"] for each in entries if checksum.json_state(each) == "damaged"]
    except (OSError, KeyError, TypeError) as error:
        raise OutputError(f"{path}: not a ledger: {error}") from None
    if not isinstance(entries, list) or not named:
        raise OutputError(f"{path}: not a ledger")
    if damaged:
        raise OutputError(f"{path}: damaged: the checksum of {', '.join(damaged)} is wrong")
    return [{name: each[name] for name in each if name != checksum.KEY} for each in entries]


VERBS: dict[str, tuple[str, str]] = {
    HOLDS: ("holds", "hold"),
    IN_SHAPE: ("holds in shape", "hold in shape"),
    IN_PART: ("holds in part", "hold in part"),
    DIFFERS: ("differs", "differ"),
    OUT_OF_REACH: ("is out of reach", "are out of reach"),
}
"""The verdicts as verbs, of one claim and of several."""
HEADINGS = ("", "published", "ours", "95 % interval", "one run", "verdict")
WIDTH = 100
"""Characters of a line of text."""
INDENT = " " * 8
MOST_NUMBERS = 3
"""The most parts of a claim that are shown in its line."""


def text(entries: Iterable[Entry]) -> str:
    """Return the ledger as text: by verdict, what each claim says, and ours beside theirs.

    Beside a claim that holds stand the numbers that the paper prints, beside another one its parts
    that do not hold, and why. Claims with one cause stand together. Claims that are not covered are
    named in the end. All parts, with their intervals, are in `markdown`.
    """
    every = list(entries)
    covered = [each for each in every if is_covered(each)]
    lines: list[str] = []
    for verdict in VERDICTS:
        found = [each for each in covered if each["verdict"] == verdict]
        lines += ["", _heading(verdict).upper()] if found else []
        for cause in dict.fromkeys(map(why, found)):
            for each in found:
                if why(each) == cause:
                    lines += _lines(each)
            lines += _wrapped(cause, INDENT + "Because: ", INDENT) if cause else []
    if left := [each["claim"] for each in every if not is_covered(each)]:
        lines += ["", *_wrapped(f"Not covered by what was run: {', '.join(left)}.")]
    return "\n".join(lines[1:]) + "\n"


def _lines(each: Entry) -> Iterator[str]:
    """Yield what a claim says, and below it ours beside theirs."""
    level = _level(each)
    told = ", ".join(filter(None, [level, of_parts(each) if each["verdict"] != HOLDS else ""]))
    title = f"{each['claim']:<{len(INDENT) - 1}} {each['statement']}"
    yield from _wrapped(title + (f" ({told})" if told else ""), "", INDENT)
    parts = [part for part in each["parts"] if part["counts"] and is_covered(part)]
    if each["verdict"] == HOLDS:
        parts = [part for part in parts if part.get("against") is not None]
    else:
        parts = [part for part in parts if part["verdict"] != HOLDS]
    beside = [
        f"{part['name']}: {part['published']}"
        + (f" ({part['note']})" if part["ours"] is None else f", ours {_number(part)}")
        for part in parts[:MOST_NUMBERS]
    ]
    more = [f"{len(parts) - MOST_NUMBERS} more"] if len(parts) > MOST_NUMBERS else []
    yield from _wrapped("; ".join([*beside, *more]), INDENT, INDENT)


def _wrapped(told: str, first: str = "", other: str = "") -> list[str]:
    return textwrap.wrap(told, WIDTH, initial_indent=first, subsequent_indent=other)


def markdown(entries: Iterable[Entry]) -> str:
    """Return the ledger as tables in Markdown: the claims, their parts, and what they depend on."""
    entries = list(entries)
    return f"{verdicts(entries)}\n{evidence(entries)}"


def verdicts(entries: Sequence[Entry]) -> str:
    """Return a table of the claims in Markdown, with their verdicts and why the rest differs."""
    rows = [
        (
            f"**{each['claim']}**",
            each["statement"],
            f"**{said(each)}**",
            "{} of {}".format(*holding(each["parts"])),
            why(each),
        )
        for each in entries
    ]
    lines = _table(("claim", "", "verdict", "parts that hold", "because"), rows)
    return "\n".join([*lines, "", tally(entries)]) + "\n"


def evidence(entries: Sequence[Entry], rest: str = "") -> str:
    """Return what the verdicts go by in Markdown: parts, changed rules, and other assumptions.

    Where the `rest` has a place of its own, which a sentence names, only the parts that affect a
    verdict are here; see `parts`.
    """
    shown = [
        (each["claim"], *row(part))
        for each in entries
        for part in each["parts"]
        if part["counts"] or not rest
    ]
    lines = _table(("claim", *HEADINGS), shown)
    lines += [f"\n{rest}"] if rest else []
    changed: dict[str, list[str]] = {}
    for each in entries:
        for change in each["changes"]:
            changed.setdefault(change, []).append(each["claim"])
    lines += ["", "Rules that were changed after the first full run:", ""] if changed else []
    lines += [f"- {', '.join(claims)}: {change}" for change, claims in changed.items()]
    beside = [
        (each["claim"], *row(part))
        for each in entries
        for part in each["sensitivity"]
        if part["ours"] is not None
    ]
    if beside and not rest:
        lines += ["", "Under other assumptions the same rules give:", ""]
        lines += _table(("claim", "with", *HEADINGS[1:]), beside)
    return "\n".join(lines) + "\n"


def parts(entries: Sequence[Entry]) -> bytes:
    """Return all parts of a ledger as CSV, with those that affect no verdict.

    The column ``assumptions`` is ``ours`` where the claim is judged, and ``other`` where its rule
    is applied under other assumptions.
    """
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    columns = ("part", *HEADINGS[1:-1], "verdict")
    table.writerow(("claim", "assumptions", "affects the verdict", *columns))
    for each in entries:
        for assumptions, found in (("ours", each["parts"]), ("other", each["sensitivity"])):
            for part in found:
                if assumptions == "ours" or part["ours"] is not None:
                    affects = "yes" if assumptions == "ours" and part["counts"] else "no"
                    name, *cells = row({**part, "counts": True})
                    table.writerow((each["claim"], assumptions, affects, name, *cells))
    return out.getvalue().encode()


def tally(entries: Iterable[Entry]) -> str:
    """Return how many claims have each verdict, and how many of their parts hold, as a sentence.

    What is not covered is in neither number.
    """
    covered = [each for each in entries if is_covered(each)]
    found = Counter(each["verdict"] for each in covered)
    told = ", ".join(counted(found[each], each) for each in VERDICTS if found[each])
    hold, parts = (sum(each["holding"][at] for each in covered) for at in (0, 1))
    return f"Of {len(covered)} claims {told}; of their {parts} parts {hold} hold."


def counted(count: int, verdict: str) -> str:
    """Return a number of claims with their verdict as a verb that fits it.

    Examples
    --------
    >>> counted(1, "holds"), counted(2, "holds"), counted(2, "cannot tell"), counted(1, "in shape")
    ('1 holds', '2 hold', '2 cannot tell', '1 holds in shape')
    """
    one, several = VERBS.get(verdict, (verdict, verdict))
    return f"{count} {one if count == 1 else several}"


def verb(verdict: str) -> str:
    """Return a verdict as a verb: "holds in part".

    Examples
    --------
    >>> verb("in part"), verb("cannot tell")
    ('holds in part', 'cannot tell')
    """
    return VERBS.get(verdict, (verdict,))[0]


def said(each: Entry) -> str:
    """Return a claim's verdict in words, with how far its levels are from the published ones.

    Examples
    --------
    >>> parts = [{"verdict": "in shape", "factor": 0.5, "counts": True}]
    >>> said({"verdict": "in shape", "parts": parts})
    'holds in shape, level × 0.5'
    >>> said({"verdict": "holds", "parts": []})
    'holds'
    """
    return ", ".join(filter(None, [_heading(each["verdict"]), _level(each)]))


def _heading(verdict: str) -> str:
    """Return a verdict as it stands by itself: a verb where the word alone says too little."""
    return verb(verdict) if verdict in {IN_SHAPE, IN_PART} else verdict


def _level(each: Entry) -> str:
    """Return how far the levels of a claim that holds in shape are from the published ones."""
    if each["verdict"] != IN_SHAPE:
        return ""
    factors = [
        part["factor"]
        for part in each["parts"]
        if part["counts"]
        and part.get("factor")
        and (part["verdict"] == IN_SHAPE or (part["verdict"] == DIFFERS and not part.get("shape")))
    ]
    ends = dict.fromkeys(map(_digits, (min(factors), max(factors)))) if factors else ()
    return f"level × {' to '.join(ends)}" if ends else ""


def row(part: Entry) -> tuple[str, ...]:
    """Return a part under `HEADINGS`; one that does not affect the verdict is in brackets."""
    name = part["name"] if part["counts"] else f"({part['name']})"
    # Where the paper prints a number: how far ours is from it, and what one run of ours may give.
    factor, one_run = (part.get(key) for key in ("factor", "one-run"))
    ours = _number(part) + (f", × {_digits(factor)}" if factor is not None else "")
    ends = _ends(part["interval"])
    return name, part["published"], ours, ends, _ends(one_run if factor else None), part["verdict"]


def _ends(interval: Sequence[float] | None) -> str:
    return "" if interval is None else " … ".join(_digits(end) for end in interval)


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [headings, ["---"] * len(headings), *rows]
    return ["| " + " | ".join(line) + " |" for line in lines]


def find(part: Part, tables: Mapping[str, pl.DataFrame]) -> Finding:
    """Return what the rule of a part finds in the tables of the artefacts that were run."""
    if part.artefact not in tables:
        return not_covered()
    found = part.rule(tables[part.artefact])
    is_beyond = part.beyond and found.verdict != NOT_COVERED
    return replace(found, verdict=OUT_OF_REACH, note=part.beyond) if is_beyond else found


def _part(part: Part, finding: Finding) -> Entry:
    return {
        "name": part.name,
        "published": part.published,
        "ours": finding.ours,
        "interval": None if finding.interval is None else list(finding.interval),
        "unit": finding.unit,
        "seeds": finding.seeds,
        "against": finding.published,
        "factor": finding.factor,
        "one-run": None if finding.one_run is None else list(finding.one_run),
        "shape": finding.shape,
        "note": finding.note,
        "verdict": finding.verdict,
        "counts": part.counts,
        "artefact": part.artefact,
    }


def holding(parts: Iterable[Entry]) -> tuple[int, int]:
    """Return how many parts hold, and how many are covered and affect the verdict.

    Examples
    --------
    >>> holding([{"counts": True, "verdict": "holds"}, {"counts": True, "verdict": "differs"}])
    (1, 2)
    """
    counting = [part for part in parts if part["counts"] and is_covered(part)]
    return sum(part["verdict"] == HOLDS for part in counting), len(counting)


def is_covered(each: Entry) -> bool:
    """Tell whether something was run of what a claim, or a part of one, speaks of."""
    return bool(each["verdict"] != NOT_COVERED)


def why(each: Entry) -> str:
    """Return why a claim does not hold, in a line.

    It is empty where the claim holds, where seeds are few, and under a reading: it speaks of the
    paper as assumed.
    """
    has_reason = each["verdict"] in {IN_SHAPE, IN_PART, DIFFERS, OUT_OF_REACH}
    has_reason |= each["verdict"] == CANNOT_TELL and each.get("scale") == "full"
    is_read = "--reading" in each.get("provenance", {}).get("command", "")
    return str(each.get("because", "")) if has_reason and not is_read else ""


def of_parts(each: Entry) -> str:
    """Return how many parts of a claim hold, in words; an empty text if it has a single one.

    Examples
    --------
    >>> parts = [{"counts": True, "verdict": "holds"}, {"counts": True, "verdict": "differs"}]
    >>> of_parts({"parts": parts}), of_parts({"parts": parts[:1]})
    ('1 of 2 parts', '')
    >>> of_parts({"parts": [*parts, {"counts": True, "verdict": "not covered"}]})
    '1 of 2 parts, 1 not covered'
    """
    hold, parts = holding(each["parts"])
    left = sum(part["counts"] for part in each["parts"]) - parts
    told = [f"{hold} of {parts} parts"] if parts > 1 or left else []
    told += [f"{left} not covered"] if left else []
    return ", ".join(told)


def _ours(parts: Iterable[Entry]) -> str:
    """Return the findings of several parts as one line."""
    return "; ".join(f"{part['name']}: {_number(part)}" for part in parts if part["counts"])


def _number(part: Entry) -> str:
    if part["ours"] is None:
        return part["note"] or "–"
    at = f" ({part['note']})" if part["note"] else ""
    return f"{_digits(part['ours'])} {part['unit']}".rstrip() + at


def _digits(value: float) -> str:
    """Return a number to three digits, without an exponent."""
    text = f"{value:.3g}"
    return f"{value:,.0f}" if "e+" in text else "0" if float(text) == 0 else text


def paper_of(each: Entry) -> str:
    """Return the paper that an entry is about."""
    return str(each["claim"]).partition(".")[0]


def _order(each: Entry) -> tuple[str, int, str]:
    paper, _, number = str(each["claim"]).partition(".")
    return paper, int(number) if number.isdigit() else 0, number
