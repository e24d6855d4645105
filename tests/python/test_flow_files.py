"""Lists of flows in files: what is replayed, and what is wrong with a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import tcphoton as tp
from command_here import call

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ["a", "b", "c"]
LINKS = [
    {"from": "a", "to": "R", "rate": "12 Mb/s", "delay": "10 ms"},
    {"from": "b", "to": "R", "rate": "12 Mb/s", "delay": "10 ms"},
    {"from": "c", "to": "R", "rate": "12 Mb/s", "delay": "10 ms"},
]
# A packet of 1500 B and its header pass two links of 12 Mb/s and 10 ms, an acknowledgment of 40 B
# returns: 2 (1540 B / 12 Mb/s + 10 ms) + 2 (40 B / 12 Mb/s + 10 ms).
CYCLE = 2 * (1540 * 8 / 12e6 + 0.010) + 2 * (40 * 8 / 12e6 + 0.010)
STOP_AND_WAIT = {
    "kind": "stop-and-wait", "packet": "1500 B", "header": "40 B", "handshake": False,
    "release": False, "initial-rto": "1 s", "control": "40 B",
}  # fmt: skip
FLOWS = "start,from,to,size\n0.5,b,a,4500\n0.1,a,b,1500\n0.5,c,b,3 kB\n"


def scenario(
    folder: Path, table: str | bytes = FLOWS, name: str = "f.csv", **entry: Any
) -> tp.Scenario:
    """Return a scenario of three hosts at a router whose flows are in a file."""
    (folder / name).write_bytes(table if isinstance(table, bytes) else table.encode())
    nodes = [{"name": each, "kind": "host"} for each in NAMES] + [{"name": "R", "kind": "router"}]
    traffic = {
        "from": "*",
        "to": "*",
        "transport": STOP_AND_WAIT,
        "source": {"kind": "flows", "file": str(folder / name)},
        **entry,
    }
    return tp.Scenario.from_dict({
        "run": {"duration": "2 s"},
        "topology": {"kind": "explicit", "nodes": nodes, "links": LINKS},
        "traffic": [traffic],
    })  # fmt: skip


def rows(network: tp.Scenario) -> list[tuple[str, str, float, float]]:
    """Return the flows of a run, with their starts and completion times."""
    flows = tp.run(network).flows
    took = (pl.col("end") - pl.col("start")).alias("took")
    return flows.select("from", "to", "start", took).rows()


def only(folder: Path, table: str | bytes, name: str = "f.csv", **entry: Any) -> str:
    (mistake,) = scenario(folder, table, name, **entry).check()
    return str(mistake).replace(str(folder), "")


def test_three_flows_take_the_times_that_are_worked_by_hand(tmp_path: Path) -> None:
    # 1, 3 and 2 packets; the rows of one instant start in their order.
    wanted = [("a", "b", 0.1, CYCLE), ("b", "a", 0.5, 3 * CYCLE), ("c", "b", 0.5, 2 * CYCLE)]
    found = rows(scenario(tmp_path))
    assert [each[:3] for each in found] == [each[:3] for each in wanted]
    # Packets and acknowledgments of the last two meet at b's link: 40 B beside 1540 B, at most.
    for (*_, took), (*_, expected) in zip(found, wanted, strict=True):
        assert expected - 1e-9 <= took <= expected + 3 * 1540 * 8 / 12e6
    assert found[0][3] == pytest.approx(CYCLE, abs=1e-11)


def test_the_starts_of_a_list_count_from_that_of_the_entry(tmp_path: Path) -> None:
    found = rows(scenario(tmp_path, start="250 ms"))
    assert [each[2] for each in found] == pytest.approx([0.35, 0.75, 0.75], abs=1e-12)


def test_a_list_in_parquet_is_that_in_csv(tmp_path: Path) -> None:
    table = pl.DataFrame(
        {
            "size": [4500.0, 1500.0, 3000.0],
            "to": ["a", "b", "b"],
            "from": ["b", "a", "c"],
            "start": [0.5, 0.1, 0.5],
            "port": [1, 2, 3],
        }
    )
    table.write_parquet(tmp_path / "f.parquet")
    data = (tmp_path / "f.parquet").read_bytes()
    assert scenario(tmp_path, data, "f.parquet").digest == scenario(tmp_path).digest


def test_the_table_of_a_run_replays_its_flows(tmp_path: Path) -> None:
    source = {
        "kind": "transfers",
        "per-second": 20.0,
        "size": {"kind": "exponential", "mean": "9 kB"},
    }
    first = scenario(tmp_path, pattern="uniform", source=source)
    report = tp.run(first)
    assert len(report.flows) > 20
    report.flows.filter(pl.col("start").is_not_null()).write_parquet(tmp_path / "own.parquet")
    again = scenario(tmp_path, (tmp_path / "own.parquet").read_bytes(), "own.parquet")
    names = ["from", "to", "start", "end", "size"]
    for name, column in tp.run(again).flows.select(names).to_dict().items():
        expected = report.flows.get_column(name)
        if name in {"start", "end"}:  # told to a float of seconds
            assert column.to_list() == pytest.approx(expected.to_list(), abs=1e-9)
        else:
            assert column.to_list() == expected.to_list()


def test_a_run_lasts_until_all_listed_files_are_delivered(tmp_path: Path) -> None:
    report = tp.run(scenario(tmp_path).with_({"run.until": "all-files"}))
    assert report.record["simulated"] < 0.7
    assert report.traffic["completed"][0] + report.traffic["unfinished"][0] == 3


def test_a_list_is_told_in_numbers(tmp_path: Path) -> None:
    table = FLOWS + "0.7,a,b,1500\n"
    (entry,) = scenario(tmp_path, table).show()["traffic"]
    assert (entry["pairs"], entry["flows"], entry["offered"]) == (3, 4, None)
    many = "start,from,to,size\n" + "0,a,b,1\n" * 1001
    shown = scenario(tmp_path, many).show()["parameters"]
    (value,) = (each["value"] for each in shown if each["key"] == "traffic.0.source.flows")
    assert len(value) == 1001


def test_the_file_of_a_list_is_an_axis(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("start,from,to,size\n0,a,b,1500\n")
    base = scenario(tmp_path)
    files = [str(tmp_path / name) for name in ("f.csv", "one.csv")]
    sweep = tp.Sweep(base, {"traffic.0.source.file": files}, seeds=1)
    table = sweep.run(tmp_path / "out", workers=1)
    assert table.get_column("completed").to_list() == [3, 1]


def test_flows_after_the_end_are_told(tmp_path: Path) -> None:
    (warning,) = scenario(tmp_path, FLOWS + "7,a,b,1\n").warnings()
    assert warning.key == "traffic.0.source"
    assert "1 of 4 flows start after the end of the run" in str(warning)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("start,from,to\n0,a,b\n", "/f.csv:1: no column size; found start, from, to"),
        ("", "/f.csv: an empty table"),
        ("start,from,to,size\n0,a\n", "/f.csv:2: too few columns; found 0,a"),
        ("start,from,to,size\n0,a,b,\n", "/f.csv:2: a flow without a size"),
        ("start,from,to,size\n0,a,x,9\n",
         '/f.csv:2: traffic.0.source.flows.0.to: no host has this name; found "x"'),
        ("start,from,to,size\n0,a,b,9\n\n1,c,R,9\n",
         '/f.csv:4: traffic.0.source.flows.1.to: no host has this name; found "R"'),
        ("start,from,to,size\n0,a,a,9\n",
         "/f.csv:2: traffic.0.source.flows.0: a flow from a host to itself"),
        ("start,from,to,size\n-1,a,b,9\n", "/f.csv:2: traffic.0.source.flows.0.start"),
        ("start,from,to,size\n1 Gb,a,b,9\n",
         '/f.csv:2: traffic.0.source.flows.0.start: unknown unit "Gb"'),
        ("start,from,to,size\nsoon,a,b,9\n", "/f.csv:2: traffic.0.source.flows.0.start"),
        ("start,from,to,size\n0,a,b,0\n", "/f.csv:2: traffic.0.source.flows.0.size: too small"),
        ("start,from,to,size\n0,a,b,1.5\n", "/f.csv:2: traffic.0.source.flows.0.size"),
        ("start,from,to,size\n,a,b,9\n", "/f.csv: no flow; "),
        (b"start,from,to,size\n0,\xff,b,9\n", "/f.csv:2: not UTF-8 text"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_list_is_told_with_its_line(
    tmp_path: Path, table: str | bytes, told: str
) -> None:
    assert told in only(tmp_path, table)


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"from": "c"}, "traffic.0.source.flows.0.from: no host of the entry's from"),
        ({"count": 2}, "traffic.0.count: a list says itself which flows there are"),
        ({"pattern": "uniform"}, "traffic.0.pattern: "),
        ({"stop": "1 s"}, "traffic.0.stop: a list of flows has its own end"),
        ({"load": 0.5}, "traffic.0.load: a source without a mean rate has no load"),
        ({"transport": {"kind": "udp"}}, "traffic.0.source: a file needs acknowledgments"),
        ({"matrix": {"demands": [{"from": "a", "to": "b", "demand": 1.0}]}},
         "traffic.0.source: a source without a rate that a demand could multiply"),
    ],
)  # fmt: skip
def test_keys_that_do_not_go_with_a_list_are_told(
    tmp_path: Path, entry: dict[str, Any], told: str
) -> None:
    found = scenario(tmp_path, **entry).check()
    assert any(told in str(each) for each in found), found


def test_a_folder_and_a_missing_file_are_told(tmp_path: Path) -> None:
    base = scenario(tmp_path)
    for name in ("none.csv", "."):
        with pytest.raises(tp.ScenarioError, match=r"no such file|a folder, not a file"):
            base.with_({"traffic.0.source.file": str(tmp_path / name)}).checked()


def test_a_list_is_run_from_the_command_line(tmp_path: Path) -> None:
    network = scenario(tmp_path)
    text = network.to_toml().replace(f'"{tmp_path}/f.csv"', '"f.csv"')
    (tmp_path / "t.toml").write_text(text)
    done = call("run", tmp_path / "t.toml", "--out", tmp_path / "r")
    assert done.returncode == 0, done.stderr
    assert tp.Report.load(tmp_path / "r").digest == tp.run(network).digest
