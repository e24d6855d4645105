"""A real browser without a window, for the tests of pages."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ABSENT = "no Chromium (Debian: apt install chromium)"
SCREENSHOTS = "TCPHOTON_SCREENSHOTS"
"""The variable of the environment that names a folder for pictures of pages."""
OPTIONS = [
    "--no-sandbox",  # of no use where the tests run as root, as they do in containers
    "--disable-gpu",
    "--disable-background-networking",
]


def find() -> str | None:
    """Return the program, or nothing where there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


MISSING = "" if find() else ABSENT
"""Why tests of pages are left out; empty where they run."""


def version() -> str:
    """Return which browser there is, in words."""
    program = find()
    if program is None:
        return ABSENT
    done = subprocess.run(
        [program, "--version"], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    return f"{done.stdout.strip()} ({program})"


@contextmanager
def started() -> Iterator[Browser]:
    """Start the browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=OPTIONS)
        try:
            yield browser
        finally:
            browser.close()


def context(browser: Browser, **options: Any) -> BrowserContext:
    """Open a context, in which a page is waited for as long as a busy machine may need."""
    made = browser.new_context(**options)
    made.set_default_timeout(1000 * PATIENCE)
    return made


class Opened:
    """A page in the browser, and all that it said, asked for, and opened.

    `at` is what stands behind its name. A `still` page is that of somebody who wants less motion: a
    film that plays by itself takes a whole core.
    """

    def __init__(
        self,
        browser: Browser,
        path: Path,
        *,
        at: str = "",
        scripts: bool = True,
        still: bool = False,
        width: int = 1280,
    ) -> None:
        options: dict[str, Any] = {"reduced_motion": "reduce"} if still else {}
        size = {"width": width, "height": 1000}
        self.context = context(browser, viewport=size, java_script_enabled=scripts, **options)
        self.page: Page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        self.page.on("dialog", lambda dialog: self.said.append(f"dialog: {dialog.message}"))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.resolve().as_uri() + at)

    def _heard(self, message: ConsoleMessage) -> None:
        # What a graphics driver says of its own speed is no word of the page.
        if "GL Driver Message" not in message.text:
            self.said.append(f"{message.type}: {message.text}")

    def picture(self, name: str) -> None:
        """Leave a picture of the whole page where somebody wants to look at it."""
        if folder := os.environ.get(SCREENSHOTS):
            self.page.screenshot(path=f"{folder}/page-{name}.png", full_page=True)

    def draw_all(self) -> None:
        """Bring every figure that can be seen into the window, and wait until it is drawn."""
        for figure in self.page.locator("figure:visible:has(.live)").all():
            figure.evaluate("each => each.scrollIntoView()")
            handle = figure.element_handle()
            self.page.wait_for_function(
                "each => ['done', 'failed'].includes(each.dataset.drawn)", arg=handle
            )
