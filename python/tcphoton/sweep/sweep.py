"""Sweeps: scenarios at many points, each with several seeds, on all cores, without repetition.

A point and seed that is in the folder is not run again, so a second call repeats nothing and an
interrupted sweep resumes. At equal seeds all points draw the same random numbers for the same
purposes (common random numbers), because each purpose has its own stream.
"""

from __future__ import annotations

import copy
import dataclasses
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tcphoton import _core
from tcphoton.common import arguments, display, toml
from tcphoton.errors import Mistake, NoMeasureError, ScenarioError
from tcphoton.scenario import files
from tcphoton.scenario.scenario import Scenario
from tcphoton.sweep import designs
from tcphoton.sweep.labels import Labels, unlabelled, written
from tcphoton.sweep.serialize import until_keys, until_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    import polars as pl

    from tcphoton.analysis.statistics import Until
    from tcphoton.common.progress import Progress
    from tcphoton.runs.measures import Derive
    from tcphoton.sweep.runs import Plan
    from tcphoton.sweep.workers.cluster import Cluster

__all__ = ["Sweep", "run_all"]


class Sweep:
    """Scenarios at many points, with seeds.

    A sweep is a value. It is checked on request (`check`) or when it is run. Its points are all
    combinations of the rows of `over`, `zip_`, `cases` and `sample`, the first outermost.

    Parameters
    ----------
    scenario
        The common part of all points.
    over
        The grid: dotted keys with their values, the first key outermost.
    zip_
        Keys that vary together: tables of dotted keys, each with a list; the lists of a table have
        the same length. A list ``label`` has the names of their rows.
    cases
        Individual points: tables of dotted keys with one value each, all with the same keys. The
        name of a case is its ``label``.
    sample
        Points drawn from ranges.
    seeds
        How many seeds, counted from 1, or a list of seeds.
    set_
        Dotted keys that have the same value at every point.
    until
        The rule by which a point takes more seeds than `seeds`.
    title
        The title of the sweep; default: the scenario's title.
    labels
        Names for tables and figures, which change no run: keys that vary, each with its name, or
        with ``{"name": "ports", "values": ["none", "3 ports"]}``. The axis of rows with a label has
        the key ``case``.
    keep
        The tables of each run that are kept (``"fecs"``), for `kept` and for `derive`.
    derive
        Computes further measures of a run: it gets the run's record and the tables of `keep`, and
        returns numbers by name. They are computed again in each call, so a changed function needs
        no new runs.
    folder
        Where relative paths of files among the values start; default: at the current directory.

    Raises
    ------
    TypeError
        An argument has a wrong type, such as the name of a file instead of a scenario.

    Examples
    --------
    >>> import tcphoton as tp
    >>> scenario = tp.example("mm1").with_({"run.duration": "20 s"})
    >>> sweep = tp.Sweep(scenario, {"traffic.0.source.rate": ["5 Mb/s", "8 Mb/s"]}, seeds=2)
    >>> sweep.run().select("traffic.0.source.rate", "seed", "packets-sent").rows()
    [('5 Mb/s', 1, 6161), ('5 Mb/s', 2, 6216), ('8 Mb/s', 1, 9887), ('8 Mb/s', 2, 9998)]
    """

    def __init__(
        self,
        scenario: Scenario,
        over: Mapping[str, Sequence[Any]] | None = None,
        *,
        zip_: Sequence[Mapping[str, Sequence[Any]]] = (),
        cases: Sequence[Mapping[str, Any]] = (),
        sample: designs.Sample | None = None,
        seeds: int | Sequence[int] = 5,
        set_: Mapping[str, Any] | None = None,
        until: Until | None = None,
        title: str = "",
        labels: Mapping[str, str | Mapping[str, Any]] | None = None,
        keep: Sequence[str] = (),
        derive: Derive | None = None,
        folder: str | os.PathLike[str] = "",
    ) -> None:
        if isinstance(scenario, str | Path) and str(scenario).endswith(".toml"):
            raise TypeError(
                f"a Scenario is expected, not {scenario!r}: tcphoton.Sweep.load reads a sweep's "
                "file, tcphoton.Scenario.load a scenario's"
            )
        Scenario.expect(scenario)
        _expect_parts(over, sample, until, labels)
        self.scenario = scenario
        self.over: dict[str, Any] = {key: _plain(values) for key, values in (over or {}).items()}
        self.zip_ = [
            {key: _plain(values) for key, values in each.items()} for each in _tables("zip_", zip_)
        ]
        self.cases = [dict(each) for each in _tables("cases", cases)]
        self.sample = sample
        self.seeds: int | list[int] = _plain(seeds)
        self.set_ = dict(set_ or {})
        self.until = until
        self.title = title
        self.labels = dict(labels or {})
        self.keep: tuple[str, ...] = (keep,) if isinstance(keep, str) else tuple(keep)
        self.derive = derive
        self.folder = Path(folder)
        self._files: tuple[files.File, ...] = ()
        self._checked: _core.Sweep | None = None

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Sweep:
        """Read a sweep's file and its scenario.

        Raises
        ------
        ScenarioError
            One of them cannot be read, or has errors.
        """
        return cls.of(designs.load(*_core.read(arguments.path("path", path))))

    @classmethod
    def of(cls, checked: _core.Sweep) -> Sweep:
        """Return the sweep of a parsed file."""
        found = json.loads(checked.definition())
        overrides = tuple((key, value) for key, value in found["overrides"])
        read, named = files.kept(found), written(found)
        sweep = cls(
            Scenario(found["text"], found["file"], overrides, read),
            dict(found["over"]),
            zip_=named["zip"],
            cases=named["cases"],
            sample=designs.Sample(**found["sample"]) if found["sample"] else None,
            seeds=found["seeds"],
            set_=dict(found["set"]),
            until=until_of(found["until"]),
            title=found["title"],
            labels=named["labels"],
            keep=found["keep"],
        )
        sweep._files, sweep._checked = read, checked
        return sweep

    def with_(self, settings: Mapping[str, Any]) -> Sweep:
        """Return this sweep with keys set at every point.

        Examples
        --------
        >>> import tcphoton as tp
        >>> sweep = tp.Sweep(tp.example("mm1"), {"run.seed": [1]}).with_({"run.duration": "2 s"})
        >>> sweep.set_
        {'run.duration': '2 s'}
        """
        other = copy.copy(self)
        other.set_, other._checked = {**self.set_, **settings}, None
        return other

    def with_seeds(self, seeds: int | Sequence[int]) -> Sweep:
        """Return this sweep with other seeds."""
        other = copy.copy(self)
        other.seeds, other._checked = _plain(seeds), None
        return other

    @property
    def axes(self) -> list[designs.Axis]:
        """What varies, the outermost first.

        Raises
        ------
        ScenarioError
            There is a sample, and the sweep has errors.
        """
        if self.sample is None:
            columns = {key: [case.get(key) for case in self.cases] for key in _keys(self.cases)}
            grid = [{key: values} for key, values in self.over.items()]
            axes = (unlabelled(axis) for axis in (*grid, *self.zip_, columns))
            return [axis for axis in axes if axis]
        return designs.axes_of(json.loads(self.checked().definition()))

    @property
    def names(self) -> Labels:
        """What tables and figures call the axes and their values.

        Raises
        ------
        ScenarioError
            The sweep has errors.
        """
        return Labels.of(json.loads(self.checked().definition()))

    @property
    def points(self) -> list[dict[str, Any]]:
        """The values of every point, the first axis outermost.

        Examples
        --------
        >>> Sweep(Scenario(""), {"run.duration": ["1 s", "2 s"], "traffic.0.count": [3]}).points
        [{'run.duration': '1 s', 'traffic.0.count': 3},
         {'run.duration': '2 s', 'traffic.0.count': 3}]
        """
        return designs.points_of(self.axes)

    def check(self) -> list[Mistake]:
        """Return all errors, including those of every point; an empty list if there are none."""
        try:
            self.checked().digests()
            self.expect_measures()
        except ScenarioError as error:
            return error.mistakes
        except NoMeasureError as error:
            return [error.mistake("<sweep>")]
        return []

    def expect_measures(self) -> None:
        """Refuse a rule that uses something other than a measure, before any run.

        Only the engine knows which measures exist, so it simulates one event of the first point.
        With `derive` nothing is refused: its measures are known when a run has ended.

        Raises
        ------
        NoMeasureError
            The rule does.
        ScenarioError
            The sweep has errors.
        """
        if self.until is None or self.derive is not None:
            return
        from tcphoton.runs import measures
        from tcphoton.runs import run as runs
        from tcphoton.sweep import point

        first = Scenario(point.canonical(self.checked().point(0)))
        point.expect_measures(self.until, measures.row(runs.first_event(first).record))

    def checked(self) -> _core.Sweep:
        """Return the function that makes the points.

        Raises
        ------
        ScenarioError
            The sweep has errors; those of single combinations of values are reported when the point
            is made.
        """
        if self._checked is None:
            base = (self.scenario.file, self.scenario.text, self.scenario.overrides)
            known = (*self.scenario.files, *self._files)
            file = str(self.folder / "<sweep>")
            self._checked = designs.load(file, self._text(), base, known)
        return self._checked

    def run(
        self,
        out: str | os.PathLike[str] | None = None,
        *,
        workers: int | None = None,
        cluster: Cluster | None = None,
        progress: Callable[[Progress], Any] | None = None,
        retry: bool = True,
    ) -> pl.DataFrame:
        """Run the missing runs and return one row per point and seed.

        The columns are the keys of the grid, ``seed``, and the measures: totals over all traffic
        (``goodput``, ``loss``, …), those of each entry (``traffic.0.goodput``), those of bursts.
        A failed run is a row without measures; then there are columns ``error``, the reason, and
        ``replay``, the command that repeats that run. Ctrl-C finishes the runs that have started; a
        second one stops them.

        Parameters
        ----------
        out
            The folder that keeps finished runs and gets the results; without one they are kept only
            during this call.
        workers
            Processes on this machine; default: one per core. Fewer runs are started if memory does
            not suffice for more.
        cluster
            A `dask.distributed.Client`, or the address of a scheduler, whose workers do the runs
            instead. They need tcphoton of the same version, and no access to the folder.
        progress
            Called about ten times per second with a `Progress`. An exception that it raises ends
            the sweep and propagates; finished runs are kept.
        retry
            Repeat runs that failed in an earlier call.

        Raises
        ------
        ScenarioError
            The sweep has errors; nothing was run.
        NoMeasureError
            The rule uses something that is not a measure; nothing was run, unless there is
            `derive`.
        OutputError
            The folder cannot be written; or it was moved or deleted during the runs; or another
            sweep was started in it, so that no results of this one are written. Its runs are kept.
        WorkerError
            The cluster does not answer, or has another version of tcphoton.
        """
        from tcphoton.sweep import folder as sweep_folder
        from tcphoton.sweep.runs import How, run_sweeps

        plan = self.plan()
        self.expect_measures()
        workers = None if workers is None else arguments.whole("workers", workers)
        how = How(workers, cluster, progress, retry)
        if out is None:
            return run_sweeps({"": plan}, None, how)[""]
        begun = sweep_folder.begin(Path(out), self._asked(), plan.digests)
        table = run_sweeps({"": plan}, begun.place, how)[""]
        sweep_folder.finish(begun, table)
        return table

    def kept(self, table: str, out: str | os.PathLike[str]) -> pl.DataFrame:
        """Return a table of all finished runs as one: the keys of the grid and ``seed`` come first.

        Runs that have not been done yet are missing in it.

        Parameters
        ----------
        table
            One of `keep`.
        out
            The folder that `run` or `run_all` has filled.

        Raises
        ------
        LookupError
            The sweep does not keep that table.

        Examples
        --------
        >>> import tempfile
        >>> import tcphoton as tp
        >>> scenario = tp.example("mm1").with_({"run.duration": "12 s"})
        >>> rates = {"traffic.0.source.rate": ["5 Mb/s", "8 Mb/s"]}
        >>> sweep = tp.Sweep(scenario, rates, seeds=2, keep=["links"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     runs = sweep.run(folder)
        ...     links = sweep.kept("links", folder)
        >>> runs.height, links.height, links.columns[:3]
        (4, 8, ['traffic.0.source.rate', 'seed', 'link'])
        """
        from tcphoton.sweep import folder as sweep_folder
        from tcphoton.sweep.point import fill
        from tcphoton.sweep.runs import points_of_sweep
        from tcphoton.sweep.store.cache import Cache

        points = points_of_sweep(0, self.plan())
        cache, revision = Cache(Path(out)), _core.results_revision()
        for point in points:
            if point.until is None:
                point.derive = None  # only a rule needs measures here
            fill(point, cache, revision)
        axes = designs.columns_of(self.axes)
        return sweep_folder.kept_table(table, axes, points, cache, revision)

    def named(self, table: pl.DataFrame) -> pl.DataFrame:
        """Return rows of the results with the names that readers see.

        An axis of rows with labels is a further column, ``case``, and values with names are
        replaced by these; columns keep the keys.

        Raises
        ------
        ScenarioError
            The sweep has errors.

        Examples
        --------
        >>> import tcphoton as tp
        >>> scenario = tp.example("mm1").with_({"run.duration": "12 s"})
        >>> rates = {"traffic.0.source.rate": ["5 Mb/s", "8 Mb/s"]}
        >>> labels = {"traffic.0.source.rate": {"name": "load", "values": ["half", "high"]}}
        >>> sweep = tp.Sweep(scenario, rates, seeds=1, labels=labels)
        >>> sweep.named(sweep.run()).get_column("traffic.0.source.rate").to_list()
        ['half', 'high']
        """
        arguments.expect_frame("table", table)
        return self.names.named(table)

    def plan(self) -> Plan:
        """Return what is run for it.

        Raises
        ------
        ScenarioError
            The sweep has errors.
        """
        from tcphoton.sweep.runs import Plan

        checked = self.checked()
        return Plan(checked, checked.digests(), self.axes, self.until, self.keep, self.derive)

    def _asked(self) -> dict[str, Any]:
        """Return the definition, by the keys that a folder has."""
        asked: dict[str, Any] = json.loads(self.checked().definition())
        if self.until is not None:
            asked["until"] = until_keys(self.until)
        return asked

    def _text(self) -> str:
        """Return the sweep as a file would have it, without the scenario."""
        text: dict[str, Any] = {
            "title": self.title,
            "seeds": self.seeds,
            "set": self.set_,
            "over": self.over,
            "zip": self.zip_,
            "cases": self.cases,
            "labels": self.labels,
            "keep": list(self.keep),
        }
        if self.sample is not None:
            text["sample"] = dataclasses.asdict(self.sample)
        if self.until is not None:
            # Files only support the level 95 %.
            text["until"] = until_keys(self.until)
            del text["until"]["level"]
        return toml.dumps(text)

    def __repr__(self) -> str:
        """Return one line: what varies, and the seeds."""
        axes = [f"{len(values)} {key}" for key, values in self.over.items()]
        axes += [f"{_length(each)} of {', '.join(unlabelled(each))}" for each in self.zip_]
        axes += [f"{len(self.cases)} cases"] if self.cases else []
        axes += [f"{self.sample.points} drawn"] if self.sample else []
        return f"Sweep({self.title!r}, {' × '.join(axes) or 'one point'}, seeds={self.seeds})"

    def _repr_html_(self) -> str:
        """Show the grid and the seeds in a notebook."""
        return display.in_html("sweep", self)


def run_all(
    sweeps: Mapping[str, Sweep],
    out: str | os.PathLike[str] | None,
    *,
    workers: int | None = None,
    cluster: Cluster | None = None,
    progress: Callable[[Progress], Any] | None = None,
    retry: bool = True,
) -> dict[str, pl.DataFrame]:
    """Run several sweeps together and return one table per sweep.

    A point of several sweeps is run once. See `Sweep.run` for the parameters; the folder keeps the
    finished runs and gets no results.

    Examples
    --------
    >>> import tcphoton as tp
    >>> scenario = tp.example("mm1").with_({"run.duration": "12 s"})
    >>> loads = {"few": ["5 Mb/s"], "more": ["5 Mb/s", "8 Mb/s"]}
    >>> sweeps = {
    ...     name: tp.Sweep(scenario, {"traffic.0.source.rate": rates}, seeds=2)
    ...     for name, rates in loads.items()
    ... }
    >>> {name: table.height for name, table in run_all(sweeps, None).items()}
    {'few': 2, 'more': 4}
    """
    from tcphoton.common.open_folder import made
    from tcphoton.sweep.runs import How, run_sweeps

    mistakes: list[Mistake] = []
    plans = {}
    for name, sweep in sweeps.items():
        try:
            plans[name] = sweep.plan()
        except ScenarioError as error:
            mistakes += error.mistakes
    if mistakes:
        raise ScenarioError(mistakes)
    for sweep in sweeps.values():
        sweep.expect_measures()
    how = How(workers, cluster, progress, retry)
    if out is None:
        return run_sweeps(plans, None, how)
    with made(Path(out)) as place:
        place.probe()
    return run_sweeps(plans, place, how)


def _tables(name: str, given: object) -> list[Mapping[str, Any]]:
    """Return a list of tables.

    Raises
    ------
    TypeError
        It is something else.
    """
    listed = isinstance(given, Iterable) and not isinstance(given, Mapping | str)
    tables = list(given) if listed else []  # type: ignore[call-overload]
    if not listed or not all(isinstance(each, Mapping) for each in tables):
        raise TypeError(f"{name} must be a list of dictionaries, not {given!r}")
    return tables


def _expect_parts(over: object, sample: object, until: object, labels: object) -> None:
    """Refuse arguments of a wrong type.

    Raises
    ------
    TypeError
        An argument has a wrong type.
    """
    accepted: list[tuple[str, object, type, str]] = [
        ("over", over, Mapping, "a dictionary of keys, each with its values"),
        ("sample", sample, designs.Sample, "a tcphoton.Sample"),
        ("labels", labels, Mapping, "a dictionary of keys, each with its name"),
    ]
    if until is not None:
        from tcphoton.analysis.statistics import Until

        accepted.append(
            ("until", until, Until, "a rule such as tcphoton.statistics.Until('goodput')")
        )
    for name, given, kind, wanted in accepted:
        if given is not None and not isinstance(given, kind):
            raise TypeError(f"{name} must be {wanted}, not {given!r}")


def _plain(values: Any) -> Any:
    """Return lists of plain Python values from any collection, including numpy's."""
    if isinstance(values, str):
        return values
    try:
        return [value.item() if hasattr(value, "item") else value for value in values]
    except TypeError:
        return values.item() if hasattr(values, "item") else values


def _keys(cases: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(key for case in cases for key in case))


def _length(columns: Mapping[str, Sequence[Any]]) -> int:
    return min(map(len, columns.values()), default=0)
