"""Keep what the searches of a paper have found: their record, figures, best reading, and its page.

``python -m tcphoton.readings.keep sync DIR`` copies them from a folder that ``tcphoton readings
sync --out DIR`` has filled into ``papers/sync/readings`` of the source tree, writes the best joint
reading into the package, where ``tcphoton reproduce sync --reading best`` finds it, and writes a
section into the paper's README between two marks. Of a search that has not ended it copies the
folder ``search``, with which it goes on elsewhere (`tcphoton.readings.cache`).
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tcphoton.common import safe_read
from tcphoton.common.folder import Folder, put_file
from tcphoton.common.open_folder import made
from tcphoton.common.quantities import counted
from tcphoton.errors import OutputError
from tcphoton.papers import keep as papers_keep
from tcphoton.papers.paper import load, papers
from tcphoton.papers.readings_of import FOLDER
from tcphoton.papers.rules import HOLDS
from tcphoton.readings import cache
from tcphoton.readings.drawing import FIGURES
from tcphoton.readings.plan import plan_of
from tcphoton.readings.readings import BEST, RECORD, Findings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tcphoton.readings.outcome import Outcome

BEGIN = "<!-- readings: written by `python -m tcphoton.readings.keep` -->"
END = "<!-- end of readings -->"
LEAST_SHARE = 0.01
"""The share of a condition's variance from which an assumption is said to decide it."""
OLDER = (
    "This search is of an earlier plan, which divided the claims otherwise and had fewer values; "
    "the present one has not ended yet."
)
SHOWN = ("targets", "assumptions")
"""The figures on the page."""


def keep(name: str, out: Path, home: Path | None = None) -> None:
    """Copy what was found in `out` to the paper's folder, and write its page.

    Raises
    ------
    OutputError
        Nothing was found in `out`, or there is no folder of the paper, or it cannot be written.
    """
    home = home or papers_keep.folder(name)
    source = out / name / FOLDER
    begun = home / FOLDER / cache.FOLDER
    if not (source / RECORD).exists() and (out / name / cache.FOLDER).is_dir():
        shutil.copytree(out / name / cache.FOLDER, begun, dirs_exist_ok=True)
        return
    found = Findings.load(source)
    shutil.rmtree(begun, ignore_errors=True)
    with Folder(home / FOLDER, last=RECORD) as writing:
        for each in found.outcomes:
            for kind in FIGURES:
                file = source / f"{each.name}-{kind}.svg"
                if file.exists():
                    writing.put(
                        file.name, safe_read.read(file, safe_read.LARGEST_TEXT, follow=False)
                    )
        writing.put(RECORD, safe_read.read(source / RECORD, safe_read.LARGEST_TEXT, follow=False))
    best = source / BEST
    if best.exists():
        with made(Path(str(load(name).home / FOLDER))) as place:
            place.put(BEST, safe_read.read(best, safe_read.LARGEST_TEXT, follow=False))
    page = home / "README.md"
    put_file(page, with_readings(page.read_text("utf-8"), home).encode())


def with_readings(page: str, home: Path) -> str:
    """Return a paper's page with the findings that are kept in its folder.

    Raises
    ------
    OutputError
        They cannot be read.
    """
    if BEGIN not in page:
        return page
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n\n{_section(Findings.load(home / FOLDER))}\n{END}{after}"


def _section(found: Findings) -> str:
    facts = found.facts
    lines = [
        f"`{facts['command']}`: {facts['all-runs']:,} runs, {facts['cpu-seconds'] / 3600:.1f} CPU "
        "hours. Version "
        f"{facts['version']}, results revision `{facts['revision']}`, commit `{facts['commit']}`. "
        f"{_counted(found)} The best joint reading is `tcphoton reproduce {found.paper} --reading "
        "best`."
    ]
    if is_older(found):
        lines += ["", OLDER]
    for each in found.outcomes:
        lines += ["", *_of_search(each)]
    return "\n".join(lines) + "\n"


def is_older(found: Findings) -> bool:
    """Tell whether the present plan of one of the papers divides its claims otherwise."""
    searches = plan_of(found.paper).searches if found.paper in papers() else {}
    return any(
        (tuple(each.facts["fit"]), tuple(each.facts["predict"]))
        != (searches[each.name].fit, searches[each.name].predict)
        for each in found.outcomes
        if each.name in searches
    )


#: How a claim may hold, and the verdicts of which one must hold then.
WAYS = {
    "as assumed": ("as assumed",),
    "under the joint reading": ("joint",),
    "under some reading": ("as assumed", "joint", "another"),
}


def counts(found: Findings) -> tuple[int, dict[str, int]]:
    """Return how many claims there are, and how many of them agree in each of the `WAYS`.

    A claim of which several searches judge a part agrees where all parts that were judged do.
    """
    claims: dict[str, list[Mapping[str, Any]]] = {}
    for each in found.outcomes:
        for row in each.claims:
            claims.setdefault(row["claim"], []).append(row)
    return len(claims), {
        way: sum(_agree(rows, verdicts) for rows in claims.values())
        for way, verdicts in WAYS.items()
    }


def _counted(found: Findings) -> str:
    claims, agree = counts(found)
    told = ", ".join(f"{count} {way}" for way, count in agree.items())
    return f"Of {claims} claims, those that hold: {told}."


def _agree(rows: Iterable[Mapping[str, Any]], verdicts: Sequence[str]) -> bool:
    """Return whether one of these verdicts agrees in every row that has any of them."""
    judged = [[row[verdict] for verdict in verdicts if row[verdict]] for row in rows]
    judged = [each for each in judged if each]
    return bool(judged) and all(HOLDS in each for each in judged)


def _of_search(found: Outcome) -> Iterator[str]:
    facts = found.facts
    yield f"**{found.name}.** {found.what.rstrip('.')}. {_told(facts)}"
    yield ""
    yield from _table(
        ("claim", "role", "as assumed", "joint reading", "when it holds", "nearest miss"),
        (
            (
                row["claim"], row["role"], row["as assumed"] or "–", row["joint"] or "–",
                row["status"], "" if row["status"].startswith("holds") else row["miss"],
            )
            for row in found.claims
        ),
    )  # fmt: skip
    yield ""
    best = "; ".join(f"{name}: {value}" for name, value in found.best.items())
    yield f"Best joint reading: {best or 'as assumed'}."
    yield ""
    yield from _table(
        ("assumption", "as assumed", "among the surviving readings", "decides"),
        (
            (
                f"{row['assumption']}: {row['what']}", row["as assumed"], row["surviving"] or "–",
                _decides(row),
            )
            for row in found.assumptions
        ),
    )  # fmt: skip
    for pair in found.pairs:
        yield ""
        yield (
            f"{pair['one']} holds in {pair['agree-one']} readings and {pair['other']} in "
            f"{pair['agree-other']}, never together ({pair['expected-together']:g} expected)."
        )
    yield ""
    yield " ".join(
        f"![{found.name}: {kind}]({FOLDER}/{found.name}-{kind}.svg)"
        for kind in SHOWN
        if found.readings
    )


def _told(facts: Mapping[str, Any]) -> str:
    scores = facts["scores"]
    of = {
        kind: f"{_percent(each['fit'])} of the parts that fit and {_percent(each['predicted'])} of "
        "the predicted ones"
        for kind, each in scores.items()
    }
    rank = facts.get("rank-correlation")
    told = [
        f"{facts['assumptions']} assumptions, {facts['conditions']} conditions, {facts['judged']} "
        f"readings at the scale `{facts['scale']}` in {len(facts['waves'])} of {facts['planned']} "
        f"waves and {facts['simpler']} simpler ones; {facts['surviving']} survive"
        f"{_level(facts['level'])}.",
        *(f"In the search {text} agree {_how(kind)}." for kind, text in of.items()),
    ]
    if facts["refused"]:
        told.append(f"{facts['refused']} readings could not be run.")
    if rank is not None:
        told.append(
            f"The rank correlation with the scale `{facts['confirmed-at']}` is {rank:.2f} over "
            f"{facts['ranked']} readings."
        )
    if not facts["complete"]:
        told.append("The budget ended the search before its last wave.")
    return " ".join(told)


def _level(level: int) -> str:
    return f", with at most {counted(level, 'condition')} broken" if level else ""


def _how(kind: str) -> str:
    return "as assumed" if kind == "as assumed" else "under the best joint reading"


def _percent(value: float | None) -> str:
    return "none" if value is None else f"{100 * value:.0f} %"


def _decides(row: Mapping[str, Any]) -> str:
    if not row["decides"] or row["decides"] < LEAST_SHARE:
        return "–"
    return f"{100 * row['decides']:.0f} % of {row['of']}"


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    for row in (headings, ["---"] * len(headings), *rows):
        yield "| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |"


if __name__ == "__main__":
    try:
        keep(sys.argv[1], Path(sys.argv[2]))
    except OutputError as error:
        sys.exit(f"error: {error}")
