"""Questions to the page of a study: its numbers are Python's, and the code that it prints runs."""

from __future__ import annotations

import shlex
import warnings
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode

import numpy as np
import polars as pl
import pytest

import asked_here
import node_here
import tcphoton as tp
from command_here import call
from tcphoton.analysis import distributions
from tcphoton.analysis.quantiles import quantile_interval
from tcphoton.analysis.statistics import mean_interval
from tcphoton.errors import CaveatWarning
from tcphoton.pages.columns import packed
from tcphoton.report.dataset import gather
from tcphoton.report.explorer import explorer
from tcphoton.report.plot import ask, points_of
from tcphoton.report.sweep_figures import shown
from tcphoton.runs import caveats
from test_caveats import TRANSFERS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tcphoton.report.dataset import Gathered

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(node_here.MISSING), reason=node_here.MISSING),
]

RATE, DELAY = "traffic.0.source.per-second", "topology.bottleneck.delay"
PRESET, QUEUE = "traffic.0.transport.preset", "topology.bottleneck.queue"
STATISTICS = """
const { samples, t, p } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const { mean, quantile, steps } = globalThis.tcphoton;
const text = (each) => ({ ...each, low: `${each.low}`, high: `${each.high}` });
process.stdout.write(JSON.stringify(samples.map((each) => ({
  mean: text(mean(each, t)),
  quantile: text(quantile(each, p)),
  steps: steps(each, 20).map((step) => [step.at, step.share]),
}))));
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sweep over a number, a quantity, names and tables, with caveats of most kinds."""
    place = tmp_path_factory.mktemp("explorer") / "a b"
    scenario = tp.Scenario.from_text(TRANSFERS).with_({"run.duration": "2 s"})
    over: dict[str, list[Any]] = {
        RATE: [1.0, 8.0],
        DELAY: ["30 ms", "1 ms", "10 ms"],
        PRESET: ["reno", "cubic"],
        QUEUE: [{"kind": "drop-tail", "packets": 5}, {"kind": "drop-tail", "packets": 400}],
    }
    tp.Sweep(scenario, over, seeds=3, keep=["flows"]).run(place, workers=1)
    return place


@pytest.mark.parametrize("p", [0.5, 0.9, 0.01])
def test_statistics_of_the_page_are_those_of_python(p: float) -> None:
    random = np.random.default_rng(5)
    samples = [
        (10.0 ** random.integers(-9, 10) * random.lognormal(size=size)).tolist()
        for size in (0, 1, 2, 3, 5, 6, 12, 77, 300)
    ] + [[0.1] * 7, [1e9, 1e9 + 1e-3, 1e9 - 1e-3]]
    from scipy import special

    t = [float(special.stdtrit(n, 0.975)) for n in range(1, 300)]
    found = asked_here.run(STATISTICS, {"samples": samples, "t": t, "p": p})
    for values, told in zip(samples, found, strict=True):
        for name, ours in (
            ("mean", mean_interval(values)),
            ("quantile", quantile_interval(values, p)),
        ):
            theirs = told[name]
            assert theirs["n"] == ours.n
            if values:
                assert theirs["value"] == pytest.approx(ours.mean, rel=1e-13)
                ends = [float(theirs[end].replace("Infinity", "inf")) for end in ("low", "high")]
                assert ends == pytest.approx([ours.low, ours.high], rel=1e-11)
        at, share = distributions.steps(values, most=20)
        assert told["steps"] == [pytest.approx(each) for each in zip(at, share, strict=True)]


@pytest.mark.parametrize(
    "values",
    [[1, 2, -127], [1, float("nan"), 300], [2**40, 1], [0.1, 0.2], [float("nan")] * 2, [0.5, 0.25]],
)
def test_a_packed_column_is_read_exactly(values: list[float]) -> None:
    main = """
const { column, count } = JSON.parse(require("fs").readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify([...globalThis.tcphoton.unpacked(column, count)]));
"""
    found = asked_here.run(main, {"column": packed(values), "count": len(values)})
    assert [np.nan if each is None else each for each in found] == pytest.approx(
        values, nan_ok=True, rel=0
    )


QUESTIONS: list[dict[str, Any]] = [
    {},
    {"y": ["goodput", "completion-mean"], "x": DELAY, "by": PRESET, "where": [f"{RATE}=8.0"]},
    {"y": "goodput", "x": PRESET, "statistic": "median", "log": "y"},
    {"y": "delay-p99", "x": RATE, "by": DELAY, "facet": PRESET, "statistic": "p90"},
    {"y": "goodput", "x": DELAY, "by": PRESET, "baseline": "reno", "where": [f"{RATE}=8.0"]},
    {"y": "loss", "x": DELAY, "by": QUEUE, "where": [f"{PRESET}=cubic"], "log": "x"},
    {"y": "events", "x": QUEUE, "by": PRESET},
    {"y": ["timeouts", "completion-km-p50"], "x": DELAY, "by": PRESET, "log": "xy"},
    {"y": "goodput", "by": PRESET, "statistic": "cdf", "where": [f"{RATE}=8.0", f"{DELAY}=10 ms"]},
    {"by": PRESET, "facet": RATE, "statistic": "completions", "log": "x"},
]


@pytest.fixture(scope="module")
def gathered(folder: Path) -> Gathered:
    return gather([folder])


@pytest.fixture(scope="module")
def data(gathered: Gathered) -> Mapping[str, Any]:
    """What the page of the sweep has for its questions."""
    found = explorer(gathered, {})
    assert found is not None
    return found.data


@pytest.fixture(scope="module")
def answered(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    return asked_here.answers(data, [urlencode(each, doseq=True) for each in QUESTIONS])


@pytest.mark.parametrize("number", range(len(QUESTIONS)))
def test_the_answer_of_the_page_is_that_of_python(
    gathered: Gathered, answered: list[dict[str, Any]], number: int
) -> None:
    told = answered[number]
    asked = told["asked"]
    python = ask(
        gathered,
        [] if asked["statistic"] == "completions" else asked["y"],
        "" if asked["statistic"] in {"cdf", "completions"} else asked["x"],
        asked["by"],
        facet=asked["facet"],
        where=[f"{key}={text}" for key, text in asked["where"].items()],
        statistic=asked["statistic"],
        baseline=asked["baseline"] or None,
        log=asked["log"],
    )
    assert told["marks"] > 0
    if asked["statistic"] in {"cdf", "completions"}:
        assert all(curve["steps"] for curve in told["answers"][0]["curves"])
        return
    assert len(told["answers"]) == len(python.measures)
    for answer in told["answers"]:
        measure = answer["measure"]
        rows, found = points_of(gathered, python, python.rows, measure, also=[python.facet])
        rows, left_out = shown(rows, python.x, measure, python.log)
        ours = {
            tuple(str(row[key]) for key in (python.x, python.by, python.facet) if key): row
            for row in rows.to_dicts()
        }
        assert len(ours) == len(answer["points"])
        for point in answer["points"]:
            row = ours[
                tuple(point["at"][key] for key in (python.x, python.by, python.facet) if key)
            ]
            ends = [float(point[end].replace("Infinity", "inf")) for end in ("low", "high")]
            assert point["value"] == pytest.approx(row[measure], rel=1e-12)
            assert ends == pytest.approx([row["low"], row["high"]], rel=1e-9, abs=1e-15)
            kinds = set((row.get(caveats.COLUMN) or "").split(", ")) - {""}
            assert set(point["caveats"]) == kinds
        texts = {each["text"] for each in answer["told"]}
        assert texts == set(caveats.told(found + left_out).values())


def test_completion_times_of_the_page_count_flows_that_had_not_ended(
    folder: Path, gathered: Gathered, answered: list[dict[str, Any]]
) -> None:
    (answer,) = answered[-1]["answers"]
    flows = tp.scan(folder).select(
        *gathered.axes, "seed", pl.col("table.flows").alias("flow")
    ).explode("flow").unnest("flow").collect()  # fmt: skip
    assert len(answer["curves"]) == 4
    for curve in answer["curves"]:
        here = flows.filter(
            pl.col(RATE).cast(pl.String) == curve["at"][RATE],
            *(pl.col(key) == curve["at"][key] for key in (DELAY, PRESET, QUEUE)),
        )
        # Product limit by hand, over all seeds of the point.
        times = distributions.completions(here, ["seed"]).sort("completion")
        left, share, ours = times.height, 1.0, {}
        for (time,), group in times.group_by("completion", maintain_order=True):
            ended = group.filter("ended").height
            share *= 1 - ended / left
            left -= group.height
            if ended:
                ours[time] = 1 - share
        assert all(ours[at] == pytest.approx(one, rel=1e-9) for at, one in curve["steps"])


def test_the_address_of_a_choice_asks_the_same_again(
    data: Mapping[str, Any], answered: list[dict[str, Any]]
) -> None:
    again = asked_here.answers(data, [each["words"] for each in answered])
    assert again == answered
    assert all("y" in parse_qs(each["words"]) for each in answered)


def test_an_address_of_another_study_asks_what_can_be_asked(data: Mapping[str, Any]) -> None:
    words = ["y=none&x=none&by=none&statistic=mode&where=none=1&log=xyz", "statistic=p100", "where"]
    for each in asked_here.answers(data, words):
        assert each["marks"] > 0
        assert each["asked"]["statistic"] == "mean"


@pytest.mark.sampled(least=3)
@pytest.mark.parametrize("number", range(len(QUESTIONS)))
def test_the_code_that_a_page_prints_runs(
    answered: list[dict[str, Any]], number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code = answered[number]["code"]
    names: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaveatWarning)
        exec(code["python"], names)
    assert (tmp_path / "figure.svg").is_file()
    assert code["python"].endswith("\nchart")
    assert names["chart"].to_dict()["$schema"].startswith("https://vega.github.io")
    call(*shlex.split(code["command"])[1:], code=0)
    assert (tmp_path / "figure.pdf").read_bytes().startswith(b"%PDF")
