"""Marks of the cells that have a caveat, and the notes below a table that explain them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tcphoton.runs import caveats

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tcphoton.runs.caveats import Caveat


class Marks:
    """Numbers of caveats in the order in which a table's cells have them.

    Examples
    --------
    >>> marks = Marks()
    >>> marks.of_cell([caveats.Caveat("censored", ("completion-mean",), 0.58)])
    ' [1]'
    >>> print(marks.notes()[0][:38])
    [1] 58 % of the flows had not ended: t
    """

    def __init__(self) -> None:
        self._found: dict[str, list[Caveat]] = {}
        self._of_row: list[Caveat] = []

    def of_cell(self, found: Iterable[Caveat]) -> str:
        """Return the marks of a cell; caveats of all measures are left to the row."""
        found = list(found)
        self._of_row += [each for each in found if not each.measures]
        return self._mark([each for each in found if each.measures])

    def of_row(self) -> str:
        """Return the marks of the row whose cells were marked last."""
        found, self._of_row = self._of_row, []
        return self._mark(found)

    def notes(self) -> list[str]:
        """Return a line for each mark."""
        return [
            f"[{number}] {text}"
            for number, group in enumerate(self._found.values(), 1)
            for text in caveats.told(group).values()
        ]

    def _mark(self, found: Sequence[Caveat]) -> str:
        for each in found:
            self._found.setdefault(each.group, []).append(each)
        numbers = {1 + list(self._found).index(each.group) for each in found}
        return "".join(f" [{number}]" for number in sorted(numbers))
