"""Figures that papers' pages run in a browser: every point runs, and gives the native number."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import browser
import web_here
from tcphoton import papers
from tcphoton.pages.page import vega
from tcphoton.papers import live
from tcphoton.web.live import SCRIPT, block, scripts

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

NAMES = list(papers.papers())
STUB = """() => {
  globalThis.sizes = [];
  globalThis.vegaEmbed = async (_, spec) => {
    globalThis.drawn = spec;
    globalThis.sizes.push(spec.data.values.length);
  };
}"""


def of(name: str) -> live.Live:
    found = live.of_paper(name)
    assert found is not None
    return found


@pytest.mark.parametrize("name", NAMES)
def test_every_point_can_be_run(name: str) -> None:
    figure = of(name)
    points = figure.x["points"]
    assert 0 <= figure.x["first"] < len(points)
    assert [each["at"] for each in points] == sorted(each["at"] for each in points)
    runs = list(figure.runs())
    assert len(runs) == len(points) * len(figure.lines) > 4
    for _, _, scenario in runs:
        assert scenario.check() == []
        # A paper's own windows, and the short runs of a page.
        own = ("bandwidth-delay product", "round trips")
        assert [
            each for each in scenario.warnings() if not any(word in each.problem for word in own)
        ] == []


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("live")
    for name, text in (scripts("") or {}).items():
        (folder / name).write_text(text, "utf-8")
    blocks = (
        f'<div id="{name}">{block(each.title, each.about, each.data())}</div>'
        for name, each in ((name, of(name)) for name in NAMES)
    )
    text = (
        f"<!doctype html><meta charset=utf-8>{''.join(blocks)}<script defer src={SCRIPT}></script>"
    )
    (folder / "page.html").write_text(text, "utf-8")
    return folder / "page.html"


def measured(report: Any, way: list[str | int]) -> float | None:
    for step in way:
        report = report[step]
    return report  # type: ignore[no-any-return]


@pytest.mark.skipif(bool(browser.MISSING), reason=browser.MISSING)
@pytest.mark.skipif(bool(web_here.MISSING), reason=web_here.MISSING)
@pytest.mark.parametrize("name", NAMES)
def test_a_page_draws_the_native_numbers(running: Browser, page: Path, name: str) -> None:
    figure = of(name)
    found = browser.Opened(running, page)
    found.page.evaluate(STUB)
    found.page.click(f"#{name} .live > button")
    status = f"() => / runs in /.test(document.querySelector('#{name} [role=status]').textContent)"
    found.page.wait_for_function(status)
    drawn = found.page.evaluate("() => globalThis.drawn.data.values")
    at = figure.x["points"][figure.x["first"]]["at"]
    here = {line: run for x, line, run in figure.runs() if x == at}
    assert {each["line"] for each in drawn} == set(here)
    for line, run in here.items():
        own = [each for each in drawn if each["line"] == line]
        if way := figure.measure.get("of"):
            native = measured(json.loads(run.checked().run(1).json), way)
            assert native is not None
            assert own == [{"x": at, "y": native * figure.measure["scale"], "line": line}]
        else:
            assert len(own) > 100
            assert min(each["y"] for each in own) > 0
    if "series" in figure.measure:
        sizes = found.page.evaluate("() => globalThis.sizes")
        assert sizes == sorted(sizes)
        assert len(sizes) > len(figure.lines)
    assert found.said == []


@pytest.mark.skipif(bool(browser.MISSING), reason=browser.MISSING)
@pytest.mark.skipif(bool(web_here.MISSING), reason=web_here.MISSING)
def test_the_scripts_get_along_with_those_of_a_site(running: Browser, tmp_path: Path) -> None:
    for name, text in (scripts(vega()) or {}).items():
        (tmp_path / name).write_text(text, "utf-8")
    figure = of("hybrid")
    shown = block(figure.title, figure.about, figure.data())
    # Sphinx declares this name, and so does the script that draws.
    text = f"<script>const _ = 1, modules = 2;</script>{shown}<script defer src={SCRIPT}></script>"
    (tmp_path / "page.html").write_text(f"<!doctype html><meta charset=utf-8>{text}", "utf-8")
    found = browser.Opened(running, tmp_path / "page.html")
    found.page.click(".live > button")
    found.page.wait_for_selector(".live-picture svg")
    assert found.said == []


@pytest.mark.skipif(bool(browser.MISSING), reason=browser.MISSING)
def test_without_scripts_nothing_of_it_is_seen(running: Browser, page: Path) -> None:
    found = browser.Opened(running, page, scripts=False)
    assert not found.page.is_visible(".live")
