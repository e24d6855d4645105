"""``stages.py VERB STAGE[:AFTER,…] …``: targets of the Makefile as the stages of a verb.

A stage starts when those behind its colon have ended well, in the order given, three at a time:
most have long stretches in which they wait or keep one core busy. What a stage prints goes into
``target/stages/NAME.log``, and onto the screen when it fails; the others go on, except those that
come after it. In the end stand the time of each stage, the slowest tests and what was skipped.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

LOGS = Path("target/stages")
AT_ONCE = 3
SILENCE = 20.0
"""Seconds without a line, after which one says what is under way."""
SLOWEST = 10
LONGEST = 110
"""Characters of the name of a test, which may have a whole scenario in it."""

RUST_TEST = re.compile(r"^test (\S+)(?: - should panic)? \.\.\. ok <(\d+\.\d+)s>$", re.MULTILINE)
PYTHON_TEST = re.compile(r"^(\d+\.\d+)s (?:call|setup|teardown) +(\S.*)$", re.MULTILINE)
COUNTS = re.compile(r"(\d+) (passed|failed|skipped|ignored|errors?)\b")
CLOSING = re.compile(r"^(?:test result: .*|=*.*\d+ (?:passed|failed|skipped).* in [\d.:s ()]+=*)$",
                     re.MULTILINE)  # fmt: skip
SKIPPED = re.compile(r"^\d+ skipped: .*$", re.MULTILINE)
NOTE = re.compile(r"^note: .*$", re.MULTILINE)
"""Lines that a stage wants to be seen though it ended well."""


class Stage:
    """A target of the Makefile, and how it went."""

    def __init__(self, text: str) -> None:
        self.name, _, after = text.partition(":")
        self.after = [name for name in after.split(",") if name]
        self.log = LOGS / f"{self.name}.log"
        self.process: subprocess.Popen[bytes] | None = None
        self.begun = self.wall = self.cpu = 0.0
        self.code: int | None = None
        self.left_out = False

    def start(self, ended: threading.Event) -> None:
        """Start the target; `ended` is set when it has ended."""
        words = [os.environ.get("MAKE", "make"), "--no-print-directory", "--silent", self.name]
        self.begun = time.monotonic()
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                process_group=0,
            )
        threading.Thread(target=self._wait, args=(self.process.pid, ended), daemon=True).start()

    def _wait(self, number: int, ended: threading.Event) -> None:
        _, status, usage = os.wait4(number, 0)
        self.wall = time.monotonic() - self.begun
        self.cpu = usage.ru_utime + usage.ru_stime
        self.code = os.waitstatus_to_exitcode(status)
        ended.set()

    def stop(self) -> None:
        """End all of its processes, as Ctrl-C does."""
        if self.process is not None and self.code is None:
            os.killpg(self.process.pid, signal.SIGINT)

    @property
    def text(self) -> str:
        """What it has printed."""
        return self.log.read_text("utf-8", "replace") if self.log.exists() else ""

    @property
    def is_running(self) -> bool:
        """Whether it has begun and not ended."""
        return self.process is not None and self.code is None

    def progress(self) -> str:
        """Return its name, with its share of the tests that have run where it prints one."""
        shares = re.findall(r"\[ *(\d+)%\]", self.text[-4000:])
        return f"{self.name} {shares[-1]} %" if shares else self.name


def clock(seconds: float) -> str:
    """Return a time in minutes and seconds."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


class Run:
    """All stages of a verb."""

    def __init__(self, verb: str, stages: list[Stage]) -> None:
        self.verb = verb
        self.stages = stages
        self.begun = self.spoken = time.monotonic()

    def say(self, line: str) -> None:
        """Print a line behind the time since the beginning."""
        print(f"{clock(time.monotonic() - self.begun):>6}  {line}", flush=True)
        self.spoken = time.monotonic()

    def go(self) -> bool:
        """Run all stages; tell whether all ended well."""
        ended = threading.Event()
        reported: set[str] = set()
        by_name = {stage.name: stage for stage in self.stages}
        total = len(self.stages)
        while True:
            for at, stage in enumerate(self.stages, start=1):
                if stage.code is not None and stage.name not in reported:
                    reported.add(stage.name)
                    self.report(stage, at)
            waiting = [each for each in self.stages if each.process is None and not each.left_out]
            for stage in waiting:
                befores = [by_name[name] for name in stage.after]
                if any(each.code or each.left_out for each in befores):
                    stage.left_out = True
                    self.say(f"{stage.name} is left out: it comes after one that failed")
                elif all(each.code == 0 for each in befores) and self.running < AT_ONCE:
                    self.say(f"stage {self.stages.index(stage) + 1} of {total}: {stage.name} …")
                    stage.start(ended)
            if not self.running:
                return all(stage.code == 0 for stage in self.stages)
            ended.wait(1.0)
            ended.clear()
            if time.monotonic() - self.spoken > SILENCE:
                self.say("  … " + ", ".join(e.progress() for e in self.stages if e.is_running))

    @property
    def running(self) -> int:
        """How many stages run now."""
        return sum(stage.is_running for stage in self.stages)

    def report(self, stage: Stage, at: int) -> None:
        """Say how a stage went, and what it wants to be seen."""
        word = "done" if stage.code == 0 else f"FAILED with {stage.code}"
        times = f"{stage.wall:.0f} s, {stage.cpu:.0f} s of CPU"
        self.say(f"stage {at} of {len(self.stages)}: {stage.name} {word} ({times})")
        if stage.code:
            print(stage.text, flush=True)
        else:
            for line in NOTE.findall(stage.text):
                print(f"        {line}")

    def close(self) -> None:
        """Print the table of stages, the slowest tests and all counts."""
        print("\n  wall     CPU  stage")
        for stage in self.stages:
            print(f"{clock(stage.wall):>6}  {clock(stage.cpu):>6}  {stage.name}")
        wall, cpu = time.monotonic() - self.begun, sum(stage.cpu for stage in self.stages)
        print(f"{clock(wall):>6}  {clock(cpu):>6}  make {self.verb}")
        texts = [stage.text for stage in self.stages]
        slow = slowest(texts)
        if slow:
            print(f"\nThe {len(slow)} slowest tests, in seconds:")
            for seconds, name in slow:
                print(f"{seconds:6.1f}  {name[:LONGEST]}")
        counts: Counter[str] = Counter()
        for text in texts:
            for closing in CLOSING.findall(text):
                for number, what in COUNTS.findall(closing):
                    counts[what] += int(number)
        skips = [line for text in texts for line in SKIPPED.findall(text)]
        if skips:
            print("\n" + "\n".join(skips))
        if not counts:
            return
        failed = counts["failed"] + counts["error"] + counts["errors"]
        skipped = counts["skipped"] + counts["ignored"]
        print(f"\n{counts['passed']} passed, {failed} failed, {skipped} skipped", flush=True)


def slowest(texts: list[str]) -> list[tuple[float, str]]:
    """Return the seconds and names of the slowest tests of both languages."""
    found = [(float(s), name) for text in texts for name, s in RUST_TEST.findall(text)]
    found += [(float(s), name) for text in texts for s, name in PYTHON_TEST.findall(text)]
    return sorted(found, reverse=True)[:SLOWEST]


def main() -> int:
    """Run the stages of a verb."""
    verb, *texts = sys.argv[1:]
    # Each stage has the cores that it takes: no jobs of a `make -j` above.
    flags = os.environ.get("MAKEFLAGS", "")
    os.environ["MAKEFLAGS"] = re.sub(r" ?-j\d*| ?--jobserver-\w+=\S+", "", flags)
    LOGS.mkdir(parents=True, exist_ok=True)
    run = Run(verb, [Stage(text) for text in texts])
    for stage in run.stages:
        stage.log.unlink(missing_ok=True)
    # A script's `make test &` has Ctrl-C ignored; and who ends this verb ends its stages.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        well = run.go()
    except KeyboardInterrupt:
        for stage in run.stages:
            stage.stop()
        return 130
    run.close()
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
