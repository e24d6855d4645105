"""The engine for browsers outside of a browser: JavaScript in Node.js."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib import resources
from typing import TYPE_CHECKING, Any

from patience import PATIENCE
from tcphoton.web import modules

if TYPE_CHECKING:
    import tcphoton as tp

NODE = shutil.which("node") or shutil.which("nodejs")
BUILT = resources.files("tcphoton.web") / modules.ENGINE
MISSING = (
    "no Node.js (Debian: apt install nodejs)"
    if NODE is None
    else "no engine for browsers (`make web` says what it needs)"
    if not BUILT.is_file()
    else ""
)
"""Why these tests are left out; empty where they run."""
START = """
import { readFileSync } from "node:fs";
const given = JSON.parse(readFileSync(0, "utf8"));
const told = (value) => process.stdout.write(JSON.stringify(value));
const made = async () => Engine.make(readFileSync(given.engine));
"""


def run(main: str, given: Any, *names: str) -> Any:
    """Run some lines with modules: they read `given.value` and tell one value."""
    assert NODE is not None
    done = subprocess.run(
        [NODE, "--input-type=module", "--eval", f"{modules.joined(*names)}\n{START}\n{main}"],
        input=json.dumps({"engine": str(BUILT), "value": given}),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def asked(scenario: tp.Scenario) -> dict[str, Any]:
    """Return a scenario as the engine for browsers takes it."""
    files = [
        {"within": each.within, "name": each.name, "content": each.content}
        for each in scenario.files
    ]
    return {
        "file": scenario.file,
        "text": scenario.text,
        "values": list(scenario.overrides),
        "files": files,
    }
