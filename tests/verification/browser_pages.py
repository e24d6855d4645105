"""A part of ``make verify``: pages of results in a real browser, which must be there.

``make test`` leaves these tests out where there is no Chromium, and says so. Here its absence is an
error. A screenshot of each page goes to ``out/verify``, to be looked at.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1] / "python"
sys.path.insert(0, str(TESTS))

import browser  # noqa: E402

OUT = Path("out/verify")
NAMES = ("report_browser", "player_page", "studio", "live", "front")


def main() -> int:
    """Run the tests, and leave the screenshots."""
    if browser.find() is None:
        print(f"Pages of results are opened in a browser: {browser.ABSENT}.")
        return 1
    OUT.mkdir(parents=True, exist_ok=True)
    os.environ[browser.SCREENSHOTS] = str(OUT.resolve())
    code = pytest.main(["--quiet", *(str(TESTS / f"test_{name}.py") for name in NAMES)])
    if code == 0:
        print(f"Screenshots are in {OUT}/.")
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
