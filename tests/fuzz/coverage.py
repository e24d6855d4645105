"""The part `coverage`: cargo-fuzz, which is led by coverage, where it is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["ABOUT", "NAME", "TARGETS", "again", "lead"]

NAME = "coverage"
ABOUT = "cargo-fuzz: any text to check, any segments to the ends of TCP"
TARGETS = ("check", "ends")
ROOT = Path(__file__).parents[2]
SEEDS = ("examples", "crates/scenario/tests/good", "crates/scenario/tests/bad")
"""Where the target `check` starts."""
SECONDS = 60
"""How long each target runs unless it is said."""
MISSING = "coverage: left out, cargo-fuzz is not there: cargo install cargo-fuzz --locked\n"
TOLD = 4000
"""Characters of what a target said last, where it failed."""
EXECUTED = re.compile(r"stat::number_of_executed_units: (\d+)")
KEPT = re.compile(r"Test unit written to (\S+)")
# Without a sanitizer it builds with the stable compiler; the engine has no unsafe code to watch.
RUN = ("cargo", "fuzz", "run", "-s", "none")


def lead(seconds: float, seed: int) -> bool:
    """Run every target for some seconds; false where one of them found something."""
    if shutil.which("cargo-fuzz") is None:
        sys.stdout.write(MISSING)
        return True
    well = True
    for target in TARGETS:
        corpus = ROOT / "fuzz" / "corpus" / target
        corpus.mkdir(parents=True, exist_ok=True)
        folders = [str(corpus), *(str(ROOT / way) for way in SEEDS if target == "check")]
        length = SECONDS if seconds == float("inf") else max(1, round(seconds / len(TARGETS)))
        options = [f"-max_total_time={length}", f"-seed={seed % 2**32 or 1}", "-timeout=10"]
        more = ["-max_len=8192", "-rss_limit_mb=2048", "-print_final_stats=1", "-verbosity=0"]
        done = _cargo(target, *folders, "--", *options, *more)
        found = "nothing found" if done.returncode == 0 else "failed"
        sys.stdout.write(f"coverage: {target}: {_executed(done.stderr)} cases: {found}\n")
        if done.returncode != 0:
            sys.stdout.write(done.stderr[-TOLD:])
            kept = KEPT.search(done.stderr)
            if kept:
                sys.stdout.write(f"  replay: make fuzz REPLAY={kept[1]}\n")
        well &= done.returncode == 0
    return well


def _executed(said: str) -> str:
    """Return how many cases a target had, as it says in the end."""
    number = EXECUTED.search(said)
    return f"{int(number[1]):,}" if number else "some"


def again(case: Path) -> int:
    """Run a target on a case that it has kept; return its exit code."""
    done = _cargo(case.parent.name, str(case.resolve()))
    sys.stdout.write(done.stderr[-TOLD:])
    return done.returncode


def _cargo(target: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*RUN, target, *arguments],
        cwd=ROOT / "fuzz",
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
