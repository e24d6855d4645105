"""What of others is compiled into the engine: their licences and a bill of materials.

``make licenses`` writes both; a test holds them against ``Cargo.lock``. Everything that takes part
in a build of the engine counts, on every platform: what is linked, macros, and what builds them.
"""

from __future__ import annotations

import functools
import json
import subprocess
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
LICENCES = ROOT / "licenses" / "THIRD-PARTY-LICENSES"
BILL = ROOT / "licenses" / "tcphoton.cyclonedx.json"
ENGINE = "binding"
NAMES = ("LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE")
"""How files with the terms of a crate begin."""

RULE = "=" * 100
HEAD = """\
tcphoton's engine has the following crates in it, or is built by them. Each is under the licence
that stands behind it; the texts follow, each once, with the crates that it is from.

The engine also has Rust's standard library in it: MIT OR Apache-2.0, by The Rust Project
Developers, https://github.com/rust-lang/rust; the texts of these two are among those below.
"""


class Crate(NamedTuple):
    """A package of ``cargo metadata``."""

    name: str
    version: str
    licence: str
    source: str | None
    folder: Path
    needs: tuple[str, ...]

    @property
    def called(self) -> str:
        """Its name with its version."""
        return f"{self.name} {self.version}"

    @property
    def purl(self) -> str:
        """Its address in a bill of materials."""
        return f"pkg:cargo/{self.name}@{self.version.replace('+', '%2B')}"


@functools.cache
def crates() -> dict[str, Crate]:
    """Return every package of the lock file by its identifier, on all platforms."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    needs = {
        node["id"]: tuple(
            each["pkg"]
            for each in node["deps"]
            if any(kind["kind"] in (None, "build") for kind in each["dep_kinds"])
        )
        for node in found["resolve"]["nodes"]
    }
    return {
        each["id"]: Crate(
            each["name"],
            each["version"],
            " OR ".join(part.strip() for part in (each["license"] or "").split("/")),
            each["source"],
            Path(each["manifest_path"]).parent,
            needs[each["id"]],
        )
        for each in found["packages"]
    }


def compiled() -> list[Crate]:
    """Return the crates of others that take part in a build of the engine, by name."""
    known = crates()
    todo = [each for each, crate in known.items() if crate.name == ENGINE]
    seen: set[str] = set()
    while todo:
        each = todo.pop()
        if each not in seen:
            seen.add(each)
            todo += known[each].needs
    return sorted((known[each] for each in seen if known[each].source), key=lambda of: of.called)


def terms(crate: Crate) -> list[str]:
    """Return the texts that come with a crate."""
    files = (file for file in sorted(crate.folder.iterdir()) if file.is_file())
    found = [file for file in files if file.name.upper().startswith(NAMES)]
    if not found:
        raise LookupError(f"{crate.called} has no file with its licence in {crate.folder}")
    return [file.read_text("utf-8") for file in found]


def licences() -> str:
    """Return the licences of all crates in the engine."""
    texts: dict[str, tuple[str, list[str]]] = {}
    for crate in compiled():
        for text in terms(crate):
            # The same words with other ends of lines are the same text.
            plain = "\n".join(line.rstrip() for line in text.strip("\n").splitlines())
            texts.setdefault(" ".join(text.split()), (plain, []))[1].append(crate.called)
    index = "".join(f"  {each.called}: {each.licence}\n" for each in compiled())
    parts = (f"{RULE}\n{', '.join(of)}\n{RULE}\n\n{text}\n\n" for text, of in texts.values())
    return f"{HEAD}\n{index}\n{''.join(parts)}".rstrip("\n") + "\n"


def bill() -> str:
    """Return the bill of materials (CycloneDX 1.5): no path, no time, the same on every machine."""
    known = crates()
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text("utf-8"))["package"]
    sums = {(each["name"], each["version"]): each.get("checksum") for each in lock}
    version = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["workspace"]["package"]
    whole = f"pkg:pypi/tcphoton@{version['version']}"
    ours = [crate for crate in known.values() if crate.source is None]
    direct = {each for crate in ours for each in crate.needs if known[each].source}
    third = compiled()
    refs = {crate.purl for crate in third}

    def edges(needs: tuple[str, ...] | set[str]) -> list[str]:
        return sorted({known[each].purl for each in needs} & refs)

    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": whole,
                "name": "tcphoton",
                "version": version["version"],
                "licenses": [{"expression": version["license"]}],
                "purl": whole,
            }
        },
        "components": [
            {
                "type": "library",
                "bom-ref": crate.purl,
                "name": crate.name,
                "version": crate.version,
                "hashes": [{"alg": "SHA-256", "content": sums[crate.name, crate.version]}],
                "licenses": [{"expression": crate.licence}],
                "purl": crate.purl,
            }
            for crate in third
        ],
        "dependencies": [
            {"ref": whole, "dependsOn": edges(direct)},
            *({"ref": crate.purl, "dependsOn": edges(crate.needs)} for crate in third),
        ],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    LICENCES.write_text(licences(), "utf-8")
    BILL.write_text(bill(), "utf-8")
