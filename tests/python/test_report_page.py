"""Pages of results: what they hold, that nothing read from a folder runs, and what they refuse."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shlex
import warnings
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import networkx as nx
import polars as pl
import pytest

import asked_here
import made_up_folders
import node_here
import tcphoton as tp
from command_here import call
from made_up_folders import HARM
from tcphoton import figures, report
from tcphoton.analysis.statistics import Until
from tcphoton.errors import CaveatWarning, OutputError
from tcphoton.pages import blocks
from tcphoton.pages.interactive import interactive
from tcphoton.papers import load
from tcphoton.report import of_run, of_sweep, topology
from tcphoton.sweep import folder as sweep_folder

if TYPE_CHECKING:
    from pathlib import Path

    import altair as alt

    from command_here import Command

pytestmark = pytest.mark.slow

QUEUE, LOSS = "topology.bottleneck.queue.packets", "topology.bottleneck.loss.p"
PRESET = "traffic.0.transport.preset"
VOID = {"meta", "img", "input", "br", "link", "hr", "base"}
LOADING = {"src", "href", "action", "data", "poster", "srcset", "background", "cite", "formaction"}


class Page(HTMLParser):
    """The elements of a page, its texts outside of scripts and styles, and its mistakes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.scripts: list[tuple[dict[str, str], str]] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attrs}
        self.elements.append((tag, named))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append((named, ""))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["script"]:
            named, text = self.scripts[-1]
            self.scripts[-1] = (named, text + data)
        elif self.open[-1:] != ["style"] and data.strip():
            self.words.append(data)

    def all(self, tag: str) -> list[dict[str, str]]:
        return [named for name, named in self.elements if name == tag]

    @property
    def text(self) -> str:
        return "".join(self.words)

    @property
    def policy(self) -> dict[str, list[str]]:
        (content,) = (
            each["content"]
            for each in self.all("meta")
            if each.get("http-equiv") == "Content-Security-Policy"
        )
        return {name: values for name, *values in (each.split() for each in content.split(";"))}


RECORDED = "application/octet-stream"


def page(folder: Path) -> Page:
    """Return the page of a folder, which is held to what all pages promise."""
    return page_text(report.page(folder))


def page_text(text: str) -> Page:
    """Return a page, which is held to what all pages promise."""
    found = Page(text)
    # Nothing is loaded from anywhere.
    for _, named in found.elements:
        for name in LOADING & set(named):
            assert named[name].startswith(("#", "data:image/svg+xml;base64,"))
        assert not any(name.startswith("on") for name in named)
        assert "style" not in named
    assert not {"iframe", "object", "embed", "base", "link"} & {tag for tag, _ in found.elements}
    # Two scripts run, with a recording three, and the policy knows them by their digests.
    recordings = [text for named, text in found.scripts if named.get("type") == RECORDED]
    data = {"application/json", RECORDED}
    running = [text for named, text in found.scripts if named.get("type") not in data]
    digests = [
        base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in running
    ]
    assert found.policy["script-src"] == [f"'sha256-{each}'" for each in digests]
    assert len(running) == 2 + bool(recordings)
    assert all(base64.b64decode(each).startswith(b"\x1f\x8b") for each in recordings)
    assert found.policy["default-src"] == ["'none'"]
    assert found.policy["img-src"] == ["data:"]
    assert not {"connect-src", "font-src", "frame-src"} & set(found.policy)
    # Every figure has its description, its picture, and words for those who do not see it.
    pictures = found.all("img")
    assert all(len(each["alt"]) > 10 for each in pictures)
    for named, content in found.scripts:
        if "data-study" in named:
            assert json.loads(content)["measures"]
        elif named.get("type") == "application/json":
            assert json.loads(content)["$schema"].startswith("https://vega.github.io")
    # The contents lead somewhere.
    anchors = [named["id"] for _, named in found.elements if "id" in named]
    assert len(anchors) == len(set(anchors))
    links = [each["href"].removeprefix("#").partition("?")[0] for each in found.all("a")]
    assert set(links) <= set(anchors)
    return found


# What a page holds.


def test_the_page_of_a_run_shows_all_of_it(tmp_path: Path, small: tp.Scenario) -> None:
    found = page(made_up_folders.run(tmp_path, small))
    record = tp.Report.load(tmp_path).record
    for title in ("Summary", "Topology", "Series", "Tables", "Parameters", "Run it again"):
        assert title in found.words
    for text in ("Two hosts", record["digest"], record["versions"]["tcphoton"], "left-0", "cwnd"):
        assert text in found.text
    for entry in record["parameters"]:
        assert entry["key"] in found.words
    assert len(found.all("figure")) == 2
    assert "tcphoton run scenario.toml --seed 1" in found.text


def test_the_scenario_on_the_page_of_a_run_gives_the_run_again(
    tmp_path: Path, small: tp.Scenario
) -> None:
    found = page(made_up_folders.run(tmp_path, small))
    (text,) = (each for each in found.words if each.startswith("title = "))
    assert tp.run(tp.Scenario.from_text(text)).digest == tp.Report.load(tmp_path).digest


def test_a_run_that_was_given_up_says_so(tmp_path: Path, small: tp.Scenario) -> None:
    tp.run(small.with_({"run.max-events": 500})).save(tmp_path)
    assert "The run stopped early (event budget spent)" in page(tmp_path).text


def study_of(found: Page) -> dict[str, Any]:
    """Return the data that a page answers questions from."""
    (text,) = (text for named, text in found.scripts if "data-study" in named)
    data: dict[str, Any] = json.loads(text)
    return data


def test_the_page_of_a_sweep_opens_with_what_it_found_and_can_be_asked(
    tmp_path: Path, small: tp.Scenario
) -> None:
    over = {PRESET: ["reno", "sack"], QUEUE: [5, 20, 40], LOSS: [0.01]}
    found = page(made_up_folders.sweep(tmp_path, small, over))
    heads = [each for each in found.words if each in {"What this study found", "Explore", "Points"}]
    assert heads[-3:] == ["What this study found", "Explore", "Points"]
    data = study_of(found)
    assert {each["key"] for each in data["axes"]} == {PRESET, QUEUE}
    rows = sweep_folder.read(tmp_path).table
    numbers = [name for name, kind in rows.schema.items() if kind.is_numeric()]
    names = [name for name in numbers if name not in over and rows.get_column(name).count()]
    assert {each["name"] for each in data["measures"]} == {*names} - {"seed", "flows"}
    assert any(each["about"] for each in data["measures"] if each["name"] == "goodput")
    # The first figure is there without scripts, too, and the network.
    assert len(found.all("figure")) == 2
    questions = [each["href"] for each in found.all("a") if each["href"].startswith("#explore?")]
    assert questions
    assert all("y=" in each for each in questions)
    assert "12 finished, 0 missing" in found.text
    assert "Topology" in found.words


DELAY = "topology.bottleneck.delay"


@pytest.mark.parametrize(
    "design",
    [
        {"over": {LOSS: [0.01, 0.02]}},
        {"zip_": [{LOSS: [0.01, 0.02], DELAY: ["1 ms", "2 ms"]}]},
        {"cases": [{LOSS: 0.01, DELAY: "1 ms"}, {LOSS: 0.02, DELAY: "3 ms"}]},
        {
            "over": {"run.warmup": ["0 s", "1 s"]},
            "sample": tp.Sample(
                {LOSS: {"from": 0.01, "to": 0.02}, DELAY: {"from": "1 ms", "to": "9 ms"}}, points=3
            ),
            "until": Until(["goodput", "loss"], at_least=2, at_most=2),
        },
    ],
)
def test_a_sweep_written_on_its_page_asks_for_the_same(
    tmp_path: Path, small: tp.Scenario, design: dict[str, Any]
) -> None:
    # What replaces keys of the scenario's text belongs to it.
    other = small.with_({"topology.bottleneck.rate": "11 Mb/s"})
    tp.Sweep(other, **design, seeds=2).run(tmp_path / "a", workers=1)
    found = page(tmp_path / "a")
    assert "11 Mb/s" in found.text
    (asked,) = (each for each in found.words if 'scenario = "scenario.toml"' in each)
    (text,) = (each for each in found.words if "[run]" in each)
    (tmp_path / "sweep.toml").write_text(asked, "utf-8")
    (tmp_path / "scenario.toml").write_text(text, "utf-8")
    again = tp.Sweep.load(tmp_path / "sweep.toml")
    kept = json.loads((tmp_path / "a" / "sweep.json").read_text("utf-8"))
    assert again.checked().digests() == kept["digests"]
    assert again.until == design.get("until")


def snippets(sections: list[blocks.Section]) -> tuple[list[str], dict[str, str]]:
    """Return the Python and the commands that a page prints, and the files that these need."""
    code: list[str] = []
    files: dict[str, str] = {}
    for section in sections:
        for block in section.blocks:
            if isinstance(block, blocks.Figure) and block.command:
                code.append(block.command)
            if isinstance(block, blocks.Code):
                files |= {block.title: block.text} if block.title else {}
                code += [] if block.title else [block.text]
        inner = snippets(section.sections)
        code, files = code + inner[0], files | inner[1]
    return code, files


def make_again(
    sections: list[blocks.Section], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    """Execute what a page prints in a folder, and return it."""
    code, files = snippets(sections)
    monkeypatch.chdir(folder)
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    for each in code:
        if each.startswith("tcphoton "):
            words = shlex.split(each.replace(" DIR", " again"))
            call(*words[1:], code=0)
        else:
            lines = each.splitlines()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", CaveatWarning)
                names: dict[str, Any] = {"tp": tp}
                exec("\n".join([*lines[:-1], f"shown = {lines[-1]}"]), names)
            assert names["shown"].to_dict()["layer"], each
    return code


def test_each_command_of_the_page_of_a_sweep_runs(
    tmp_path: Path, small: tp.Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The code of its figures follows the choice: see test_explorer.
    over: dict[str, list[Any]] = {PRESET: ["reno", "newreno", "sack"], DELAY: ["1 ms", "20 ms"]}
    tp.Sweep(small, over, seeds=2).run(tmp_path / "a b", workers=1)
    code = make_again(of_sweep.sections([tmp_path / "a b"]), tmp_path, monkeypatch)
    assert code == ["tcphoton sweep sweep.toml --out '" + str(tmp_path / "a b") + "'"]


def test_the_page_of_a_sweep_is_complete_without_the_files_that_it_has_read(
    tmp_path: Path, small: tp.Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own.program").write_text("def on_loss(congested): window.reduce(congested, 0.7)")
    (tmp_path / "base.toml").write_text(
        small.with_({"traffic.0.transport.congestion": "reno"})
        .to_toml()
        .replace('"reno"', '{ kind = "program", file = "own.program" }')
    )
    (tmp_path / "s.toml").write_text(
        f'scenario = "base.toml"\nseeds = 2\n[over]\n"{DELAY}" = ["1 ms", "2 ms"]\n'
    )
    assert call("sweep", tmp_path / "s.toml", "--out", tmp_path / "a").returncode == 0
    kept = json.loads((tmp_path / "a" / "sweep.json").read_text("utf-8"))
    (tmp_path / "own.program").unlink()
    sections = of_sweep.sections([tmp_path / "a"])
    assert make_again(sections, tmp_path, monkeypatch)
    again = tp.Sweep.load(tmp_path / "sweep.toml")
    assert again.checked().digests() == kept["digests"]


def test_the_keys_of_contents_are_those_of_the_schema() -> None:
    from tcphoton import _core
    from tcphoton.scenario.files import KEYS

    found = re.findall(r'"x-file":\s*({[^}]*})', _core.schema())
    assert {each["content"]: each["key"] for each in map(json.loads, found)} == KEYS


def test_each_snippet_of_the_page_of_a_run_runs(
    tmp_path: Path, small: tp.Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    tp.run(small.with_({"record.series": ["cwnd", "queue"]})).save(tmp_path / "a")
    assert len(make_again(of_run.sections(tmp_path / "a"), tmp_path, monkeypatch)) == 3


def test_the_commands_of_the_page_of_a_demo_exist(tmp_path: Path) -> None:
    from tcphoton.papers.reproduce import select

    paper = load("obs")
    for artefact in paper.at("demo"):
        assert select([f"obs/{artefact}"], "demo") == {"obs": [artefact]}
    done = call("reproduce", "ops", "--scale", "demo", "--out", tmp_path, code=2)
    assert done.stderr == ("error: ops has no runs at the scale 'demo'; available: quick, full\n")


def test_the_origin_of_an_axis_is_the_sweep(tmp_path: Path, small: tp.Scenario) -> None:
    sweep = tp.Sweep(small, {LOSS: [0.01, 0.02]}, seeds=1, set_={"run.warmup": "100 ms"})
    sweep.run(tmp_path / "a", workers=1)
    (table,) = (
        block
        for section in of_sweep.sections([tmp_path / "a"])
        for block in section.blocks
        if section.title == "Parameters of the first point" and isinstance(block, blocks.Table)
    )
    origins = {row[0][0]: row[2][0] for row in table.rows}
    assert origins[LOSS] == "axis of the sweep"
    assert origins["run.warmup"] == "set"
    assert "command-line" not in origins.values()


def test_keys_that_vary_together_are_known_to_the_page(tmp_path: Path, small: tp.Scenario) -> None:
    ranges: dict[str, dict[str, Any]] = {
        LOSS: {"from": 0.01, "to": 0.05},
        DELAY: {"from": "1 ms", "to": "9 ms"},
    }
    sample = tp.Sample(ranges, points=5)
    tp.Sweep(small, {"run.warmup": ["0 s", "1 s"]}, sample=sample, seeds=1).run(tmp_path, workers=1)
    data = study_of(page(tmp_path))
    assert data["together"] == [sorted([LOSS, DELAY])]
    if node_here.NODE is not None:
        (found,) = asked_here.answers(data, [f"y=goodput&x={LOSS}"])
        (answer,) = found["answers"]
        # No point is a mean over several values of the other key.
        assert [each["n"] for each in answer["points"]] == [1] * 5
        assert set(found["asked"]["where"]) == {"run.warmup"}


def test_an_unfinished_sweep_says_what_is_missing(tmp_path: Path, small: tp.Scenario) -> None:
    made_up_folders.sweep(tmp_path, small, {LOSS: [0.01, 0.02, 0.04]})
    (tmp_path / "results.csv").unlink()
    for piece in sorted((tmp_path / "points").rglob("*"))[:2]:
        if piece.is_file():
            piece.unlink()
    found = page(tmp_path)
    missing = sweep_folder.read(tmp_path).missing
    assert missing > 0
    assert f"{missing} run" in found.text
    assert "Unfinished" in found.text
    assert found.all("figure")


def test_a_sweep_without_any_run_has_a_page(tmp_path: Path, small: tp.Scenario) -> None:
    made_up_folders.sweep(tmp_path, small, {LOSS: [0.01, 0.02]})
    for piece in (tmp_path / "points").rglob("*"):
        if piece.is_file():
            piece.unlink()
    found = page(tmp_path)
    assert "0 finished, 4 missing" in found.text


def test_the_page_of_a_reproduction_has_figures_and_verdicts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_up_folders.reproduction(tmp_path, monkeypatch, "obs/fig2a", "obs/window")
    assert (tmp_path / "report.html").read_text("utf-8") == report.page(tmp_path)
    found = page(tmp_path)
    entries = json.loads((tmp_path / "ledger.json").read_text("utf-8"))
    verdicts = [each["class"] for each in found.all("span") if "verdict" in each.get("class", "")]
    assert {each["verdict"] for each in entries} >= {"holds", "not covered"}
    assert {"verdict holds", "verdict not-covered"} <= set(verdicts)
    for each in entries:
        assert each["claim"] in found.words
        assert each["published"] in found.words
        assert each["rule"] in found.text
    assert "obs-fig2a" in {named.get("id") for _, named in found.elements}
    assert "tcphoton reproduce obs/fig2a --scale quick" in found.words
    assert "Missing at scale quick: fig2b" in found.text
    assert "Topology" in found.words
    # The folder of the paper alone has a page, too.
    assert "obs" in page(tmp_path / "obs").words


def test_a_reproduction_that_was_stopped_has_a_page(tmp_path: Path) -> None:
    (tmp_path / "obs" / "points").mkdir(parents=True)
    found = page(tmp_path)
    assert "Unfinished" in found.text
    assert "No ledger yet" in found.text


def test_a_table_that_cannot_be_drawn_gives_its_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_up_folders.reproduction(tmp_path, monkeypatch, "obs/fig2a")
    pl.DataFrame({"other": [1]}).write_parquet(tmp_path / "obs" / "fig2a.parquet")
    found = page(tmp_path)
    assert "cannot be drawn by this version" in found.text
    picture = found.all("img")[-1]["src"].partition(",")[2]
    assert b"<svg" in base64.b64decode(picture)


# Nothing read from a folder runs.


def test_texts_that_mean_harm_stay_texts(tmp_path: Path, small: tp.Scenario) -> None:
    made_up_folders.harmful_run(tmp_path, small)
    harmless = tmp_path / "harmless"
    made_up_folders.run(harmless, small)
    found, plain = page(tmp_path), page(harmless)
    assert found.text.count(HARM) > 10
    # The same scripts, and no element of a kind that there is not anyway.
    assert found.policy == plain.policy
    assert {tag for tag, _ in found.elements} <= {tag for tag, _ in plain.elements}
    for named, text in found.scripts:
        if named.get("type") == "application/json":
            assert "<" not in text


def test_an_axis_of_a_sweep_that_means_harm_stays_a_text(
    tmp_path: Path, small: tp.Scenario
) -> None:
    made_up_folders.sweep(tmp_path, small, {LOSS: [0.01, 0.02]})
    text = (tmp_path / "sweep.json").read_text("utf-8")
    asked = json.loads(text.replace(LOSS, json.dumps(HARM)[1:-1]))
    made_up_folders.seal_json(tmp_path / "sweep.json", asked)
    assert HARM in page(tmp_path).text


def test_a_ledger_that_means_harm_stays_a_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_up_folders.reproduction(tmp_path, monkeypatch, "obs/fig2a")
    entries = json.loads((tmp_path / "ledger.json").read_text("utf-8"))
    for each in entries:
        each["statement"] = each["published"] = each["rule"] = HARM
        each["changes"] = [HARM]
    made_up_folders.seal_json(tmp_path / "ledger.json", entries)
    assert page(tmp_path).text.count(HARM) >= 4 * len(entries)
    entries[0]["verdict"] = HARM
    made_up_folders.seal_json(tmp_path / "ledger.json", entries)
    with pytest.raises(OutputError, match="not a readable ledger"):
        report.page(tmp_path)


# What the command refuses.


def test_the_command_writes_the_page(tmp_path: Path, small: tp.Scenario, tcphoton: Command) -> None:
    made_up_folders.run(tmp_path / "run", small)
    done = tcphoton("report", tmp_path / "run", "--out", tmp_path / "page.html")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"written: {tmp_path / 'page.html'} (")
    assert (tmp_path / "page.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    assert tcphoton("report", tmp_path / "run").returncode == 0
    assert (tmp_path / "run" / "report.html").exists()


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("", "", "holds no results of a run, a sweep or a reproduction"),
        ("report.json", "{", "no complete report"),
        ("report.json", "[1]", "no complete report"),
        ("sweep.json", "{}", "not a readable sweep"),
        ("obs/run.json", "[" * 100_000, ""),
        ("inside/report.json", '{"title": "a"}', "holds folders of results; give "),
    ],
)
def test_a_folder_without_results_is_an_error(
    tmp_path: Path, tcphoton: Command, file: str, text: str, said: str
) -> None:
    if file:
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text, "utf-8")
    done = tcphoton("report", tmp_path)
    assert "Traceback" not in done.stderr
    assert done.returncode == (2 if said else 0)
    assert said in done.stderr


def test_a_folder_of_results_and_a_file_say_what_to_give(
    tmp_path: Path, tcphoton: Command, small_file: Path
) -> None:
    for names in (["one"], ["one", "two"]):
        (tmp_path / names[-1]).mkdir()
        (tmp_path / names[-1] / "sweep.json").write_text('{"title": "a"}', "utf-8")
        whole = ", ".join(str(tmp_path / name) for name in names)
        give = whole if len(names) == 1 else f"one of {whole}"
        with pytest.raises(OutputError) as error:
            report.page(tmp_path)
        assert str(error.value) == f"{tmp_path}: holds folders of results; give {give}"
    done = tcphoton("report", small_file)
    said = f"error: {small_file}: a file; give the folder of --out DIR\n"
    assert (done.returncode, done.stderr) == (2, said)


def test_no_folder_and_no_place_for_the_page_are_errors(
    tmp_path: Path, small: tp.Scenario, tcphoton: Command
) -> None:
    done = tcphoton("report", tmp_path / "absent")
    assert (done.returncode, "not a folder" in done.stderr) == (2, True)
    made_up_folders.run(tmp_path, small)
    done = tcphoton("report", tmp_path, "--out", tmp_path / "report.json" / "page.html")
    assert (done.returncode, "cannot be written" in done.stderr) == (2, True)


@pytest.mark.parametrize("damage", ["flows", "parameters", "timing", "stop"])
def test_a_record_that_lacks_something_is_an_error(
    tmp_path: Path, small: tp.Scenario, damage: str
) -> None:
    made_up_folders.run(tmp_path, small)
    record = json.loads((tmp_path / "report.json").read_text("utf-8"))
    (record["tables"] if damage == "flows" else record).pop(damage)
    made_up_folders.seal_json(tmp_path / "report.json", record)
    with pytest.raises(OutputError):
        report.page(tmp_path)


# Figures, tables and drawings.


TABLE = pl.DataFrame(
    {"x": [1, 2] * 2, "y.z": [1.0, 2.0, 3.0, 4.0], "by.it": ["a", "a", "b", "b"]}
).with_columns(low=pl.col("y.z") - 1, high=pl.col("y.z") + 1)


def test_the_interactive_form_leaves_the_figure_as_it_is() -> None:
    chart = figures.lines(TABLE, "x", "y.z", "by.it", low="low", high="high")
    before = json.dumps(chart.to_dict())
    spec = interactive(chart)
    assert json.dumps(chart.to_dict()) == before
    units = spec["layer"]
    zoom, shown = units[0]["params"]
    assert (zoom["bind"], shown["bind"]) == ("scales", "legend")
    assert shown["value"] == [{"by․it": "a"}, {"by․it": "b"}]
    assert all(
        {"filter": {"param": shown["name"], "empty": False}} in unit["transform"] for unit in units
    )
    told = {each["title"] for each in units[1]["encoding"]["tooltip"]}
    assert {"x", "y.z", "by.it", "95 % interval, from", "95 % interval, to"} <= told


@pytest.mark.parametrize("count", [2, 3, 40, 500])
def test_a_network_of_any_size_has_a_place_for_every_node(count: int) -> None:
    graph: nx.Graph[str] = nx.relabel_nodes(nx.path_graph(count), str)
    for *_, about in graph.edges(data=True):
        about |= {"links": 2, "rate": 1e9, "utilization": None}
    drawn = topology.draw(topology.Network(graph, {})).to_dict()
    rows = [row for table in drawn["datasets"].values() for row in table]
    nodes = {row["node"]: (row["x"], row["y"]) for row in rows if "node" in row}
    assert len(set(nodes.values())) == count
    assert drawn["height"] <= topology.HEIGHTS[1] * figures.POINTS


def test_hosts_behind_a_node_are_gathered_with_their_number() -> None:
    network = topology.of_scenario(tp.example("hybrid-fat-tree"))
    assert network.graph.number_of_nodes() == 208
    drawn = topology.draw(network).to_dict()
    rows = [row for table in drawn["datasets"].values() for row in table if "node" in row]
    hosts = {row["node"]: row["neighbours"] for row in table_of(rows, "hosts")}
    assert sum(hosts.values()) == 128
    assert len(hosts) == 32


def table_of(rows: list[dict[str, object]], kind: str) -> list[dict[str, int]]:
    return [row for row in rows if row["kind"] == kind]  # type: ignore[misc]


def test_a_large_table_is_bounded_and_says_so() -> None:
    frame = pl.DataFrame({"n": range(1, 1001), "nothing": [0] * 1000})
    shown = blocks.table("numbers", frame, whole="numbers.parquet")
    assert len(shown.rows) == blocks.ROWS
    assert [column.name for column in shown.columns] == ["n"]
    assert "The first 200 of 1,000 rows." in shown.note
    assert "numbers.parquet" in shown.note


def test_texts_are_drawn_large_enough_on_the_page() -> None:
    chart = figures.lines(TABLE, "x", "y.z", "by.it", low="low", high="high")
    assert interactive(chart)["config"]["axis"]["labelFontSize"] > 12
    assert re.search(r'font-size="8px"', blocks_picture(chart))


def blocks_picture(chart: alt.LayerChart) -> str:
    source = blocks.figure(chart, "", "a figure of a test").picture
    return base64.b64decode(source.partition(",")[2]).decode()


# The load of links.


def test_a_drawing_tells_utilization_and_loss_of_links(small: tp.Scenario) -> None:
    report_ = tp.run(small.with_({QUEUE: 3, "topology.bottleneck.rate": "1 Mb/s"}))
    network = topology.of_report(report_)
    (row,) = report_.links.filter(pl.col("link") == "left -> right").to_dicts()
    about = network.graph.edges["left", "right"]
    lost = sum(value for name, value in row.items() if name.startswith("dropped-"))
    assert lost > 0
    assert about["loss"] == pytest.approx(lost / row["packets-in"])
    assert about["utilization"] == pytest.approx(row["utilization"])
    drawing = json.dumps(topology.draw(network).to_dict(), ensure_ascii=False)
    assert f"loss {100 * about['loss']:.2g} %" in drawing
    assert f"{about['utilization']:.0%}" in drawing
    assert '"title": "utilization"' in drawing


def test_the_first_point_of_a_sweep_has_the_mean_load_of_its_links(
    tmp_path: Path, small: tp.Scenario
) -> None:
    over = {QUEUE: [3, 20]}
    tp.Sweep(small, over, seeds=3, keep=["links"]).run(tmp_path / "a", workers=1)
    links = sweep_folder.read(tmp_path / "a", table="links").table
    used = links.filter(pl.col("link") == "left -> right", pl.col(QUEUE) == 3)
    mean = float(used.get_column("utilization").to_numpy().mean())
    found = page(tmp_path / "a")
    assert re.search(r"Means over the seeds at (\S*\.)?packets = 3\.", found.text)
    drawings = [text for named, text in found.scripts if "data-canvas" in named]
    assert any(f'"used":{mean!r}'[:14] in text for text in drawings)
    tp.Sweep(small, over, seeds=1).run(tmp_path / "b", workers=1)
    assert 'no tables of links are kept (keep = ["links"])' in page(tmp_path / "b").text


def test_the_network_of_a_sweep_is_drawn_where_most_happens(
    tmp_path: Path, small: tp.Scenario
) -> None:
    over: dict[str, list[Any]] = {LOSS: [0.0, 0.2], DELAY: ["20 ms", "1 ms"]}
    tp.Sweep(small, over, seeds=2, keep=["links"]).run(tmp_path / "a", workers=1)
    (section,) = (each for each in of_sweep.sections([tmp_path / "a"]) if each.title == "Topology")
    titles = [block.title for block in section.blocks if isinstance(block, blocks.Figure)]
    assert titles == [
        "The network at the first point",
        "The network at the highest utilization",
        "The network at the largest loss",
    ]
    notes = [block.text for block in section.blocks if isinstance(block, blocks.Note)]
    assert notes[0] == "Means over the seeds at loss.p = 0.0, bottleneck.delay = 20 ms."
    assert notes[1] == "Means over the seeds at loss.p = 0.0, bottleneck.delay = 1 ms."
    assert notes[2].startswith("Means over the seeds at loss.p = 0.2")
