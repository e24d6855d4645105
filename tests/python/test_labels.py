"""Names of a sweep's axes, values and cases: where they are shown, and what they do not change."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
import warnings
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import asked_here
import node_here
import tcphoton as tp
from command_here import call
from conftest import count_runs
from tcphoton.errors import CaveatWarning, ScenarioError
from tcphoton.report import folder as report_folder
from tcphoton.report.dataset import gather
from tcphoton.report.explorer import explorer
from tcphoton.report.findings import findings
from tcphoton.sweep import folder as sweep_folder
from tcphoton.sweep.labels import Labels, written
from tcphoton.sweep.sweep import Sweep
from test_caveats import TRANSFERS

if TYPE_CHECKING:
    from collections import Counter
    from pathlib import Path

pytestmark = pytest.mark.slow

DELAY, QUEUE = "topology.bottleneck.delay", "topology.bottleneck.queue"
PRESET, RATE = "traffic.0.transport.preset", "traffic.0.source.per-second"
SCENARIO = TRANSFERS.replace('duration = "10 s"', 'duration = "2 s"')
SWEEP = """
title = "Named"
scenario = "base.toml"
seeds = 2
keep = ["flows"]

[over]
"traffic.0.source.per-second" = [1.0, 8.0]
"topology.bottleneck.delay" = ["30 ms", "1 ms"]

[[cases]]
LABELA
"traffic.0.transport.preset" = "reno"
"topology.bottleneck.queue" = { kind = "drop-tail", packets = 5 }

[[cases]]
LABELB
"traffic.0.transport.preset" = "cubic"
"topology.bottleneck.queue" = { kind = "drop-tail", packets = 400 }
"""
LABELS = """
[labels]
"traffic.0.source.per-second" = { name = "load", values = ["light", "heavy"] }
"topology.bottleneck.delay" = "path delay"
case = "switch"
"""
CASES = ("shallow Reno", "deep CUBIC")
NAMED = (SWEEP + LABELS).replace("LABELA", f'label = "{CASES[0]}"').replace(
    "LABELB", f'label = "{CASES[1]}"'
)  # fmt: skip
PLAIN = SWEEP.replace("LABELA", "").replace("LABELB", "")


def put(folder: Path, text: str) -> Path:
    (folder / "base.toml").write_text(SCENARIO, "utf-8")
    (folder / "named.toml").write_text(text, "utf-8")
    return folder / "named.toml"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sweep with names of a key, of values, and of cases that vary a table."""
    place = tmp_path_factory.mktemp("labels")
    Sweep.load(put(place, NAMED)).run(place / "found", workers=1)
    return place / "found"


# Tables and choices of rows.


def test_a_table_has_the_names_of_axes_values_and_cases(folder: Path) -> None:
    lines = call("results", folder).stdout.splitlines()
    assert re.split(r"\s{2,}", lines[1])[:4] == ["load", "path delay", "switch", "seeds"]
    first = [re.split(r"\s{2,}", line)[:3] for line in lines[2:10]]
    assert first == [
        [load, delay, case]
        for load in ("light", "heavy")
        for delay in ("30 ms", "1 ms")
        for case in CASES
    ]


def test_rows_for_programs_have_keys_and_values(folder: Path) -> None:
    rows = pl.read_csv(call("results", folder, "--csv").stdout.encode())
    assert rows.columns[:5] == [RATE, DELAY, PRESET, QUEUE, "seed"]
    assert rows.row(0)[:4] == (1.0, "30 ms", "reno", '{ kind = "drop-tail", packets = 5 }')
    assert pl.read_parquet(folder / "results.parquet").columns[:5] == rows.columns[:5]


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        (["load=light"], pl.col(RATE) == 1),
        (["load=1"], pl.col(RATE) == 1),
        (["per-second=heavy"], pl.col(RATE) == 8),
        (["path delay=1000 us"], pl.col(DELAY) == "1 ms"),
        (["switch=deep CUBIC"], pl.col(PRESET) == "cubic"),
        (["case=shallow Reno"], pl.col(PRESET) == "reno"),
        (["preset=reno", "load=light", "load=heavy"], pl.col(PRESET) == "reno"),
    ],
)
def test_rows_are_chosen_by_names_and_by_keys(
    folder: Path, where: list[str], kept: pl.Expr
) -> None:
    options = [word for each in where for word in ("--where", each)]
    all_, found = (
        pl.read_csv(call("results", folder, "--csv", *words).stdout.encode()).select(
            RATE, DELAY, PRESET, "seed", "packets-sent"
        )
        for words in ([], options)
    )
    assert found.equals(all_.filter(kept))
    assert 0 < found.height < all_.height


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("case=CUBIC", "no rows; case has shallow Reno, deep CUBIC"),
        ("load=2", f"no rows; {RATE} has light, heavy"),
        ("load=much", f"{RATE} is a number"),
        ("lod=light", "no column 'lod'"),
    ],
)
def test_a_name_that_there_is_not_is_told(folder: Path, where: str, told: str) -> None:
    done = call("results", folder, "--where", where)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert told in done.stderr


def test_two_folders_are_compared_by_names(folder: Path) -> None:
    done = call("compare", folder, folder, "--measure", "goodput")
    assert "load   path delay  switch        measure" in done.stdout
    assert "light  30 ms       shallow Reno  goodput" in done.stdout


# Figures and pages.


def test_a_figure_has_the_names_and_is_asked_by_them(folder: Path, tmp_path: Path) -> None:
    by_names = call(
        "plot", folder, "--x", "path delay", "--by", "switch", "--y", "goodput",
        "--where", "load=heavy", "--out", tmp_path / "a.svg",
    )  # fmt: skip
    by_keys = call(
        "plot", folder, "--x", "delay", "--by", "case", "--y", "goodput",
        "--where", "per-second=8", "--out", tmp_path / "b.svg",
    )  # fmt: skip
    assert (by_names.returncode, by_keys.returncode) == (0, 0)
    drawn = (tmp_path / "a.svg").read_text("utf-8")
    assert drawn == (tmp_path / "b.svg").read_text("utf-8")
    texts = re.findall(r">([^<]+)</text>", drawn)
    assert {"path delay (ms)", "switch", *CASES} <= {*texts}


def test_bars_parts_and_differences_have_names(folder: Path, tmp_path: Path) -> None:
    call(
        "plot", folder, "--x", "case", "--by", "load", "--facet", "delay", "--y", "goodput",
        "--out", tmp_path / "a.svg", code=0
    )  # fmt: skip
    texts = re.findall(r">([^<]+)</text>", (tmp_path / "a.svg").read_text("utf-8"))
    assert {*CASES, "light", "heavy", "load", "switch", "path delay = 30 ms"} <= {*texts}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaveatWarning)
        chart = tp.plot(
            folder, "goodput", "delay", "load", where={"case": CASES[0]}, baseline="light"
        )
        curves = tp.plot(
            folder, by="load", statistic="completions", where={"case": CASES[1], "delay": "1 ms"}
        )
    title = chart.to_dict()["layer"][0]["encoding"]["y"]["title"]
    assert title.startswith("goodput, less light (")
    text = json.dumps(curves.to_dict())
    assert '"title": "load"' in text
    assert '"domain": ["light", "heavy"]' in text


def test_what_was_found_is_told_by_names(folder: Path) -> None:
    found = findings(gather([folder]))
    assert found is not None
    texts = [each.text for each in found.entries]
    assert any(
        re.search(r"with load: .* at (light|heavy), .* at (light|heavy);", each) for each in texts
    )
    assert any(" with path delay: " in each for each in texts)
    assert any(re.search(rf"with switch: .* at ({'|'.join(CASES)}), ", each) for each in texts)


@pytest.mark.skipif(bool(node_here.MISSING), reason=node_here.MISSING)
def test_the_menus_of_a_page_have_names_and_its_code_runs(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = explorer(gather([folder]), {})
    assert found is not None
    axes = {
        axis["key"]: (axis["short"], [each["text"] for each in axis["values"]])
        for axis in found.data["axes"]
    }
    assert axes == {
        RATE: ("load", ["light", "heavy"]),
        DELAY: ("path delay", ["1 ms", "30 ms"]),
        "case": ("switch", [*CASES]),
    }
    questions = [
        f"y=goodput&x={DELAY}&by=case&where={RATE}=heavy",
        f"y=goodput&x=case&by={RATE}&baseline=light&where={DELAY}=30 ms",
        f"statistic=completions&by=case&facet={RATE}",
    ]
    for told in asked_here.answers(found.data, questions):
        assert told["marks"] > 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CaveatWarning)
            exec(told["code"]["python"], {})
        call(*shlex.split(told["code"]["command"])[1:], code=0)
    assert (
        'where={"traffic.0.source.per-second": "heavy"}'
        in (asked_here.answers(found.data, questions[:1])[0]["code"]["python"])
    )


def test_a_page_says_what_the_names_are_of_and_gives_them_back(folder: Path) -> None:
    text = report_folder.page(folder)
    assert f"load: {RATE}" in text
    assert "1.0 (light), 8.0 (heavy)" in text
    assert ", ".join(CASES) in text
    again = written(json.loads((folder / "sweep.json").read_text("utf-8")))
    file = tomllib.loads(NAMED)
    assert again == {"zip": [], "cases": file["cases"], "labels": file["labels"]}


# What names do not change.


def test_other_names_are_no_other_study_and_run_nothing(tmp_path: Path, ran: Counter[Any]) -> None:
    out = tmp_path / "out"
    Sweep.load(put(tmp_path, PLAIN)).run(out)
    before, runs = (out / "results.parquet").read_bytes(), ran.total()
    assert runs == 2 * 2 * 2 * 2
    for text in (NAMED, NAMED.replace("light", "little").replace("switch", "device"), PLAIN):
        sweep = Sweep.load(put(tmp_path, text))
        sweep.run(out)
        assert call("results", out, "--studies").stdout.count("\n") == 3
        assert sweep_folder.read(out).labels == sweep.names
    assert ran.total() == runs
    assert (out / "results.parquet").read_bytes() == before
    assert not [*out.glob("study-*")]


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> Counter[Any]:
    return count_runs(monkeypatch)


def test_names_that_look_like_quantities_are_names(tmp_path: Path) -> None:
    # "ports" ends like a second, and "1 port" like nothing.
    cases: list[dict[str, Any]] = [
        {"label": name, QUEUE: {"kind": "drop-tail", "packets": packets}}
        for name, packets in (("0 ports", 5), ("1 port", 50), ("8 ports", 500), ("DCTCP", 900))
    ]
    base = tp.Scenario.from_text(SCENARIO).with_({"run.duration": "200 ms"})
    for chosen in (cases, [cases[0], cases[2]]):
        out = tmp_path / str(len(chosen))
        Sweep(base, cases=chosen, seeds=2, labels={"case": "switch"}).run(out, workers=1)
        call("plot", out, "--y", "packets-sent", "--x", "switch", "--out", out / "a.svg", code=0)
        texts = (out / "a.svg").read_text("utf-8")
        assert all(case["label"] in texts for case in chosen)
        assert call("report", out).returncode == 0


def test_folders_whose_names_contradict_are_shown_by_their_values(tmp_path: Path) -> None:
    base = tp.Scenario.from_text(SCENARIO)
    over = {DELAY: ["1 ms", "30 ms"]}
    names = {DELAY: {"name": "path", "values": ["near", "far"]}}
    Sweep(base, over, seeds=1, labels=names).run(tmp_path / "a", workers=1)
    Sweep(base, over, seeds=1).run(tmp_path / "b", workers=1)
    other = {DELAY: {"values": ["far", "farther"]}}
    Sweep(base, {DELAY: ["10 ms", "90 ms"]}, seeds=1, labels=other).run(tmp_path / "c", workers=1)
    both = gather([tmp_path / "b", tmp_path / "a"]).labels
    assert (both.of_value(DELAY, "1 ms"), both.of_keys([DELAY])) == ("near", ["path"])
    clash = gather([tmp_path / "a", tmp_path / "c"]).labels
    assert [clash.of_value(DELAY, each) for each in ("30 ms", "10 ms")] == ["30 ms", "10 ms"]


def test_cases_that_only_one_folder_names_are_shown_by_their_keys(
    folder: Path, tmp_path: Path
) -> None:
    Sweep.load(put(tmp_path, PLAIN)).run(tmp_path / "plain", workers=1)
    assert gather([folder]).axes == (RATE, DELAY, "case")
    assert gather([tmp_path / "plain", folder]).axes == ("folder", RATE, DELAY, PRESET, QUEUE)


# From Python.


def test_names_of_a_sweep_in_python_are_those_of_its_file(folder: Path) -> None:
    read = Sweep.load(folder.parent / "named.toml")
    made = Sweep(
        tp.Scenario.from_text(SCENARIO),
        {RATE: [1.0, 8.0], DELAY: ["30 ms", "1 ms"]},
        cases=[
            {"label": CASES[0], PRESET: "reno", QUEUE: {"kind": "drop-tail", "packets": 5}},
            {"label": CASES[1], PRESET: "cubic", QUEUE: {"kind": "drop-tail", "packets": 400}},
        ],
        labels={
            RATE: {"name": "load", "values": ["light", "heavy"]},
            DELAY: "path delay",
            "case": "switch",
        },
        keep=["flows"],
    )
    assert made.names == read.names == read.with_({"run.duration": "1 s"}).names
    assert [*made.points[0]] == [*read.points[0]] == [RATE, DELAY, PRESET, QUEUE]
    assert made.keep == read.keep == ("flows",)
    shown = read._repr_html_()
    assert all(word in shown for word in ("load", "light, heavy", "switch", ", ".join(CASES)))


def test_rows_of_a_zip_have_names() -> None:
    sweep = Sweep(
        tp.Scenario.from_text(SCENARIO),
        zip_=[{RATE: [1.0, 8.0], DELAY: ["1 ms", "30 ms"], "label": ["near", "far"]}],
    )
    assert sweep.points == [{RATE: 1.0, DELAY: "1 ms"}, {RATE: 8.0, DELAY: "30 ms"}]
    assert "2 of traffic.0.source.per-second, topology.bottleneck.delay" in repr(sweep)
    assert sweep.names.of_point(sweep.points[1]) == {"case": "far"}
    again = Sweep.of(sweep.checked())
    assert (again.zip_, again.names) == (sweep.zip_, sweep.names)


def test_a_sample_has_names_of_what_it_draws_from() -> None:
    sample = tp.Sample({PRESET: {"among": ["reno", "cubic"]}, RATE: {"from": 1, "to": 9}}, points=6)
    labels: dict[str, Any] = {PRESET: {"values": ["old", "new"]}, RATE: "load"}
    sweep = Sweep(tp.Scenario.from_text(SCENARIO), sample=sample, labels=labels)
    assert sweep.names.of_value(PRESET, "cubic") == "new"
    assert Sweep.of(sweep.checked()).labels == labels


def test_wrong_names_are_told(tmp_path: Path) -> None:
    scenario = tp.Scenario.from_text(SCENARIO)
    (mistake,) = Sweep(scenario, {DELAY: ["1 ms"]}, labels={RATE: "load"}).check()
    assert mistake.text.endswith(f"not a key that varies; accepted {DELAY}")
    with pytest.raises(TypeError, match="labels must be a dictionary of keys"):
        Sweep(scenario, {}, labels=["load"])  # type: ignore[arg-type]
    file = put(tmp_path, NAMED.replace('"heavy"', '"light"'))
    done = call("sweep", file, "--out", tmp_path / "out", code=2)
    line = NAMED[: NAMED.index("values")].count("\n") + 1
    assert done.stderr == (
        f'{file}:{line}: labels.{RATE}.values: the label of two values; found "light"; '
        "accepted another label for each value\n"
    )
    with pytest.raises(ScenarioError):
        Sweep.load(file)


def test_a_definition_with_names_of_other_keys_is_no_sweep(folder: Path, tmp_path: Path) -> None:
    found = json.loads((folder / "sweep.json").read_text("utf-8"))
    found["labels"]["cases"][0][1] = [PRESET]
    del found["checksum"]
    (tmp_path / "sweep.json").write_text(json.dumps(found), "utf-8")
    done = call("results", tmp_path)
    assert (done.returncode, done.stderr.count("not a readable sweep")) == (2, 1)
    assert Labels.of({}) == Labels()


# What a sweep keeps.


def test_what_a_page_says_to_keep_is_kept(tmp_path: Path) -> None:
    plain = PLAIN.replace('keep = ["flows"]\n', "")
    assert call("sweep", put(tmp_path, plain), "--out", tmp_path / "first").returncode == 0
    page = report_folder.page(tmp_path / "first")
    tables = ("flows", "links")
    for table in tables:
        assert re.findall(rf'keep = \[(?:"|&#34;){table}(?:"|&#34;)\]', page), table
    out, keep = tmp_path / "first", f'keep = ["{tables[0]}", "{tables[1]}"]'
    assert call("sweep", put(tmp_path, f"{keep}\n{plain}"), "--out", out).returncode == 0
    said = report_folder.page(out).split("Run it again")[0].replace("&#34;", '"')
    for table in tables:
        assert call("results", out, "--table", table).returncode == 0
        assert f'keep = ["{table}"]' not in said
