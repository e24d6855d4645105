"""Keep the results of a full run with the paper: ledger, provenance, figures, and what was judged.

``python -m tcphoton.papers.keep obs DIR`` copies them from the folder of a reproduction into the
folder ``papers/obs`` of the source tree, and writes the claims into its README between two marks; a
paper that is a folder of files, such as ``papers/circuits``, keeps them itself. With a scale and
grids after the folder these are run, and their tables wait until the rest of a long run is there
(`tcphoton.papers.begun`): ``python -m tcphoton.papers.keep lbas DIR claims table1 table2``. Without
a folder the claims are judged anew by the tables that are kept, after a change of a rule.
An installed package has no results of papers: they are kept in the source tree.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tcphoton import figures
from tcphoton.common import checksum, safe_read
from tcphoton.common.folder import Folder, put_file
from tcphoton.errors import FailedRunsError, OutputError
from tcphoton.papers import against, begun, ledger
from tcphoton.papers.kept_tables import ENDING, judged, kept, packed, small
from tcphoton.papers.paper import is_own, load
from tcphoton.papers.reproduce import LEDGER, RUN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tcphoton.papers.paper import Paper

BEGIN = "<!-- results: written by `python -m tcphoton.papers.keep` -->"
END = "<!-- end of results -->"
FIRST = "<!-- verdicts: written by `python -m tcphoton.papers.keep` -->"
LAST = "<!-- end of verdicts -->"
NONE = "The full run has not been made yet."
OLDER = (
    "These are the verdicts of the first rules, every cell by itself and each number within a "
    "quarter; the present ones, which the claims have now, are applied to the next full run, whose "
    "tables are kept."
)
RESULTS = "results"
AGAINST, TITLE = "published", "Every printed number against ours"
"""The figure of the printed numbers, by its file's name and its title."""
PARTS = "parts.csv"
"""The table of all parts of the claims."""
REST = (
    "[All parts](results/parts.csv) has those that affect no verdict as well, and what the rules "
    "give under other assumptions."
)
README = "README.md"
TREE = Path(__file__).parents[3]
"""The source tree, if the package is in one."""


def folder(name: str) -> Path:
    """Return the folder of a paper's page: in the source tree, or that of one's own paper.

    Raises
    ------
    OutputError
        This is not a source tree.
    """
    if is_own(name):
        return Path(name)
    found = TREE / "papers" / name
    if not (found / README).is_file():
        raise OutputError(
            f"{found}: no page of the paper; results of papers are kept in tcphoton's source tree, "
            f"in its folder papers/{name}, and this is another copy of the package"
        )
    return found


def keep(name: str, out: Path, home: Path | None = None) -> None:
    """Copy the results of a reproduction in `out` to the paper's folder, and write its page.

    Its claims are judged by the tables that are kept.

    Raises
    ------
    OutputError
        There are no tables in `out`, or no folder of the paper, or it cannot be written.
    """
    home = home or folder(name)
    paper = load(name)
    tables, facts = begun.joined(paper, home, out / paper.name)
    with Folder(home / RESULTS, last=LEDGER) as writing:
        for artefact, table in tables.items():
            for file, data in figures.drawn(paper.figures[artefact](table), artefact, ["svg"]):
                writing.put(file, data)
        writing.put(RUN, _written(facts if paper.package else _of_folder(facts, name, paper.name)))
        less = small(paper, tables)
        for artefact, table in less.items():
            writing.put(f"{artefact}{ENDING}", packed(table))
        entries = judged(paper, less, facts)
        for file, data in _made_of(entries):
            writing.put(file, data)
        writing.put(LEDGER, ledger.written(entries))
    shutil.rmtree(home / begun.FOLDER, ignore_errors=True)
    _write_page(home, paper)


def rejudge(name: str) -> None:
    """Judge a paper's claims anew by the tables that are kept, and write its ledger and its page.

    Raises
    ------
    OutputError
        No tables are kept of it, or the results cannot be written.
    """
    home = folder(name)
    entries = judged_again(name)
    for file, data in _made_of(entries):
        put_file(home / RESULTS / file, data)
    put_file(home / RESULTS / LEDGER, ledger.written(entries))
    _write_page(home, load(name))


def judged_again(name: str) -> list[ledger.Entry]:
    """Return a paper's claims as the tables that are kept of it give them.

    Raises
    ------
    OutputError
        No tables are kept of it.
    """
    paper, results = load(name), folder(name) / RESULTS
    return judged(paper, kept(paper, results), safe_read.read_object(results / RUN))


def _made_of(entries: Sequence[ledger.Entry]) -> Iterator[tuple[str, bytes]]:
    """Yield the table of all parts, and the figure of the printed numbers, if there are any."""
    yield PARTS, ledger.parts(entries)
    if (chart := against.draw(entries)) is not None:
        yield from figures.drawn(chart, AGAINST, ["svg"])


def _write_page(home: Path, paper: Paper) -> None:
    page = home / README
    put_file(page, with_results(page.read_text("utf-8"), home, paper).encode())


def _of_folder(facts: Mapping[str, Any], folder: str, name: str) -> dict[str, Any]:
    """Return the provenance of a folder of files, without its place on a machine."""
    kept = {key: value for key, value in facts.items() if key != "home"}
    kept["command"] = facts["command"].replace(f"reproduce {name} ", f"reproduce {folder} ", 1)
    return kept


def _written(facts: Mapping[str, Any]) -> bytes:
    kept = {key: value for key, value in facts.items() if key != checksum.KEY}
    return (json.dumps(checksum.sealed(kept), indent=2) + "\n").encode()


def with_results(page: str, home: Path, paper: Paper) -> str:
    """Return a paper's page with the results that are kept in its folder.

    The verdicts stand between marks near its beginning, what they go by between others. A page
    without the first has both between the second.
    """
    results = home / RESULTS
    if not (results / LEDGER).exists():
        return _between(_between(page, (FIRST, LAST), NONE + "\n"), (BEGIN, END), NONE + "\n")
    entries = ledger.read(results / LEDGER)
    verdicts, evidence = ledger.verdicts(entries), ledger.evidence(entries, REST)
    if is_older(paper, entries):
        verdicts = f"{OLDER}\n\n{verdicts}"
    if is_known := any("against" in part for each in entries for part in each["parts"]):
        verdicts += "\n{} of {} printed numbers have ours within a quarter.\n".format(
            *against.near(entries)
        )
    if is_known and (results / f"{AGAINST}.svg").exists():
        verdicts += f"\n![{TITLE}]({RESULTS}/{AGAINST}.svg)\n"
    if FIRST not in page:
        evidence = f"{verdicts}\n{evidence}"
    page = _between(page, (FIRST, LAST), verdicts)
    return _between(page, (BEGIN, END), f"{_how(results)}\n\n{evidence}")


def _between(page: str, marks: tuple[str, str], text: str) -> str:
    """Return a page with a text between two marks; the page itself if it has none of them."""
    begin, end = marks
    before, mark, rest = page.partition(begin)
    return f"{before}{begin}\n\n{text}\n{end}{rest.partition(end)[2]}" if mark else page


def _how(results: Path) -> str:
    run = json.loads((results / RUN).read_text("utf-8"))
    minutes = run["seconds"] / 60
    where = "a cluster" if run["workers"] is None else f"{run['workers']} cores"
    return (
        f"`{run['command']}`: {run['runs']:,} runs, {run['found']:,} of them reused, "
        f"{minutes:.0f} min on {where}. Version {run['version']}, results revision "
        f"`{run['revision']}`, commit `{run['commit']}`."
    )


def is_older(paper: Paper, entries: Sequence[ledger.Entry]) -> bool:
    """Tell whether a ledger is older than the rules of its claims."""
    rules = {claim.claim: claim.rule for claim in paper.claims}
    return any(rules.get(each["claim"]) != each["rule"] for each in entries)


if __name__ == "__main__":
    try:
        if len(sys.argv) > 3:  # noqa: PLR2004
            paper, place, scale = load(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
            begun.put_by(paper, folder(paper.name), scale, sys.argv[4:], place / paper.name)
        elif len(sys.argv) > 2:  # noqa: PLR2004
            keep(sys.argv[1], Path(sys.argv[2]))
        else:
            rejudge(sys.argv[1])
    except (FailedRunsError, OutputError) as error:
        sys.exit(f"error: {error}")
