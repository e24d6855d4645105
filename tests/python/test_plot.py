"""The verb ``plot``, and what the command line says to a newcomer's mistakes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import tcphoton as tp
from command_here import call
from tcphoton.errors import CaveatWarning
from tcphoton.report import plot
from tcphoton.report.dataset import gather
from tcphoton.runs.caveats import told
from test_caveats import TRANSFERS

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

RATE, DELAY = "traffic.0.source.per-second", "topology.bottleneck.delay"
PRESET = "traffic.0.transport.preset"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sweep over a number, a quantity and a name."""
    place = tmp_path_factory.mktemp("plot") / "found"
    scenario = tp.Scenario.from_text(TRANSFERS).with_({"run.duration": "2 s"})
    over: dict[str, list[Any]] = {
        RATE: [1.0, 8.0],
        DELAY: ["1 ms", "10 ms", "30 ms"],
        PRESET: ["reno", "cubic"],
    }
    tp.Sweep(scenario, over, seeds=2).run(place, workers=1)
    return place


def test_a_figure_of_a_measure_against_an_axis(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "figure.svg"
    done = call(
        "plot", folder, "--x", "delay", "--y", "goodput", "--by", "preset", "--where",
        "per-second=1", "--out", out,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, f"written: {out}\n")
    drawn = out.read_text("utf-8")
    assert all(word in drawn for word in ("bottleneck.delay (ms)", "goodput (Mb/s)", "cubic"))
    assert "note: intervals from 2 runs" in done.stderr


def test_without_options_the_first_measure_against_the_longest_axis(folder: Path) -> None:
    call("plot", folder, "--where", "preset=reno", code=0)
    # In most of these runs many flows have not ended.
    assert (folder / "completion-restricted-mean.png").read_bytes().startswith(b"\x89PNG")


def test_names_across_are_bars(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "bars.svg"
    call(
        "plot", folder, "--x", "preset", "--y", "goodput", "--where", "per-second=1", "--where",
        "delay=1 ms", "--out", out, code=0
    )  # fmt: skip
    assert "reno" in out.read_text("utf-8")


def test_what_is_left_out_is_told_below_the_figure(tmp_path: Path) -> None:
    scenario = tp.Scenario.from_text(TRANSFERS).with_({"run.duration": "1 s"})
    rates = [0.001, 2.0, 4.0]
    tp.Sweep(scenario, {RATE: rates}, seeds=2).run(tmp_path / "a", workers=1)
    out = tmp_path / "figure.svg"
    done = call("plot", tmp_path / "a", "--y", "completion-mean", "--out", out, code=0)
    note = "1 of 3 points are left out: none of their runs has a value of completion-mean"
    assert f"note: {note}" in done.stderr
    assert "Note: 1 of 3 points are left out" in " ".join(out.read_text("utf-8").split())
    done = call("plot", tmp_path / "a", "--y", "goodput", "--log", "y", "--out", out)
    assert "1 of 3 points are left out: they are 0 or less, where a logarithmic axis" in done.stderr
    with pytest.warns(CaveatWarning, match="1 of 3 points are left out"):
        tp.plot(tmp_path / "a", "delay-mean")
    next(iter(sorted((tmp_path / "a" / "points").glob("*.parquet")))).unlink()
    done = call("plot", tmp_path / "a", "--y", "goodput", "--out", out)
    assert "1 of 6 runs of the sweep are missing" in done.stderr
    assert "Note: 1 of 6 runs of the sweep are missing" in out.read_text("utf-8")


def test_lines_without_a_place_on_a_logarithmic_axis_are_named(tmp_path: Path) -> None:
    scenario = tp.Scenario.from_text(TRANSFERS).with_({"run.duration": "1 s"})
    labels = {RATE: {"values": ["idle", "busy"]}}
    sweep = tp.Sweep(
        scenario, {RATE: [0.001, 8.0], DELAY: ["1 ms", "2 ms"]}, seeds=1, labels=labels
    )
    sweep.run(tmp_path / "a", workers=1)
    gathered = gather([tmp_path / "a"])
    _, found = plot.answer(gathered, plot.ask(gathered, "goodput", DELAY, RATE, log="y"))
    (text,) = (text for kind, text in told(found).items() if kind == "not-above-0")
    assert text.endswith("where a logarithmic axis has no place; all of idle")


def test_completion_times_of_unlike_entries_are_told_apart(tmp_path: Path) -> None:
    mice = TRANSFERS.split("[[traffic]]")[1].replace("400 kB", "2 kB")
    scenario = tp.Scenario.from_text(f"{TRANSFERS}\n[[traffic]]{mice}")
    settings = {"run.duration": "2 s", RATE: 1.0}
    sweep = tp.Sweep(scenario.with_(settings), {DELAY: ["1 ms", "9 ms"]}, seeds=2, keep=["flows"])
    sweep.run(tmp_path / "a", workers=1)
    out = tmp_path / "figure.svg"
    ask = ("plot", tmp_path / "a", "--statistic", "completions", "--by", "delay", "--out", out)
    done = call(*ask, code=0)
    assert "note: over all traffic, whose entries differ by a factor of" in done.stderr
    assert "Note: over all traffic" in out.read_text("utf-8")
    done = call(*ask, "--y", "traffic.1.completion", code=0)
    assert "over all traffic" not in done.stderr
    assert done.stderr.startswith("note: 4 % of the flows had not ended: each counts as longer")
    assert "Note: 4 % of the flows had not ended" in out.read_text("utf-8")
    assert "traffic.1.completion (ms)" in out.read_text("utf-8")
    done = call(*ask, "--y", "goodput", code=2)
    assert "--y goodput: --statistic completions draws completion, of all flows" in done.stderr


def test_the_parts_of_a_figure_have_one_unit(tmp_path: Path) -> None:
    # Delays below and above 1 s, which alone would be in ms and in s; timeouts in us and in ms.
    rows = pl.DataFrame({
        "part": ["a", "a", "b", "b"],
        "run.warmup": ["100 us", "400 us", "100 us", "2 ms"],
        "seed": [1] * 4,
        "delay-mean": [0.2, 0.4, 1.5, 2.0],
    })  # fmt: skip
    sweep = tp.Sweep(
        tp.Scenario.from_text(TRANSFERS).with_({"run.duration": "100 ms"}),
        cases=[{"run.warmup": "100 us"}, {"run.warmup": "400 us"}], seeds=1,
    )  # fmt: skip
    sweep.run(tmp_path / "a", workers=1)
    gathered = replace(gather([tmp_path / "a"]), rows=rows, axes=("part", "run.warmup"))
    asked = plot.ask(gathered, "delay-mean", "run.warmup", facet="part")
    (found, _) = plot.answer(gathered, asked)
    parts = found.to_dict()["concat"]
    (data,) = {part["layer"][0]["encoding"]["y"]["title"] for part in parts}
    assert data == "delay-mean (s)"
    (across,) = {part["layer"][0]["encoding"]["x"]["title"] for part in parts}
    assert across == "run.warmup (ms)"
    values = [row for rows in found.to_dict()["datasets"].values() for row in rows]
    assert {(row["run.warmup"], row["delay-mean"]) for row in values} == {
        (0.1, 0.2), (0.4, 0.4), (0.1, 1.5), (2.0, 2.0),
    }  # fmt: skip


def test_bars_with_a_caveat_are_marked(folder: Path) -> None:
    with pytest.warns(CaveatWarning):
        figure = tp.plot(folder, "completion-mean", PRESET, by=RATE, where={DELAY: "1 ms"})
    chart = figure.to_dict()
    assert [each["mark"]["type"] for each in chart["layer"]] == ["bar", "rule", "point"]
    assert "censored" in chart["layer"][2]["transform"][0]["filter"]


def test_a_figure_without_intervals_says_so(tmp_path: Path) -> None:
    sweep = tp.Sweep(
        tp.Scenario.from_text(TRANSFERS).with_({"run.duration": "1 s"}),
        {DELAY: ["1 ms", "9 ms"]}, seeds=1,
    )  # fmt: skip
    sweep.run(tmp_path / "a", workers=1)
    chart = tp.plot(tmp_path / "a", "packets-sent").to_dict()
    assert " ".join(chart["title"]["text"]).startswith("Note: no interval from 1 run:")


def test_names_across_a_logarithmic_axis_are_points(folder: Path) -> None:
    where = {RATE: 1.0, DELAY: "1 ms"}
    bars = tp.plot(folder, "delay-mean", PRESET, where=where).to_dict()
    points = tp.plot(folder, "delay-mean", PRESET, where=where, log="y").to_dict()
    assert bars["layer"][0]["mark"]["type"] == "bar"
    assert points["layer"][0]["mark"]["type"] == "point"
    assert points["layer"][0]["encoding"]["y"]["scale"]["type"] == "log"


def test_a_part_without_a_value_is_named(folder: Path) -> None:
    gathered = gather([folder])
    empty = pl.when(pl.col(RATE) == 8.0).then(None).otherwise(pl.col("goodput")).alias("goodput")
    known = replace(gathered, rows=gathered.rows.with_columns(empty))
    asked = plot.ask(known, "goodput", DELAY, PRESET, facet=RATE)
    chart, found = plot.answer(known, asked)
    assert len(chart.to_dict().get("concat", [chart])) == 1
    assert told(found)["no-value goodput"].endswith("; all of source.per-second = 8.0")


def test_ten_cases_are_lines_and_seventeen_too_many(tmp_path: Path) -> None:
    scenario = tp.Scenario.from_text(TRANSFERS).with_({"run.duration": "100 ms"})
    for count in (10, 17):
        names = {RATE: {"values": [f"case {number}" for number in range(count)]}}
        over: dict[str, list[Any]] = {
            RATE: [float(1 + number) for number in range(count)],
            DELAY: ["1 ms", "2 ms"],
        }
        out = tmp_path / str(count)
        tp.Sweep(scenario, over, seeds=1, labels=names).run(out, workers=1)
        done = call("plot", out, "--x", "delay", "--by", "per-second", "--y", "packets-sent")
        assert done.returncode == (0 if count == 10 else 2)
        if count == 17:
            assert f"--by {RATE}: 17 values; at most 16 lines: --where" in done.stderr


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            ["--by", "preset", "--x", "delay"],
            f"{RATE} varies, too: choose with --where {RATE}=VALUE",
        ),
        (["--statistic", "avg"], "is no statistic (did you mean 'mean'?); accepted mean, median"),
        (["--y", "fct"], "no column 'fct' (did you mean 'completion-mean'?)"),
        (["--where", "preset=reno", "--out", "a.gif"], "not a figure's name; accepted png, svg"),
        (["--where", "preset=vegas"], "no rows; traffic.0.transport.preset has reno, cubic"),
    ],
)
def test_what_cannot_be_drawn_is_told(folder: Path, options: list[str], told: str) -> None:
    done = call("plot", folder, *options, code=2)
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_name_of_an_example_instead_of_a_file_says_how_to_get_it() -> None:
    done = call("run", "dumbbell", code=2)
    assert "tcphoton example dumbbell --out dumbbell.toml" in done.stderr


def test_a_file_that_is_no_scenario_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A title\n\nSome words: and more.\n" * 30, "utf-8")
    (tmp_path / "b.toml").write_text('title = "x"\n[project]\nname = "y"\n[tool]\n', "utf-8")
    for name in ("a.md", "b.toml"):
        done = call("run", tmp_path / name, code=2)
        assert done.stderr.count("\n") == 1
        assert "not a scenario" in done.stderr


def test_help_has_a_short_form_and_flags_without_values() -> None:
    done = call("results", "-h", code=0)
    assert "<bool>" not in done.stdout
    assert "<bool>" not in call("-h").stdout
    assert call("--show-completion", "bash").returncode in {0, 1}


def test_a_dash_is_stdout_or_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.toml").write_text(TRANSFERS.replace('"10 s"', '"1 s"'), "utf-8")
    assert call("example", "mm1", "--out", "-").stdout == call("example", "mm1").stdout
    done = call("run", "a.toml", "--out", "-")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--out -: a folder cannot be stdout" in done.stderr
    assert call("run", "a.toml", "--out", "run").stderr == "written: run\n"
    assert call("run", "a.toml", "--out", "run").stderr == "written: run\n"
    assert "run had another run" in call("run", "a.toml", "--out", "run", "--seed", "2").stderr
    assert call("report", "run", "--out", "-").stdout.startswith("<!DOCTYPE html>")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.toml", "run"]


def test_a_sweep_takes_keys_from_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text(TRANSFERS, "utf-8")
    text = f'scenario = "base.toml"\nseeds = 1\n[over]\n"{RATE}" = [1.0, 2.0]\n'
    (tmp_path / "sweep.toml").write_text(text, "utf-8")
    out = tmp_path / "out"
    call("sweep", tmp_path / "sweep.toml", "--out", out, "--set", "run.duration=1 s", code=0)
    expected = tp.Sweep(
        tp.Scenario.load(tmp_path / "base.toml").with_({"run.duration": "1 s"}),
        {RATE: [1.0, 2.0]},
        seeds=1,
    ).run()
    found = call("results", out, "--csv", "--measure", "events").stdout
    assert [int(line.split(",")[-1]) for line in found.splitlines()[1:]] == list(expected["events"])
    wrong = call("sweep", tmp_path / "sweep.toml", "--out", out, "--set", "run.durtion=1 s", code=2)
    assert wrong.stderr.startswith("--set run.durtion: run.durtion: unknown key (did you mean")


def test_points_without_a_value_are_counted_over_the_panels_and_named(tmp_path: Path) -> None:
    scenario = tp.Scenario.from_text(TRANSFERS).with_({"run.duration": "1 s"})
    over: dict[str, list[Any]] = {
        RATE: [0.001, 2.0],
        PRESET: ["reno", "cubic"],
        DELAY: ["1 ms", "10 ms"],
    }
    folder = tmp_path / "a"
    tp.Sweep(scenario, over, seeds=2).run(folder, workers=1)
    asked = ("--x", RATE, "--y", "completion-mean", "--by", "delay", "--facet", "preset")
    done = call("plot", folder, *asked, "--out", tmp_path / "f.svg", code=0)
    assert "4 of 8 points are left out: none of their runs has a value" in done.stderr
    asked = ("--x", RATE, "--y", "completion-mean", "--by", "preset", "--where", "delay=1 ms")
    done = call("plot", folder, *asked, "--out", tmp_path / "f.svg")
    places = "at transport.preset = reno, source.per-second = 0.001; transport.preset = cubic, "
    assert "2 of 4 points are left out" in done.stderr
    assert places in done.stderr


def test_what_makes_no_figure_is_named(folder: Path, tmp_path: Path) -> None:
    for asked, problem in (
        (("--x", "delay", "--by", "delay"), "bottleneck.delay is there twice"),
        (("--x", "delay", "--y", "seed", "--by", "preset"), "--y seed: no measure"),
        (
            ("--x", "delay", "--by", "preset", "--where", f"{RATE}=1", "--baseline", "vegas"),
            "--baseline vegas: no rows",
        ),
    ):
        done = call("plot", folder, *asked, "--out", tmp_path / "f.svg", code=2)
        assert problem in done.stderr, done.stderr
