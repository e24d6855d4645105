"""The search over readings: held to theory, to hand-worked numbers, and to its own promises."""

from __future__ import annotations

import json
import math
import shutil
import warnings
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import command_here
import own_paper
import shares
import tcphoton as tp
from tcphoton import papers
from tcphoton.analysis.interval import Interval
from tcphoton.common import quantities
from tcphoton.errors import ScenarioError
from tcphoton.papers import against, ledger, readings_of, rules
from tcphoton.papers import keep as papers_keep
from tcphoton.papers.assumptions import Assumption, Change, Range, Value
from tcphoton.papers.ledger import Claim, Part
from tcphoton.papers.rules import (
    CANNOT_TELL,
    DIFFERS,
    HOLDS,
    NOT_COVERED,
    NOT_RUN,
    VERDICTS,
    Finding,
    unknown,
)  # fmt: skip
from tcphoton.readings import cache, emulator, keep, search
from tcphoton.readings.cache import Memory
from tcphoton.readings.confirm import Confirmed
from tcphoton.readings.drawing import FIGURES
from tcphoton.readings.evaluate import Budget, Judged, Runner, judge
from tcphoton.readings.implausibility import FAR, Distance, distance, within
from tcphoton.readings.influence import delta_of, explained
from tcphoton.readings.outcome import _another, outcome
from tcphoton.readings.plan import FIT, PREDICT, Search, Target, plan_of
from tcphoton.readings.readings import RECORD, Findings
from tcphoton.readings.score import conditions, holding, score
from tcphoton.readings.search import Found, best_first, correlation
from tcphoton.readings.space import Space

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tcphoton.common.progress import Progress
    from tcphoton.readings.space import Values


# The whole of it, on an M/M/1 queue whose load is not said: 1/(mu - lambda) tells it.


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[Findings, Path, Path]:
    folder = tmp_path_factory.mktemp("queue")
    home = own_paper.write(folder)
    out = folder / "out"
    return tp.Readings(str(home)).run(out, say=lambda _: None), home, out


def test_what_survives_is_what_theory_says(found: tuple[Findings, Path, Path]) -> None:
    # The mean stay is 1/(mu - lambda), its median ln 2 times that; the rest is the way.
    of = {
        "the mean": lambda stay: stay + 1e-3,
        "its median": lambda stay: math.log(2) * stay + 1e-3,
        "half of the mean": lambda stay: (stay + 1e-3) / 2,
    }
    compared = 0
    for row in found[0].table("readings").rows(named=True):
        if row["queue"] == "3 packets":
            continue
        delay = of[row["delay"]](8000 / (10e6 - quantities.number(row["load"])))
        band = Distance(delay, 0.85 * own_paper.DELAY, 1.15 * own_paper.DELAY, 0.0)
        away = band.implausibility(0.02)
        if away < 1.5 or away > 5:  # two seeds of a minute are not theory
            assert row["survives"] == (away < 3), (row, delay)
            compared += 1
    assert compared > 10


def test_the_claims_say_when_they_agree(found: tuple[Findings, Path, Path]) -> None:
    first, second = found[0].outcomes[0].claims
    assert first["as assumed"] == "differs"
    assert first["status"] == "holds in the joint reading"
    assert second["status"] == "holds as assumed"
    assert (first["role"], second["role"]) == ("fit", "predict")
    assert 0 < first["agree"] < first["of"] == len(found[0].outcomes[0].readings)


def test_the_load_decides_and_a_queue_that_never_fills_does_not(
    found: tuple[Findings, Path, Path],
) -> None:
    rows = {row["assumption"]: row for row in found[0].outcomes[0].assumptions}
    assert rows["load"]["decides"] > rows["queue"]["decides"]
    values = {(row["assumption"], row["value"]): row for row in found[0].outcomes[0].values}
    assert values["load", "5 Mb/s to 6 Mb/s"]["as assumed"] is False
    assert values["load", "6 Mb/s to 7 Mb/s"]["as assumed"] is True
    assert values["queue", "3 packets"]["source"] == "contradicts"


def test_the_best_reading_has_no_change_that_does_not_matter(
    found: tuple[Findings, Path, Path],
) -> None:
    best = found[0].best
    assert set(best.values) <= {"load", "delay"}
    assert "load" in best.values
    text = (found[2] / "queue" / "readings" / "best.toml").read_text("utf-8")
    home = papers.load(str(found[1]))
    kept = found[2] / "queue" / "readings" / "best.toml"
    assert readings_of.load(home, str(kept)) == best
    assert "first-seed = 1001" in text


def test_a_second_call_makes_no_runs_and_finds_the_same(found: tuple[Findings, Path, Path]) -> None:
    again = tp.Readings(str(found[1])).run(found[2], say=lambda _: None)
    assert again.facts["runs"] == 0
    cost = ("all-runs", "cpu-seconds")
    assert [again.facts[name] for name in cost] == [found[0].facts[name] for name in cost]
    assert again.facts["all-runs"] == found[0].facts["runs"]
    assert again.outcomes == found[0].outcomes
    assert again.ledgers == found[0].ledgers


def test_a_search_goes_on_where_its_findings_are_copied_to(
    found: tuple[Findings, Path, Path], tmp_path: Path
) -> None:
    before = found[2] / "queue" / "search"
    elsewhere = tmp_path / "queue" / "search"
    shutil.copytree(before, elsewhere)
    again = tp.Readings(str(found[1])).run(tmp_path, say=lambda _: None)
    assert again.facts["runs"] == 0
    assert not (tmp_path / "queue" / "points").exists()
    assert again.outcomes == found[0].outcomes
    assert again.ledgers == found[0].ledgers
    assert again.facts["all-runs"] >= found[0].facts["all-runs"]
    # Under another rule nothing is known.
    home = tmp_path / "another" / "queue"
    shutil.copytree(found[1], home)
    rules = cache.rules_of(home)
    (home / "live.toml").write_text("# what its page runs judges nothing\n", "utf-8")
    assert cache.rules_of(home) == rules
    claims = home / "claims.toml"
    claims.write_text(claims.read_text("utf-8") + "# another rule\n", "utf-8")
    other = tp.Readings(str(home)).run(tmp_path, runs=8, say=lambda _: None)
    assert other.facts["runs"] > 0
    damaged = elsewhere / "judged.json"
    damaged.write_text(damaged.read_text("utf-8").replace("holds", "differs", 1), "utf-8")
    assert not Memory(tmp_path / "queue")._entries


def test_what_was_found_is_saved_and_read_back(found: tuple[Findings, Path, Path]) -> None:
    folder = found[2] / "queue" / "readings"
    assert Findings.load(folder).outcomes == found[0].outcomes
    assert {f"all-{kind}.png" for kind in FIGURES} <= {each.name for each in folder.iterdir()}
    table = pl.read_csv(folder / "claims.csv")
    assert table.get_column("claim").to_list() == ["queue.1", "queue.2"]
    record = json.loads((folder / RECORD).read_text("utf-8"))
    damaged = json.dumps({**record, "paper": "another"})
    other = folder.parent / "damaged"
    other.mkdir(exist_ok=True)
    (other / RECORD).write_text(damaged, "utf-8")
    with pytest.raises(tp.OutputError, match="damaged"):
        Findings.load(other)


def test_the_page_shows_claims_assumptions_targets_and_the_plan(
    found: tuple[Findings, Path, Path],
) -> None:
    folder = found[2] / "queue" / "readings"
    assert command_here.call("report", folder).returncode == 0
    page = (folder / "report.html").read_text("utf-8")
    for text in (
        "holds in the joint reading", "Best joint reading: load:", "claims that are predicted",
        "tcphoton readings", "conditions broken", "No packet is lost." ,
    ):  # fmt: skip
        assert text in page, text


def test_verdicts_of_the_best_reading_are_those_of_its_reproduction(
    found: tuple[Findings, Path, Path], tmp_path: Path
) -> None:
    best = found[2] / "queue" / "readings" / "best.toml"
    command_here.call(
        "reproduce", found[1], "--scale", "full", "--reading", best, "--out", found[2], code=0
    )
    path = found[2] / "queue" / "readings" / "best" / "ledger.json"
    verdicts = {each["claim"]: each["verdict"] for each in json.loads(path.read_text("utf-8"))}
    joint = next(each for each in found[0].ledgers if each["kind"] == "joint")
    assert verdicts == {each["claim"]: each["verdict"] for each in joint["entries"]}


def test_an_interrupted_search_goes_on_and_ends_as_a_whole_one(
    found: tuple[Findings, Path, Path], tmp_path: Path
) -> None:
    readings = tp.Readings(str(found[1]))
    said: list[str] = []
    part = readings.run(tmp_path, runs=20, say=said.append)
    assert part.facts["runs"] <= 20
    assert not part.outcomes[0].facts["complete"]
    assert any("the budget for wave 1 of 2 is spent" in each for each in said)
    rest = readings.run(tmp_path, say=said.append)
    assert rest.outcomes == found[0].outcomes


def test_waves_leave_a_part_of_a_budget_to_what_comes_after_them(
    found: tuple[Findings, Path, Path], tmp_path: Path
) -> None:
    said: list[str] = []
    part = tp.Readings(str(found[1])).run(tmp_path, runs=60, say=said.append)
    assert not part.outcomes[0].facts["complete"]
    assert any("the budget for wave 2 of 2 is spent" in each for each in said)
    assert part.facts["runs"] <= 60
    assert [each["kind"] for each in part.ledgers] == ["as assumed", "joint"]


def test_delta_ranks_an_input_that_matters_before_one_that_does_not(
    capfd: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("SALib")
    x = np.random.default_rng(3).random((60, 3))
    x[:, 1] = np.round(x[:, 1])  # two candidates
    np.random.seed(5)  # noqa: NPY002
    shown = warnings.formatwarning
    found = delta_of(x, np.exp(2 * x[:, 0]))
    assert found is not None
    matters, binary, not_at_all = found
    assert matters > 2 * max(binary, not_at_all)
    nearly = 1.0 + np.where(x[:, 0] < 0.1, 1e-16 * np.arange(60), 1.0)
    assert delta_of(x, nearly) is None  # no density where all are equal but for a rounding
    # What SALib sets for all of a process is as it was, and its notices are not shown.
    assert np.random.random() == np.random.RandomState(5).random()  # noqa: NPY002
    assert warnings.formatwarning is shown
    assert capfd.readouterr() == ("", "")


def test_readings_that_are_complete_when_the_time_is_used_up_are_judged(
    found: tuple[Findings, Path, Path], tmp_path: Path
) -> None:
    plan = plan_of(str(found[1]))
    asked = plan.searches["all"]
    budget = Budget(seconds=1e6)
    before = [0]

    def end_in_the_third_part(progress: Progress) -> None:
        if progress.done < before[-1]:
            before.append(0)
        before[-1] = progress.done
        if len(before) == 3:
            budget.seconds = 0.0

    runner = Runner(tmp_path / "out", budget, lambda _: None, 1, None, end_in_the_third_part)
    readings = Space(asked.assumptions).drawn(12, 1)
    done = judge(plan, asked.targets(plan.paper), "quick", readings, runner)
    assert 8 <= len(done) < 12
    assert [each.values for each in done[:8]] == readings[:8]


def test_searches_share_a_budget_evenly() -> None:
    budget = Budget(runs=100, seconds=3600.0, used=10)
    first, last = budget.part(2), budget.part(1)
    assert (first.runs, last.runs) == (45, 90)
    assert first.seconds == pytest.approx(1800.0, abs=1.0)
    first.share = 0.5
    assert first.left == 22.5


def test_time_ends_a_search_too(found: tuple[Findings, Path, Path], tmp_path: Path) -> None:
    ended = tp.Readings(str(found[1])).run(tmp_path, hours=1e-9, say=lambda _: None)
    assert ended.facts["runs"] == 0
    assert ended.outcomes[0].readings == []


def test_a_search_without_scikit_learn_crosses_the_best_readings(
    found: tuple[Findings, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(emulator, "is_available", lambda: False)
    whole = search_of(found[1], found[2])
    before = replace(whole, waves=whole.waves[:1], simpler=[])
    made = search._next(before, 1)
    known = {tuple(each.values.items()) for each in before.judged}
    assert len(made) == 16
    assert known.isdisjoint(tuple(each.items()) for each in made)


def search_of(home: Path, out: Path) -> Found:
    """Return what the search has found, from the runs that are kept."""
    plan = plan_of(str(home))
    runner = Runner(out / "queue", Budget(), lambda _: None)
    return search.run(plan, plan.searches["all"], runner)


def test_a_reading_that_is_refused_is_named_and_excluded(tmp_path: Path) -> None:
    text = own_paper.READINGS.replace(
        '"topology.links.0.queue.packets" = 3 }', '"topology.links.0.queue.pockets" = 3 }'
    )
    plan = plan_of(str(own_paper.write(tmp_path, readings=text)))
    targets = plan.searches["all"].targets(plan.paper)
    default = Space(plan.assumptions).default
    runner = Runner(tmp_path / "out", Budget(), lambda _: None)
    refused, fine = judge(
        plan, targets, "quick", [{**default, "queue": "3 packets"}, default], runner
    )
    assert refused.error.startswith("refused: ")
    assert "pockets" in refused.error
    assert fine.error == ""


def test_runs_that_are_cut_off_exclude_a_reading(tmp_path: Path) -> None:
    text = own_paper.READINGS.replace(
        '"topology.links.0.queue.packets" = 3 }', '"run.max-events" = 100 }'
    )
    plan = plan_of(str(own_paper.write(tmp_path, readings=text)))
    targets = plan.searches["all"].targets(plan.paper)
    values = Space(plan.assumptions).default | {"queue": "3 packets"}
    runner = Runner(tmp_path / "out", Budget(), lambda _: None)
    (cut,) = judge(plan, targets, "quick", [values], runner)
    assert cut.error == "runs were cut off: event budget spent"


# The command.


def test_the_command_lists_assumptions_and_refuses_what_is_wrong(tmp_path: Path) -> None:
    home = own_paper.write(tmp_path)
    said = command_here.call("readings", home, "--list", code=0)
    assert "*the mean (convention: usual)" in said.stdout
    assert "5 Mb/s to 9 Mb/s, as assumed 6 Mb/s" in said.stdout
    for words, message in (
        (["nothing"], "no paper 'nothing'"),
        ([home, "--search", "alle"], "no search 'alle' (did you mean 'all'?)"),
        ([home, "--runs", "0"], "Invalid value for '--runs'"),
        ([], "name a paper"),
    ):
        wrong = command_here.call("readings", *words, "--out", tmp_path / "out", code=2)
        assert message in wrong.stderr + wrong.stdout
    assert not (tmp_path / "out").exists()


WRONG = {
    "no source": (
        'source = "convention", why = "usual"',
        'why = "usual"',
        ": assumptions.delay.values.the mean.source: missing",
    ),
    "another source": (
        'source = "possible"\nwhy = "less',
        'source = "guess"\nwhy = "less',
        '7: assumptions.load.source: unknown value; found "guess"; accepted "stated", "nearby"',
    ),
    "an empty range": ('to = "9 Mb/s"', 'to = "4 Mb/s"', "5: assumptions.load.to: no range"),
    "two units": ('to = "9 Mb/s"', 'to = "9 ms"', "accepted two quantities of one unit"),
    "no quantity": (
        'from = "5 Mb/s"',
        'from = "five"',
        "4: assumptions.load.from: not a quantity; found five",
    ),
    "a default elsewhere": (
        'default = "6 Mb/s"',
        'default = "1 Mb/s"',
        "6: assumptions.load.default: not in its range",
    ),
    "a default of no value": (
        'default = "no limit"',
        'default = "no limits"',
        "default: not one of them (did you mean 'no limit'?)",
    ),
    "no such claim": ('fit = ["queue.1"]', 'fit = ["queue.9"]', "no such name"),
    "both": (
        'predict = ["queue.2"]',
        'predict = ["queue.1"]',
        "a claim cannot both fit and be predicted",
    ),
    "no such assumption": (
        '["load", "queue", "delay"]',
        '["laod", "queue"]',
        "no such name (did you mean 'load'?)",
    ),
    "no scale": ('scales = ["quick"]', "scales = []", "scales: too few; found a list of 0"),
    "no such part": ("waves = 2", 'waves = 2\nalso = ["queue.1: 11*"]', "no part of a claim"),
    "too many": (
        "points = 16",
        "points = 0",
        "points: too small; found 0; accepted a whole number from 1 to 100000",
    ),
    "a scale of the plan": (
        "[searches.all]",
        "[[scales.quick.one]]\nseeds = 2\nover = {}\n[searches.all]",
        "a scale or a key of sweeps.toml",
    ),
    "a key of a grid": (
        "[searches.all]",
        "[[scales.cells.one]]\nseeds = 2\nover = {}\n[searches.all]",
        "a scale or a key of sweeps.toml",
    ),
    "one seed": (
        "[searches.all]",
        "[[scales.small.one]]\nseeds = 1\nover = {}\n[searches.all]",
        "too few for an interval; found 1; accepted 2 or more",
    ),
    "no such grid": (
        "[searches.all]",
        "[[scales.small.on]]\nseeds = 2\nover = {}\n[searches.all]",
        "no such grid (did you mean 'one'?)",
    ),
    "a reading of another assumption": (
        "waves = 2",
        'waves = 2\nfirst = [{ laod = "7 Mb/s" }]',
        "first.0.laod: not an assumption of the search (did you mean 'load'?)",
    ),
    "a reading of no such value": (
        "waves = 2",
        'waves = 2\nfirst = [{ load = "10 Mb/s" }]',
        "first.0.load: no such value; found 10 Mb/s; accepted 5 Mb/s to 9 Mb/s",
    ),
    "two seeds at the end": (
        "[searches.all]",
        '[[scales.small.one]]\nseeds = 2\nover = {}\n[searches.all]\nconfirmed = "small"',
        "confirmed: too few seeds; found small, one; accepted 3 or more, for a verdict",
    ),
    "a range without a reason": (
        'why = "less than the link"\n',
        "",
        "1: assumptions.load.why: missing; accepted a text",
    ),
    "a range with values": (
        "[assumptions.queue]\n",
        '[assumptions.queue]\nfrom = "9 Mb/s"\n',
        "assumptions.queue.from: is for a range, and this has values by name",
    ),
    "no searches": (
        own_paper.READINGS[own_paper.READINGS.index("[searches") :],
        "",
        "searches: missing",
    ),
    "an unknown key": (
        "points = 16",
        "points = 16\npoint = 3",
        'point: unknown key (did you mean "points"?)',
    ),
}


@pytest.mark.parametrize("way", WRONG)
def test_a_mistake_in_a_plan_is_named_with_its_line(way: str, tmp_path: Path) -> None:
    before, after, message = WRONG[way]
    assert before in own_paper.READINGS
    text = own_paper.READINGS.replace(before, after, 1)
    with pytest.raises(ScenarioError) as caught:
        plan_of(str(own_paper.write(tmp_path, readings=text)))
    assert message in str(caught.value)
    assert all(each.line for each in caught.value.mistakes)


def test_an_assumption_belongs_to_one_search(tmp_path: Path) -> None:
    more = '[searches.other]\nwhat = "-"\nassumptions = ["load"]\n'
    more += 'fit = ["queue.2"]\nscales = ["quick"]\n'
    text = own_paper.READINGS.replace('predict = ["queue.2"]\n', "") + more
    with pytest.raises(ScenarioError, match="'load' belongs to the search 'all' already"):
        plan_of(str(own_paper.write(tmp_path, readings=text)))


# Implausibility, by hand.


def test_the_distance_counts_seeds_tolerance_and_discrepancy() -> None:
    # About 10 within 20 %: a band of 8 to 12 is two standard deviations of 1 either way. Four
    # seeds have t = 3.182: an interval of +-0.6364 is a standard error of 0.2.
    finding = Finding(CANNOT_TELL, 14.0, (13.3636, 14.6364), "", 4, band=(8.0, 12.0))
    away = distance(finding)
    assert away is not None
    assert away.noise == pytest.approx(0.2, rel=1e-3)
    assert away.implausibility(0.0) == pytest.approx(4 / math.sqrt(1 + 0.04), rel=1e-3)
    assert away.implausibility(0.05) == pytest.approx(4 / math.sqrt(1.04 + 0.36), rel=1e-3)
    assert away.implausibility(0.0, 2.96) == pytest.approx(2.0, rel=1e-3)


def test_a_bound_has_no_tolerance_and_is_met_beyond_it() -> None:
    assert Distance(3.0, 0.0, math.inf, 0.5).implausibility(0.1) == 0.0
    assert Distance(-3.0, 0.0, math.inf, 1.5).implausibility(0.0) == 2.0
    assert Distance(13.0, -math.inf, 12.5, 0.0).implausibility(0.0) == FAR
    assert Distance(1e9, 0.0, 1.0, 0.0).implausibility(0.0) == FAR


def test_a_finding_without_a_number_has_no_distance() -> None:
    for each in (
        unknown("not run"), Finding(DIFFERS), Finding(DIFFERS, 3.0, None),
        Finding(DIFFERS, 3.0, (-math.inf, math.inf), "", 1, band=(0.0, 1.0)),
        Finding(DIFFERS, 3.0, (2.0, 4.0), "", 5),
    ):  # fmt: skip
        assert distance(each) is None
    assert within(Finding(CANNOT_TELL)) is None
    assert within(Finding(CANNOT_TELL, 3.0, (2.0, 4.0), "", 5, band=(4.0, 9.0))) is False


# Scores, survivors and pairs, from made-up findings.


def made(*claims: Claim, fit: int = 1, **also: Any) -> tuple[Search, list[Target], Space]:
    """Return a search over a named value and a range, of which the first claims fit."""
    names = [each.claim for each in claims]
    kinds = {
        name: Value(name, (), (), source, "")
        for name, source in (("a", "possible"), ("b", "possible"), ("c", "contradicts"))
    }
    known = {
        "kind": Assumption("kind", "", "a", kinds),
        "size": Assumption("size", "", "10", {}, Range(1, 100, "", False, True, {}), PLAIN),
    }
    asked = Search(
        "made", "made up", known, tuple(names[:fit]), tuple(names[fit:]), (), ("quick",), "full",
        points=8, waves=2, best=1, cutoff=3.0, discrepancy=0.0, seed=1,
    )  # fmt: skip
    asked = replace(asked, **also)
    targets = [
        Target(claim, part, FIT if claim.claim in asked.fit else PREDICT)
        for claim in claims
        for part in claim.parts
    ]
    return asked, targets, Space(known)


PLAIN = Value("", (Change(),), (), "possible", "")


def claim(name: str, *parts: str, combine: Any = "all") -> Claim:
    of = tuple(Part(part, "1", "fig", unknown_rule) for part in parts)
    return Claim(name, "statement", "published", "rule", of, combine=combine)


def unknown_rule(_: pl.DataFrame) -> Finding:
    return unknown("made up")


def at(number: float, half: float = 0.1) -> Finding:
    """Return a finding whose number is to lie from 0 to 1."""
    return Finding(CANNOT_TELL, number, (number - half, number + half), "", 10, band=(0.0, 1.0))


def read(kind: str, size: str, **findings: Finding) -> Judged:
    of = {name.replace("_", ".", 1).replace("__", ": "): each for name, each in findings.items()}
    return Judged({"kind": kind, "size": size}, of)


def test_a_score_counts_conditions_claims_and_contradictions() -> None:
    one, two = claim("p.1", "x", "y"), claim("p.2", "x")
    asked, targets, space = made(one, two)
    judged = read("c", "30", p_1__x=at(0.5), p_1__y=at(5.0), p_2__x=at(0.9))
    found = score(asked, space, targets, judged)
    assert found.against == ("kind",)
    assert found.excluded == ("p.1: y",)
    assert found.claims == {"p.1": False, "p.2": True}
    assert (found.fit, found.predicted, found.changes) == (0.5, 1.0, 2)
    # (5 - 0.5)/sqrt(0.25^2 + (0.1/2.262)^2) is 17.7, cut off at 9; that of 0.9 is 1.575.
    assert found.misfit == pytest.approx(math.sqrt((81 + 1.5755**2) / 3), rel=1e-3)
    assert found.levels == ()
    printed = {name: replace(each, published=0.5) for name, each in judged.findings.items()}
    assert score(asked, space, targets, replace(judged, findings=printed)).levels == ("p.1: y",)


def test_a_published_run_has_a_variance_of_its_own() -> None:
    """Of ten runs one reaches √11 times as far as their mean, which is then 3.3 times as near."""
    alone = rules.about(Interval(10.0, 9.0, 11.0, 10), 20.0)
    of_many = rules.about(Interval(10.0, 9.0, 11.0, 10), 20.0, of=math.inf)
    near, far = (distance(each) for each in (alone, of_many))
    assert near is not None
    assert far is not None
    assert near.noise == pytest.approx(far.noise * math.sqrt(11))
    assert near.implausibility(0.0) < far.implausibility(0.0)


def test_of_alternatives_one_must_agree() -> None:
    either = claim("p.1", "x", "y", combine="any")
    asked, targets, space = made(either)
    assert [each.name for each in conditions(targets)] == ["p.1"]
    judged = read("a", "10", p_1__x=at(0.5), p_1__y=at(50.0))
    assert holding(either, targets, judged.findings) == (True, 0.5)
    assert score(asked, space, targets, judged).excluded == ()


def test_parts_that_are_not_run_at_a_scale_are_left_out() -> None:
    one = claim("p.1", "x", "y")
    _, targets, _ = made(one)
    judged = read("a", "10", p_1__x=at(0.5), p_1__y=unknown(NOT_RUN))
    assert holding(one, targets, judged.findings) == (True, 1.0)
    nothing = read("a", "10", p_1__x=unknown(NOT_RUN), p_1__y=unknown(NOT_RUN))
    assert holding(one, targets, nothing.findings) == (None, 0.0)
    # Nor does one of several places that a part looks at count.
    step = read("a", "10", p_1__x=at(0.5), p_1__y=unknown(f"2 to 3: {NOT_RUN}"))
    assert holding(one, targets, step.findings) == (True, 1.0)
    # What a rule cannot tell for another reason does not agree.
    open_ = read("a", "10", p_1__x=at(0.5), p_1__y=unknown("the losses do not reach so far"))
    assert holding(one, targets, open_.findings) == (False, 0.5)


def test_the_best_reading_contradicts_nothing_breaks_no_number_fits_best_and_changes_least() -> (
    None
):
    one, two = claim("p.1", "x"), claim("p.2", "x")
    asked, targets, space = made(one, two)
    broken = replace(at(2.0), published=0.5)
    waves = [
        [
            read("c", "10", p_1__x=at(0.5), p_2__x=at(0.5)),
            read("b", "30", p_1__x=broken, p_2__x=at(0.5)),
            read("b", "40", p_1__x=at(7.0), p_2__x=at(7.0)),
            read("b", "20", p_1__x=at(0.505), p_2__x=at(0.5)),
            read("b", "10", p_1__x=at(0.51), p_2__x=at(0.5)),
            read("a", "10", p_1__x=at(2.0), p_2__x=at(0.5)),
        ]
    ]
    found = Found(asked, space, targets, "quick", waves=waves)
    order = [(each.values["kind"], each.values["size"]) for each, _ in best_first(found)]
    # A misfit is told to a tenth: 0.02 and 0.04 are alike, and one change is less than two.
    assert order == [("b", "10"), ("b", "20"), ("a", "10"), ("b", "40"), ("b", "30"), ("c", "10")]


def test_neighbours_change_one_thing_and_contradict_nothing() -> None:
    _, _, space = made(claim("p.1", "x"))
    found = space.neighbours()
    assert [space.changed(each) for each in found[:1]] == [{"kind": "b"}]
    assert {tuple(space.changed(each)) for each in found[1:]} == {("size",)}
    # The middle of the range is as assumed.
    assert len(found) == 3
    both = space.pairs(found)
    # The best two first; two sizes are no pair.
    assert [space.changed(each) for each in both] == [
        {"kind": "b", "size": each["size"]} for each in found[1:]
    ]


def test_claims_that_agree_apart_and_never_together_are_a_pair() -> None:
    one, two = claim("p.1", "x"), claim("p.2", "x")
    asked, targets, space = made(one, two, fit=2)
    waves = [
        [read("a", f"{10 + at_}", p_1__x=at(0.5), p_2__x=at(9.0)) for at_ in range(10)]
        + [read("b", f"{10 + at_}", p_1__x=at(9.0), p_2__x=at(0.5)) for at_ in range(10)]
    ]
    found = outcome(Found(asked, space, targets, "quick", waves=waves), [])
    (pair,) = found.pairs
    assert (pair["one"], pair["other"], pair["expected-together"]) == ("p.1", "p.2", 5.0)
    second = next(row for row in found.claims if row["claim"] == "p.2")
    assert second["at-the-cost-of"] == "p.1"
    # Nothing meets both conditions: those survive that break one, and it is said.
    assert found.facts["level"] == 1
    assert found.facts["surviving"] == 20
    assert {row["assumption"]: row["decides"] for row in found.assumptions}["kind"] == 1.0
    for draw in FIGURES.values():
        assert draw(found).to_dict()


def test_a_claim_that_no_reading_reaches_names_the_nearest_miss() -> None:
    one = claim("p.1", "x", "y")
    asked, targets, space = made(one)
    waves = [
        [
            read("a", "10", p_1__x=at(8.0), p_1__y=at(9.0)),
            read("b", "20", p_1__x=at(0.5), p_1__y=at(4.0)),
        ]
    ]
    (row,) = outcome(Found(asked, space, targets, "quick", waves=waves), []).claims
    assert row["status"] == "under no reading found"
    assert row["nearest"] == "kind: b; size: 20"
    assert row["miss"] == "y: 4, published 1"


def test_a_claim_that_no_run_of_the_search_has_is_not_said_to_be_out_of_reach() -> None:
    one, two = claim("p.1", "x"), claim("p.2", "x")
    asked, targets, space = made(one, two)
    waves = [[read("a", "10", p_1__x=at(0.5), p_2__x=unknown(NOT_RUN))]]
    found = Found(asked, space, targets, "quick", waves=waves)
    first, second = outcome(found, []).claims
    assert (first["of"], second["of"]) == (1, 0)
    assert second["status"] == "not part of the search"
    entries = [{"claim": name, "verdict": CANNOT_TELL} for name in ("p.1", "p.2")]
    again = Confirmed("as assumed", waves[0][0].values, entries, None)
    first, second = outcome(found, [again]).claims
    cannot_tell = "the readings that were run again cannot tell"
    assert first["status"] == f"its numbers agree in 1 of 1 readings, {cannot_tell}"
    assert second["status"] == f"not part of the search; {cannot_tell}"


def test_what_an_assumption_explains_is_corrected_for_chance() -> None:
    stream = np.random.default_rng(3)
    chance = [
        explained([str(each) for each in stream.integers(4, size=32)], stream.random(32))
        for _ in range(400)
    ]
    # A plain correlation ratio would be 3/31 in the mean.
    assert np.mean(chance) < 0.05
    assert explained(["a"] * 4, np.arange(4.0)) == 0.0


# The space and the emulator.


def space() -> Space:
    return made(claim("p.1", "x"))[2]


def test_a_latin_hypercube_draws_each_value_as_often_as_its_weight() -> None:
    drawn = space().drawn(90, seed=1)
    counts = {kind: sum(each["kind"] == kind for each in drawn) for kind in "abc"}
    assert counts == {"a": 40, "b": 40, "c": 10}  # what the paper contradicts a quarter as often
    sizes = sorted(float(each["size"]) for each in drawn)
    parts = [sum(low <= each < high for each in sizes) for low, high in ((1, 10), (10, 100))]
    assert all(44 <= each <= 46 for each in parts)


def test_crossed_readings_have_values_of_their_parents_or_new_ones() -> None:
    parents = [{"kind": "a", "size": "2"}, {"kind": "b", "size": "50"}]
    children = space().crossed(parents, 400, seed=2)
    for kind in "ab":
        assert all({"kind": kind, "size": size} in children for size in ("2", "50"))
    fresh = [each for each in children if each["size"] not in {"2", "50"}]
    assert 20 < len(fresh) < 60  # one in ten
    assert len({tuple(each.values()) for each in children}) == len(children)


def test_spread_takes_readings_that_are_far_from_each_other_and_from_the_known() -> None:
    candidates = [{"kind": "a", "size": size} for size in ("1", "1.1", "1.2", "10", "99", "100")]
    chosen = space().spread(candidates, 2, known=[{"kind": "a", "size": "1"}])
    assert [each["size"] for each in chosen] == ["100", "10"]
    assert space().spread(candidates, 9) == candidates


def test_an_emulator_predicts_what_it_has_not_seen_and_knows_its_error() -> None:
    stream = np.random.default_rng(5)
    x = stream.random((60, 3))

    def truth(rows: Any) -> Any:
        return np.sin(3 * rows[:, 0]) + 2 * rows[:, 1]

    noisy = truth(x) + 0.05 * stream.standard_normal(60)
    made = emulator.fitted(x, noisy)
    assert made.kind in {"Gaussian process", "boosted trees"}
    fresh = stream.random((200, 3))
    error = float(np.mean((made.predict(fresh) - truth(fresh)) ** 2))
    assert error < 0.1 * float(np.var(truth(fresh)))
    assert error / 3 < made.variance < 0.2 * float(np.var(noisy))
    # Of what does not depend on a reading it knows the mean and the spread.
    nothing = emulator.fitted(x, stream.standard_normal(60))
    assert nothing.variance == pytest.approx(1.0, rel=0.5)


def test_the_first_wave_has_the_readings_that_the_plan_names(tmp_path: Path) -> None:
    text = own_paper.READINGS.replace(
        "waves = 2", 'waves = 2\nfirst = [{ load = "8 Mb/s", queue = "3 packets" }]'
    )
    (asked,) = plan_of(str(own_paper.write(tmp_path, readings=text))).searches.values()
    space = Space(asked.assumptions)
    wave = search._next(search.Found(asked, space, [], "quick"), 0)
    assert {**space.default, "load": "8 Mb/s", "queue": "3 packets"} in wave
    assert space.default in wave


def test_rank_correlation_is_spearmans() -> None:
    assert correlation([1, 2, 3, 4, 5], [2, 1, 4, 3, 5]) == 0.8  # 1 - 6*4/120
    assert correlation([1, 2], [1, 2]) == 0.0


def test_of_a_search_that_has_not_ended_its_findings_are_kept(
    found: tuple[Findings, Path, Path], tmp_path: Path
) -> None:
    shutil.copytree(found[2] / "queue" / "search", tmp_path / "out" / "queue" / "search")
    keep.keep("queue", tmp_path / "out", tmp_path / "home")
    kept = tmp_path / "home" / "readings" / "search"
    assert (kept / "judged.json").is_file()
    assert (kept / "all" / "design.json").is_file()


def test_what_is_kept_stands_on_the_page_between_its_marks(
    found: tuple[Findings, Path, Path], tmp_path: Path
) -> None:
    shutil.copytree(found[2] / "queue" / "readings", tmp_path / "readings")
    page = f"# Title\n\n## Readings\n\n{keep.BEGIN}\n{keep.END}\n\n## Others\n"
    written = keep.with_readings(page, tmp_path)
    assert written.startswith("# Title")
    assert written.endswith("## Others\n")
    assert "| queue.1 | fit | differs | holds | holds in the joint reading |  |" in written
    assert "Of 2 claims, those that hold: 1 as assumed, 2 under the joint reading" in written
    assert "![all: targets](readings/all-targets.svg)" in written
    assert keep.with_readings(written, tmp_path) == written
    assert keep.with_readings("# No marks", tmp_path) == "# No marks"


def test_what_is_found_is_kept_again_over_what_was_kept(
    found: tuple[Findings, Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, home = tmp_path / "own" / "queue", tmp_path / "papers"
    shutil.copytree(found[1], own)
    home.mkdir()
    (home / "README.md").write_text(f"# Title\n\n{keep.BEGIN}\n{keep.END}\n", "utf-8")
    monkeypatch.setattr(keep, "load", lambda _: papers.load(str(own)))
    for _ in range(2):
        keep.keep("queue", found[2], home)
    assert Findings.load(home / "readings").outcomes == found[0].outcomes
    assert (home / "readings" / "all-targets.svg").is_file()
    assert readings_of.load(papers.load(str(own)), "best") == found[0].best
    assert "Best joint reading" in (home / "README.md").read_text("utf-8")


def test_a_claim_that_agrees_under_any_reading_that_was_run_again_does_so() -> None:
    def made(kind: str, value: str, **verdicts: str) -> Confirmed:
        entries = [{"claim": name, "verdict": each} for name, each in verdicts.items()]
        return Confirmed(kind, {"load": value}, entries, None)

    confirmed = [
        made("as assumed", "1", a=HOLDS, b=DIFFERS, c=DIFFERS, d=DIFFERS),
        made("joint", "2", a=DIFFERS, b=HOLDS, c=DIFFERS, d=DIFFERS),
        made("joint", "3", a=DIFFERS, b=DIFFERS, c=HOLDS, d=DIFFERS),
        made("d", "4", d=CANNOT_TELL),
    ]
    best = {"load": "2"}
    found = [_another(name, best, confirmed) for name in "abcde"]
    assert found == [DIFFERS, DIFFERS, HOLDS, CANNOT_TELL, None]


# The papers' own plans.

PLANNED = [
    name for name in papers.papers() if (papers.load(name).home / readings_of.FILE).is_file()
]


@pytest.mark.parametrize("name", PLANNED)
def test_every_claim_of_a_paper_fits_or_is_predicted_once(name: str) -> None:
    plan = plan_of(name)
    judged = [claim for each in plan.searches.values() for claim in each.claims]
    assert sorted(judged) == sorted(each.claim for each in plan.paper.claims)
    assert all(each.predict for each in plan.searches.values())
    assert {name for each in plan.searches.values() for name in each.assumptions} == set(
        plan.assumptions
    )


@pytest.mark.sampled
@pytest.mark.parametrize("name", PLANNED)
def test_every_value_of_an_assumption_is_accepted_and_changes_something(name: str) -> None:
    plan = plan_of(name)
    for asked in plan.searches.values():
        default = Space(asked.assumptions).default
        for at, scale in enumerate(asked.scales):
            before = digests(plan, asked, scale, default)
            for each in asked.assumptions.values():
                values = list(each.values) or [each.at(share) for share in (0.0, 0.5, 1.0)]
                for value in values:
                    # A further scale has the same values in more or longer runs.
                    tried = not at or shares.chosen(f"{name} {scale} {each.name} {value}")
                    if value == each.default or not tried:
                        continue
                    after = digests(plan, asked, scale, {**default, each.name: value})
                    assert after != before or each.value(value).measures, (scale, each.name, value)


def digests(plan: Any, asked: Search, scale: str, values: Values) -> list[list[str]]:
    from tcphoton.papers.assumptions import Reading, overlay

    paper = replace(plan.paper, overlay=overlay(plan.assumptions, Reading("", values)))
    artefacts = dict.fromkeys(each.part.artefact for each in asked.targets(paper))
    runs = paper.runs([each for each in artefacts if each in paper.at(scale)], scale)
    return [each.sweep.plan().digests for each in runs]


def values_of(paper: str) -> Mapping[str, Assumption]:
    return plan_of(paper).assumptions


KEPT = [name for name in PLANNED if (papers_keep.folder(name) / "readings" / RECORD).is_file()]
BEGUN = [
    name for name in PLANNED if (papers_keep.folder(name) / "readings" / cache.FOLDER).is_dir()
]


@pytest.mark.parametrize("name", BEGUN)
def test_a_search_that_has_begun_can_go_on_from_what_is_kept(name: str) -> None:
    home = papers_keep.folder(name) / "readings"
    entries = Memory(home)._entries
    targets = {
        target.name
        for asked in plan_of(name).searches.values()
        for target in asked.targets(papers.load(name))
    }
    # Readings that were run again are judged by all parts of all claims.
    parts = {
        Target(claim, part, FIT).name for claim in papers.load(name).claims for part in claim.parts
    }
    assert entries
    assert all(set(each.findings) <= targets | parts for each in entries.values())
    # What is kept beside it is of an earlier plan.
    assert name not in KEPT or keep.is_older(Findings.load(home))


@pytest.mark.parametrize("name", KEPT)
def test_the_page_of_a_paper_has_the_readings_that_are_kept(name: str) -> None:
    home = papers_keep.folder(name)
    page = (home / "README.md").read_text("utf-8")
    assert keep.BEGIN in page
    assert keep.with_readings(page, home) == page, "see `python -m tcphoton.readings.keep`"
    kept = Findings.load(home / "readings")
    best = readings_of.load(papers.load(name), "best").values if kept.best.values else {}
    assert best == kept.best.values
    assert "dirty" not in kept.facts["commit"]
    assert {each.name for each in kept.outcomes} == set(plan_of(name).searches)


@pytest.mark.parametrize("name", PLANNED)
def test_a_reading_of_a_paper_can_be_run_for_each_of_its_artefacts(name: str) -> None:
    paper = papers.load(name)
    for each in readings_of.kept(paper):
        under = readings_of.under(paper, readings_of.load(paper, each))
        for runs in under.runs(under.at("quick"), "quick"):
            assert runs.sweep.plan().digests


@pytest.mark.parametrize("name", PLANNED)
def test_readings_that_are_kept_are_readings_of_the_paper(name: str) -> None:
    paper = papers.load(name)
    for each in readings_of.kept(paper):
        found = readings_of.load(paper, each)
        assert found.first_seed > 1
        assert all(found.values[key] != values_of(name)[key].default for key in found.values)
        assert readings_of.under(paper, found).overlay.changes or found.values


def test_a_claim_of_two_searches_counts_once_and_agrees_where_both_parts_do() -> None:
    def search(*rows: tuple[str, str | None, str | None, str | None]) -> SimpleNamespace:
        names = ("claim", "as assumed", "joint", "another")
        return SimpleNamespace(claims=[dict(zip(names, row, strict=True)) for row in rows])

    three = search(
        ("a", HOLDS, HOLDS, None), ("b", DIFFERS, HOLDS, None), ("c", HOLDS, CANNOT_TELL, None)
    )
    # The part of c was not judged here, that of b differs jointly.
    eight = search(
        ("b", HOLDS, DIFFERS, None), ("c", None, None, None), ("d", DIFFERS, DIFFERS, HOLDS)
    )
    found = Findings("made-up", {}, [three, eight], [])  # type: ignore[list-item]
    assert keep.counts(found) == (
        4, {"as assumed": 2, "under the joint reading": 1, "under some reading": 4}
    )  # fmt: skip


@pytest.mark.parametrize("name", PLANNED)
def test_the_readme_counts_the_claims_by_their_verdicts(name: str) -> None:
    home = papers_keep.folder(name)
    page = (home.parent.parent / "README.md").read_text("utf-8")
    (row,) = (each for each in page.splitlines() if f"(papers/{name}/README.md) |" in each)
    counts = Counter(each["verdict"] for each in ledger.read(home / "results" / "ledger.json"))
    words = [each for each in VERDICTS if each != NOT_COVERED]
    expected = [str(counts[word] or "–") for word in words]
    near, printed = against.near(ledger.read(home / "results" / "ledger.json"))
    expected.append(f"{near} of {printed}" if printed else "–")
    assert [each.strip() for each in row.split("|")[4 : 5 + len(words)]] == expected
