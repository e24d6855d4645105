"""Keep the results of a full run with the paper: ledger, provenance, figures, and what was judged.

For a paper with long runs, the cost of each point is also kept.

``python -m tcphoton.papers.keep obs DIR`` copies them from the folder of a reproduction into the
folder ``papers/obs`` of the source tree, and writes the claims into its README between two marks; a
paper that is a folder of files, such as ``papers/circuits``, keeps them itself. Without a folder
the claims are judged anew by the tables that are kept, as after a change of a rule.
An installed package has no results of papers: they are kept in the source tree.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tcphoton.common import checksum, reading
from tcphoton.common.folder import Folder, put_file
from tcphoton.errors import OutputError
from tcphoton.papers import ledger
from tcphoton.papers.kept_tables import judged, kept, small
from tcphoton.papers.paper import is_own, load
from tcphoton.papers.reproduce import COST, LEDGER, RUN, stamp_of, tables_of

__all__ = ["BEGIN", "END", "RESULTS", "folder", "judged_again", "keep", "rejudge", "with_results"]

BEGIN = "<!-- results: written by `python -m tcphoton.papers.keep` -->"
END = "<!-- end of results -->"
NONE = "The full run has not been made yet."
RESULTS = "results"
README = "README.md"
TREE = Path(__file__).parents[3]
"""The source tree, if the package is in one."""
COSTLY = {"lbas"}
"""Papers for which the cost of each point is kept."""


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

    Raises
    ------
    OutputError
        There is no ledger in `out`, or no folder of the paper, or it cannot be written.
    """
    home = home or folder(name)
    paper = load(name)
    claims = f"{paper.name}."
    entries = [each for each in ledger.read(out / LEDGER) if each["claim"].startswith(claims)]
    with Folder(home / RESULTS, last=LEDGER) as writing:
        for artefact in paper.artefacts:
            drawn = out / paper.name / f"{artefact}.svg"
            if drawn.exists():
                writing.put(drawn.name, _read(drawn))
        run = _read(out / paper.name / RUN)
        writing.put(RUN, run if paper.package else _of_folder(run, name, paper.name))
        if paper.name in COSTLY:
            writing.put(COST, _read(out / paper.name / COST))
        stamp = stamp_of(paper, json.loads(run)["scale"])
        tables = tables_of(paper, out / paper.name, stamp)
        for file, data in small(paper, tables):
            writing.put(file, data)
        writing.put(LEDGER, ledger.written(entries))
    _write_page(home)


def rejudge(name: str) -> None:
    """Judge a paper's claims anew by the tables that are kept, and write its ledger and its page.

    Raises
    ------
    OutputError
        No tables are kept of it, or the results cannot be written.
    """
    home = folder(name)
    put_file(home / RESULTS / LEDGER, ledger.written(judged_again(name)))
    _write_page(home)


def judged_again(name: str) -> list[ledger.Entry]:
    """Return a paper's claims as the tables that are kept of it give them.

    Raises
    ------
    OutputError
        No tables are kept of it.
    """
    paper, results = load(name), folder(name) / RESULTS
    return judged(paper, kept(paper, results), reading.read_object(results / RUN))


def _write_page(home: Path) -> None:
    page = home / README
    put_file(page, with_results(page.read_text("utf-8"), home).encode())


def _of_folder(run: bytes, folder: str, name: str) -> bytes:
    """Return the provenance of a folder of files, without its place on a machine."""
    said = json.loads(run)
    kept = {key: value for key, value in said.items() if key not in {"checksum", "home"}}
    kept["command"] = said["command"].replace(f"reproduce {name} ", f"reproduce {folder} ", 1)
    return (json.dumps(checksum.sealed(kept), indent=2) + "\n").encode()


def _read(path: Path) -> bytes:
    """Read a file of the reproduction, which must be a file in the folder itself."""
    try:
        return reading.read(path, reading.LARGEST_TEXT, follow=False)
    except reading.DamagedError:
        raise
    except OSError as error:
        raise OutputError(f"{path}: cannot be read: {error.strerror}") from None


def with_results(page: str, home: Path) -> str:
    """Return a paper's page with the results that are kept in its folder."""
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n\n{_results(home / 'results')}\n{END}{after}"


def _results(results: Path) -> str:
    if not (results / LEDGER).exists():
        return f"{NONE}\n"
    run = json.loads((results / RUN).read_text("utf-8"))
    minutes = run["seconds"] / 60
    where = "a cluster" if run["workers"] is None else f"{run['workers']} cores"
    how = (
        f"`{run['command']}`: {run['runs']:,} runs, {run['found']:,} of them reused, "
        f"{minutes:.0f} min on {where}. Version {run['version']}, results revision "
        f"`{run['revision']}`, commit `{run['commit']}`. "
        "Parts in brackets do not affect the verdict."
    )
    if (results / COST).exists():
        how += f" How long each point took: [{COST}](results/{COST})."
    return f"{how}\n\n{ledger.markdown(ledger.read(results / LEDGER))}"


if __name__ == "__main__":
    try:
        if len(sys.argv) > 2:  # noqa: PLR2004
            keep(sys.argv[1], Path(sys.argv[2]))
        else:
            rejudge(sys.argv[1])
    except OutputError as error:
        sys.exit(f"error: {error}")
