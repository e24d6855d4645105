"""The scenarios that are compared with ns-2 and ns-3, event for event the same set-up.

Those of ns-2 use the profile ``ns2-2003`` with what ns-2 2.35 has changed since: the first
retransmission timeout is 3 s and the largest 60 s. Everything else that is set is set in the ns-2
scripts too (``ns2/*.tcl``).
"""

from __future__ import annotations

from typing import Any

from tcphoton import Scenario

FLAVOURS = ("tahoe", "reno", "newreno", "sack", "cubic")


def transport(preset: str, segment: int, window: int, min_rto: float) -> dict[str, Any]:
    """TCP as the ns-2 scripts set it."""
    return {
        "kind": "tcp",
        "preset": preset,
        "segment": f"{segment} B",
        "max-window": f"{window} segments",
        "min-rto": f"{min_rto} s",
        "initial-rto": "3 s",
        "max-rto": "60 s",
    }


def lossy_path(preset: str, p: float, min_rto: float) -> Scenario:
    """One flow, 10 Gb/s, a round trip of 100 ms, Bernoulli loss of data packets, 2000 s."""
    link = {
        "rate": "10 Gb/s",
        "delay": "50 ms",
        "queue": {"kind": "drop-tail", "packets": 100000},
        "loss": {"kind": "bernoulli", "p": p, "direction": "forward"},
    }
    return Scenario.from_dict(
        {
            "profile": "ns2-2003",
            "run": {"duration": "2000 s"},
            "topology": {"kind": "line", "routers": 0, "link": link},
            "traffic": [
                {
                    "from": "a",
                    "to": "b",
                    "transport": transport(preset, 1460, 10000, min_rto),
                    "source": {"kind": "bulk"},
                }
            ],
        }
    )


def bbr(flows: int) -> Scenario:
    """Flows of BBR version 1 over 50 Mb/s and 40 ms, a buffer of four times what that holds, 60 s.

    A segment leaves at a time, as in ns-3.
    """
    link = {
        "rate": "50 Mb/s",
        "delay": "20 ms",
        "queue": {"kind": "drop-tail", "packets": 668},
    }
    congestion = {"kind": "bbr1", "quantum": "1448 B"}
    starts = [(0.5 * n, 0.5 * n + 0.4) for n in range(flows)]
    return Scenario.from_dict(
        {
            "profile": "linux",
            "run": {"duration": "60 s", "warmup": "20 s"},
            "topology": {"kind": "line", "routers": 0, "link": link},
            "traffic": [
                {
                    "from": "a",
                    "to": "b",
                    "transport": {"kind": "tcp", "congestion": congestion, "segment": "1448 B"},
                    "source": {"kind": "bulk"},
                    "start": {"kind": "uniform", "from": f"{first} s", "to": f"{last} s"},
                }
                for first, last in starts
            ],
        }
    )


def dumbbell(preset: str) -> Scenario:
    """500 flows over ten access pairs of 2i ms and a bottleneck of 622 Mb/s, 20 s."""
    queue = {"kind": "drop-tail", "packets": 1000}
    return Scenario.from_dict(
        {
            "profile": "ns2-2003",
            "run": {"duration": "20 s"},
            "topology": {
                "kind": "dumbbell",
                "pairs": 10,
                "access": {"rate": "155 Mb/s", "queue": queue},
                "access-delays": [f"{2 * i} ms" for i in range(1, 11)],
                "bottleneck": {"rate": "622 Mb/s", "delay": "10 ms", "queue": queue},
            },
            "traffic": [
                {
                    "from": "left-*",
                    "to": "right-*",
                    "count": 50,
                    "start": {"kind": "uniform", "from": "0 s", "to": "1 s"},
                    "transport": transport(preset, 1460, 1000, 0.2),
                    "source": {"kind": "bulk"},
                }
            ],
        }
    )


def fat_tree(preset: str) -> Scenario:
    """128 flows by a random permutation over a fat tree of k = 8, 0.2 s."""
    link = {
        "rate": "10 Gb/s",
        "delay": "500 ns",
        "queue": {"kind": "drop-tail", "packets": 100},
    }
    return Scenario.from_dict(
        {
            "profile": "ns2-2003",
            "run": {"duration": "200 ms"},
            "topology": {"kind": "fat-tree", "k": 8, "link": link},
            "traffic": [
                {
                    "from": "h*",
                    "to": "h*",
                    "pattern": "permutation",
                    "start": {"kind": "uniform", "from": "0 s", "to": "1 ms"},
                    "transport": transport(preset, 8960, 500, 0.2),
                    "source": {"kind": "bulk"},
                }
            ],
        }
    )
