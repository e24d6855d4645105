"""Traffic matrices in files: tables, Parquet, and the demands of SNDlib."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import tcphoton as tp
from test_file_networks import ACCESS, SMALL

if TYPE_CHECKING:
    from pathlib import Path

DEMANDS = "from,to,demand\nBern,Wien,6\nWien,Ulm,2.5\nUlm,Bern,0.5\n"
SQUARE = ",Bern,Ulm,Wien\nBern,0,0,6\nUlm,0.5,0,0\nWien,0,2.5,0\n"
SNDLIB = SMALL.replace("D1 ( Bern Wien ) 1 220.00 UNLIMITED", """
  D1 ( Bern Wien ) 1 6.00 UNLIMITED
  D2 ( Wien Ulm ) 1 2.50 UNLIMITED
  D3 ( Ulm Bern ) 1 0.50 UNLIMITED""".strip())  # fmt: skip
XML = (
    "<network><networkStructure/><demands>"
    + "".join(
        f"\n<demand id='{value}'><source>{start}</source><target>{end}</target>"
        f"<demandValue>{value}</demandValue></demand>"
        for start, end, value in (("Bern", "Wien", 6), ("Wien", "Ulm", 2.5), ("Ulm", "Bern", 0.5))
    )
    + "</demands></network>"
)
CBR = {"kind": "cbr", "rate": "1 Mb/s", "packet": "125 B"}
WANTED = {("Bern", "Wien"): 6e6, ("Wien", "Ulm"): 2.5e6, ("Ulm", "Bern"): 0.5e6}


def scenario(folder: Path, table: str | bytes, name: str = "m.csv", **entry: Any) -> tp.Scenario:
    """Return a scenario whose traffic between three places is in a file."""
    (folder / "small.txt").write_text(SMALL)
    (folder / name).write_bytes(table if isinstance(table, bytes) else table.encode())
    traffic = {
        "from": "host-*",
        "to": "host-*",
        "matrix": {"file": str(folder / name)},
        "transport": {"kind": "udp", "header": "0 B"},
        "source": CBR,
        **entry,
    }
    topology = {
        "kind": "file",
        "file": str(folder / "small.txt"),
        "link": {"rate": "20 Mb/s"},
        "hosts": 1,
        "access": ACCESS,
    }
    run = {"duration": "3 s", "warmup": "1 s"}
    return tp.Scenario.from_dict({"run": run, "topology": topology, "traffic": [traffic]})


def goodputs(network: tp.Scenario) -> dict[tuple[str, str], float]:
    rows = tp.run(network).flows.select("from", "to", "goodput").iter_rows()
    return {
        (start.removeprefix("host-")[:-2], end.removeprefix("host-")[:-2]): rate
        for start, end, rate in rows
    }


TWICE = "<demand><source>Bern</source><target>Wien</target><demandValue>1.5</demandValue></demand>"


@pytest.mark.parametrize(
    ("table", "name"),
    [
        (SNDLIB.replace("6.00", "4.50").replace("D2", "D4 ( Bern Wien ) 1 1.5 5\nD2"), "m.txt"),
        (XML.replace(">6<", ">4.5<").replace("<demands>", f"<demands>{TWICE}"), "m.xml"),
    ],
)
def test_several_demands_of_sndlib_between_two_places_are_added(
    tmp_path: Path, table: str, name: str
) -> None:
    summed = scenario(tmp_path, table, name)
    assert summed.show()["links"] == scenario(tmp_path, DEMANDS).show()["links"]


def only(folder: Path, table: str | bytes, name: str = "m.csv", **entry: Any) -> str:
    (mistake,) = scenario(folder, table, name, **entry).check()
    return str(mistake).replace(str(folder), "")


@pytest.mark.parametrize(
    ("name", "text"), [("m.csv", DEMANDS), ("s.csv", SQUARE), ("n.txt", SNDLIB), ("x.xml", XML)]
)
def test_every_form_of_a_matrix_gives_its_rates(tmp_path: Path, name: str, text: str) -> None:
    network = scenario(tmp_path, text, name)
    assert goodputs(network) == pytest.approx(WANTED, rel=4e-3)
    assert network.show()["traffic"][0]["offered"] == pytest.approx(9e6)


def test_a_matrix_in_parquet_is_that_in_csv(tmp_path: Path) -> None:
    table = pl.DataFrame(
        {"to": ["Wien", "Ulm", "Bern"], "from": ["Bern", "Wien", "Ulm"], "demand": [6.0, 2.5, 0.5]}
    )
    table.write_parquet(tmp_path / "m.parquet")
    data = (tmp_path / "m.parquet").read_bytes()
    network = scenario(tmp_path, data, "m.parquet")
    assert network.digest == scenario(tmp_path, DEMANDS).digest
    assert "not Parquet" in only(tmp_path, data[:40] + b"\0" * 40 + data[80:], "m.parquet")
    bad = table.with_columns(pl.Series("from", ["Bern", "Wein", "Ulm"]))
    bad.write_parquet(tmp_path / "b.parquet")
    found = only(tmp_path, (tmp_path / "b.parquet").read_bytes(), "b.parquet")
    assert found.startswith("/b.parquet:3: traffic.0.matrix.demands.1.from: no place has this name")


def test_a_load_scales_the_matrix_and_sweeps_vary_it(tmp_path: Path) -> None:
    # Of 9 units 6 go over Bern -> Ulm and over Ulm -> Wien: a load of 0.6 is 12 Mb/s there.
    source = {key: value for key, value in CBR.items() if key != "rate"}
    loaded = scenario(tmp_path, DEMANDS, load=0.6, source=source)
    assert loaded.show()["links"][0]["load"] == pytest.approx(0.6)
    assert goodputs(loaded)["Wien", "Ulm"] == pytest.approx(12e6 * 2.5 / 6, rel=4e-3)
    (tmp_path / "other.csv").write_text(DEMANDS.replace("2.5", "5"))
    names = [str(tmp_path / name) for name in ("m.csv", "other.csv")]
    sweep = tp.Sweep(
        loaded, {"traffic.0.load": [0.3, 0.6], "traffic.0.matrix.file": names}, seeds=1
    )
    assert len(set(sweep.checked().digests())) == 4


def test_a_sweep_keeps_the_matrix_that_it_has_read(tmp_path: Path) -> None:
    network = scenario(tmp_path, DEMANDS)
    (tmp_path / "copy.csv").write_text("# a copy\n" + DEMANDS)
    copy = network.with_({"traffic.0.matrix.file": str(tmp_path / "copy.csv")})
    assert copy.digest == network.digest
    for name in ("m.csv", "copy.csv", "small.txt"):
        (tmp_path / name).unlink()
    again = pickle.loads(pickle.dumps(network))
    table = tp.Sweep(again, {"run.duration": ["2 s"]}, seeds=1).run(tmp_path / "out")
    assert table.height == 1


def test_transfers_arrive_as_often_as_their_demands_say(tmp_path: Path) -> None:
    source = {"kind": "transfers", "per-second": 40.0, "size": "1 kB"}
    network = scenario(tmp_path, DEMANDS, transport={"kind": "tcp"}, source=source)
    report = tp.run(network.with_({"run.duration": "21 s"}))
    # 40 · 9 a second, over 21 s 7560, with a standard deviation of 87.
    assert report.traffic["flows"][0] == pytest.approx(7560, abs=400)


@pytest.mark.parametrize(
    ("table", "error"),
    [
        (DEMANDS.replace("Wien,Ulm", "Wein,Ulm"),
         '/m.csv:3: traffic.0.matrix.demands.1.from: no place has this name (did you mean "Wien"'),
        (DEMANDS + "Bern,Wien,1\n",
         "/m.csv:5: traffic.0.matrix.demands.3: a second demand between these places"),
        (DEMANDS.replace("2.5", "-2.5"), "/m.csv:3: traffic.0.matrix.demands.1.demand: below zero"),
        (DEMANDS.replace("2.5", "nan"), "/m.csv:3: not a demand; found nan"),
        (DEMANDS.replace("2.5", "1e19"), "/m.csv:3: traffic.0.matrix.demands.1.demand: too large"),
        (DEMANDS.replace(",2.5", ""), "/m.csv:3: too few columns; found Wien,Ulm"),
        (SQUARE.replace("2.5,0", "2.5,0,0"), "/m.csv:4: more columns than the header; found Wien"),
        (SQUARE.replace("Wien,0", "Wein,0"),
         "/m.csv:4: traffic.0.matrix.demands.7.from: no place has this name"),
        ("demand\n1\n", "/m.csv:1: no matrix; found demand; accepted a header with from, to and"),
        (SMALL.replace("D1 ( Bern Wien ) 1", "D1 ( Bern )"), "/m.csv:11: not a demand; found D1"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_matrix_has_its_line(tmp_path: Path, table: str, error: str) -> None:
    assert only(tmp_path, table)[: len(error)] == error


def test_a_matrix_needs_a_source_with_a_rate(tmp_path: Path) -> None:
    found = only(tmp_path, DEMANDS, transport={"kind": "tcp"}, source={"kind": "bulk"})
    assert "traffic.0.source: a source without a rate that a demand could multiply" in found
    assert "traffic.0.pattern: does not apply" in only(tmp_path, DEMANDS, pattern="all")
    assert "/m.csv: no demands; found " in only(tmp_path, SMALL.partition("DEMANDS")[0])


def test_a_place_of_an_optical_network_is_a_core_router() -> None:
    demands = [
        {"from": "WA", "to": "NY", "demand": 8.0},
        {"from": "edge-NY", "to": "host-WA-1", "demand": 1.0},
    ]
    topology = {
        "kind": "nsfnet",
        "edges": ["WA", "NY"],
        "link": {"rate": "10 Gb/s", "channels": 4},
        "hosts": 2,
        "access": ACCESS,
    }
    network = tp.Scenario.from_dict(
        {
            "run": {"duration": "300 ms"},
            "topology": topology,
            "assembly": {"timeout": "1 ms", "max-size": "20 kB"},
            "traffic": [
                {
                    "from": "host-*",
                    "to": "host-*",
                    "matrix": {"demands": demands},
                    "transport": {"kind": "udp"},
                    "source": CBR,
                }
            ],
        }
    )
    sent = tp.run(network).flows.select("from", "to", "packets-sent").rows()
    pairs = [(start, end) for start, end, _ in sent]
    wa, ny = ([f"host-{place}-{at}" for at in (0, 1)] for place in ("WA", "NY"))
    assert pairs == [*((a, b) for a in wa for b in ny), *((b, wa[1]) for b in ny)]
    # 2 and 0.5 Mb/s are 2000 and 500 packets a second.
    assert [count for *_, count in sent] == [600] * 4 + [150] * 2
