"""A page of what `make bench` measured: a table and a figure, with the machine and the date.

It reads ``out/bench``, where `side_by_side.py` and `instructions.py` have written, and writes
``out/bench/speed.md`` and ``speed.svg``; with ``--keep`` into the page of the documentation.
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

import polars as pl
from instructions import Counted
from side_by_side import OUT, ROOT, SHARED

from tcphoton import figures
from tcphoton.common.folder import put_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    import altair as alt

PAGE = ROOT / "docs" / "background" / "speed.md"
FIGURE = ROOT / "docs" / "images" / "speed.svg"
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page."""
    parser = argparse.ArgumentParser(description="Make a page of what make bench measured.")
    parser.add_argument("--keep", action="store_true", help="into the documentation")
    options = parser.parse_args(arguments)
    missing = [name for name in ("side-by-side.csv", "rounds.csv") if not (OUT / name).is_file()]
    if missing:
        sys.stdout.write(f"{OUT / missing[0]} is missing: benches/side_by_side.py writes it.\n")
        return 2
    rows = pl.read_csv(OUT / "side-by-side.csv", infer_schema=False)
    rounds = pl.read_csv(OUT / "rounds.csv")
    counts = OUT / "instructions.csv"
    counted = pl.read_csv(counts, schema_overrides={"base": pl.Utf8}) if counts.is_file() else None
    block = block_of(rows, counted, machine())
    (chart,) = figures.charts.drawn(chart_of(rounds), "speed", ["svg"])
    if options.keep:
        put_file(PAGE, kept(PAGE.read_text("utf-8"), block).encode())
        put_file(FIGURE, chart[1])
        sys.stdout.write(f"Written: {PAGE} and {FIGURE}\n")
    else:
        put_file(OUT / "speed.md", block.encode())
        put_file(OUT / "speed.svg", chart[1])
        sys.stdout.write(f"Written: {OUT / 'speed.md'} and {OUT / 'speed.svg'}\n")
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


def block_of(rows: pl.DataFrame, counted: pl.DataFrame | None, where: list[str]) -> str:
    """Return what was measured as Markdown."""
    lines = [f"Measured: {'; '.join(where)}. Medians of the rounds.", "", *_table(rows)]
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
        rounds.filter(pl.col("workload").is_in(SHARED))
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


def kept(page: str, block: str) -> str:
    """Return the page with this block between its marks."""
    head, _, rest = page.partition(BEGIN)
    _, mark, tail = rest.partition(END)
    if not mark:
        raise ValueError(f"no {BEGIN} … {END} in {PAGE}")
    return f"{head}{BEGIN}\n\n{block}\n{END}{tail}"


if __name__ == "__main__":
    sys.exit(main())
