"""Parts of sweeps in written form: a rule in files and folders, a point as a command."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from tcphoton.common import toml

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tcphoton.analysis.statistics import Until


def settings_of(asked: Mapping[str, Any], values: Mapping[str, Any]) -> list[str]:
    """Return a point's settings in the order that the command needs: a table before its keys."""
    pairs = [*asked["set"], *values.items()]
    pairs.sort(key=lambda pair: pair[0].count("."))
    set_ = [f"{key}={toml.inline(value)}" for key, value in pairs]
    return [*(f"{key}={text}" for key, text in asked["overrides"]), *set_]


def until_keys(until: Until) -> dict[str, Any]:
    """Return a rule by the keys that files and folders have."""
    keys = {key.replace("_", "-"): value for key, value in dataclasses.asdict(until).items()}
    return {key: value for key, value in keys.items() if value not in ((), {})}


def until_of(found: Mapping[str, Any] | None) -> Until | None:
    """Return the rule that a file has."""
    if found is None:
        return None
    from tcphoton.analysis.statistics import Until

    return Until(**{key.replace("-", "_"): value for key, value in found.items()})
