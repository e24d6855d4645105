"""Connections of htsim that wait for each other: when each starts, worked by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import tcphoton as tp

if TYPE_CHECKING:
    from pathlib import Path

HOSTS = [f"h{at}" for at in range(6)]


def starts(folder: Path, text: str) -> list[float]:
    """Return the starts of connections in us, 2.5 us from each host to each other."""
    (folder / "a.cm").write_text(text)
    graph = tp.graphs.read_htsim(folder / "a.cm", HOSTS)
    graph.write_csv(folder / "graph.csv")
    scenario = {
        "run": {"duration": "1 s", "until": "all-files"},
        "topology": {
            "kind": "star",
            "hosts": len(HOSTS),
            "link": {"rate": "100 Tb/s", "delay": "1250 ns"},
        },
        "traffic": [
            {
                "from": "*",
                "to": "*",
                "transport": {"kind": "message", "window": "fixed"},
                "source": {"kind": "graph", "file": str(folder / "graph.csv")},
            }
        ],
    }
    table = tp.run(tp.Scenario.from_dict(scenario)).tables["operations"]
    return [start * 1e6 for start in table.sort("operation")["start"][: text.count("->")]]


def test_who_waits_for_acknowledgments_and_who_for_data(tmp_path: Path) -> None:
    text = """# the first has all data there after 2.5 us and acknowledged after 5
Nodes 6
Connections 5
Triggers 2
0->1 id 1 start 1000000 size 1000 send_done_trigger 1 recv_done_trigger 2
0->2 id 2 trigger 1 size 1000
3->4 id 3 trigger 1 size 1000
1->2 id 4 trigger 2 size 1000
0->3 id 5 trigger 2 size 1000
trigger id 1 oneshot
trigger id 2 oneshot
"""
    assert starts(tmp_path, text) == pytest.approx([1, 6, 6, 3.5, 3.5], abs=1e-3)


def test_starts_are_those_of_the_file_whatever_else_a_host_waits_for(tmp_path: Path) -> None:
    text = """0->1 id 1 start 7000000 size 1000
0->2 id 2 start 2000000.000000 size 1000
0->3 id 3 start 0 size 1000 send_done_trigger 1
0->4 id 4 start 7000000 size 1000
0->5 id 5 trigger 1 size 1000
trigger id 1 oneshot
"""
    assert starts(tmp_path, text) == pytest.approx([7, 2, 0, 7, 5], abs=1e-3)


def test_a_barrier_waits_for_all_and_a_multishot_trigger_starts_one_each_time(
    tmp_path: Path,
) -> None:
    text = """trigger id 3 barrier count 2
trigger count 0 id 4 multishot
0->1 id 1 start 0 size 1000 recv_done_trigger 3
1->2 id 2 start 3000000 size 1000 recv_done_trigger 3
3->4 id 3 trigger 3 size 1000 send_done_trigger 4
5->0 id 4 trigger 4 size 1000 recv_done_trigger 4
5->1 id 5 trigger 4 size 1000 send_done_trigger 4
5->2 id 6 trigger 4 size 1000
"""
    assert starts(tmp_path, text) == pytest.approx([0, 3, 5.5, 10.5, 13, 18], abs=1e-3)


ONE = "0->1 id 1 start 0 size 9 send_done_trigger 1\n"
TWO = "0->2 id 2 trigger 1 size 9\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ONE + TWO, ":1: no such trigger; found 1; accepted the id of a trigger of this file"),
        (TWO + "trigger id 1 oneshot\n",
         ":2: a oneshot trigger that another number of connections sets off; found 0; accepted 1"),
        (ONE + ONE + TWO + "trigger id 1 oneshot\n", ":4: a oneshot trigger that another number"),
        (ONE + TWO + "trigger id 1 barrier count 2\n",
         ":3: a barrier trigger that another number of connections sets off; found 1; accepted 2"),
        (ONE + ONE + TWO + TWO + "trigger id 1 multishot\n",
         ":5: a multishot trigger of which the run decides which connection it starts next; found"
         " set off by 2, 2 of which it does not start"),
        (ONE + TWO + TWO + "trigger id 1 multishot\n", ":4: a multishot trigger of which the run"),
        (ONE + "trigger id 1 oneshot\ntrigger id 1 barrier count 2\n", ":3: a second trigger with"),
        ("trigger id 0 oneshot\n", ":1: not a trigger; found trigger id 0 oneshot"),
        ("trigger id 1\n", ":1: not a trigger; found trigger id 1; accepted a trigger such as"),
        ("trigger id 1 oneshot barrier\n", ":1: not a trigger"),
        ("trigger id 1 oneshot often\n", ":1: not a trigger"),
        ("Triggers 2\n" + ONE + "trigger id 1 oneshot\n", ":1: another number of triggers than"),
        ("0->6 start 0 size 9\n", ":1: no such host; found 6; accepted 0 to 5"),
        ("Nodes 6\n", "no connection; accepted a connection in each line"),
    ],
)  # fmt: skip
def test_what_no_run_could_follow_is_an_error_with_its_line(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(tp.ScenarioError) as raised:
        starts(tmp_path, text)
    assert message in str(raised.value)


def test_connections_that_wait_for_each_other_in_a_circle_are_refused(tmp_path: Path) -> None:
    text = """0->1 id 1 trigger 1 size 9 send_done_trigger 2
0->2 id 2 trigger 2 size 9 send_done_trigger 1
trigger id 1 oneshot
trigger id 2 oneshot
"""
    with pytest.raises(tp.ScenarioError, match="wait"):
        starts(tmp_path, text)
