"""The parent: it hands cases to a child, watches it, and starts another where one is gone."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fuzz.desk import Finding, Slate
from waiting import core_seconds

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from fuzz.desk import Part, Payload

__all__ = ["Answer", "Child"]

TESTS = Path(__file__).parents[1]
STDERR = 2000
"""Characters of what a child that crashed said last."""
IDLE = 10
"""How many times as long as it may compute a child may wait."""


class Answer:
    """What came of a case: counts, and what was found with the case that shows it."""

    def __init__(self, facts: dict[str, int], findings: list[tuple[Finding, Payload]]) -> None:
        self.facts: Counter[str] = Counter(facts)
        self.findings = findings


class Child:
    """A child process for one part, started again whenever it is gone."""

    def __init__(self, part: Part) -> None:
        self.part = part
        self._folder = tempfile.TemporaryDirectory(prefix="tcphoton-fuzz-")
        self.folder = Path(self._folder.name)
        self.slate = Slate(self.folder / "slate")
        self._process: subprocess.Popen[bytes] | None = None
        self._stderr = (self.folder / "stderr").open("w+b")

    def __enter__(self) -> Self:
        """Nothing is started before the first case."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop the child and remove its files."""
        self._stop()
        self._stderr.close()
        self._folder.cleanup()

    def ask(self, request: dict[str, Any]) -> Answer:
        """Have a case judged; a child that crashes or hangs over it is a finding."""
        process = self._process or self._start()
        assert process.stdin is not None
        self.slate.wipe()
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            line = self._line(process)
        except BrokenPipeError:
            line = b""
        if line:
            answer = json.loads(line)
            findings = [(Finding(*finding), payload) for finding, payload in answer["findings"]]
            if self.part.memory and _address_space(process.pid) > self.part.memory // 2:
                self._stop()  # What a large case leaves reserved is no room for the next ones.
            return Answer(answer["facts"], findings)
        payload = self.slate.read() or request.get("payload") or {"request": request}
        finding = self._died(process, hangs=line is None)
        self._stop()
        return Answer({"children lost": 1}, [(finding, payload)])

    def _start(self) -> subprocess.Popen[bytes]:
        (self.folder / "work").mkdir(exist_ok=True)
        self._stderr.seek(0)
        self._stderr.truncate()
        way = os.pathsep.join(
            [str(TESTS), str(TESTS / "python"), *filter(None, [os.environ.get("PYTHONPATH")])]
        )
        command = [sys.executable, "-m", "fuzz", "--child", self.part.name, str(self.folder)]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            # A pool of threads for every core would ask for more memory than the cases do.
            env={
                **os.environ,
                "PYTHONPATH": way,
                "POLARS_MAX_THREADS": "1",
                "MALLOC_ARENA_MAX": "2",
            },
            start_new_session=True,
        )
        return self._process

    def _line(self, process: subprocess.Popen[bytes]) -> bytes | None:
        """Return the child's answer: empty where it is gone, `None` where none comes in time.

        The time is that of a core. A child that only waits has longer: it may be the machine that
        is busy with other things.
        """
        assert process.stdout is not None
        began, until = core_seconds(process.pid), time.monotonic() + IDLE * self.part.seconds
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while not selector.select(min(1.0, self.part.seconds)):
                taken = core_seconds(process.pid) - began
                if taken > self.part.seconds or time.monotonic() > until:
                    return None
        return process.stdout.readline()

    def _died(self, process: subprocess.Popen[bytes], *, hangs: bool) -> Finding:
        if hangs:
            return Finding("hangs", f"no answer within {self.part.seconds} s of a core")
        number = -process.wait()
        name = signal.Signals(number).name if number > 0 else f"exit code {-number}"
        self._stderr.seek(0)
        said = self._stderr.read()[-STDERR:].decode(errors="replace").strip()
        return Finding(f"the process dies of {name}", said)

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(BrokenPipeError):
                if pipe is not None:
                    pipe.close()


def _address_space(pid: int) -> int:
    """Return the bytes of a process' address space, 0 where that is not known."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        pages = Path(f"/proc/{pid}/statm").read_text("ascii").split()[0]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    return 0
