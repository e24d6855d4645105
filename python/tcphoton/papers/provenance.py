"""What results were made of: the commit of the source tree."""

from __future__ import annotations

import subprocess
from pathlib import Path


def commit() -> str | None:
    """Return the commit of the source tree, with "-dirty" where it was changed; of a wheel none."""
    git = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    here = Path(__file__).parent
    try:
        done = subprocess.run(git, cwd=here, capture_output=True, text=True, check=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
