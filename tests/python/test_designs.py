"""Designs of sweeps: lists in step, points one by one, samples."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tcphoton import designs

if TYPE_CHECKING:
    from tcphoton.designs import Design

BASE = """
[run]
duration = "1 s"
[topology]
kind = "line"
routers = 1
link = { rate = "1 Mb/s", delay = "1 ms" }
[[traffic]]
from = "a"
to = "b"
transport = { kind = "udp" }
source = { kind = "cbr", rate = "100 kb/s", packet = "1000 B" }
"""


@pytest.mark.parametrize("design", ["latin-hypercube", "sobol"])
def test_each_part_of_a_range_has_one_point(design: Design) -> None:
    """The definition of Latin hypercubes; and Sobol's 2^m points are a net in every dimension."""
    for numbers in designs.draw(design, 64, 7, seed=3):
        assert sorted(int(64 * number) for number in numbers) == list(range(64))


def test_sobols_points_fill_squares_evenly() -> None:
    """The first two dimensions are a (0, 2)-net: each of 8 × 8 squares has one of 64 points."""
    one, other = designs.draw("sobol", 64, 2, seed=5)
    squares = {(int(8 * a), int(8 * b)) for a, b in zip(one, other, strict=True)}
    assert len(squares) == 64


@pytest.mark.parametrize("design", ["latin-hypercube", "sobol", "random"])
def test_a_seed_says_which_points(design: Design) -> None:
    first = designs.draw(design, 10, 3, seed=1)
    assert first == designs.draw(design, 10, 3, seed=1)
    assert first != designs.draw(design, 10, 3, seed=2)
    assert len(first) == 3
    assert all(len(numbers) == 10 for numbers in first)


def test_a_sample_is_drawn_when_a_sweep_is_loaded() -> None:
    text = """
[over]
"traffic.0.count" = [1, 2]
[sample]
design = "sobol"
points = 8
[sample.over]
"topology.link.rate" = { from = "1 Mb/s", to = "100 Mb/s", scale = "log" }
topology.link.delay = { from = "1 ms", to = "9 ms" }
"""
    checked = designs.load("sweep.toml", text, ("base.toml", BASE, []))
    assert checked.points == 16
    axes = designs.axes_of(json.loads(checked.definition()))
    assert [list(axis) for axis in axes] == [
        ["traffic.0.count"],
        ["topology.link.rate", "topology.link.delay"],
    ]
    assert len(set(axes[1]["topology.link.delay"])) == 8
    assert len(checked.digests()) == len(designs.points_of(axes)) == 16
