"""What the engine costs in instructions, against another revision's: ``make verify`` runs it.

Counts (valgrind's cachegrind) do not depend on what else the machine does, so that a few percent
are certain where times are not; what instructions cost, `side_by_side.py` measures. Both engines
are built here, by the same compiler. A case is run for two durations, and the difference counts:
neither the start of Python nor the set-up is in it. Cases are examples that any revision knows.

Exit code 1 if a case needs more instructions than before by more than the limit.
"""

from __future__ import annotations

import argparse
import compileall
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from side_by_side import OUT, ROOT, Row, csv_of, tell

from tcphoton.common.folder import put_file

if TYPE_CHECKING:
    from collections.abc import Sequence

LIMIT = 3.0
"""Percent more instructions that are no regression."""

QUIET = {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}
"""What makes the rest of a process the same each time: threads that wait for work count, too."""

RUN = """
import json, sys
import tcphoton as tp
name, changes = json.loads(sys.argv[1])
tp.run(tp.example(name).with_(changes))
"""


class Case(NamedTuple):
    """A scenario, and how long it is simulated."""

    example: str
    changes: dict[str, object]
    short: str
    long: str

    @property
    def fixed(self) -> dict[str, object]:
        """What changes the example for both durations: without a warm-up, which may be longer."""
        return {"run.warmup": "0 s"} | self.changes


def _tcp(**options: object) -> dict[str, object]:
    return {f"traffic.0.transport.{key}": value for key, value in options.items()}


CASES = {
    "newreno": Case("dumbbell", _tcp(preset="newreno"), "6 s", "36 s"),
    "sack": Case("dumbbell", _tcp(preset="sack"), "6 s", "36 s"),
    "cubic": Case("dumbbell", _tcp(preset="cubic"), "6 s", "36 s"),
    "poisson": Case("mm1", {}, "20 s", "800 s"),
    "fat-tree": Case("fat-tree", {}, "10 ms", "500 ms"),
    "bursts": Case("obs-three-nodes", {}, "1 s", "3 s"),
    "deflection": Case("ops-deflection", {}, "1 s", "6 s"),
    "lightpath-bundle": Case("lightpath-bundle", {}, "100 ms", "300 ms"),
}


class Counted(NamedTuple):
    """A case of both revisions, in instructions."""

    case: str
    before: int
    now: int

    @property
    def more(self) -> float:
        """Percent by which there are more now."""
        return 100.0 * (self.now / self.before - 1.0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Count everything, print the table and write it."""
    parser = argparse.ArgumentParser(description="Count the engine's instructions.")
    parser.add_argument(
        "--base", help="the revision to compare with; default: the last commit before this state"
    )
    parser.add_argument(
        "--limit", type=float, default=LIMIT, help=f"percent more; default: {LIMIT:g}"
    )
    parser.add_argument("cases", nargs="*", metavar="CASE", help="cases; default: all")
    options = parser.parse_args(arguments)
    unknown = [case for case in options.cases if case not in CASES]
    if unknown:
        parser.error(f"no case {unknown[0]!r}; available: {', '.join(CASES)}")
    missing = [program for program in ("valgrind", "git") if shutil.which(program) is None]
    if missing:
        sys.stdout.write(f"{missing[0]} is not installed: no instructions are counted.\n")
        return 0
    if git("rev-parse", "--is-inside-work-tree", check=False) != "true":
        sys.stdout.write("No git repository: no instructions are counted.\n")
        return 0
    base = git("rev-parse", "--short=12", options.base or last_before())
    engines = (engine_of(base), engine_of(None))
    found = [counted(case, engines) for case in options.cases or CASES]
    sys.stdout.write(text_of(found, base))
    put_file(OUT / "instructions.csv", csv_of(rows_of(found, base)).encode())
    sys.stdout.write(f"Written: {OUT / 'instructions.csv'}\n")
    slower = [one for one in found if one.more > options.limit]
    for one in slower:
        sys.stdout.write(f"{one.case}: {one.more:.1f} % more instructions than {base}\n")
    return 1 if slower else 0


def git(*arguments: str, check: bool = True) -> str:
    """Return what git prints."""
    done = subprocess.run(
        ["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=check
    )
    return done.stdout.strip()


def last_before() -> str:
    """Return the last commit before this state: the last one at all if files were changed since."""
    return "HEAD" if git("status", "--porcelain", "--untracked-files=no") else "HEAD~1"


def engine_of(revision: str | None) -> Path:
    """Build the package of a revision, or of the files as they are, and return its folder."""
    name = revision or "now"
    folder = OUT / "engines" / name
    package = folder / "package"
    if revision and (package / "tcphoton").is_dir():
        return package
    tell(f"building the engine of {revision or 'this state'}")
    shutil.rmtree(folder, ignore_errors=True)
    source = ROOT
    if revision:
        source = folder / "source"
        source.mkdir(parents=True)
        tar = subprocess.run(
            ["git", "-C", str(ROOT), "archive", revision], capture_output=True, check=True
        )
        with tarfile.open(fileobj=io.BytesIO(tar.stdout)) as archive:
            archive.extractall(source, filter="data")
    maturin = Path(sys.executable).with_name("maturin")
    wheels = (folder / "wheel").resolve()
    # Cargo tells sources of two revisions apart by their times alone, which an archive sets back.
    target = folder / "target" if revision else OUT / "target"
    build = [maturin, "build", "--release", "--locked", "--out", wheels]
    done = subprocess.run(
        [*map(str, build), "--interpreter", sys.executable],
        cwd=source,
        env=os.environ | {"CARGO_TARGET_DIR": str(target.resolve())},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"the engine of {name} does not build:\n{done.stderr}")
    with zipfile.ZipFile(next(wheels.glob("*.whl"))) as wheel:
        wheel.extractall(package)
    # Else the first processes do it, the one or the other, and their difference counts.
    compileall.compile_dir(package, quiet=1)
    if revision:
        shutil.rmtree(target)
    return package


def counted(name: str, engines: tuple[Path, Path]) -> Counted:
    """Count a case of both engines, two processes at a time."""
    tell(f"counting {name}")
    case = CASES[name]
    durations = (case.short, case.long)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = [pool.submit(instructions, case, engine, d) for engine in engines for d in durations]
        first, second, third, fourth = (run.result() for run in runs)
    return Counted(name, second - first, fourth - third)


def instructions(case: Case, engine: Path, duration: str) -> int:
    """Count the instructions of a process that runs a case."""
    changes = {"run.duration": duration} | case.fixed
    done = subprocess.run(
        [
            *("valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"),
            *(sys.executable, "-c", RUN, json.dumps([case.example, changes])),
        ],
        env=os.environ | QUIET | {"PYTHONPATH": str(engine.resolve())},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"{case.example} for {duration} fails in {engine}:\n{done.stderr}")
    return total_of(done.stderr)


def total_of(report: str) -> int:
    """Return the instructions of cachegrind's report."""
    total = re.search(r"I\s+refs:\s+([\d,]+)", report)
    if total is None:
        raise ValueError(f"no count in {report!r}")
    return int(total[1].replace(",", ""))


def text_of(found: list[Counted], base: str) -> str:
    """Return the table as text."""
    width = max(len("case"), *(len(one.case) for one in found))
    lines = [f"{'case':{width}}  {base:>16}  {'now':>16}   change\n"]
    lines += [
        f"{one.case:{width}}  {one.before:>16,}  {one.now:>16,}  {one.more:+6.2f} %\n"
        for one in found
    ]
    return "".join(lines)


def rows_of(found: list[Counted], base: str) -> list[Row]:
    """Return a line for each case."""
    return [
        {
            "case": one.case,
            "base": base,
            "instructions before": str(one.before),
            "instructions now": str(one.now),
        }
        for one in found
    ]


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)
