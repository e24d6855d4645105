"""Flows replayed from files: tables in CSV and Parquet, and a run's own flows."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import tcphoton as tp
from tcphoton.scenario import flow_files, parquet_rows

if TYPE_CHECKING:
    from pathlib import Path

TABLE = "start,from,to,size\n0.1,h0,h1,9000\n100 ms,h0,h2,2250\n0,h1,h2,27 kB\n"
STAR = {"kind": "star", "hosts": 3, "link": {"rate": "10 Gb/s", "delay": "5 us"}}
ROUND = 2 * 51.2e-9 + 4 * 5e-6
"""An acknowledgment of 64 B over two links, and four times 5 µs of propagation."""


def scenario(folder: Path, table: str | bytes, name: str = "f.csv", **entry: Any) -> tp.Scenario:
    """Return three hosts around a switch that replay a file by stop-and-wait."""
    (folder / name).write_bytes(table if isinstance(table, bytes) else table.encode())
    traffic = {
        "from": "*",
        "to": "*",
        "transport": {"kind": "stop-and-wait", "handshake": False, "release": False},
        "source": {"kind": "flows", "file": str(folder / name)},
        **entry,
    }
    run = {"duration": "1 s"}
    return tp.Scenario.from_dict({"run": run, "topology": STAR, "traffic": [traffic]})


def times(network: tp.Scenario) -> list[tuple[str, str, float]]:
    flows = tp.run(network).flows.sort("flow").with_columns(time=pl.col("end") - pl.col("start"))
    return list(flows.select("from", "to", "time").iter_rows())


def messages(folder: Path, table: str | bytes, name: str = "f.csv", **entry: Any) -> list[str]:
    found = scenario(folder, table, name, **entry).check()
    return [str(mistake).replace(str(folder), "") for mistake in found]


def test_a_file_gives_the_times_worked_out_by_hand(tmp_path: Path) -> None:
    # 9 kB take 7.2 µs on each of two links, 2250 B 1.8 µs: they wait behind the 9 kB of their host.
    expected = [
        ("h1", "h2", 3 * (2 * 7.2e-6 + ROUND)),
        ("h0", "h1", 2 * 7.2e-6 + ROUND),
        ("h0", "h2", 7.2e-6 + 2 * 1.8e-6 + ROUND),
    ]
    found = times(scenario(tmp_path, TABLE))
    assert [row[:2] for row in found] == [row[:2] for row in expected]
    assert [row[2] for row in found] == pytest.approx([row[2] for row in expected], abs=1e-12)


def test_the_order_of_rows_and_further_columns_change_no_flow(tmp_path: Path) -> None:
    rows = TABLE.splitlines()
    sorted_ = "\n".join([rows[0], rows[3], *rows[1:3]])
    assert times(scenario(tmp_path, sorted_)) == times(scenario(tmp_path, TABLE))
    wide = (
        "# a trace\nname,size,to,from,start\n"
        "x,9 kB,h1,h0,0.1\n,2250,h2,h0,1e-1\n\ny,27000,h2,h1,0\n"
    )
    assert scenario(tmp_path, wide).digest == scenario(tmp_path, TABLE).digest


def test_parquet_gives_what_csv_gives(tmp_path: Path) -> None:
    table = pl.DataFrame(
        {
            "size": [9000, 2250, 27000],
            "start": [0.1, 0.1, 0.0],
            "from": ["h0", "h0", "h1"],
            "to": ["h1", "h2", "h2"],
        }
    )
    table.write_parquet(tmp_path / "t.parquet")
    data = (tmp_path / "t.parquet").read_bytes()
    network, text = scenario(tmp_path, data, "f.parquet"), scenario(tmp_path, TABLE)
    assert network.digest == text.digest
    assert tp.run(network).digest == tp.run(text).digest
    assert "not Parquet" in messages(tmp_path, data[:40] + b"\0" * 40 + data[80:], "g.parquet")[0]
    table.with_columns(pl.Series("to", ["h1", "h9", "h2"])).write_parquet(tmp_path / "b.parquet")
    (found,) = messages(tmp_path, (tmp_path / "b.parquet").read_bytes(), "b.parquet")
    assert found.startswith("/b.parquet:3: traffic.0.source.flows.1.to: no host has this name")


SHUFFLE = {
    "run": {"duration": "1 s"},
    "topology": {"kind": "star", "hosts": 4, "link": {"rate": "1 Gb/s", "delay": "20 us"}},
    "traffic": [
        {
            "from": "*",
            "to": "*",
            "pattern": "all",
            "transport": {"kind": "tcp"},
            "source": {"kind": "shuffle", "block": "300 kB"},
        }
    ],
}
BATCH = {
    "from": "*",
    "to": "*",
    "pattern": "uniform",
    "transport": {"kind": "tcp"},
    "source": {"kind": "transfers", "per-second": 3000, "limit": 200, "size": "40 kB"},
}


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("traffic", [SHUFFLE["traffic"][0], BATCH])  # type: ignore[index]
def test_flows_of_a_run_replayed_take_as_long(tmp_path: Path, traffic: Any, form: str) -> None:
    first = tp.Scenario.from_dict(SHUFFLE | {"traffic": [traffic]})
    flows = tp.run(first).flows.sort("flow")
    file = tmp_path / f"flows.{form}"
    (flows.write_csv if form == "csv" else flows.write_parquet)(file)
    again = {key: value for key, value in traffic.items() if key != "pattern"}
    again["source"] = {"kind": "flows", "file": str(file)}
    replayed = tp.run(first.with_({"traffic.0": again})).flows.sort("flow")
    ends = ["from", "to", "size"]
    by = ["start", "from", "to"]
    one, other = flows.sort(by), replayed.sort(by)
    assert one.select(ends).equals(other.select(ends))
    assert other["end"].to_list() == pytest.approx(one["end"].to_list(), abs=2e-12)


def test_files_are_an_axis_of_a_sweep_that_resumes_without_them(tmp_path: Path) -> None:
    network = scenario(tmp_path, TABLE)
    (tmp_path / "copy.csv").write_text("# a copy\n" + TABLE)
    (tmp_path / "other.csv").write_text(TABLE.replace("27 kB", "54 kB"))
    names = [str(tmp_path / name) for name in ("f.csv", "other.csv")]
    copy = network.with_({"traffic.0.source.file": str(tmp_path / "copy.csv")})
    assert copy.digest == network.digest
    sweep = tp.Sweep(network, {"traffic.0.source.file": names}, seeds=1)
    assert len(set(sweep.checked().digests())) == 2
    first = sweep.run(tmp_path / "out")
    # 3 and 6 packets of the flow that is alone: half of the flow's time is that of three.
    alone = 3 * (2 * 7.2e-6 + ROUND)
    means = first["completion-mean"].to_list()
    assert max(means) - min(means) == pytest.approx(alone / 3, abs=1e-12)
    kept = pickle.loads(pickle.dumps(network))
    for name in ("f.csv", "other.csv", "copy.csv"):
        (tmp_path / name).unlink()
    assert kept.check() == []
    assert sweep.run(tmp_path / "out").equals(first)


LINE = "/f.csv:3: "


@pytest.mark.parametrize(
    ("table", "error"),
    [
        ("begin,from,to,size\n0,h0,h1,1\n", "/f.csv:1: no column start; found begin, from, to"),
        ("start,from,to\n0,h0,h1\n", "/f.csv:1: no column size; found start, from, to"),
        (TABLE.replace("h0,h2", "h0,h7"),
         LINE + "traffic.0.source.flows.1.to: no host has this name"),
        (TABLE.replace("h0,h2", "h0,h0"),
         LINE + "traffic.0.source.flows.1: a flow from a host to itself"),
        (TABLE.replace("100 ms", "-100 ms"),
         LINE + "traffic.0.source.flows.1.start: below zero"),
        (TABLE.replace("100 ms", "-0.1"), LINE + "traffic.0.source.flows.1.start: below zero"),
        (TABLE.replace("100 ms", "100 parsecs"),
         LINE + "traffic.0.source.flows.1.start: unknown unit"),
        (TABLE.replace("100 ms", "nan"), LINE + "traffic.0.source.flows.1.start: not a"),
        (TABLE.replace("100 ms", "1e999999999"), LINE + "traffic.0.source.flows.1.start: "),
        (TABLE.replace("2250", "2.5"), LINE + "traffic.0.source.flows.1.size: "),
        (TABLE.replace("2250", "0"), LINE + "traffic.0.source.flows.1.size: too small"),
        (TABLE.replace("2250", "2 TB"), LINE + "traffic.0.source.flows.1.size: too large"),
        (TABLE.replace("2250", "1e-999999999"), LINE + "traffic.0.source.flows.1.size: "),
        (TABLE.replace("2250", "7 kb"), LINE + "traffic.0.source.flows.1.size: unknown unit"),
        (TABLE.replace(",2250", ","), LINE + "a flow without a size; accepted the bytes of a"),
        (TABLE.replace(",2250", ""), LINE + "too few columns; found 100 ms,h0,h2"),
        (TABLE.replace("h0,h2", '"h0,h2'), "/f.csv:4: not CSV"),
        (TABLE.encode() + b"0,h0,h\xff,1\n", "/f.csv:5: not UTF-8 text"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_file_of_flows_has_its_line(
    tmp_path: Path, table: str | bytes, error: str
) -> None:
    (found,) = messages(tmp_path, table)
    assert found[: len(error)] == error


def test_a_row_with_more_columns_than_the_header_is_told(tmp_path: Path) -> None:
    # "200,000" bytes are not 200.
    (found,) = messages(tmp_path, "start,from,to,size\n0,h0,h1,200,000\n")
    assert "/f.csv:2: more columns than the header; found 0,h0,h1,200,000" in found


@pytest.mark.parametrize(
    ("table", "error"),
    [
        ("", "/f.csv: an empty table; "),
        ("# nothing\n\n", "/f.csv: an empty table; "),
        ("start,from,to,size\n", "/f.csv: no flow; "),
        ("start,from,to,size\n,h0,h1,\n", "/f.csv: no flow; "),
    ],
)
def test_a_file_without_flows_is_a_mistake(tmp_path: Path, table: str, error: str) -> None:
    (found,) = messages(tmp_path, table)
    assert f"traffic.0.source.file: {error}" in found


def test_a_file_that_is_none_is_one_mistake(tmp_path: Path) -> None:
    network = scenario(tmp_path, TABLE)

    def told(name: str) -> str:
        (found,) = network.with_({"traffic.0.source.file": str(tmp_path / name)}).check()
        return found.problem.replace(str(tmp_path), "")

    (tmp_path / "folder").mkdir()
    assert told("folder").startswith("/folder: ")
    assert told("absent.csv") == "/absent.csv: no such file"


@pytest.mark.slow
@pytest.mark.verify
def test_rows_have_a_limit(tmp_path: Path) -> None:
    row = "0,h0,h1,1\n"
    (long,) = messages(tmp_path, "start,from,to,size\n" + row * 1_000_001)
    assert long.startswith("/f.csv:1: traffic.0.source.flows: too many; found a list of 1000001")


def test_cells_of_a_table_have_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_rows, "MOST_CELLS", 11)
    table = pl.DataFrame(
        {"start": [0.0] * 3, "from": ["h0"] * 3, "to": ["h1"] * 3, "size": [1] * 3}
    )
    table.write_parquet(tmp_path / "t.parquet")
    (large,) = messages(tmp_path, (tmp_path / "t.parquet").read_bytes(), "t.parquet")
    assert "traffic.0.source.file: /t.parquet: too large a table; found 3 rows" in large


def test_flows_after_the_end_are_told_and_do_not_start(tmp_path: Path) -> None:
    network = scenario(tmp_path, TABLE + "1,h0,h1,1 kB\n3 s,h0,h1,1 kB\n")
    (warning,) = network.warnings()
    assert "2 of 5 flows start after the end of the run" in str(warning)
    assert len(times(network)) == 3
    assert scenario(tmp_path, TABLE).warnings() == []
    assert len(scenario(tmp_path, TABLE, start="950 ms").warnings()) == 1


def test_rows_without_a_start_are_no_flows(tmp_path: Path) -> None:
    # A run's own table has them for flows that never began.
    assert scenario(tmp_path, TABLE + ",h0,h1,\n").digest == scenario(tmp_path, TABLE).digest


@pytest.mark.parametrize(
    ("text", "start", "size"),
    [
        ("0.25", "0.25 s", "0.25 B"),
        ("30000", "30000 s", "30000 B"),
        ("1e-13", "0 s", "0.0000000000001 B"),
        ("1.0000000000004", "1 s", "1.0000000000004 B"),
        ("12345678901234567890.1234567890123456789", "12345678901234567890.123456789012 s",
         "12345678901234567890.1234567890123456789 B"),
        ("2e3", "2000 s", "2000 B"),
        ("1.5 ms", "1.5 ms", "1.5 ms"),  # what is no number is for the engine to judge
    ],
)  # fmt: skip
def test_numbers_have_units(text: str, start: str, size: str) -> None:
    head = "start,from,to,size\n"
    found = flow_files.content("f.csv", f"{head}{text},a,b,{text}\n".encode())
    assert f'start = "{start}"' in found
    assert f'size = "{size}"' in found


def test_sizes_in_parquet_are_those_in_csv(tmp_path: Path) -> None:
    (tmp_path / "sizes.csv").write_text("size,cdf\n6000,0.25\n30000,1\n")
    table = pl.DataFrame({"cdf": [0.25, 1.0], "size": [6000, 30000]})
    table.write_parquet(tmp_path / "sizes.parquet")

    def drawn(name: str) -> tp.Scenario:
        size = {"kind": "table", "file": str(tmp_path / name)}
        return tp.Scenario.from_dict(SHUFFLE).with_(
            {"traffic.0": BATCH | {"source": BATCH["source"] | {"size": size}}}  # type: ignore[operator]
        )

    assert drawn("sizes.parquet").check() == []
    assert drawn("sizes.parquet").digest == drawn("sizes.csv").digest
