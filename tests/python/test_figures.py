"""Figures: files of every format, intervals, and legible groups."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import polars as pl
import pytest

import tcphoton as tp
from tcphoton import figures
from tcphoton.figures import style
from tcphoton.runs.measures import SERIES_UNITS

if TYPE_CHECKING:
    from pathlib import Path

TABLE = pl.DataFrame(
    {
        "core.max-size": [1, 1, 2, 2] * 2,
        "goodput": [1.0, 2.0, 3.0, 5.0, 2.0, 3.0, 4.0, 5.0],
        "tcp": ["reno"] * 4 + ["sack"] * 4,
    }
)


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour (WCAG 2, without its gamma's foot)."""
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return float(0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2)


def test_areas_side_by_side_differ_in_grey() -> None:
    greys = [luminance(colour) for colour in style.LIGHT[:4]]
    assert greys == sorted(greys, reverse=True)
    assert all(above / below > 1.3 for above, below in itertools.pairwise(greys))


def test_bars_of_groups_stand_side_by_side() -> None:
    means = TABLE.group_by("core.max-size", "tcp", maintain_order=True).agg(pl.mean("goodput"))
    means = means.with_columns(low=pl.col("goodput") - 1, high=pl.col("goodput") + 1)
    chart = figures.bars(means, "core.max-size", "goodput", "tcp", legend="which").to_dict()
    bar, rule = chart["layer"]
    assert bar["encoding"]["xOffset"] == rule["encoding"]["xOffset"]
    assert bar["encoding"]["color"]["title"] == "which"


def test_series_have_the_units_that_the_engine_states() -> None:
    report = tp.run(tp.example("mm1").with_({"run.duration": "20 s"}))
    stated = dict(re.findall(r"(\w+) \((\w+)\)", report.docs["series"]["what"]))
    assert stated == SERIES_UNITS


def test_one_chart_gives_every_format(tmp_path: Path) -> None:
    chart = figures.lines(TABLE, "core.max-size", "goodput", "tcp", units={"goodput": "b/s"})
    written = figures.save(chart, tmp_path / "figure", ["svg", "pdf", "png", "html"])
    starts = {".svg": b"<svg", ".pdf": b"%PDF", ".png": b"\x89PNG", ".html": b"<!DOCTYPE"}
    for file in written:
        assert file.read_bytes().lstrip()[:9].upper().startswith(starts[file.suffix].upper())
    assert len(list(tmp_path.iterdir())) == 4
    svg = (tmp_path / "figure.svg").read_text("utf-8")
    assert "goodput (b/s)" in svg
    assert "Arial" in svg


@pytest.mark.parametrize("interval", ["bars", "band"])
def test_replications_become_means_with_intervals(interval: str) -> None:
    chart = figures.lines(
        TABLE,
        "core.max-size",
        "goodput",
        "tcp",
        interval=interval,  # type: ignore[arg-type]
    ).to_dict()
    rows = next(iter(chart["datasets"].values()))
    assert [row["goodput"] for row in rows] == [1.5, 4.0, 2.5, 4.5]
    assert all(row["low"] < row["goodput"] < row["high"] for row in rows)


def test_a_logarithmic_scale_shows_an_interval_down_to_0_from_its_foot() -> None:
    table = pl.DataFrame(
        {"x": [1, 2, 3], "y": [5.0, 2.0, 0.0], "low": [-1.0, 1.5, -1.0], "high": [11.0, 3.0, 1.0]}
    )
    chart = figures.lines(table, "x", "y", low="low", high="high", scales=("linear", "log"))
    rows = next(iter(chart.to_dict()["datasets"].values()))
    assert [(row["x"], row["low"], row["high"]) for row in rows] == [(1, 1.5, 11), (2, 1.5, 3)]


def test_the_results_of_a_sweep_are_a_figure() -> None:
    table = pl.DataFrame(
        {
            "assembly.max-size": ["20 kB", "20 kB", "1 MB", "1 MB"] * 2,
            "assembly.loss": [0.001] * 4 + [0.01] * 4,
            "goodput": [1e6, 2e6, 3e6, 5e6, 2e6, 3e6, 4e6, 5e6],
        }
    )
    chart = figures.lines(table, x="assembly.max-size", y="goodput", by="assembly.loss").to_dict()
    rows = next(iter(chart["datasets"].values()))
    assert [row["assembly.max-size"] for row in rows] == [20e3, 1e6, 20e3, 1e6]
    assert [row["assembly.loss"] for row in rows] == ["0.001", "0.001", "0.01", "0.01"]
    encoding = chart["layer"][0]["encoding"]
    assert encoding["x"]["title"] == "assembly.max-size (B)"
    assert encoding["y"]["title"] == "goodput (b/s)"
    named = figures.lines(table, "assembly.max-size", "goodput", titles={"goodput": "rate"})
    assert named.to_dict()["layer"][0]["encoding"]["y"]["title"] == "rate"
    with pytest.raises(ValueError, match="not a quantity"):
        figures.lines(TABLE, x="tcp", y="goodput")


def test_bands_of_several_groups_lie_over_each_other() -> None:
    chart = figures.lines(TABLE, "core.max-size", "goodput", "tcp", interval="band").to_dict()
    (band,) = [layer for layer in chart["layer"] if layer["mark"]["type"] == "area"]
    assert {"y", "y2"} <= band["encoding"].keys()
    assert band["encoding"]["y"].get("stack") is None
    assert band["mark"]["opacity"] < 0.5


def test_a_folder_that_cannot_be_written_is_one_error() -> None:
    with pytest.raises(tp.OutputError):
        figures.save(figures.lines(TABLE, "core.max-size", "goodput"), "/proc/none", ["svg"])


def test_more_groups_than_can_be_told_apart_are_refused() -> None:
    table = pl.DataFrame({"x": range(17), "y": range(17), "g": [str(n) for n in range(17)]})
    with pytest.raises(ValueError, match="17 groups by 'g'; 16 can be told apart"):
        figures.lines(table, "x", "y", "g")
    chart = figures.lines(table.head(16), "x", "y", "g").to_dict()
    ranges = (
        chart["layer"][1]["encoding"][channel]["scale"]["range"] for channel in ("color", "shape")
    )
    assert len(set(zip(*ranges, strict=True))) == 16


def test_long_series_are_thinned(tmp_path: Path) -> None:
    scenario = tp.example("tcp-lossy-path").with_(
        {"run.duration": "60 s", "record.interval": "1 ms"}
    )
    report = tp.run(scenario)
    chart = figures.series(report, "cwnd")
    assert chart.to_dict()["layer"][0]["encoding"]["y"]["title"] == "cwnd (B)"
    assert figures.save(chart, tmp_path / "cwnd", ["svg"])[0].stat().st_size < 500_000
    with pytest.raises(ValueError, match="no series"):
        figures.series(report, "queue")


def test_a_series_has_one_legend_and_keeps_every_subject() -> None:
    scenario = tp.example("ecn").with_(
        {"run.duration": "25 s", "record.series": ["cwnd", "ssthresh"], "record.interval": "5 ms"}
    )
    report = tp.run(scenario)
    chart = figures.series(report, "cwnd").to_dict()
    assert "resolve" not in chart
    (rows,) = chart["datasets"].values()
    subjects = [row["subject"] for row in rows]
    assert sorted(set(subjects)) == ["flow 0", "flow 1"]
    assert subjects.count("flow 0") == subjects.count("flow 1")
    assert len(rows) < report.series.height / 2


def test_a_figure_is_no_wider_than_a_column(tmp_path: Path) -> None:
    table = pl.DataFrame({"x": [1, 2] * 2, "y": [12.3e6, 98.7e6] * 2, "g": ["a", "b"] * 2})
    chart = figures.lines(table, "x", "y", "g", units={"y": "b/s"})
    (file,) = figures.save(chart, tmp_path / "wide", ["svg"])
    match = re.search(r'width="(\d+)"', file.read_text("utf-8"))
    assert match
    assert int(match[1]) <= figures.COLUMN * figures.POINTS + 1


def test_many_names_below_bars_are_slanted_and_all_there() -> None:
    for count, angle in ((3, 0), (10, -40)):
        names = [f"{number} ports" for number in range(count)]
        values = [1.0] * count
        table = pl.DataFrame({"switch": names, "loss": values, "low": values, "high": values})
        chart = figures.bars(table, "switch", "loss", width=3.2).to_dict()
        axis = chart["layer"][0]["encoding"]["x"]["axis"]
        assert (axis["labelAngle"], axis["labelOverlap"]) == (angle, False)


def test_a_figure_says_what_was_chosen_of_the_runs(tmp_path: Path) -> None:
    base = tp.example("mm1").with_({"run.duration": "6 s"})
    over = {"traffic.0.source.rate": ["5 Mb/s", "8 Mb/s"], "run.warmup": ["1 s", "2 s"]}
    tp.Sweep(base, over, seeds=2).run(tmp_path / "a", workers=1)
    chart = tp.plot(tmp_path / "a", "delay-mean", where={"run.warmup": "1 s"}).to_dict()
    assert chart["title"]["text"][0] == "Only run.warmup = 1 s."


# A renderer that meets one of these ends the interpreter, so the drawing is what is tested.
HOSTILE = ["a\x1bb", "z\uffff\ufffe", "\x00", "\ud800", "]]>&<", "\u202e\u2028\x85", "\U0001f600é"]


def test_texts_that_xml_does_not_have_are_drawn(tmp_path: Path) -> None:
    rows = [
        {"x": x, "y": 1.0, "by": text, "where": text}
        for text in HOSTILE
        if text != "\ud800"
        for x in (1, 2)
    ]
    chart = figures.lines(pl.DataFrame(rows), "x", "y", "by", titles={"x": "".join(HOSTILE)})
    chart = chart.properties(title="".join(HOSTILE))
    files = figures.save(chart, tmp_path / "a", ["svg", "pdf", "png", "html"])
    assert len(files) == 4
    ElementTree.parse(files[0])
