"""Columns of numbers in a page: the smallest type that keeps every value, as Base64."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

WHOLE = (("i1", np.int8), ("i2", np.int16), ("i4", np.int32))
"""Whole numbers; the smallest value of each type stands for none."""


def packed(values: Iterable[float] | NDArray[np.float64]) -> dict[str, Any]:
    """Return numbers as a value of JSON, NaN for none; the page unpacks exactly these.

    Examples
    --------
    >>> packed([1.0, 2.0, float("nan")]), packed([0.5, 0.5])
    ({'type': 'i1', 'data': 'AQKA'}, {'type': 'same', 'value': 0.5})
    """
    column = np.asarray(values, dtype="<f8")
    missing = np.isnan(column)
    if column.size and (missing.all() or (not missing.any() and (column == column[0]).all())):
        return {"type": "same", "value": None if missing[0] else float(column[0])}
    known = column[~missing]
    if np.isfinite(known).all() and (known == np.rint(known)).all():
        for name, kind in WHOLE:
            least, most = np.iinfo(kind).min, np.iinfo(kind).max
            if known.size == 0 or (known.min() > least and known.max() <= most):
                return _coded(name, np.where(missing, least, column).astype(f"<{name}"))
    with np.errstate(over="ignore"):
        short = column.astype("<f4")
    if (short[~missing] == known).all():
        return _coded("f4", short)
    return _coded("f8", column)


def _coded(name: str, column: NDArray[Any]) -> dict[str, Any]:
    return {"type": name, "data": base64.b64encode(column.tobytes()).decode()}
