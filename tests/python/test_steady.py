"""Bulk flows keep a link busy as ns-2's do: the table that is kept, some of it run again."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
import steady

import shares
import tcphoton as tp

KEPT = pl.read_csv(steady.TABLE)
RUN = [
    (profile, cell)
    for profile, cell, _ in steady.grid()
    if cell.mbps < 20 and cell.flows < 4 and shares.chosen(f"{profile} {cell}")
]
"""What takes a hundredth of a second; `make verify PARTS=steady` runs all."""


def test_the_table_has_each_cell_in_each_profile_with_its_verdict() -> None:
    for (profile, cell, theirs), row in zip(steady.grid(), KEPT.iter_rows(named=True), strict=True):
        assert (profile, *cell, theirs) == tuple(
            row[name] for name in ("profile", *cell._fields, "ns2")
        )
        assert row["verdict"] == steady.verdict(cell, row["share"], theirs)


def test_few_cells_differ_and_none_of_newreno() -> None:
    """A flow that is locked into a timeout a second has half of the link or two thirds."""
    differ = KEPT.filter(verdict="differs")
    assert set(differ["flavour"]) <= {"reno", "tahoe", "cubic", "compound"}
    assert differ.height <= 0.03 * KEPT.height
    assert (KEPT["share"] <= 1.0005).all()
    same = KEPT.filter(profile="ns2-2008")
    assert same.filter(verdict="differs").height <= 0.01 * same.height
    recovering = KEPT.filter(pl.col("flavour").is_in(["newreno", "sack"]))
    assert (recovering["share"] > 0.95 * recovering["ns2"].clip(upper_bound=0.893)).all()


def test_the_page_has_the_counts_of_the_table() -> None:
    page = (Path(steady.__file__).parents[2] / "docs/background/verification.md").read_text("utf-8")
    beside_ns2 = KEPT.filter(pl.col("ns2").is_not_null())
    lines = [
        (profile, beside_ns2.filter(profile=profile), ["agrees", "between", "differs"])
        for profile in steady.PROFILES
    ]
    lines += [
        (f"{rule} | {profile}", KEPT.filter(flavour=rule, profile=profile), ["agrees", "differs"])
        for rule, profiles in steady.RULES.items()
        for profile in profiles
    ]
    for head, rows, words in lines:
        counts = [rows.height, *(rows.filter(verdict=word).height for word in words)]
        assert f"| {head} | {' | '.join(map(str, counts))} |" in page


@pytest.mark.slow
@pytest.mark.sampled
def test_cells_are_what_the_table_has() -> None:
    assert len(RUN) > 20
    for profile, cell in RUN:
        kept = KEPT.filter(profile=profile, **cell._asdict())["share"].item()
        report = tp.run(steady.scenario(profile, cell))
        assert steady.share(profile, cell, report) == kept, (profile, cell)


@pytest.mark.parametrize(
    ("buffer", "expected"), [(0.0, 0.75), (0.25, 0.893), (0.5, 0.964), (1.0, 1.0), (4.0, 1.0)]
)
def test_the_sawtooth_has_the_textbooks_shares(buffer: float, expected: float) -> None:
    holds = 5e6 * 0.2 / 12_000 + 1
    cell = steady.Cell("reno", 1, 5, 100, round(buffer * holds), 0)
    assert steady.sawtooth(cell) == pytest.approx(expected, abs=0.003)
