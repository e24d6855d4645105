"""Two studies side by side: pairs by seed, chance held against SciPy, and what the verb prints."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import tcphoton as tp
from command_here import call
from tcphoton.analysis.comparison import changes
from test_caveats import TRANSFERS

if TYPE_CHECKING:
    from pathlib import Path

RATE = "traffic.0.source.per-second"


def rows(values: dict[str, list[float]], seeds: list[int]) -> pl.DataFrame:
    return pl.DataFrame({"seed": seeds, **values})


def test_equal_seeds_are_paired_and_others_are_not() -> None:
    common = np.random.default_rng(1).normal(0, 100, 12)
    before = [float(each) for each in common]
    after = [float(each) + 1 + 0.1 * (at % 3) for at, each in enumerate(common)]
    seeds = list(range(1, 13))
    (paired,) = changes(rows({"x": before}, seeds), rows({"x": after}, seeds), [], ["x"])
    known = stats.ttest_rel(after, before)
    assert paired.p == pytest.approx(known.pvalue)
    assert (paired.difference.low, paired.difference.high) == pytest.approx(
        tuple(known.confidence_interval())
    )
    assert paired.moved
    other = [seed + 100 for seed in seeds]
    (apart,) = changes(rows({"x": before}, seeds), rows({"x": after}, other), [], ["x"])
    welch = stats.ttest_ind(after, before, equal_var=False)
    assert apart.p == pytest.approx(welch.pvalue)
    assert not apart.moved


def test_single_runs_of_different_seeds_have_no_interval_and_equal_ones_no_width() -> None:
    one, other = rows({"x": [1.0]}, [1]), rows({"x": [3.0]}, [2])
    (found,) = changes(one, other, [], ["x"])
    assert found.difference == (2.0, -math.inf, math.inf, 1)
    one, other = rows({"x": [1.0, 1.0]}, [1, 2]), rows({"x": [3.0, 3.0]}, [3, 4])
    (found,) = changes(one, other, [], ["x"])
    assert found.difference == (2.0, 2.0, 2.0, 2)


def test_of_many_measures_without_change_hardly_any_moves() -> None:
    random = np.random.default_rng(7)
    names = [f"m{at}" for at in range(400)]
    seeds = list(range(8))
    one, other = (
        rows({name: random.normal(5, 1, 8).tolist() for name in names}, seeds) for _ in range(2)
    )
    found = changes(one, other, [], names)
    assert sum(each.p < 0.05 for each in found) > 8
    assert sum(each.moved for each in found) <= 2


def test_equal_studies_have_not_moved_and_single_runs_count() -> None:
    one = rows({"x": [1.0, 2.0], "y": [3.0, 3.0]}, [1, 2])
    assert not any(each.moved for each in changes(one, one, [], ["x", "y"]))
    single = rows({"x": [1.0], "y": [3.0]}, [1])
    found = changes(single, rows({"x": [1.5], "y": [3.0]}, [1]), [], ["x", "y"])
    assert [(each.measure, each.moved) for each in found] == [("x", True), ("y", False)]
    # Seeds that only one of them has are left out.
    more = rows({"x": [1.5, 9.0, 9.0], "y": [3.0, 9.0, 9.0]}, [1, 2, 3])
    assert [each.second for each in changes(single, more, [], ["x"])] == [1.5]


def test_the_command_says_what_differs_and_what_moved(tmp_path: Path) -> None:
    scenario = tp.Scenario.from_text(TRANSFERS).with_({"run.duration": "2 s"})
    tp.Sweep(scenario, {RATE: [1.0, 4.0]}, seeds=8).run(tmp_path / "a")
    wider = scenario.with_({"topology.bottleneck.rate": "200 Mb/s"})
    tp.Sweep(wider, {RATE: [1.0, 4.0]}, seeds=8).run(tmp_path / "b")
    same = call("compare", tmp_path / "a", tmp_path / "a", code=0)
    assert "The scenarios are the same." in same.stdout
    assert same.stdout.splitlines()[-1].startswith("0 of ")
    done = call("compare", tmp_path / "a", tmp_path / "b", code=0)
    assert "topology.bottleneck.rate  20 Mb/s -> 200 Mb/s" in done.stdout
    assert "delay-mean" in done.stdout
    chosen = call("compare", tmp_path / "a", tmp_path / "b", "--measure", "goodput")
    assert sum(line.split()[1:2] == ["goodput"] for line in chosen.stdout.splitlines()) == 2
    wrong = call("compare", tmp_path / "a", tmp_path / "b", "--measure", "fct", code=2)
    assert "did you mean 'completion-mean'" in wrong.stderr


def test_an_axis_of_one_folder_is_chosen_there_alone(tmp_path: Path) -> None:
    scenario = tp.Scenario.from_text(TRANSFERS).with_({"run.duration": "1 s"})
    tp.Sweep(scenario, {RATE: [1.0, 4.0]}, seeds=2).run(tmp_path / "a")
    preset = "traffic.0.transport.preset"
    both: dict[str, list[Any]] = {RATE: [1.0, 4.0], preset: ["reno", "cubic"]}
    tp.Sweep(scenario, both, seeds=2).run(tmp_path / "b")
    done = call("compare", tmp_path / "a", tmp_path / "b", code=2)
    assert f"{preset}: in one of them alone; choose with --where {preset}=VALUE" in done.stderr
    done = call("compare", tmp_path / "a", tmp_path / "b", "--where", "preset=reno", code=0)
    assert "at 2 points moved" in done.stdout
    chosen = ("--where", "preset=reno", "--measure", "completion-mean")
    done = call("compare", tmp_path / "a", tmp_path / "b", *chosen)
    assert "of the flows had not ended" in done.stdout
    done = call("compare", tmp_path / "a", tmp_path / "b", "--where", "prest=reno", code=2)
    assert "no column 'prest'" in done.stderr
    same = call("compare", tmp_path / "b", tmp_path / "b")
    assert "--by KEY --baseline VALUE` compares the values of a key" in same.stderr


def test_the_command_compares_runs_studies_and_ledgers(tmp_path: Path) -> None:
    scenario = tp.Scenario.from_text(TRANSFERS).with_({"run.duration": "1 s"})
    for name, rate in (("a", "20 Mb/s"), ("b", "200 Mb/s")):
        tp.run(scenario.with_({"topology.bottleneck.rate": rate})).save(tmp_path / name)
    done = call("compare", tmp_path / "a", tmp_path / "b", code=0)
    assert "single runs, so every difference counts" in done.stdout
    study = tmp_path / "study"
    for rates in ([1.0, 2.0], [1.0, 3.0]):
        tp.Sweep(scenario, {RATE: rates}, seeds=2).run(study)
    done = call("compare", study, study, "--study", "1")
    assert f"{RATE}  1.0, 2.0 -> 1.0, 3.0" in done.stdout
    assert "at 1 point moved" in done.stdout
    missing = call("compare", tmp_path / "a", tmp_path / "nowhere", code=2)
    assert "no such folder" in missing.stderr


def test_ledgers_are_compared_by_their_verdicts(tmp_path: Path) -> None:
    from tcphoton.papers import ledger

    kept = next(iter(sorted((tp_root() / "papers").glob("*/results/ledger.json"))))
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "ledger.json").write_bytes(kept.read_bytes())
    entries = ledger.read(kept)
    same = call("compare", tmp_path / "a", tmp_path / "b")
    assert same.stdout == f"0 of {len(entries)} verdicts differ\n"
    first = entries[0]
    other = "differs" if first["verdict"] != "differs" else "holds"
    changed = [{**first, "verdict": other}, *entries[1:]]
    (tmp_path / "b" / "ledger.json").write_bytes(ledger.written(changed))
    done = call("compare", tmp_path / "a", tmp_path / "b")
    assert f"{first['claim']}: {first['verdict']} -> {other}" in done.stdout
    assert json.loads(ledger.written(changed))


def tp_root() -> Path:
    from pathlib import Path

    return Path(__file__).parents[2]


def test_a_table_that_is_an_axis_of_one_folder_stands_beside_the_keys_of_the_other(
    tmp_path: Path,
) -> None:
    queue = "topology.bottleneck.queue"
    tables = [{"kind": "drop-tail", "packets": 7}, {"kind": "drop-tail", "packets": 30}]
    scenario = tp.Scenario.from_text(TRANSFERS).with_({"run.duration": "100 ms"})
    tp.Sweep(scenario, {queue: tables}, seeds=1).run(tmp_path / "a", workers=1)
    fixed = scenario.with_({queue: tables[0]})
    tp.Sweep(fixed, {RATE: [1.0]}, seeds=1).run(tmp_path / "b", workers=1)
    done = call("compare", tmp_path / "a", tmp_path / "b", "--where", "packets=7")
    (line,) = (each for each in done.stdout.splitlines() if each.startswith(f"{queue} "))
    left, right = line.removeprefix(queue).split(" -> ")
    assert left.strip() == (
        '{ kind = "drop-tail", packets = 7 }, { kind = "drop-tail", packets = 30 }'
    )
    assert right == "{ kind = drop-tail, packets = 7 }"
