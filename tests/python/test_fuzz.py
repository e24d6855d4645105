"""The attack of `make fuzz` with fixed seeds, and what it does when a case fails."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import shares
import tcphoton as tp
from fuzz.account import audit
from fuzz.campaign import attack, replayed
from fuzz.desk import Desk, Slate, signature
from fuzz.draw import Draw
from fuzz.parts import ALL, PARTS
from fuzz.rehearsal import FATES
from fuzz.scenarios import scenario
from fuzz.shrink import smaller_text
from fuzz.watch import Child

if TYPE_CHECKING:
    from pathlib import Path

    from tcphoton import _core

CASES = {
    "checks": 1000,
    "runs": 100,
    "determinism": 40,
    "topologies": 1000,
    "flips": 80,
    "kills": 2,
    "folders": 8,
}
"""Of each part as many as take some seconds, with all."""


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("part", PARTS)
def test_the_cases_of_a_fixed_seed_hold(part: str) -> None:
    cases = shares.few(CASES[part])
    outcome = attack(PARTS[part], 1, range(cases), shrinking=5.0)
    assert outcome.cases == cases
    assert outcome.facts
    told = [
        f"{each.finding.title}: {each.finding.detail}\n{each.payload}\n"
        f"replay: make fuzz REPLAY={part}:{each.seed}:{each.number}"
        for each in outcome.failures
    ]
    assert not told, "\n\n".join(told)


def test_a_case_is_the_same_each_time_and_another_for_another_number() -> None:
    made = [scenario(Draw(seed, "checks", number)) for seed in (1, 2) for number in range(20)]
    again = [scenario(Draw(seed, "checks", number)) for seed in (1, 2) for number in range(20)]
    assert made == again
    assert len({json.dumps(each, sort_keys=True) for each in made}) == 40


def test_choices_do_not_hang_on_the_version_of_python() -> None:
    draw = Draw(7, "checks", 3)
    assert [draw.below(1000) for _ in range(4)] == [247, 549, 871, 362]


@pytest.mark.slow
def test_a_case_that_breaks_or_stops_the_child_is_found_and_the_next_one_is_judged() -> None:
    titles = {}
    with Child(ALL["rehearsal"]) as child:
        for fate in FATES:
            answer = child.ask({"payload": {"fate": fate, "numbers": [500]}})
            assert len(answer.findings) == (fate != "well")
            for finding, payload in answer.findings:
                titles[fate] = finding.title
                assert payload["fate"] == fate
    assert titles == {
        "found": "a large number",
        "raises": "ArithmeticError in the attack itself",
        "aborts": "the process dies of SIGABRT",
        "hangs": "hangs",
        "greedy": "MemoryError in the attack itself",
    }


def test_a_failure_is_made_smaller_saved_and_replayed(tmp_path: Path) -> None:
    part = ALL["rehearsal"]
    number = next(at for at in range(100) if Draw(1, part.name, at).pick(FATES) == "found")
    outcome = attack(part, 1, range(number, number + 1), save=tmp_path)
    (failure,) = outcome.failures
    assert len(failure.payload["numbers"]) == 1
    assert failure.payload["numbers"][0] >= 100
    (saved,) = tmp_path.glob("*.json")
    again = replayed(ALL, str(saved))
    assert [signature(each.finding) for each in again.failures] == list(outcome.kinds)
    named = replayed(ALL, f"rehearsal:1:{number}")
    assert len(named.failures[0].payload["numbers"]) == 8


def test_smaller_texts_leave_out_each_key_and_try_plainer_values() -> None:
    text = '[run]\nduration = "5 s"\nseed = 7\n'
    smaller = list(smaller_text(text))
    assert "[run]\nseed = 7\n" in smaller
    assert '[run]\nduration = "1 s"\nseed = 7\n' in smaller
    assert "" in smaller


@pytest.mark.parametrize(("table", "column", "value", "title"), [
    ("traffic", "loss", 1.5, "a share above one"),
    ("links", "queue-mean", float("inf"), "an infinite number"),
    ("links", "queue-mean", -1.0, "a number below zero"),
    ("traffic", "delay-p50", 100.0, "two columns in the wrong order"),
    ("flows", "delivered", 1e15, "more delivered than the links to a host carry"),
    ("flows", "packets-sent", 10**9, "flows do not add up"),
    ("flows", "packets-lost", 10**9, "an account that does not close"),
    ("links", "dropped-loss", 10**9, "parts are more than the whole"),
])  # fmt: skip
def test_a_value_that_cannot_be_is_found_in_the_tables_of_a_run(
    tmp_path: Path, table: str, column: str, value: float, title: str
) -> None:
    outcome = (
        tp.example("dumbbell").with_({"run.max-events": 5000, "run.warmup": "0 s"}).checked().run(1)
    )
    desk = Desk(tmp_path, Slate(tmp_path / "slate"))
    audit(outcome, desk)
    assert not desk.findings
    audit(changed(outcome, table, column, value), desk)
    assert title in [finding.title for finding, _ in desk.findings]


def changed(outcome: _core.Outcome, table: str, column: str, value: float) -> Any:
    """Return an outcome with another value in the first row of a column."""
    tables = []
    for each in outcome.tables:
        columns = []
        for values in each.columns:
            data = np.frombuffer(values.data, dtype=values.dtype).copy()
            if (each.name, values.name) == (table, column):
                data[0] = value
            columns.append(
                SimpleNamespace(
                    name=values.name, dtype=values.dtype, levels=values.levels, data=data.tobytes()
                )
            )
        tables.append(SimpleNamespace(name=each.name, columns=columns))
    return SimpleNamespace(json=outcome.json, tables=tables)
