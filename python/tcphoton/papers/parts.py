"""Parts of claims that several papers make in the same way, and the order of a paper's claims."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from tcphoton.papers.ledger import Claim, Part

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tcphoton.papers.rules import Rule

    Rules = Mapping[str, Sequence[tuple[str, str, Rule]]]

__all__ = ["in_order", "under"]


def under(
    variants: Iterable[str], artefact: str, claim: str, rules: Callable[[str], Rules]
) -> Iterator[Part]:
    """Give the rules of a claim under each of some other assumptions.

    Parameters
    ----------
    variants
        The assumptions.
    artefact
        What has the runs with them.
    claim
        The claim; there may be none of its rules.
    rules
        Returns by claim what is judged with an assumption: what it is about, what the paper says of
        it, and the rule.
    """
    for variant in variants:
        for name, published, rule in rules(variant).get(claim, ()):
            yield Part(f"{variant}, {name}", published, artefact, rule)


def in_order(*groups: Iterable[Claim]) -> tuple[Claim, ...]:
    """Return the claims of some figures in the order of the paper's sheet: by their numbers.

    Examples
    --------
    >>> groups = [[Claim(f"obs.{number}", "", "", "", ()) for number in (1, 10)]]
    >>> groups += [[Claim("obs.2", "", "", "", ())]]
    >>> [each.claim for each in in_order(*groups)]
    ['obs.1', 'obs.2', 'obs.10']
    """
    return tuple(sorted(itertools.chain(*groups), key=_number))


def _number(claim: Claim) -> int:
    return int(claim.claim.partition(".")[2])
