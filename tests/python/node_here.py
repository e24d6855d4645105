"""JavaScript outside of a browser: a script that reads JSON and writes JSON, in Node.js."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

from waiting import PATIENCE

NODE = shutil.which("node") or shutil.which("nodejs")
MISSING = "" if NODE else "no Node.js (Debian: apt install nodejs)"
"""Why tests are left out; empty where they run."""


def run(script: str, given: Any, *options: str) -> Any:
    """Run a script; `options` are Node's own."""
    assert NODE is not None
    done = subprocess.run(
        [NODE, *options, "--eval", script],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
