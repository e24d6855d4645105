"""The player's page in a browser: controls, keys, addresses, and what is hostile."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import browser
import tcphoton as tp
from command_here import call
from tcphoton.report.widget import of_trace
from tcphoton.traces.files import player
from tcphoton.traces.recording import recording
from tcphoton.web.modules import joined
from tcphoton.web.page import player_page, styles
from test_player_film import traced

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(browser.MISSING), reason=browser.MISSING)]

READY = ".player .clock, [role=alert]"
INK = """() => {
  const { canvas } = globalThis.tcphoton.player;
  const copy = Object.assign(document.createElement("canvas"), { width: 200, height: 200 });
  const context = copy.getContext("2d");
  globalThis.tcphoton.player.show();
  context.drawImage(canvas, 0, 0, 200, 200);
  const { data } = context.getImageData(0, 0, 200, 200);
  return data.filter((value, i) => i % 4 === 3 && value > 0).length;
}"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("player") / "burst life.html"
    file.write_bytes(player(traced("obs-burst-life")))
    return file


def opened(running: Browser, file: Path, **options: Any) -> browser.Opened:
    found = browser.Opened(running, file, **options)
    found.page.wait_for_selector(READY)
    return found


def told(page: Page, expression: str) -> Any:
    return page.evaluate(
        f"() => {{ const player = globalThis.tcphoton.player; return {expression}; }}"
    )


def test_a_page_opens_from_a_disk_asks_for_nothing_and_says_nothing(
    running: Browser, page: Path
) -> None:
    found = opened(running, page)
    assert found.page.evaluate(INK) > 300
    assert found.said == []
    assert len(found.asked) == 1
    found.picture("player")


def test_a_page_without_webgl_draws_the_same(running: Browser, page: Path) -> None:
    fast, plain = opened(running, page), opened(running, page, at="?plain")
    names = [told(each.page, "player.painter.constructor.name") for each in (fast, plain)]
    assert names == ["Fast", "Plain"]
    inks = [each.page.evaluate(INK) for each in (fast, plain)]
    assert inks[1] == pytest.approx(inks[0], rel=0.35)


def test_keys_play_step_and_go(running: Browser, page: Path) -> None:
    found = opened(running, page)
    found.page.focus(".stage")
    start, stop = told(found.page, "[player.film.start, player.film.stop]")
    found.page.keyboard.press("ArrowRight")
    first = told(found.page, "player.time")
    found.page.keyboard.press("ArrowRight")
    second = told(found.page, "player.time")
    found.page.keyboard.press("ArrowLeft")
    assert start < first < second
    assert told(found.page, "player.time") == first
    found.page.keyboard.press("End")
    assert told(found.page, "player.time") == stop
    found.page.keyboard.press("Home")
    found.page.keyboard.press(" ")
    found.page.wait_for_function(
        "() => globalThis.tcphoton.player.time > globalThis.tcphoton.player.film.start"
    )
    found.page.keyboard.press(" ")
    assert told(found.page, "player.playing") is False
    pace = told(found.page, "player.pace")
    found.page.keyboard.press("]")
    assert told(found.page, "player.pace") > 1.5 * pace
    scale = told(found.page, "player.view.scale")
    found.page.keyboard.press("+")
    assert told(found.page, "player.view.scale") > scale
    found.page.keyboard.press("0")
    assert told(found.page, "player.view.scale") == pytest.approx(scale)
    assert found.said == []


def test_a_chosen_burst_tells_its_life_and_its_link(running: Browser, page: Path) -> None:
    found = opened(running, page)
    told(found.page, "player.go((player.film.start + player.film.stop) / 2)")
    x, y = told(
        found.page,
        """(() => {
          const { scene } = player;
          const { stroke } = scene.things.filter(({ thing }) => thing.kind === "burst")[3];
          const [x0, y0, x1, y1] = scene.strokes.numbers.subarray(5 * stroke, 5 * stroke + 4);
          const { left, top } = player.stage.getBoundingClientRect();
          return [left + (x0 + x1) / 2, top + (y0 + y1) / 2];
        })()""",
    )
    found.page.mouse.click(x, y)
    assert found.page.inner_text(".life h2").split()[0] in {"Burst", "Packet"}
    found.page.focus(".stage")
    while "Burst" not in found.page.inner_text(".life"):
        found.page.keyboard.press("n")
    text = found.page.inner_text(".life")
    for word in ("class", "assembly", "released", "asked at", "channel", "outcome", "Channels of"):
        assert word in text
    found.page.keyboard.press("Escape")
    assert not found.page.is_visible(".life")
    assert found.said == []


def test_a_flow_is_followed_and_the_address_has_the_moment(running: Browser, page: Path) -> None:
    found = opened(running, page)
    found.page.select_option("select", "1")
    told(found.page, "player.go(player.film.start + 4e9)")
    told(found.page, "player.setPower(-5)")
    address = found.page.evaluate("() => location.href")
    other = opened(running, page, at=f"#{address.partition('#')[2]}")
    for words in ("player.time", "player.follow", "player.power"):
        assert told(other.page, words) == told(found.page, words)
    assert told(other.page, "player.follow") == 1
    other.page.goto(f"{page.resolve().as_uri()}#t=never&flow=99999&speed=1e9")
    other.page.reload()
    other.page.wait_for_selector(READY)
    assert told(other.page, "[player.time, player.follow, player.power]") == [
        told(other.page, "player.film.start"), None, 0,
    ]  # fmt: skip


@pytest.mark.parametrize("width", [360, 1920])
def test_a_page_fits_a_phone_and_a_wide_screen(running: Browser, page: Path, width: int) -> None:
    found = opened(running, page, width=width)
    assert found.page.evaluate("() => document.documentElement.scrollWidth") <= width
    assert found.page.evaluate(INK) > 100
    found.picture(f"player-{width}")


def test_names_with_markup_stay_names(running: Browser, tmp_path: Path) -> None:
    name = "<img src=x onerror=alert(1)>"
    trace = tp.trace(tp.example("mm1"), stop="100 ms")
    nodes = trace.nodes.with_columns(node=pl.lit(name))
    flows = trace.flows.with_columns(pl.lit(name).alias("from"))
    links = trace.links.with_columns(link=pl.lit(name))
    title = "<script>alert(2)</script>"
    trace = replace(trace, title=title, nodes=nodes, flows=flows, links=links)
    file = tmp_path / "hostile.html"
    file.write_bytes(player(trace))
    found = opened(running, file)
    told(found.page, "player.go(player.film.step(5e10, 1))")
    told(found.page, "player.chooseNext()")
    assert name in found.page.inner_text(".life")
    assert name in (found.page.text_content("select") or "")
    assert "<script>alert(2)" in found.page.inner_text("h1")
    assert found.said == []
    assert len(found.asked) == 1


WIDGET = """async ([esm, data]) => {
  const bytes = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0));
  const place = URL.createObjectURL(new Blob([esm], { type: "text/javascript" }));
  const { default: widget } = await import(place);
  const model = { get: () => new DataView(bytes.buffer) };
  await widget.render({ model, el: document.body });
}"""


def test_the_widget_of_a_notebook_plays(running: Browser, tmp_path: Path) -> None:
    file = tmp_path / "empty.html"
    file.write_text("<!doctype html><title>x</title><body></body>", "utf-8")
    found = browser.Opened(running, file)
    esm = f"{joined('player/widget')}\nexport default {{ render }};\n"
    data = base64.b64encode(recording(traced("dumbbell"))).decode()
    found.page.add_style_tag(content=styles())
    found.page.evaluate(WIDGET, [esm, data])
    found.page.wait_for_selector(READY)
    found.page.click("button[aria-label='Next event']")
    assert found.said == []


def test_the_frame_of_a_notebook_plays(running: Browser, tmp_path: Path) -> None:
    file = tmp_path / "notebook.html"
    shown = of_trace(traced("dumbbell"))
    file.write_text(f"<!doctype html><title>x</title><body>{shown}</body>", "utf-8")
    found = browser.Opened(running, file)
    frame = found.page.frame_locator("iframe")
    frame.locator(READY).wait_for()
    frame.locator("button[aria-label='Next event']").click()
    assert found.said == []


@pytest.mark.parametrize("data", [b"", b"</script><script>alert(1)</script>", bytes(1000)])
def test_a_broken_recording_is_told(running: Browser, tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "broken.html"
    file.write_text(player_page(data, "Broken", ""), "utf-8")
    found = opened(running, file)
    assert "This recording cannot be shown: damaged" in found.page.inner_text("[role=alert]")
    assert found.said == []


def test_the_command_writes_the_page(running: Browser, tmp_path: Path) -> None:
    file = tmp_path / "run.html"
    scenario = tmp_path / "mm1.toml"
    scenario.write_text(tp.example("mm1").text, "utf-8")
    answer = call("trace", scenario, "--format", "player", "--to", "2 s", "--out", file)
    assert answer.returncode == 0, answer
    found = opened(running, file)
    assert told(found.page, "player.film.stop") == 2_000_000_000_000
    assert "2 s of the run with seed 1" in found.page.inner_text("body")
