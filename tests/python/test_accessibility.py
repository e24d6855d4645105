"""Pages by the rules of WCAG 2.2 AA that axe can check, contrast among them, in light and dark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe

import browser
import made_up_folders
import tcphoton as tp
import web_here
from builder import front
from command_here import call
from conftest import made_once
from small import SMALL
from tcphoton import report
from tcphoton.traces.files import player
from test_player_film import traced

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Literal

    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(browser.MISSING), reason=browser.MISSING)]

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


def _studio(home: Path) -> Path:
    call("studio", "--out", home / "studio.html")
    return home / "studio.html"


def _front(home: Path) -> Path:
    (home / "index.html").write_text(front.front_page(), "utf-8")
    return home / "index.html"


def _player(home: Path) -> Path:
    (home / "player.html").write_bytes(player(traced("obs-burst-life")))
    return home / "player.html"


def _report(home: Path) -> Path:
    small = tp.Scenario.from_text(SMALL, "small.toml")
    return report.write(made_up_folders.run(home / "run", small), home / "report.html")


PAGES: dict[str, tuple[Callable[[Path], Path], str]] = {
    "front": (_front, ".player .clock"),
    "player": (_player, ".player .clock"),
    "report": (_report, "main"),
    "studio": (_studio, "#player .clock"),
}


def violations(page: Page) -> list[str]:
    found = Axe().run(page, options={"runOnly": TAGS}).response["violations"]
    return [f"{each['id']}: {node['html'][:200]}" for each in found for node in each["nodes"]]


def made(factory: pytest.TempPathFactory, name: str) -> Path:
    """Return a page, which the first of all tests makes for the others."""

    def make(home: Path) -> None:
        home.mkdir()
        PAGES[name][0](home)

    (file,) = made_once(factory, f"accessible-{name}", make).glob("*.html")
    return file


@pytest.mark.sampled(least=3)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_can_be_read_and_used_by_everybody(
    running: Browser,
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    scheme: Literal["light", "dark"],
) -> None:
    if name == "studio" and web_here.MISSING:
        pytest.skip(web_here.MISSING)
    context = browser.context(running, color_scheme=scheme, reduced_motion="reduce")
    page = context.new_page()
    page.goto(made(tmp_path_factory, name).resolve().as_uri())
    page.wait_for_selector(PAGES[name][1])
    assert violations(page) == []
    context.close()


def test_a_text_that_is_too_faint_is_found(
    running: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    page = browser.context(running, reduced_motion="reduce").new_page()
    page.goto(made(tmp_path_factory, "player").resolve().as_uri())
    page.wait_for_selector(".player .clock")
    page.add_style_tag(content=".clock { color: #999; background: #fff }")
    assert [each.split(":")[0] for each in violations(page)] == ["color-contrast"]
