"""The rules of the obs paper's claims on made-up tables: they agree, differ, or cannot tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from made_up import WORLD, row
from tcphoton.papers import load
from tcphoton.papers.ledger import entry
from tcphoton.papers.obs.measures import LOSS, SIZE, TIMEOUT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from made_up import Curve
    from tcphoton.papers.ledger import Claim

PAPER = load("obs")
CLAIMS = {claim.claim: claim for claim in PAPER.claims}
SIZES = ("20 kB", "120 kB", "200 kB", "260 kB", "300 kB")
LOSSES = (0.0, 0.001, 0.002, 0.003, 0.05, 0.1)
SEEDS = (1, 2, 3, 4)
THREE_NODES = {"fig2a", "fig2b", "fig2-400", "fig3a", "fig3b"}


def points(eight: bool) -> Iterator[tuple[float, str, str]]:
    for p in LOSSES:
        for size in SIZES:
            yield p, size, "1 ms"
            if p == 0.002 and not eight:
                yield p, size, "5 ms"
        if eight:
            yield p, "200 kB", "8 ms"


def table(
    world: dict[str, Curve], *, eight: bool, noise: float, seeds: tuple[int, ...]
) -> pl.DataFrame:
    keys = (LOSS, SIZE, TIMEOUT)
    at = [dict(zip(keys, point, strict=True)) for point in points(eight)]
    return pl.DataFrame(
        [
            {**point, "seed": seed, **row(point, seed, eight=eight, world=world, noise=noise)}
            for point in at
            for seed in seeds
        ]
    )


def verdict(
    claim: Claim,
    changed: dict[str, Curve] | None = None,
    noise: float = 0.0005,
    seeds: tuple[int, ...] = SEEDS,
) -> str:
    world = {**WORLD, **(changed or {})}
    three, eight = (table(world, eight=each, noise=noise, seeds=seeds) for each in (False, True))
    artefacts = {part.artefact for part in claim.parts}
    tables = {name: three if name in THREE_NODES else eight for name in artefacts}
    found = entry(claim, tables, {"scale": "made up"})
    for part in found["parts"]:
        if part["interval"] is not None:
            low, high = part["interval"]
            assert low - 1e-6 <= part["ours"] <= high + 1e-6
    return str(found["verdict"])


def moved(name: str, by: Callable[[float, float, float], float]) -> dict[str, Curve]:
    """Return one curve multiplied by a factor of its own."""
    return {name: lambda p, size, timeout: WORLD[name](p, size, timeout) * by(p, size, timeout)}


def flat(name: str, value: float) -> dict[str, Curve]:
    return {name: lambda *_: value}


DIFFERS: dict[str, dict[str, Curve]] = {
    "obs.1": moved("share 400", lambda p, size, _: 0.9 if (p, size) == (0, 120) else 1),
    "obs.2": {"delay three": lambda _p, size, _t: 6 - size / 250},
    "obs.3": moved("share 1000", lambda p, _s, _t: 0.7 if p == 0.001 else 1),
    "obs.4": flat("share 400", 80.0),
    "obs.5": moved("share eight", lambda p, size, _: 1.3 if p == 0.1 and size > 250 else 1),
    "obs.6": {
        "share 200": lambda p, size, _: 97 if size > 250 or p == 0 else 60,
        "share 1000": lambda p, size, _: 97 if size > 250 or p == 0 else 60,
    },
    "obs.7": {"delay three": lambda _p, size, _t: 4.2 + size / 250},
    "obs.8": {"share eight": lambda _p, size, _t: 90 - size / 10},
    "obs.9": moved("delay eight", lambda _p, _s, timeout: 1.5 if timeout > 1 else 1),
    "obs.10": moved("delay eight", lambda p, _s, t: 2.5 if p == 0.1 and t > 1 else 1),
    "obs.11": moved("share 1000", lambda _p, size, t: 0.8 if size < 100 and t > 1 else 1),
    "obs.12": {"delay eight": lambda p, size, _: 9 + size / 250 - 20 * p},
    "obs.13": moved("share eight", lambda p, _s, _t: 2.0 if p == 0.003 else 1),
}
STRADDLES: dict[str, tuple[dict[str, Curve], float]] = {
    "obs.1": (moved("share 200", lambda *_: 0.983), 0.01),
    "obs.2": ({"delay three": lambda _p, size, _t: 5 + size / 2500}, 0.03),
    "obs.3": ({}, 0.04),
    "obs.4": ({}, 0.3),
    "obs.5": (moved("share eight", lambda p, size, _: 1.1 if p > 0.01 and size > 250 else 1), 0.01),
    "obs.6": ({"share 200": lambda *_: 95.2, "share 1000": lambda *_: 95.3}, 0.02),
    "obs.7": (moved("delay three", lambda _p, size, _t: 1.013 if size > 250 else 1), 0.005),
    "obs.8": (flat("share eight", 50.0), 0.02),
    "obs.9": ({}, 0.15),
    "obs.10": (flat("delay eight", 6.0), 0.01),
    "obs.11": (moved("share 1000", lambda _p, _s, t: 0.91 if t > 1 else 1), 0.01),
    "obs.12": ({"delay eight": lambda p, _s, _t: 6 + 25 * p}, 0.08),
    "obs.13": (moved("share 1000", lambda p, s, _t: 1.39 if (p, s) == (0.003, 300) else 1), 0.02),
}


def test_every_claim_of_the_sheet_is_there() -> None:
    assert list(CLAIMS) == [f"obs.{number}" for number in range(1, 14)]
    assert set(DIFFERS) == set(STRADDLES) == set(CLAIMS)


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_table_like_the_papers_agrees(claim: str) -> None:
    assert verdict(CLAIMS[claim]) == "agrees"


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_table_unlike_the_papers_differs(claim: str) -> None:
    assert verdict(CLAIMS[claim], DIFFERS[claim]) == "differs"


@pytest.mark.parametrize("claim", CLAIMS)
def test_an_interval_across_a_bound_cannot_tell(claim: str) -> None:
    changed, noise = STRADDLES[claim]
    assert verdict(CLAIMS[claim], changed, noise) == "cannot tell"


def test_one_seed_cannot_tell() -> None:
    found = {name: verdict(claim, seeds=(1,)) for name, claim in CLAIMS.items()}
    assert set(found.values()) == {"cannot tell"}, found


def test_the_numbers_of_the_sensitivity_are_those_of_the_claim() -> None:
    three = table(WORLD, eight=False, noise=0.001, seeds=SEEDS)
    labels = {"grid": "window-three", "variant": "validation"}
    window = three.with_columns(**{key: pl.lit(value) for key, value in labels.items()})
    found = entry(CLAIMS["obs.3"], {"fig2a": three, "window": window}, {"scale": "made up"})
    beside = {part["name"]: part["ours"] for part in found["sensitivity"]}
    assert [beside[f"validation, p = {p}"] for p in (0.001, 0.003)] == [
        part["ours"] for part in found["parts"]
    ]
    assert beside["60 s, p = 0.001"] is None
