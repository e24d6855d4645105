"""Scenarios as values: text, dicts, changes, mistakes."""

from __future__ import annotations

import pickle
import tomllib
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tcphoton as tp
from tcphoton.common import toml

if TYPE_CHECKING:
    from pathlib import Path

KEYS = st.text(max_size=12)
SCALARS = (
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(max_size=30)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
TABLES = st.dictionaries(KEYS, VALUES, max_size=6)
BARE = st.from_regex(r"[a-z][a-z0-9-]{0,8}", fullmatch=True)


@given(TABLES)
def test_toml_that_we_write_reads_back(table: dict[str, Any]) -> None:
    assert tomllib.loads(toml.dumps(table)) == table


@given(TABLES)
def test_from_dict_and_to_dict_are_inverse(table: dict[str, Any]) -> None:
    scenario = tp.Scenario.from_dict(table)
    assert scenario.to_dict() == table
    assert tp.Scenario.from_text(scenario.to_toml()).to_dict() == table


@given(st.lists(BARE, min_size=1, max_size=4), VALUES)
def test_with_sets_what_to_dict_shows(path: list[str], value: Any) -> None:
    scenario = tp.Scenario.from_dict({"run": {"seed": 1}}).with_({".".join(path): value})
    if path[0] == "run" and len(path) > 1 and path[1] == "seed" and len(path) > 2:
        return
    found: Any = scenario.to_dict()
    for step in path:
        found = found[step]
    assert found == value


@given(st.text(max_size=200))
def test_no_text_makes_the_check_fail(text: str) -> None:
    assert tp.Scenario.from_text(text).check()


@given(st.lists(st.tuples(KEYS, KEYS), max_size=4))
def test_no_override_makes_the_check_fail(pairs: list[tuple[str, str]]) -> None:
    scenario = tp.example("mm1")
    tp.Scenario(scenario.text, "x", tuple(pairs)).check()


def test_with_changes_the_digest_and_to_toml_keeps_it(small: tp.Scenario) -> None:
    changed = small.with_({"traffic.0.count": 3, "topology.bottleneck.rate": "20 Mb/s"})
    assert changed.check() == []
    assert changed.digest != small.digest
    assert tp.Scenario.from_text(changed.to_toml()).digest == changed.digest
    assert tp.Scenario.from_dict(changed.to_dict()).digest == changed.digest


def test_to_toml_without_changes_is_the_text(small: tp.Scenario) -> None:
    assert small.to_toml() == small.text


def test_mistakes_carry_their_parts_and_survive_pickling(small: tp.Scenario) -> None:
    with pytest.raises(tp.ScenarioError) as caught:
        tp.run(small.with_({"run.duration": 3, "run.nothing": 1}))
    mistakes = caught.value.mistakes
    assert [mistake.key for mistake in mistakes] == ["run.duration", "run.nothing"]
    assert str(caught.value) == "\n".join(mistake.text for mistake in mistakes)
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.mistakes == mistakes


def test_numpy_numbers_are_numbers(small: tp.Scenario) -> None:
    numpy = pytest.importorskip("numpy")
    changed = small.with_({"topology.bottleneck.loss.p": numpy.float64(0.5)})
    assert changed.to_dict()["topology"]["bottleneck"]["loss"]["p"] == 0.5
    assert small.with_({"traffic.0.count": numpy.int64(2)}).check() == []


def test_a_value_that_toml_cannot_say_is_a_type_error(small: tp.Scenario) -> None:
    with pytest.raises(TypeError):
        small.with_({"run.duration": None})


def test_a_key_that_leads_nowhere_is_a_mistake(small: tp.Scenario) -> None:
    wrong = small.with_({"title.x": 1})
    with pytest.raises(tp.ScenarioError):
        wrong.to_dict()
    assert wrong.check()


def test_unreadable_files_are_mistakes(tmp_path: Path) -> None:
    with pytest.raises(tp.ScenarioError, match=r"cannot be read|no such file"):
        tp.Scenario.load(tmp_path / "missing.toml")
    with pytest.raises(tp.ScenarioError):
        tp.Scenario.load(tmp_path)


def test_show_is_a_dict(small: tp.Scenario) -> None:
    assert small.show()
