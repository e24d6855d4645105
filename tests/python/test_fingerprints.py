"""Results are what they were; `make bless` accepts a change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import fingerprints

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "row", fingerprints.read(), ids=lambda row: f"{row['scenario']} {row['settings']}"
)
def test_the_digest_is_the_one_written_down(row: fingerprints.Row) -> None:
    assert fingerprints.digest(row) == row["digest"], "results change: see `make bless`"


def test_bless_keeps_the_revision_unless_a_digest_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {"a": "1" * 16, "b": "2" * 16, "c": "3" * 16}
    monkeypatch.setattr(fingerprints, "FILE", tmp_path / "fingerprints.csv")
    monkeypatch.setattr(fingerprints, "ADDED", tmp_path / "fingerprints-added.csv")
    monkeypatch.setattr(fingerprints, "digest", lambda row: known[row["scenario"]])
    head = "scenario,settings,seed,digest\n"
    fingerprints.FILE.write_text(f"{head}a,,1,{known['a']}\n", "utf-8")
    fingerprints.ADDED.write_text(f"{head}b,,1,{known['b']}\nc,,1,\n", "utf-8")
    before = fingerprints.FILE.read_text("utf-8")

    fingerprints.main()  # a new row is filled in
    assert fingerprints.FILE.read_text("utf-8") == before
    assert [row["digest"] for row in fingerprints.read()] == list(known.values())

    known["b"] = "4" * 16  # results change
    fingerprints.main()
    assert fingerprints.ADDED.read_text("utf-8") == head
    assert [row["digest"] for row in fingerprints.read()] == list(known.values())
