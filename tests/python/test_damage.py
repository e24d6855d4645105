"""Damage to what is kept: none changes a result without a word, and what can be is done again."""

from __future__ import annotations

import json
import random
from io import BytesIO
from typing import TYPE_CHECKING, Any

import duckdb
import polars as pl
import pytest

import bit_flips
import made_up_folders
import shares
import tcphoton as tp
from conftest import count_runs
from inline_workers import work_here
from tcphoton.common import checksum
from tcphoton.errors import DamageWarning, OutputError
from tcphoton.papers import ledger
from tcphoton.sweep import folder as sweep_folder
from tcphoton.sweep import query
from tcphoton.sweep.store.piece import Key, decode
from tcphoton.sweep.sweep import Sweep
from tcphoton.sweep.workers.work import Task, perform

if TYPE_CHECKING:
    from pathlib import Path

    from command_here import Command

pytestmark = pytest.mark.slow

LOSS = "topology.bottleneck.loss.p"
FLIPS = shares.few(300, least=60)


@pytest.fixture
def sweep(small: tp.Scenario) -> Sweep:
    return Sweep(small, {LOSS: [0.01, 0.05]}, seeds=1, keep=["flows", "links"])


@pytest.mark.sampled
def test_no_bit_that_flips_in_a_sweep_changes_a_result_without_a_word(
    sweep: Sweep, tmp_path: Path
) -> None:
    sweep.run(tmp_path)
    found = bit_flips.outcomes(tmp_path, FLIPS, 1)
    assert found.total() == FLIPS
    assert found[bit_flips.SILENT] == 0
    assert found[bit_flips.TOLD] > 0.8 * FLIPS


@pytest.mark.sampled
def test_no_bit_that_flips_in_a_run_changes_a_result_without_a_word(
    small: tp.Scenario, tmp_path: Path
) -> None:
    made_up_folders.run(tmp_path, small)
    found = bit_flips.outcomes(tmp_path, FLIPS, 2)
    assert found.total() == FLIPS
    assert found[bit_flips.SILENT] == 0
    assert found[bit_flips.TOLD] > 0.8 * FLIPS


def test_a_damaged_piece_is_named_and_its_run_done_again(
    sweep: Sweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = sweep.run(tmp_path)
    piece = min((tmp_path / "points").iterdir())
    whole = piece.read_bytes()
    runs, dice = count_runs(monkeypatch), random.Random(3)
    for at in range(20):
        piece.write_bytes(bit_flips.flip(whole, dice))
        with pytest.warns(DamageWarning, match=rf"{piece.name}: .*; its run counts as missing$"):
            assert sweep.run(tmp_path).equals(first)
        assert runs.total() == at + 1
        assert piece.read_bytes() == whole


def test_each_damaged_file_is_named_once_and_of_many_the_first(
    small: tp.Scenario, tmp_path: Path
) -> None:
    sweep = Sweep(small.with_({"run.duration": "600 ms"}), seeds=14)
    first = sweep.run(tmp_path)
    for piece in (tmp_path / "points").iterdir():
        piece.write_bytes(piece.read_bytes()[:-1])
    with pytest.warns(DamageWarning) as told:
        assert sweep.run(tmp_path).equals(first)
    said = [str(each.message) for each in told]
    assert len(set(said)) == len(said) == 11
    assert said[-1].endswith("more files are damaged, which are not listed")


def test_a_piece_without_a_checksum_counts_as_absent(
    sweep: Sweep, tmp_path: Path, tcphoton: Command
) -> None:
    sweep.run(tmp_path)
    piece = min((tmp_path / "points").iterdir())
    metadata = pl.read_parquet_metadata(piece)
    plain = {key: metadata[key] for key in ("run", "shape")}
    pl.read_parquet(piece).write_parquet(piece, metadata=plain)
    done = tcphoton("results", tmp_path, code=0)
    assert done.stderr.splitlines()[0] == (
        f"warning: {piece}: it has no checksum; its run counts as missing"
    )
    assert "1 run is missing" in done.stderr


def test_an_answer_that_is_damaged_on_its_way_is_a_failed_run(
    sweep: Sweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = work_here(monkeypatch, lambda _: "")
    collect = here.collect

    def hurt(timeout: float) -> list[Any]:
        (done,) = collect(timeout)
        bits = bytearray(done.data or b"")
        bits[len(bits) // 3] ^= 4
        return [done._replace(data=bytes(bits))]

    monkeypatch.setattr(here, "collect", hurt)
    table = sweep.run(tmp_path)
    assert table["error"].to_list() == ["its result cannot be read"] * 2
    assert not list((tmp_path / "points").iterdir())


def test_other_programs_read_the_files_as_ever(sweep: Sweep, tmp_path: Path) -> None:
    table = sweep.run(tmp_path)
    files = [*(tmp_path / "points").iterdir(), tmp_path / "results.parquet"]
    for file in files:
        assert checksum.state(file.read_bytes()) == "whole"
        expected = pl.read_parquet(file)
        assert pl.read_parquet(file, memory_map=False).equals(expected)
        assert pl.scan_parquet(file).select("goodput").collect().equals(expected.select("goodput"))
        found = duckdb.sql(f"SELECT sum(goodput) FROM read_parquet('{file}')")
        assert found is not None
        assert found.fetchall() == [(pytest.approx(expected["goodput"].sum()),)]
    assert pl.read_parquet(tmp_path / "results.parquet").equals(table)


def test_pieces_for_other_programs_are_those_whose_checksums_hold(
    sweep: Sweep, tmp_path: Path
) -> None:
    sweep.run(tmp_path)
    hurt, whole = sorted((tmp_path / "points").iterdir())
    hurt.write_bytes(hurt.read_bytes().replace(b"PAR1", b"PAR2"))
    with pytest.warns(DamageWarning, match="it is skipped"):
        assert query.pieces(tmp_path) == [str(whole)]


def test_a_damaged_table_of_a_run_is_one_message(
    small: tp.Scenario, tmp_path: Path, tcphoton: Command
) -> None:
    made_up_folders.run(tmp_path, small)
    file = tmp_path / "links.parquet"
    data = bytearray(file.read_bytes())
    data[40] ^= 1
    file.write_bytes(data)
    done = tcphoton("report", tmp_path, code=2)
    problem = f"{file}: damaged: it is not what was written"
    expected = f"error: {tmp_path}: no complete report: {problem}\n"
    assert done.stderr == expected


def test_a_record_that_somebody_edits_is_damaged_until_its_checksum_goes(
    small: tp.Scenario, tmp_path: Path
) -> None:
    made_up_folders.run(tmp_path, small)
    path = tmp_path / "report.json"
    record = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(record), "utf-8")  # laid out anew: the same
    tp.Report.load(tmp_path)
    path.write_text(json.dumps(record | {"seed": 99}), "utf-8")
    with pytest.raises(OutputError, match=r"report\.json: damaged"):
        tp.Report.load(tmp_path)
    del record["checksum"]
    path.write_text(json.dumps(record | {"seed": 99}), "utf-8")
    with pytest.warns(DamageWarning, match="it has no checksum; damage to it cannot be detected"):
        assert tp.Report.load(tmp_path).record["seed"] == 99


def test_a_damaged_sweep_json_is_named_and_written_anew(sweep: Sweep, tmp_path: Path) -> None:
    first = sweep.run(tmp_path)
    path = tmp_path / "sweep.json"
    text = path.read_text("utf-8")
    path.write_text(text.replace('"0.0', '"0.1').replace("0.05", "0.06"), "utf-8")
    with pytest.raises(OutputError, match=r"sweep\.json: damaged"):
        sweep_folder.read(tmp_path)
    with pytest.warns(DamageWarning, match="it is written again"):
        assert sweep.run(tmp_path).equals(first)
    assert path.read_text("utf-8") == text


def test_a_scan_beside_a_damaged_sweep_json_says_that_keys_are_left_out(
    sweep: Sweep, tmp_path: Path
) -> None:
    sweep.run(tmp_path)
    path = tmp_path / "sweep.json"
    path.write_text(path.read_text("utf-8").replace("small.toml", "other.toml"), "utf-8")
    with pytest.warns(DamageWarning, match=r"sweep\.json: damaged: .*; the keys of the sweep are"):
        assert LOSS not in tp.scan(tmp_path).collect().columns


def test_timings_that_are_no_lines_are_no_error(sweep: Sweep, tmp_path: Path) -> None:
    sweep.run(tmp_path)
    with (tmp_path / "timings.csv").open("a", encoding="utf-8") as file:
        file.write("x" * 200_000 + ",1\n")
    assert sweep_folder.read(tmp_path, timings=True).table["wall"].null_count() == 0


def test_a_damaged_claim_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made_up_folders.reproduction(tmp_path, monkeypatch, "obs/fig2a")
    path = tmp_path / "ledger.json"
    entries = ledger.read(path)
    assert all(checksum.KEY not in each for each in entries)
    text = path.read_text("utf-8")
    path.write_text(text.replace('"verdict": "not covered"', '"verdict": "holds"', 1), "utf-8")
    with pytest.raises(
        OutputError, match=r"ledger\.json: damaged: the checksum of obs\.\d+ is wrong"
    ):
        ledger.read(path)
    path.write_bytes(ledger.written(entries))
    assert ledger.read(path) == entries


def test_a_damaged_table_of_an_artefact_counts_as_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_up_folders.reproduction(tmp_path, monkeypatch, "obs/fig2a", "obs/window")
    file = tmp_path / "obs" / "fig2a.parquet"
    hurt = bytearray(file.read_bytes())
    hurt[30] ^= 1
    file.write_bytes(hurt)
    with pytest.warns(DamageWarning, match=r"fig2a\.parquet: damaged: .*; the artefact counts as"):
        made_up_folders.reproduction(tmp_path, monkeypatch, "obs/window")


# The checksum itself.


def test_a_checksum_tells_every_flip_and_every_cut(small: tp.Scenario) -> None:
    task = Task(Key(small.digest, 1, tp._core.results_revision()), small.to_toml(), [])
    data = perform(task).data
    assert data is not None
    assert checksum.state(data) == "whole"
    dice = random.Random(5)
    for _ in range(2000):
        assert checksum.state(bit_flips.flip(data, dice)) != "whole"
    for at in range(0, len(data), 97):
        assert checksum.state(data[:at]) != "whole"
        assert checksum.state(data[:at] + b"\0" + data[at:]) != "whole"
    # Wherever the damage is, but in the word before the digest, it is not taken for a plain file.
    place = data.index(checksum.MAGIC)
    for at in set(range(0, len(data), 13)) - set(range(place, place + len(checksum.MAGIC))):
        assert checksum.state(data[:at] + bytes([data[at] ^ 255]) + data[at + 1 :]) == "damaged"
    assert decode(data, task.key) is not None


def test_a_plain_file_has_no_checksum() -> None:
    data = BytesIO()
    pl.DataFrame({"x": [1]}).write_parquet(data)
    assert checksum.state(data.getvalue()) == "without"
    assert checksum.state(checksum.seal(data.getvalue())) == "whole"
    for none in (b"", b"PAR1", b"PAR1PAR1", bytes(99)):
        assert checksum.state(none) != "whole"
