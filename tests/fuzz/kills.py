"""The part `kills`: a killed sweep goes on to the results of one that nobody killed."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import time
from typing import TYPE_CHECKING, ClassVar

from fuzz.command import Said, begun, said, workers_of
from fuzz.desk import Part
from fuzz.studies import SCENARIO, SWEEP_FILE, contents
from tcphoton.common.open_folder import SCRATCH

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

    from fuzz.desk import Desk, Payload
    from fuzz.draw import Draw

__all__ = ["Kills"]

WAYS = (
    "SIGKILL of all",
    "SIGKILL of the parent",
    "SIGKILL of a worker",
    "SIGTERM",
    "SIGINT",
    "SIGHUP",
)
GOING = 30.0
"""Seconds in which processes are gone whose parent is, on a machine that is busy, too."""


class Kills(Part):
    """Sweeps that are killed."""

    name: ClassVar[str] = "kills"
    about: ClassVar[str] = "a sweep that is killed goes on to the results of one that is not"
    cases: ClassVar[int] = 12
    seconds: ClassVar[float] = 300.0
    memory: ClassVar[int] = 0

    def __init__(self) -> None:
        self._whole: dict[str, bytes] = {}

    def attack(self, draw: Draw, desk: Desk) -> None:
        """Kill a sweep once to three times, and let it come to its end."""
        kills = [
            {"way": draw.pick(WAYS), "after": round(0.2 + 2.3 * draw.unit(), 3)}
            for _ in range(draw.between(1, 3))
        ]
        payload = {"kills": kills, "workers": draw.between(1, 3)}
        desk.note(payload)
        self.judge(payload, desk)

    def judge(self, payload: Payload, desk: Desk) -> None:
        """Do so."""
        self._prepare(desk)
        out = desk.folder / "killed"
        shutil.rmtree(out, ignore_errors=True)
        for kill in payload["kills"]:
            process = self._sweep(out, desk.folder, payload["workers"])
            time.sleep(kill["after"])
            _kill(process, kill["way"])
            told = said(process)
            self._ended(told, kill["way"], out, desk)
            desk.count("killed" if told.code != 0 else "too late to kill")
        told = said(self._sweep(out, desk.folder, payload["workers"]))
        if told.code != 0:
            desk.found("a killed sweep does not go on", f"exit {told.code}: {told.stderr[-500:]!r}")
            return
        self._compare(out, payload["kills"], desk)

    def _prepare(self, desk: Desk) -> None:
        if self._whole:
            return
        (desk.folder / "small.toml").write_text(SCENARIO.replace("300 ms", "60 s"), "utf-8")
        (desk.folder / "sweep.toml").write_text(SWEEP_FILE, "utf-8")
        told = said(self._sweep(desk.folder / "whole", desk.folder, 2))
        assert told.code == 0, told
        self._whole = contents(desk.folder / "whole")

    def _sweep(self, out: Path, folder: Path, workers: int) -> subprocess.Popen[bytes]:
        return begun("sweep", "sweep.toml", "--out", out, "--workers", workers, folder=folder)

    def _ended(self, told: Said, way: str, out: Path, desk: Desk) -> None:
        """Hold the end of a killed sweep to what must hold of it at once."""
        if told.code is None:
            desk.found("a sweep hangs when it is killed", way)
        if b"Traceback" in told.stderr:
            desk.found("a traceback of a killed sweep", f"{way}: {told.stderr[-600:].decode()}")
        if way == "SIGINT" and told.code not in {0, 130, -signal.SIGINT}:
            desk.found("a wrong exit code of a sweep that Ctrl-C ends", told.code)
        if way == "SIGINT" and told.code == 130 and _scratch(out):
            desk.found("scratch files stay when Ctrl-C ends a sweep", _scratch(out))

    def _compare(self, out: Path, kills: list[dict[str, object]], desk: Desk) -> None:
        """Compare results with those of a sweep that nobody killed."""
        hard = any("SIGKILL" in str(kill["way"]) or kill["way"] != "SIGINT" for kill in kills)
        now = {
            name: data for name, data in contents(out).items() if not hard or SCRATCH not in name
        }
        ways = ", ".join(str(kill["way"]) for kill in kills)
        if now.keys() != self._whole.keys():
            differ = sorted(now.keys() ^ self._whole.keys())
            desk.found("a killed sweep has other files in the end", f"{ways}: {differ}")
        wrong = [name for name, data in self._whole.items() if now.get(name, data) != data]
        if wrong:
            desk.found("a killed sweep has other results in the end", f"{ways}: {wrong}")

    def smaller(self, payload: Payload) -> Iterator[Payload]:
        """Return the case with fewer kills."""
        kills = payload["kills"]
        for at in range(len(kills) if len(kills) > 1 else 0):
            yield {**payload, "kills": kills[:at] + kills[at + 1 :]}


def _kill(process: subprocess.Popen[bytes], way: str) -> None:
    with contextlib.suppress(ProcessLookupError):
        match way:
            case "SIGKILL of all":
                os.killpg(process.pid, signal.SIGKILL)
            case "SIGKILL of a worker":
                workers = workers_of(process)
                if workers:
                    os.kill(workers[-1], signal.SIGKILL)
            case "SIGKILL of the parent":
                workers = workers_of(process)
                os.kill(process.pid, signal.SIGKILL)
                _wait_for(workers)
            case _:
                os.kill(process.pid, signal.Signals[way])


def _wait_for(workers: list[int]) -> None:
    """Give processes whose parent is gone time to find out; those that stay fail nothing here."""
    end = time.monotonic() + GOING
    while any(os.path.exists(f"/proc/{number}") for number in workers):
        if time.monotonic() > end:
            return
        time.sleep(0.05)


def _scratch(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob(f"{SCRATCH}*")]
