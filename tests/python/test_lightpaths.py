"""Lightpaths on demand, as a user of the package sees them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import tcphoton as tp
from command_here import call

EXAMPLE = Path(__file__).parents[2] / "examples" / "lightpaths.toml"


def line() -> tp.Scenario:
    """Return four racks in a row, with one datagram of 0.8 µs over three fibres of 5 µs."""
    datagram = {
        "from": "a",
        "to": "b",
        "transport": {"kind": "udp", "header": "0 B"},
        "source": {"kind": "cbr", "rate": "80 kb/s", "packet": "1000 B"},
    }
    core = {"kind": "lightpath", "channels": 2, "signalling": "1 us", "reconfiguration": "2 us"}
    return tp.Scenario.from_dict(
        {
            "run": {"duration": "10 ms"},
            "topology": {
                "kind": "line",
                "routers": 4,
                "link": {"rate": "10 Gb/s", "delay": "5 us"},
                "access": {"rate": "10 Gb/s", "delay": "500 ns"},
            },
            "core": core,
            "traffic": [datagram],
        }
    )


def test_a_trace_has_a_packet_on_each_fibre() -> None:
    rows = tp.trace(line()).rows()
    assert rows["link"].to_list() == ["a -> r0", "r0 -> r1", "r1 -> r2", "r2 -> r3", "r3 -> b"]
    micro = 1e6 * rows.select("start", "end", "arrived").to_numpy()
    # The answer is back at 37.3 µs; bits pass the racks between as they come.
    expected = [
        [0.0, 0.8, 1.3],
        [37.3, 38.1, 42.3],
        [42.3, 43.1, 47.3],
        [47.3, 48.1, 53.1],
        [53.1, 53.9, 54.4],
    ]
    assert micro.ravel() == pytest.approx(np.ravel(expected), abs=1e-6)


def test_an_overview_has_the_routes_that_are_tried() -> None:
    shown = tp.example("lightpaths").show()
    assert shown["cross-connects"] == 9
    first, second = shown["routes"][:2]
    # Two nodes process a request for 10 µs each, and the last one sets its switch in 1 ms.
    assert first == {
        "from": "r0-0",
        "to": "r0-1",
        "by": "",
        "hops": 1,
        "propagation": "500 us",
        "set-up": "2.02 ms",
    }
    assert (second["by"], second["hops"], second["set-up"]) == ("r0-2", 2, "3.03 ms")


def test_sums_of_lightpaths_and_fibres_are_measures_of_sweeps() -> None:
    report = tp.run(tp.example("lightpaths").with_({"run.duration": "100 ms"}))
    lightpaths, fibres = (report.record[name] for name in ("lightpaths", "fibres"))
    table = report.tables["lightpaths"]
    requests, held, *causes = (
        table[name].to_numpy().sum()
        for name in ("requests", "held", "blocked-channel", "blocked-transceiver")
    )
    assert lightpaths["requests"] == requests > 100
    assert lightpaths["blocking"] == pytest.approx(sum(causes) / requests)
    assert lightpaths["held"] == pytest.approx(held)
    assert fibres["held-mean"] == pytest.approx(report.tables["fibres"]["held-mean"].sum())
    # Each lightpath holds a channel of each of its fibres.
    assert report.tables["fibres"]["lightpaths"].sum() == pytest.approx(
        (table["granted"] * table["hops-mean"].fill_nan(0).fill_null(0)).sum()
    )


def test_the_summary_says_what_was_blocked() -> None:
    done = call("run", EXAMPLE, "--set", "run.duration=100 ms", code=0)
    shown = " ".join(done.stdout.split())
    found = re.search(
        r"requests for lightpaths: ([\d,]+), ([\d.]+)% blocked; [\d.]+ at a time", shown
    )
    assert found, shown
    report = tp.run(tp.Scenario.load(EXAMPLE).with_({"run.duration": "100 ms"}))
    assert int(found[1].replace(",", "")) == report.record["lightpaths"]["requests"]
