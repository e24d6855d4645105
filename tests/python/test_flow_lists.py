"""Lists of flows in the forms of other simulators."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tcphoton as tp

if TYPE_CHECKING:
    from pathlib import Path

HOSTS = [f"h{rack}-{at}" for rack in range(3) for at in range(2)]
"""Six hosts, as a network of three leaves names them."""


def written(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text, "utf-8")
    return file


def test_the_same_flows_in_both_forms(tmp_path: Path) -> None:
    expected = [(182729e-9, "h0-0", "h2-1", 560), (0.25, "h1-1", "h0-1", 400_000)]
    opera = written(tmp_path, "a.htsim", "0 5 560 182729\n3 1 400000 250000000\n")
    matrix = "Nodes 6\nConnections 2\n0->5 id 1 start 182729000 size 560\n"
    matrix += "3->1 id 2 start 250000000000 size 400000\n"
    for file in (opera, written(tmp_path, "a.cm", matrix)):
        flows = tp.flow_lists.read(file, HOSTS)
        assert flows.columns == ["start", "from", "to", "size"]
        assert flows.rows() == expected
        other = tmp_path / f"b{file.suffix}"
        tp.flow_lists.write(other, flows, HOSTS)
        assert other.read_text("utf-8") == file.read_text("utf-8")


def test_a_list_that_was_read_is_replayed(tmp_path: Path) -> None:
    file = written(tmp_path, "a.htsim", "0 5 30000 100000\n4 1 90000 0\n")
    flows = tp.flow_lists.read(file, HOSTS)
    flows.write_csv(tmp_path / "flows.csv")
    source = {"kind": "flows", "file": str(tmp_path / "flows.csv")}
    traffic = {"from": "h*", "to": "h*", "transport": {"kind": "tcp"}, "source": source}
    racks = {"topology.leaves": 3, "topology.hosts": 2, "traffic": [traffic]}
    report = tp.run(tp.example("rotor").with_(racks))
    found = report.flows.sort("start").select("start", "from", "to", "size").rows()
    assert found == [(0.0, "h2-0", "h0-1", 90_000), (1e-4, "h0-0", "h2-1", 30_000)]
    assert report.flows["end"].null_count() == 0


def test_starts_of_a_matrix_have_six_places_where_htsim_writes_them(tmp_path: Path) -> None:
    file = written(tmp_path, "a.cm", "Connections 1\n0->3 start 1500000.000000 size 9\n")
    assert tp.flow_lists.read(file, HOSTS).rows() == [(1.5e-6, "h0-0", "h1-1", 9)]


@given(
    st.lists(
        st.tuples(
            st.integers(0, 10**10), st.sampled_from(HOSTS), st.sampled_from(HOSTS),
            st.integers(1, 10**12),
        ),
        min_size=1,
    ),
    st.sampled_from([".htsim", ".cm"]),
)  # fmt: skip
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, flows: list[tuple[int, str, str, int]], form: str
) -> None:
    rows = [(start / 1e9, *rest) for start, *rest in flows]
    schema = ["start", "from", "to", "size"]
    table = pl.DataFrame(rows, schema=schema, orient="row")
    file = tmp_path_factory.mktemp("flows") / f"list{form}"
    tp.flow_lists.write(file, table, HOSTS)
    assert tp.flow_lists.read(file, HOSTS).rows() == rows


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.htsim", "0 5 560 1\n0 6 560 1\n", ":2: no such host; found 6; accepted 0 to 5"),
        ("a.htsim", "0 5 560\n", ":1: not a flow; found 0 5 560; accepted four whole numbers"),
        ("a.htsim", "0 5 0 1\n", ":1: no size of a flow; found 0; accepted 1 B or more"),
        ("a.htsim", "\n", "no flow; accepted a flow in each line"),
        ("a.cm", "Nodes 6\n0->5 size 9\n", ":2: a connection that nothing starts"),
        ("a.cm", "0->5 start 0 trigger 1 size 9\n", ":1: a connection that both an instant and a"),
        ("a.cm", "0->5 trigger 1 size 9\n", "starts; accepted a start alone; tp.graphs.read_htsim"),
        (
            "a.cm",
            "0->5 start 0 size 9 send_done_trigger 1\n",
            ":1: a connection that sets off a tr",
        ),
        ("a.cm", "0->5 start 0.5 size 9\n", ":1: not a start in whole picoseconds"),
        ("a.cm", "0->5 start 0.000000 size 0\n", ":1: a connection of 0 B, which never ends"),
        ("a.cm", "0->5 id 1 msg start 0 size 9\n", ":1: a message over a connection with others"),
        ("a.cm", "0->5 start 0 size 9 prio 3\n", ":1: a priority among what a host receives"),
        ("a.cm", "0->5 start 0 size 9 weight 3\n", ':1: not a connection: an unknown word "wei'),
        ("a.cm", "0->5 start 0 size\n", ":1: not a connection: not one number after size"),
        ("a.cm", "Connections 2\n0->5 start 0 size 9\n", ":1: another number of connections tha"),
        ("a.cm", "failure switch_type AGG switch_id 0 link_id 1\n", "accepted [[changes]] of the"),
        ("a.cm", "0->5 start 0\n", ":1: a connection without a size"),
        ("a.cm", "0 5 560 1\n", ":1: not a connection; found 0 5 560 1; accepted a connection"),
    ],
)
def test_what_is_no_list_is_an_error_with_its_line(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    with pytest.raises(tp.ScenarioError) as raised:
        tp.flow_lists.read(written(tmp_path, name, text), HOSTS)
    assert message in str(raised.value)


def test_another_form_and_an_unknown_host_are_errors(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"a\.txt: an unknown form of flows; accepted \.htsim"):
        tp.flow_lists.read(tmp_path / "a.txt", HOSTS)
    flows = tp.flow_lists.read(written(tmp_path, "a.htsim", "0 5 560 1\n"), HOSTS)
    with pytest.raises(ValueError, match="the host 'h2-1' has no number"):
        tp.flow_lists.write(tmp_path / "b.cm", flows, HOSTS[:3])
