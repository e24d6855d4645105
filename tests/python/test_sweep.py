"""Sweeps: what they give, what they keep, and that nothing is run twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import tcphoton as tp
from conftest import count_runs
from tcphoton import _core
from tcphoton.analysis.statistics import Until
from tcphoton.errors import DamageWarning
from tcphoton.runs import measures
from tcphoton.sweep import folder as sweep_folder
from tcphoton.sweep.store.piece import Key
from tcphoton.sweep.sweep import Sweep, run_all

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Mapping

    from tcphoton.common.progress import Progress

PRESET = "traffic.0.transport.preset"
LOSS = "topology.bottleneck.loss.p"


@pytest.fixture
def sweep(small: tp.Scenario) -> Sweep:
    return Sweep(small, {PRESET: ["reno", "sack"], LOSS: [0.01, 0.05]}, seeds=2)


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[str, int]]:
    """Count the runs that workers have done, by scenario and seed."""
    return count_runs(monkeypatch)


def after(runs: int) -> Callable[[Progress], None]:
    """Press Ctrl-C once so many runs have finished."""

    def progress(now: Progress) -> None:
        if now.done >= runs:
            raise KeyboardInterrupt

    return progress


def test_a_sweep_gives_a_row_a_point_and_seed_in_the_order_of_the_grid(sweep: Sweep) -> None:
    table = sweep.run()
    assert table.select(PRESET, LOSS, "seed").rows() == [
        (preset, p, seed) for preset in ("reno", "sack") for p in (0.01, 0.05) for seed in (1, 2)
    ]
    assert table.columns[:3] == [PRESET, LOSS, "seed"]


def test_a_row_is_what_a_run_alone_gives(sweep: Sweep, small: tp.Scenario) -> None:
    row = sweep.run().row(5, named=True)
    report = tp.run(small.with_({PRESET: "sack", LOSS: 0.01}), seed=2)
    assert (row[PRESET], row["seed"]) == ("sack", 2)
    for name, value in report.traffic.row(0, named=True).items():
        if name != "traffic":
            assert row[name] == row[f"traffic.0.{name}"] == value
    assert row["events"] == report.record["events"]


def test_a_second_call_runs_nothing(sweep: Sweep, runs: Counter[Any], tmp_path: Path) -> None:
    first = sweep.run(tmp_path)
    assert sum(runs.values()) == 8
    seen: list[Progress] = []
    second = sweep.run(tmp_path, progress=seen.append)
    assert sum(runs.values()) == 8
    assert seen[-1].cached == seen[-1].done == seen[-1].total == 8
    assert second.equals(first)


def test_more_seeds_and_more_points_run_what_is_new(
    sweep: Sweep, small: tp.Scenario, runs: Counter[Any], tmp_path: Path
) -> None:
    sweep.run(tmp_path)
    sweep.with_seeds([3, 1]).run(tmp_path)
    assert sum(runs.values()) == 12
    Sweep(small, {LOSS: [0.05, 0.1], PRESET: ["sack"]}, seeds=2).run(tmp_path)
    assert sum(runs.values()) == 14
    assert max(runs.values()) == 1


@pytest.mark.usefixtures("processes")
def test_an_interrupted_sweep_goes_on_where_it_stopped(
    sweep: Sweep, runs: Counter[Any], tmp_path: Path
) -> None:
    with pytest.raises(KeyboardInterrupt):
        sweep.run(tmp_path, workers=2, progress=after(3))
    before = sum(runs.values())
    assert 3 <= before < 8
    assert len(list((tmp_path / "points").iterdir())) == before
    assert sweep_folder.read(tmp_path).missing == 8 - before
    table = sweep.run(tmp_path)
    assert sum(runs.values()) == 8
    assert max(runs.values()) == 1
    assert table.equals(sweep.run())


@pytest.mark.usefixtures("processes")
def test_two_folders_of_a_sweep_have_the_same_results(sweep: Sweep, tmp_path: Path) -> None:
    for workers in (1, 3):
        sweep.run(tmp_path / str(workers), workers=workers)
    one, three = (tmp_path / str(workers) for workers in (1, 3))
    for name in ("results.csv", "results.parquet", "sweep.json"):
        assert (one / name).read_bytes() == (three / name).read_bytes()
    for file in (one / "points").iterdir():
        assert file.read_bytes() == (three / "points" / file.name).read_bytes()
    assert measures.csv_text(sweep_folder.read(one).table) == (one / "results.csv").read_text()


def test_a_csv_reads_back_as_the_same_numbers(sweep: Sweep, tmp_path: Path) -> None:
    table = sweep.run(tmp_path)
    read = pl.read_csv(tmp_path / "results.csv", schema=table.schema)
    assert read.equals(table)
    assert pl.read_parquet(tmp_path / "results.parquet").equals(table)
    metadata = pl.read_parquet_metadata(tmp_path / "results.parquet")
    assert json.loads(metadata["units"])["traffic.0.delay-mean"] == "s"


@pytest.mark.parametrize("text", ["", "PAR1", "PAR1PAR1", "{}", "\0" * 9999])
def test_an_unreadable_or_foreign_point_is_run_again(
    sweep: Sweep, runs: Counter[Any], tmp_path: Path, text: str
) -> None:
    first = sweep.run(tmp_path)
    broken, foreign, *_ = sorted((tmp_path / "points").iterdir())
    good = broken.read_bytes()
    broken.write_text(text)
    foreign.write_bytes(good)
    (tmp_path / "points" / "note.parquet").write_text("mine")
    with pytest.warns(DamageWarning) as told:
        assert sweep.run(tmp_path).equals(first)
    assert [str(each.message).partition(": ")[0] for each in told] == [str(broken)]
    assert sum(runs.values()) == 10
    assert broken.read_bytes() == good


def test_torn_timings_are_no_error(sweep: Sweep, tmp_path: Path) -> None:
    sweep.run(tmp_path)
    path = tmp_path / "timings.csv"
    path.write_bytes(path.read_bytes()[:-30] + b"\0\xff\n1,2\n")
    table = sweep_folder.read(tmp_path, timings=True).table
    assert table["wall"].null_count() == 1
    assert sweep.run(tmp_path).height == 8


@pytest.mark.usefixtures("processes")
def test_another_results_revision_finds_nothing(
    sweep: Sweep, runs: Counter[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep.run(tmp_path)
    monkeypatch.setattr(_core, "results_revision", lambda: "0" * 16)
    # All is to be done again; but workers do it as they are, and a result of theirs is another one.
    with pytest.raises(tp.WorkerError, match="another version of tcphoton"):
        sweep.run(tmp_path)
    assert sum(runs.values()) == 8


def test_the_results_revision_is_that_of_the_fingerprints() -> None:
    assert len(_core.results_revision()) == 16
    assert int(_core.results_revision(), 16) >= 0


def test_sweeps_run_together_share_their_points(
    small: tp.Scenario, runs: Counter[Any], tmp_path: Path
) -> None:
    tables = run_all(
        {
            "a": Sweep(small, {LOSS: [0.01, 0.05]}, seeds=2),
            "b": Sweep(small, {LOSS: [0.05, 0.1]}, seeds=3, title="another"),
        },
        tmp_path,
    )
    assert sum(runs.values()) == 4 + 4
    shared = [tables[name].filter(pl.col(LOSS) == 0.05, pl.col("seed") <= 2) for name in "ab"]
    assert shared[0].equals(shared[1])
    assert sorted(file.name for file in tmp_path.iterdir()) == ["points", "timings.csv"]


def test_mistakes_of_all_sweeps_are_told_before_any_run(
    small: tp.Scenario, runs: Counter[Any]
) -> None:
    asked = {
        "a": Sweep(small, {LOSS: [0.01, 2]}),
        "b": Sweep(small, {"run.durration": ["1 s"]}),
        "c": Sweep(small, {LOSS: [0.01]}),
    }
    with pytest.raises(tp.ScenarioError) as caught:
        run_all(asked, None)
    assert [mistake.key for mistake in caught.value.mistakes] == [
        f"over.{LOSS}",
        "over.run.durration",
    ]
    assert not runs


def test_a_mistake_of_a_combination_names_the_point(small: tp.Scenario) -> None:
    sweep = Sweep(small, {"run.warmup": ["0 s", "5 s"], "run.duration": ["9 s", "3 s"]})
    (mistake,) = sweep.check()
    assert 'at run.warmup = "5 s", run.duration = "3 s"' in mistake.text


@pytest.mark.parametrize(
    ("over", "seeds", "key"),
    [
        ({LOSS: []}, 1, f"over.{LOSS}"),
        ({LOSS: "0.1"}, 1, f"over.{LOSS}"),
        ({LOSS: [0.1, 0.1]}, 1, f"over.{LOSS}"),
        ({"run.seed": [1]}, 1, "over.run.seed"),
        ({}, 0, "seeds"),
        ({}, [1, 1], "seeds"),
        ({}, [-1], "seeds.0"),
        ({LOSS: [0.1 + step * 1e-4 for step in range(1001)]}, 1000, "over"),
    ],
)
def test_what_cannot_be_a_sweep_is_refused(
    small: tp.Scenario, over: dict[str, Any], seeds: Any, key: str
) -> None:
    (mistake,) = Sweep(small, over, seeds=seeds).check()
    assert mistake.key == key


def test_values_keep_their_kind(small: tp.Scenario) -> None:
    sources = [{"kind": "bulk"}, {"kind": "bulk", "size": "10 kB"}]
    over: dict[str, list[Any]] = {
        "traffic.0.count": [1, 2],
        LOSS: [0, 0.5],
        "traffic.0.source": sources,
        "routing.metric": ["hops"],
    }
    table = Sweep(small, over, seeds=[7], set_={"run.duration": "600 ms"}).run()
    assert [table.schema[key] for key in over] == [pl.Int64, pl.Float64, pl.String, pl.String]
    assert table["traffic.0.source"].unique(maintain_order=True).to_list() == [
        '{ kind = "bulk" }',
        '{ kind = "bulk", size = "10 kB" }',
    ]


def test_values_of_numpy_and_polars_are_plain_numbers(small: tp.Scenario) -> None:
    numpy = pytest.importorskip("numpy")
    over = {"traffic.0.count": numpy.arange(1, 3), LOSS: pl.Series([0.0, 0.25])}
    sweep = Sweep(small, over, seeds=numpy.int64(1))
    assert sweep.points[-1] == {"traffic.0.count": 2, LOSS: 0.25}
    assert sweep.check() == []
    assert sweep.over == {"traffic.0.count": [1, 2], LOSS: [0.0, 0.25]}


def test_points_with_more_traffic_have_more_columns(small: tp.Scenario) -> None:
    entry = small.to_dict()["traffic"][0]
    table = Sweep(small, {"traffic": [[entry], [entry, entry]]}, seeds=1).run()
    assert table["traffic.1.goodput"].is_null().to_list() == [True, False]
    both = table.row(1, named=True)
    assert both["goodput"] == pytest.approx(both["traffic.0.goodput"] + both["traffic.1.goodput"])
    assert both["flows"] == 4


def test_units_are_those_of_the_engine() -> None:
    for name in ("mm1", "obs-three-nodes"):
        report = tp.run(tp.example(name).with_({"run.duration": "12 ms", "run.warmup": "1 ms"}))
        stated = {**report.units["traffic"]}
        fecs = report.units.get("fecs", {})
        stated |= {key: fecs[key] for key in report.record.get("bursts", {}) if key in fecs}
        assert {key: measures.unit_of(key) for key in stated} == stated


def test_common_random_numbers_make_the_same_offers(small: tp.Scenario) -> None:
    offers = {"kind": "poisson-packets", "rate": "1 Mb/s", "packet": "1000 B"}
    changes = {"traffic.0.source": offers, "traffic.0.transport": {"kind": "udp"}}
    table = Sweep(small, {LOSS: [0.0, 0.2]}, seeds=3, set_=changes).run()
    sent = table.partition_by(LOSS)
    assert sent[0]["packets-sent"].to_list() == sent[1]["packets-sent"].to_list()
    assert sent[0]["packets-sent"].n_unique() > 1


@pytest.mark.usefixtures("processes")
def test_a_rule_ends_at_the_same_seed_on_any_number_of_workers(small: tp.Scenario) -> None:
    rule = Until("goodput", relative_half_width=0.1, at_least=3, at_most=12)
    sweep = Sweep(small, {LOSS: [0.005, 0.05]}, seeds=2, until=rule)
    one, three = sweep.run(workers=1), sweep.run(workers=3)
    assert one.equals(three)
    for _, rows in one.group_by(LOSS, maintain_order=True):
        values = rows["goodput"].to_list()
        assert rows["seed"].to_list() == list(range(1, len(values) + 1))
        assert rule.is_enough(values)
        assert not any(rule.is_enough(values[:count]) for count in range(3, len(values)))


def test_a_rule_may_go_by_several_measures(small: tp.Scenario, tmp_path: Path) -> None:
    names = ["goodput", "delay-mean"]
    rule = Until(names, relative_half_width=0.1, at_least=3, at_most=15)
    alone = [Until(name, relative_half_width=0.1, at_least=3, at_most=15) for name in names]
    over: dict[str, list[Any]] = {LOSS: [0.005, 0.05]}
    table = Sweep(small, over, seeds=2, until=rule).run(tmp_path)
    counts = [
        Sweep(small, over, seeds=2, until=each)
        .run(tmp_path / each.measures[0])[LOSS]
        .value_counts()
        for each in alone
    ]
    for p, rows in table.group_by(LOSS):
        # The point ends with the first number of seeds that is enough for both.
        values = [rows[name].to_list() for name in names]
        enough = [
            all(each.is_enough(some[:count]) for each, some in zip(alone, values, strict=True))
            for count in range(3, rows.height + 1)
        ]
        assert enough == [False] * (rows.height - 3) + [True]
        assert rows.height >= max(each.row(by_predicate=pl.col(LOSS) == p[0])[1] for each in counts)
    kept = sweep_folder.read(tmp_path)
    assert kept.table.equals(table)
    assert (kept.measure, kept.measures, kept.missing) == ("goodput", tuple(names), 0)
    with pytest.raises(ValueError, match="at least one measure"):
        Until([""])
    with pytest.raises(LookupError, match="did you mean 'goodput'"):
        Sweep(small, {}, seeds=1, until=Until(["delay-mean", "gootput"])).run()


@pytest.mark.usefixtures("processes")
def test_a_rule_is_kept_with_its_folder(
    small: tp.Scenario, runs: Counter[Any], tmp_path: Path
) -> None:
    rule = Until("delay-mean", relative_half_width=0.02, at_least=2, at_most=9)
    sweep = Sweep(small, {LOSS: [0.005, 0.05]}, seeds=[5], until=rule)
    table = sweep.run(tmp_path, workers=1)
    assert sum(runs.values()) == table.height
    assert table["seed"].min() == 5
    kept = sweep_folder.read(tmp_path)
    assert kept.table.equals(table)
    assert (kept.missing, kept.measure) == (0, "delay-mean")
    assert sweep.run(tmp_path, workers=3).equals(table)


def test_a_file_says_what_python_says(small: tp.Scenario, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(small.text)
    file = tmp_path / "sweep.toml"
    file.write_text(
        f"""
        scenario = "small.toml"
        seeds = [4, 2]
        set.run.duration = "1500 ms"
        over.'{LOSS}' = [0.01, 0.05]
        until = {{ measure = "goodput", relative-half-width = 0.2, at-least = 3, at-most = 8 }}
        """
    )
    rule = Until("goodput", relative_half_width=0.2, at_least=3, at_most=8)
    changes = {"run.duration": "1500 ms"}
    same = Sweep(small, {LOSS: [0.01, 0.05]}, seeds=[4, 2], set_=changes, until=rule)
    read = Sweep.load(file)
    assert (read.title, read.until, read.points) == ("Two hosts", rule, same.points)
    assert read.checked().digests() == same.checked().digests()
    table = read.run()
    assert table.equals(same.run())
    assert {2, 4, 5} <= set(table["seed"])


def test_a_rule_needs_a_measure_that_there_is(
    small: tp.Scenario, runs: Counter[Any], tmp_path: Path
) -> None:
    sweep = Sweep(small, {}, seeds=1, until=Until("gootput"))
    (mistake,) = sweep.check()
    assert (mistake.key, mistake.problem) == (
        "until.measure", "no measure 'gootput'; did you mean 'goodput'?",
    )  # fmt: skip
    for run in (lambda: sweep.run(tmp_path), lambda: run_all({"one": sweep}, tmp_path)):
        with pytest.raises(LookupError, match="did you mean 'goodput'"):
            run()
    assert not runs
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("processes")
def test_what_derive_makes_is_known_after_the_first_run(
    small: tp.Scenario, runs: Counter[Any]
) -> None:
    def derive(record: Mapping[str, Any], _: object) -> dict[str, float]:
        return {"share": record["traffic"][0]["goodput"] / 1e7}

    table = Sweep(small, {}, seeds=1, until=Until("share"), derive=derive).run(workers=1)
    assert table["share"].count() == table.height == sum(runs.values())
    with pytest.raises(LookupError, match="did you mean 'share'"):
        Sweep(small, {}, seeds=1, until=Until("shares"), derive=derive).run(workers=1)


def test_what_progress_raises_ends_the_sweep(sweep: Sweep, tmp_path: Path) -> None:
    def progress(now: Progress) -> None:
        if now.done >= 2:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        sweep.run(tmp_path, progress=progress)
    assert sweep_folder.read(tmp_path).missing < 7


def test_a_folder_that_cannot_be_written_is_told_before_any_run(
    sweep: Sweep, runs: Counter[Any], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("mine")
    for out in (tmp_path / "file", tmp_path / "file" / "below", Path("/proc/nowhere")):
        with pytest.raises(tp.OutputError):
            sweep.run(out)
    assert not runs


@pytest.mark.filterwarnings("ignore::tcphoton.errors.DamageWarning")
def test_a_folder_without_a_sweep_is_refused(tmp_path: Path) -> None:
    for text in (None, "{", "{}", '{"over": 1}'):
        if text is not None:
            (tmp_path / "sweep.json").write_text(text)
        with pytest.raises(tp.OutputError):
            sweep_folder.read(tmp_path)


def test_a_key_names_its_file() -> None:
    assert Key("a", 1, "b").file == "a-1-b.parquet"


def test_the_same_scenario_by_another_way_is_the_same_sweep(
    small: tp.Scenario, tmp_path: Path
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "small.toml").write_text(small.to_toml())
    out, kept = tmp_path / "out", []
    for way in ("small.toml", "here/../small.toml"):
        tp.Sweep(tp.Scenario.load(tmp_path / way), {"traffic.0.count": [1, 2]}).run(out=out)
        kept.append((out / "sweep.json").read_bytes())
    assert kept[0] == kept[1]
    assert b"small.toml" in kept[0]


def test_an_output_queued_core_stands_for_a_network_without_a_core() -> None:
    text = """
    run.duration = "5 ms"
    topology = { kind = "fat-tree", k = 4, link = { rate = "10 Gb/s", length = "10 m", \
queue = { kind = "drop-tail", packets = 20 } } }

    [[traffic]]
    from = "*"
    to = "*"
    pattern = "uniform"
    source = { kind = "transfers", per-second = 100000.0, size = "30 kB" }
    transport = { kind = "tcp" }
    """
    without = tp.Scenario.from_text(text)
    core = without.with_({"core": {"kind": "output-queued"}})
    first, second = tp.run(without), tp.run(core)
    assert first.traffic["packets-lost"][0] > 0
    assert first.traffic.equals(second.traffic)
    assert first.digest == second.digest
