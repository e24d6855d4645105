"""Arguments of another kind: the error is ours, and names the argument or the column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import tcphoton as tp
from tcphoton import report as report_page

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = pl.DataFrame({"load": [0.1, 0.2], "goodput": [1e6, 2e6], "seed": [1, 1]})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tp.Scenario.load(5), "path: a path is expected, not 5"),  # type: ignore[arg-type]
        (lambda: tp.Scenario.from_text(5), "text: a scenario in TOML is expected, not 5"),  # type: ignore[arg-type]
        (lambda: tp.Scenario.from_dict(5), "data: a dictionary is expected, not 5"),  # type: ignore[arg-type]
        (lambda: tp.example("mm1").with_(5), "changes: a dictionary is expected, not 5"),  # type: ignore[arg-type]
        (lambda: tp.example("mm1").with_({5: 1}), "changes: the keys must be texts"),  # type: ignore[dict-item]
        (lambda: tp.example(5), "name: the name of an example is expected, not 5"),  # type: ignore[arg-type]
        (lambda: tp.run(tp.example("mm1"), seed="a"), "seed: a whole number is expected, not 'a'"),  # type: ignore[arg-type]
        (lambda: tp.run(tp.example("mm1"), seed=1.5), "seed: a whole number is expected, not 1.5"),  # type: ignore[arg-type]
        (lambda: tp.trace(5), "a Scenario is expected, not 5"),  # type: ignore[arg-type]
        (lambda: tp.scan(5), "folder: a path is expected, not 5"),  # type: ignore[arg-type]
        (lambda: tp.Sweep.load(5), "path: a path is expected, not 5"),  # type: ignore[arg-type]
        (lambda: report_page.write(5), "folder: a path is expected, not 5"),  # type: ignore[arg-type]
        (lambda: tp.topologies.read(5), "path: a path is expected, not 5"),  # type: ignore[arg-type]
        (lambda: tp.figures.lines(5, "x", "y"), "table: a polars.DataFrame is expected"),  # type: ignore[arg-type]
        (lambda: tp.statistics.mean_interval(["a"]), "values: numbers are expected"),  # type: ignore[list-item]
    ],
)  # fmt: skip
def test_a_value_of_another_kind_is_named(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(TypeError) as found:
        call()
    assert message in str(found.value)


@pytest.mark.parametrize(
    "call",
    [
        lambda: tp.figures.lines(ROWS, "lod", "goodput"),
        lambda: tp.figures.lines(ROWS, "load", "throughput"),
        lambda: tp.figures.lines(ROWS, "load", "goodput", "lode"),
        lambda: tp.figures.bars(ROWS, "lod", "goodput"),
        lambda: tp.statistics.summarise(ROWS, "throughput", ["load"]),
        lambda: tp.statistics.summarise(ROWS, "goodput", ["lode"]),
    ],
)
def test_a_column_that_does_not_exist_is_named_with_the_one_that_was_meant(
    call: Callable[[], Any],
) -> None:
    with pytest.raises(LookupError, match=r"no column .* \(did you mean '(load|goodput)'\?\)"):
        call()


def test_bars_of_single_runs_say_what_they_need() -> None:
    with pytest.raises(LookupError, match=r"tcphoton\.statistics\.summarise"):
        tp.figures.bars(ROWS, "load", "goodput")


def test_a_table_that_does_not_exist_is_named_with_the_one_that_was_meant(
    small: tp.Scenario,
) -> None:
    report = tp.run(small)
    with pytest.raises(LookupError, match=r"no table 'flow' \(did you mean 'flows'\?\)"):
        report.tables["flow"]
    with pytest.raises(LookupError, match=r"no table 'link' \(did you mean 'links'\?\)"):
        report.units["link"]
    assert report.tables.get("nothing") is None
