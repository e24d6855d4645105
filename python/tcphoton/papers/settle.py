"""A second look at open verdicts: more seeds where they can tell, and only there.

The rule of a part cannot tell where its interval contains a bound. From the interval of the planned
runs follows how many seeds would be enough, if number and variance stay what they are. Points whose
removal changes the finding are those that decide; they get that many seeds, if these are not more
than the user allows. Each point is extended once, and then its part is judged again.

A verdict that is looked at twice has two chances to be wrong, so the second look is stricter: see
`tcphoton.papers.second_look`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tcphoton.common.quantities import counted
from tcphoton.papers.ledger import find, verdict_of
from tcphoton.papers.paper import GRID, VARIANT, Runs
from tcphoton.papers.rules import CANNOT_TELL, DIFFERS, FEWEST, IN_PART
from tcphoton.papers.second_look import FIRST, LOOK, SECOND, reach

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tcphoton.papers.ledger import Part
    from tcphoton.papers.paper import Paper
    from tcphoton.papers.rules import Finding

MARGIN = 1.1
"""By how much narrower than necessary the wanted interval is: its width is only foreseen."""
ENDLESS = 1_000_000
"""Seeds beyond which nobody would go."""


def enough(finding: Finding) -> int | None:
    """Return the seeds at which a rule could tell, at the present mean and variance.

    `None` where it can tell, where no number of seeds is enough, or nothing is known.

    Examples
    --------
    >>> from tcphoton.analysis.interval import Interval
    >>> from tcphoton.papers.rules import inside
    >>> enough(inside(Interval(4.0, -2.0, 10.0, 10), 0.0, 100.0))
    33
    """
    if finding.verdict != CANNOT_TELL or finding.interval is None:
        return None
    if finding.seeds < FEWEST:
        return FEWEST
    if not finding.settles:
        return None
    number, (low, high) = finding.seeds, finding.interval
    assert finding.ours is not None
    half = max(finding.ours - low, high - finding.ours)
    if not math.isfinite(half) or half <= 0:
        return None
    allowed = reach(number, FIRST) * finding.settles / (half * MARGIN)
    if reach(ENDLESS, SECOND) > allowed:
        return None
    least, most = number, ENDLESS
    while least < most:
        middle = (least + most) // 2
        if reach(middle, SECOND) <= allowed:
            most = middle
        else:
            least = middle + 1
    return least


class Open(NamedTuple):
    """A part of a claim whose verdict is open.

    Attributes
    ----------
    claim, part, finding
        The claim's name, the part, and what its rule has found.
    needs
        The seeds at which it could tell; `None` if no number is enough, or none is known.
    """

    claim: str
    part: Part
    finding: Finding
    needs: int | None


def open_parts(paper: Paper, tables: Mapping[str, pl.DataFrame]) -> list[Open]:
    """Return the parts that keep claims from a verdict, of the artefacts that are there."""
    found = []
    for claim in paper.claims:
        findings = [find(part, tables) for part in claim.parts]
        counting = [each for part, each in zip(claim.parts, findings, strict=True) if part.counts]
        # More seeds change nothing where a part differs.
        is_open = verdict_of(claim, findings) in {CANNOT_TELL, IN_PART}
        if is_open and all(each.verdict != DIFFERS for each in counting):
            found += [
                Open(claim.claim, part, finding, enough(finding))
                for part, finding in zip(claim.parts, findings, strict=True)
                if part.counts and finding.verdict == CANNOT_TELL and part.artefact in tables
            ]
    return found


def further(
    paper: Paper,
    scale: str,
    frames: Mapping[str, Mapping[str, pl.DataFrame]],
    most: int,
    told: Callable[[str], object],
) -> list[Runs]:
    """Return the runs with which open parts can tell, at points that have not been extended.

    Parameters
    ----------
    paper, scale
        A paper, and the scale of its runs.
    frames
        For each artefact that is there, the tables of its runs by their names.
    most
        The maximum number of seeds of a point.
    told
        Is told what is open, and what it takes.
    """
    tables = {
        artefact: paper.seen(paper.table(artefact, scale, of)) for artefact, of in frames.items()
    }
    opened = open_parts(paper, tables)
    able = [each for each in opened if each.needs is not None and each.needs <= most]
    found = _more_runs(paper, scale, frames, tables, able)
    runs = sum(len(_seeds(each)) for each in found)
    if found:
        told(
            f"{paper.name}: {counted(runs, 'further run')} may settle "
            f"{counted(len(able), 'open verdict')} of {len(opened)}"
        )
    elif opened:
        told(f"{paper.name}: open with at most {most} seeds a point:")
        for each in opened:
            number = f"about {each.needs:,}" if each.needs else "an unknown number of"
            once = " (its points have been extended once)" * (0 < (each.needs or 0) <= most)
            told(f"  {each.claim}, {each.part.name}: {number} seeds would tell{once}")
    return found


def _more_runs(
    paper: Paper,
    scale: str,
    frames: Mapping[str, Mapping[str, pl.DataFrame]],
    tables: Mapping[str, pl.DataFrame],
    able: Sequence[Open],
) -> list[Runs]:
    found: dict[tuple[object, ...], Runs] = {}
    for each in able:
        assert each.needs is not None
        artefact = each.part.artefact
        table = tables[artefact]
        keys = table.columns[: table.columns.index("seed")]
        for values in table.select(keys).unique(maintain_order=True).rows(named=True):
            here = pl.all_horizontal(
                pl.col(key).eq_missing(pl.lit(value)) for key, value in values.items()
            )
            rows, others = table.filter(here), table.filter(~here)
            seeds = sorted(set(rows.get_column("seed").to_list()))
            is_extended = LOOK in table.columns and rows[LOOK][0] > 1
            lacks = each.needs - len(seeds)
            if is_extended or lacks <= 0 or each.part.rule(others) == each.finding:
                continue
            runs, point = _runs_of(paper, artefact, scale, frames[artefact], values)
            more = range(seeds[-1] + 1, seeds[-1] + 1 + lacks)
            sweep = runs.sweep.with_seeds(list(more))
            sweep.over = {key: [value] for key, value in point.items()}
            sweep.until = None
            name = f"{runs.name}/{'/'.join(map(str, point.values()))}/further"
            own = {
                key: value
                for key, value in values.items()
                if value is not None and key not in (GRID, VARIANT)
            }
            common = {**runs.common, **own}
            known = found.get(tuple(values.values()))
            if known is None or len(_seeds(known)) < lacks:
                found[tuple(values.values())] = Runs(
                    name, runs.grid, runs.variant, common, sweep, is_more=True
                )
    return list(found.values())


def _runs_of(
    paper: Paper,
    artefact: str,
    scale: str,
    frames: Mapping[str, pl.DataFrame],
    values: Mapping[str, object],
) -> tuple[Runs, dict[str, object]]:
    """Return the planned runs that have a point of a table, and its values in their sweep."""
    for runs in paper.runs([artefact], scale):
        axes = list(runs.sweep.over)
        labels = {GRID: runs.grid, VARIANT: runs.variant, **runs.common}
        if runs.is_more or any(values.get(key) != value for key, value in labels.items()):
            continue
        points = frames[runs.name].select(axes).unique(maintain_order=True).rows(named=True)
        for point, shown in zip(runs.sweep.points, points or [{}], strict=True):
            if all(values.get(key) == value for key, value in shown.items()):
                return runs, point
    raise LookupError(f"no planned runs of {artefact} at {dict(values)}")


def _seeds(runs: Runs) -> list[int]:
    seeds = runs.sweep.seeds
    return list(range(1, seeds + 1)) if isinstance(seeds, int) else seeds
