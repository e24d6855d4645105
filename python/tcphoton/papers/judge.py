"""Verdicts made anew from tables that are there: after a change of a rule, without a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tcphoton.common import safe_read
from tcphoton.common.folder import put_file
from tcphoton.papers import keep, ledger
from tcphoton.papers.kept_tables import judged
from tcphoton.papers.paper import load
from tcphoton.papers.reproduce import LEDGER, RUN, split, stamp_of, tables_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


def judge(
    names: Sequence[str], out: Path, page: Callable[[Path], object] = lambda _: None
) -> list[ledger.Entry]:
    """Judge papers anew, and return their claims: of an artefact, its whole paper.

    Of a paper that was reproduced into the folder its ledger there is written anew, and in the end
    the `page` of the folder. Of others the tables count that the source tree keeps, and nothing is
    written.

    Raises
    ------
    LookupError
        There is no such paper.
    OutputError
        There are no tables of a paper, or the ledger cannot be written.
    """
    found, is_written = [], False
    for name in dict.fromkeys(split(each)[0] for each in names):
        paper = load(name)
        folder = out / paper.name
        if (folder / RUN).exists():
            run = safe_read.read_object(folder / RUN)
            entries = judged(paper, tables_of(paper, folder, stamp_of(paper, run["scale"])), run)
            put_file(folder / "ledger.md", ledger.markdown(entries).encode())
            ledger.merge(out / LEDGER, paper.name, entries)
            is_written = True
        else:
            entries = keep.judged_again(name)
        found += entries
    if is_written:
        page(out)
    return found
