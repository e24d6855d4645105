"""Traces: they agree with what the run counts, and a trace of a part with the whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import tcphoton as tp
from tcphoton.traces.files import csv

if TYPE_CHECKING:
    from pathlib import Path

    from command_here import Command
    from tcphoton.traces.trace import Trace

#: Every kind of link and switch, from the start so that all is counted.
SHORT: dict[str, dict[str, Any]] = {
    "dumbbell": {"run.duration": "1 s"},
    "ecn": {"run.duration": "1 s"},
    "fat-tree": {"run.duration": "6 ms"},
    "hybrid-fat-tree": {"run.duration": "200 us"},
    "lightpath-bundle": {"run.duration": "20 ms"},
    "link-failure": {"run.duration": "16 s"},
    "mm1": {"run.duration": "5 s"},
    "obs-burst-life": {"run.duration": "6 ms"},
    "obs-three-nodes": {"run.duration": "30 ms"},
    "ops-mesh": {"run.duration": "10 ms"},
    "tcp-lossy-path": {"run.duration": "10 s"},
}
COUNTED = {
    "dropped-queue": "dropped-queue",
    "dropped-red": "dropped-red",
    "dropped-loss": "dropped-loss",
    "dropped-down": "dropped-down",
    "dropped-contention": "dropped-contention",
}


def short(name: str) -> tp.Scenario:
    return tp.example(name).with_({"run.warmup": "0 s", **SHORT[name]})


@pytest.fixture(scope="module")
def whole() -> dict[str, Trace]:
    """Whole traces, made once."""
    return {name: tp.trace(short(name)) for name in SHORT}


@pytest.mark.parametrize("name", SHORT)
def test_a_trace_agrees_with_the_counters_of_the_run(name: str, whole: dict[str, Trace]) -> None:
    report = tp.run(short(name))
    links, end = report.links.with_row_index("row"), round(1e12 * report.summary["simulated"])
    hops = whole[name].hops.with_columns(pl.col("link").cast(pl.UInt32))
    # A hybrid switch takes a packet with its first bit; it has passed the link with its last one.
    ends = links.get_column("link").str.extract("-> ([^:]*)")
    by_head = pl.col("link").is_in(links["row"].filter(~ends.str.starts_with("h")).to_list())
    later = pl.when(by_head & (name == "hybrid-fat-tree")).then(pl.col("end") - pl.col("start"))
    passed = pl.col("arrived") + later.otherwise(0) <= end
    optical = not whole[name].channels.is_empty()
    cause = pl.col("cause").fill_null("")
    found = hops.group_by("link").agg(
        pl.len().alias("n"),
        (pl.col("arrived").is_not_null() & passed).sum().alias("out"),
        cause.str.starts_with("lost-").sum().alias("burst"),
        *((cause == name).sum().alias(f"their {name}") for name in COUNTED),
    )
    both = links.join(found, left_on="row", right_on="link", how="left").fill_null(0)
    assert both["n"].to_list() == both["packets-in"].to_list()
    assert both["burst"].to_list() == both["dropped-burst"].to_list()
    for name_ in COUNTED:
        if name_ in links.columns:
            assert both[f"their {name_}"].to_list() == both[name_].to_list(), name_
    if not optical:
        assert both["out"].to_list() == both["packets-out"].to_list()


@pytest.mark.parametrize("name", ["mm1", "link-failure", "lightpath-bundle", "dumbbell"])
def test_waits_are_those_of_the_queues(name: str, whole: dict[str, Trace]) -> None:
    report = tp.run(short(name))
    links, end = report.links.with_row_index("row"), report.summary["simulated"]
    taken_in = whole[name].hops.filter(pl.col("start").is_not_null() | pl.col("lost").is_null())
    waits = taken_in.select(
        pl.col("link").cast(pl.UInt32),
        (pl.col("start").fill_null(round(end * 1e12)) - pl.col("offered")).alias("wait"),
    )
    found = waits.group_by("link").agg(pl.col("wait").sum())
    both = links.join(found, left_on="row", right_on="link")
    assert both["wait"].sum() > 0
    for ours, theirs in zip(both["wait"], both["queue-mean"], strict=True):
        assert ours / 1e12 / end == pytest.approx(theirs, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("name", SHORT)
def test_a_packet_goes_from_link_to_link_in_time(name: str, whole: dict[str, Trace]) -> None:
    rows = whole[name].rows()
    assert rows["offered"].is_sorted()
    assert rows.filter(pl.col("start") < pl.col("offered")).is_empty()
    assert rows.filter(pl.col("end") <= pl.col("start")).is_empty()
    assert rows.filter(pl.col("arrived").is_not_null() & pl.col("lost").is_not_null()).is_empty()
    first = rows.filter(pl.col("hop") == 1)
    assert first.filter(pl.col("offered") < pl.col("sent")).is_empty()
    before = pl.col("arrived").shift().over("number")
    assert rows.filter(pl.col("burst").is_null() & (pl.col("offered") < before)).is_empty()


SPANS: dict[str, tuple[str, str]] = {
    "dumbbell": ("200 ms", "350 ms"),
    "hybrid-fat-tree": ("50 us", "150 us"),
    "lightpath-bundle": ("5 ms", "12 ms"),
    "link-failure": ("4.9 s", "7.1 s"),
    "obs-burst-life": ("2 ms", "5 ms"),
    "ops-mesh": ("2 ms", "5 ms"),
}


@pytest.mark.parametrize("name", SPANS)
def test_a_trace_of_a_part_is_that_part_of_the_whole(name: str, whole: dict[str, Trace]) -> None:
    rows = whole[name].rows()
    flows = sorted(set(rows["flow"].to_list()))[-2:]
    node = rows["link"][0].split(" -> ")[1].split(":")[0]
    start, stop = SPANS[name]
    parts: list[tuple[dict[str, Any], pl.Expr]] = [
        (
            {"start": start, "stop": stop},
            (pl.col("offered") >= seconds(start)) & (pl.col("offered") < seconds(stop)),
        ),
        ({"flows": flows}, pl.col("flow").is_in(flows)),
        (
            {"nodes": [node]},
            pl.col("link").str.replace(r":\d+$", "").str.split(" -> ").list.contains(node),
        ),
    ]
    for asked, wanted in parts:
        part = rows.filter(wanted)
        found = tp.trace(short(name), **asked)
        assert_frame_equal(found.rows(), part)
        assert not found.rows().is_empty()
        assert set(found.packets["number"]) == set(part["number"])


def seconds(time: str) -> float:
    from tcphoton.common.quantities import number

    # Instants are whole picoseconds.
    return round(number(time) * 1e12) / 1e12


@pytest.mark.parametrize("name", ["dumbbell", "lightpath-bundle", "obs-burst-life"])
def test_a_limit_keeps_the_first_rows_and_says_so(name: str, whole: dict[str, Trace]) -> None:
    cut = tp.trace(short(name), limit=500)
    assert cut.cut is not None
    assert cut.hops.height <= 500
    rows = whole[name].rows()
    before = pl.col("offered") < cut.cut / 1e12
    assert_frame_equal(cut.rows().filter(before), rows.filter(before))
    assert whole[name].cut is None


def test_the_report_is_the_same_whether_or_not_a_trace_was_made() -> None:
    scenario = short("dumbbell")
    before = tp.run(scenario).digest
    tp.trace(scenario, stop="300 ms", counters=True)
    assert tp.run(scenario).digest == before


def test_counters_are_sampled_in_the_span_alone() -> None:
    scenario = short("dumbbell")
    traced = tp.trace(scenario, start="300 ms", stop="400 ms", nodes=["left"], counters=True)
    assert set(traced.series["what"]) == {"cwnd", "queue"}
    assert traced.series["time"].min() == 0.3
    assert traced.series["time"].n_unique() == 1000
    queues = traced.series.filter(pl.col("what") == "queue")
    assert all("left" in link.split(" -> ") for link in queues["subject"].unique())
    own = scenario.with_({"record.series": ["rtt"], "record.interval": "50 ms"})
    assert set(tp.trace(own, start="300 ms", counters=True).series["what"]) == {"rtt"}
    assert tp.trace(scenario, stop="100 ms").series.is_empty()


def test_an_empty_segment_has_the_number_of_the_next_octet() -> None:
    rows = tp.trace(short("fat-tree").with_({"traffic.0.transport.release": True})).rows()
    pure = rows.filter(
        (pl.col("data") == 0) & (pl.col("backward") == 0) & (pl.col("flags") == "ACK")
    )
    assert not pure.is_empty()
    sent = rows.filter((pl.col("hop") == 1) & (pl.col("backward") == 0))
    for row in pure.filter(pl.col("hop") == 1).iter_rows(named=True):
        earlier = sent.filter((pl.col("flow") == row["flow"]) & (pl.col("number") < row["number"]))
        fin = earlier["flags"].str.contains("FIN").cast(pl.UInt64)
        assert row["seq"] == max(earlier["seq"] + earlier["data"] + fin)


def test_csv_has_every_row_with_times_to_the_picosecond(whole: dict[str, Trace]) -> None:
    traced = whole["ops-mesh"]
    lines = csv(traced).decode().splitlines()
    assert len(lines) == traced.hops.height + 1
    assert lines[0].split(",")[:6] == ["flow", "number", "backward", "link", "hop", "offered"]
    back = pl.read_csv(csv(traced), schema_overrides={"offered": pl.String})
    whole_ = [int(each.replace(".", "")) for each in back["offered"]]
    assert whole_ == traced.hops["offered"].to_list()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--flow", "7"], "--flow 7: no flow has this number; accepted 0 to 1"),
        (["--flow", "-1"], "--flow -1: no flow has this number"),
        (["--node", "nowhere"], "--node nowhere: no node has this name; accepted left, right"),
        (["--from", "3 s"], "--from 3 s: outside the run; accepted 0 s to 2 s"),
        (["--from", "1 s", "--to", "1 s"], "the span is empty"),
        (["--to", "5"], "--to 5: a number without a unit"),
        (["--limit", "0"], "--limit 0: out of range; accepted 1 to 2^31"),
        (["--to", "1 ps"], "--to 1 ps: no packet of this trace was offered to any link"),
        (["--flow", "0", "--to", "1 ps"], "accepted a later --to: the first is offered at 0.0"),
        (["--set", "run.warmup"], "not a setting"),
    ],
)
def test_what_cannot_be_traced_is_said_in_a_line(
    tcphoton: Command,
    small_file: Path,
    tmp_path: Path,
    options: list[str],
    message: str,
) -> None:
    out = tmp_path / "trace.csv"
    result = tcphoton("trace", small_file, "--format", "csv", "--out", out, *options, code=2)
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not out.exists()


def test_a_form_that_is_none_is_refused(
    tcphoton: Command, small_file: Path, tmp_path: Path
) -> None:
    result = tcphoton("trace", small_file, "--format", "pcap", "--out", tmp_path / "t", code=2)
    assert "pcapng" in result.stderr
    result = tcphoton("trace", small_file, "--format", "csv", "--out", tmp_path, code=2)
    assert "a folder" in result.stderr
    result = tcphoton("trace", small_file, "--format", "csv", "--out", small_file / "t", code=2)
    assert len(result.stderr.splitlines()) == 1
    made = tmp_path / "new" / "folder" / "t.csv"
    result = tcphoton("trace", small_file, "--format", "csv", "--out", made)
    assert (result.returncode, made.exists()) == (0, True)


@pytest.mark.parametrize("form", ["csv", "pcapng", "perfetto"])
def test_the_command_writes_a_file_and_says_where_it_ends(
    tcphoton: Command,
    small_file: Path,
    tmp_path: Path,
    form: str,
) -> None:
    out = tmp_path / "trace"
    options = ["--format", form, "--out", out, "--from", "500 ms", "--limit", 100]
    result = tcphoton("trace", small_file, *options, code=0)
    assert "rows" in result.stderr
    assert "where --limit 100 was reached" in result.stderr
    first = out.read_bytes()
    assert tcphoton("trace", small_file, *options).returncode == 0
    assert out.read_bytes() == first


def test_a_trace_of_a_run_that_stops_early_is_written_and_exits_with_1(
    tcphoton: Command, small_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "trace.csv"
    options = ["--format", "csv", "--out", out, "--set", "run.max-events=1000"]
    result = tcphoton("trace", small_file, *options, code=1)
    assert out.exists()
    assert result.stderr.splitlines()[-1].startswith("error: event budget spent at 0.")
    # What ends before the budget is spent is whole.
    assert tcphoton("trace", small_file, *options, "--limit", 10).returncode == 0
    assert tcphoton("trace", small_file, *options, "--to", "100 ms").returncode == 0


def test_a_trace_with_fewer_rows_than_its_limit_says_why(tcphoton: Command, tmp_path: Path) -> None:
    file = tmp_path / "bundle.toml"
    file.write_text(tp.example("lightpath-bundle").text, "utf-8")
    result = tcphoton(
        "trace", file, "--format", "csv", "--out", tmp_path / "rows.csv", "--limit", 1000, code=0
    )
    assert "was reached" not in result.stderr
    rows = len((tmp_path / "rows.csv").read_text("utf-8").splitlines()) - 1
    assert rows < 1000
    assert f"with {rows} rows of --limit 1000: a packet earlier than " in result.stderr


def test_the_scenario_is_never_replaced(
    tcphoton: Command, small_file: Path, tmp_path: Path
) -> None:
    text = small_file.read_text("utf-8")
    other = tmp_path / "without-ending"
    other.write_text(text, "utf-8")
    for file in (small_file, other):
        result = tcphoton("trace", file, "--format", "csv", "--out", file, code=2)
        assert "which is not replaced; name another file" in result.stderr
        assert file.read_text("utf-8") == text
