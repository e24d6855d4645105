"""The page of a reproduction: verdicts, figures, and the cost of runs, paper by paper."""

from __future__ import annotations

import datetime
from collections import Counter
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any

import polars as pl

from tcphoton import _core, papers
from tcphoton.common import quantities, safe_read
from tcphoton.errors import OutputError
from tcphoton.pages.blocks import Facts, Note, Section, Verdicts, drawn, figure, table
from tcphoton.papers import ledger, readings_of
from tcphoton.papers.reproduce import COST, LEDGER, RUN, STAMP, stamp_of
from tcphoton.papers.rules import NOT_COVERED, VERDICTS
from tcphoton.report import topology
from tcphoton.report.of_run import network_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tcphoton.pages.blocks import Block, Figure
    from tcphoton.papers import Paper
    from tcphoton.scenario.scenario import Scenario

__all__ = ["found_in", "sections", "title"]

AS_ASSUMED = "as assumed"


def found_in(folder: Path) -> list[str]:
    """Return the papers that a folder has results of; the folder itself if it is one paper's.

    Those of a paper of one's own are found if its folder still exists.
    """
    inside = [name for name in papers.papers() if _is_of_paper(folder / name)]
    if folder.is_dir():
        inside += sorted(each.name for each in folder.iterdir() if _home(each))
    if inside:
        return inside
    one = (folder.name in papers.papers() and (folder / RUN).exists()) or _home(folder)
    return [folder.name] if one else []


def title(folder: Path, names: Sequence[str]) -> str:
    """Return the title of a page on some papers."""
    if len(names) == 1:
        return _paper(_above(folder, names) / names[0]).title
    return f"{len(names)} papers reproduced"


def sections(folder: Path, names: Sequence[str]) -> list[Section]:
    """Return the sections on some papers: the verdicts of all, then one section per paper.

    Raises
    ------
    OutputError
        The ledger cannot be read.
    """
    above = _above(folder, names)
    entries = _entries(above / LEDGER, names)
    found = [Section("Verdicts", _verdicts(above, names, entries))]
    for name in names:
        own = [each for each in entries if ledger.paper_of(each) == name]
        found.append(_of_paper(_paper(above / name), above / name, own))
    return found


def _above(folder: Path, names: Sequence[str]) -> Path:
    """Return the folder that has a folder for each paper."""
    return folder if (folder / names[0]).is_dir() else folder.parent


def _is_of_paper(folder: Path) -> bool:
    return folder.is_dir() and any(
        (folder / name).exists() for name in (RUN, "points", "ledger.md")
    )


def _home(folder: Path) -> str:
    """Return the folder of one's own paper whose results a folder has; empty if there is none."""
    runs = [folder / RUN, *sorted((folder / readings_of.FOLDER).glob(f"*/{RUN}"))]
    homes = [str(_run(each.parent).get("home", "")) for each in runs if each.is_file()]
    return next((home for home in homes if home and papers.is_own(home)), "")


def _paper(folder: Path) -> Paper:
    """Return the paper of a folder of results."""
    return papers.load(_home(folder) or folder.name)


def _entries(path: Path, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the claims of some papers, each with the cells of its parts."""
    if not path.exists():
        return []
    try:
        return [
            {
                **{name: str(each[name]) for name in ("claim", "statement", "published", "rule")},
                "verdict": _word(each["verdict"]),
                "scale": str(each.get("scale", "")),
                "because": ledger.why(each),
                "changes": [str(change) for change in each.get("changes", [])],
                "parts": [_part(part) for part in each["parts"]],
                "holding": ledger.holding(each["parts"]),
                "said": ledger.said(each),
                "of-parts": ledger.of_parts(each),
                "sensitivity": [
                    _part(part) for part in each["sensitivity"] if part["ours"] is not None
                ],
            }
            for each in ledger.read(path)
            if ledger.paper_of(each) in names
        ]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise OutputError(f"{path}: not a readable ledger: {error!r}") from None


def _part(part: dict[str, Any]) -> dict[str, Any]:
    *cells, verdict = ledger.row(part)
    artefact = str(part["artefact"])
    return {"cells": cells, "verdict": _word(verdict), "artefact": artefact, "anchor": ""}


def _word(verdict: object) -> str:
    if verdict not in VERDICTS:
        raise ValueError(f"not a verdict: {verdict!r}")
    return str(verdict)


def _verdicts(folder: Path, names: Sequence[str], entries: Sequence[dict[str, Any]]) -> list[Block]:
    """Return how many claims of each paper have each verdict."""
    if not entries:
        return [Note("No ledger yet: the reproduction is not finished.", "warning")]
    total = Counter(each["verdict"] for each in entries)
    words = [word for word in VERDICTS if total[word]]
    rows = []
    for name in names:
        counts = Counter(each["verdict"] for each in entries if ledger.paper_of(each) == name)
        paper = _paper(folder / name)
        rows.append((name, paper.title, paper.source, *(counts[word] for word in words)))
    schema = ["paper", "title", "source", *(ledger.verb(word) for word in words)]
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    text = f"{ledger.tally(entries)} "
    text += f"Nothing was run of {left} others. " if (left := total[NOT_COVERED]) else ""
    text += "A rule decides each; changes of rules are listed."
    return [Note(text), table("Verdicts", frame, whole=str(folder / LEDGER), keep=True)]


def _of_paper(paper: Paper, folder: Path, entries: Sequence[dict[str, Any]]) -> Section:
    run = _run(folder)
    scale = str(run.get("scale", "quick"))
    drawings, missing = _figures(paper, folder, scale)
    blocks: list[Block] = [Note(f"{paper.source}.")]
    if not run:
        blocks.append(
            Note("Unfinished: the paper has runs, but its reproduction is not finished.", "warning")
        )
    if missing:
        blocks.append(Note(f"Missing at scale {scale}: {', '.join(missing)}.", "warning"))
    blocks.append(_provenance(folder, run))
    inner = []
    if entries:
        counts = Counter(each["verdict"] for each in entries)
        whole: dict[str, int] = {word: counts[word] for word in VERDICTS if counts[word]}
        for each in entries:
            for part in (*each["parts"], *each["sensitivity"]):
                there = part["artefact"] in drawings
                part["anchor"] = f"{paper.name}-{part['artefact']}" if there else ""
        inner.append(Section("Claims", [Verdicts(entries, whole)]))
    inner += _readings(paper, folder, entries)
    if networks := _networks(paper, list(drawings), scale):
        inner.append(Section("Topology", networks))
    inner += [
        Section(f"{name}: {paper.artefacts[name]}", [each], anchor=f"{paper.name}-{name}")
        for name, each in drawings.items()
    ]
    if cost := _cost(folder):
        inner.append(Section("Cost", cost))
    return Section(f"{paper.name}: {paper.title}", blocks, inner)


def _readings(paper: Paper, folder: Path, entries: Sequence[dict[str, Any]]) -> list[Section]:
    """Return the claims under each reading that was run, beside those as assumed."""
    ledgers = {
        path.parent.name: {each["claim"]: each for each in _entries(path, [paper.name])}
        for path in sorted((folder / readings_of.FOLDER).glob(f"*/{LEDGER}"))
    }
    if not ledgers:
        return []
    columns = {AS_ASSUMED: {each["claim"]: each for each in entries}, **ledgers}
    claims = list(dict.fromkeys(claim for each in columns.values() for claim in each))
    rows = [
        {"claim": claim, **{name: _told(each.get(claim)) for name, each in columns.items()}}
        for claim in claims
    ]
    inner = [
        Section(
            f"Claims under the reading {name}",
            [Verdicts(list(each.values()), Counter(one["verdict"] for one in each.values()))],
        )
        for name, each in ledgers.items()
    ]
    note = Note(
        "A reading has other values for what the paper leaves unsaid; its verdicts stand beside "
        "those as assumed and do not replace them."
    )
    return [Section("Readings", [note, table("Verdicts", pl.DataFrame(rows))], inner)]


def _told(entry: Mapping[str, Any] | None) -> str:
    """Return a claim's verdict with the parts that hold."""
    if entry is None:
        return "not run"
    of_parts = entry["of-parts"]
    return f"{entry['said']} ({of_parts})" if of_parts else str(entry["said"])


def _networks(paper: Paper, artefacts: Sequence[str], scale: str) -> list[Block]:
    """Return a drawing of each network of some artefacts: that of the first point."""
    known: dict[str, Scenario] = {}
    for runs in paper.runs(artefacts, scale):
        sweep = runs.sweep
        name = sweep.scenario.file.rpartition("/")[2]
        if name not in known:
            known[name] = sweep.scenario.with_({**sweep.set_, **sweep.points[0]})
    return [
        block
        for name, scenario in known.items()
        for block in network_of(partial(topology.of_scenario, scenario), f"The network of {name}")
    ]


def _run(folder: Path) -> dict[str, Any]:
    try:
        return safe_read.read_object(folder / RUN)
    except safe_read.DamagedError as error:
        safe_read.warn(f"{error}; it is skipped")
    except OSError:
        pass
    return {}


def _provenance(folder: Path, run: Mapping[str, Any]) -> Facts:
    pairs = []
    for key in ("command", "scale", "version", "revision", "commit", "runs", "found", "workers"):
        if run.get(key) is not None:
            name = {"revision": "results revision", "found": "runs reused"}.get(key, key)
            pairs.append((name, str(run[key])))
    if isinstance(run.get("seconds"), int | float):
        pairs.append(("took", quantities.text(float(run["seconds"]), "s")))
    if run:
        changed = (folder / RUN).stat().st_mtime
        when = datetime.datetime.fromtimestamp(changed, datetime.UTC)
        pairs.append(("written", f"{when:%Y-%m-%d %H:%M} UTC"))
        if run.get("revision") != _core.results_revision():
            pairs.append(("note", "made with another results revision than this page"))
    return Facts(pairs)


def _figures(paper: Paper, folder: Path, scale: str) -> tuple[dict[str, Figure], list[str]]:
    """Return the existing figures of a paper, and the missing artefacts of its scale."""
    found: dict[str, Figure] = {}
    missing = []
    stamp = stamp_of(paper, scale)
    for name in paper.artefacts:
        drawing = _figure(paper, name, folder, scale, stamp)
        if drawing is not None:
            found[name] = drawing
        elif name in paper.at(scale):
            missing.append(name)
    return found, missing


def _figure(paper: Paper, name: str, folder: Path, scale: str, stamp: str) -> Figure | None:
    """Return an artefact's figure from its table, or its image if it cannot be drawn."""
    path, about = folder / f"{name}.parquet", f"{paper.artefacts[name]}, of {paper.source}"
    command = f"tcphoton reproduce {paper.name}/{name} --scale {scale}"
    picture = _picture(folder / f"{name}.svg")
    if not path.exists():
        return None
    try:
        data = safe_read.read_parquet(path)
        chart = paper.figures[name](paper.seen(pl.read_parquet(data)))
        same = pl.read_parquet_metadata(BytesIO(data)).get(STAMP) == stamp
        note = "" if same else "Its runs differ from those that this version makes at this scale."
        return figure(chart, "", about, picture=picture, command=command, note=note)
    except Exception as error:  # a table of another version may lack any column
        note = f"The table cannot be drawn by this version ({type(error).__name__}: {error})."
        return drawn("", about, picture or EMPTY, command=command, note=note)


EMPTY = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>'


def _picture(path: Path) -> str | None:
    try:
        return safe_read.read(path, safe_read.LARGEST_TEXT, follow=False).decode()
    except (OSError, ValueError):
        return None


def _cost(folder: Path) -> list[Block]:
    """Return the cost of the points, the most expensive first."""
    try:
        data = safe_read.read(folder / COST, safe_read.LARGEST_TEXT, follow=False)
        frame = pl.read_csv(data, infer_schema_length=None)
        frame = frame.sort(pl.col("cpu") * pl.col("runs"), descending=True, maintain_order=True)
        total = (frame.get_column("cpu") * frame.get_column("runs")).sum()
    except (OSError, pl.exceptions.PolarsError):
        return []
    units = {"wall": "s", "cpu": "s"}
    docs = {"wall": "per run, mean over seeds", "cpu": "per run, mean over seeds"}
    text = f"All points: {quantities.text(float(total), 's')} of processor time."
    shown = table("Cost of points", frame, units=units, docs=docs, whole=COST, most=50)
    return [Note(text), shown]
