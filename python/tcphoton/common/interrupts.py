"""Ctrl-C, counted: the first finishes the started runs, the second stops immediately."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from types import TracebackType


class Interrupts:
    """Counts Ctrl-C while it is entered; the second one raises, regardless of what is waited for.

    It counts none if Ctrl-C already has another meaning (another handler, another thread).

    Examples
    --------
    >>> with Interrupts() as interrupts:
    ...     signal.raise_signal(signal.SIGINT)
    ...     interrupts.count
    1
    """

    def __init__(self) -> None:
        self.count = 0
        self._ours = False

    def __enter__(self) -> Self:
        """Start to count."""
        self._ours = (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        )
        if self._ours:
            signal.signal(signal.SIGINT, self._pressed)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Restore the handler of Ctrl-C."""
        if self._ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _pressed(self, *_: Any) -> None:
        self.count += 1
        if self.count > 1:
            raise KeyboardInterrupt
