"""The engine for browsers outside of a browser: JavaScript in Node.js."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Any

import node_here
from tcphoton.web import modules

if TYPE_CHECKING:
    import tcphoton as tp

BUILT = resources.files("tcphoton.web") / modules.ENGINE
PACKAGES = "rustc-web cargo-web rust-web-src rust-web-llvm lld-22"
NO_ENGINE = f"no engine for browsers (Debian: apt install {PACKAGES}; then make web)"
MISSING = node_here.MISSING or ("" if BUILT.is_file() else NO_ENGINE)
"""Why these tests are left out; empty where they run."""
START = """
import { readFileSync } from "node:fs";
const given = JSON.parse(readFileSync(0, "utf8"));
const told = (value) => process.stdout.write(JSON.stringify(value));
const made = async () => Engine.make(readFileSync(given.engine));
"""


def run(main: str, given: Any, *names: str) -> Any:
    """Run some lines with modules: they read `given.value` and tell one value."""
    script = f"{modules.joined(*names)}\n{START}\n{main}"
    return node_here.run(script, {"engine": str(BUILT), "value": given}, "--input-type=module")


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
