"""Reports: tables, units, saving and loading, and the same result whichever way it is run."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import tcphoton as tp

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def report() -> tp.Report:
    scenario = tp.example("tcp-lossy-path").with_({"run.duration": "15 s"})
    return tp.run(scenario, seed=2)


def test_every_column_has_a_unit_and_a_meaning(report: tp.Report) -> None:
    for name in ("flows", "links", "traffic", "series"):
        frame: pl.DataFrame = getattr(report, name)
        assert list(report.units[name]) == frame.columns
        assert all(report.docs[name].values())
    assert report.units["flows"]["goodput"] == "b/s"


def test_what_is_unknown_is_null(report: tp.Report) -> None:
    assert report.flows.get_column("end").null_count() == report.flows.height


def test_series_are_recorded_when_asked(report: tp.Report) -> None:
    assert set(report.series.get_column("what")) == {"cwnd", "ssthresh", "rtt"}
    assert report.series.get_column("time").max() <= 15  # type: ignore[operator]


def test_save_and_load_are_inverse(report: tp.Report, tmp_path: Path) -> None:
    report.save(tmp_path)
    again = tp.Report.load(tmp_path)
    assert again.record == report.record
    for name in ("flows", "links", "traffic", "series"):
        assert_frame_equal(getattr(again, name), getattr(report, name))


def test_save_replaces_a_report_and_leaves_other_files(
    report: tp.Report, small: tp.Scenario, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("mine", "utf-8")
    report.save(tmp_path)
    tp.run(small).save(tmp_path)
    assert tp.Report.load(tmp_path).record["title"] == "Two hosts"
    assert (tmp_path / "notes.txt").read_text("utf-8") == "mine"
    assert len(list(tmp_path.iterdir())) == 6


def test_a_folder_without_its_record_does_not_load(report: tp.Report, tmp_path: Path) -> None:
    report.save(tmp_path)
    (tmp_path / "report.json").unlink()
    with pytest.raises(tp.OutputError, match="no complete report"):
        tp.Report.load(tmp_path)


def test_parameters_list_their_origins(report: tp.Report) -> None:
    origins = dict(report.parameters.select("key", "origin").iter_rows())
    assert origins["run.duration"] == "set"
    assert origins["topology.kind"] == "given"
    assert {"default", "profile"} <= set(origins.values())


def test_a_report_shows_itself(report: tp.Report) -> None:
    page = report._repr_html_()
    assert "<table " in page
    assert report.digest in page
    assert report.digest in repr(report)
    assert report.summary["digest"] == report.digest


def test_the_seed_decides(small: tp.Scenario) -> None:
    assert tp.run(small, seed=1).digest == tp.run(small, seed=1).digest
    assert tp.run(small, seed=1).digest != tp.run(small, seed=2).digest
    assert tp.run(small).digest == tp.run(small, seed=1).digest


def test_observation_changes_nothing(small: tp.Scenario) -> None:
    watched = small.with_(
        {"record.series": ["cwnd", "ssthresh", "rtt", "queue"], "record.interval": "1 ms"}
    )
    report = tp.run(watched)
    assert report.series.height > 0
    plain = tp.run(small)
    assert report.digest == plain.digest
    assert_frame_equal(report.flows, plain.flows)


@pytest.fixture(scope="module")
def busy() -> tp.Scenario:
    """Some 70,000 transfers, a few at a time."""
    link = {"rate": "1 Gb/s", "delay": "100 us"}
    source = {"kind": "transfers", "per-second": 7000, "size": "1 kB"}
    return tp.Scenario.from_dict(
        {
            "run": {"duration": "10 s"},
            "topology": {"kind": "line", "routers": 1, "link": link},
            "traffic": [{"from": "a", "to": "b", "transport": {"kind": "tcp"}, "source": source}],
        }
    )


def test_flows_can_be_written_while_the_run_goes_on(busy: tp.Scenario, tmp_path: Path) -> None:
    (tmp_path / "flows-00007.parquet").write_bytes(b"of an earlier run")
    (tmp_path / "report.json").write_bytes(b"{}")
    rest = tp.run(busy, seed=3, flows_to=tmp_path)
    names = sorted(file.name for file in tmp_path.iterdir())
    # Their number depends on when the flows are written: two files, or one on a busy machine.
    assert names == [f"flows-{number:05}.parquet" for number in range(1, len(names) + 1)]
    files = [pl.read_parquet(tmp_path / name) for name in names]
    assert files[0].height >= 65_536
    whole = tp.run(busy, seed=3)
    assert_frame_equal(pl.concat([*files, rest.flows]).sort("flow"), whole.flows)
    assert_frame_equal(rest.traffic, whole.traffic)
    assert rest.flows.height < 1000
    assert rest.digest == whole.digest
    rows = sum(file.height for file in files)
    assert rest.record["streamed-flows"] == {"files": len(names), "rows": rows}
    assert "streamed-flows" not in whole.record


def test_flows_are_not_written_where_they_cannot_be(busy: tp.Scenario, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", "utf-8")
    with pytest.raises(tp.OutputError, match="cannot be written"):
        tp.run(busy, flows_to=tmp_path / "file")


def test_threads_change_nothing(small: tp.Scenario) -> None:
    alone = [tp.run(small, seed).digest for seed in range(6)]
    with ThreadPoolExecutor(4) as pool:
        together = [report.digest for report in pool.map(lambda s: tp.run(small, s), range(6))]
    assert together == alone


def test_slices_change_nothing(small: tp.Scenario) -> None:
    seen: list[tuple[float, float, int]] = []
    report = tp.run(small, progress=lambda *state: seen.append(state))
    assert seen[-1][0] == seen[-1][1] == 2.0
    assert seen[-1][2] == report.record["events"]
    assert report.digest == tp.run(small).digest


def test_an_exception_of_the_callback_ends_the_run(small: tp.Scenario) -> None:
    class StopError(Exception):
        pass

    def stop(*_: object) -> None:
        raise StopError

    with pytest.raises(StopError):
        tp.run(small.with_({"run.duration": "1000 h"}), progress=stop)


def test_other_threads_go_on_during_a_run(small: tp.Scenario) -> None:
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.wait(0.001):
            ticks += 1

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        report = tp.run(small.with_({"run.duration": "600 s"}))
    finally:
        done.set()
        thread.join()
    assert ticks > 50 * report.record["timing"]["wall"]
