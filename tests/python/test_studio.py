"""The studio: a scenario is written, run and seen in a browser, by the engine in the page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import browser
import node_here
import tcphoton as tp
import web_here
from command_here import call
from tcphoton import _core
from tcphoton.web.studio import fragment_of

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

BROWSER = [
    pytest.mark.skipif(bool(browser.MISSING), reason=browser.MISSING),
    pytest.mark.skipif(bool(web_here.MISSING), reason=web_here.MISSING),
]
NODE = pytest.mark.skipif(bool(node_here.MISSING), reason=node_here.MISSING)
READY = "#player .clock"
MOST_BYTES = 2_000_000
CHANNELS = "() => globalThis.tcphoton.studio.player.film.links.channels[0]"
SELECTED = """() => {
  const { value, selectionStart, selectionEnd } = document.querySelector("textarea");
  return value.slice(selectionStart, selectionEnd);
}"""


def in_browser(test: Any) -> Any:
    for mark in BROWSER:
        test = mark(test)
    return test


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("studio") / "studio.html"
    done = call("studio", "--out", file)
    assert done.returncode == 0, done
    return file


def opened(running: Browser, file: Path, *, still: bool = True, **options: Any) -> browser.Opened:
    found = browser.Opened(running, file, still=still, **options)
    found.page.wait_for_selector(READY)
    return found


def settled(page: Page, word: str) -> str:
    """Wait until the status says something, and return all of it."""
    page.wait_for_function(
        f"() => document.querySelector('#check').textContent.includes({json.dumps(word)})"
    )
    return page.inner_text("#check")


def write(page: Page, text: str) -> None:
    page.fill("#editor textarea", text)


@in_browser
def test_the_first_example_is_seen_at_once_and_nothing_leaves_the_page(
    running: Browser, page: Path
) -> None:
    found = opened(running, page, still=False)
    assert (
        found.page.evaluate("() => globalThis.tcphoton.studio.player.film.nodes.name.length") == 9
    )
    assert settled(found.page, "No errors.")
    assert found.said == []
    assert sorted(address.split(":")[0] for address in found.asked) == [*3 * ["blob"], "file"]
    found.picture("studio")


@in_browser
def test_a_run_has_the_digest_and_the_numbers_of_a_workstation(
    running: Browser, page: Path
) -> None:
    found = opened(running, page)
    found.page.select_option("#examples", "dumbbell")
    settled(found.page, "No errors.")
    found.page.fill("#seed", "7")
    found.page.click("#run")
    settled(found.page, "Done.")
    native = tp.run(tp.example("dumbbell"), 7)
    text = found.page.inner_text("#results")
    assert native.digest in text
    assert "tcphoton run scenario.toml --seed 7" in text
    found.page.wait_for_selector("#results figure svg")
    found.page.click("#results details:has-text('flows') summary")
    # A table is filled when the browser says that its details are open.
    found.page.wait_for_selector("#results details table tbody tr")
    rows = found.page.locator("#results details table tbody tr").count()
    assert rows == native.flows.height
    assert found.said == []
    found.picture("studio-results")


@in_browser
def test_mistakes_have_their_lines_and_words(running: Browser, page: Path) -> None:
    found = opened(running, page)
    text = tp.example("mm1").text.replace('duration = "200 s"', 'duration = "1 parsec"')
    write(found.page, text)
    settled(found.page, "1 error")
    native = tp.Scenario.from_text(text, "scenario.toml").check()
    assert found.page.inner_text("#problems").strip() == str(native[0])
    assert found.page.inner_text("#editor .wrong").strip() == str(native[0].line)
    found.page.click("#problems button")
    assert found.page.evaluate(SELECTED) == 'duration = "1 parsec"'
    write(found.page, tp.example("mm1").text)
    settled(found.page, "No errors.")
    assert not found.page.is_visible("#problems")
    assert found.said == []


@in_browser
def test_a_run_is_stopped_and_the_next_one_is_as_good(running: Browser, page: Path) -> None:
    found = opened(running, page)
    write(found.page, tp.example("mm1").text.replace("200 s", "20000 s"))
    settled(found.page, "No errors.")
    found.page.click("#run")
    settled(found.page, "Running: ")
    found.page.click("#stop")
    settled(found.page, "Stopped.")
    write(found.page, tp.example("mm1").text.replace("200 s", "20 s"))
    settled(found.page, "No errors.")
    found.page.click("#run")
    settled(found.page, "Done.")
    native = tp.run(tp.example("mm1").with_({"run.duration": "20 s"}))
    assert native.digest in found.page.inner_text("#results")
    assert found.said == []


SEEN = """() => {
  const { film, time, follow } = globalThis.tcphoton.studio.player;
  const { wires, waits } = film.at(film.start);
  return { start: film.start, stop: film.stop, time, follow, inside: wires.length + waits.length };
}"""


@in_browser
def test_a_run_is_watched_window_after_window(running: Browser, page: Path) -> None:
    found = opened(running, page, still=False)
    found.page.evaluate("() => globalThis.tcphoton.studio.player.setPower(0)")
    found.page.select_option(".player select", "1")
    first = found.page.evaluate(SEEN)
    for _ in range(3):
        later = f"() => globalThis.tcphoton.studio.player.film.start > {first['start']}"
        found.page.wait_for_function(later)
        seen = found.page.evaluate(SEEN)
        assert seen["stop"] > seen["start"] >= first["stop"]
        assert seen["time"] >= seen["start"]
        assert seen["inside"] > 0, "what was on its way in the window before"
        assert seen["follow"] == 1
        first = seen
    assert found.said == []


@in_browser
def test_a_run_that_is_watched_comes_to_its_end(running: Browser, page: Path) -> None:
    found = opened(running, page, still=False)
    write(found.page, tp.example("mm1").text.replace("200 s", "20 s"))
    found.page.fill("#from", "19.5 s")
    found.page.click("#watch")
    ended = """() => {
      const { playing, film, time } = globalThis.tcphoton.studio.player;
      return film.stop === 2e13 && !playing && time === film.stop;
    }"""
    whole = "() => globalThis.tcphoton.studio.player.film.stop === 2e13"
    found.page.wait_for_function(whole)
    found.page.evaluate("() => globalThis.tcphoton.studio.player.setPower(0)")
    found.page.wait_for_function(ended)
    assert found.said == []


@in_browser
def test_a_value_is_turned_and_the_link_has_all_of_it(running: Browser, page: Path) -> None:
    found = opened(running, page)
    control = found.page.locator("#controls label", has_text="topology.links.0.channels").locator(
        "input"
    )
    control.focus()
    control.press("ArrowLeft")
    found.page.wait_for_function(f"{CHANNELS} === 6")
    found.page.click("#link")
    settled(found.page, "copied")
    address = found.page.evaluate("() => location.href")
    other = opened(running, page, at=f"#{address.partition('#')[2]}")
    other.page.wait_for_function(f"{CHANNELS} === 6")
    assert dict(other.page.evaluate("() => [...globalThis.tcphoton.studio.values]")) == {
        "topology.links.0.channels": "6"
    }
    assert other.said == []


@in_browser
def test_keys_complete_what_is_written(running: Browser, page: Path) -> None:
    found = opened(running, page)
    area = found.page.locator("#editor textarea")
    write(found.page, "[run]\n")
    area.press("Control+End")
    area.press_sequentially("dur")
    assert "duration" in found.page.inner_text(".candidates")
    area.press("Enter")
    assert area.input_value() == "[run]\nduration = "
    assert "run.duration: " in found.page.inner_text(".hint")
    area.press_sequentially('"1 s"\n[topology]\nkind = "fat')
    area.press("Tab")
    assert area.input_value().endswith('kind = "fat-tree"')
    assert found.said == []


@in_browser
@pytest.mark.parametrize("width", [380, 1920])
def test_the_page_fits_a_phone_and_a_wide_screen(running: Browser, page: Path, width: int) -> None:
    found = opened(running, page, width=width)
    assert found.page.evaluate("() => document.documentElement.scrollWidth") <= width
    found.picture(f"studio-{width}")


WRONG = ["s=", "s=AAAA", "s=%3Cscript%3E", "s=q1YqKi0qKVayUipJLS5RqgUA", "t=1"]
"""Addresses that say nothing."""


@in_browser
@pytest.mark.parametrize(
    "fragment",
    [
        WRONG[2],
        *(pytest.param(each, marks=pytest.mark.verify) for each in WRONG if each != WRONG[2]),
    ],
)
def test_an_address_that_says_nothing_opens_the_first_example(
    running: Browser, page: Path, fragment: str
) -> None:
    found = opened(running, page, at=f"#{fragment}")
    assert settled(found.page, "No errors.")
    assert found.said == []


@in_browser
def test_texts_with_markup_stay_texts(running: Browser, page: Path) -> None:
    found = opened(running, page)
    title, value = "<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>"
    write(found.page, f'title = "{title}"\n"<b>x</b>" = "{value}"\n')
    settled(found.page, "errors:")
    assert "<b>x</b>" in found.page.inner_text("#problems")
    assert found.said == []


@pytest.mark.skipif(bool(web_here.MISSING), reason=web_here.MISSING)
def test_the_page_is_small_and_always_the_same(page: Path) -> None:
    import gzip

    assert len(gzip.compress(page.read_bytes())) < MOST_BYTES
    again = page.with_name("again.html")
    call("studio", "--out", again)
    assert again.read_bytes() == page.read_bytes()


COMPLETE = """
const { schema, texts } = given.value;
told(texts.map((text) => candidates(schema, placeOf(text)).map(({ label }) => label)));
"""


@NODE
def test_candidates_are_those_of_the_schema() -> None:
    schema = json.loads(_core.schema())
    texts = [
        "",
        "[run]\n",
        '[topology]\nkind = "dumbbell"\n',
        '[topology]\nkind = "dumbbell"\nbottleneck = { ',
        "[topology]\nkind = ",
        "[[traffic]]\ntransport = { kind = ",
        '[[traffic]]\ntransport = { kind = "tcp", pre',
        '[[traffic]]\ntransport = { kind = "tcp", preset = "cu',
        "[assembly]\npolicy = ",
        "[",
        "[routing]\nspread = # what",
        "[nonsense]\n",
    ]
    found = dict(
        zip(
            texts,
            web_here.run(COMPLETE, {"schema": schema, "texts": texts}, "studio/completion"),
            strict=True,
        )
    )
    assert {"run", "topology", "traffic", "title"} <= set(found[""])
    assert found["["] == found[""]
    assert {"duration", "warmup", "seed"} <= set(found["[run]\n"])
    assert "pairs" in found[texts[2]]
    assert "routers" not in found[texts[2]]
    assert {"rate", "delay", "queue"} <= set(found[texts[3]])
    assert '"fat-tree"' in found[texts[4]]
    assert {'"tcp"', '"udp"', '"stop-and-wait"', '"message"'} <= set(found[texts[5]])
    assert found[texts[6]][0] == "preset"
    assert '"cubic"' in found[texts[7]]
    assert found[texts[8]]
    assert found["[nonsense]\n"] == []


@NODE
def test_an_address_brings_back_what_was_written() -> None:
    main = """
    const { kept } = given.value;
    const fragment = await written(kept);
    const nothing = await Promise.all(given.value.nothing.map(readAddress));
    told([fragment, await readAddress(fragment), nothing]);
    """
    kept = {
        "text": 'title = "ä → ∞"\n' * 50,
        "values": [["a.b", '"1 s"']],
        "seed": "18446744073709551615",
    }
    given = {"kept": kept, "nothing": ["", "s=x", *WRONG]}
    fragment, back, nothing = web_here.run(main, given, "studio/address")
    assert back == kept
    assert nothing == len(nothing) * [None]
    assert len(fragment) < 200


@NODE
def test_values_to_turn_are_around_the_one_that_is_given() -> None:
    main = """
    const origin = "given";
    const control = ([key, value, words]) => controlOf({ key, value, origin }, () => words);
    told(given.value.map(control));
    """
    cases = [
        ["a", "10 Gb/s", []],
        ["b", 8, []],
        ["c", "burst", ['"burst"', '"packet"']],
        ["d", "free text", []],
        ["e", 0.25, []],
        ["f", {"kind": "x"}, []],
        ["g", True, []],
    ]
    rate, count, word, text, share, table, flag = web_here.run(main, cases, "studio/sliders")
    assert (rate["values"][0], rate["values"][rate["at"]], rate["values"][-1]) == (
        '"1 Gb/s"', '"10 Gb/s"', '"100 Gb/s"',
    )  # fmt: skip
    assert (count["values"][0], count["values"][count["at"]], count["values"][-1]) == (
        "1",
        "8",
        "80",
    )
    assert word == {"key": "c", "values": ['"burst"', '"packet"'], "at": 0}
    assert share["values"][share["at"]] == "0.25"
    assert [text, table, flag] == [None, None, None]


@NODE
def test_python_writes_the_same_kind_of_address() -> None:
    text = tp.example("mm1").text
    found = web_here.run(
        "told(await readAddress(given.value));", fragment_of(text), "studio/address"
    )
    assert found == {"text": text, "values": []}
