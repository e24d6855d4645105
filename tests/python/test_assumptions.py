"""Assumptions, readings and overlays: what a reading changes, and nothing else."""

from __future__ import annotations

import json
import math
import tomllib
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import command_here
import own_paper
from tcphoton import papers
from tcphoton.common import quantities
from tcphoton.papers import readings_of
from tcphoton.papers.assumptions import (
    AS_ASSUMED,
    Assumption,
    Change,
    Measure,
    Overlay,
    Range,
    Reading,
    Value,
    overlay,
)
from tcphoton.papers.files import CLAIMS, File

if TYPE_CHECKING:
    from pathlib import Path

    from tcphoton.papers import Paper

TEXT = """
names.a = 1
[names.b."c d"]
"e.f" = { set = { g = 1 } }
[[names.h]]
i = 1
[[names.h]]
i = [
  2,
]
[names.j.k]
l = 3
[names.j.m.n]
o = 4
"""


@pytest.mark.parametrize(
    ("key", "line"),
    [
        (("a",), 2), (("b", "c d", "e.f"), 4), (("b", "c d", "e.f", "set", "g"), 4),
        (("b", "c d", "nothing"), 3), (("h", 0, "i"), 6), (("h", 1, "i"), 8), (("h", 1), 7),
        (("j", "k", "l"), 12), (("j", "m"), 13),
    ],
)  # fmt: skip
def test_the_line_of_a_key_is_where_it_is_set(key: tuple[str | int, ...], line: int | None) -> None:
    file = File(CLAIMS, "claims.toml", TEXT)
    file.wrong(("names", *key), "wrong")
    (found,) = file.mistakes
    assert found.line == line


def test_the_content_of_a_file_is_what_a_reader_of_toml_reads() -> None:
    text = (
        f"{TEXT}all = [inf, -inf, 1e999, 12345678901234567890, 0.1, 1e21, -0.0, true, '\\', {{}}]"
    )
    read = File(CLAIMS, "claims.toml", text).data
    assert repr(read) == repr(tomllib.loads(text))
    assert math.isnan(File(CLAIMS, "claims.toml", "names.a = nan").data["names"]["a"])


# Ranges.

ENDS = st.tuples(st.floats(1e-6, 1e3), st.floats(1.001, 1e4))


@given(ends=ENDS, share=st.floats(0, 1), log=st.booleans())
def test_a_value_of_a_range_is_in_it_and_reads_back(
    ends: tuple[float, float], share: float, *, log: bool
) -> None:
    low, high = ends[0], ends[0] * ends[1]
    drawn = Range(low, high, "s", False, log, {"key": 1.0})
    text = drawn.at(share)
    value = quantities.number(text)
    # Three digits are half a per cent at most.
    assert low * 0.994 <= value <= high * 1.006
    if 0.02 < share < 0.98 and ends[1] > 1.1:
        exact = low * ends[1] ** share if log else low + (high - low) * share
        assert value == pytest.approx(exact, rel=0.006)


def test_a_range_sets_multiples_and_whole_numbers() -> None:
    drawn = Range(10.0, 100.0, "", True, False, {"flows": 1.0, "hosts": 8.0})
    assert drawn.set("25") == {"flows": 25, "hosts": 200}
    rate = Range(1e6, 1e8, "b/s", False, True, {"rate": 1.0, "peak": 2.5})
    assert rate.at(0.5) == "10 Mb/s"
    assert rate.set("10 Mb/s") == {"rate": "10 Mb/s", "peak": "25 Mb/s"}
    plain = Range(0.001, 0.1, "", False, True, {"p": 1.0})
    assert plain.set(plain.at(0.5)) == {"p": 0.01}


# Overlays.

PLAIN = Value("as it is", (), (), "possible", "")


def assumption(name: str, *changes: Change) -> Assumption:
    other = Value("other", changes, (), "possible", "")
    return Assumption(name, "", "as it is", {"as it is": PLAIN, "other": other})


def test_a_reading_as_assumed_changes_nothing() -> None:
    known = {"a": assumption("a", Change({"x": 1}))}
    assert overlay(known, Reading("", {})) == AS_ASSUMED
    assert overlay(known, Reading("", {"a": "as it is"})) == AS_ASSUMED


def test_a_change_is_for_the_grids_and_scenarios_that_it_names() -> None:
    change = Change({"x": 1}, grids=("flows-*",), scenarios=("access.toml",))
    assert change.concerns("flows-mixed", "access.toml")
    assert not change.concerns("flows-mixed", "nsf.toml")
    assert not change.concerns("losses", "access.toml")
    assert Change().concerns("anything", "any.toml")
    some = Change({"x": 1}, variants=("*-JSQ",))
    assert some.concerns("grid", "file", "e-JSQ")
    assert not some.concerns("grid", "file", "RR")
    under = Overlay((some,))
    assert under.changed("grid", "file", {}, "ideal-JSQ") == {"x": 1}
    assert under.changed("grid", "file", {}, "RR") == {}


def test_keys_are_set_over_those_of_a_grid_and_taken_away() -> None:
    under = Overlay((Change({"a.b": 2, "c": {"kind": "d"}}, without=("e",)),))
    keys = {"a.b": 1, "c.kind": "x", "c.of": "y", "e": 3, "f": 4}
    assert under.changed("grid", "file", keys) == {"a.b": 2, "c": {"kind": "d"}, "f": 4}


def test_a_later_change_wins_and_a_scenario_is_replaced() -> None:
    known = {"a": assumption("a", Change({"x": 1}, scenario="one.toml")),
             "b": assumption("b", Change({"x": 2}))}  # fmt: skip
    under = overlay(known, Reading("", {"b": "other", "a": "other"}, 101))
    assert under.changed("grid", "file", {}) == {"x": 2}
    assert under.scenario("grid", "file") == "one.toml"
    assert under.seeds(3) == [101, 102, 103]
    assert under.seeds([2, 5]) == [102, 105]
    assert AS_ASSUMED.seeds(3) == 3


def test_a_measure_is_another_column_or_a_formula_and_others_stay() -> None:
    table = pl.DataFrame(
        {
            "grid": ["a", "b"],
            "variant": ["x", "y"],
            "delay": [1.0, 2.0],
            "first": [3.0, 4.0],
            "n": [1, 2],
        }
    )
    files = {"a": "one.toml", "b": "two.toml"}

    def measured(column: str, formula: str, where: Change = Change()) -> pl.DataFrame:  # noqa: B008
        return Overlay(measures=(Measure(column, formula, where),)).measured(table, files)

    assert measured("delay", "first").get_column("delay").to_list() == [3.0, 4.0]
    halves = measured("delay", '"delay" / 2 + "n"')
    assert halves.get_column("delay").to_list() == [1.5, 3.0]
    assert halves.drop("delay").equals(table.drop("delay"))
    # A run in which it divides by 0 has no value.
    assert measured("delay", '"delay" / ("n" - 1)').get_column("delay").to_list() == [None, 2.0]
    for where in (
        Change(grids=("b*",)),
        Change(scenarios=("two.toml",)),
        Change(variants=("y", "z*")),
    ):
        assert measured("delay", "first", where).get_column("delay").to_list() == [1.0, 4.0]
    # What a table does not have is left alone: it is another artefact's.
    assert measured("loss", "first").equals(table)
    assert measured("delay", '"y" + 1').equals(table)
    # Definitions are of what was measured, not of each other.
    both = Overlay(measures=(Measure("delay", "first"), Measure("first", "delay")))
    assert both.measured(table, files).select("delay", "first").rows() == [(3.0, 1.0), (4.0, 2.0)]


def test_unknown_names_are_said_with_what_is_known() -> None:
    known = {"acks": assumption("acks")}
    with pytest.raises(LookupError, match=r"no assumption 'ack' \(did you mean 'acks'\?\)"):
        overlay(known, Reading("", {"ack": "other"}))
    with pytest.raises(LookupError, match=r"acks: no value 'othr' \(did you mean 'other'\?\)"):
        overlay(known, Reading("", {"acks": "othr"}))


# In a paper.


@pytest.fixture
def queue(tmp_path: Path) -> Paper:
    return papers.load(str(own_paper.write(tmp_path)))


def test_a_paper_under_a_reading_runs_other_scenarios(queue: Paper) -> None:
    reading = Reading("", {"load": "8 Mb/s", "delay": "its median"}, 1001)
    under = readings_of.under(queue, reading)
    (plain,), (changed,) = (each.runs(["fig1"], "quick") for each in (queue, under))
    assert plain.sweep.seeds == 2
    assert changed.sweep.seeds == [1001, 1002]
    texts = [each.sweep.scenario.with_(each.sweep.set_).to_toml() for each in (plain, changed)]
    assert 'rate = "6 Mb/s"' in texts[0]
    assert texts[1] == texts[0].replace('rate = "6 Mb/s"', 'rate = "8 Mb/s"')
    assert set(plain.sweep.plan().digests).isdisjoint(changed.sweep.plan().digests)


def test_a_key_that_a_grid_varies_stays_with_the_grid(tmp_path: Path) -> None:
    text = own_paper.READINGS.replace(
        '"topology.links.0.queue.packets" = 3 }', '"topology.links.0.rate" = "1 Mb/s" }'
    )
    queue = papers.load(str(own_paper.write(tmp_path, readings=text)))
    under = readings_of.under(queue, Reading("", {"queue": "3 packets"}))
    (plain,), (changed,) = (each.runs(["fig1"], "quick") for each in (queue, under))
    assert plain.sweep.plan().digests == changed.sweep.plan().digests


def test_a_reading_may_have_more_seeds(queue: Paper) -> None:
    values = {"load": "8 Mb/s"}
    few, many = (readings_of.under(queue, Reading("", values, 1001, seeds)) for seeds in (1, 7))
    (plain,), (more,) = (each.runs(["fig1"], "quick") for each in (few, many))
    assert more.sweep.seeds == list(range(1001, 1008))
    assert plain.sweep.seeds == [1001, 1002]


def test_a_reading_stands_beside_the_paper_and_leaves_its_results_alone(
    queue: Paper, tmp_path: Path
) -> None:
    home, out = str(queue.home), tmp_path / "out"
    kept = tmp_path / "queue" / "readings"
    kept.mkdir()
    (kept / "busy.toml").write_text('first-seed = 1001\n[values]\nload = "8 Mb/s"\n', "utf-8")
    assert command_here.call("reproduce", home, "--out", out).returncode == 0
    before = (out / "ledger.json").read_bytes(), (out / "queue" / "run.json").read_bytes()
    command_here.call("reproduce", home, "--out", out, "--reading", "busy", code=0)
    after = (out / "ledger.json").read_bytes(), (out / "queue" / "run.json").read_bytes()
    assert after == before
    inside = out / "queue" / "readings" / "busy"
    (first, _) = json.loads((inside / "ledger.json").read_text("utf-8"))
    assert first["claim"] == "queue.1"
    assert first["provenance"]["command"].endswith("--scale quick --reading busy")
    page = (out / "report.html").read_text("utf-8")
    assert "Claims under the reading busy" in page
    # Its stamp is another one: figures of the one are never taken for those of the other.
    stamps = {
        pl.read_parquet_metadata(each / "fig1.parquet")["stamp"] for each in (inside, out / "queue")
    }
    assert len(stamps) == 2


WRONG = {
    "no such reading": ("busi", "queue has no reading 'busi'; available: none, or a file"),
    "unknown assumption": (
        '[values]\nlode = "8 Mb/s"',
        "2: values.lode: no such assumption (did you mean 'load'?)",
    ),
    "outside": (
        '[values]\nload = "80 Mb/s"',
        "2: values.load: no value of the assumption; found 80 Mb/s; accepted 5 Mb/s to 9 Mb/s",
    ),
    "unknown value": (
        '[values]\nqueue = "4 packets"',
        "accepted no limit, 10,000 packets, 3 packets",
    ),
    "no text": ("[values]\nload = 8", "2: values.load: wrong type; found 8; accepted a text"),
    "unknown key": (
        'number = 3\n[values]\nload = "8 Mb/s"',
        "1: number: unknown key; accepted about, first-seed, seeds, values",
    ),
    "no seed": ('first-seed = 0\n[values]\nload = "8 Mb/s"', "1: first-seed: too small; found 0"),
    "seeds below 0": ('seeds = -1\n[values]\nload = "8 Mb/s"', "1: seeds: below zero; found -1"),
    "nothing": ("", "values: missing"),
}


@pytest.mark.parametrize("way", WRONG)
def test_a_wrong_reading_is_one_error_and_nothing_is_run(
    way: str, queue: Paper, tmp_path: Path
) -> None:
    text, message = WRONG[way]
    name = text
    if "\n" in text or not text:
        (tmp_path / "wrong.toml").write_text(text, "utf-8")
        name = str(tmp_path / "wrong.toml")
    said = command_here.call(
        "reproduce", queue.home, "--out", tmp_path / "out", "--reading", name, code=2
    )
    assert message in said.stderr, said.stderr
    assert not (tmp_path / "out" / "queue" / "points").exists()
