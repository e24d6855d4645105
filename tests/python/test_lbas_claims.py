"""The rules of the lbas paper's claims on made-up tables: they hold, differ, or cannot tell."""

from __future__ import annotations

import csv
import math
import tomllib
from importlib import resources
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import made_up_lbas
import made_up_runs
from made_up_lbas import LATE
from tcphoton.common import quantities
from tcphoton.papers import load
from tcphoton.papers.lbas import rules
from tcphoton.papers.lbas.measures import (
    ALL,
    BUNDLE_QUEUE,
    BUNDLE_WAIT,
    DEGREES,
    EJSQ,
    FAST,
    GOODPUT,
    IDEAL,
    JSVOQ,
    LOADS,
    NOT,
    POLICIES,
    PUBLISHED,
    RR,
    TABLES,
    TRIED,
    cell,
    derive,
    goodput_of,
    point,
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tcphoton.papers.rules import Rule


pytestmark = pytest.mark.slow

PAPER = load("lbas")
CLAIMS = {claim.claim: claim for claim in PAPER.claims}
NAMES = tomllib.loads((PAPER.home / "claims.toml").read_text("utf-8"))["names"]
BELOW, BUT_TWO = (
    {(each["access"], each["degree"], each["load"]) for each in NAMES[name]}
    for name in ("below", "but-two")
)
"""Cells that the claims take from the paper's tables."""
WORLD = made_up_runs.World(PAPER, made_up_lbas.table, "claims")
"""Full has Random with fewer seeds than a verdict needs."""
entry_of = WORLD.entry


def test_no_late_packet_is_one_too_many() -> None:
    """One in one run of one cell, whatever the other seeds have."""
    table = WORLD.table("reordering")
    rule = CLAIMS["lbas.4"].parts[0].rule
    assert rule(table).verdict == "holds"
    nth = pl.int_range(pl.len())
    ideal = table.with_row_index().filter(pl.col("variant") == IDEAL)["index"][7]
    late = pl.when(nth == ideal).then(1).otherwise(pl.col(LATE)).alias(LATE)
    found = rule(table.with_columns(late))
    assert (found.verdict, found.ours) == ("differs", 1)
    assert found.note.startswith("ideal-JSQ, U = ")


def test_every_assumption_is_run() -> None:
    for artefact, ways in TRIED.items():
        table = WORLD.table(artefact, "full")
        for key, value in ways.values():
            assert value in set(table.get_column(key)), (artefact, value)
    assert set(WORLD.table("iterations", "full")["core.scheduler"].drop_nulls()) == {
        value for _, value in TRIED["iterations"].values()
    }
    assert list(PAPER.plan["cells"]["assumptions"]) == list(TRIED["assumptions"])


# What the bounds of the rules are taken from.


def losses(access: int, policy: str, cells: object = ALL) -> Iterator[float]:
    """Give what a policy loses against ideal-JSQ in the paper's tables, in per cent."""
    assert isinstance(cells, tuple | list)
    for each in cells:
        yield 100 * (1 - goodput_of(access, policy, *each) / goodput_of(access, IDEAL, *each))


LOW = [(degree, LOADS[0]) for degree in DEGREES]
HIGH = [(degree, LOADS[1]) for degree in DEGREES]


def test_the_bounds_are_those_of_the_published_tables() -> None:
    assert max(loss for each in POLICIES for loss in losses(10, each, LOW)) == pytest.approx(
        3.1, abs=0.1
    )
    some = [loss for each in (RR, JSVOQ) for loss in losses(10, each, HIGH)]
    assert (min(some), max(some)) == pytest.approx((14.4, 29.2), abs=0.1)
    naive = [loss for each in (RR, JSVOQ) for loss in losses(100, each)]
    assert 60 < min(naive) == pytest.approx(61.2, abs=0.1)
    near = [*losses(10, EJSQ, LOW), *losses(100, EJSQ, LOW), *losses(1000, EJSQ, LOW[:1])]
    assert max(map(abs, near)) == pytest.approx(3.99, abs=0.01)
    every = [loss for access in TABLES for loss in losses(access, EJSQ)]
    assert [sum(abs(loss) < most for loss in every) for most in (2.5, 5, 10, 20)] == [9, 10, 10, 12]
    assert min(losses(100, NOT)) > 0


@pytest.mark.parametrize(("claim", "access", "count"), [("lbas.1", 10, 2), ("lbas.2", 100, 4)])
def test_a_published_change_is_the_geometric_mean_over_the_lightpaths(
    claim: str, access: int, count: int
) -> None:
    found = {}
    for part in filter(lambda part: part.counts, CLAIMS[claim].parts):
        published = part.rule(WORLD.table(part.artefact)).published
        if published is not None:
            load, who = part.name.split(" %, ")
            here, there = (
                math.prod(goodput_of(access, policy, degree, int(load)) for degree in DEGREES)
                for policy in who.split(" against ")
            )
            found[part.name] = published
            assert published == pytest.approx(100 * ((here / there) ** (1 / 3) - 1))
    assert len(found) == count


def test_the_exceptions_are_those_of_the_published_tables() -> None:
    ahead = {
        (access, policy, *each)
        for access in TABLES
        for policy in (RR, JSVOQ)
        for each in ALL
        if goodput_of(access, policy, *each) >= goodput_of(access, EJSQ, *each)
    }
    assert ahead == {(access, JSVOQ, *at) for access, *at in BUT_TWO}
    below = {
        (access, *each)
        for access in TABLES
        for each in ALL
        if goodput_of(access, EJSQ, *each) < goodput_of(access, NOT, *each)
    }
    assert below == BELOW
    hardly = [
        (access, *each)
        for access in TABLES
        for policy in (RR, JSVOQ)
        for each in ALL
        if 0
        < 100 * (goodput_of(access, EJSQ, *each) / goodput_of(access, policy, *each) - 1)
        < rules.CLEAR
    ]
    assert set(hardly) == {(10, *each) for each in LOW}


# Rules by themselves.


def curve(values: dict[str, float], spread: float = 0.001) -> pl.DataFrame:
    rows = [
        {"at": at, "seed": seed, "y": y * (1 + spread * (seed - 2))}
        for at, y in values.items()
        for seed in (1, 2, 3)
    ]
    return pl.DataFrame(rows)


def pairs(*names: str) -> list[tuple[dict[str, str], dict[str, str]]]:
    return [({"at": name}, {"at": f"{name}0"}) for name in names]


def test_a_pooled_change_is_the_geometric_mean() -> None:
    table = curve({"a": 2.0, "a0": 1.0, "b": 8.0, "b0": 1.0}, 0)
    found = rules.pooled("y", pairs("a", "b"), 0, 1000)(table)
    assert found.ours == pytest.approx(300)
    assert (found.verdict, found.seeds) == ("holds", 6)
    assert rules.pooled("y", pairs("a", "b"), 0, 1000)(table.filter(pl.col("seed") == 1)).note == (
        "a single seed"
    )
    # A pair that was not run is left out.
    assert rules.pooled("y", pairs("a", "c"), 0, 1000)(table).ours == pytest.approx(100)


def test_a_change_of_ratios_compares_cells_with_cells() -> None:
    table = curve({"a": 2.0, "a0": 4.0, "b": 8.0, "b0": 4.0}, 0)
    found = rules.pooled_change("y", pairs("a"), pairs("b"), -100, 0)(table)
    assert found.ours == pytest.approx(-75)
    assert found.verdict == "holds"


def test_most_cells_is_more_than_half_of_them() -> None:
    table = curve({"a": 1.0, "a0": 20.0, "b": 1.0, "b0": 2.0, "c": 1.0, "c0": 50.0})
    found = rules.in_most("y", pairs("a", "b", "c"), 10, 100)(table)
    assert found.ours == pytest.approx(200 / 3)
    assert found.verdict == "holds"
    assert rules.in_most("y", pairs("a", "b"), 30, 100)(table).verdict == "differs"
    median = rules.middle("y", pairs("a", "b", "c"), 10, 100)(table)
    assert median.ours == pytest.approx(20)


def test_a_pooled_change_is_hardly_one_by_what_it_is_over_all_cells() -> None:
    """Of 12 % more and 8 % less 1.5 % are left, which one run of one cell would not show."""
    values = {"a": 1.12, "b": 0.92, "c": 1.07, "d": 1.07, "e": 1.25, "f": 1.25}
    table = curve(values | {f"{name}0": 1.0 for name in values}, 0)
    found = rules.pooled_hardly("y", pairs("a", "b"))(table)
    assert found.ours == pytest.approx(100 * ((1.12 * 0.92) ** 0.5 - 1))
    assert (found.verdict, found.seeds) == ("holds", 6)
    assert rules.pooled_hardly("y", pairs("c", "d"))(table).verdict == "in shape"
    assert rules.pooled_hardly("y", pairs("e", "f"))(table).verdict == "differs"
    few = table.filter(pl.col("seed") < 3)
    assert rules.pooled_hardly("y", pairs("a", "b"))(few).note == "2 seeds"


@pytest.mark.parametrize(
    ("published", "verdict", "shape"),
    [(-50, "holds", "holds"), (-65, "holds", "holds"), (-90, "in shape", "holds"),
     (-30, "in shape", "holds"), (50, "differs", "reversed")],
)  # fmt: skip
def test_a_pooled_change_has_a_shape_and_a_level(
    published: float, verdict: str, shape: str
) -> None:
    """Half in each cell: within a quarter of 65 % less, and less than 90."""
    table = curve({"a": 1.0, "a0": 2.0, "b": 4.0, "b0": 8.0}, 0)
    found = rules.pooled_about("y", pairs("a", "b"), published)(table)
    assert found.ours == pytest.approx(-50)
    assert (found.verdict, found.shape, found.seeds) == (verdict, shape, 6)
    few = table.filter(pl.col("seed") < 3)
    assert rules.pooled_about("y", pairs("a", "b"), published)(few).verdict == "cannot tell"
    assert rules.pooled_about("y", pairs("c"), published)(table).note == "not run"


@pytest.mark.parametrize(
    ("bounds", "verdict", "note"),
    [([2, 4], "holds", "b"), ([20, 40], "differs", "a"), ([6.2, 6.4], "cannot tell", "c")],
)
def test_one_cell_of_some_is_enough(bounds: list[float], verdict: str, note: str) -> None:
    """The means are 1, 3, and 8 give or take 0.02: 6.4 and a quarter are 8."""
    table = curve({"a": 1.0, "b": 3.0, "c": 8.0})
    cells = {name: {"at": name} for name in "abc"}
    found = rules.in_some("y", cells, bounds, "times")(table)
    assert (found.verdict, found.note, found.unit) == (verdict, note, "times")
    few = table.filter(pl.col("seed") < 3)
    assert rules.in_some("y", cells, bounds, "times")(few).verdict == "cannot tell"


def test_a_printed_number_may_be_one_run_of_a_cell() -> None:
    """Of runs of 3.5, 5 and 6.5 the mean may be 1.3 and one run 12.4: 5 to 10 is one, 50 is not.

    0.5 to 1 could be one as well, but these runs reach further than such numbers themselves.
    """
    table = curve({"a": 5.0}, 0.3)
    a = {"a": {"at": "a"}}
    assert rules.in_some("y", a, [5, 10], "")(table).verdict == "holds"
    assert rules.in_some("y", a, [50, 60], "")(table).verdict == "differs"
    assert rules.in_some("y", a, [0.5, 1], "")(table).verdict == "cannot tell"


def test_a_seed_that_all_cells_feel_is_one_replication() -> None:
    """Seeds that multiply all ratios by 1, 2 and 4 are three, and others nine of three cells."""

    def common(cell: int, seed: int) -> float:
        return 2.0**seed * (1 + 0.01 * (cell * seed % 2))

    def own(cell: int, seed: int) -> float:
        return 2.0 ** ((cell + seed) % 3)

    for factor, replications in ((common, 3), (own, 9)):
        table = pl.DataFrame(
            [
                {"at": at, "seed": seed, "y": factor(cell, seed) if at == "abc"[cell] else 1.0}
                for cell, ats in enumerate((("a", "a0"), ("b", "b0"), ("c", "c0")))
                for at in ats
                for seed in (1, 2, 3)
            ]
        )
        found = rules.pooled("y", pairs("a", "b", "c"), 0, math.inf)(table)
        assert found.seeds == replications


CELLS = {name: {"at": name} for name in "ab"}
PAIR = [({"at": "a"}, {"at": "b"})]
OWN: dict[str, tuple[Rule, tuple[tuple[float, float], ...]]] = {
    "rarer": (rules.rarer("y", PAIR, 20), ((1, 10), (5, 10), (2, 10))),
    "reaches in most": (rules.reaches_in_most("y", PAIR, 10), ((10, 10.5), (10, 15), (9, 10))),
    "lies in each": (rules.lies_in_each("y", CELLS, 1, 3), ((2, 2), (2, 5), (2, 3))),
    "of the order": (
        rules.of_the_order_in_each("y", CELLS, 10, ""), ((5, 30), (5, 40), (5, 10**1.5)),
    ),
}  # fmt: skip
"""Rules of the paper's own, with what two cells have where they hold, differ, and between."""


@pytest.mark.parametrize("name", OWN)
def test_a_rule_holds_differs_or_cannot_tell(name: str) -> None:
    rule, worlds = OWN[name]
    found = []
    for a, b in worlds:
        rows = [
            {"at": at, "seed": seed, "y": y * (1 + 0.002 * ((seed + (at == "b")) % 3 - 1))}
            for at, y in (("a", a), ("b", b))
            for seed in range(1, 7)
        ]
        found.append(rule(pl.DataFrame(rows)).verdict)
    assert found == ["holds", "differs", "cannot tell"]


def test_pairs_are_those_of_the_cells_that_are_named() -> None:
    """All cells of all tables, one of the table that is looked at, and some by what is printed."""
    every, one = rules.pairs_of([EJSQ, RR]), rules.pairs_of([EJSQ], RR, [], [2], [50])
    assert (len(every), len({str(pair) for pair in every})) == (36, 36)
    at = {"cell": "b_D = 2, 50 %"}
    assert one == [({"variant": EJSQ, **at}, {"variant": RR, **at})]
    ahead = rules.pairs_of([EJSQ], JSVOQ, [], ahead=1000)
    assert [here["cell"] for here, _ in ahead] == [
        cell(degree, load) for degree, load in sorted(ALL) if (1000, degree, load) not in BUT_TWO
    ]


def test_more_is_asked_in_each_cell_but_some() -> None:
    rows = [
        {**point(policy, *at, access), "seed": seed, "y": y * (1 + 0.001 * seed)}
        for access in TABLES
        for at in ALL
        for policy, y in ((EJSQ, 1.0 if (access, *at) == (1000, 4, 80) else 3.0), (RR, 2.0))
        for seed in (1, 2, 3)
    ]
    below = [{"access": 1000, "degree": 4, "load": 80}]
    rule = rules.more_in_each_other("y", EJSQ, RR, below)
    assert rule(pl.DataFrame(rows)).verdict == "holds"
    found = rules.more_in_each_other("y", EJSQ, RR, [])(pl.DataFrame(rows))
    assert (found.verdict, found.note) == ("differs", "U = 1000, b_D = 4, 80 %")


def test_cells_that_were_not_run_are_left_out() -> None:
    table = curve({"a": 1.0})
    cells = {"a": {"at": "a"}, "b": {"at": "b"}}
    assert rules.lies_in_each("y", cells, high=2)(table).verdict == "holds"
    assert rules.lies_in_each("y", {"b": {"at": "b"}}, high=2)(table).note == "not run"
    assert rules.in_some("y", cells, [0.5, 10], "")(table).verdict == "holds"
    assert rules.in_some("y", {"b": {"at": "b"}}, [0.5, 10], "")(table).note == "not run"
    assert rules.never("z", cells)(table).note == "not run"


# What is derived of a run.


def record(**tcp: object) -> dict[str, Any]:
    entry = {"traffic": 2, "flows": 2, "goodput": 160e6, **tcp}
    return {"traffic": [{"goodput": 1.0}, entry], "measured": 25.0, "simulated": 25.0}


def test_the_goodput_is_the_mean_of_both_connections() -> None:
    found = derive(record(**{"fast-retransmits": 14, "files-complete": 1}), {})
    assert found[GOODPUT] == 80
    # 500 MB came in these 25 s.
    assert found[FAST] == 14
    assert found["whole"] == 1


def test_the_waits_are_those_of_the_bundle_in_both_directions() -> None:
    links = pl.DataFrame(
        {
            "link": [
                "left-core -> right-core:0",
                "right-core -> left-core:1",
                "left-core -> left-agg-0",
                "left-agg-0 -> left-core",
            ],
            "packets-in": [100, 300, 100, 1000],
            "wait-mean": [4e-3, 8e-3, 1e-3, 5.0],
            "queue-mean": [10.0, 30.0, 2.0, 1e6],
        }
    )  # fmt: skip
    found = derive(record(), {"links": links})
    assert found[BUNDLE_WAIT] == pytest.approx(7)
    assert found[BUNDLE_QUEUE] == 20
    assert found["ports-wait"] == pytest.approx((100 * 4 + 300 * 8 + 100 * 1) / 500)
    assert found["ports-queue"] == 14


# The scenario and the published numbers.


def of(what: str) -> float:
    return PUBLISHED["", what]


def test_the_scenario_is_the_papers() -> None:
    scenario = PAPER.scenario("scenario.toml").to_dict()
    net, core = scenario["topology"], scenario["core"]
    assert quantities.number(net["link"]["rate"]) == 1e9 * of("rate")
    assert quantities.number(net["link"]["queue"]["bytes"]) == 1e6 * of("buffer")
    assert quantities.number(core["input-buffer"]) == 1e6 * of("buffer")
    assert net["k"] == of("K")
    ends = [quantities.number(net["rtt"][end]) for end in ("min", "max")]
    assert ends == [1e-3 * of("shortest RTT"), 1e-3 * of("longest RTT")]
    assert core["speedup"] == of("speedup")
    assert quantities.number(core["cell"]) == of("cell")
    assert quantities.number(core["cell-payload"]) == of("payload of a cell")
    there, back, tcp = scenario["traffic"]
    assert there["source"] == back["source"]
    source = there["source"]
    assert source["components"] == of("components")
    assert quantities.number(source["peak"]) == 1e9 * of("peak rate")
    sizes = [quantities.number(size) for size in source["packet"]["sizes"]]
    names = ("small", "middle", "large")
    assert sizes == [of(f"{name} packet") for name in names]
    assert source["packet"]["shares"] == [of(f"share of {name} packets") / 100 for name in names]
    assert source["on"]["shape"] == pytest.approx(3 - 2 * of("Hurst parameter"))
    shape = source["on"]["shape"]
    mean = quantities.number(source["on"]["min"]) * shape / (shape - 1)
    assert mean == pytest.approx(1e6 * of("mean ON"), rel=1e-5)
    assert tcp["transport"] == {
        "kind": "tcp", "preset": "newreno", "initial-ssthresh": "65535 B"
    }  # fmt: skip


@pytest.mark.parametrize(("degree", "load"), ALL)
def test_each_cell_has_the_load_of_its_name(degree: int, load: int) -> None:
    keys = PAPER.plan["cells"]["loads"][cell(degree, load)]
    assert keys["topology.lightpaths"] == degree
    sources = (of("K") * degree) ** 2
    for at in (0, 1):
        rate = quantities.number(keys[f"traffic.{at}.source.rate"])
        assert rate * sources == pytest.approx(load / 100 * 1e9 * of("rate") * degree, rel=1e-8)
    assert load / 100 in {of("low load"), of("high load")}


def test_the_published_tables_are_those_of_the_sheet() -> None:
    """Each row of a table is one sentence: its numbers in order are the cells."""
    rows = csv.DictReader(
        (resources.files("tcphoton.papers") / "lbas" / "published.csv")
        .read_text("utf-8")
        .splitlines()
    )
    cells = [row for row in rows if row["what"].startswith("goodput at ")]
    assert len(cells) == 90
    for access in TABLES:
        for policy in POLICIES:
            here = [row for row in cells if f"at {access} Mb/s with {policy}," in row["what"]]
            assert len({row["sentence"] for row in here}) == 1
            said = here[0]["sentence"].removesuffix(".").split()[-6:]
            assert [row["value"] for row in here] == said
            assert [f"{goodput_of(access, policy, *each):g}" for each in ALL] == [
                f"{float(each):g}" for each in said
            ]
