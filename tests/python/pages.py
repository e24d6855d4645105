"""The pages of the documentation as programs: what their blocks say, run, and print.

A page's blocks run in order in one empty folder that holds a copy of the examples:

- a ``toml`` block with a title is a file of that name; without one it is a part of a scenario, or a
  sweep, and has no mistake but what is missing;
- a ``console`` block has commands after ``$``; each ends with exit code 0, or with the one that the
  block states as ``# exit code N``, and prints the lines that stand below it, if any do;
- a ``python`` block runs where the blocks before it have run; a ``text`` block right behind it is
  what it prints;
- a block that cannot run stands behind a comment that says why: ``<!-- not run: a picture -->``.

Times of the wall clock are left out of what is compared. Run as a program, this writes what is
printed today into the pages, and the pictures that the pages make.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import command_here
import core_pictures
import tcphoton as tp
from tcphoton import _core

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(\w*) ?(.*?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_RUN = re.compile(r"<!-- not run: ([^>]+) -->\s*\Z")
EXIT_CODE = re.compile(r"^# exit code (\d+)$", re.MULTILINE)
PICTURE = re.compile(r"!\[[^\]]*\]\(([^)]+)\)")
WALL = re.compile(r"\d+\.\d\d s \(\d+\.\d M events/s\)|\d{4}-\d\d-\d\d \d\d:\d\d(?=: differs)")


def pages() -> list[Path]:
    """Return every page with blocks: the README and what is written by hand in docs."""
    written = sorted((ROOT / "docs").rglob("*.md"))
    return [ROOT / "README.md", *(page for page in written if page.parent.name != "reference")]


@dataclass(frozen=True)
class Block:
    """One block of a page."""

    language: str
    title: str
    text: str
    line: int
    not_run: str = ""


def blocks(page: Path) -> list[Block]:
    """Return the blocks of a page in order."""
    text = page.read_text("utf-8")
    found = []
    for match in FENCE.finditer(text):
        title = re.fullmatch(r'title="(.*)"', match[2].strip())
        line = text.count("\n", 0, match.start()) + 1
        why = NOT_RUN.search(text, 0, match.start())
        reason = why[1] if why else ""
        found.append(Block(match[1], title[1] if title else "", match[3], line, reason))
    return found


@dataclass(frozen=True)
class Printed:
    """A block with the text that it has today."""

    block: Block
    today: str


def run(page: Path, folder: Path) -> list[Printed]:
    """Run a page in a folder and return its blocks with what they print.

    Raises
    ------
    AssertionError
        A block fails, or is of no kind that runs.
    """
    shutil.copytree(ROOT / "examples", folder / "examples")
    names: dict[str, Any] = {"__name__": "__page__"}
    printed: str | None = None
    done = []
    with contextlib.chdir(folder):
        for block in blocks(page):
            place = f"{page.relative_to(ROOT)}:{block.line}"
            today, said = block.text, printed
            printed = None
            match block.language:
                case _ if block.not_run:
                    pass
                case "toml":
                    _toml(block, place)
                case "console":
                    today = _console(block, place)
                case "python":
                    printed = _python(block, place, names)
                case "text" if said is not None:
                    today = said
                case other:
                    kind = other or "no language"
                    raise AssertionError(f"{place}: a block of {kind} neither runs nor says why")
            done.append(Printed(block, today))
    return done


def comparable(text: str) -> str:
    """Return a text without wall times and without what lines end with."""
    lines = (line.rstrip() for line in WALL.sub("…", text).splitlines())
    return "\n".join(lines).strip()


def _toml(block: Block, place: str) -> None:
    tomllib.loads(block.text)
    if block.title:
        Path(block.title).parent.mkdir(parents=True, exist_ok=True)
        Path(block.title).write_text(block.text, "utf-8")
    elif _core.is_sweep(block.text):
        mistakes = [str(each) for each in _sweep_mistakes(block.text)]
        assert not mistakes, f"{place}: {mistakes}"
    else:
        found = tp.Scenario.from_text(block.text).check()
        mistakes = [str(each) for each in found if each.problem != "missing key"]
        assert not mistakes, f"{place}: {mistakes}"


def _sweep_mistakes(text: str) -> list[tp.Mistake]:
    try:
        _core.load_sweep("sweep.toml", text)
    except tp.ScenarioError as error:
        return error.mistakes
    return []


def _console(block: Block, place: str) -> str:
    stated = EXIT_CODE.search(block.text)
    expected = int(stated[1]) if stated else 0
    lines = block.text.splitlines()
    starts = [at for at, line in enumerate(lines) if line.startswith("$ ")]
    assert starts, f"{place}: no command"
    assert all(line.startswith("#") for line in lines[: starts[0]]), f"{place}: text before"
    today = lines[: starts[0]]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        output = _command(lines[start].removeprefix("$ "), expected, place)
        below = any(line.strip() for line in lines[start + 1 : end])
        today.append(lines[start])
        today += comparable(output).splitlines() if below else lines[start + 1 : end]
    return "\n".join(today) + "\n"


def _command(line: str, expected: int, place: str) -> str:
    program, *arguments = shlex.split(line)
    assert program in {"tcphoton", ".venv/bin/tcphoton"}, f"{place}: {program} is not run"
    done = command_here.call(*arguments, together=True)
    assert done.returncode == expected, f"{place}: {line}: {done.returncode}\n{done.stdout}"
    return done.stdout


def _python(block: Block, place: str, names: dict[str, Any]) -> str:
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile("\n" * block.line + block.text, place, "exec"), names)
    return output.getvalue()


def rewritten(text: str, printed: Printed) -> str:
    """Return the text of a page in which a block says what it prints today."""
    lines, first = text.splitlines(keepends=True), printed.block.line
    last = first + len(printed.block.text.splitlines())
    return "".join([*lines[:first], comparable(printed.today) + "\n", *lines[last:]])


def main() -> None:
    """Write into every page what its blocks print today, and the pictures that it makes."""
    for page in pages():
        text = page.read_text("utf-8")
        with tempfile.TemporaryDirectory() as folder:
            # From the last to the first: the lines of those before stay where they are.
            for printed in reversed(run(page, Path(folder))):
                if comparable(printed.today) != comparable(printed.block.text):
                    sys.stdout.write(f"changed: {page.relative_to(ROOT)}:{printed.block.line}\n")
                    text = rewritten(text, printed)
            for picture in PICTURE.findall(text):
                made = Path(folder) / Path(picture).name
                if made.exists():
                    shutil.copy(made, page.parent / picture)
        page.write_text(text, "utf-8")
    core_pictures.write(ROOT / "docs" / "images")


if __name__ == "__main__":
    os.environ["PYTHONWARNINGS"] = "error"
    main()
