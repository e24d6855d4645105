"""The design of a sweep: which points it has.

A sweep has a point for every combination of rows of its axes. Each key of the grid (``over``) is an
axis; the keys of a ``zip`` vary together, those of ``cases`` vary row by row, and those of a
``sample`` are drawn from ranges. The drawn values are stored in the folder of the sweep, so that
they need not be drawn again.
"""

from __future__ import annotations

import itertools
import json
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tcphoton import _core
from tcphoton.scenario import files

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["Axis", "Design", "Sample", "axes_of", "columns_of", "draw", "load", "points_of"]

Design = Literal["latin-hypercube", "sobol", "random"]
Axis = dict[str, list[Any]]
"""Keys that vary together, each with its values; all have the same number of values."""


@dataclass(frozen=True)
class Sample:
    """Points drawn from ranges of keys.

    Parameters
    ----------
    over
        Dotted keys, each with its range, ``{"from": "1 ms", "to": "50 ms"}``, or with the values
        from which it is drawn, ``{"among": ["reno", "cubic"]}``. Between integers, integers are
        drawn. With ``"scale": "log"`` the logarithm is distributed uniformly.
    points
        How many; a point that is drawn twice counts once.
    design
        ``latin-hypercube`` divides each range into as many parts as there are points, and puts
        one point into each part; ``sobol`` fills all ranges evenly, best with a power of two;
        ``random`` draws each point independently.
    seed
        The seed of the drawing.

    Examples
    --------
    >>> import tcphoton as tp
    >>> sample = Sample({"traffic.0.source.rate": {"from": "5 Mb/s", "to": "9 Mb/s"}}, points=4)
    >>> sweep = tp.Sweep(tp.example("mm1"), sample=sample)
    >>> len(sweep.points)
    4
    """

    over: Mapping[str, Mapping[str, Any]]
    points: int
    design: Design = "latin-hypercube"
    seed: int = 1


def load(
    file: str,
    text: str,
    base: tuple[str, str, Sequence[tuple[str, str]]] | None = None,
    known: Iterable[files.File] = (),
) -> _core.Sweep:
    """Load a sweep, read the files that it refers to, and draw its sample if it has one.

    Parameters
    ----------
    file, text
        The sweep.
    base
        Its scenario, if it does not name one: the file, the text and the overrides.
    known
        Files that have been read.

    Raises
    ------
    ScenarioError
        The sweep has errors.
    """
    read = files.of_sweep(file, text, base, known)
    checked = _core.load_sweep(file, text, base, None, read)
    if "sample" not in text:
        return checked
    found = json.loads(checked.definition())
    if found["sample"] is None:
        return checked
    ((*columns,),) = found["drawn"]
    sample = found["sample"]
    numbers = draw(sample["design"], sample["points"], len(columns), sample["seed"])
    return _core.load_sweep(file, text, base, numbers, read)


def draw(design: Design, points: int, keys: int, seed: int) -> list[list[float]]:
    """Return numbers from 0 up to 1: one list per key, with one number per point.

    Examples
    --------
    >>> (numbers,) = draw("latin-hypercube", 4, 1, seed=1)
    >>> sorted(int(4 * number) for number in numbers)
    [0, 1, 2, 3]
    """
    import numpy as np
    from scipy.stats import qmc

    stream = np.random.default_rng(seed)
    if design == "latin-hypercube":
        drawn = qmc.LatinHypercube(keys, rng=stream).random(points)
    elif design == "sobol":
        with warnings.catch_warnings():
            # Counts that are not powers of two are less even, but permitted.
            warnings.filterwarnings("ignore", "The balance properties", UserWarning)
            drawn = qmc.Sobol(keys, rng=stream).random(points)
    else:
        drawn = stream.random((points, keys))
    return drawn.T.tolist()


def axes_of(definition: Mapping[str, Any]) -> list[Axis]:
    """Return the axes of a sweep, the outermost first, from its definition."""
    grid: list[Any] = [[pair] for pair in definition["over"]]
    tables = (definition.get(name, []) for name in ("zip", "cases", "drawn"))
    return [{key: list(values) for key, values in axis} for axis in itertools.chain(grid, *tables)]


def columns_of(axes: Sequence[Axis]) -> Axis:
    """Return all keys that vary, each with its values."""
    return {key: values for axis in axes for key, values in axis.items()}


def points_of(axes: Sequence[Axis]) -> list[dict[str, Any]]:
    """Return the values of every point, the first axis outermost.

    Examples
    --------
    >>> points_of([{"a": [1, 2]}, {"b": ["x", "y"], "c": [True, False]}])
    [{'a': 1, 'b': 'x', 'c': True}, {'a': 1, 'b': 'y', 'c': False},
     {'a': 2, 'b': 'x', 'c': True}, {'a': 2, 'b': 'y', 'c': False}]
    """
    rows = [
        [dict(zip(axis, values, strict=True)) for values in zip(*axis.values(), strict=True)]
        for axis in axes
    ]
    return [
        {key: value for row in point for key, value in row.items()}
        for point in itertools.product(*rows)
    ]
