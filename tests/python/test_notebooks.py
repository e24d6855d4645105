"""What shows itself in a notebook, and the two notebooks."""

from __future__ import annotations

import base64
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import nbformat
import pytest
from nbclient import NotebookClient

import shares
import tcphoton as tp
from tcphoton.report import widget
from tcphoton.report.notebook import LONGEST, ROWS
from tcphoton.traces.recording import recording
from waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Sequence

NOTEBOOKS = sorted((Path(__file__).parents[2] / "examples" / "notebooks").glob("*.ipynb"))
BAD = '<script>alert("&")</script>'


def read(file: Path) -> Any:
    return nbformat.read(file, as_version=4)  # type: ignore[no-untyped-call]


def shown(thing: object) -> ET.Element:
    """Return what a thing shows of itself; it must be well-formed."""
    text = thing._repr_html_()  # type: ignore[attr-defined]
    assert isinstance(text, str)
    return ET.fromstring(text.replace("<details open>", "<details>"))


def words(thing: object) -> str:
    return " ".join("".join(shown(thing).itertext()).split())


def test_a_report_shows_its_facts_and_every_table_that_has_rows(small: tp.Scenario) -> None:
    report = tp.run(small)
    text = words(report)
    assert report.digest in text
    for name, frame in report.tables.items():
        assert (f"{name} ({frame.height:,})" in text) == (frame.height > 0)
    assert "Mb/s" in text
    docs = {cell.get("title") for cell in shown(report).iter("th")}
    assert report.docs["traffic"]["goodput"] in docs


def test_a_network_is_drawn_unless_it_has_many_switches() -> None:
    bundle = tp.example("lightpath-bundle")
    for thing in (bundle, tp.run(bundle.with_({"run.max-events": 1}))):
        (picture,) = shown(thing).iter("img")
        assert picture.get("alt") == (
            "Drawing of the network: 78 nodes, 68 of them with one neighbour, and 156 one-way links"
        )
        drawn = base64.b64decode(picture.get("src", "").partition(",")[2]).decode()
        assert all(name in drawn for name in ("left-core", "right-agg-3", "8 hosts"))
    large = tp.example("hybrid-fat-tree")
    for thing in (large, tp.run(large.with_({"run.max-events": 1}))):
        assert not list(shown(thing).iter("img"))


def test_a_report_of_many_rows_is_short() -> None:
    report = tp.run(tp.example("fat-tree").with_({"run.duration": "1 ms", "run.warmup": "0 s"}))
    links = report.links.height
    assert links > ROWS
    assert f"{links - ROWS:,} more rows" in words(report)
    assert all(len(list(body)) <= ROWS for body in shown(report).iter("tbody"))


def test_a_run_that_stopped_early_says_so(small: tp.Scenario) -> None:
    assert "event budget spent" in words(tp.run(small.with_({"run.max-events": 100})))
    assert "stopped" not in words(tp.run(small))


def test_a_scenario_shows_what_is_derived_and_its_text(small: tp.Scenario) -> None:
    text = words(small)
    assert f"scenario-digest {small.digest}" in text
    assert "propagation-rtt" in text
    assert 'preset = "sack"' in text
    assert "left-0" in text


def test_a_scenario_with_mistakes_shows_these() -> None:
    text = words(tp.Scenario.from_text("[run]\nduration = 5\n"))
    assert "a number without a unit" in text
    assert "duration = 5" in text
    assert "expected `=`" in words(tp.Scenario.from_text(BAD))
    assert "does not exist" in words(tp.Scenario.from_text("x = 1").with_({"x.y": 2}))


def test_a_scenario_of_a_million_lines_is_short() -> None:
    assert len(tp.Scenario.from_text("# comment\n" * 10**6)._repr_html_()) < 20_000
    wide = tp.Scenario.from_text(f"title = '{'x' * 10**6}'")
    assert len(wide._repr_html_()) < 40 * LONGEST


def test_nothing_that_is_shown_is_markup(small: tp.Scenario) -> None:
    named = small.with_({"title": BAD})
    for thing in (named, tp.run(named), tp.Sweep(named, {BAD: [BAD]}, title=BAD, set_={BAD: BAD})):
        assert "<script" not in thing._repr_html_()
        assert BAD in words(thing)


def test_a_sweep_shows_its_grid(small: tp.Scenario) -> None:
    over: dict[str, Sequence[object]] = {
        "traffic.0.count": [1, 2, 3],
        "run.duration": [f"{n} s" for n in range(1, 101)],
    }
    text = words(tp.Sweep(small, over, seeds=4))
    assert "points 300" in text
    assert "runs 1,200" in text
    assert "1 s, 2 s, 3 s" in text
    assert "(100 values)" in text
    rule = tp.statistics.Until("goodput", relative_half_width=0.1, at_least=3, at_most=9)
    assert "± 0.1 of its mean, with 3 to 9 seeds" in words(tp.Sweep(small, over, until=rule))


def test_a_sweep_over_what_is_no_list_shows_its_mistake(small: tp.Scenario) -> None:
    sweep = tp.Sweep(small, {"traffic.0.count": 5})  # type: ignore[dict-item]
    assert str(sweep.check()[0]) in words(sweep)


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_is_kept_without_what_it_shows(file: Path) -> None:
    cells = read(file).cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    assert len(code) > 3
    assert not any(cell.outputs or cell.execution_count for cell in code)
    assert not re.search(r"https?://", file.read_text("utf-8"))


@pytest.mark.sampled(least=1)
@pytest.mark.slow
@pytest.mark.timeout(4 * PATIENCE)
@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_runs_within_half_a_minute_of_a_core(file: Path, tmp_path: Path) -> None:
    notebook = read(file)
    ask = "import sys, time; print(sys.executable, time.process_time())"
    notebook.cells.append(nbformat.v4.new_code_cell(ask))  # type: ignore[no-untyped-call]
    client = NotebookClient(
        notebook,
        timeout=PATIENCE,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
    )
    client.execute()
    *outputs, answer = [out for cell in notebook.cells for out in cell.get("outputs", [])]
    python, seconds = answer["text"].split()
    assert python == sys.executable
    assert float(seconds) < 30 or not shares.all_of_it()
    assert not [out for out in outputs if out.output_type == "stream"], "warnings, or prints"
    kinds = {kind for out in outputs for kind in out.get("data", {})}
    assert {"text/html", "image/svg+xml"} <= kinds
    assert len(NOTEBOOKS) > 1


def test_a_trace_plays_itself_in_a_frame() -> None:
    traced = tp.trace(tp.example("mm1"), stop="1 s")
    frame = ET.fromstring(traced._repr_html_())
    assert frame.get("sandbox") == "allow-scripts"
    page = frame.get("srcdoc") or ""
    assert "default-src &#39;none&#39;" in page
    assert page.count("application/octet-stream") == 1


def test_a_trace_of_many_rows_is_told_and_not_played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(widget, "MOST_ROWS", 10)
    shown = tp.trace(tp.example("mm1"), stop="1 s")._repr_html_()
    assert "too many to be played here" in shown


def test_a_trace_is_a_widget_on_demand() -> None:
    traced = tp.trace(tp.example("mm1"), stop="1 s")
    assert widget.widget_of(traced).recording == recording(traced)


def test_a_widget_without_anywidget_is_an_error_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    widget._kind.cache_clear()
    with pytest.raises(ImportError, match=r"pip install 'tcphoton\[notebook\]'"):
        widget.widget_of(tp.trace(tp.example("mm1"), stop="1 s"))
    widget._kind.cache_clear()
