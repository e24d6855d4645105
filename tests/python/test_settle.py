"""Second looks at open verdicts: what they cost, whom they ask, and how often they are right."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

import command_here
import own_paper
from tcphoton import papers
from tcphoton.analysis.interval import Interval
from tcphoton.analysis.statistics import mean_interval, paired_interval
from tcphoton.papers.rules import about, inside
from tcphoton.papers.second_look import LOOK, widened
from tcphoton.papers.settle import enough

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

SWEEPS = """
title = "A queue"
source = "Nobody, 2026"

[grids.one]
scenario = "scenario.toml"
set."run.duration" = "15 s"

[[grids.one.quick]]
seeds = 3
over."traffic.0.source.rate" = ["4 Mb/s", "6 Mb/s", "8 Mb/s"]

[artefacts.fig1]
title = "Delay"
grids = ["one"]
plot = { x = "traffic.0.source.rate", y = "delay-mean" }
"""


LEAST, MOST = 0.85 * own_paper.DELAY, 1.15 * own_paper.DELAY
CLAIMS = f"""
[[claims]]
claim = "queue.1"
statement = "The mean delay is {1e3 * LEAST:g} to {1e3 * MOST:g} ms."
published = "It takes {1e3 * LEAST:g} to {1e3 * MOST:g} ms."

[[claims.parts]]
name = "8 Mb/s"
says = "{1e3 * LEAST:g} to {1e3 * MOST:g} ms"
artefact = "fig1"
rule = "lies"
measure = "delay-mean"
at = {{ "traffic.0.source.rate" = "8 Mb/s" }}
low = {LEAST}
high = {MOST}
unit = "s"

[[claims]]
claim = "queue.2"
statement = "More load takes more time."
published = "More load takes more time."

[[claims.parts]]
name = "6 Mb/s"
says = "more"
artefact = "fig1"
rule = "more"
measure = "delay-mean"
at = {{ "traffic.0.source.rate" = "6 Mb/s" }}
base = {{ "traffic.0.source.rate" = "4 Mb/s" }}
"""


def reproduced(home: Path, out: Path, *more: object) -> tuple[str, dict[str, str], pl.DataFrame]:
    said = command_here.call("reproduce", home, "--out", out, *more, code=0)
    ledger = json.loads((out / "ledger.json").read_text("utf-8"))
    verdicts = {each["claim"]: each["verdict"] for each in ledger}
    return said.stderr, verdicts, pl.read_parquet(out / "queue" / "fig1.parquet")


def test_an_open_verdict_gets_the_seeds_that_it_needs_and_a_settled_one_none(
    tmp_path: Path,
) -> None:
    home = own_paper.write(tmp_path, sweeps=SWEEPS, claims=CLAIMS)
    _, before, _ = reproduced(home, tmp_path / "out")
    assert before == {"queue.1": "cannot tell", "queue.2": "holds"}
    said, after, table = reproduced(home, tmp_path / "out", "--settle", 60)
    assert after == {"queue.1": "holds", "queue.2": "holds"}
    assert "may settle 1 open verdict of 1" in said
    seeds = dict(table.group_by("traffic.0.source.rate").len().rows())
    assert seeds["4 Mb/s"] == seeds["6 Mb/s"] == 3
    assert 3 < seeds["8 Mb/s"] <= 60
    looks = dict(table.select("traffic.0.source.rate", LOOK).unique().rows())
    assert looks == {"4 Mb/s": 1, "6 Mb/s": 1, "8 Mb/s": 2}
    command = json.loads((tmp_path / "out" / "queue" / "run.json").read_text("utf-8"))["command"]
    assert command == "tcphoton reproduce queue --scale quick --settle 60"
    # The same again repeats no run, and finds the same.
    _, again, same = reproduced(home, tmp_path / "out", "--settle", 60)
    assert again == after
    assert same.equals(table)


def test_where_too_many_seeds_are_needed_none_is_spent_but_their_number_is_told(
    tmp_path: Path,
) -> None:
    home = own_paper.write(tmp_path, sweeps=SWEEPS, claims=CLAIMS)
    said, verdicts, table = reproduced(home, tmp_path / "out", "--settle", 4)
    assert verdicts["queue.1"] == "cannot tell"
    assert table.height == 9
    assert LOOK not in table.columns
    assert "queue: open with at most 4 seeds a point:" in said
    assert "queue.1, 8 Mb/s: about " in said


@pytest.mark.parametrize("mean", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("number", [3, 10])
def test_with_enough_seeds_the_rule_could_tell(mean: float, number: int) -> None:
    """At the same mean and deviation, an interval of the second look is narrow enough."""
    half = mean_interval([0.0, *[1.0, -1.0] * (number // 2)][:number]).half_width * 3 + mean
    finding = inside(Interval(mean, mean - half, mean + half, number), 0.0, np.inf)
    needs = enough(finding)
    assert needs is not None
    sigma = half / mean_interval(spread(number)).half_width
    for seeds, tells in ((needs, True), (int(0.8 * needs), False)):
        rows = pl.DataFrame({"x": [sigma * x + mean for x in spread(seeds)], LOOK: 2})
        interval = mean_interval(widened(rows.with_columns(p=1), ["p"])["x"])
        assert (interval.low > 0) == tells


def spread(number: int) -> list[float]:
    """So many values of mean 0 and standard deviation 1."""
    values = np.linspace(-1, 1, number)
    return [float(each) for each in values / values.std(ddof=1)]


def test_nothing_settles_what_lies_on_a_bound_or_is_settled() -> None:
    assert enough(inside(Interval(0.0, -1.0, 1.0, 5), 0.0, 10.0)) is None
    assert enough(inside(Interval(5.0, 4.0, 6.0, 5), 0.0, 10.0)) is None
    assert enough(inside(Interval(5.0, -np.inf, np.inf, 1), 0.0, 10.0)) is None


@pytest.mark.parametrize(("mean", "settles"), [(10.0, 2.5), (11.5, 1.0), (8.0, 0.5)])
def test_a_number_in_a_quarter_needs_an_interval_that_is_in_it_too(
    mean: float, settles: float
) -> None:
    """A run of ours lies anywhere: only our mean can tell."""
    finding = about(Interval(mean, mean - 9, mean + 9, 10), 10.0)
    assert (finding.verdict, finding.settles) == ("cannot tell", settles)
    needs = enough(finding)
    assert needs is not None
    sigma = 9 / mean_interval(spread(10)).half_width
    for seeds, verdict in ((needs, "holds"), (int(0.8 * needs), "cannot tell")):
        rows = pl.DataFrame({"x": [sigma * x + mean for x in spread(seeds)], LOOK: 2})
        ours = mean_interval(widened(rows.with_columns(p=1), ["p"])["x"])
        assert about(ours, 10.0).verdict == verdict


def test_a_number_that_no_run_of_ours_has_needs_an_interval_beside_its_quarter() -> None:
    finding = about(Interval(13.0, 12.0, 14.0, 5), 10.0)
    assert (finding.verdict, finding.settles) == ("cannot tell", 0.5)
    needs = enough(finding)
    assert needs is not None
    assert needs > 5


def test_no_seeds_settle_what_one_run_says_nothing_of_beside_its_quarter() -> None:
    """The runs stay as they are: of any number, one gives -7 to 43."""
    finding = about(Interval(18.0, 9.0, 27.0, 10), 10.0)
    assert finding.verdict == "cannot tell"
    assert enough(finding) is None


def test_the_second_look_is_wider_by_the_ratio_of_quantiles_wherever_it_is_used() -> None:
    draw = np.random.default_rng(1)
    ones, others = draw.normal(5, 1, 9), draw.normal(3, 1, 9)
    table = pl.DataFrame(
        {
            "p": [1] * 9 + [2] * 9 + [3] * 9,
            "seed": [*range(9)] * 3,
            "x": [*ones, *others, *others],
            LOOK: [2] * 18 + [1] * 9,
        }
    )
    wide = widened(table, ["p"])
    factor = 2.896459 / 2.306004  # Student's t with 8 degrees of freedom, from a table
    for p in (1, 2):
        first, second = (mean_interval(each.filter(p=p)["x"]) for each in (table, wide))
        assert second.mean == pytest.approx(first.mean)
        assert second.half_width == pytest.approx(factor * first.half_width, rel=1e-5)
    assert wide.filter(p=3).equals(table.filter(p=3))
    pairs = [[each.filter(p=p)["x"] for p in (1, 2)] for each in (table, wide)]
    first, second = (paired_interval(*pair) for pair in pairs)
    assert second.half_width == pytest.approx(factor * first.half_width, rel=1e-5)


@pytest.mark.sampled(least=2)
@pytest.mark.parametrize("apart", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("planned", [3, 10])
def test_a_verdict_that_is_looked_at_twice_is_wrong_as_rarely_as_one(
    planned: int, apart: float
) -> None:
    """Of normal values whose mean is so many deviations above the bound."""
    draw = np.random.default_rng(planned)
    covered = below = 0
    for values in draw.normal(apart, 1, (3000, 40)):
        interval = mean_interval(values[:planned])
        needs = enough(inside(interval, 0, np.inf))
        if needs is not None and needs <= 40:
            rows = pl.DataFrame({"p": 1, "x": values[:needs], LOOK: 2})
            interval = mean_interval(widened(rows, ["p"])["x"])
        covered += interval.low <= apart <= interval.high
        below += interval.high < 0
    assert 0.925 <= covered / 3000 <= 0.975
    assert below / 3000 <= 0.04


def test_a_packaged_paper_has_no_second_look_by_itself() -> None:
    assert papers.load("obs").more == ()
