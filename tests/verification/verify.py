"""The part `simulators` of ``make verify``: the engine against theory, ns-2 and ns-3.

The rules are those of the project's first issue: on the lossy path Reno within 15 % of Padhye's
full formula, NewReno and SACK within 10 % at a minimum RTO of 0.2 s, every flavour within 7 % of
ns-2's agent of the same name; on the dumbbell and the fat tree goodput within 2 %, loss within 8 %
of ns-2's loss, Jain's index within 0.04; BBR version 1 within 2 % of ns-3's goodput, 25 % of its
mean queue. A comparison *agrees* when the means are within the bound,
*differs* when even the nearest ends of the two 95 % intervals are not, else the intervals decide
nothing and it *cannot tell*. ns-2's rows are recorded in ``reference``; where ``ns`` is installed a
few are run again and must be the same to the last digit.

Writes tables and figures into ``out/verify``. Exit code 0 whatever the verdicts: 'differs' is a
result.
"""

from __future__ import annotations

import itertools
import shutil
import subprocess
from pathlib import Path
from typing import Any

import polars as pl
import scenarios
from all_cores import run_all

import tcphoton as tp
from tcphoton import figures
from tcphoton.analysis import statistics, theory

HERE = Path(__file__).parent
OUT = Path("out/verify")
LOSSES = (0.001, 0.005, 0.01, 0.02)
MIN_RTOS = (0.2, 1.0)
LOSSY_SEEDS = 8
DUMBBELL_SEEDS = 10
FAT_TREE_SEEDS = 30
#: Arguments of the ns-2 runs that are repeated to show that the record is current.
REPEATED: dict[str, list[tuple[str, ...]]] = {
    "lossy_path": [("reno", "0.01", "0.2", "1", "2000"), ("sack", "0.02", "1.0", "1", "2000")],
    "dumbbell": [("sack", "1", "20")],
    "fat_tree": [("sack", "1", "0.2")],
}


def main() -> int:
    """Run everything and print it."""
    OUT.mkdir(parents=True, exist_ok=True)
    repeat_ns2()
    rows = [*lossy_path(), *network("dumbbell"), *network("fat_tree"), *bbr()]
    table = pl.DataFrame(rows)
    table.write_csv(OUT / "verdicts.csv")
    counts = table.get_column("verdict").value_counts(sort=True)
    print("\n" + ", ".join(f"{n} {verdict}" for verdict, n in counts.iter_rows()))
    print(f"Tables and figures are in {OUT}/.")
    return 0


def verdict(ours: list[float], theirs: list[float], bound: float, *, relative: bool) -> Row:
    """Compare two means; ``bound`` is a share of theirs or an absolute difference."""
    mine, other = statistics.mean_interval(ours), mean(theirs)
    allowed = bound * abs(other.mean) if relative else bound
    apart = abs(mine.mean - other.mean)
    nearest = max(mine.low - other.high, other.low - mine.high, 0.0)
    otherwise = "differs" if nearest > allowed else "cannot tell"
    word = "agrees" if apart <= allowed else otherwise
    return {
        "ours": mine.mean,
        "ours low": mine.low,
        "ours high": mine.high,
        "reference": other.mean,
        "reference low": other.low,
        "reference high": other.high,
        "difference": (mine.mean / other.mean - 1) if relative else mine.mean - other.mean,
        "bound": bound,
        "verdict": word,
    }


Row = dict[str, Any]


def mean(values: list[float]) -> statistics.Interval:
    """A mean with its interval; a single value (a formula's) has none."""
    if len(values) == 1:
        return statistics.Interval(values[0], values[0], values[0], 1)
    return statistics.mean_interval(values)


def tell(row: Row) -> Row:
    """Print a comparison."""
    unit = "" if row["measure"] in ("jain", "loss") else " %"
    scale = 100 if unit else 1
    print(
        f"{row['where']:<34} {row['measure']:<8} {row['against']:<7}"
        f"{row['ours']:>12.4f} [{row['ours low']:.4f}, {row['ours high']:.4f}]"
        f"{row['reference']:>12.4f} {scale * row['difference']:>+8.3f}{unit:<2}"
        f" (bound {scale * row['bound']:g}{unit}) {row['verdict']}",
        flush=True,
    )
    return row


def reference(name: str) -> pl.DataFrame:
    """The recorded rows of ns-2 or ns-3."""
    return pl.read_csv(HERE / f"reference/{name}.csv", comment_prefix="#")


def lossy_path() -> list[Row]:
    """Five flavours, four losses, two minimum RTOs: against Padhye and against ns-2."""
    cases = list(itertools.product(scenarios.FLAVOURS, LOSSES, MIN_RTOS))
    tasks = [
        (scenarios.lossy_path(flavour, p, min_rto), seed)
        for flavour, p, min_rto in cases
        for seed in range(1, LOSSY_SEEDS + 1)
    ]
    reports = run_all(tasks, "lossy path")
    ns2, rows, sent_rows = reference("ns2_lossy_path"), [], []
    for at, (flavour, p, min_rto) in enumerate(cases):
        flows = [r.flows for r in reports[at * LOSSY_SEEDS : (at + 1) * LOSSY_SEEDS]]
        sent = [float(f["packets-sent"][0]) / 2000 for f in flows]
        goodput = [float(f["delivered"][0]) * 8 / 2000 / 1e6 for f in flows]
        where = {"where": f"{flavour} p={p} min RTO {min_rto} s", "flavour": flavour, "p": p}
        interval = statistics.mean_interval(sent)
        sent_rows.append(
            {"flavour": flavour, "p": p, "min_rto_s": min_rto, "packets a second": str(interval)}
        )
        if flavour == "reno" or (flavour in ("newreno", "sack") and min_rto == 0.2):
            formula = theory.padhye(p, rtt=0.1, t0=min_rto)
            bound = 0.15 if flavour == "reno" else 0.10
            compared = verdict(sent, [formula], bound, relative=True)
            rows.append(tell({**where, "measure": "packets/s", "against": "Padhye", **compared}))
        same = ns2.filter(
            (pl.col("flavour") == flavour) & (pl.col("p") == p) & (pl.col("min_rto_s") == min_rto)
        )
        theirs = (same["goodput_bps"] / 1e6).to_list()
        compared = verdict(goodput, theirs, 0.07, relative=True)
        rows.append(tell({**where, "measure": "Mb/s", "against": "ns-2", **compared}))
    pl.DataFrame(sent_rows).write_csv(OUT / "lossy-path.csv")
    return rows


def network(name: str) -> list[Row]:
    """The dumbbell or the fat tree, all flavours recorded, against ns-2."""
    ns2 = reference(f"ns2_{name}")
    flavours = ns2["flavour"].unique(maintain_order=True).to_list()
    seeds = DUMBBELL_SEEDS if name == "dumbbell" else FAT_TREE_SEEDS
    scenario = scenarios.dumbbell if name == "dumbbell" else scenarios.fat_tree
    tasks = [(scenario(f), seed) for f in flavours for seed in range(1, seeds + 1)]
    reports = run_all(tasks, name)
    rows, pairs = [], []
    for at, flavour in enumerate(flavours):
        mine = [measures(name, r) for r in reports[at * seeds : (at + 1) * seeds]]
        theirs = ns2.filter(pl.col("flavour") == flavour)
        where = {"where": f"{name} {flavour}", "flavour": flavour, "p": None, "against": "ns-2"}
        for measure, column, bound, relative, scale in (
            ("Mb/s", "goodput_bps", 0.02, True, 1e-6),
            ("loss %", "loss_ratio", 0.08, True, 100.0),
            ("jain", "jain", 0.04, False, 1.0),
        ):
            ours = [scale * m[column] for m in mine]
            other = (theirs[column] * scale).to_list()
            compared = verdict(ours, other, bound, relative=relative)
            rows.append(tell({**where, "measure": measure, **compared}))
        if name == "dumbbell":
            pairs += pair_rows(flavour, mine, theirs)
    if pairs:
        show_pairs(pl.DataFrame(pairs))
    return rows


def bbr() -> list[Row]:
    """One flow and two flows of BBR version 1, against ns-3."""
    ns3, rows = reference("ns3_bbr"), []
    for flows, flavours in ((1, "TcpBbr"), (2, "TcpBbr+TcpBbr")):
        seeds = range(1, DUMBBELL_SEEDS + 1)
        reports = run_all([(scenarios.bbr(flows), seed) for seed in seeds], f"bbr {flows}")
        theirs = ns3.filter(pl.col("flavours") == flavours)
        links = [r.links.filter(pl.col("link") == "a -> b") for r in reports]
        where = {"where": f"bbr1 {flows}", "flavour": "bbr1", "p": None, "against": "ns-3"}
        for measure, ours, column, scale, bound in (
            (
                "Mb/s",
                [float(r.flows["goodput"].sum()) / 1e6 for r in reports],
                "goodput_bps",
                1e-6,
                0.02,
            ),
            ("queue", [q["queue-mean"][0] for q in links], "waiting_packets", 1.0, 0.25),
            ("jain", [statistics.jain(r.flows["delivered"]) for r in reports], "jain", 1.0, 0.04),
        ):
            if measure == "jain" and flows == 1:
                continue
            other = (theirs[column] * scale).to_list()
            compared = verdict(ours, other, bound, relative=measure != "jain")
            rows.append(tell({**where, "measure": measure, **compared}))
    return rows


def measures(name: str, report: tp.Report) -> dict[str, float]:
    """What the ns-2 scripts print, from a report."""
    flows, links = report.flows, report.links
    seconds = report.summary["simulated"]
    result = {
        "goodput_bps": float(flows["delivered"].sum()) * 8 / seconds,
        "jain": statistics.jain(flows["delivered"]),
    }
    queues = links.filter(pl.col("link") == "left -> right") if name == "dumbbell" else links
    dropped, offered = (int(queues[name].sum()) for name in ("dropped-queue", "packets-in"))
    result["loss_ratio"] = dropped / offered
    for pair in range(10 if name == "dumbbell" else 0):
        delivered = flows.filter(pl.col("from") == f"left-{pair}")["delivered"].sum()
        result[f"pair{pair + 1}_goodput_bps"] = delivered * 8 / seconds
    return result


def pair_rows(flavour: str, mine: list[dict[str, float]], theirs: pl.DataFrame) -> list[Row]:
    """The goodput of each of the ten pairs."""
    rows = []
    for pair in range(1, 11):
        column = f"pair{pair}_goodput_bps"
        for who, values in (
            ("tcphoton", [m[column] / 1e6 for m in mine]),
            ("ns-2", (theirs[column] / 1e6).to_list()),
        ):
            interval = statistics.mean_interval(values)
            rows.append(
                {
                    "flavour": flavour,
                    "who": who,
                    "pair": pair,
                    "goodput": interval.mean,
                    "low": interval.low,
                    "high": interval.high,
                }
            )
    return rows


def show_pairs(table: pl.DataFrame) -> None:
    """Print the pairs side by side and draw SACK's: the phase effects of drop-tail queues."""
    table.write_csv(OUT / "dumbbell-pairs.csv")
    for flavour in table["flavour"].unique(maintain_order=True):
        for who in ("tcphoton", "ns-2"):
            rows = table.filter((pl.col("flavour") == flavour) & (pl.col("who") == who))
            values = " ".join(f"{value:6.1f}" for value in rows["goodput"])
            print(f"pairs 1 … 10, Mb/s  {flavour:<8} {who:<9} {values}")
    chart = figures.lines(
        table.filter(pl.col("flavour") == "sack"),
        x="pair",
        y="goodput",
        by="who",
        low="low",
        high="high",
        units={"goodput": "Mb/s"},
        titles={"pair": "Pair", "goodput": "Goodput"},
    )
    figures.save(chart, OUT / "dumbbell-pairs")


def repeat_ns2() -> None:
    """Run a few rows of ns-2 again, where it is installed, and compare them to the record."""
    if shutil.which("ns") is None:
        print("ns-2 is not installed (Debian package ns2): its recorded rows are used unrepeated.")
        return
    for name, calls in REPEATED.items():
        recorded = (HERE / f"reference/ns2_{name}.csv").read_text().splitlines()
        header = recorded[1].split(",")
        # The last columns of the network scripts are times, which are another each time.
        width = header.index("cpu_s") if "cpu_s" in header else len(header)
        known = {tuple(line.split(",")[:width]) for line in recorded[2:]}
        for arguments in calls:
            command = ["ns", f"{name}.tcl", *arguments]
            lines = subprocess.run(
                command, cwd=HERE / "ns2", capture_output=True, text=True, check=True
            ).stdout.splitlines()
            line = next(line for line in lines if line.startswith(arguments[0] + ","))
            same = tuple(line.split(",")[:width]) in known
            print(f"{' '.join(command)}: {'as recorded' if same else 'NOT AS RECORDED'}")


if __name__ == "__main__":
    raise SystemExit(main())
