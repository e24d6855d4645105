"""Python processes of ours, which import nothing from the folder that a study lies in."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path


def command(code: str, *words: str) -> list[str]:
    """Return the command that runs code in another process; its `sys.argv` has the words.

    ``-c`` and ``-m`` alone put the working directory in front of the standard library, so that a
    `json.py` of a downloaded study would run: ``-P`` does not. Then the process has the module
    path of this one, without the working directory and relative folders.
    """
    home, here = str(Path(__file__).parents[2]), None
    with contextlib.suppress(OSError):  # a folder that is removed
        here = Path.cwd().resolve()
    path = [each for each in sys.path if Path(each).is_absolute() and Path(each).resolve() != here]
    path += [home] if home not in path else []
    return [sys.executable, "-P", "-c", f"import sys; sys.path[:] = {path!r}; {code}", *words]
