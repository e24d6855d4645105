"""What a run takes, foretold from its beginning."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

import command_here
import tcphoton as tp
from tcphoton.runs import forecast
from tcphoton.runs.forecast import Seen, whole

if TYPE_CHECKING:
    from pathlib import Path

ENDLESS = {"run.duration": "1000000 s"}


def test_a_run_that_ends_meanwhile_is_known() -> None:
    scenario = tp.example("mm1").with_({"run.duration": "20 s"})
    found = forecast.forecast(scenario)
    assert (found.share, found.is_bound) == (1.0, False)
    assert found.events == tp.run(scenario).summary["events"]
    assert found.memory == scenario.show()["memory"]


def test_the_events_of_a_long_run_are_foretold() -> None:
    """A thousand packets a second, whose events the engine counts."""
    scenario = tp.example("mm1").with_({"run.duration": "200 s"})
    each = tp.run(scenario).summary["events"] / 200
    found = forecast.forecast(scenario.with_(ENDLESS), spend=0.3)
    assert 0 < found.share < 1
    assert found.events == pytest.approx(1e6 * each, rel=0.05)
    assert found.seconds > 0.3


def test_what_comes_after_the_second_half_of_what_was_seen_counts() -> None:
    # Set-up of a second, a slow start up to 2 %, then 100 s for all of it.
    seen = [
        Seen(1 + 200 * min(at, 0.02) + 100 * max(at - 0.02, 0), at, at) for at in (0.0, 0.02, 0.04)
    ]
    assert whole(seen).spent == pytest.approx(1 + 200 * 0.02 + 98)


def test_a_network_that_fills_is_not_steady() -> None:
    """Flows start over the first fifth of the run, each with the same packets from then on."""

    def events(share: float) -> float:
        filling = min(share, 0.2)
        return 1e6 * (2.5 * filling**2 + share - filling)

    def seen(share: float) -> list[Seen]:
        shares = [share * at / 40 for at in range(41)]
        return [Seen(events(at) / 1e5, at, events(at)) for at in shares]

    assert not forecast.is_steady(seen(0.05))
    assert not forecast.is_steady(seen(0.2))
    # A quarter of what was seen is still as it filled.
    assert not forecast.is_steady(seen(0.4))
    assert forecast.is_steady(seen(0.8))
    assert whole(seen(0.05)).events < 0.5 * events(1.0)
    assert whole(seen(0.4)).events == pytest.approx(events(1.0))
    assert whole(seen(0.4)).spent == pytest.approx(events(1.0) / 1e5)
    assert whole(seen(0.8)).events == pytest.approx(events(1.0))
    # If time is up while it fills, the last quarter of what was seen is nearest to the rest.
    assert whole(seen(0.2)).events == pytest.approx(events(1.0), rel=0.15)


def test_a_peak_is_not_steady() -> None:
    """Flows start, have more in flight than they keep, and come down to four tenths of it."""
    shares = np.linspace(0, 1, 1001)
    rates = np.interp(shares, [0, 0.05, 0.08, 0.2, 1], [0, 0.4, 1, 0.4, 0.4])
    events = np.cumsum(rates)

    def seen(share: float) -> list[Seen]:
        columns = (column[shares <= share] for column in (events, shares, events))
        return [Seen(*each) for each in zip(*columns, strict=True)]

    most = [share for share in np.linspace(0.01, 1, 100) if forecast.is_steady(seen(share))]
    assert most
    assert all(whole(seen(share)).events < 1.25 * events[-1] for share in most)
    # Two quarters are alike about the peak.
    assert whole(seen(0.1)).events > 1.5 * events[-1]


def test_of_a_run_that_does_not_advance_nothing_is_foretold() -> None:
    assert whole([Seen(3.0, 0.0, 5)]).spent == math.inf


@pytest.mark.parametrize(
    ("settings", "is_bound"),
    [
        ({}, False),
        ({"traffic.0.source": {"kind": "bulk"}}, False),
        ({"traffic.0.source": {"kind": "bulk", "size": "1 TB"}}, True),
        ({"run.until": "all-files", "traffic.0.source": {"kind": "bulk", "size": "1 TB"}}, True),
    ],
)
def test_a_run_that_may_end_by_itself_takes_at_most_that(
    settings: dict[str, object], is_bound: bool
) -> None:
    tcp = {"traffic.0.transport": {"kind": "tcp", "preset": "newreno"}} if settings else {}
    scenario = tp.example("mm1").with_(ENDLESS | tcp | settings)
    found = forecast.forecast(scenario, spend=0.1)
    assert found.is_bound == is_bound
    assert str(found).startswith("at most about " if is_bound else "about ")


def test_the_command_shows_it_on_request(tmp_path: Path) -> None:
    file = tmp_path / "mm1.toml"
    file.write_text(tp.example("mm1").text, "utf-8")
    said = command_here.call("show", file, "--set", "run.duration=20 s", "--cost", "--json", code=0)
    cost = json.loads(said.stdout)["cost"]
    assert set(cost) == {"seconds", "events", "memory", "share", "is-bound", "share-of-one"}
    said = command_here.call("show", file, "--set", "run.duration=20 s", "--cost")
    assert "\ncost             about " in said.stdout
    assert "cost" not in json.loads(command_here.call("show", file, "--json").stdout)
