"""Questions to a folder of results: by polars, by DuckDB, and by the command."""

from __future__ import annotations

import json
from io import BytesIO
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import tcphoton as tp
from inline_workers import work_here
from tcphoton.common import checksum
from tcphoton.errors import DamageWarning
from tcphoton.runs import measures
from tcphoton.sweep import query
from tcphoton.sweep.store.piece import Failure, Key, decode, decode_failure, encode
from tcphoton.sweep.sweep import Sweep, run_all

if TYPE_CHECKING:
    from pathlib import Path

    from command_here import Command

LOSS = "topology.bottleneck.loss.p"
KEY = Key("00c0ffee00c0ffee", 7, "0123456789abcdef")


@pytest.fixture
def sweep(small: tp.Scenario, monkeypatch: pytest.MonkeyPatch) -> Sweep:
    work_here(monkeypatch, lambda _: "")
    return Sweep(small, {LOSS: [0.01, 0.05]}, seeds=3, keep=["flows"], title="Losses")


# The form of a piece.


def test_a_piece_reads_back_as_the_run_that_it_was(small: tp.Scenario) -> None:
    report = tp.run(small, seed=7)
    tables = {name: report.tables[name] for name in ("flows", "links", "series")}
    assert tables["series"].height == 0
    data = encode(KEY, report.record, tables)
    found = decode(data, KEY, tables)
    assert found is not None
    for name, table in tables.items():
        assert found.tables[name].equals(table)
        assert found.tables[name].schema == table.schema
    assert measures.row(found.record) == measures.row(report.record)
    assert found.record == json.loads(json.dumps(found.record))
    assert not {"timing", "versions", "parameters", "title"} & found.record.keys()
    assert encode(KEY, found.record, found.tables) == data


def test_a_piece_has_a_column_a_measure(small: tp.Scenario) -> None:
    report = tp.run(small, seed=7)
    row = measures.row(report.record)
    frame = pl.read_parquet(BytesIO(encode(KEY, report.record)))
    assert frame.columns == ["digest", "seed", "revision", *row]
    assert frame.select(row.keys()).row(0, named=True) == row
    assert frame.select("digest", "seed", "revision").row(0) == tuple(KEY)


@pytest.mark.parametrize("other", [KEY._replace(seed=8), KEY._replace(digest="0")])
def test_a_piece_of_another_run_is_none(small: tp.Scenario, other: Key) -> None:
    record = tp.run(small).record
    assert decode(encode(KEY, record), KEY) is not None
    assert decode(encode(KEY, record), other) is None
    assert decode(encode(KEY, record), KEY, ["flows"]) is None
    failure = Failure("an error", "tcphoton run x")
    assert decode_failure(encode(KEY, failure), KEY) == failure
    assert decode_failure(encode(KEY, failure), other) is None
    assert decode(encode(KEY, failure), KEY) is None
    assert decode_failure(encode(KEY, record), KEY) is None


def test_no_damage_to_a_piece_is_an_error(small: tp.Scenario) -> None:
    data = encode(KEY, tp.run(small).record)
    whole = decode(data, KEY)
    for at in range(0, len(data), 997):
        assert decode(data[:at], KEY) is None
        hurt = bytearray(data)
        hurt[at] ^= 0xFF
        assert decode(bytes(hurt), KEY) is None
    assert decode(data, KEY) == whole
    for record in ("[]", "{", "null", '{"traffic": [1]}', "[" * 9999):
        file = BytesIO()
        run = f"[{json.dumps(KEY)}, {record}]"
        pl.DataFrame({"seed": [7]}).write_parquet(file, metadata={"run": run})
        assert decode(checksum.seal(file.getvalue()), KEY) is None


# Questions.


def test_a_scan_is_the_results_and_reads_them_lazily(sweep: Sweep, tmp_path: Path) -> None:
    table = sweep.run(tmp_path)
    found = tp.scan(tmp_path)
    assert isinstance(found, pl.LazyFrame)
    rows = found.sort(LOSS, "seed").select(table.columns).collect()
    assert rows.equals(table.sort(LOSS, "seed"))
    mean = found.group_by(LOSS).agg(pl.col("goodput").mean()).sort(LOSS).collect()
    expected = table.group_by(LOSS).agg(pl.col("goodput").mean()).sort(LOSS)
    assert mean.equals(expected)
    flows = found.select(LOSS, "seed", "table.flows").explode("table.flows").unnest("table.flows")
    assert flows.sort(LOSS, "seed", "flow").collect().equals(sweep.kept("flows", tmp_path))


def test_a_plain_scan_of_the_pieces_needs_no_tcphoton(sweep: Sweep, tmp_path: Path) -> None:
    table = sweep.run(tmp_path)
    plain = pl.scan_parquet(tmp_path / "points" / "*.parquet").select("goodput").collect()
    assert sorted(plain["goodput"]) == sorted(table["goodput"])


def test_runs_of_several_shapes_are_one_table(
    sweep: Sweep, small: tp.Scenario, tmp_path: Path
) -> None:
    entry = small.to_dict()["traffic"][0]
    other = Sweep(small, {"traffic": [[entry, entry]]}, seeds=1, keep=["links"])
    run_all({"a": sweep, "b": other}, tmp_path)
    (tmp_path / "points" / "broken.parquet").write_bytes(b"PAR1")
    with pytest.warns(DamageWarning, match=r"broken\.parquet: it has no checksum; it is skipped"):
        found = tp.scan(tmp_path).collect()
    assert found.height == 7
    assert found["traffic.1.goodput"].null_count() == 6
    assert found["table.flows"].null_count() == 1
    assert LOSS not in found.columns  # the folder is of no single sweep


def test_runs_of_another_sweep_have_no_place_in_the_grid(sweep: Sweep, tmp_path: Path) -> None:
    sweep.run(tmp_path)
    Sweep(sweep.scenario, {LOSS: [0.05, 0.2]}, seeds=1).run(tmp_path)
    assert (
        sorted(tp.scan(tmp_path).collect()[LOSS], key=str) == [0.05, 0.05, 0.05, 0.2] + [None] * 3
    )


def test_duckdb_answers_without_tcphoton(sweep: Sweep, tmp_path: Path) -> None:
    duckdb: Any = pytest.importorskip("duckdb")
    table = sweep.run(tmp_path)
    pieces = f"read_parquet('{tmp_path}/points/*.parquet', union_by_name=true)"
    asked = f'SELECT seed, avg(goodput), sum("packets-sent") FROM {pieces} GROUP BY 1 ORDER BY 1'
    expected = (
        table.group_by("seed")
        .agg(pl.col("goodput").mean(), pl.col("packets-sent").sum())
        .sort("seed")
    )
    for (seed, mean, sent), row in zip(duckdb.sql(asked).fetchall(), expected.rows(), strict=True):
        assert (seed, sent) == (row[0], row[2])
        assert mean == pytest.approx(row[1])
    flows = f'SELECT count(*) FROM (SELECT unnest("table.flows") FROM {pieces})'
    assert duckdb.sql(flows).fetchall() == [(sweep.kept("flows", tmp_path).height,)]


def test_a_folder_without_runs_cannot_be_scanned(tmp_path: Path) -> None:
    with pytest.raises(tp.OutputError, match="no finished runs"):
        tp.scan(tmp_path)


# The command.


def test_the_command_filters_and_exports(sweep: Sweep, tcphoton: Command, tmp_path: Path) -> None:
    out, file = tmp_path / "out", tmp_path / "some.parquet"
    table = sweep.run(out)
    some = ("--where", "loss.p=0.050", "--measure", "loss", "--measure", "traffic.0.jain")
    expected = table.filter(pl.col(LOSS) == 0.05).select(LOSS, "seed", "loss", "traffic.0.jain")
    done = tcphoton("results", out, *some, "--csv")
    assert (done.stdout, done.stderr, done.returncode) == (measures.csv_text(expected), "", 0)
    done = tcphoton("results", out, *some, "--parquet", file)
    assert (done.stdout, done.stderr) == ("", f"written: {file}\n")
    assert pl.read_parquet(file).equals(expected)
    shown = tcphoton("results", out, *some).stdout.splitlines()
    assert shown[0] == "Losses"
    assert shown[1].split() == ["loss.p", "seeds", "loss", "traffic.0.jain"]
    assert [line.split()[0] for line in shown[2:]] == ["0.05", "[1]", "[2]", "[3]"]
    flows = tcphoton("results", out, "--table", "flows", "--where", "seed=2", "--csv").stdout
    kept = sweep.kept("flows", out).filter(seed=2)
    assert flows == measures.csv_text(kept)
    assert tcphoton("results", out, "--csv").stdout == (out / "results.csv").read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--where", "loss"), "not a setting; accepted KEY=VALUE"),
        (("--where", "los.p=1"), "no column 'los.p' (did you mean 'loss.p'?)"),
        (("--where", "loss.q=1"), "no column 'loss.q' (did you mean 'loss.p'?)"),
        (("--where", "loss.q=1"), f"available: {LOSS}, seed, goodput, "),
        (("--where", "loss.p=0.03"), f"no rows; {LOSS} has 0.01, 0.05"),
        (("--where", "seed=1", "--where", "seed=9"), "seed=9: no rows; seed has 1, 2, 3"),
        (("--table", "flows", "--timings"), "--table cannot be combined with --timings"),
        (("--failed", "--csv", "--timings"), "--failed cannot be combined with --csv, --timings"),
        (("--failed", "--measure", "loss"), "--failed cannot be combined with --measure"),
        (("--where", "seed=one"), "seed is a number"),
        (("--measure", "gootput"), "did you mean 'goodput'?"),
        (("--measure", "p99"), "no column 'p99'"),
    ],
)
def test_a_question_that_has_no_answer_is_one_message(
    sweep: Sweep, tcphoton: Command, tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    sweep.run(tmp_path)
    done = tcphoton("results", tmp_path, *words, code=2)
    assert len(done.stderr.splitlines()) == 1
    assert len(done.stderr) < 250
    assert message in done.stderr


def test_values_go_by_their_kind() -> None:
    table = pl.DataFrame({"on": [True, False], "rate": ["5 Mb/s", "8 Mb/s"], "x": [1, 2]})
    for setting, at in (("on=false", 1), ("rate=5 Mb/s", 0), ("x = 2.0", 1)):
        assert query.where(table, [setting]).equals(table[at])
    assert query.where(table, ["x=1", "on=false"]).height == 0


def test_quantities_are_what_they_say() -> None:
    table = pl.DataFrame({"link.rate": ["1 Mb/s", "2 Mb/s", "auto", None], "seed": [1, 2, 3, 4]})
    for setting, seeds in (("rate=1000 kb/s", [1]), ("rate=0.002 Gb/s", [2]), ("rate=auto", [3])):
        assert query.where(table, [setting])["seed"].to_list() == seeds
    with pytest.raises(LookupError, match=r"link\.rate has 1 Mb/s, 2 Mb/s, auto$"):
        query.where(table, ["rate=1 MB"])


def test_of_several_values_of_a_key_a_row_has_any() -> None:
    table = pl.DataFrame({"a.p": [1, 2, 3, 3], "seed": [1, 1, 1, 2]})
    found = query.where(table, ["p=1", "seed=1", "a.p=3"])
    assert found.rows() == [(1, 1), (3, 1)]
    assert query.where(table, []).equals(table)
    assert query.where(table.clear(), ["p=1"]).height == 0


def test_an_end_of_several_columns_is_none() -> None:
    with pytest.raises(LookupError, match=r"^several columns end in 'rate': a\.rate, b\.rate$"):
        query.columns_named(["a.rate", "b.rate", "seed"], ["rate"])
