"""The front page: it opens from a disk, moves, and says what the ledgers say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import browser
from builder import front
from builder.paper_pages import PaperPage
from tcphoton import papers

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(browser.MISSING), reason=browser.MISSING)]

MOVED = """() => {
  const player = globalThis.tcphoton?.player;
  return player && player.time > player.film.start;
}"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("front") / "index.html"
    file.write_text(front.front_page(), "utf-8")
    return file


@pytest.mark.parametrize("width", [380, 1280])
def test_the_network_moves_and_nothing_is_loaded(running: Browser, page: Path, width: int) -> None:
    found = browser.Opened(running, page, width=width)
    found.page.wait_for_function(MOVED)
    assert found.page.evaluate("() => document.documentElement.scrollWidth") <= width
    assert found.said == []
    assert len(found.asked) == 1
    found.picture(f"front-{width}")


def test_who_wants_less_motion_gets_none(running: Browser, page: Path) -> None:
    context = browser.context(running, reduced_motion="reduce")
    opened = context.new_page()
    opened.goto(page.resolve().as_uri())
    opened.wait_for_selector(".player .clock")
    assert not opened.evaluate("() => globalThis.tcphoton.player.playing")


def test_it_says_what_the_ledgers_say_and_leads_to_the_studio(running: Browser, page: Path) -> None:
    found = browser.Opened(running, page, scripts=False)
    text = found.page.inner_text("body")
    for name in papers.papers():
        verdicts = PaperPage.of(name).verdicts
        assert f"{verdicts['holds']} of {sum(verdicts.values())}" in text
    assert found.page.get_attribute("a.first", "href") == "studio.html"
    assert "needs JavaScript" in text


def test_its_picture_is_a_picture() -> None:
    assert front.social_image()[:8] == b"\x89PNG\r\n\x1a\n"
