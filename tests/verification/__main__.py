"""``make verify``: what holds the engine to the world outside, part by part.

``make verify PARTS=opera,packetdrill`` runs some. Times are of two quiet cores. A part whose
programs or data are not there says so and passes: the summary has its last line.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
LOGS = Path("out/verify/logs")
PROCESSES = "--numprocesses auto --maxprocesses 8 --dist worksteal"
CARGO_IT = "$CARGO_TEST --quiet --test scenario"
"""Whole runs, built with what all other tests of the engine are built with."""


class Part(NamedTuple):
    """A command, with what it shows and how many minutes it takes."""

    about: str
    minutes: float
    command: str
    variables: str = ""
    """Variables of the environment that it looks for."""


def program(name: str) -> str:
    """Return the command of a program in this folder."""
    return f"{sys.executable} {HERE / name}.py"


PARTS = {
    "oldest": Part("the Python side with the oldest packages it says it runs with", 2,
                   "$MAKE --no-print-directory test-oldest"),
    "rust": Part("all cases of all tests of the engine, with its assertions", 15,
                 "$MAKE --no-print-directory rust-tests-whole"),
    "python": Part("Python tests that are too slow for `make test`, with all cases", 10,
                   f"{sys.executable} -m pytest --quiet -m verify {PROCESSES}"),
    "simulators": Part("TCP against theory, ns-2 and ns-3, with intervals", 5, program("verify")),
    "intervals": Part("2,000 intervals of systems with closed forms cover what they say", 2,
                      program("estimators")),
    "steady": Part("bulk flows keep a link busy: 2,622 cells against ns-2 and theory", 6,
                   program("steady")),
    "captures": Part("captures of traces as tshark reads them", 1, program("traces")),
    "packetdrill": Part("TCP against Google's scripts, which test Linux", 1,
                        program("packetdrill"), "PACKETDRILL"),
    "opera": Part("circuits against Opera's simulator, flow by flow", 3, program("opera"),
                  "OPERA"),
    "etalon": Part("TCP over circuits against Etalon's measurements", 3, program("etalon"),
                   "ETALON"),
    "chromium": Part("pages in Chromium, with pictures of each", 2, program("browser_pages")),
    "firefox": Part("pages in Firefox", 1, program("firefox")),
    "javascript": Part("the types of the JavaScript", 1, program("javascript")),
    "page-speed": Part("a page of 10,000 points opens in 3 s", 2, program("page_speed")),
    "threads": Part("2,000 random networks on several threads against one", 8,
                    f"PROPTEST_CASES=2000 {CARGO_IT} parts::"),
    "splitting": Part("rare losses, and 2,000 intervals of them, against theory", 8,
                      f"{CARGO_IT} splitting:: -- --ignored"),
    "instructions": Part("instructions of each workload against the commit before", 8,
                         f"{sys.executable} benches/instructions.py"),
    "miri": Part("the unsafe code of the engine in Miri", 1,
                 "if ! cargo +nightly miri --version >/dev/null 2>&1; then "
                 "echo 'Miri is not installed (rustup +nightly component add miri)'; "
                 "else cargo +nightly miri test --quiet -p kernel --lib prefetch; fi"),
    "advisories": Part("security advisories of crates", 1,
                       "if ! cargo deny --version >/dev/null 2>&1; then "
                       "echo 'cargo-deny is not installed: no advisories are looked up'; "
                       "elif ! cargo deny fetch db >/dev/null 2>&1; then "
                       "echo 'no database of advisories can be had: none are looked up'; "
                       "else cargo deny --offline check advisories; fi"),
}  # fmt: skip


def main() -> int:
    """Run all parts, or those asked for; 1 where one failed, 2 where one is unknown."""
    asked = [name for name in sys.argv[1].split(",") if name] or list(PARTS)
    unknown = [name for name in asked if name not in PARTS]
    if unknown:
        print(f"no part is called {unknown[0]!r}; the parts are")
        describe(list(PARTS))
        return 2
    describe(asked)
    LOGS.mkdir(parents=True, exist_ok=True)
    outcomes = {}
    for at, name in enumerate(asked, start=1):
        print(f"\npart {at} of {len(asked)}: {name}: {PARTS[name].about}", flush=True)
        outcomes[name] = run(name)
    print("\n   min  part")
    for name, (code, seconds, last) in outcomes.items():
        word = "" if code == 0 else f"FAILED with {code}: "
        print(f"{seconds / 60:6.1f}  {name}: {word}{last}")
    return int(any(code for code, _, _ in outcomes.values()))


def describe(names: list[str]) -> None:
    """Print what parts do and how long they take."""
    for name in names:
        part = PARTS[name]
        variables = f" ({part.variables}=FOLDER)" if part.variables else ""
        print(f"{part.minutes:>4} min  {name}: {part.about}{variables}")
    total = sum(PARTS[name].minutes for name in names)
    print(f"{total:>4} min  in all, on two quiet cores", flush=True)


def run(name: str) -> tuple[int, float, str]:
    """Run a part: its exit code, its seconds, and the last line that it printed."""
    begun = time.monotonic()
    environment = {"MAKE": "make"} | os.environ | {"TEST_SHARE": "1"}
    words = ["bash", "-euo", "pipefail", "-c", PARTS[name].command]
    last = ""
    with (
        (LOGS / f"{name}.log").open("w", encoding="utf-8") as log,
        subprocess.Popen(
            words, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        ) as process,
    ):
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            log.write(line)
            last = line.strip() or last
    return process.returncode, time.monotonic() - begun, last


if __name__ == "__main__":
    sys.exit(main())
