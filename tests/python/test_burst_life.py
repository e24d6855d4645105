"""A burst's life: what filled a void, by a slow twin; the drawing, by instants worked by hand."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import pages
import tcphoton as tp
from tcphoton import figures
from tcphoton.analysis import burst_trace
from tcphoton.figures import burst_life

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

SCENARIO = tp.example("obs-burst-life")
PICTURE = pages.ROOT / "docs" / "images" / "burst-life.svg"
PAGE = pages.ROOT / "docs" / "background" / "burst-switching.md"


@pytest.fixture(scope="module")
def report() -> tp.Report:
    return tp.run(SCENARIO)


@pytest.fixture(scope="module")
def short() -> tp.Report:
    """A report small enough for a comparison of all with all."""
    return tp.run(SCENARIO.with_({"run.duration": "12 ms"}))


def drawn_in_the_page(report: tp.Report) -> int:
    """Return the burst that the page of the background draws."""
    delayed = burst_life.fillings(report).filter(pl.col("fibre-delay") > 0)
    return int(delayed.get_column("burst")[0])


@pytest.fixture(scope="module")
def drawn(report: tp.Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The picture of the burst that the page of the background draws."""
    chart = burst_life.draw(report, drawn_in_the_page(report))
    (file,) = figures.save(chart, tmp_path_factory.mktemp("life") / "drawn", ["svg"])
    return file


def test_a_reservation_fills_a_void_if_an_earlier_one_lies_behind_it(short: tp.Report) -> None:
    made = short.reservations.filter(pl.col("outcome") == "granted").to_dicts()
    expected = []
    for at, row in enumerate(made):
        same = [
            other
            for other in made[:at]
            if (other["link"], other["channel"]) == (row["link"], row["channel"])
        ]
        behind = [other for other in same if other["start"] >= row["end"]]
        before = [other for other in same if other["end"] <= row["start"]]
        assert len(behind) + len(before) == len(same)
        if behind:
            first = min(behind, key=lambda other: float(other["start"]))
            last = max(before, key=lambda other: float(other["end"]), default=None)
            expected.append((row["burst"], first["burst"], last and last["burst"]))
    assert len(expected) > 5
    found = burst_life.fillings(short).select("burst", "behind", "before").rows()
    assert found == expected


def test_what_is_free_since_the_start_is_a_void_too() -> None:
    """In µs: 0 takes [50, 60), 1 takes [10, 20) before it, 2 [20, 50) between them, 3 [60, 70)."""
    taken = [(50, 60), (10, 20), (20, 50), (60, 70)]
    rows = [
        {
            "burst": burst,
            "link": "A -> B",
            "channel": 0.0,
            "start": start / 1_000_000,
            "end": end / 1_000_000,
            "fibre-delay": 0.0,
            "outcome": "granted",
        }
        for burst, (start, end) in enumerate(taken)
    ]
    empty = dict.fromkeys(["flows", "links", "traffic", "series"], pl.DataFrame())
    made = tp.Report({}, {**empty, "reservations": pl.DataFrame(rows)})
    found = burst_life.fillings(made).select("burst", "before", "behind", "void-start").rows()
    assert found == [(1, None, 0, None), (2, 1, 0, 20 / 1_000_000)]


def test_without_void_filling_no_void_is_filled() -> None:
    horizon = SCENARIO.with_({"run.duration": "12 ms", "core.scheduling": "lauc"})
    assert burst_life.fillings(tp.run(horizon)).is_empty()


def test_the_life_of_a_burst_has_the_instants_of_the_scenario(report: tp.Report) -> None:
    """Header 51.2 ns, processing 10 µs, offset 30 µs, input delay 1 µs: all in µs of the clocks."""
    life = burst_trace.life(report, drawn_in_the_page(report))
    first, second, third = life.hops
    line = round(third.row["fibre-delay"] * 1e6, 6)
    assert line in {10.0, 20.0}
    length = life.burst["bytes"] * 8 / 10e9 * 1e6
    assert [hop.arrived for hop in life.hops] == [None, 0.0512, pytest.approx(10.1024)]
    assert [hop.asked for hop in life.hops] == [0, 10.0512, 20.1024]
    assert [hop.sent for hop in life.hops] == [0, 10.0512, 20.1024]
    assert [hop.start for hop in life.hops] == [30, 31, 32 + line]
    assert [hop.end for hop in life.hops] == [
        pytest.approx(hop.start + length) for hop in life.hops if hop.start is not None
    ]
    assert (first.delays, second.delays) == ({}, {"input delay": 1})
    assert third.delays == {"input delay": 1, "delay line": line}
    assert life.delivered == pytest.approx(33 + line + length)


def test_a_stored_burst_is_at_a_node_for_its_length_too() -> None:
    stored = SCENARIO.with_({"run.duration": "5 ms", "core.forwarding": "store-and-forward"})
    life = burst_trace.life(tp.run(stored), 10)
    assert life.burst["bytes"] == 10_000
    assert life.hops[1].delays == {"input delay": 1, "storing": 8}


def test_the_drawing_says_what_the_tables_say(report: tp.Report, drawn: Path) -> None:
    burst = drawn_in_the_page(report)
    row = burst_life.fillings(report).filter(pl.col("burst") == burst).row(0, named=True)
    void = (row["void-end"] - row["void-start"]) * 1e6
    # The offset that is left: 30 + 1 - 10.0512, then + 1 - 10.0512 and the delay line.
    left = 20.9488 - 9.0512 + row["fibre-delay"] * 1e6
    texts = shown(drawn)[1]
    for text in (
        "offset 30 µs",
        "offset 20.95 µs",
        f"offset {left:.4g} µs",
        f"void {void:.4g} µs",
        f"delay line {row['fibre-delay'] * 1e6:.0f} µs",
        f"header of {row['behind']}",
        "released: full (8 packets, 10 kB)",
    ):
        assert text in texts
    assert texts.count(str(burst)) == 4


def test_no_two_blocks_of_a_channel_overlap(report: tp.Report) -> None:
    shapes = blocks(burst_life.draw(report, drawn_in_the_page(report)).to_dict())
    assert len(shapes) > 20
    for one, other in itertools.combinations(shapes, 2):
        if one["y"] == other["y"]:
            assert one["x2"] <= other["x"] + 1e-6 or other["x2"] <= one["x"] + 1e-6


def test_the_picture_of_the_page_is_the_one_of_today(drawn: Path) -> None:
    assert shown(PICTURE) == shown(drawn), "see `make bless`"
    assert f"]({PICTURE.name})" in PAGE.read_text("utf-8").replace("../images/", "")


def test_a_burst_without_void_and_one_that_was_lost_are_drawn(
    report: tp.Report, tmp_path: Path
) -> None:
    lost = report.bursts.filter(pl.col("outcome") == "lost-contention").get_column("burst")[0]
    assert "lost: contention" in svg(burst_life.draw(report, lost), tmp_path)[1]
    assert not any(
        text.startswith("void ") for text in svg(burst_life.draw(report, 0), tmp_path)[1]
    )


def test_it_fits_a_page(report: tp.Report, tmp_path: Path) -> None:
    figures.save(burst_life.draw(report), tmp_path / "wide", ["svg"])
    width = re.search(r'width="(\d+)"', (tmp_path / "wide.svg").read_text("utf-8"))
    assert width
    assert 0.9 * figures.PAGE * figures.POINTS < int(width[1]) <= figures.PAGE * figures.POINTS + 10


def test_what_cannot_be_drawn_is_said(report: tp.Report) -> None:
    with pytest.raises(ValueError, match="not recorded"):
        burst_life.draw(report, 1_000_000)
    lossy = tp.run(SCENARIO.with_({"run.duration": "1 ms", "assembly.loss": 1.0}))
    with pytest.raises(ValueError, match="no bursts"):
        burst_life.draw(lossy, 0)
    some = tp.run(SCENARIO.with_({"run.duration": "5 ms", "assembly.loss": 0.5}))
    gone = some.bursts.filter(pl.col("outcome") == "lost-random").get_column("burst")[0]
    with pytest.raises(ValueError, match="requested no channel"):
        burst_life.draw(some, gone)
    with pytest.raises(ValueError, match="set `bursts`"):
        burst_life.draw(tp.run(SCENARIO.with_({"run.duration": "1 ms", "record.bursts": 0})))


def blocks(chart: dict[str, Any]) -> list[dict[str, float]]:
    """Return the blocks of reservations in a chart."""
    colours = {"#cccccc", "#0072B2"}
    return [
        row
        for layer in chart["layer"]
        if layer["mark"]["type"] == "rect" and layer["mark"]["color"] in colours
        for row in chart["datasets"][layer["data"]["name"]]
    ]


def svg(chart: Any, folder: Path) -> tuple[list[str], list[str]]:
    (file,) = figures.save(chart, folder / "drawn", ["svg"])
    return shown(file)


def shown(file: Path) -> tuple[list[str], list[str]]:
    """Return what a picture says of its marks, and its texts: neither depends on its fonts."""
    text = file.read_text("utf-8")
    marks = re.findall(r'<path aria-label="([^"]*)"', text)
    assert marks
    return marks, re.findall(r"<text[^>]*>([^<]*)</text>", text)
