"""Folders of results that the tests of pages read: small, and one that means harm."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl

import made_up
import made_up_hybrid
import made_up_lbas
import made_up_ops
import made_up_sync
import tcphoton as tp
from tcphoton import papers, report
from tcphoton.common import checksum
from tcphoton.papers import ledger
from tcphoton.papers.reproduce import STAMP, reproduce, stamp_of
from tcphoton.runs import measures
from tcphoton.sweep import sweep as sweeps_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pytest

    from tcphoton.papers import Paper
    from tcphoton.sweep.sweep import Sweep

HARM = "</script><img src=https://example.org/x onerror=alert(1)><!--\u2028'\"`${7*7}{{7*7}}&lt;"
"""A text that would run, load, or end an element where it is not escaped."""


def run(folder: Path, scenario: tp.Scenario) -> Path:
    """Return the folder of a run with a series."""
    series = scenario.with_({"record.series": ["cwnd"], "record.interval": "50 ms"})
    tp.run(series).save(folder)
    return folder


def sweep(
    folder: Path,
    scenario: tp.Scenario,
    over: Mapping[str, Any],
    labels: Mapping[str, Any] | None = None,
) -> Path:
    """Return the folder of a finished sweep."""
    tp.Sweep(scenario, over, seeds=2, labels=labels).run(folder, workers=1)
    return folder


def harmful_run(folder: Path, scenario: tp.Scenario) -> Path:
    """Return a run whose texts all mean harm: title, names, keys, values, units and meanings."""
    run(folder, scenario)
    record = json.loads((folder / "report.json").read_text("utf-8"))
    record["title"] = record["conservation"] = HARM
    record["parameters"] += [{"key": f"a.{HARM}", "value": HARM, "origin": HARM}]
    record["versions"][HARM] = HARM
    for columns in record["tables"].values():
        for about in columns.values():
            about["doc"] = HARM
    seal_json(folder / "report.json", record)
    flows = pl.read_parquet(folder / "flows.parquet")
    flows.with_columns(pl.lit(HARM).alias("from")).write_parquet(folder / "flows.parquet")
    links = pl.read_parquet(folder / "links.parquet")
    names = [f"{HARM}{at} -> {HARM}{at + 1}" for at in range(links.height)]
    links.with_columns(pl.Series("link", names)).write_parquet(folder / "links.parquet")
    series = pl.read_parquet(folder / "series.parquet")
    series = series.with_columns(pl.lit(f"flow {HARM}").alias("subject"))
    series.write_parquet(folder / "series.parquet")
    for name in ("flows", "links", "series"):
        file = folder / f"{name}.parquet"
        file.write_bytes(checksum.seal(file.read_bytes()))
    return folder


def seal_json(path: Path, content: Any) -> None:
    """Write an object of JSON, or a list of them, with checksums that hold: anybody can."""
    objects = content if isinstance(content, list) else [content]
    for each in objects:
        each.pop(checksum.KEY, None)
        each[checksum.KEY] = checksum.of_content(each)
    path.write_text(json.dumps(content), "utf-8")


def table(paper: Paper, artefact: str) -> pl.DataFrame:
    """Return a made-up table of an artefact of any paper at the quick scale."""
    match paper.name:
        case "obs":
            runs = paper.runs([artefact], "quick")
            frames = {each.name: made_up.frame(each.sweep) for each in runs}
            return paper.table(artefact, "quick", frames)
        case "sync" if paper.kept(artefact):
            return made_up_sync.over_time(paper, artefact, "quick")
        case "sync":
            return made_up_sync.table(paper, artefact, "quick")
        case "ops":
            return made_up_ops.table(paper, artefact, "quick")
        case "hybrid":
            return made_up_hybrid.table(paper, artefact, "quick", seeds=3)
    return made_up_lbas.table(paper, artefact, "quick")


def five_papers(folder: Path, most: int | None = None) -> Path:
    """Return the folder of a reproduction of all papers at the quick scale, from made-up tables.

    A paper has its first artefacts, at `most` so many, or all of them.
    """
    for name in papers.papers():
        paper, inside = papers.load(name), folder / name
        inside.mkdir(parents=True)
        stamp = {STAMP: stamp_of(paper, "quick")}
        tables = {each: table(paper, each) for each in paper.at("quick")[:most]}
        for artefact, found in tables.items():
            (inside / f"{artefact}.parquet").write_bytes(measures.parquet(found, stamp))
        provenance = {"command": f"tcphoton reproduce {name}", "scale": "quick", "version": "0"}
        entries = [ledger.entry(claim, tables, provenance) for claim in paper.claims]
        ledger.merge(folder / "ledger.json", name, entries)
        seal_json(inside / "run.json", provenance)
    return folder


def reproduction(folder: Path, monkeypatch: pytest.MonkeyPatch, *names: str) -> Path:
    """Return the folder of a reproduction whose runs are made up."""

    def run_all(sweeps: Mapping[str, Sweep], *_: object, **__: object) -> dict[str, pl.DataFrame]:
        return {name: made_up.frame(each) for name, each in sweeps.items()}

    monkeypatch.setattr(sweeps_of, "run_all", run_all)
    reproduce(names, folder, page=report.write)
    return folder
