"""What to know before a measure is believed.

A caveat names the measures that it concerns. Those of a run follow from its own measures:

- ``censored``: flows that had not ended are missing from the completion times, and they are the
  long ones. `completion-km-p50` and `completion-restricted-mean` count them ([KM]_).
- ``unstarted``: a closed loop, or a list of flows, had not come to its end.
- ``beyond``: `completion-restricted-mean` counts many flows as shorter than they are.
- ``outrun``: more and more flows are under way, so that completion times grow with the run.
- ``transient``: the beginning of the measured time is unlike the rest ([MSER]_), and matters.
- ``earlier``: data that were offered before the measured time are much of the goodput.
- ``few-timeouts``: the measured time has few minimum timeouts, and flows wait for them.
- ``access-bound``: goodput is what the hosts' links carry, so that the core could carry more.

Those of a point follow from all of its runs (`tcphoton.analysis.points`):

- ``mixed``: a value over all traffic, whose entries are far apart.
- ``missing``: some runs have no value, and the mean is of the others.
- ``few-seeds``: intervals from fewer than five runs depend on the means being normal.
- ``no-interval``: the runs are too few for any interval.
- ``same-runs``: the seed changes nothing, so a width of 0 is no certainty.
- ``same-bin``: a quantile is equal in all runs, as it is counted in bins.
- ``beyond-bound``: an interval reaches where the measure cannot be, as over a source's rate.
- ``pooled``: a point has several runs of one seed, which differ in something else.

Those of a figure follow from the whole of what it is about (`tcphoton.report.plot`):

- ``unfinished``: runs of the sweep are missing.
- ``no-value``: points are left out, as none of their runs has a value.
- ``not-above-0``: points are left out, as a logarithmic axis has no place for them.
- ``followed``: a distribution of completion times counts flows that had not ended ([KM]_).

References
----------
.. [KM] E. L. Kaplan and P. Meier, J. Am. Stat. Assoc. 53, 1958.
.. [MSER] K. P. White, M. J. Cobb and S. C. Spratt, Winter Simulation Conference 2000.
"""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

from tcphoton.common import quantities
from tcphoton.errors import CaveatWarning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import polars as pl

COLUMN = "caveats"
"""The column of results and of summaries with the kinds of caveats."""
NONE = "none"
"""What a run without caveats has in that column, which CSV keeps apart from no value."""
CENSORED, OF_TAIL = 0.05, 0.02
"""Shares of flows that have not ended, from which on their absence is told: of means and medians,
and of 99 % quantiles."""
TOO_SMALL = 1.05
"""Factor from the mean of the flows that have ended to that of all, from which on it is told."""
BEYOND = 0.05
"""Share of flows longer than half of the measured time, from which on it is told of the mean that
counts them as that."""
OUTRUN = (1.5, 3.0)
"""Growth of the flows under way over half of the measured time that is told: as a factor, and in
standard deviations of as many Poisson arrivals as that half had."""
FEW = 5
"""Runs from which on an interval is not told to have few."""
MILD = frozenset({"access-bound", "few-seeds", "followed", "no-interval"})
"""Kinds that surprise nobody who chose the seeds, or are right: no warning, and no open point."""
QUIET = frozenset({"few-seeds"})
"""Kinds that the text below a figure leaves out."""
OF_FIGURE = frozenset({"followed", "unfinished", "no-value", "not-above-0"})
"""Kinds that concern a figure as a whole, and none of its points."""
LEFT_OUT = frozenset({"no-value", "not-above-0"})
"""Kinds that count points, which add up over the parts of a figure."""
EARLIER = 0.1
"""Share of the goodput that is of data from before the measured time, from which on it is told."""
SILENT, RTOS = 0.05, 10
"""Share of the flows' time, at least, in which they wait for timers, from which on it is told, and
the minimum timeouts in the measured time from which on it is not."""
ACCESS = 0.9
"""Share of what the hosts' links carry, headers not counted, from which on goodput is told to be
that."""
APART = 2.0
"""Factor between the entries of traffic from which on a value over all of them is told."""
COMPLETIONS = (
    "completion-mean", "completion-p50", "completion-p99",
    "slowdown-mean", "slowdown-p50", "slowdown-p99",
)  # fmt: skip
RIGHT = ("completion-km-p50", "completion-km-p99", "completion-restricted-mean")
BATCHES = ("makespan", "batch-throughput")
OF_ALL = (*COMPLETIONS, *RIGHT, "delay-mean", "delay-p50", "delay-p99")
"""Measures of all traffic that mean little where the entries of traffic are unlike."""


TEXTS = {
    "censored": (
        "{value} of the flows had not ended: they are missing from completion times, which are too "
        "small; completion-km-p50, completion-km-p99 and completion-restricted-mean count them",
        "percent",
        "",
    ),
    "unstarted": (
        "the batch had not ended: {value} of its flows had not even begun, so it has no makespan, "
        "completion times are of those that had, and goodput is over the whole measured time",
        "number",
        "",
    ),
    "beyond": (
        "{value} of the flows take longer than half of the measured time: "
        "completion-restricted-mean counts them as that, and a median beyond it rests on the few "
        "flows that were seen so long",
        "percent",
        "",
    ),
    "outrun": (
        "arrivals outrun departures: {other} flows under way at the end, {value} halfway; "
        "completion times grow with run.duration",
        "number",
        "number",
    ),
    "transient": (
        "the first {value} of measured time are unlike the rest, whose goodput differs by {other} "
        "(MSER-5); a longer run.warmup leaves them out",
        "seconds",
        "change",
    ),
    "earlier": (
        "{value} of the goodput or more is of data that were offered before the measured time; a "
        "longer run.duration, or a shorter run.warmup, has less of them",
        "percent",
        "",
    ),
    "few-timeouts": (
        "the measured time has {other} minimum retransmission timeouts, and flows wait for timers "
        "in {value} of it or more: a longer run.duration says what flows have in the long run",
        "percent",
        "factor",
    ),
    "access-bound": (
        "goodput is {value} of what the hosts' links carry, headers not counted, and no link of "
        "the core was used for half of the time: faster links of hosts, or more hosts, show what "
        "the core limits",
        "percent",
        "",
    ),
    "mixed": (
        "over all traffic, whose entries differ by a factor of {value}: measures of an entry, as "
        "traffic.0.completion-mean, say more",
        "factor",
        "",
    ),
    "few-seeds": (
        "intervals from {value} runs are wide, and exact only for normal means; "
        f"{FEW} or more are better",
        "number",
        "",
    ),
    "no-interval": (
        f"no interval from {{value}}: a mean takes 2 runs, a median 6; {FEW} or more are better",
        "runs",
        "",
    ),
    "missing": (
        "{value} of {other} runs have no value: the mean is of the others",
        "number",
        "number",
    ),
    "same-runs": (
        "the seed changes nothing: the traffic of {value} runs is equal, so ± 0 is no certainty "
        "about other starts or losses",
        "number",
        "",
    ),
    "same-bin": (
        "{measure} is equal in all {value} runs, as it is told to 1.6 %: ± 0 is no certainty",
        "number",
        "",
    ),
    "pooled": (
        "{value} rows of {other} at one point: another axis varies within it, and the mean mixes "
        "its values; add it to `by`, or choose one of them",
        "number",
        "seeds",
    ),
    "unfinished": (
        "{value} of {other} runs of the sweep are missing: points are not there, or have fewer "
        "seeds",
        "number",
        "number",
    ),
    "no-value": (
        "{value} of {other} points are left out: none of their runs has a value of {measure}",
        "number",
        "number",
    ),
    "not-above-0": (
        "{value} of {other} points are left out: they are 0 or less, where a logarithmic axis has "
        "no place",
        "number",
        "number",
    ),
    "followed": (
        "{value} of the flows had not ended: each counts as longer than it had been under way "
        "(Kaplan and Meier), and the curve ends where fewer than 1 % of all are left",
        "percent",
        "",
    ),
    "beyond-bound": (
        "the interval of {measure} reaches above what is possible, {value}",
        "quantity",
        "",
    ),
}
"""The text of each kind of caveat, and the forms of its two numbers."""
FORMS: Mapping[str, Callable[[float], str]] = {
    "percent": lambda value: f"{100 * value:.0f} %",
    "change": lambda value: f"{100 * value:+.0f} %",
    "number": lambda value: f"{value:,.0f}",
    "runs": lambda value: quantities.counted(int(value), "run"),
    "factor": lambda value: f"{value:.2g}",
    "seeds": lambda value: quantities.counted(int(value), "seed"),
    "seconds": lambda value: quantities.text(value, "s"),
}


class Caveat(NamedTuple):
    """A caveat.

    Attributes
    ----------
    kind
        One of those of this module.
    measures
        The columns that it concerns; empty for all.
    value, other
        The numbers that its text has.
    about
        What else there is to say; an empty text if nothing.
    """

    kind: str
    measures: tuple[str, ...]
    value: float
    other: float = math.nan
    about: str = ""

    def concerns(self, measure: str) -> bool:
        """Tell whether it concerns a measure."""
        return not self.measures or measure in self.measures

    @property
    def group(self) -> str:
        """What it is told together with: its kind, with its measure if that has a bound."""
        return (
            f"{self.kind} {self.measures[0]}" if "{measure}" in TEXTS[self.kind][0] else self.kind
        )


def of_run(row: Mapping[str, Any]) -> list[Caveat]:
    """Return the caveats of a run from its measures: of all traffic, and of each entry.

    Examples
    --------
    >>> row = {"unfinished": 58, "completed": 42, "completion-mean": 0.1958}
    >>> [(each.kind, each.value) for each in of_run(row)]
    [('censored', 0.58)]
    """
    heads = [name.removesuffix("unfinished") for name in row if ends(name, "unfinished")]
    found = [each for head in heads for each in _of_entry(row, head)]
    shares = [row.get(f"{head}access-share") or 0 for head in heads if head]
    # An entry that does not fill its links may be what the core is studied with.
    if shares and min(shares) > ACCESS:
        goodputs = tuple(f"{head}goodput" for head in heads)
        found.append(Caveat("access-bound", goodputs, min(shares)))
    return found


def _of_entry(row: Mapping[str, Any], head: str) -> Iterator[Caveat]:
    def has(name: str) -> float:
        return row.get(head + name) or 0

    def named(*names: str) -> tuple[str, ...]:
        return tuple(head + name for name in names)

    unfinished, completed = has("unfinished"), has("completed")
    mean, of_all = has("completion-mean"), has("completion-restricted-mean")
    if unfinished and mean:
        share = unfinished / (unfinished + completed)
        tails = tuple(name for name in COMPLETIONS if name.endswith("-p99"))
        if share > CENSORED or of_all > TOO_SMALL * mean:
            yield Caveat("censored", named(*COMPLETIONS), share)
        elif share > OF_TAIL:
            yield Caveat("censored", named(*tails), share)
    if unstarted := has("unstarted"):
        concerned = (*COMPLETIONS, *RIGHT, *BATCHES, "goodput")
        yield Caveat("unstarted", named(*concerned), unstarted)
    if (beyond := has("completion-beyond")) > BEYOND:
        median, _, limited = RIGHT
        told = (limited, median) if beyond > 0.5 else (limited,)  # noqa: PLR2004
        yield Caveat("beyond", named(*told), beyond)
    before, (factor, deviations) = has("unfinished-halfway"), OUTRUN
    # As many begin in the second half as end in it, and by as many as there are more under way.
    begun = completed / 2 + unfinished - before
    if (
        before
        and unfinished > factor * before
        and unfinished - before > deviations * math.sqrt(max(begun, 1))
    ):
        yield Caveat("outrun", named(*COMPLETIONS, *RIGHT), before, unfinished)
    if has("goodput-earlier") > EARLIER:
        yield Caveat("earlier", named("goodput"), has("goodput-earlier"))
    rtos, flows = has("measured-rtos"), has("flows")
    if flows and 0 < rtos < RTOS and (silent := has("timeouts") / (flows * rtos)) > SILENT:
        yield Caveat("few-timeouts", named("goodput", "jain"), min(silent, 1.0), rtos)
    if has("transient") and has("goodput"):
        change = has("goodput-steady") / has("goodput") - 1
        yield Caveat("transient", named("goodput"), has("transient"), change)


def of_rows(table: pl.DataFrame, measure: str) -> list[Caveat]:
    """Return the caveats of the runs in a table that concern a measure."""
    if not any(ends(name, "unfinished") for name in table.columns):
        return []
    if COLUMN in table.columns:
        table = table.filter(table.get_column(COLUMN).ne_missing(NONE))
    rows = table.iter_rows(named=True)
    return [each for row in rows for each in of_run(row) if each.concerns(measure)]


def told(caveats: Iterable[Caveat]) -> dict[str, str]:
    """Return a text for each group of some caveats, with the range of their numbers.

    Examples
    --------
    >>> some = [Caveat("censored", ("completion-mean",), share) for share in (0.09, 0.58)]
    >>> print(told(some)["censored"].split(":")[0])
    9 % to 58 % of the flows had not ended
    """
    groups: dict[str, list[Caveat]] = {}
    for each in caveats:
        groups.setdefault(each.group, []).append(each)
    return {group: _text(each) for group, each in groups.items()}


def _text(caveats: Sequence[Caveat]) -> str:
    template, *forms = TEXTS[caveats[0].kind]
    measure = next(iter(caveats[0].measures), "")
    numbers = [[each.value for each in caveats], [each.other for each in caveats]]
    if caveats[0].kind in LEFT_OUT:
        numbers = [[math.fsum(each)] for each in numbers]
    value, other = (
        _range(each, FORMS[form] if form != "quantity" else lambda of: _bound(of, measure))
        if form
        else ""
        for each, form in zip(numbers, forms, strict=True)
    )
    about = "; ".join(dict.fromkeys(each.about for each in caveats if each.about))
    text = template.format(value=value, other=other, measure=measure)
    return f"{text}; {about}" if about else text


def _bound(value: float, measure: str) -> str:
    return quantities.text(value, "b/s" if ends(measure, "goodput") else "")


def _range(values: Sequence[float], text: Any) -> str:
    low, high = text(min(values)), text(max(values))
    return low if low == high else f"{low} to {high}"


def kinds(caveats: Iterable[Caveat]) -> str:
    """Return the kinds of some caveats as one text."""
    return ", ".join(dict.fromkeys(each.kind for each in caveats))


def warn(caveats: Iterable[Caveat], measure: str, level: int = 3) -> None:
    """Warn of caveats of a measure, once for each kind; that seeds are few is no surprise."""
    caveats = (each for each in caveats if each.kind not in MILD)
    for text in told(caveats).values():
        warnings.warn(f"{measure}: {text}", CaveatWarning, stacklevel=level)


def ends(name: str, end: str) -> bool:
    """Tell whether a column is a measure of all traffic, or of an entry."""
    return name == end or name.endswith(f".{end}")
