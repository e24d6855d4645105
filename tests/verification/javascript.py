"""A part of ``make verify``: the types of the JavaScript, as TypeScript reads them from comments.

It needs npm, which fetches TypeScript; where there is none, it says so.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

WEB = Path(__file__).parents[2] / "python" / "tcphoton" / "web"
OPTIONS = [
    "--noEmit", "--allowJs", "--checkJs", "--strict", "--target", "es2023", "--lib",
    "es2023,dom,dom.iterable", "--module", "esnext", "--moduleResolution", "bundler",
]  # fmt: skip


def main() -> int:
    """Check all modules together."""
    npm = shutil.which("npm")
    if npm is None:
        print("npm is not installed: the types of the JavaScript are left out")
        return 0
    files = [str(file) for file in sorted(WEB.rglob("*.js"))]
    command = [npm, "exec", "--yes", "--package=typescript@5", "--", "tsc", *OPTIONS, *files]
    done = subprocess.run(command, check=False)
    if done.returncode == 0:
        print(f"{len(files)} modules of JavaScript have the types that their comments say.")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
