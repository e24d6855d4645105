"""An emulator: what a target's number would be under readings that were not run.

It is a Gaussian process or boosted trees of scikit-learn, an optional package, whichever predicts
left-out readings better. The mean square of these errors is the variance of its predictions.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

FEWEST = 12
"""Minimum readings for an emulator."""
FOLDS = 5


def is_available() -> bool:
    """Tell whether scikit-learn is installed."""
    try:
        import sklearn  # noqa: F401
    except ImportError:
        return False
    return True


@dataclass(frozen=True)
class Emulator:
    """Predicts a number from the numbers of a reading.

    Attributes
    ----------
    predict
        Returns a prediction for each row.
    variance
        The mean square of its errors on readings that it had not seen.
    kind
        What it is.
    """

    predict: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    variance: float
    kind: str


def fitted(x: NDArray[np.float64], y: NDArray[np.float64], seed: int = 1) -> Emulator:
    """Return the emulator that predicts left-out rows best; the mean if neither does better.

    Parameters
    ----------
    x
        A row for each reading.
    y
        A number for each reading.
    seed
        The seed of the folds and of the trees.
    """
    mean = float(y.mean())
    best = Emulator(lambda rows: np.full(len(rows), mean), float(y.var(ddof=1)), "mean")
    folds = np.random.default_rng(seed).permutation(len(y)) % FOLDS
    for kind, make in _models(seed).items():
        errors = np.empty(len(y))
        for fold in range(FOLDS):
            left_out = folds == fold
            model = _fit(make(), x[~left_out], y[~left_out])
            errors[left_out] = model.predict(x[left_out]) - y[left_out]
        variance = float(np.mean(errors**2))
        if variance < best.variance:
            whole = _fit(make(), x, y)
            best = Emulator(whole.predict, variance, kind)
    return best


def _fit(model: Any, x: NDArray[np.float64], y: NDArray[np.float64]) -> Any:
    with warnings.catch_warnings():
        # A kernel's parameter at its bound is still a prediction, and cross-validation judges it.
        warnings.simplefilter("ignore")
        return model.fit(x, y)


def _models(seed: int) -> dict[str, Callable[[], Any]]:
    if not is_available():
        return {}
    from sklearn.ensemble import GradientBoostingRegressor
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

    def process() -> Any:
        kernel = ConstantKernel(1.0) * Matern(1.0, nu=1.5) + WhiteKernel(0.1)
        return GaussianProcessRegressor(kernel, normalize_y=True, random_state=seed)

    def trees() -> Any:
        return GradientBoostingRegressor(
            n_estimators=120, max_depth=3, learning_rate=0.08, subsample=0.8, random_state=seed
        )

    return {"Gaussian process": process, "boosted trees": trees}
