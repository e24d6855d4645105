"""The part `folders`: a hostile folder is refused or read, and nothing outside it changes."""

from __future__ import annotations

import json
import os
import shutil
import socket
from typing import TYPE_CHECKING, Any, ClassVar

from fuzz.command import begun, said
from fuzz.desk import Part
from fuzz.studies import SCENARIO, SWEEP_FILE, made

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fuzz.desk import Desk, Payload
    from fuzz.draw import Draw

__all__ = ["Folders"]

ESCAPE = "\x1b]0;owned\x07\x1b[2J\u202e\u2028 title"
COMMANDS = (
    ("report", "sweep"),
    ("report", "run"),
    ("results", "sweep"),
    ("results", "sweep", "--csv"),
    ("results", "sweep", "--failed"),
    ("results", "sweep", "--timings"),
    ("results", "sweep", "--table", "flows"),
    ("results", "sweep", "--parquet", "sweep/out.parquet"),
    ("results", "run"),
    ("results", "."),
    ("sweep", "sweep.toml", "--out", "sweep", "--workers", "1"),
    ("run", "small.toml", "--out", "run"),
)
PLACES = (
    "sweep", "sweep/sweep.json", "sweep/points", "sweep/failed", "sweep/results.csv",
    "sweep/results.parquet", "sweep/timings.csv", "sweep/report.html", "sweep/PIECE",
    "sweep/out.parquet", "sweep/failed/x.parquet", "run", "run/report.json", "run/flows.parquet",
    "run/links.parquet", "run/report.html",
)  # fmt: skip
THINGS = (
    "link to a file", "link to a folder", "link to nothing", "link to itself", "link to a device",
    "pipe", "socket", "folder", "empty", "deep", "large number", "no UTF-8", "zeros", "other type",
)  # fmt: skip
MODULES = (
    "json",
    "numpy",
    "polars",
    "typing",
    "multiprocessing",
    "signal",
    "tcphoton",
    "sitecustomize",
)
"""Modules whose names a file in the working folder may have."""
TITLES = (
    "title",
    "file",
    "keep",
    "digests",
    "over",
    "seeds",
    "until",
    "results-revision",
    "traffic",
)
WORDS: tuple[object, ...] = (
    ESCAPE, "../../outside/new", "/outside", "", None, -1, 2**70, [], {}, [ESCAPE],
    "<script>alert(1)</script>", ["../../outside/canary"], {"a": {"b": []}}, True, 1e308,
    "x" * 100_000,
)  # fmt: skip


class Folders(Part):
    """Folders that somebody has prepared."""

    name: ClassVar[str] = "folders"
    about: ClassVar[str] = (
        "a hostile folder is refused in one line or read, and nothing else changes"
    )
    cases: ClassVar[int] = 60
    seconds: ClassVar[float] = 120.0
    memory: ClassVar[int] = 0

    def attack(self, draw: Draw, desk: Desk) -> None:
        """Prepare a folder and give it to a verb."""
        if draw.chance(0.1):
            harm: dict[str, Any] = {"module": draw.pick(MODULES)}
        elif draw.chance(0.65):
            harm = {"place": draw.pick(PLACES), "thing": draw.pick(THINGS)}
        else:
            harm = {
                "place": draw.pick(["sweep/sweep.json", "run/report.json"]),
                "key": draw.pick(TITLES),
                "word": draw.below(len(WORDS)),
            }
        payload = {"harm": harm, "command": list(draw.pick(COMMANDS))}
        desk.note(payload)
        self.judge(payload, desk)

    def judge(self, payload: Payload, desk: Desk) -> None:
        """Do so."""
        good = made(desk.folder / "studies")
        place = desk.folder / "hostile"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(good, place / "inside")
        inside, outside = place / "inside", place / "outside"
        (outside / "folder").mkdir(parents=True)
        (outside / "canary").write_text("{}")
        (outside / "folder" / "canary").write_text("x")
        (inside / "small.toml").write_text(SCENARIO, "utf-8")
        (inside / "sweep.toml").write_text(SWEEP_FILE, "utf-8")
        _harm(inside, outside, payload["harm"])
        before = _state(outside)
        process = begun(*payload["command"], folder=inside)
        told = said(process)
        desk.count(f"exit {told.code}")
        what = f"{' '.join(payload['command'][:1])}: {_harm_text(payload['harm'])}"
        if told.code is None:
            desk.found("a verb hangs over a hostile folder", what)
        elif told.code not in {0, 2}:
            desk.found("a wrong exit code", f"{what}: {told.code}: {told.stderr[-400:]!r}")
        if told.code == 2 and told.stderr.count(b"\n") > 1:
            desk.found("refused in more than one line", f"{what}: {told.stderr[-400:]!r}")
        if b"Traceback" in told.stderr:
            desk.found("a traceback", f"{what}: {told.stderr[-400:]!r}")
        if told.escapes:
            desk.found("output that a terminal obeys", what)
        if _state(outside) != before:
            desk.found("something outside the folder changes", what)

    def smaller(self, payload: Payload) -> Iterator[Payload]:
        """Return nothing: a case is one harm and one command."""
        del payload
        return iter(())


def _harm_text(harm: dict[str, Any]) -> str:
    if "module" in harm:
        return f"{harm['module']}.py"
    if "thing" in harm:
        return f"{harm['place']} is {harm['thing']}"
    return f"{harm['key']} of {harm['place']} is {str(WORDS[harm['word']])[:40]!r}"


def _harm(inside: Path, outside: Path, harm: dict[str, Any]) -> None:
    if "module" in harm:
        code = f"open({str(outside / 'run')!r}, 'w')\n"
        (inside / f"{harm['module']}.py").write_text(code, "utf-8")
        return
    path = inside / harm["place"]
    if path.name == "PIECE":
        path = sorted((inside / "sweep" / "points").iterdir())[0]
    if "key" in harm:
        found = json.loads(path.read_text("utf-8"))
        found[harm["key"]] = WORDS[harm["word"]]
        path.write_text(json.dumps(found), "utf-8")
        return
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    _put(path, outside, harm["thing"])


def _put(path: Path, outside: Path, thing: str) -> None:
    match thing:
        case "link to a file":
            path.symlink_to(outside / "canary")
        case "link to a folder":
            path.symlink_to(outside / "folder")
        case "link to nothing":
            path.symlink_to(outside / "nothing")
        case "link to itself":
            path.symlink_to(path)
        case "link to a device":
            path.symlink_to("/dev/zero")
        case "pipe":
            os.mkfifo(path)
        case "socket":
            with socket.socket(socket.AF_UNIX) as listening:
                _bind(listening, path)
        case "folder":
            path.mkdir()
        case _:
            path.write_bytes(DATA[thing])


DATA = {
    "empty": b"",
    "deep": b'{"title": ' + b"[" * 200_000 + b"]" * 200_000 + b"}",
    "large number": b'{"title": ' + b"9" * 100_000 + b', "tables": 1e999}',
    "no UTF-8": b'{"title": "\xff\xfe\x80"}',
    "zeros": bytes(4096),
    "other type": b"[1, 2, 3]",
}


def _bind(listening: socket.socket, path: Path) -> None:
    """Bind a socket to a path that may be too long for one."""
    here = os.open(path.parent, os.O_RDONLY)
    try:
        listening.bind(f"/proc/self/fd/{here}/{path.name}")
    finally:
        os.close(here)


def _state(folder: Path) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes() if path.is_file() else b""
        for path in sorted(folder.rglob("*"))
    }
