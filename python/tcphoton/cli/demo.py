"""The demonstration behind ``make demo``: the three-node network of the obs paper at small scale.

It prints the paper's claims about this network with our results, and writes the paper's
figures 2 and 3. Runs that are already in the folder are not repeated.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tcphoton.common import progress
from tcphoton.common.terminal import put_text, say
from tcphoton.papers import ledger, load
from tcphoton.papers.reproduce import reproduce
from tcphoton.report import write

if TYPE_CHECKING:
    from collections.abc import Sequence

PAPER = "obs"
SCALE = "demo"


def main(folder: Path = Path("out/demo")) -> int:
    """Run the demonstration, print its claims and figures, and return the exit code."""
    started = time.monotonic()
    try:
        with progress.show(say) as tell:
            entries = reproduce([PAPER], folder, SCALE, progress=tell, page=write)
    except KeyboardInterrupt:
        say("interrupted")
        return 130
    paper = load(PAPER)
    put_text(
        f"{paper.title}\n({paper.source}): the claims on its three-node network\n\n"
        f"{ledger.text(entries)}\n"
        f"{ledger.tally(entries)} Few seeds. All, with the eight-node network too:\n"
        f"  tcphoton reproduce {PAPER}\n\n"
        f"{time.monotonic() - started:.0f} s. Figures (also as svg, pdf and html) and tables:\n"
        f"{_files(folder / PAPER, paper.at(SCALE))}"
    )
    return 0


def _files(folder: Path, artefacts: Sequence[str]) -> str:
    return "".join(f"  {folder / artefact}.png  {artefact}.parquet\n" for artefact in artefacts)


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:2])))
