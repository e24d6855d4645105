"""Results are what they were; `make bless` accepts a change."""

from __future__ import annotations

import pytest

import fingerprints


@pytest.mark.parametrize(
    "row", fingerprints.read(), ids=lambda row: f"{row['scenario']} {row['settings']}"
)
def test_the_digest_is_the_one_written_down(row: fingerprints.Row) -> None:
    assert fingerprints.digest(row) == row["digest"], "results change: see `make bless`"
