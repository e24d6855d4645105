"""Files that a scenario refers to: read once, found by clear rules, part of the digest."""

from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING

import pytest

import tcphoton as tp
from tcphoton.common import checksum
from tcphoton.errors import DamageWarning
from tcphoton.report.folder import page
from tcphoton.scenario.table_rows import rows

if TYPE_CHECKING:
    from pathlib import Path

    from command_here import Command

KEY = "traffic.0.source.size.file"
TABLE = "size,cdf\n6 kB,0.25\n30000,1\n"
TEXT = """
[run]
duration = "1 s"
[topology]
kind = "line"
routers = 1
link = { rate = "10 Mb/s", delay = "1 ms" }
[[traffic]]
from = "a"
to = "b"
transport = { kind = "tcp" }
source = { kind = "transfers", per-second = 30.0, size = { kind = "table", file = "web.csv" } }
"""
INLINE = TEXT.replace(
    'file = "web.csv"', 'points = [{ size = "6 kB", cdf = 0.25 }, { size = "30 kB", cdf = 1 }]'
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a scenario and its table, next to the current one."""
    here = tmp_path / "study"
    here.mkdir()
    (here / "a.toml").write_text(TEXT)
    (here / "web.csv").write_text(TABLE)
    return here


def only(scenario: tp.Scenario) -> str:
    """Return the one error."""
    (mistake,) = scenario.check()
    return str(mistake)


def test_a_file_counts_by_what_is_in_it(folder: Path) -> None:
    scenario = tp.Scenario.load(folder / "a.toml")
    assert scenario.digest == tp.Scenario.from_text(INLINE).digest
    assert (
        tp.run(scenario).record["digest"] == tp.run(tp.Scenario.from_text(INLINE)).record["digest"]
    )
    (folder / "web.csv").write_text(TABLE.replace("6 kB", "7 kB"))
    assert tp.Scenario.load(folder / "a.toml").digest != scenario.digest


def test_what_was_read_is_not_read_again(folder: Path) -> None:
    scenario = tp.Scenario.load(folder / "a.toml")
    digest = scenario.digest
    (folder / "web.csv").unlink()
    again = pickle.loads(pickle.dumps(scenario))
    for one in (scenario, again, scenario.with_({"run.seed": 1})):
        assert one.digest == digest
    given = {each["key"]: each["value"] for each in scenario.show()["parameters"]}
    assert given[KEY] == "web.csv"
    assert given["traffic.0.source.size.points.1.size"] == "30 kB"


def test_a_relative_path_starts_at_the_folder_of_the_text_that_has_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tcphoton: Command
) -> None:
    monkeypatch.chdir(folder.parent)
    digest = tp.Scenario.load("study/a.toml").digest
    # A text without a file: at the current directory.
    assert "web.csv: no such file" in only(tp.Scenario.from_text(TEXT))
    assert tp.Scenario.from_text(TEXT, folder=folder).digest == digest
    (folder.parent / "web.csv").write_text(TABLE.replace("0.25", "0.5"))
    here = tp.Scenario.from_text(TEXT)
    assert here.check() == []
    assert here.digest != digest
    # What the command line and Python set, too.
    assert tp.Scenario.load("study/a.toml").with_({KEY: "web.csv"}).digest == here.digest
    assert here.with_({KEY: str(folder / "web.csv")}).digest == digest
    shown = tcphoton("show", "study/a.toml", "--set", f"{KEY}=web.csv", "--json")
    points = [p["value"] for p in json.loads(shown.stdout)["parameters"] if "cdf" in p["key"]]
    assert points == [0.5, 1.0]


def test_a_file_that_cannot_be_read_is_an_error_of_the_scenario(folder: Path) -> None:
    def found() -> str:
        return only(tp.Scenario.load(folder / "a.toml"))

    start = f"{folder}/a.toml:12: {KEY}: {folder}/web.csv:"
    (folder / "web.csv").unlink()
    assert found() == f'{start} no such file; found "web.csv"'
    (folder / "web.csv").mkdir()
    assert found() == f'{start} a folder, not a file; found "web.csv"; accepted a file'
    (folder / "web.csv").rmdir()
    (folder / "web.csv").symlink_to(folder / "elsewhere.csv")
    assert "no such file" in found()
    (folder / "elsewhere.csv").write_text(TABLE)
    assert tp.Scenario.load(folder / "a.toml").check() == []


@pytest.mark.parametrize(
    ("table", "error"),
    [
        ("size,cdf\n6 kB,0.25\n\n3 kB,1\n",
         '4: traffic.0.source.size.points.1.size: less than the size before, 6 kB; found "3 kB"'),
        ("size,cdf\n6 kB,x\n", "2: not a share; found x; accepted a number from 0 to 1"),
        ("size,cdf\n10000,0.5\n20000,15\n", "3: a share above 1, as if it were in percent; "
         "found 15; accepted a number from 0 to 1, 0.15 for 15 %"),
        ("6 kB,0.25\n30000,1\n", "1: no header such as size,cdf; found 6 kB, 0.25; "
         "accepted a header and rows with the columns size, cdf"),
        ("# bytes, percent\n0 0\n10000 15\n", "2: no header such as size,cdf; found 0 0; "
         "accepted a header and rows with the columns size, cdf"),
        ("size\n6 kB\n", "1: no column cdf; found size; "
         "accepted a header and rows with the columns size, cdf"),
        ("# a\nsize,cdf\n6 kB\n", "3: too few columns; found 6 kB; "
         "accepted a header and rows with the columns size, cdf"),
        ('size,cdf\n"6 kB,1\n', "2: not CSV: unexpected end of data; "
         "accepted a header and rows with the columns size, cdf"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_file_names_the_file_and_its_line(
    folder: Path, table: str, error: str, tcphoton: Command
) -> None:
    (folder / "web.csv").write_text(table)
    assert only(tp.Scenario.load(folder / "a.toml")) == f"{folder}/web.csv:{error}"
    done = tcphoton("check", folder / "a.toml")
    assert (done.returncode, done.stderr) == (2, f"{folder}/web.csv:{error}\n")


def test_bytes_that_are_not_text_name_their_line(folder: Path) -> None:
    (folder / "web.csv").write_bytes(b"size,cdf\n6 kB,1\xff\n")
    assert only(tp.Scenario.load(folder / "a.toml")) == f"{folder}/web.csv:2: not UTF-8 text"


def test_a_table_may_have_comments_quotes_and_more_columns() -> None:
    text = b'\xef\xbb\xbf# source\n cdf, size ,note\n0.5,"6 kB",x\n\n1,7,"y\nz"\n'
    assert list(rows("a.csv", text, ("size", "cdf"))) == [(3, ["6 kB", "0.5"]), (6, ["7", "1"])]


def test_a_sweep_has_its_own_files_and_runs_anew_when_one_changes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "sweep").mkdir()
    (folder / "sweep" / "web.csv").write_text(TABLE.replace("6 kB", "9 kB"))
    (folder / "sweep" / "s.toml").write_text(
        f'scenario = "../a.toml"\nseeds = 1\n[over]\n"{KEY}" = ["web.csv", "../web.csv"]\n'
    )
    monkeypatch.chdir(folder.parent)
    sweep = tp.Sweep.load("study/sweep/s.toml")
    first = sweep.checked().digests()
    alone = tp.Scenario.load("study/a.toml").with_({KEY: "study/sweep/web.csv"})
    base = tp.Scenario.load("study/a.toml")
    both = tp.Sweep(base, {KEY: ["study/sweep/web.csv", "study/web.csv"]}, seeds=1)
    assert both.checked().digests() == first
    assert tp.Sweep(alone, {"run.duration": ["1 s"]}, seeds=1).checked().digests() == [first[0]]
    # It keeps what it has read when a key is set.
    for each in (folder / "sweep" / "web.csv", folder / "web.csv"):
        each.rename(each.with_suffix(".moved"))
    assert sweep.with_({"run.warmup": "0 s"}).checked().digests() == first
    out = folder / "out"
    table = sweep.run(out)
    assert table.height == 2
    # What is kept is complete: the page of the first point is that of its table.
    assert "9 kB" in page(out)
    for each in (folder / "sweep" / "web.csv", folder / "web.csv"):
        each.with_suffix(".moved").rename(each)
    assert tp.Sweep.load("study/sweep/s.toml").checked().digests() == first
    (folder / "web.csv").write_text(TABLE.replace("30000", "40000"))
    later = tp.Sweep.load("study/sweep/s.toml").checked().digests()
    assert later[0] == first[0]
    assert later[1] != first[1]


def test_a_page_of_results_reads_no_file_that_its_folder_names(folder: Path) -> None:
    sweep = tp.Sweep(tp.Scenario.load(folder / "a.toml"), {"traffic.0.count": [1]}, seeds=1)
    sweep.run(folder / "out")
    asked = folder / "out" / "sweep.json"
    assert "Parameters of the first point" in page(folder / "out")
    data = json.loads(asked.read_text())
    del data["files"], data[checksum.KEY]
    data["text"] = data["text"].replace("web.csv", str(folder / "web.csv"))
    asked.write_text(json.dumps(data))
    with pytest.warns(DamageWarning):
        assert "Parameters of the first point" not in page(folder / "out")
