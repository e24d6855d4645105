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
    RANDOM,
    RR,
    TABLES,
    TRIED,
    VOQ_MEAN,
    VOQ_P99,
    cell,
    derive,
    goodput_of,
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from made_up_lbas import Change, Point, Row

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


def times(
    factor: float, value: str = GOODPUT, when: Callable[[Point], bool] = lambda _: True,
    **where: object,
) -> Change:  # fmt: skip
    """Multiply a measure where a cell has these values."""

    def change(at: Point, row: Row) -> Row:
        hit = when(at) and all(getattr(at, key) == wanted for key, wanted in where.items())
        return {**row, value: row[value] * factor} if hit and value in row else row

    return change


def is_now(value: str, number: float, **where: object) -> Change:
    """Set a measure where a cell has these values."""

    def change(at: Point, row: Row) -> Row:
        hit = all(getattr(at, key) == wanted for key, wanted in where.items())
        return {**row, value: number} if hit else row

    return change


def of_ejsq(goodput: Callable[[Point], float]) -> Change:
    """Set the goodput of e-JSQ."""

    def change(at: Point, row: Row) -> Row:
        return {**row, GOODPUT: goodput(at)} if at.policy == EJSQ else row

    return change


def ideal(at: Point) -> float:
    """Return the published goodput of ideal-JSQ in the same cell."""
    return goodput_of(at.access, IDEAL, at.degree, at.load)


def both(*changes: Change) -> Change:
    """Make one change after the other."""

    def change(at: Point, row: Row) -> Row:
        for each in changes:
            row = each(at, row)
        return row

    return change


def anycast(at: Point) -> bool:
    return at.policy != NOT


def above_10(at: Point) -> bool:
    return at.access > 10


def is_below(at: Point) -> bool:
    """Tell whether the paper's tables have e-JSQ below Not LB+AS."""
    return (at.access, at.degree, at.load) in BELOW


def one_cell(at: Point) -> bool:
    return (at.access, at.degree, at.load) == (1000, 4, 80)


DIFFERS: dict[str, dict[str, tuple[Change, str, str]]] = {
    "lbas.1": {
        "JSVOQ loses at a low load": (
            times(0.8, policy=JSVOQ, access=10, load=50),
            "in part",
            "50 %, JSVOQ against ideal-JSQ",
        ),
        "e-JSQ gains at a low load": (
            times(1.3, policy=EJSQ, access=10, load=50),
            "in part",
            "50 %, e-JSQ against ideal-JSQ",
        ),
        "RR gains at a high load": (
            times(1.4, policy=RR, access=10, load=80),
            "in part",
            "80 %, RR against ideal-JSQ",
        ),
        "JSVOQ loses most at a high load": (
            times(0.5, policy=JSVOQ, access=10, load=80),
            "in shape",
            "80 %, JSVOQ against ideal-JSQ",
        ),
        "all lose at a low load, and all gain at a high one": (
            lambda at, row: (
                {**row, GOODPUT: row[GOODPUT] * (0.7 if at.load == 50 else 2)}
                if at.policy in {EJSQ, RR, JSVOQ} and at.access == 10
                else row
            ),
            "differs",
            "50 %, RR against ideal-JSQ",
        ),
    },
    "lbas.2": {
        "ideal-JSQ is worse": (
            times(0.7, policy=IDEAL, access=100),
            "in part",
            "ideal-JSQ over Not LB+AS, 6 cells",
        ),
        "RR loses a quarter": (
            times(2.4, policy=RR, access=100, load=50),
            "in shape",
            "50 %, RR against ideal-JSQ",
        ),
        "RR gains": (
            times(20, policy=RR, access=100, load=80),
            "in part",
            "80 %, RR against ideal-JSQ",
        ),
        "JSVOQ gains": (
            times(6, policy=JSVOQ, access=100, load=50),
            "in part",
            "50 %, JSVOQ against ideal-JSQ",
        ),
    },
    "lbas.3": {
        "reaches in a third of the cells": (
            times(0.7, policy=EJSQ, when=above_10),
            "in part",
            "e-JSQ reaches ideal-JSQ, cells",
        ),
        "far behind at U = 100": (
            times(0.7, policy=EJSQ, access=100, load=50),
            "in part",
            "U = 100, 50 %, b_D = 2, 3, 4, e-JSQ against ideal-JSQ",
        ),
        "RR ahead at U = 1000": (
            times(6, policy=RR, access=1000),
            "in part",
            "U = 1000, e-JSQ over RR, 6 cells",
        ),
        "JSVOQ ahead at U = 100": (
            times(10, policy=JSVOQ, access=100),
            "in part",
            "U = 100, e-JSQ over JSVOQ, 6 cells",
        ),
        "behind RR at U = 10": (
            times(1.3, policy=RR, access=10, load=80),
            "in part",
            "U = 10, e-JSQ over RR, 3 cells",
        ),
    },
    "lbas.4": {
        "a late packet of ideal-JSQ": (
            is_now(LATE, 1, policy=IDEAL, access=10, load=80, degree=4),
            "in part",
            "ideal-JSQ, packets that came late",
        ),
        "often in every cell": (
            times(10, FAST, policy=EJSQ, access=1000),
            "in part",
            "e-JSQ, U = 1000, a cell",
        ),
        "hardly ever": (
            times(0.1, FAST, policy=EJSQ, access=1000),
            "in part",
            "e-JSQ, U = 1000, a cell",
        ),
        "RR as rarely": (
            is_now(FAST, 8.0, policy=RR),
            "in part",
            "fast retransmits against RR",
        ),
        "JSVOQ as rarely at the low load": (
            is_now(FAST, 8.0, policy=JSVOQ, access=1000, load=50),
            "in part",
            "fast retransmits against JSVOQ",
        ),
        "as often as those that reorder, and ideal-JSQ reorders": (
            both(is_now(FAST, 900.0, policy=EJSQ), is_now(LATE, 1, policy=IDEAL)),
            "differs",
            "e-JSQ, U = 1000, a cell",
        ),
    },
    "lbas.5": {
        "half as long": (times(8, BUNDLE_WAIT, anycast), "in part", "queuing time, cells"),
        "queues as long": (times(50, BUNDLE_QUEUE, anycast), "in part", "queue length, cells"),
        "three orders": (times(0.005, BUNDLE_QUEUE, anycast), "in part", "queue length, cells"),
        "in a third of the cells": (
            times(20, BUNDLE_WAIT, lambda at: anycast(at) and at.degree > 2),
            "in part",
            "queuing time, cells",
        ),
        "neither": (
            both(times(50, BUNDLE_WAIT, anycast), times(50, BUNDLE_QUEUE, anycast)),
            "differs",
            "queue length, cells",
        ),
    },
    "lbas.6": {
        "better than both": (times(3, policy=RANDOM), "differs", "Random against RR"),
        "better than JSVOQ": (
            times(0.2, policy=JSVOQ, when=above_10),
            "in part",
            "Random against JSVOQ",
        ),
    },
    "lbas.7": {
        "as good at U = 1000": (
            of_ejsq(lambda at: ideal(at) if at.access == 1000 else made_up_lbas.goodput(at)),
            "in part",
            "e-JSQ over ideal-JSQ, U = 1000 against 10",
        ),
        "better at U = 100 than at 10": (
            times(0.5, policy=EJSQ, access=10),
            "in part",
            "e-JSQ over ideal-JSQ, U = 100 against 10",
        ),
        "better with b_D": (
            times(0.3, policy=EJSQ, degree=2, when=above_10),
            "in part",
            "e-JSQ over ideal-JSQ, b_D = 4 against 2",
        ),
        "above over the seven cells": (
            times(0.5, policy=NOT, when=is_below),
            "in part",
            "e-JSQ against Not LB+AS, 7 cells",
        ),
        "better with both, and above": (
            of_ejsq(lambda at: ideal(at) * at.access**0.1 * at.degree),
            "differs",
            "e-JSQ against Not LB+AS, 7 cells",
        ),
    },
    "lbas.8": {
        "four packets": (times(2.5, VOQ_P99), "in part", "JSVOQ, 99 % of packets"),
        "at one cell": (
            times(2, VOQ_P99, one_cell, policy=JSVOQ),
            "in part",
            "JSVOQ, 99 % of packets",
        ),
        "four in the mean": (times(60, VOQ_MEAN, policy=JSVOQ), "in part", "JSVOQ, mean"),
        "four in both": (
            both(times(60, VOQ_MEAN, policy=JSVOQ), times(2.5, VOQ_P99, policy=JSVOQ)),
            "differs",
            "JSVOQ, mean",
        ),
    },
}
"""Departures, by what the verdict is and a part that no longer holds."""
WAYS = [(claim, way) for claim, ways in DIFFERS.items() for way in ways]
BESIDE: tuple[tuple[str, Change, str], ...] = (
    ("lbas.1", times(0.7, policy=NOT, access=10, load=50), "50 %, Not LB+AS against ideal-JSQ"),
    (
        "lbas.3",
        times(3, policy=EJSQ, access=1000, load=80),
        "U = 1000, b_D = 4, 80 %, e-JSQ under JSVOQ",
    ),
    ("lbas.4", times(6, FAST, one_cell, policy=EJSQ), "e-JSQ, U = 1000, b_D = 4, 80 %"),
    ("lbas.6", times(1.7, policy=RANDOM, access=100), "U = 100, Random against JSVOQ"),
    (
        "lbas.7",
        times(2, when=one_cell, policy=EJSQ),
        "U = 1000, b_D = 4, 80 %, e-JSQ against Not LB+AS",
    ),
    ("lbas.8", times(2, VOQ_P99, one_cell, policy=RR), "e-JSQ and RR, 99 % of packets"),
    ("lbas.8", times(2, VOQ_P99, policy=NOT), "Not LB+AS, 99 % of packets"),
)
"""Departures from what is only shown: with the part that differs."""
STRADDLES: dict[str, tuple[Change, float]] = {
    "lbas.1": (times(0.91, policy=RR, access=10, load=50), 0.03),
    "lbas.2": (times(0.87, policy=IDEAL, access=100), 0.1),
    "lbas.3": (times(1.18, policy=RR, access=10, load=80), 0.05),
    "lbas.4": (times(12.5 / 7, FAST, policy=EJSQ, access=1000), 0.5),
    "lbas.5": (times(20, BUNDLE_WAIT, lambda at: at.policy in {RR, JSVOQ}), 0.01),
    "lbas.6": (
        lambda at, row: (
            {**row, GOODPUT: goodput_of(at.access, JSVOQ, at.degree, at.load)}
            if at.policy == RANDOM
            else row
        ),
        0.3,
    ),
    "lbas.7": (times(0.71, policy=NOT, when=is_below), 0.1),
    "lbas.8": (times(4500 / 2400, VOQ_P99, one_cell, policy=JSVOQ), 0.2),
}


def verdicts_of(found: dict[str, Any]) -> dict[str, str]:
    """Return the verdicts of the parts of a claim that count."""
    return {part["name"]: part["verdict"] for part in found["parts"] if part["counts"]}


def test_every_claim_of_the_sheet_is_there() -> None:
    assert list(CLAIMS) == [f"lbas.{number}" for number in range(1, 9)]
    assert set(DIFFERS) == set(STRADDLES) == set(CLAIMS)


@pytest.mark.parametrize(("claim", "way"), WAYS)
def test_a_table_unlike_the_papers_differs(claim: str, way: str) -> None:
    change, verdict, part = DIFFERS[claim][way]
    found = entry_of(CLAIMS[claim], change)
    assert found["verdict"] == verdict, verdicts_of(found)
    assert verdicts_of(found)[part] == ("in shape" if verdict == "in shape" else "differs")


@pytest.mark.parametrize(("claim", "change", "name"), BESIDE)
def test_what_is_only_shown_has_no_say(claim: str, change: Change, name: str) -> None:
    found = entry_of(CLAIMS[claim], change)
    (part,) = [each for each in found["parts"] if each["name"] == name]
    assert (part["verdict"], part["counts"]) == ("differs", False)
    assert found["verdict"] == entry_of(CLAIMS[claim])["verdict"]


@pytest.mark.parametrize("claim", CLAIMS)
def test_an_interval_across_a_bound_cannot_tell(claim: str) -> None:
    change, noise = STRADDLES[claim]
    found = entry_of(CLAIMS[claim], change, noise=noise)
    assert made_up_runs.is_open(found), verdicts_of(found)


def test_two_seeds_cannot_tell() -> None:
    found = {name: entry_of(claim, seeds=2)["verdict"] for name, claim in CLAIMS.items()}
    assert set(found.values()) == {"cannot tell"}, found


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
