"""``make verify``: TCP against Google's scripts of packetdrill, which test Linux.

The scripts are not in this repository, their license is the GPL: the variable `PACKETDRILL` names a
clone of https://github.com/google/packetdrill, or a folder of scripts. Each runs under the profile
`linux`, and its verdict must be that of the table in `docs/reference/packetdrill.md`. Exit code 1
where something differs from the table.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TABLE = Path("docs/reference/packetdrill.md")
SOURCE = "https://github.com/google/packetdrill"
SCRIPTS = "gtests/net/tcp"


def main() -> int:
    """Run the scripts, if there are any."""
    folder = os.environ.get("PACKETDRILL")
    if folder is None:
        print(
            "PACKETDRILL names no folder: no script of packetdrill runs. "
            f"`git clone {SOURCE}` fetches them; set PACKETDRILL to the clone."
        )
        return 0
    within = Path(folder) / SCRIPTS
    folder = str(within) if within.is_dir() else folder
    if not any(Path(folder).rglob("*.pkt")):
        print(f"There are no scripts of packetdrill in {folder}.")
        return 1
    command = ["cargo", "run", "--locked", "--quiet", "-p", "packetdrill", "--", folder, str(TABLE)]
    return subprocess.run([*command, "--check"], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
