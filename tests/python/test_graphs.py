"""Graphs of operations in the forms of other simulators, and in tables."""

from __future__ import annotations

import json
import re
from io import StringIO
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import tcphoton as tp
from tcphoton.figures import operations
from tcphoton.runs import measures, summary
from tcphoton.scenario import chakra_nodes, operation_files

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

STAR: dict[str, Any] = {
    "run": {"duration": "1 s", "until": "all-files"},
    "topology": {"kind": "star", "hosts": 16, "link": {"rate": "100 Tb/s", "delay": "1250 ns"}},
}
"""16 hosts, 2.5 us from each to each other: the parameter L of LogGOPSim by default."""
HOSTS = [f"h{at}" for at in range(16)]
OVERHEAD = 1.5e-6
"""Its parameter o."""


def run(
    folder: Path, graph: pl.DataFrame, changes: Mapping[str, object] | None = None
) -> tp.Report:
    graph.write_csv(folder / "graph.csv")
    source = {"kind": "graph", "file": str(folder / "graph.csv")}
    transport = {"kind": "message", "window": "fixed"}
    traffic = {"from": "*", "to": "*", "transport": transport, "source": source}
    scenario = tp.Scenario.from_dict(STAR | {"traffic": [traffic]})
    return tp.run(scenario.with_(changes or {}))


def goal(folder: Path, text: str, **options: str) -> pl.DataFrame:
    (folder / "a.goal").write_text(text)
    return tp.graphs.read_goal(folder / "a.goal", HOSTS, **options)


def schedule(ranks: Mapping[int, list[str]]) -> str:
    """Return a schedule with these statements."""
    each = (f"rank {rank} {{\n" + "\n".join(tasks) + "\n}\n" for rank, tasks in ranks.items())
    return f"num_ranks {len(ranks)}\n" + "\n".join(each)


def test_a_dissemination_takes_the_time_that_loggopsim_gives(tmp_path: Path) -> None:
    # Its README: "22000ns for our example with default parameters", the dissemination of 16
    # ranks: in each of four rounds a rank sends a byte to the one that is 1, 2, 4 or 8 after it,
    # and waits for the one as far before it.
    ranks = {}
    for rank in range(16):
        tasks = []
        for at in range(4):
            there, back = (rank + 2**at) % 16, (rank - 2**at) % 16
            tasks.append(f"s{at}: send 1b to {there} tag 0")
            tasks.append(f"r{at}: recv 1b from {back} tag 0")
            tasks += [f"s{at} requires r{at - 1}"] if at else []
        ranks[rank] = tasks
    graph = goal(tmp_path, schedule(ranks), overhead="1500 ns")
    report = run(tmp_path, graph)
    (end,) = report.tables["repetitions"]["end"]
    # A packet of 65 B takes 5.2 ps on each link.
    assert 0 <= end - 22e-6 <= 4 * 12e-12


def test_a_tree_is_that_of_the_model(tmp_path: Path) -> None:
    # A binomial tree: a rank that has a byte sends it on; its processor takes o for each send, and
    # for the receipt, and the wire L: LogGOPSim with g below o.
    ranks: dict[int, list[str]] = {rank: [] for rank in range(16)}
    done = {0: 0.0}
    for rank in range(16):
        level = rank.bit_length()
        tasks = ranks[rank]
        for number, to in enumerate(rank + 2**at for at in range(level, 4)):
            tasks.append(f"s{number}: send 1b to {to} tag 0")
            tasks += [f"s{number} requires r"] if rank else []
            ranks[to].append(f"r: recv 1b from {rank} tag 0")
            done[to] = done[rank] + number * OVERHEAD + 2 * OVERHEAD + 2.5e-6
    assert max(done.values()) == pytest.approx(22e-6)
    report = run(tmp_path, goal(tmp_path, schedule(ranks), overhead="1500 ns"))
    computed = report.tables["operations"].filter(pl.col("to") == "")
    last = computed.group_by("host").agg(pl.col("end").max())
    found = dict(last.iter_rows())
    for rank, expected in done.items():
        sends = 4 - rank.bit_length()
        assert found[f"h{rank}"] == pytest.approx(expected + sends * OVERHEAD, abs=1e-10)


def test_a_schedule_is_traced_task_by_task(tmp_path: Path) -> None:
    # By hand: rank 0 computes 3 us, then sends; rank 1 posts its receipt after 1 us, and computes
    # 2 us when it is posted, on another processor; when the data are there it computes 4 us more on
    # each.
    text = """
    num_ranks 2 // two
    rank 0 {
    l1: calc 3000
    l2: send 100b to 1 tag 5
    l3: calc 1000
    l2 requires l1 /* before
    it sends */
    l3 requires l2
    }
    rank 1 {
    l1: calc 1000
    l2: recv 100b from 0 tag 5
    l2 requires l1
    l3: calc 2000 cpu 1
    l3 irequires l2
    l4: calc 4000 cpu 1
    l4 requires l2
    l5: calc 4000
    l5 requires l2
    }
    """
    there = 3 + 2.5
    eager = [(0, 3), (3, 3), (3, 4), (0, 1), (there, there), (1, 3), (there, there + 4)]
    for limit, known in (("65535 B", 3), ("0 B", there + 2.5)):
        report = run(tmp_path, goal(tmp_path, text, eager=limit))
        computed = report.tables["operations"].filter(pl.col("to") == "").select("start", "end")
        expected = [*eager, (there, there + 4)]
        # A send of more than the limit is over for its rank when it is acknowledged.
        expected[2] = (known, known + 1)
        for found, by_hand in zip(computed.iter_rows(), expected, strict=True):
            assert [each * 1e6 for each in found] == pytest.approx(by_hand, abs=1e-4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("num_ranks 2\nrank 2 {\n}\n", ":2: no such rank; found 2; accepted 0 to 1"),
        (
            "num_ranks 2\nrank 0 {\nl1: put 8b to 1\n}\n",
            ":3: not a statement of GOAL; found l1: put",
        ),
        ("num_ranks 2\nrank 0 {\nrecv 8b from -1\n}\n", ":3: a receipt from any source"),
        ("num_ranks 2\nrank 0 {\nsend 8b to 1 nic 1\n}\n", ":3: another network interface"),
        ("num_ranks 2\nrank 0 {\nsend 8b to 0\n}\n", ":3: no other rank; found 0"),
        ("num_ranks 2\nrank 0 {\na: calc 8\na requires b\n}\n", ":4: no such label"),
        ("num_ranks 2\nrank 0 {\nrecv 8b from 1 tag 2\n}\n", ":3: a receipt without a send"),
        (
            "num_ranks 2\nrank 0 {\nsend 8b to 1 tag 2\n}\n",
            "sends without a receipt; found 1 from 0",
        ),
        ("num_ranks 2\nrank 0 {\ncalc 8\n", "the last rank has no end"),
        ("num_ranks 17\nrank 0 {\ncalc 8\n}\n", "more ranks than hosts; found num_ranks 17"),
    ],
)
def test_what_is_not_supported_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(tp.ScenarioError, match=re.escape(message)):
        goal(tmp_path, text)


WIRE = (
    bytes.fromhex(
        "070a05302e302e3430080112066d61746d756c18043805520e0a0969735f6370755f6f70d8010052100a0573"
        "6861726519000000000000e03f390802120473656e6418052a0101520e0a09636f6d6d5f73697a6548e80752"
        "0c0a08636f6d6d5f6473743801520c0a08636f6d6d5f74616738035c08ac02120a616c6c2d72656475636518"
        "072201012a0102520d0a09636f6d6d5f747970654800520e0a09636f6d6d5f73697a6548d00f52150a0c696e"
        "766f6c7665645f64696de201040a020101520d0a0770675f6e616d65ea010130690804120473746570180422"
        "02ac023802520e0a0969735f6370755f6f70d8010152080a036c6f7788010552100a0477696465c901fcffff"
        "ffffffffff520e0a066e6172726f779d010500000052110a046c65737348faffffffffffffffff0152080a04"
        "6d6f72656807"
    ),
    bytes.fromhex(
        "070a05302e302e343608011204726563761806520e0a09636f6d6d5f73697a6548e807520c0a08636f6d6d5f"
        "7372633800520c0a08636f6d6d5f7461673803580802120a616c6c2d72656475636518072a0101520d0a0963"
        "6f6d6d5f747970654800520e0a09636f6d6d5f73697a6548d00f52150a0c696e766f6c7665645f64696de201"
        "040a020101520d0a0770675f6e616d65ea010130"
    ),
)
"""Traces of two ranks, written by Google's protobuf 6.33.6 with the fields of et_def.proto: rank 0
computes on its GPU, sends, joins an all-reduce, and computes on its CPU; rank 1 receives and
joins."""
TEXTS = (
    '{"version": "0.0.4"}{"id": "1", "name": "matmul", "type": "COMP_NODE", "duration'
    'Micros": "5", "attr": [{"name": "is_cpu_op", "boolVal": false}, {"name": "share"'
    ', "doubleVal": 0.5}]}{"id": "2", "name": "send", "type": "COMM_SEND_NODE", "data'
    'Deps": ["1"], "attr": [{"name": "comm_size", "int64Val": "1000"}, {"name": "comm'
    '_dst", "int32Val": 1}, {"name": "comm_tag", "int32Val": 3}]}{"id": "300", "name"'
    ': "all-reduce", "type": "COMM_COLL_NODE", "ctrlDeps": ["1"], "dataDeps": ["2"], '
    '"attr": [{"name": "comm_type", "int64Val": "0"}, {"name": "comm_size", "int64Val'
    '": "2000"}, {"name": "involved_dim", "boolList": {"values": [true, true]}}, {"na'
    'me": "pg_name", "stringVal": "0"}]}{"id": "4", "name": "step", "type": "COMP_NOD'
    'E", "ctrlDeps": ["300"], "durationMicros": "2", "attr": [{"name": "is_cpu_op", "'
    'boolVal": true}, {"name": "low", "sint64Val": "-3"}, {"name": "wide", "sfixed64V'
    'al": "-4"}, {"name": "narrow", "fixed32Val": 5}, {"name": "less", "int64Val": "-'
    '6"}, {"name": "more", "uint64Val": "7"}]}',
    '{"version": "0.0.4"}{"id": "1", "name": "recv", "type": "COMM_RECV_NODE", "attr"'
    ': [{"name": "comm_size", "int64Val": "1000"}, {"name": "comm_src", "int32Val": 0'
    '}, {"name": "comm_tag", "int32Val": 3}]}{"id": "2", "name": "all-reduce", "type"'
    ': "COMM_COLL_NODE", "dataDeps": ["1"], "attr": [{"name": "comm_type", "int64Val"'
    ': "0"}, {"name": "comm_size", "int64Val": "2000"}, {"name": "involved_dim", "boo'
    'lList": {"values": [true, true]}}, {"name": "pg_name", "stringVal": "0"}]}',
)
"""The same as its MessageToJson writes them."""


def traces(folder: Path) -> pl.DataFrame:
    return tp.graphs.read_chakra(folder, ["h0", "h1"])


def test_traces_are_the_same_on_the_wire_and_in_json(tmp_path: Path) -> None:
    for wire, text in zip(WIRE, TEXTS, strict=True):
        nodes = chakra_nodes.nodes("a.0.et", wire)
        assert nodes == [
            node._replace(
                said={name: None if name == "share" else value for name, value in node.said.items()}
            )
            for node in chakra_nodes.nodes("a.0.json", text.encode())
        ]
    said = chakra_nodes.nodes("a.0.et", WIRE[0])[3].said
    assert said == {
        "is_cpu_op": True, "low": -3, "wide": -4, "narrow": 5, "less": -6, "more": 7,
    }  # fmt: skip


def test_traces_become_operations(tmp_path: Path) -> None:
    for rank, wire in enumerate(WIRE):
        (tmp_path / f"llm.{rank}.et").write_bytes(wire)
    graph = traces(tmp_path)
    report = run(tmp_path, graph)
    sends = (
        report.tables["operations"]
        .filter(pl.col("to") != "")
        .select("host", "size", "start", "end")
    )
    # 1000 B after 5 us; then 2000 B in a ring of two: two steps of 1000 B each way. Rank 1 joins
    # when it has received, rank 0 when all is acknowledged.
    hop = 2.5e-6
    first, acked = 5e-6, 5e-6 + 2 * hop
    expected = [
        ("h0", 1000, first, first + hop),
        ("h0", 1000, acked, acked + hop),
        ("h1", 1000, first + hop, first + 2 * hop),
        ("h0", 1000, acked, acked + hop),
        ("h1", 1000, acked + hop, acked + 2 * hop),
    ]
    assert sends.select("host", "size").rows() == [each[:2] for each in expected]
    for found, by_hand in zip(sends.select("start", "end").iter_rows(), expected, strict=True):
        assert found == pytest.approx(by_hand[2:], abs=3e-9)
    # On the CPU after the all-reduce: rank 0 has all data of the second step.
    last = report.tables["operations"].filter(pl.col("to") == "")["end"].max()
    assert last == pytest.approx(acked + 2 * hop + 2e-6, abs=3e-9)


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        (
            [
                {"type": "MEM_LOAD_NODE"},
                {"id": "1", "type": "MEM_LOAD_NODE"},
                {"id": "2", "type": "BATCH_NODE"},
                {"id": "3", "type": "COMM_COLL_NODE", "attr": [
                    {"name": "comm_type", "int64Val": "5"}
                ]},
                {"id": "4", "type": "COMP_NODE", "attr": [{"name": "num_ops", "int64Val": "5"}]},
            ],
            "nodes that are not supported: 1 BATCH_NODE, 1 COMM_COLL_NODE BROADCAST, "
            "1 COMP_NODE without a duration, 2 MEM_LOAD_NODE; accepted METADATA_NODE, COMP_NODE",
        ),
        (
            [{"type": "COMP_NODE", "dataDeps": ["7"]}],
            "no such node; found 7, for which node 0 waits",
        ),
        ([{"type": "COMP_NODE"}, {"type": "COMP_NODE"}], "two nodes with one id; found 0"),
        (
            [{"type": "COMM_SEND_NODE", "attr": [{"name": "comm_dst", "int32Val": 0}]}],
            "no other rank; found comm_dst 0 of node 0; accepted another of the ranks 0 to 0",
        ),
        (
            [{"type": "COMM_COLL_NODE", "attr": [{"name": "comm_size", "int64Val": "9"}]}],
            "no such collective operation; found ring-all-reduce of 1 ranks, node 0",
        ),
        (None, "not an execution trace"),
    ],
)  # fmt: skip
def test_nodes_that_are_not_supported_are_named(
    tmp_path: Path, nodes: list[dict[str, object]] | None, message: str
) -> None:
    text = "{}" + "".join(map(json.dumps, nodes)) if nodes is not None else "{"
    (tmp_path / "a.0.json").write_text(text)
    with pytest.raises(tp.ScenarioError, match=re.escape(message)):
        traces(tmp_path)


def test_a_folder_has_a_trace_of_each_rank(tmp_path: Path) -> None:
    (tmp_path / "a.1.json").write_text("{}")
    with pytest.raises(tp.ScenarioError, match="not a trace of each rank; found ranks 1"):
        traces(tmp_path)
    (tmp_path / "a.0.et").write_bytes(b"\x05abc")
    with pytest.raises(tp.ScenarioError, match="it ends too early"):
        traces(tmp_path)


def test_a_table_in_parquet_is_that_in_csv(tmp_path: Path) -> None:
    graph = goal(tmp_path, "num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\nrecv 8b from 0\n}\n")
    graph.write_csv(tmp_path / "a.csv")
    graph.write_parquet(tmp_path / "a.parquet")
    csv, parquet = (
        operation_files.content(name, (tmp_path / name).read_bytes())
        for name in ("a.csv", "a.parquet")
    )
    assert csv == parquet
    assert csv.count("host") == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("host,to,size,compute\na,b,1 B,\n", ":1: no column after"),
        ("host,to,size,compute,after\nh0,,,1 s,x\n", ":2: not the number of an operation"),
        ("host,to,size,compute,after,cpu\nh0,,,1 s,,-1\n", ":2: not the number of an operation"),
        ("host,to,size,compute,after\n", ": no operation; found"),
        ("host,to,size,compute,after\nh0,h99,1 B,,\n", ":2: traffic.0.source.operations.0.to: no "),
        ("host,to,size,compute,after\nh0,h1,,,\n", ":2: traffic.0.source.operations.0: an opera"),
        (
            "host,to,size,compute,after\nh0,,,1,1\nh0,,,1,0\n",
            ":2: traffic.0.source.operations.0: the operation waits for itself, by way of others",
        ),
    ],
)  # fmt: skip
def test_mistakes_of_a_table_have_its_lines(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "graph.csv").write_text(text)
    source = {"kind": "graph", "file": str(tmp_path / "graph.csv")}
    traffic = {"from": "*", "to": "*", "transport": {"kind": "tcp"}, "source": source}
    with pytest.raises(tp.ScenarioError, match=re.escape(f"graph.csv{message}")):
        tp.run(tp.Scenario.from_dict(STAR | {"traffic": [traffic]}))


def test_sums_of_repetitions_are_measures_of_sweeps(tmp_path: Path) -> None:
    source = {"kind": "collective", "algorithm": "all-to-all", "size": "1 MB", "repeat": 3}
    changes = {"traffic.0.source": source, "topology.hosts": 4}
    report = run(tmp_path, pl.DataFrame({"host": ["h0"]}), changes)
    assert report.record["graphs"]["ended"] == 3
    row = measures.row(report.record)
    durations = report.tables["repetitions"]["duration"]
    assert row["graphs.duration-mean"] == pytest.approx(durations.mean())
    assert row["graphs.duration-max"] == durations.max()
    assert measures.unit_of("graphs.duration-mean") == "s"


def example() -> tp.Report:
    source = {"kind": "graph", "operations": [
        {"host": "h10", "compute": "2 us"},
        {"host": "h10", "to": "h2", "size": "1 MB", "after": [0]},
        {"host": "h2", "compute": "1 us", "after": [1]},
    ]}  # fmt: skip
    transport = {"kind": "message", "window": "fixed"}
    traffic = {"from": "*", "to": "*", "transport": transport, "source": source}
    return tp.run(tp.Scenario.from_dict(STAR | {"traffic": [traffic]}))


def test_a_figure_has_a_bar_for_each_operation_and_a_line_for_each_send() -> None:
    report = example()
    table = report.tables["operations"]
    chart: Any = operations.draw(table)
    bars, lines = chart.layer
    assert bars.data["way"].to_list() == ["computation", "send", "computation"]
    assert bars.data["start"].to_list() == pytest.approx([1e6 * each for each in table["start"]])
    assert lines.data.select("host", "to").rows() == [("h10", "h2")]
    assert chart.to_dict()["layer"][0]["encoding"]["y"]["sort"] == ["h2", "h10"]
    early: Any = operations.draw(table, until=1e-6)
    assert early.layer[0].data.height == 1
    with pytest.raises(ValueError, match="0 operations that have ended; 1 to 4,000 are drawn"):
        operations.draw(table.clear())


def test_the_summary_says_how_long_repetitions_took() -> None:
    report, out = example(), StringIO()
    summary.print_report(report, out)
    took = report.record["graphs"]["duration-max"] * 1e6
    found = re.search(r"repetitions: 1 of 1 ended, ([\d.]+) µs in the mean", out.getvalue())
    assert found
    assert float(found[1]) == pytest.approx(took, rel=1e-3)
