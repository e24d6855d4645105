"""Measures that mean less than they seem are told; estimates are held against SciPy."""

from __future__ import annotations

import warnings
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from scipy import stats

import tcphoton as tp
from command_here import call
from tcphoton.analysis import statistics
from tcphoton.analysis.points import caveats_of
from tcphoton.common import quantities
from tcphoton.errors import CaveatWarning
from tcphoton.runs import caveats, measures

if TYPE_CHECKING:
    from pathlib import Path

TRANSFERS = """
title = "Transfers over a dumbbell"

[run]
duration = "10 s"

[topology]
kind = "dumbbell"
pairs = 4
access = { rate = "1 Gb/s", delay = "1 ms" }
bottleneck = { rate = "20 Mb/s", delay = "10 ms" }

[[traffic]]
from = "left-*"
to = "right-*"
source = { kind = "transfers", per-second = 8.0, size = { kind = "exponential", mean = "400 kB" } }
transport = { kind = "tcp", preset = "cubic" }
"""


def run(settings: dict[str, Any] | None = None) -> tp.Report:
    return tp.run(tp.Scenario.from_text(TRANSFERS).with_(settings or {}))


def kinds(report: tp.Report) -> set[str]:
    return {each.kind for each in report.caveats}


def test_completion_times_with_unfinished_flows_are_those_of_scipy() -> None:
    report = run()
    flows = report.flows.filter(pl.col("start").is_not_null())
    ended = flows.filter(pl.col("end").is_not_null())
    times = ended.get_column("end") - ended.get_column("start")
    ages = 10.0 - flows.filter(pl.col("end").is_null()).get_column("start")
    row = report.traffic.row(0, named=True)
    assert (row["completed"], row["unfinished"]) == (len(times), len(ages))
    assert len(times) > 50
    assert len(ages) > 50
    known = stats.ecdf(stats.CensoredData(uncensored=times.to_numpy(), right=ages.to_numpy())).sf
    at = [0.0, *(time for time in known.quantiles if time < 5.0), 5.0]
    mean = sum(float(known.evaluate([start])[0]) * (end - start) for start, end in pairwise(at))
    assert row["completion-restricted-mean"] == pytest.approx(mean, rel=0.01)
    for name, left in (("completion-km-p50", 0.5), ("completion-km-p99", 0.01)):
        below = known.quantiles[known.probabilities <= left]
        assert row[name] == (pytest.approx(below[0], rel=0.017) if len(below) else None)
    # Those that ended are the short ones.
    assert row["completion-mean"] < 0.8 * row["completion-restricted-mean"]


def test_unfinished_flows_are_told() -> None:
    report = run()
    assert kinds(report) == {"beyond", "censored", "outrun"}
    row = report.traffic.row(0, named=True)
    share = row["unfinished"] / (row["unfinished"] + row["completed"])
    (of_all,) = {each.value for each in report.caveats if each.kind == "censored"}
    assert of_all == pytest.approx(share)
    assert "had not ended" in report._repr_html_()


def test_a_run_whose_flows_end_has_no_caveat() -> None:
    report = run({"traffic.0.source.per-second": 0.5, "run.duration": "60 s"})
    assert report.traffic["completed"][0] > 50
    assert kinds(report) == set()


def test_goodput_of_data_from_before_the_measured_time_is_told() -> None:
    # Files of 1 s at 20 Mb/s that all begin at once, and of which nothing begins later.
    batch = {
        "traffic.0.source": {"kind": "bulk", "size": "2.5 MB"},
        "run.warmup": "3 s",
        "run.duration": "5 s",
    }
    found = next(each for each in run(batch).caveats if each.kind == "earlier")
    assert found.value == 1.0
    assert found.concerns("goodput")
    # Of flows that begin all the time those at the edges cancel.
    steady = run({"traffic.0.source.per-second": 0.5, "run.duration": "60 s", "run.warmup": "10 s"})
    assert "earlier" not in kinds(steady)


def test_a_run_of_few_timeouts_is_told_where_flows_wait_for_them() -> None:
    queue = {"kind": "drop-tail", "packets": 2}
    settings = {
        "topology.pairs": 16,
        "topology.bottleneck": {"rate": "2 Mb/s", "delay": "10 ms", "queue": queue},
        "traffic.0.source": {"kind": "bulk"},
        "run.duration": "1.5 s",
    }
    short = run(settings)
    found = next(each for each in short.caveats if each.kind == "few-timeouts")
    # 200 ms are the minimum of `modern`.
    assert found.other == pytest.approx(1.5 / 0.2)
    row = short.traffic.row(0, named=True)
    assert found.value == pytest.approx(row["timeouts"] * 0.2 / (16 * 1.5))
    assert "few-timeouts" not in kinds(run(settings | {"run.duration": "30 s"}))


BURSTS = """
title = "Hosts at an optical burst-switched core"

[run]
duration = "12 s"
warmup = "2 s"

[topology]
kind = "nsfnet"
edges = ["WA", "NY"]
link = { rate = "10 Gb/s", channels = 2, control-channels = 1 }
hosts = 2
access = { rate = "20 Mb/s", delay = "10 us", queue = { kind = "drop-tail", packets = 100 } }

[assembly]
timeout = "1 ms"
offset = "1 ms"

[core]
kind = "burst"

[[traffic]]
from = "host-WA-*"
to = "host-NY-*"
transport = { kind = "tcp", preset = "cubic" }
source = { kind = "bulk" }
"""


def test_goodput_that_fills_the_links_of_hosts_while_the_core_idles_is_told() -> None:
    scenario = tp.Scenario.from_text(BURSTS)

    def found(settings: dict[str, Any]) -> list[caveats.Caveat]:
        report = tp.run(scenario.with_(settings))
        return [each for each in report.caveats if each.kind == "access-bound"]

    (alone,) = found({})
    assert caveats.ACCESS < alone.value < 1
    assert alone.concerns("goodput")
    assert not alone.concerns("delay-mean")
    # It is right, so no point of a figure is open for it.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        caveats.warn([alone], "goodput")
    # A core that is as slow as the hosts, or that loses, is what is seen.
    assert not found({"topology.link.rate": "20 Mb/s"})
    assert not found({"assembly.loss": 0.01})
    # Nor is it told of data that hosts do not have.
    assert not found({"traffic.0.source": {"kind": "poisson-writes", "rate": "19 Mb/s"}})
    beside = {"kind": "poisson-writes", "rate": "1 Mb/s"}
    entry = scenario.to_dict()["traffic"][0]
    assert not found({"traffic": [entry, entry | {"source": beside}]})
    # Packets over electronic routers are no core that is looked at.
    access = {"topology.access.rate": "20 Mb/s", "traffic.0.source": {"kind": "bulk"}}
    assert "access-bound" not in kinds(run(access | {"topology.bottleneck.rate": "10 Gb/s"}))


def test_a_long_rise_is_a_transient_and_a_warm_up_ends_it() -> None:
    # Without slow start a window takes 10 s to fill 100 Mb/s at 100 ms, which is 833 segments.
    settings = {
        "run.duration": "60 s",
        "topology.pairs": 1,
        "topology.bottleneck.rate": "100 Mb/s",
        "topology.bottleneck.delay": "50 ms",
        "traffic.0.source": {"kind": "bulk"},
        "traffic.0.transport": {"kind": "tcp", "initial-ssthresh": "20 kB"},
    }
    rising = run(settings)
    assert kinds(rising) == {"transient"}
    (found,) = {(each.value, each.other) for each in rising.caveats}
    assert 1 < found[0] < 30
    assert found[1] > 0.05
    assert kinds(run(settings | {"run.warmup": "30 s"})) == set()


def test_cells_with_caveats_are_marked_and_explained(tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text(TRANSFERS)
    (tmp_path / "sweep.toml").write_text(
        'scenario = "base.toml"\nseeds = 2\n[over]\n"traffic.0.source.per-second" = [0.5, 8.0]\n'
    )
    done = call("sweep", tmp_path / "sweep.toml", "--out", tmp_path / "found")
    lines = done.stdout.splitlines()
    header = next(line for line in lines if "completion-mean" in line)
    assert header.index("completion-mean") < header.index("goodput")
    rare, many = (
        next(line for line in lines if line.strip().startswith(at)) for at in ("0.5", "8")
    )
    assert rare.count("[") == 1  # the few seeds
    assert many.count("[") > 3
    notes = [line for line in lines if line.startswith("[")]
    assert any("of the flows had not ended" in note for note in notes)
    assert any("intervals from 2 runs" in note for note in notes)
    rows = pl.read_csv(tmp_path / "found" / "results.csv")
    assert rows.get_column("caveats").to_list() == [
        "none",
        "none",
        *["censored, beyond, outrun"] * 2,
    ]
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        summary = statistics.summarise(rows, "completion-mean", "traffic.0.source.per-second")
    assert {each.category for each in found} == {CaveatWarning}
    assert "had not ended" in str(found[0].message)
    assert summary.get_column("caveats").to_list() == ["few-seeds", "censored, outrun, few-seeds"]
    chart = tp.figures.lines(rows, "traffic.0.source.per-second", "completion-mean").to_dict()
    assert "had not ended" in " ".join(chart["title"]["text"])
    call("report", tmp_path / "found", code=0)
    assert "of the flows had not ended" in (tmp_path / "found" / "report.html").read_text()


def rows(**columns: list[Any]) -> pl.DataFrame:
    return pl.DataFrame({name.replace("_", "-"): values for name, values in columns.items()})


@pytest.mark.parametrize(
    ("table", "measure", "kind"),
    [
        (rows(goodput=[9e8, *[1e9] * 4], goodput_bound=[1e9] * 5), "goodput", "beyond-bound"),
        (rows(jain=[0.9, 1.0, 0.99, 0.98, 1.0]), "jain", "beyond-bound"),
        (rows(goodput=[9e8, 9.1e8]), "goodput", "few-seeds"),
        (rows(goodput=[9e8] * 5, events=[77] * 5), "goodput", "same-runs"),
        # Counters of switches may differ where the seed changes no flow.
        (rows(goodput=[9e8] * 5, events=[1, 2, 3, 4, 5]), "goodput", "same-runs"),
        (rows(goodput=[9e8] * 5, delay_p99=[0.02] * 5), "delay-p99", "same-runs"),
        (rows(goodput=[9e8, None, 8e8, 9e8, 9e8, 9e8]), "goodput", "missing"),
        (rows(goodput=[9e8], events=[7]), "goodput", "no-interval"),
        (rows(delay_p99=[0.02] * 5, events=[1, 2, 3, 4, 5]), "delay-p99", "same-bin"),
        (rows(seed=[1, 2, 3, 1, 2], events=[1, 2, 3, 4, 5], loss=[0.1] * 5), "loss", "pooled"),
    ],
)  # fmt: skip
def test_caveats_of_points(table: pl.DataFrame, measure: str, kind: str) -> None:
    point = table.with_columns(point=pl.lit(1))
    summary, found = statistics.summary_of(point, measure, "point")
    assert [each.kind for each in found] == [kind]
    assert summary.get_column("caveats").to_list() == [kind]
    (text,) = caveats.told(found).values()
    assert text


def test_entries_of_traffic_that_are_far_apart_are_told() -> None:
    names = ("delay-mean", "traffic.0.delay-mean", "traffic.1.delay-mean")
    for short, many in ((0.002, True), (0.009, False)):
        values = [[each] * 5 for each in (0.005, short, 0.01)]
        table = pl.DataFrame(dict(zip(names, values, strict=True)))
        interval = statistics.mean_interval(table.get_column("delay-mean"))
        found = caveats_of(table, "delay-mean", interval)
        assert [each.kind for each in found] == ["mixed"] * many
        assert not caveats_of(table, "traffic.0.delay-mean", interval)
    assert "by a factor of 5:" in caveats.told(
        [caveats.Caveat("mixed", ("delay-mean",), 5.0)]
    )["mixed"]  # fmt: skip


def test_few_seeds_in_the_same_bin_are_both() -> None:
    table = rows(delay_p99=[0.02] * 2, events=[1, 2])
    found = caveats_of(table, "delay-p99", statistics.mean_interval([0.02] * 2))
    assert [each.kind for each in found] == ["few-seeds", "same-bin"]


def test_counts_and_zeros_are_certain() -> None:
    for name in ("completed", "slowdown-p50"):
        table = pl.DataFrame({name: [0.0] * 5, "events": [1, 2, 3, 4, 5]})
        assert not caveats_of(table, name, statistics.mean_interval(table.get_column(name)))


def test_a_sound_point_has_none() -> None:
    table = rows(
        goodput=[9e8, 8e8, 8.5e8, 8.7e8, 9e8], goodput_bound=[1e9] * 5, events=[1, 2, 3, 4, 5]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        summary = statistics.summarise(table.with_columns(point=pl.lit(1)), "goodput", "point")
    assert "caveats" not in summary.columns


def test_a_width_from_rounding_is_zero() -> None:
    values = [1.0, 1.0 - 2e-16, 1.0 + 2e-16, 1.0]
    assert statistics.mean_interval(values).half_width == 0
    assert statistics.mean_interval([1.0, 1.0 + 1e-9]).half_width > 0


def test_a_batch_leads_with_its_makespan() -> None:
    batch = """
        run.duration = "10 s"
        topology = { kind = "star", hosts = 4, link = { rate = "1 Gb/s", delay = "10 us" } }
        [[traffic]]
        from = "*"
        to = "*"
        pattern = "all"
        source = { kind = "shuffle", block = "1 MB" }
        transport = { kind = "tcp" }
    """
    report = tp.run(tp.Scenario.from_text(batch))
    from io import StringIO

    from tcphoton.runs.summary import print_report, share_of_time

    text = StringIO()
    print_report(report, text)
    header = text.getvalue().splitlines()[3]
    assert header.split()[:5] == ["traffic", "flows", "completed", "makespan", "batch-throughput"]
    assert "goodput" not in header
    took = quantities.text(report.traffic.item(0, "makespan"), "s")
    told = f"utilization is over 10 s, of which the batch took {took}"
    assert f"busiest links of 8; {told}" in text.getvalue() or f"links; {told}" in text.getvalue()
    stream = tp.run(tp.example("mm1").with_({"run.duration": "12 s"}))
    assert not share_of_time(stream)


INCAST = """
title = "Incast"

[run]
duration = "40 ms"

[topology]
kind = "star"
hosts = 4
link = { rate = "1 Gb/s", delay = "10 us", queue = { kind = "drop-tail", packets = 200 } }

[[traffic]]
from = "*"
to = "h0"
pattern = "all"
source = { kind = "incast", block = "125 kB", rounds = 20, senders = 3 }
transport = { kind = "tcp" }
"""


def test_a_batch_that_did_not_end_is_told_with_the_flows_that_never_began() -> None:
    # A round takes three blocks of 1 ms each at 1 Gb/s: some 12 of the 20 rounds fit.
    report = tp.run(tp.Scenario.from_text(INCAST))
    row = report.traffic.row(0, named=True)
    assert row["makespan"] is None
    assert row["unstarted"] == 20 * 3 - row["flows"]
    assert 20 <= row["unstarted"] <= 30
    told, _ = (each for each in report.caveats if each.kind == "unstarted")
    assert told.value == row["unstarted"]
    assert told.concerns("makespan")
    assert told.concerns("completion-mean")
    # Its goodput would say how long the run was.
    table = pl.DataFrame([measures.row(report.record)])
    assert table["makespan"][0] is None
    assert "goodput" not in measures.leading(table)
    stream = pl.DataFrame([measures.row(run().record)])
    assert "goodput" in measures.leading(pl.concat([table, stream], how="diagonal_relaxed"))
    ended = tp.run(tp.Scenario.from_text(INCAST).with_({"run.duration": "1 s"}))
    row = ended.traffic.row(0, named=True)
    assert (row["unstarted"], row["flows"]) == (0, 60)
    assert "unstarted" not in kinds(ended)
    # A source without an end of its own has no such number.
    assert run().traffic["unstarted"][0] is None


def test_the_table_of_sizes_marks_what_is_missing(tmp_path: Path) -> None:
    size = {"kind": "mix", "sizes": ["10 kB", "3 MB"], "shares": [0.9, 0.1]}
    settings = {"traffic.0.source.size": size, "traffic.0.source.per-second": 1.4}
    scenario = tp.Scenario.from_text(TRANSFERS).with_({**settings, "run.duration": "30 s"})
    file = tmp_path / "transfers.toml"
    file.write_text(scenario.to_toml(), "utf-8")
    done = call("run", file, code=0)
    table = done.stdout.partition("completion by size of file")[2].partition("busiest")[0]
    small, large = (line for line in table.splitlines() if line.lstrip().startswith("0 "))
    assert "[" in large
    assert "[" not in small
