"""The rules of the sync paper's claims on made-up tables: they agree, differ, or cannot tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import made_up_runs
import made_up_sync
from tcphoton.papers import load
from tcphoton.papers.sync.claims.shared import HALF
from tcphoton.papers.sync.claims.table2 import TABLE_2
from tcphoton.papers.sync.measures import (
    ALLOCATION,
    BURST,
    FLOWS,
    LOSS,
    POLICY,
    PUBLISHED,
    QUEUES,
    SAMPLE,
    START,
    TIMEOUT,
    TOP,
    derive,
    name_of,
    scheme,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from made_up_sync import Change, Row

PAPER = load("sync")
CLAIMS = {claim.claim: claim for claim in PAPER.claims}
WORLD = made_up_runs.World(PAPER, made_up_sync.table, "quick")
entry_of = WORLD.entry


def times(value: str, factor: float, **where: object) -> Change:
    """Multiply a measure where a row has these values."""

    def change(at: Mapping[str, Any], row: Row) -> Row:
        names = {**at, "scheme": name_of(at), "flows": row.get(FLOWS), "timeout": at.get(TIMEOUT)}
        names |= {"loss": at.get(LOSS), "start": at.get(START)}
        hit = value in row and all(names[key] == wanted for key, wanted in where.items())
        return {**row, value: row[value] * factor} if hit else row

    return change


DIFFERS: dict[str, dict[str, Change]] = {
    "sync.1": {
        "PF is not flat": times("throughput-cov", 3, scheme="PF"),
        "MF does not fall": times("fall-share", 0.2, scheme="MF", flows=25),
        "SMQ is like MF": times("throughput-cov", 2.2, scheme="SMQ"),
        "SMQ is below PF": times("throughput-cov", 0.5, scheme="SMQ"),
    },
    "sync.2": {
        "deviation": times("throughput-std", 0.2, scheme="MF", flows=25),
        "flows in a burst": times("bursts.flows-mean", 0.1, flows=25),
    },
    "sync.3": {
        "further from 1": times("window-mean", 0.5, timeout="5 ms"),
        "more often": times("loss-interval", 0.1, timeout="5 ms"),
        "less deep": times("window-fall", 0.1, timeout="5 ms"),
    },
    "sync.4": {
        "another share": times(TOP, 0.9, timeout="3 ms"),
        "most for 5 ms": times(TOP, 1.2, timeout="5 ms"),
    },
    "sync.5": {
        "rises with the timeout": times("throughput-cov", 2, timeout="5 ms", loss=0.001),
        "falls at a step": times("throughput-cov", 0.5, timeout="1 ms", loss=0.005),
        "apart at high p": times("throughput-cov", 1.2, timeout="1 ms", loss=0.01),
    },
    "sync.6": {
        "not all together": times(TOP, 0.9, start="0 s"),
        "62 % and not 55 %": times(TOP, 62 / 55, start="50 s"),
    },
    "sync.7": {
        "SMQ is slower": times("throughput-mean", 0.8, scheme="SMQ", flows=20),
        "falls with the flows": times("throughput-mean", 0.1, flows=25),
        "PF is not the worst": times("throughput-mean", 1.08, scheme="PF", flows=10),
    },
    "sync.8": {
        "not twice": times("throughput-std", 0.5, scheme="MF", flows=10),
        "SMQ is more sensitive": times("throughput-std", 3, scheme="SMQ", flows=25),
        "SMQ is closer to MF": times("throughput-std", 2, scheme="SMQ", flows=15),
    },
    "sync.9": {"no growth": lambda _, row: {**row, SAMPLE: 0.1, BURST: 0.1}},
    "sync.10": {
        "order": times(BURST, 3, scheme="SMQ"),
        "an index": times(BURST, 0.6, scheme="DMQ-8"),
        "no cut": times("span-std", 1.7, scheme="DMQ-2"),
        "a lower mean": times("span-mean", 0.8, scheme="DMQ-4"),
    },
    "sync.11": {"falls": times("throughput-mean", 0.5, timeout="5 ms")},
    "sync.12": {
        "with the number": lambda at, row: (
            {**row, SAMPLE: row[SAMPLE] / 2, BURST: row[BURST] / 2}
            if at["variant"] == "100 flows/s" and SAMPLE in row
            else row
        ),
        "whatever the loss": lambda _, row: {**row, SAMPLE: 0.1, BURST: 0.1},
    },
    "sync.13": {
        "weaker": times(SAMPLE, 0.1, timeout="5 ms"),
        "not slow": times("loss-interval", 0.5, timeout="5 ms"),
        "not fast": times("loss-interval", 4, timeout="1 ms"),
    },
}
WAYS = [(claim, way) for claim, ways in DIFFERS.items() for way in ways]


def test_every_claim_of_the_sheet_is_there() -> None:
    assert list(CLAIMS) == [f"sync.{number}" for number in range(1, 14)]
    assert set(DIFFERS) == set(CLAIMS)


@pytest.mark.parametrize(("claim", "way"), WAYS)
def test_a_table_unlike_the_papers_differs(claim: str, way: str) -> None:
    assert entry_of(CLAIMS[claim], DIFFERS[claim][way])["verdict"] == "differs"


def test_wild_runs_agree_with_no_claim() -> None:
    found = {name: entry_of(each, seeds=2, noise=0.9)["verdict"] for name, each in CLAIMS.items()}
    assert "agrees" not in found.values(), found


def test_losses_that_do_not_reach_so_far_cannot_tell_what_they_multiply() -> None:
    def change(_: Mapping[str, Any], row: Row) -> Row:
        return {**row, "burst-loss": 1 + row["burst-loss"] / 10} if "burst-loss" in row else row

    found = entry_of(CLAIMS["sync.9"], change)
    assert found["verdict"] == "cannot tell"
    assert "do not reach" in found["parts"][0]["note"]


def test_one_of_the_two_indices_is_enough_for_the_nsf_network() -> None:
    def change(_: Mapping[str, Any], row: Row) -> Row:
        return {**row, BURST: 0.1} if BURST in row else row

    for claim in ("sync.9", "sync.12"):
        found = entry_of(CLAIMS[claim], change)
        verdicts = {part["name"]: part["verdict"] for part in found["parts"]}
        assert verdicts["samples of 0.7 s"] == "agrees"
        assert verdicts["a lost burst"] == "differs"
        assert found["verdict"] == "agrees"


@pytest.mark.parametrize("share", [55.0, 56.0, 58.5, 61.0, 62.0])
def test_a_share_is_not_both_62_and_55_percent(share: float) -> None:
    assert PUBLISHED["sync.4", "T = 3 ms"] - PUBLISHED["sync.6", "starting within 50 s"] == 2 * HALF

    def change(at: Mapping[str, Any], row: Row) -> Row:
        here = at.get(TIMEOUT) == "3 ms" and at.get(START, "50 s") == "50 s"
        return {**row, TOP: share} if here and TOP in row else row

    verdicts = []
    for claim, part in (("sync.4", "T = 3 ms"), ("sync.6", "starting within 50 s")):
        found = entry_of(CLAIMS[claim], change)
        verdicts += [each["verdict"] for each in found["parts"] if each["name"] == part]
    assert verdicts.count("agrees") <= 1
    assert len(verdicts) == 2


# What a run's tables become.


def record(**more: object) -> dict[str, Any]:
    bursts = {"released": 1000, "lost-random": 3, "lost-contention": 7}
    return {
        "simulated": 70.0,
        "measured": 35.0,
        "bursts": bursts,
        "traffic": [{"flows": 15, "completed": 70}],
    } | more


def test_the_measures_of_the_access_network_are_those_of_its_samples() -> None:
    samples = made_up_sync.samples()
    flows = pl.DataFrame(
        {"ingress": "E0", "egress": "E1", "flows": [3, 9, 12, 15], "bursts": [1, 2, 3, 4]}
    )
    found: dict[str, Any] = {**derive(record(), {"synchronization": samples, "burst-flows": flows})}
    measured = samples.filter(pl.col("time") > 35)
    assert found["index"] == pytest.approx(1 / 15)
    assert found["active-flows"] == 15
    assert found["loss-interval"] == pytest.approx(35 / sum(measured["bursts-lost"]))
    assert found["burst-loss"] == pytest.approx(1)
    assert found["window-mean"] == pytest.approx(0.545, abs=0.003)
    largest = 8 * 15 * 128 * 1460 / 0.4 / 1e6
    assert found["throughput-mean"] == pytest.approx(largest * found["window-mean"])
    assert found["throughput-std"] == pytest.approx(
        found["throughput-cov"] * found["throughput-mean"] / 100
    )
    shares = [found[f"flows-{end}"] for end in (20, 40, 60, 80, 100)]
    assert shares == pytest.approx([10, 0, 20, 30, 40])
    assert found["flows-from-80"] == pytest.approx(70)
    assert found["flows-all"] == pytest.approx(40)
    assert found["flows-a-burst"] == pytest.approx(11.7)


def test_the_measures_of_the_nsf_network_are_means_over_its_pairs() -> None:
    one = made_up_sync.samples()
    both = pl.concat([one, one.with_columns(ingress=pl.lit("E2"))])
    spans = {f"span-{name}": [1e6, 3e6] for name in ("mean", "std", "min", "max")}
    fecs = pl.DataFrame({"ingress": ["E0", "E2"], "egress": ["E1", "E1"], **spans})
    found = derive(record(), {"synchronization": both, "fecs": fecs})
    assert found["active-flows"] == 30
    assert found["active-share"] == pytest.approx(30 / (30 + 70 * 60 / 35))
    assert found["span-std"] == 2
    assert "throughput-mean" not in found
    assert found["loss-interval"] == derive(record(), {"synchronization": one})["loss-interval"]


def test_pairs_on_one_side_of_the_country_are_near_and_the_others_far() -> None:
    pairs = {"ingress": ["WA", "NY", "WA", "DC"], "egress": ["CA1", "DC", "NY", "UT"]}
    ends = {end: [f"edge-{place}" for place in places] for end, places in pairs.items()}
    lost = {"lost-flows": [1, 2, 4, 8], "lost-active": [10, 10, 20, 20]}
    fecs = pl.DataFrame({**ends, **lost, "span-mean": [1e6, 3e6, 5e6, 9e6]})
    found = derive(record(), {"fecs": fecs})
    names = ("near-span-mean", "far-span-mean", "near-index", "far-index")
    assert [found[name] for name in names] == pytest.approx([2, 7, 0.15, 0.3])
    assert "near-span-mean" not in derive(record(), {"fecs": fecs.head(2)})


def test_spans_without_bytes_are_left_out_of_those_with_bytes() -> None:
    counted = {"time": [34.0, 35.0, 35.003, 35.006], "bytes": [9e4, 1500.0, 0.0, 4500.0]}
    spans = pl.DataFrame({**counted, "ingress": "E0", "egress": "E1"})
    found = derive(record(), {"spans": spans})
    names = ("mean", "std", "min", "max")
    wanted = [8, 4 * 2**0.5, 4, 12]
    assert [found[f"busy-{name}"] for name in names] == pytest.approx(wanted)
    other = spans.with_columns(ingress=pl.lit("E2"))
    assert "busy-mean" not in derive(record(), {"spans": pl.concat([spans, other])})
    assert "busy-mean" not in derive(record(), {"spans": spans.head(3)})


def test_a_run_without_losses_or_bursts_has_no_index() -> None:
    calm = made_up_sync.samples().with_columns(
        pl.lit(0).alias(name) for name in ("flows-lost", "bursts-lost")
    )
    found = derive(record(bursts={"released": 0}), {"synchronization": calm})
    missing = ("index", "loss-interval", "fall", "burst-loss")
    assert [found[name] for name in missing] == [None] * 4


@pytest.mark.parametrize("name", ["PF", *TABLE_2, "DMQ-4 a posteriori", "WA-2"])
def test_a_scheme_has_its_name(name: str) -> None:
    at = scheme(name).at
    assert name_of(at) == name
    assert set(at) <= {POLICY, QUEUES, ALLOCATION}


# The published numbers.


def test_table_2_is_whole() -> None:
    cells = {what for claim, what in PUBLISHED if claim == "sync.10"}
    assert {
        f"{name} {cell}" for name in TABLE_2 for cell in ("mean", "std", "min", "max", "index")
    } <= cells
