"""What others wrote is shown on the terminal, and never obeyed by it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import command_here
import tcphoton as tp
from small import SMALL
from tcphoton.common.terminal import visible
from waiting import PATIENCE

if TYPE_CHECKING:
    from command_here import Command

SOURCES = Path(tp.__file__).parent
ACTIVE = re.compile("(?!\n)[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
NASTY = "T\x1b]0;a\x07\x1b[5;41m\x9b2J\u202etxt\u2066[red]:smile:[/red]\x7f\r\nforged\ttitle"
SHOWN = r"T\x1b]0;a\x07\x1b[5;41m\x9b2J\u202etxt\u2066[red]:smile:[/red]\x7f\r\nforged\ttitle"
NAME = "n\x1b[5;41m\x9b\u202e[red]\nforged.toml"
NAMED = r"n\x1b[5;41m\x9b\u202e[red]\nforged.toml"


@pytest.fixture
def nasty(tmp_path: Path) -> Path:
    """A scenario with a title, in a file with a name, that a terminal would obey."""
    title = json.dumps(NASTY).replace("\x7f", "\\u007f")
    text = SMALL.replace('"Two hosts"', title)
    assert title in text
    (tmp_path / NAME).write_text(text, "utf-8")
    return tmp_path / NAME


@pytest.fixture
def swept(nasty: Path, tcphoton: Command) -> Path:
    """The results of a sweep whose title is as bad."""
    title = json.dumps(NASTY).replace("\x7f", "\\u007f")
    sweep = nasty.parent / "sweep.toml"
    base = json.dumps(NAME)
    over = '[over]\n"traffic.0.transport.preset" = ["reno", "sack"]\n'
    sweep.write_text(f"title = {title}\nscenario = {base}\nseeds = 1\n{over}", "utf-8")
    folder = nasty.parent / "kept\x1b[5;41m"
    done = tcphoton("sweep", sweep, "--out", folder, code=0)
    assert_inert(done)
    assert SHOWN in done.stdout
    return folder


GRAPH = "NODES (\nA ( 1 2 )\nB ( 2 3 )\n)\nLINKS (\nL ( A B )\n)"


def assert_inert(done: subprocess.CompletedProcess[str]) -> None:
    assert not ACTIVE.search(done.stdout + done.stderr)
    assert not re.search("^forged", done.stdout + done.stderr, re.MULTILINE)
    assert "Traceback" not in done.stderr


def test_nothing_writes_to_the_terminal_but_the_module_that_escapes() -> None:
    # The two others: a constant, and the console whose every segment is escaped.
    others = {"__main__.py": "sys.stderr.write", "summary.py": "Console("}
    wrong = re.compile(r"sys\.std(?:out|err)\.write|\becho\(|\bConsole\(|^\s*print\(", re.MULTILINE)
    for file in SOURCES.rglob("*.py"):
        found = {match[0].strip() for match in wrong.finditer(file.read_text("utf-8"))}
        found.discard(others.get(file.name, ""))
        assert not found or file.name in {"terminal.py", "fit_mesh.py"}, file


@given(st.text(st.characters(codec=None, exclude_categories=[])))
def test_what_is_visible_has_no_control_characters(text: str) -> None:
    for lines in (True, False):
        shown = visible(text, lines=lines)
        left = set("\n\t") if lines else set()
        assert not {each for each in ACTIVE.findall(shown) if each not in left}
        assert visible(shown, lines=lines) == shown
        shown.encode("utf-8")
    if not ACTIVE.search(text) and not re.search("[\n\ud800-\udfff]", text):
        assert visible(text) == text


def test_a_title_is_shown_as_it_is_in_one_line(tcphoton: Command, nasty: Path) -> None:
    for verb in ("run", "show"):
        done = tcphoton(verb, nasty, code=0)
        assert_inert(done)
        assert SHOWN in done.stdout.splitlines()[0]


def test_json_has_no_control_characters_and_means_the_same(tcphoton: Command, nasty: Path) -> None:
    for verb in ("run", "show"):
        done = tcphoton(verb, nasty, "--json")
        assert_inert(done)
        assert json.loads(done.stdout)["title"] == NASTY


def test_results_are_shown_escaped(tcphoton: Command, swept: Path) -> None:
    for options in ((), ("--table", "flows"), ("--failed",), ("--where", "a\x1b[5;41m\n=b")):
        done = tcphoton("results", swept, *options)
        assert_inert(done)
    assert SHOWN in tcphoton("results", swept).stdout
    done = tcphoton("results", swept.parent)
    assert_inert(done)
    assert SHOWN in done.stdout
    assert r"kept\x1b[5;41m" in done.stdout


@pytest.mark.slow
def test_names_of_files_are_shown_escaped(tcphoton: Command, nasty: Path) -> None:
    out, gone = nasty.parent / "out\x1b[5;41m\nforged", nasty.parent / "gone\x1b[5;41m\nforged"
    graph = nasty.parent / "net\x1b[5;41m\nforged"
    graph.write_text(GRAPH, "utf-8")
    for words, code in [
        (("check", nasty), 0),
        (("run", nasty, "--out", out), 0),
        (("report", out), 0),
        (("trace", nasty, "--format", "csv", "--limit", 3, "--out", f"{out}.csv"), 0),
        (("topology", graph), 0),
        (("topology", graph, "--out", f"{graph}.toml"), 0),
        (("topology", graph, "--edges", "A,C\x1b[5;41m\nforged"), 2),
        (("topology", graph, "--rate", "C\x1b[5;41m\nforged"), 2),
        (("example", "mm1", "--out", nasty), 2),
        (("example", "mm\x1b[5;41m\nforged"), 2),
        (("reproduce", "mm\x1b[5;41m\nforged"), 2),
        (("bench", "mm\x1b[5;41m\nforged"), 2),
        (("run", nasty, "--set", "a\x1b[5;41m\nforged"), 2),
        (("run", nasty, "--set", "a\x1b[5;41m\nforged=\x9b5"), 2),
        (("run", nasty, "--seed", "\x1b[5;41m\nforged"), 2),
        (("run", nasty, "--se\x1b[5;41m\nforged"), 2),
        (("ru\x1b[5;41m\nforged",), 2),
        (("run", nasty, "more\x1b[5;41m\nforged"), 2),
        *(((verb, gone), 2) for verb in ("run", "check", "show", "sweep", "results", "report")),
        (("topology", gone), 2),
    ]:
        done = tcphoton(*words, code=code)
        assert_inert(done)
    assert NAMED in tcphoton("check", nasty).stdout


def test_the_values_of_a_mistake_are_shown_escaped(tcphoton: Command, tmp_path: Path) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text('[run]\nduration = "\\u001b[5;41m\\nforged"\n"\\u009b\\nforged" = 1\n', "utf-8")
    for verb in ("run", "check", "show"):
        done = tcphoton(verb, bad, code=2)
        assert_inert(done)


def at_a_terminal(*words: object) -> str:
    """Return what the command shows where stdout and stderr are a terminal."""
    master, slave = os.openpty()
    command = [sys.executable, "-m", "tcphoton", *map(str, words)]
    environment = os.environ | {"TERM": "xterm-256color", "NO_COLOR": "", "COLUMNS": "200"}
    process = subprocess.Popen(
        command, stdout=slave, stderr=slave, stdin=subprocess.DEVNULL, env=environment
    )
    os.close(slave)
    shown = b""
    while True:
        try:
            some = os.read(master, 65536)
        except OSError:  # how Linux says that nobody has it open
            break
        if not some:
            break
        shown += some
    process.wait(PATIENCE)
    os.close(master)
    return shown.decode("utf-8")


@pytest.mark.slow
def test_a_terminal_gets_no_sequence_of_others(nasty: Path, swept: Path) -> None:
    out = nasty.parent / "out\x1b[5;41m"
    for words in [
        ("run", nasty, "--out", out),
        ("show", nasty),
        ("show", nasty, "--json"),
        ("check", nasty, nasty.parent / "gone\x1b[5;41m"),
        ("results", swept),
        ("results", swept, "--csv"),
        ("run", nasty, "--seed", "\x1b[5;41m"),
        ("run\x1b[5;41m",),
    ]:
        shown = at_a_terminal(*words)
        assert not set("\x07\x9b\x7f\u202e\u2066") & set(shown)
        assert not re.search("\x1b(?:\\]|\\[5;41m)", shown), words
        assert not re.search("^forged", shown, re.MULTILINE)


# Words that are not UTF-8.


def with_bytes(*words: bytes | str | Path) -> subprocess.CompletedProcess[str]:
    """Do the command with words as Python makes them of bytes."""
    return command_here.call(*map(os.fsdecode, words))


def test_bytes_of_a_process_are_such_words(small_file: Path) -> None:
    words = ["-m", "tcphoton", "show", str(small_file), "--set", os.fsdecode(b"\xff")]
    words = [sys.executable, *words]
    done = subprocess.run(words, capture_output=True, timeout=PATIENCE, check=False)
    here = with_bytes("show", small_file, "--set", b"\xff")
    assert (done.returncode, done.stderr.decode("utf-8")) == (here.returncode, here.stderr)
    assert r"\xff" in here.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["run", "FILE", "--set", b"\xff"],
        ["run", "FILE", "--set", b"run.duration=\xff"],
        ["run", "FILE", b"--set=\xff=1 s"],
        ["run", "FILE", "--seed", b"\xff"],
        ["run", "FILE", b"--\xff"],
        ["run", "FILE", "--out", b"o\xff"],
        ["run", b"gone\xff"],
        [b"\xff"],
        ["check", b"gone\xff"],
        ["show", "FILE", "--set", b"title=\xff"],
        ["sweep", b"gone\xff"],
        ["sweep", "FILE", "--out", b"o\xff"],
        ["sweep", "FILE", "--cluster", b"o\xff"],
        ["results", b"gone\xff"],
        ["results", ".", "--where", b"a=\xff"],
        ["results", ".", "--measure", b"\xff"],
        ["results", ".", "--table", b"\xff"],
        ["report", b"gone\xff"],
        ["reproduce", b"\xff"],
        ["reproduce", "obs", "--out", b"o\xff"],
        ["reproduce", "obs", "--scale", b"\xff"],
        ["topology", b"gone\xff"],
        ["topology", "GRAPH", "--edges", b"\xff"],
        ["topology", "GRAPH", "--rate", b"\xff"],
        ["topology", "GRAPH", "--delay", b"\xff"],
        ["trace", "FILE", "--format", b"\xff", "--out", "o"],
        ["trace", "FILE", "--format", "csv", "--out", "o.csv", "--node", b"\xff"],
        ["trace", "FILE", "--format", "csv", "--out", "o.csv", "--from", b"\xff"],
        ["example", b"\xff"],
        ["bench", b"\xff"],
    ],
)
def test_a_word_that_is_not_utf_8_is_one_message(
    small_file: Path, words: list[bytes | str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(small_file.parent)
    graph = Path("GRAPH")
    graph.write_text(GRAPH, "utf-8")
    done = with_bytes(*(small_file.name if word == "FILE" else word for word in words))
    assert done.returncode == 2, done.stderr
    assert_inert(done)
    assert done.stdout == ""
    assert done.stderr


@pytest.mark.slow
def test_files_whose_names_are_not_utf_8_are_read_and_written(
    small_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(small_file.parent)
    scenario = Path(os.fsdecode(b"caf\xe9.toml"))
    scenario.write_text(SMALL, "utf-8")
    graph = Path(os.fsdecode(b"net\xe9"))
    graph.write_text(GRAPH, "utf-8")
    traced = ["trace", scenario, "--limit", "5", "--format"]
    assert with_bytes("run", "small.toml", "--out", "kept").returncode == 0
    for words in (
        ["check", scenario],
        ["run", scenario],
        ["run", scenario, "--json"],
        ["run", scenario, "--out", "out"],
        ["show", scenario],
        ["topology", graph],
        ["topology", graph, "--out", b"t\xff"],
        [*traced, "csv", "--out", b"t\xff.csv"],
        [*traced, "pcapng", "--out", b"t\xff.pcapng"],
        [*traced, "perfetto", "--out", b"t\xff.json"],
        ["example", "mm1", "--out", b"e\xff.toml"],
        ["results", "kept", "--parquet", b"r\xff.parquet"],
        ["report", "kept", "--out", b"r\xff.html"],
    ):
        done = with_bytes(*words)
        assert done.returncode == 0, done.stderr
        assert_inert(done)
    assert with_bytes("check", scenario).stdout == "caf\\xe9.toml: ok\n"


def test_a_sweep_wants_a_name_in_utf_8(small_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(small_file.parent)
    sweep = Path(os.fsdecode(b"s\xff.toml"))
    sweep.write_text('scenario = "small.toml"\nseeds = 1\n[over]\n"traffic.0.count" = [1]\n')
    for verb in ("check", "sweep"):
        done = with_bytes(verb, sweep)
        assert done.returncode == 2
        assert r"s\xff.toml" in done.stderr
        assert "UTF-8" in done.stderr
        assert done.stderr.count("\n") == 1


def test_folders_have_the_names_that_they_have(small: tp.Scenario, tmp_path: Path) -> None:
    # A name with brackets is no pattern.
    tp.run(small).save(tmp_path / "run [1]*?")
    assert tp.Report.load(tmp_path / "run [1]*?").flows.height == 2
    sweep = tp.Sweep(small, over={"traffic.0.count": [1]}, seeds=1)
    sweep.run(tmp_path / "sweep [1]*?")
    assert tp.scan(tmp_path / "sweep [1]*?").collect().height == 1
