"""Folders of results that somebody else has made: nothing in them leads out, waits or explodes."""

from __future__ import annotations

import json
import os
from contextlib import nullcontext, suppress
from io import BytesIO
from itertools import product
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import made_up_folders
import shares
import tcphoton as tp
from tcphoton import report
from tcphoton.common import checksum, parquet_size, safe_read
from tcphoton.common.open_folder import SCRATCH, OpenFolder
from tcphoton.errors import DamageWarning, OutputError
from tcphoton.papers.reproduce import reproduce
from tcphoton.sweep import folder as sweep_folder
from tcphoton.sweep.store.cache import FAILED, POINTS
from tcphoton.sweep.sweep import Sweep, run_all
from waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from command_here import Command

pytestmark = pytest.mark.slow

LOSS = "topology.bottleneck.loss.p"
MINE = b"mine"
LINKS: dict[str, Callable[[Path, Path], None]] = {"symbolic": os.symlink, "hard": os.link}


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A file of the user beside the folder of results."""
    path = tmp_path / "victim"
    path.write_bytes(MINE)
    return path


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


@pytest.fixture
def sweep(small: tp.Scenario) -> Sweep:
    return Sweep(small, {LOSS: [0.01, 0.05]}, seeds=1, keep=["flows"])


# Writing.


@pytest.mark.parametrize("kind", LINKS)
def test_a_page_replaces_a_link_and_not_what_it_leads_to(
    small: tp.Scenario, out: Path, victim: Path, kind: str
) -> None:
    made_up_folders.run(out, small)
    LINKS[kind](victim, out / report.NAME)
    page = report.write(out)
    assert victim.read_bytes() == MINE
    assert not page.is_symlink()
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")


def test_a_page_that_the_user_names_may_be_a_link(
    small: tp.Scenario, tmp_path: Path, victim: Path
) -> None:
    made_up_folders.run(tmp_path / "out", small)
    link = tmp_path / "page.html"
    link.symlink_to(victim)
    report.write(tmp_path / "out", link)
    assert link.is_symlink()
    assert victim.read_bytes().startswith(b"<!DOCTYPE html>")


@pytest.mark.parametrize("kind", LINKS)
@pytest.mark.parametrize("name", ["sweep.json", "results.csv", "results.parquet", "timings.csv"])
def test_a_sweep_writes_into_no_file_that_a_link_leads_to(
    sweep: Sweep, out: Path, victim: Path, name: str, kind: str
) -> None:
    out.mkdir()
    LINKS[kind](victim, out / name)
    with pytest.warns(DamageWarning) if name == "sweep.json" else nullcontext():
        table = sweep.run(out)
    assert victim.read_bytes() == MINE
    assert sweep_folder.read(out).table.height == table.height == 2
    if (name, kind) != ("timings.csv", "symbolic"):
        assert not (out / name).is_symlink()
        assert (out / name).stat().st_size > len(MINE)


def test_a_link_to_nothing_makes_nothing(sweep: Sweep, out: Path, tmp_path: Path) -> None:
    out.mkdir()
    for name in ("sweep.json", "results.csv", "results.parquet", "timings.csv"):
        (out / name).symlink_to(tmp_path / "nothing")
    sweep.run(out)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["out"]


@pytest.mark.parametrize("name", [POINTS, FAILED])
def test_no_run_is_kept_through_a_link(sweep: Sweep, out: Path, tmp_path: Path, name: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / f"{SCRATCH}old").write_bytes(MINE)
    os.utime(elsewhere / f"{SCRATCH}old", (1, 1))
    out.mkdir()
    (out / name).symlink_to(elsewhere)
    for run in (sweep.run, lambda folder: run_all({"": sweep}, folder)):
        with pytest.raises(OutputError, match=rf"out/{name}: a link; nothing is written through"):
            run(out)
    assert [each.name for each in elsewhere.iterdir()] == [f"{SCRATCH}old"]


def test_the_folder_that_the_user_names_may_be_a_link(
    sweep: Sweep, out: Path, tmp_path: Path
) -> None:
    (tmp_path / "real").mkdir()
    out.symlink_to("real")
    sweep.run(out)
    assert out.is_symlink()
    assert (tmp_path / "real" / "results.csv").exists()


def test_a_piece_that_is_a_link_is_replaced(sweep: Sweep, out: Path, victim: Path) -> None:
    sweep.run(out)
    one, other = sorted((out / POINTS).iterdir())
    for piece in (one, other):
        piece.unlink()
    one.symlink_to(victim)
    os.link(victim, other)
    with pytest.warns(DamageWarning, match="damaged: .*; its run counts as missing"):
        sweep.run(out)
    assert victim.read_bytes() == MINE
    assert not one.is_symlink()


def test_scratch_is_cleared_away_and_not_what_a_link_of_its_name_leads_to(
    sweep: Sweep, out: Path, victim: Path, tmp_path: Path
) -> None:
    sweep.run(out)
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / f"{SCRATCH}mine").write_bytes(MINE)
    links = [out / f"{SCRATCH}file", out / POINTS / f"{SCRATCH}folder"]
    links[0].symlink_to(victim)
    links[1].symlink_to(inside)
    for path in (*links, victim, inside):
        os.utime(path, (1, 1), follow_symlinks=False)
    sweep.run(out)
    assert not any(link.is_symlink() for link in links)
    assert victim.read_bytes() == (inside / f"{SCRATCH}mine").read_bytes() == MINE


@pytest.mark.parametrize("kind", LINKS)
def test_a_run_writes_into_no_file_that_a_link_leads_to(
    small: tp.Scenario, out: Path, victim: Path, kind: str
) -> None:
    out.mkdir()
    for name in ("report.json", "flows.parquet", "flows-00001.parquet", "flows-00009.parquet"):
        LINKS[kind](victim, out / name)
    tp.run(small, flows_to=out).save(out)
    assert victim.read_bytes() == MINE
    assert tp.Report.load(out).flows.height > 0


def test_a_reproduction_writes_into_no_file_that_a_link_leads_to(
    out: Path, victim: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"fig2a.{ending}" for ending in ("svg", "pdf", "png", "html", "parquet")]
    names += ["ledger.md", "run.json", "cost.csv"]
    (out / "obs").mkdir(parents=True)
    for name in names:
        (out / "obs" / name).symlink_to(victim)
    for name in ("ledger.json", "report.html"):
        (out / name).symlink_to(victim.with_name("nothing"))
    with pytest.warns(DamageWarning, match="the artefact counts as not run"):
        made_up_folders.reproduction(out, monkeypatch, "obs/fig2a")
    assert victim.read_bytes() == MINE
    assert not victim.with_name("nothing").exists()
    assert (out / "report.html").stat().st_size > 100_000


def test_a_paper_that_is_a_link_is_refused(out: Path, tmp_path: Path) -> None:
    out.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (out / "obs").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OutputError, match="obs: a link; nothing is written through links"):
        reproduce(["obs/fig2a"], out)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_lines_are_added_to_plain_files_of_one_name_alone(tmp_path: Path, victim: Path) -> None:
    folder = OpenFolder.at(tmp_path)
    for _ in range(2):
        folder.append("new", b"line\n", b"head\n")
    assert (tmp_path / "new").read_bytes() == b"head\nline\nline\n"
    os.link(victim, tmp_path / "twin")
    folder.append("twin", b" and more")
    assert (victim.read_bytes(), (tmp_path / "twin").read_bytes()) == (MINE, b"mine and more")
    (tmp_path / "link").symlink_to(victim)
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe"):
        with pytest.raises(OSError, match=r"symbolic links|not a regular file"):
            folder.append(name, b"line")
    assert victim.read_bytes() == MINE


# Reading.


def pipe(path: Path) -> None:
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def itself(path: Path) -> None:
    path.symlink_to(path)


UNREADABLE: list[Callable[[Path], Any]] = [pipe, endless, itself, os.mkdir]


@pytest.mark.parametrize("make", UNREADABLE)
def test_a_piece_that_is_no_plain_file_counts_as_absent_and_is_named(
    sweep: Sweep, out: Path, tcphoton: Command, make: Callable[[Path], Any]
) -> None:
    first = sweep.run(out)
    piece = min((out / POINTS).iterdir())
    piece.unlink()
    make(piece)
    done = tcphoton("results", out, "--csv", code=0)
    told, missing = done.stderr.splitlines()
    assert told.startswith(f"warning: {piece}: a ")
    assert told.endswith("; its run counts as missing")
    assert missing.startswith("1 run is missing")
    with pytest.warns(DamageWarning, match="it is skipped"):
        assert tp.scan(out).collect().height == 1
    if make is os.mkdir:
        with pytest.warns(DamageWarning), pytest.raises(OutputError, match="Is a directory"):
            sweep.run(out)
        piece.rmdir()
        assert sweep.run(out).equals(first)
    else:
        with pytest.warns(DamageWarning):
            assert sweep.run(out).equals(first)
        assert piece.is_file()
        assert not piece.is_symlink()


@pytest.mark.timeout(PATIENCE)
@pytest.mark.parametrize("make", UNREADABLE)
@pytest.mark.parametrize("name", ["sweep.json", "report.json", "timings.csv", "flows.parquet"])
def test_no_file_of_a_folder_is_waited_for(
    small: tp.Scenario, sweep: Sweep, out: Path, name: str, make: Callable[[Path], Any]
) -> None:
    if name in {"sweep.json", "timings.csv"}:
        sweep.run(out)
    else:
        made_up_folders.run(out, small)
    (out / name).unlink()
    make(out / name)
    if name == "timings.csv":
        assert sweep_folder.read(out, timings=True).table["wall"].null_count() == 2
    else:
        # A link that leads nowhere is as if nothing were there.
        said = "holds no results" if make is itself and name != "flows.parquet" else name
        with pytest.raises(OutputError, match=said):
            report.page(out)


@pytest.mark.parametrize("name", ["sweep.json", "report.json", "ledger.json"])
@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "[" * 90 + "]" * 90])
def test_json_that_is_too_deep_is_one_message(
    out: Path, tcphoton: Command, name: str, text: str
) -> None:
    (out / "obs" / POINTS).mkdir(parents=True)
    (out / name).write_text(text)
    if name != "ledger.json":
        (out / "obs" / POINTS).rmdir()
        (out / "obs").rmdir()
    verbs = [("report", out)] if name == "ledger.json" else [("report", out), ("results", out)]
    for words in verbs:
        done = tcphoton(*words, code=2)
        assert len(done.stderr.splitlines()) == 1
        assert "levels of JSON" in done.stderr


def test_a_deep_sweep_in_a_folder_of_folders_is_left_out_and_named(
    sweep: Sweep, out: Path, tcphoton: Command
) -> None:
    sweep.run(out / "good")
    (out / "bad").mkdir()
    (out / "bad" / "sweep.json").write_text("[" * 100_000)
    done = tcphoton("results", out)
    assert (done.returncode, done.stdout.split()[0]) == (0, "good")
    assert done.stderr.startswith(f"warning: {out / 'bad' / 'sweep.json'}: more than 64 levels")


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(10 * safe_read.LARGEST_TABLE)  # a hole: it takes no place
    with pytest.raises(safe_read.DamagedError, match=r"more than 1,073,741,824 B"):
        safe_read.read(path, safe_read.LARGEST_TABLE)
    path.write_bytes(b"1234")
    assert safe_read.read(path, 4) == b"1234"
    with pytest.raises(safe_read.DamagedError):
        safe_read.read(path, 3)


def test_what_has_no_checksum_is_not_read_through_a_link(tmp_path: Path, victim: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(victim)
    assert safe_read.read(link, 10) == MINE
    with pytest.raises(safe_read.DamagedError, match="link: a link, not a file"):
        safe_read.read(link, 10, follow=False)


# Tables that take more memory than there is.


def bomb() -> bytes:
    """Return a small file in Parquet that stands for gigabytes."""
    data = BytesIO()
    ones = pl.select(pl.repeat(1.0, 30_000_000).alias("goodput")).lazy()
    columns = [pl.col("goodput").alias(f"c{at}") for at in range(4)]
    ones.select(columns).collect().write_parquet(data)
    return checksum.seal(data.getvalue())


def test_a_table_that_expands_to_gigabytes_is_refused_before_it_is_read(
    small: tp.Scenario, out: Path
) -> None:
    made_up_folders.run(out, small)
    data = bomb()
    assert len(data) < 500_000
    assert parquet_size.decoded(data) > 1.9e9
    (out / "flows.parquet").write_bytes(data)
    with pytest.raises(OutputError, match=r"flows\.parquet: .* B that would take more memory"):
        tp.Report.load(out)


def test_a_kept_table_that_expands_to_gigabytes_counts_as_absent(sweep: Sweep, out: Path) -> None:
    first = sweep.run(out)
    piece = min((out / POINTS).iterdir())
    row = pl.read_parquet(piece)
    metadata = pl.read_parquet_metadata(piece)
    many = pl.DataFrame({"flow": pl.repeat(1, 100_000_000, dtype=pl.Int64, eager=True)})
    data = BytesIO()
    row = row.with_columns(pl.Series("table.flows", [many.to_struct()]))
    row.write_parquet(data, metadata={key: metadata[key] for key in ("run", "shape")})
    piece.write_bytes(checksum.seal(data.getvalue()))
    with pytest.warns(DamageWarning, match="would take more memory than any results"):
        assert sweep.run(out).equals(first)


@pytest.mark.parametrize("rows", [0, 1, 3, 1000])
def test_what_a_footer_says_of_a_table_is_what_its_columns_hold(rows: int) -> None:
    columns: dict[str, Any] = {
        "whole": range(rows),
        "number": [0.5] * rows,
        "text": ["é" * 9] * rows,
        "rows": [[{"a": 1, "b": None}] * 2] * rows,
    }
    data = BytesIO()
    pl.DataFrame(columns).write_parquet(data, row_group_size=400)
    file = data.getvalue()
    cells = rows * 3 + 2 * 2 * rows
    assert parquet_size.CELL * cells <= parquet_size.decoded(file)
    assert parquet_size.decoded(file) <= parquet_size.CELL * cells + 60 * cells + 2000
    least = parquet_size._largest(parquet_size._footer(file))
    assert (parquet_size.CELL + 1) * least >= parquet_size.decoded(file)


@pytest.mark.sampled
def test_no_footer_is_an_exception_of_another_kind(small: tp.Scenario, tmp_path: Path) -> None:
    made_up_folders.run(tmp_path, small)
    data = (tmp_path / "flows.parquet").read_bytes()
    footer = int.from_bytes(data[-8:-4], "little")
    places = range(len(data) - footer - 8, len(data))
    for at, bit in product(places, (0, 5, 7)):
        if not shares.chosen(f"bit {bit} of octet {at}"):
            continue
        hurt = bytearray(data)
        hurt[at] ^= 1 << bit
        with suppress(ValueError):
            parquet_size.decoded(bytes(hurt))


def test_a_table_is_none_of_another_folder(small: tp.Scenario, out: Path, tmp_path: Path) -> None:
    made_up_folders.run(out, small)
    made_up_folders.run(tmp_path / "other", small)
    record = json.loads((out / "report.json").read_text("utf-8"))
    record["tables"]["../other/flows"] = record["tables"]["flows"]
    made_up_folders.seal_json(out / "report.json", record)
    with pytest.raises(OutputError, match="is not the name of a table"):
        tp.Report.load(out)
