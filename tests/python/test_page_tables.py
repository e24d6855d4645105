"""Tables of comparisons with the numbers of others: a page is held to what was found."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import page_tables
import pytest

if TYPE_CHECKING:
    from pathlib import Path

HEAD = ("case", "size", "quantile", "ours", "verdict")
OTHER = ("flows", "size", "quantile", "verdict")
ROWS: list[page_tables.Cells] = [
    ("Opera", "small", "50 %", "7 µs", "agrees"),
    ("Opera", "", "99 %", "9 µs", "differs"),
]
ORDER: list[page_tables.Cells] = [("1 %", "small", "50 %", "agrees")]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """Return a page with both tables, and text around them."""
    page = tmp_path / "page.md"
    tables = [page_tables.table(HEAD, ROWS), page_tables.table(OTHER, ORDER)]
    page.write_text(f"# A page\n\n{tables[0]}\nText.\n\n{tables[1]}\nThe end.\n")
    return page


def test_other_numbers_of_the_same_verdicts_pass(page: Path) -> None:
    moved: list[page_tables.Cells] = [(*row[:3], "8 µs", row[-1]) for row in ROWS]
    assert page_tables.settle(page, {HEAD: moved, OTHER: ORDER}) == 0


def test_another_verdict_and_a_row_too_few_are_told(
    page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    moved: list[page_tables.Cells] = [ROWS[0], (*ROWS[1][:4], "agrees")]
    assert page_tables.settle(page, {HEAD: moved, OTHER: ORDER}) == 1
    assert f"Not as {page} says: Opera, , 99 %, agrees" in capsys.readouterr().out
    assert page_tables.settle(page, {HEAD: ROWS[:1], OTHER: ORDER}) == 1
    assert page_tables.settle(page, {HEAD: ROWS, OTHER: []}) == 1


def test_tables_are_written_where_they_were(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["opera.py", "--write"])
    moved: list[page_tables.Cells] = [(*ROWS[0][:3], "8 µs", "differs")]
    assert page_tables.settle(page, {HEAD: moved, OTHER: ORDER}) == 0
    tables = [page_tables.table(HEAD, moved), page_tables.table(OTHER, ORDER)]
    assert page.read_text() == f"# A page\n\n{tables[0]}\nText.\n\n{tables[1]}\nThe end.\n"
    monkeypatch.setattr(sys, "argv", ["opera.py"])
    assert page_tables.settle(page, {HEAD: moved, OTHER: ORDER}) == 0
    assert page_tables.settle(page, {HEAD: ROWS, OTHER: ORDER}) == 1
