"""``make verify``: captures of traces, read by tshark.

Packets are written whole, so that tshark can verify every checksum. No packet may be malformed and
no checksum wrong, and SACK blocks are where they were sent. In the capture of a sender, tshark's
analysis of TCP must mark as sent again (as a retransmission, a fast or a spurious one, or out of
order) the very packets that the simulator sent again, and as many acknowledgments as duplicates as
repeat the one before. Exit code 1 where something differs.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

import tcphoton as tp
from tcphoton.traces.captures import pcapng

START = {"run.warmup": "0 s"}
LOSSY = START | {"run.duration": "60 s"}
STOP_AND_WAIT: dict[str, Any] = {
    "run.duration": "2 ms",
    "run.warmup": "0 s",
    "traffic.0.transport": {"kind": "stop-and-wait"},
    "traffic.0.source": {"kind": "bulk", "size": "100 kB"},
    "traffic.0.start": {"kind": "uniform", "from": "0 s", "to": "10 us"},
}


class Case(NamedTuple):
    """A scenario, a trace of it, and whether it is the capture of one host."""

    name: str
    settings: dict[str, Any]
    asked: dict[str, Any]
    at_host: bool = True


def lossy(**transport: Any) -> Case:
    """TCP over a path that loses packets, seen at its sender."""
    settings = {f"traffic.0.transport.{key}": value for key, value in transport.items()}
    return Case("tcp-lossy-path", LOSSY | settings, {"nodes": ["left-0"]})


CASES = [
    Case("dumbbell", START | {"run.duration": "5 s"}, {"nodes": ["left-0"]}),
    lossy(preset="reno"),
    lossy(preset="newreno"),
    lossy(preset="sack"),
    lossy(preset="sack", timestamps=False),
    Case("ecn", START | {"run.duration": "3 s"}, {"nodes": ["left-0"]}),
    Case("link-failure", START | {"run.duration": "16 s"}, {"nodes": ["a"]}),
    Case("fat-tree", START, {"stop": "4 ms"}, at_host=False),
    Case("lightpath-bundle", START, {"stop": "4 ms"}, at_host=False),
    Case("obs-burst-life", START | {"run.duration": "3 ms"}, {}, at_host=False),
    Case("ops-mesh", START | {"run.duration": "4 ms"}, {}, at_host=False),
    Case("mm1", START, {"stop": "1 s"}, at_host=False),
    Case("hybrid-fat-tree", START | {"run.duration": "100 us"}, {}, at_host=False),
    Case("fat-tree", STOP_AND_WAIT, {"stop": "100 us"}, at_host=False),
]
AGAIN = (
    "tcp.analysis.retransmission",
    "tcp.analysis.fast_retransmission",
    "tcp.analysis.spurious_retransmission",
    "tcp.analysis.out_of_order",
)
CHECKED = ("ip.checksum.status", "tcp.checksum.status", "udp.checksum.status")
FIELDS = (
    *AGAIN, *CHECKED, "_ws.malformed", "tcp.analysis.duplicate_ack_num", "tcp.options.sack.count",
    "frame.interface_name", "frame.len",
)  # fmt: skip


def read(data: bytes, folder: Path) -> pl.DataFrame:
    """What tshark says of each packet."""
    file = folder / "trace.pcapng"
    file.write_bytes(data)
    options = [
        part for key in ("ip", "tcp", "udp") for part in ("-o", f"{key}.check_checksum:TRUE")
    ]
    fields = [part for field in FIELDS for part in ("-e", field)]
    command = ["tshark", "-r", str(file), *options, "-T", "fields", *fields]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    return pl.DataFrame(rows, schema=list(FIELDS), orient="row")


def compare(case: Case, folder: Path) -> list[str]:
    """Everything in which tshark and the simulator differ."""
    traced = tp.trace(tp.example(case.name).with_(case.settings), **case.asked)
    rows = traced.rows().filter(pl.col("start").is_not_null())
    rows = rows.sort("start", maintain_order=True)
    seen = read(pcapng(traced, snap=65_535), folder)
    wrong = []

    def check(what: str, ours: object, theirs: object) -> None:
        if ours != theirs:
            wrong.append(f"{what}: ours {ours}, tshark's {theirs}")

    check("packets", rows.height, seen.height)
    if wrong:
        return wrong
    check("malformed", 0, (seen["_ws.malformed"] != "").sum())
    for field in CHECKED:
        bad = seen.filter(~pl.col(field).is_in(["1", ""]))
        check(field, 0, bad.height)
    check("interfaces", rows["link"].to_list(), seen["frame.interface_name"].to_list())
    found = pl.any_horizontal(pl.col(field) != "" for field in AGAIN)
    again = seen.select(found.alias("again"))["again"]
    sacks, dup = (
        (seen["tcp.options.sack.count"] != ""),
        seen["tcp.analysis.duplicate_ack_num"] != "",
    )
    check("SACK", (rows["sack-from-1"].is_not_null()).to_list(), sacks.to_list())
    ours = repeated(rows)
    if case.at_host:
        check("sent again", (rows["resent"] == 1).to_list(), again.to_list())
        check("duplicate ACKs", sum(ours), dup.sum())
    resent, dups, blocks = rows["resent"].sum(), dup.sum(), sacks.sum()
    print(
        f"{case.name:<18} {rows.height:>7} packets, {resent:>4} sent again, "
        f"{dups:>4} duplicate ACKs, {blocks:>4} with SACK: {'DIFFERS' if wrong else 'agrees'}"
    )
    return wrong


def repeated(rows: pl.DataFrame) -> list[bool]:
    """Which packets are duplicate acknowledgments: as the one before, with data in flight."""
    last: dict[int, tuple[Any, ...]] = {}
    high: dict[int, int] = {}
    found = []
    for row in rows.iter_rows(named=True):
        flow = row["flow"]
        if not row["backward"]:
            high[flow] = max(high.get(flow, 0), row["seq"] + row["data"])
        key = (row["ack"], row["window"])
        pure = row["backward"] == 1 and row["data"] == 0 and row["flags"] in ("ACK", "ACK ECE")
        found.append(pure and last.get(flow) == key and row["ack"] < high.get(flow, 0))
        if row["backward"]:
            last[flow] = key
    return found


def main() -> int:
    """Compare all cases."""
    if shutil.which("tshark") is None:
        print("tshark is not installed (Debian package tshark): captures are not verified.")
        return 0
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            wrong += [f"{case.name}: {line[:500]}" for line in compare(case, Path(folder))]
    print("\n".join(wrong) or "Captures: tshark and the simulator agree.")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
