"""The rules of the sync paper's claims on made-up tables: they hold, differ, or cannot tell."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import made_up_runs
import made_up_sync
from tcphoton.papers import load
from tcphoton.papers.rules import robust
from tcphoton.papers.sync import rules
from tcphoton.papers.sync.figures import TABLE_2
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
    from collections.abc import Callable, Mapping, Sequence

    from made_up_sync import Change, Row
    from tcphoton.papers.rules import Finding

PAPER = load("sync")
CLAIMS = {claim.claim: claim for claim in PAPER.claims}
WORLD = made_up_runs.World(PAPER, made_up_sync.table)
entry_of = WORLD.entry


def times(value: str, factor: float, **where: object) -> Change:
    """Multiply a measure where a row has these values."""

    def change(at: Mapping[str, Any], row: Row) -> Row:
        names = {**at, "scheme": name_of(at), "flows": row.get(FLOWS), "timeout": at.get(TIMEOUT)}
        names |= {"loss": at.get(LOSS), "start": at.get(START)}
        hit = value in row and all(names[key] == wanted for key, wanted in where.items())
        return {**row, value: row[value] * factor} if hit else row

    return change


def index_is(index: Callable[[Mapping[str, Any], Row], float], *values: str) -> Change:
    """Set both indices in the NSF network, or some of them."""

    def change(at: Mapping[str, Any], row: Row) -> Row:
        if "span-mean" not in row:
            return row
        return {**row, **dict.fromkeys(values or (SAMPLE, BURST), index(at, row))}

    return change


def by_number(at: Mapping[str, Any], _: Row) -> float:
    """Return an index that depends on the number of flows, and neither on losses nor on bursts."""
    return 0.1 * {"25 flows/s": 1.2, "100 flows/s": 0.8}.get(at["variant"], 1)


def verdicts_of(found: dict[str, Any]) -> dict[str, str]:
    """Return the verdicts of the parts of a claim that count."""
    return {part["name"]: part["verdict"] for part in found["parts"] if part["counts"]}


def test_wild_runs_hold_for_no_claim() -> None:
    found = {name: entry_of(each, seeds=3, noise=0.9)["verdict"] for name, each in CLAIMS.items()}
    assert "holds" not in found.values(), found


def test_that_the_deviation_is_cut_by_less_is_a_shape() -> None:
    """By 4 % in place of 44: of Table 2 two indices are out of reach in any case."""
    found = entry_of(CLAIMS["sync.10"], times("span-std", 1.7, scheme="DMQ-2"))
    assert verdicts_of(found)["DMQ-2, deviation cut"] == "in shape"
    beyond = [name for name, each in verdicts_of(found).items() if each == "out of reach"]
    assert beyond == ["DMQ-4, index", "DMQ-8, index"]


def test_losses_that_do_not_reach_so_far_cannot_tell_what_they_multiply() -> None:
    def change(_: Mapping[str, Any], row: Row) -> Row:
        return {**row, "burst-loss": 1 + row["burst-loss"] / 10} if "burst-loss" in row else row

    found = entry_of(CLAIMS["sync.9"], change)
    assert found["verdict"] == "cannot tell"
    assert "do not reach" in found["parts"][0]["note"]


def test_one_of_the_two_indices_is_enough_for_the_nsf_network() -> None:
    for claim in ("sync.9", "sync.12"):
        found = entry_of(CLAIMS[claim], index_is(by_number, BURST))
        verdicts = {part["name"]: part["verdict"] for part in found["parts"]}
        assert verdicts["samples of 0.7 s"] == "holds"
        assert verdicts["a lost burst"] == "differs"
        assert found["verdict"] == "holds"


@pytest.mark.parametrize(
    ("share", "verdicts"),
    [
        (44.0, ["differs", "holds"]),
        (55.0, ["holds", "holds"]),
        (62.0, ["holds", "holds"]),
        (74.0, ["holds", "differs"]),
        (80.0, ["differs", "differs"]),
    ],
)
def test_the_two_published_shares_of_one_setting_exclude_no_mean_between_them(
    share: float, verdicts: list[str]
) -> None:
    """62 and 55 % are each one run: ours is within a quarter of both, or of one."""

    def change(at: Mapping[str, Any], row: Row) -> Row:
        here = at.get(TIMEOUT) == "3 ms" and at.get(START, "50 s") == "50 s"
        return {**row, TOP: share} if here and TOP in row else row

    found = [
        verdicts_of(entry_of(CLAIMS[claim], change))[part]
        for claim, part in (("sync.4", "T = 3 ms"), ("sync.6", "starting within 50 s"))
    ]
    assert found == verdicts


# Rules by themselves.


Values = dict[tuple[str, float], list[float]]


def curve(values: Values) -> pl.DataFrame:
    """Return a table of a measure over x for some schemes, with a value for each seed."""
    rows = [
        {"at": at, "x": x, "flows": x, "seed": seed, "y": y}
        for (at, x), of_seeds in values.items()
        for seed, y in enumerate(of_seeds, 1)
    ]
    return pl.DataFrame(rows)


def at(scheme: str, x: float | None = None) -> dict[str, Any]:
    return {"at": scheme} | ({} if x is None else {"x": x})


@pytest.mark.parametrize("flows", [10, 24])
@pytest.mark.parametrize("rho", [0.01, 0.1, 0.9])
def test_two_queues_are_less_than_half_of_the_way_in_variance(flows: int, rho: float) -> None:
    """Of flows that are equally correlated in a queue, whatever the correlation and the deviation.

    The variance of a sum of n is n s² (1 + (n - 1) ρ), and that of two queues twice that of one.
    In standard deviation it is more than half where MF is far above PF.
    """

    def deviations(queue: int) -> list[float]:
        return [s * math.sqrt(flows * (1 + (queue - 1) * rho)) for s in (1.0, 1.1, 1.3)]

    queues = {"PF": 1, "SMQ": flows // 2, "MF": flows}
    table = curve({(name, 0): deviations(queue) for name, queue in queues.items()})
    schemes = at("SMQ"), at("PF"), at("MF")
    found = rules.closer("y", *schemes, power=2, flows=[0])(table)
    assert found.ours == pytest.approx(100 * (flows / 2 - 1) / (flows - 1))
    assert (found.verdict, found.seeds) == ("holds", 3)
    plain = rules.closer("y", *schemes, power=1, flows=[0])(table)
    roots = [math.sqrt(1 + (queue - 1) * rho) for queue in (1, flows // 2, flows)]
    assert plain.ours == pytest.approx(100 * (roots[1] - roots[0]) / (roots[2] - roots[0]))
    # It is half where MF is 1.57 and 1.19 times PF: 2 √(1 + (n/2 - 1) r) = 1 + √(1 + (n - 1) r).
    half = {10: 8 / 49, 24: 8 / 441}[flows]
    assert plain.verdict == ("holds" if rho < half else "differs")


def test_the_way_from_one_scheme_to_another_is_that_of_several_points_together() -> None:
    """Way and distance are summed: 1 of 10 and 9 of 10 are 10 of 20."""
    values = {("b", 1): 1.0, ("b", 2): 8.5, ("a", 1): 0.0, ("a", 2): 0.0}
    values |= {("c", 1): 10.0, ("c", 2): 10.0}
    table = curve({point: [y] * 3 for point, y in values.items()})

    def way(*xs: int) -> Finding:
        return rules.closer("y", at("b"), at("a"), at("c"), power=1, flows=[*xs])(table)

    assert way(1, 2).ours == pytest.approx(47.5)
    assert [way(*xs).verdict for xs in ((1,), (2,), (1, 2))] == ["holds", "differs", "holds"]
    # A point that was not run is left out, and beyond either end is not in between.
    assert way(1, 3).ours == pytest.approx(10)
    beyond = rules.closer("y", at("a"), at("b"), at("c"), power=1, flows=[1])(table)
    assert (beyond.verdict, way(3).verdict) == ("differs", "not covered")
    few = table.filter(pl.col("seed") < 3)
    assert rules.closer("y", at("b"), at("a"), at("c"), power=1, flows=[1])(few).note == "2 seeds"


@pytest.mark.parametrize(
    ("ratios", "verdict"),
    [((9, 1), "holds"), ((2.7, 1), "in shape"), ((1.9, 1), "cannot tell"), ((1.4, 1), "differs")],
)
def test_far_more_over_all_is_the_geometric_mean(ratios: Sequence[float], verdict: str) -> None:
    """By half, or by a quarter or twice."""
    values: Values = {}
    for x, ratio in enumerate(ratios):
        values |= {("a", x): [3.0, 4.0, 5.0], ("b", x): [3 * ratio, 4 * ratio, 5 * ratio]}
    table = curve(values)
    rule = robust(50, lambda by: rules.far_more_over_all("y", at("b"), at("a"), by, [0, 1, 2]))
    found = rule(table)
    assert found.ours == pytest.approx(100 * (math.sqrt(math.prod(ratios)) - 1))
    assert (found.verdict, found.seeds) == (verdict, 3)
    some = table.filter((pl.col("seed") < 3) | (pl.col("x") > 0))
    assert rule(some).verdict == "cannot tell"


def test_what_matters_more_has_the_larger_logarithm_up_or_down() -> None:
    values = {"1": 1.0, "2": 2.0, "1/3": 1 / 3, "0": 0.0}
    table = curve({(name, 0): [y] * 3 for name, y in values.items()})
    double, third, none = (at("2"), at("1")), (at("1/3"), at("1")), (at("1"), at("0"))
    found = rules.matters_more("y", *third, *double)(table)
    assert found.ours == pytest.approx(100 * (math.log(3) - math.log(2)))
    assert found.verdict == "holds"
    assert rules.matters_more("y", *double, *third)(table).verdict == "differs"
    assert rules.matters_more("y", *double, *double[::-1])(table).verdict == "cannot tell"
    # What is 0 has no logarithm.
    assert rules.matters_more("y", *none, *double)(table).ours is None


@pytest.mark.parametrize(("other", "verdict"), [(1, "holds"), (-3, "differs"), (-2, "cannot tell")])
def test_what_is_steeper_depends_more_on_x_up_or_down(other: float, verdict: str) -> None:
    """A slope of 2 against another, whatever its sign."""
    noise = (0.1, -0.1, 0.05)
    values: Values = {("a", x): [10 + 2 * x + off * x for off in noise] for x in (0, 1, 2)}
    values |= {("b", x): [10 + other * x - off * x for off in noise] for x in (0, 1, 2)}
    found = rules.steeper("y", "x", at("a"), at("b"), "a step")(curve(values))
    assert (found.verdict, found.unit) == (verdict, "a step")
    assert rules.steeper("y", "z", at("a"), at("b"), "")(curve(values)).verdict == "not covered"


def test_a_step_down_that_one_run_may_show_is_no_fall() -> None:
    flat, noisy = [10.0, 10.0, 10.0], [9.5, 10.0, 10.3]
    rule = rules.never_falls("y", "x", at("a"), [1, 2, 3])
    values: Values = {("a", 1): flat, ("a", 2): [11.0] * 3, ("a", 3): [12.0] * 3}
    assert rule(curve(values)).verdict == "holds"
    # The mean is lower, and two seeds of three are not.
    assert rule(curve(values | {("a", 2): noisy})).verdict == "holds"
    found = rule(curve(values | {("a", 2): [12.5, 12.6, 12.7]}))
    assert found.ours == pytest.approx(100 * (36 / 37.8 - 1))
    assert (found.verdict, found.note) == ("differs", "2 to 3")
    lacking = curve(values).filter(pl.col("x") < 3)
    assert rule(lacking).verdict == "cannot tell"
    assert rule(lacking).note.endswith(" to 3: not run")


def test_a_fall_by_small_steps_is_one() -> None:
    """Each step of 4 % is one that a run may show, and 8 % are not."""
    table = curve({("a", x): [100 - 4 * x + each for each in shifts]
                   for x, shifts in enumerate(((-1, 0, 1), (1, -1, 0), (-1, 0, 1)))})  # fmt: skip
    rule = rules.never_falls("y", "x", at("a"), [0, 1, 2])
    assert rules.never_falls("y", "x", at("a"), [0, 1])(table).verdict == "holds"
    assert rules.never_falls("y", "x", at("a"), [1, 2])(table).verdict == "holds"
    assert (rule(table).verdict, rule(table).note) == ("differs", "0 to 2")


def test_two_seeds_do_not_tell_whether_a_step_falls() -> None:
    table = curve({("a", 1): [10.0, 10.2], ("a", 2): [10.1, 9.9]})
    assert rules.never_falls("y", "x", at("a"), [1, 2])(table).verdict == "cannot tell"


def losses(power: float, percents: Sequence[float] = (0.5, 1, 2, 5)) -> pl.DataFrame:
    """Return a table of an index that is a power of the loss, at another level for each seed."""
    rows = [
        {"at": "a", "seed": seed, "burst-loss": loss, "y": seed * loss**power}
        for loss in percents
        for seed in (1, 2, 3)
    ]
    return pl.DataFrame(rows)


@pytest.mark.parametrize(
    ("factor", "verdict", "shape"),
    [(3, "holds", "holds"), (2.3, "holds", "holds"), (3.7, "holds", "holds"),
     (1.5, "in shape", "holds"), (9, "in shape", "holds"), (0.5, "differs", "reversed"),
     (1, "differs", "not seen")],
)  # fmt: skip
def test_what_ten_times_the_loss_multiplies_has_a_shape_and_a_level(
    factor: float, verdict: str, shape: str
) -> None:
    found = rules.loss_multiplies("y", at("a"), 3.0)(losses(math.log10(factor)))
    assert found.ours == pytest.approx(factor)
    assert (found.verdict, found.shape, found.seeds) == (verdict, shape, 3)


def test_the_line_is_between_the_published_losses_and_little_beyond() -> None:
    rule = rules.loss_multiplies("y", at("a"), 3.0)
    power = math.log10(3)
    # Up to half as far again: what is at 0.1 and 20 % is left out, and 0.7 to 3.5 % are enough.
    far = losses(0, [0.1, 20])
    assert rule(pl.concat([losses(power), far])).ours == pytest.approx(3)
    assert rule(losses(power, [0.7, 2, 3.5])).ours == pytest.approx(3)
    for short in ([0.8, 2, 5], [0.5, 1, 3], [0.5, 5]):
        found = rule(losses(power, short))
        assert (found.verdict, found.note) == ("cannot tell", "the losses do not reach so far")
    assert rules.loss_multiplies("y", at("b"), 3.0)(losses(power)).verdict == "not covered"


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
