"""Readings of a paper, searched and saved: what `tcphoton.Readings` is."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tcphoton import _core
from tcphoton.common import checksum, safe_read
from tcphoton.common.open_folder import made
from tcphoton.common.terminal import say as say_it
from tcphoton.errors import OutputError, hint
from tcphoton.papers.assumptions import Reading
from tcphoton.papers.provenance import commit
from tcphoton.papers.readings_of import written
from tcphoton.readings import search as searching
from tcphoton.readings.confirm import FIRST_SEED, Confirmed, confirm, ordered_alike
from tcphoton.readings.evaluate import Budget, Runner
from tcphoton.readings.outcome import Outcome, outcome
from tcphoton.readings.plan import plan_of
from tcphoton.sweep.store.cache import Cache

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    import polars as pl

    from tcphoton.common.progress import Progress
    from tcphoton.figures.charts import Format
    from tcphoton.sweep.workers.cluster import Cluster

__all__ = ["BEST", "RECORD", "Findings", "Readings"]

RECORD, BEST = "readings.json", "best.toml"
FORMATS: tuple[Format, ...] = ("svg", "pdf", "png", "html")
TABLES = ("readings", "assumptions", "values", "claims", "targets", "pairs")


@dataclass(frozen=True)
class Findings:
    """What the searches of a paper have found.

    Attributes
    ----------
    paper
        The paper's name.
    facts
        How they were made, by name.
    outcomes
        What came of each search.
    ledgers
        For each reading that was run again its kind, values, and entries of the ledger.
    """

    paper: str
    facts: dict[str, Any]
    outcomes: list[Outcome]
    ledgers: list[dict[str, Any]]

    @property
    def best(self) -> Reading:
        """The best joint reading: of each search the best, which share no assumption."""
        values = {name: value for each in self.outcomes for name, value in each.best.items()}
        return Reading("best", values, FIRST_SEED)

    def table(self, name: str) -> pl.DataFrame:
        """Return a table of all searches as one.

        Parameters
        ----------
        name
            ``readings``, ``assumptions``, ``values``, ``claims``, ``targets`` or ``pairs``.
        """
        import polars as pl

        if name not in TABLES:
            raise LookupError(f"no table {name!r}{hint(name, TABLES)}; {', '.join(TABLES)}")
        frames = [
            pl.DataFrame(rows, infer_schema_length=None).insert_column(
                0, pl.Series("search", [each.name] * len(rows))
            )
            for each in self.outcomes
            if (rows := getattr(each, name))
        ]
        return pl.concat(frames, how="diagonal_relaxed") if frames else pl.DataFrame()

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the record, the tables as CSV, the figures and the best reading into a folder."""
        from tcphoton import figures
        from tcphoton.readings.drawing import FIGURES
        from tcphoton.runs import measures

        record = {
            "paper": self.paper,
            "facts": self.facts,
            "outcomes": [asdict(each) for each in self.outcomes],
            "ledgers": self.ledgers,
        }
        with made(Path(folder)) as place:
            for name in TABLES:
                table = self.table(name)
                if table.height:
                    place.put(f"{name}.csv", measures.csv_text(table).encode())
            for each in self.outcomes:
                for kind, draw in FIGURES.items():
                    if each.readings:
                        name = f"{each.name}-{kind}"
                        for file, data in figures.drawn(draw(each), name, FORMATS):
                            place.put(file, data)
            if self.best.values:
                about = f"the best joint reading of {self.paper} that its searches have found"
                place.put(BEST, written(self.best, about).encode())
            text = json.dumps(checksum.sealed(record), indent=1, ensure_ascii=False)
            place.put(RECORD, f"{text}\n".encode())

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Findings:
        """Read what `save` has written.

        Raises
        ------
        OutputError
            It cannot be read.
        """
        path = Path(folder) / RECORD
        try:
            kept = safe_read.read_object(path)
            outcomes = [Outcome(**each) for each in kept["outcomes"]]
            return cls(kept["paper"], kept["facts"], outcomes, kept["ledgers"])
        except (OSError, KeyError, TypeError) as error:
            raise OutputError(f"{path}: no findings of readings: {error}") from None


class Readings:
    """The readings of a paper: its assumptions, and the searches over them.

    Parameters
    ----------
    paper
        A paper's name, or the folder of a paper of one's own.

    Raises
    ------
    LookupError
        There is no such paper.
    ScenarioError
        Its files have errors.

    Examples
    --------
    >>> import tcphoton as tp
    >>> readings = tp.Readings("sync")
    >>> [assumption.default for assumption in readings.plan.assumptions.values()][:1]
    ['a link of 100 Mb/s over N each']
    """

    def __init__(self, paper: str) -> None:
        self.plan = plan_of(paper)
        self.name = paper

    def run(
        self,
        out: str | os.PathLike[str],
        *,
        searches: Sequence[str] = (),
        runs: int | None = None,
        hours: float | None = None,
        again: bool = True,
        workers: int | None = None,
        cluster: Cluster | None = None,
        progress: Callable[[Progress], Any] | None = None,
        say: Callable[[str], object] = say_it,
    ) -> Findings:
        """Search, run the best readings again, save what is found, and return it.

        Existing runs are not repeated, so a second call goes on where the first one has ended.

        Parameters
        ----------
        out
            The folder. It keeps the runs; the results are in ``readings`` in a folder of the
            paper's name.
        searches
            The names of searches; all if there are none.
        runs, hours
            The most runs and hours; without them all waves are run. Searches share them evenly,
            and of its part each keeps 30 % for simpler readings and for running the best again.
        again
            Whether the best readings are run again with fresh seeds.
        workers, cluster, progress
            See `Sweep.run`.
        say
            Reports what is done.

        Raises
        ------
        LookupError
            There is no such search.
        OutputError
            The folder cannot be written.
        """
        started, built = time.monotonic(), commit()
        for name in searches:
            if name not in self.plan.searches:
                known = self.plan.searches
                raise LookupError(f"no search {name!r}{hint(name, known)}; {', '.join(known)}")
        budget = Budget(runs, None if hours is None else 3600 * hours)
        folder = Path(out) / self.plan.paper.name
        with made(folder) as place:
            place.probe()
        outcomes, ledgers = [], []
        wanted = [name for name in self.plan.searches if name in searches or not searches]
        for at, name in enumerate(wanted):
            each, own = self.plan.searches[name], budget.part(len(wanted) - at)
            runner = Runner(folder, own, say, workers, cluster, progress)
            found = searching.run(self.plan, each, runner)
            confirmed = confirm(self.plan, found, runner) if again and found.judged else []
            made_of = outcome(found, confirmed)
            rank, many = ordered_alike(found, confirmed)
            made_of.facts.update({"rank-correlation": rank, "ranked": many})
            outcomes.append(made_of)
            budget.used += own.used
            many, cpu = budget.elsewhere
            budget.elsewhere = (many + own.elsewhere[0], cpu + own.elsewhere[1])
            ledgers += [_ledger(name, each) for each in confirmed]
        facts = {
            "command": f"tcphoton readings {self.name}",
            "title": self.plan.paper.title,
            "source": self.plan.paper.source,
            "version": _core.__version__,
            "revision": _core.results_revision(),
            "commit": built,
            "runs": budget.used,
            "seconds": round(time.monotonic() - started, 1),
            **_cost(folder, budget),
            "limits": {"runs": runs, "hours": hours},
        }
        found_here = Findings(self.plan.paper.name, facts, outcomes, ledgers)
        found_here.save(folder / "readings")
        return found_here


def _cost(folder: Path, budget: Budget) -> dict[str, Any]:
    """Return the runs that were ever made at this revision, here and elsewhere, and their cost."""
    timings = Cache(folder).timings()
    own = [each.cpu for key, each in timings.items() if key.revision == _core.results_revision()]
    runs, cpu = budget.elsewhere
    return {"all-runs": len(own) + runs, "cpu-seconds": round(sum(own) + cpu, 1)}


def _ledger(search: str, confirmed: Confirmed) -> dict[str, Any]:
    return {
        "search": search,
        "kind": confirmed.kind,
        "values": confirmed.values,
        "misfit": confirmed.misfit,
        "entries": confirmed.entries,
    }
