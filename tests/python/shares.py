"""How much of what is sampled the tests try: TEST_SHARE, a tenth unless `make verify` asks for all.

A test that tries some of many cases chooses them by their names, so that they are the same in every
run and on every machine. What no part can show is marked `verify`, and is there with all alone.
"""

from __future__ import annotations

import hashlib
import math
import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


VARIABLE = "TEST_SHARE"
"""The variable of the environment with the share, above 0 and at most 1."""
DEFAULT = 0.1


def share() -> float:
    """Return the share of what is sampled that is tried.

    Raises
    ------
    pytest.UsageError
        The environment has something else than a share.
    """
    text = os.environ.get(VARIABLE, "") or str(DEFAULT)
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value <= 1:
        raise pytest.UsageError(f"{VARIABLE}={text}: not a share; accepted above 0 and up to 1")
    return value


def all_of_it() -> bool:
    """Tell whether all is tried, as in `make verify`."""
    return share() == 1


def _place(key: str) -> int:
    """Return where a name stands among all, evenly: those below the share are tried."""
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest())


def chosen(key: str) -> bool:
    """Tell whether the case of that name is among those that are tried."""
    return _place(key) < share() * 2**64


def few(whole: int, least: int = 1) -> int:
    """Return how many of numbered cases are tried: the share of all, but not less than some."""
    return min(whole, max(least, math.ceil(share() * whole)))


def left_out(names: list[str], least: int) -> set[str]:
    """Return which of a test's cases, by name, are not tried; at least some of them are."""
    return set(sorted(names, key=_place)[few(len(names), least) :])


@contextmanager
def core_seconds_below(limit: float) -> Iterator[None]:
    """Limit the seconds of a core that something takes, where all is tried.

    They depend on the machine, and on what else it does: `make test` has no such limit.
    """
    began = time.process_time()
    yield
    if all_of_it():
        taken = time.process_time() - began
        assert taken < limit, f"{taken:.2f} s of a core, and at most {limit:g} s are allowed"
