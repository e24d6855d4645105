"""A part of ``make verify``: the player, the studio, a live figure and the front page in Firefox.

The tests use Chromium. Here the same pages are opened by Firefox, with geckodriver (``cargo install
geckodriver``) and Selenium (``pip install selenium``); where one of them is missing, it says so.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "docs")]

import tcphoton as tp  # noqa: E402
from builder.front import front_page  # noqa: E402
from tcphoton.pages.page import vega  # noqa: E402
from tcphoton.papers import live  # noqa: E402
from tcphoton.scenario.examples import example, examples  # noqa: E402
from tcphoton.traces.files import player  # noqa: E402
from tcphoton.web.live import SCRIPT, block, scripts  # noqa: E402
from tcphoton.web.studio import studio_page  # noqa: E402

FIREFOX = ("firefox-esr", "firefox")
SECONDS = 60
PLAYS = "return Boolean(document.querySelector('.player .clock')?.textContent)"
DIGEST = "return document.querySelector('#results')?.textContent ?? ''"
RUNS = "return document.querySelector('.live [role=status]')?.textContent ?? ''"


def missing() -> str:
    """Return what is missing; empty if nothing is."""
    if not any(map(shutil.which, FIREFOX)):
        return "Firefox (Debian: apt install firefox-esr)"
    if shutil.which("geckodriver") is None:
        return "geckodriver (cargo install geckodriver)"
    return "" if find_spec("selenium") else "Selenium (pip install selenium)"


def until(driver: Any, script: str, word: str = "") -> None:
    """Wait until a script returns something true, or a text with a word."""
    end = time.monotonic() + SECONDS
    while True:
        found = driver.execute_script(script)
        if word in found if word else found:
            return
        if time.monotonic() > end:
            raise SystemExit(f"Firefox: waited in vain for {word or script}; found {found!r}")
        time.sleep(0.1)


def pages(folder: Path) -> None:
    """Write the pages into a folder."""
    trace = tp.trace(tp.example("obs-burst-life"), stop="5 ms")
    (folder / "player.html").write_bytes(player(trace))
    (folder / "front.html").write_text(front_page(), "utf-8")
    known = {name: (title, example(name).text) for name, title in examples().items()}
    studio = studio_page(known, vega())
    made = scripts(vega())
    if studio is None or made is None:
        raise SystemExit("there is no engine for browsers: `make web`")
    (folder / "studio.html").write_text(studio, "utf-8")
    for name, text in made.items():
        (folder / name).write_text(text, "utf-8")
    figure = live.of_paper("hybrid")
    assert figure is not None
    shown = block(figure.title, figure.about, figure.data())
    text = f"<!doctype html><meta charset=utf-8>{shown}<script defer src={SCRIPT}></script>"
    (folder / "live.html").write_text(text, "utf-8")


def main() -> int:
    """Open the pages, and look at what they show and say."""
    if what := missing():
        print(f"Firefox is left out; missing: {what}")
        return 0
    from selenium import webdriver

    options = webdriver.FirefoxOptions()
    options.add_argument("--headless")
    options.binary_location = next(filter(None, map(shutil.which, FIREFOX)))
    options.set_capability("webSocketUrl", True)
    service = webdriver.FirefoxService(executable_path=shutil.which("geckodriver"))
    driver = webdriver.Firefox(options=options, service=service)
    said: list[str] = []
    driver.script.add_console_message_handler(lambda entry: said.append(entry.text))
    driver.script.add_javascript_error_handler(lambda entry: said.append(entry.text))
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            pages(folder)
            for page in ("player", "front"):
                driver.get((folder / f"{page}.html").as_uri())
                until(driver, PLAYS)
            driver.get((folder / "studio.html").as_uri())
            until(driver, PLAYS)
            driver.find_element("id", "run").click()
            until(driver, DIGEST, tp.run(tp.example("obs-three-nodes")).digest)
            driver.get((folder / "live.html").as_uri())
            driver.find_element("css selector", ".live > button").click()
            until(driver, RUNS, "runs in")
    finally:
        driver.quit()
    if said:
        print("\n".join(["Firefox's console says:", *said]))
        return 1
    version = driver.capabilities["browserVersion"]
    print(f"Firefox {version}: the player, the front page, the studio and a live figure work.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
