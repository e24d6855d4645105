"""Numbers with their units, in a short form."""

from __future__ import annotations

import math
import re
from fractions import Fraction

LARGE = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")]
SMALL = [(1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"), (1e-12, "p")]
SMALLER = [*SMALL, (1e-15, "f")]
DIGITS = 4
QUANTITY = re.compile(r"(\d+(?:\.\d+)?) ?([A-Za-zµ][A-Za-zµ/]*)")
PREFIXES = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12} | {
    "m": Fraction(1, 10**3),
    "u": Fraction(1, 10**6),
    "µ": Fraction(1, 10**6),
    "n": Fraction(1, 10**9),
    "p": Fraction(1, 10**12),
    "f": Fraction(1, 10**15),
}
BASES = ("iB", "B", "b/s", "J/b", "s", "m")
WORDS = {"min": 60, "h": 3600}


def text(value: float | None, unit: str = "") -> str:
    """Return a number with its unit and a prefix, to four digits.

    Examples
    --------
    >>> text(2.5e9, "b/s"), text(0.00125, "s"), text(12345), text(0.25), text(None, "s")
    ('2.5 Gb/s', '1.25 ms', '12,345', '0.25', '–')
    >>> text(2.5e-13, "J/b"), text(0.004, "J")
    ('250 fJ/b', '4 mJ')
    """
    if value is None or math.isnan(value):
        return "–"
    if unit in {"b/s", "B"}:
        return _scaled(value, unit, LARGE)
    if unit == "s":
        return _scaled(value, unit, SMALL)
    if unit in {"J", "J/b"}:
        return _scaled(value, unit, SMALLER)
    if isinstance(value, int) or (float(value).is_integer() and abs(value) < 1e15):  # noqa: PLR2004
        return f"{int(value):,}"
    if abs(value) >= 10**DIGITS:
        return f"{value:,.0f}" if abs(value) < 1e15 else f"{value:.{DIGITS}g}"  # noqa: PLR2004
    return f"{value:.{DIGITS}g}"


def counted(number: int, noun: str) -> str:
    """Return a number with a noun.

    Examples
    --------
    >>> counted(1, "run"), counted(2000, "run")
    ('1 run', '2,000 runs')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def interval(mean: float, half_width: float, unit: str = "") -> str:
    """Return a mean with the half-width of its interval, both with the same prefix.

    An unbounded interval is left out.

    Examples
    --------
    >>> interval(2.512e6, 31e3, "b/s"), interval(0.0123, 0.0004), interval(0.5, math.inf, "s")
    ('2.512 ± 0.031 Mb/s', '0.0123 ± 0.0004', '500 ms')
    """
    if not math.isfinite(half_width) or not math.isfinite(mean):
        return text(mean, unit)
    whole = text(mean, unit)
    number, _, prefixed = whole.partition(" ")
    factor = 1.0
    if unit and prefixed:
        prefix = prefixed.removesuffix(unit)
        factor = next(factor for factor, name in LARGE + SMALLER if name == prefix)
    half = half_width / factor
    spread = f"{half:.2g}" if half < 100 else f"{half:,.0f}"  # noqa: PLR2004
    return f"{number} ± {spread}" + (f" {prefixed}" if prefixed else "")


def number(value: object) -> float:
    """Return a quantity of a scenario in its base unit.

    Base units are seconds, bytes, bits per second, metres, joules per bit. A plain number is kept.

    Examples
    --------
    >>> number("20 kB"), number("1 ms"), number("400 Mb/s"), number("64 KiB"), number(0.5)
    (20000.0, 0.001, 400000000.0, 65536.0, 0.5)
    >>> number("10 m"), number("1.5 km"), number("5 min"), number("0.5 pJ/b")
    (10.0, 1500.0, 300.0, 5e-13)
    """
    return float(_read(value)[0])


def base_unit(value: object) -> str:
    """Return the base unit that `number` uses for a quantity, an empty text for a plain number.

    Examples
    --------
    >>> [base_unit(each) for each in ("20 kB", "5 min", "400 Mb/s", "1 km", "1 pJ/b", 3)]
    ['B', 's', 'b/s', 'm', 'J/b', '']
    >>> base_unit("3 ports")
    Traceback (most recent call last):
        ...
    ValueError: '3 ports' is not a quantity
    """
    return _read(value)[1]


def _read(value: object) -> tuple[Fraction | float, str]:
    """Return a quantity in its base unit, and that unit; nothing else is a quantity."""
    if isinstance(value, int | float):
        return value, ""
    match = QUANTITY.fullmatch(str(value).strip())
    if match:
        digits, unit = match.groups()
        if unit in WORDS:
            return Fraction(digits) * WORDS[unit], "s"
        for base in BASES:
            prefix = unit.removesuffix(base)
            if prefix != unit and prefix in PREFIXES:
                power = PREFIXES[prefix]
                factor = 1024 ** round(math.log(power, 1000)) if base == "iB" else power
                return Fraction(digits) * factor, base.removeprefix("i")
    raise ValueError(f"{value!r} is not a quantity")


def _scaled(value: float, unit: str, prefixes: list[tuple[float, str]]) -> str:
    """Use the largest prefix that gives at least one; the smallest one for smaller numbers."""
    if value == 0:
        return f"0 {unit}"
    rounded = float(f"{value:.{DIGITS}g}")
    factor, prefix = next((pair for pair in prefixes if abs(rounded) >= pair[0]), prefixes[-1])
    scaled = value / factor
    # A value too large for its prefix keeps plain digits: "20000 s", never "2e+04 s".
    digits = f"{scaled:.{DIGITS}g}" if abs(scaled) < 10**DIGITS else f"{scaled:.0f}"
    return f"{digits} {prefix}{unit}"
