"""A page of what `make bench` measured: a table and two figures, with the machine and the date.

It reads ``out/bench``, where `side_by_side.py` and `instructions.py` have written, and writes
``out/bench/speed.md``, ``speed.svg`` and ``speed-sizes.svg``; with ``--keep`` into the page of the
documentation.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import altair as alt
import polars as pl
from instructions import Counted
from side_by_side import OUT, ROOT, SHARED

from tcphoton import figures
from tcphoton.common.folder import put_file
from tcphoton.papers import charts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PAGE = ROOT / "docs" / "background" / "speed.md"
IMAGES = ROOT / "docs" / "images"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
AIMS = {
    "tcphoton M hops/s": "aim",
    "× ns-2": "aim × ns-2",
    "× ns-3": "aim × ns-3",
    "× htsim": "aim × htsim",
    "events/hop": "aim events",
    "memory MiB": "aim MiB",
}
"""The columns that have the aim of a column."""
MEASURED = ("side-by-side.csv", "rounds.csv", "conditions.csv")
PANELS = {
    f"TCP flows, {script.replace('_', ' ')}": {
        name: shared.flows for name, shared in SHARED.items() if shared.script == script
    }
    for script in ("dumbbell", "fat_tree")
} | {"packets in flight": {f"hops-1e{digits}": 10**digits for digits in (2, 3, 4, 5)}}
"""The workloads of each panel of the figure of sizes, with their sizes.

The scales are those of the first one, which has all simulators.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page."""
    parser = argparse.ArgumentParser(description="Make a page of what make bench measured.")
    parser.add_argument("--keep", action="store_true", help="into the documentation")
    options = parser.parse_args(arguments)
    missing = [name for name in MEASURED if not (OUT / name).is_file()]
    if missing:
        sys.stdout.write(f"{OUT / missing[0]} is missing: benches/side_by_side.py writes it.\n")
        return 2
    rows, conditions = (
        pl.read_csv(OUT / name, infer_schema=False) for name in (MEASURED[0], MEASURED[2])
    )
    rounds = pl.read_csv(OUT / MEASURED[1])
    counts = OUT / "instructions.csv"
    counted = pl.read_csv(counts, schema_overrides={"base": pl.Utf8}) if counts.is_file() else None
    block = block_of(rows, counted, machine(), quiet(conditions.row(0, named=True)))
    images = IMAGES if options.keep else OUT
    page = kept(PAGE.read_text("utf-8"), block) if options.keep else block
    written = [PAGE if options.keep else OUT / "speed.md"]
    put_file(written[0], page.encode())
    for stem, chart in (("speed", chart_of(rounds)), ("speed-sizes", sizes_of(rounds))):
        written += figures.save(chart, images / stem, ["svg"])
    sys.stdout.write(f"Written: {', '.join(map(str, written))}\n")
    return 0


def machine() -> list[str]:
    """Return what was measured where, and when."""
    commit = _said("git", "-C", str(ROOT), "rev-parse", "--short=7", "HEAD")
    clean = not _said("git", "-C", str(ROOT), "status", "--porcelain", "--untracked-files=no")
    names = {"ns2": "ns-2", "libns3-dev": "ns-3"}
    versions = {
        name: _said("dpkg-query", "--show", "--showformat", "${Version}", package)
        for package, name in names.items()
    }
    folder = os.environ.get("HTSIM")
    htsim = _said("git", "-C", folder, "rev-parse", "--short=7", "HEAD") if folder else ""
    others = ", ".join(f"{name} {version}" for name, version in versions.items() if version)
    return [
        datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        f"commit {commit}{'' if clean else ' and changes'}",
        f"{processor()}, {os.cpu_count()} cores",
        _said("rustc", "--version").split(" (")[0],
        *([f"{others} (Debian)"] if others else []),
        *([f"htsim {htsim}"] if htsim else []),
    ]


def processor() -> str:
    """Return the name of the processor."""
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:
        text = ""
    named = re.search(r"model name\s*:\s*(.+)", text)
    return named[1].strip() if named else platform.machine()


def _said(*command: str) -> str:
    """Return what a program prints, nothing where there is none."""
    if shutil.which(command[0]) is None:
        return ""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def quiet(conditions: Mapping[str, str | None]) -> str:
    """Return how often it was measured, on how quiet a machine, and what was not measured."""
    of = {key: value or "" for key, value in conditions.items()}
    said = (
        f"Medians of {of['rounds']} rounds. Load of the machine: {of['load before']} before, "
        f"{of['load after']} after (what is measured is one process); other processes had "
        f"{of['others %']} % of its cores meanwhile, other machines of its host {of['stolen %']} %."
    )
    return f"{said} {of['not measured']}".strip()


def block_of(rows: pl.DataFrame, counted: pl.DataFrame | None, where: list[str], quiet: str) -> str:
    """Return what was measured as Markdown."""
    lines = [f"Measured: {'; '.join(where)}. {quiet}", "", *_table(rows)]
    if counted is not None and counted.height:
        base = counted.get_column("base")[0]
        lines += [
            "",
            f"Instructions of the engine, against commit {base}:",
            "",
            "| case | before | now | change |",
            "| --- | ---: | ---: | ---: |",
        ]
        lines += [
            f"| {case} | {before / 1e6:,.1f} M | {now / 1e6:,.1f} M "
            f"| {Counted(case, before, now).more:+.2f} % |"
            for case, _, before, now in counted.iter_rows()
        ]
    return "\n".join(lines) + "\n"


def _table(rows: pl.DataFrame) -> list[str]:
    """Return the table of speeds; what was not measured is a dash, and an aim is in brackets."""
    titles = [title for title in rows.columns if not title.startswith("aim")]
    lines = [f"| {' | '.join(titles)} |", f"| --- {'| ---: ' * (len(titles) - 1)}|"]
    for row in rows.iter_rows(named=True):
        cells = []
        for title in titles:
            aimed = row.get(AIMS.get(title, ""))
            # Slots of a switch alone have no hops.
            value = "" if title != "workload" and not _positive(row[title]) else row[title]
            cells.append(f"{value or '–'}{f' ({aimed})' if aimed else ''}")
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _positive(cell: str | None) -> bool:
    return float(cell or 0) > 0


def chart_of(rounds: pl.DataFrame) -> alt.LayerChart:
    """Return the figure: packet-hops per second of each simulator, with the range of its rounds."""
    rate = pl.col("M hops/s")
    table = (
        rounds.filter(pl.col("workload").is_in(["dumbbell", "fat-tree"]))
        .group_by("workload", "simulator", maintain_order=True)
        .agg(rate.median(), low=rate.min(), high=rate.max())
    )
    return figures.charts.bars(
        table,
        "workload",
        "M hops/s",
        by="simulator",
        scale="log",
        titles={"M hops/s": "packet-hops per second of a core", "workload": ""},
        units={"M hops/s": "millions"},
    )


def sizes_of(rounds: pl.DataFrame) -> alt.HConcatChart:
    """Return the figure of sizes: what a packet-hop costs, with the range of its rounds."""
    cost = 1e3 / pl.col("M hops/s")
    costs = (
        rounds.group_by("workload", "simulator", maintain_order=True)
        .agg(cost.median().alias("cost"), cost.min().alias("low"), cost.max().alias("high"))
        .filter(pl.col("simulator") != "ns-3")
    )
    panels: list[alt.LayerChart] = []
    for title, sizes in PANELS.items():
        size = pl.col("workload").replace_strict(sizes, return_dtype=pl.Int64).alias("size")
        panel = figures.lines(
            costs.filter(pl.col("workload").is_in(sizes)).with_columns(size),
            "size",
            "cost",
            by="simulator",
            low="low",
            high="high",
            scales=("log", "log"),
            titles={"size": title, "cost": "processor time of a packet-hop"},
            units={"cost": "ns"},
            width=figures.PAGE / len(PANELS),
        )
        for layer in panel.layer if panels else []:
            layer.encoding.y = layer.encoding.y.title(None)
        panels.append(charts.ticked(panel, "size", {at: f"{at:,}" for at in sizes.values()}))
    shared = alt.Resolve(scale=alt.ScaleResolveMap(y="shared"))
    beside: alt.HConcatChart = charts.beside(panels).properties(resolve=shared)
    return beside


def kept(page: str, block: str) -> str:
    """Return the page with this block between its marks."""
    head, _, rest = page.partition(BEGIN)
    _, mark, tail = rest.partition(END)
    if not mark:
        raise ValueError(f"no {BEGIN} … {END} in {PAGE}")
    return f"{head}{BEGIN}\n\n{block}\n{END}{tail}"


if __name__ == "__main__":
    sys.exit(main())
