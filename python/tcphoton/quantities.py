"""Numbers with their unit, short enough to read."""

from __future__ import annotations

import math

__all__ = ["text"]

LARGE = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")]
SMALL = [(1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"), (1e-12, "p")]
DIGITS = 4


def text(value: float | None, unit: str = "") -> str:
    """Return a number with its unit and a prefix, to four digits.

    Examples
    --------
    >>> text(2.5e9, "b/s"), text(0.00125, "s"), text(12345), text(0.25), text(None, "s")
    ('2.5 Gb/s', '1.25 ms', '12,345', '0.25', '–')
    """
    if value is None or math.isnan(value):
        return "–"
    if unit in {"b/s", "B"}:
        return _scaled(value, unit, LARGE)
    if unit == "s":
        return _scaled(value, unit, SMALL)
    if isinstance(value, int) or (float(value).is_integer() and abs(value) < 1e15):  # noqa: PLR2004
        return f"{int(value):,}"
    if abs(value) >= 10**DIGITS:
        return f"{value:,.0f}" if abs(value) < 1e15 else f"{value:.{DIGITS}g}"  # noqa: PLR2004
    return f"{value:.{DIGITS}g}"


def _scaled(value: float, unit: str, prefixes: list[tuple[float, str]]) -> str:
    """Use the largest prefix that leaves at least one; the last one for anything smaller."""
    if value == 0:
        return f"0 {unit}"
    rounded = float(f"{value:.{DIGITS}g}")
    factor, prefix = next((pair for pair in prefixes if abs(rounded) >= pair[0]), prefixes[-1])
    scaled = value / factor
    # A value too large for its prefix keeps plain digits: "20000 s", never "2e+04 s".
    digits = f"{scaled:.{DIGITS}g}" if abs(scaled) < 10**DIGITS else f"{scaled:.0f}"
    return f"{digits} {prefix}{unit}"
