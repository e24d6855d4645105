"""The map of modules: ``modules.py`` prints a page with the first sentence of each.

It reads the crates, the Python package, its JavaScript, and the programs around them. The site has
the page (`docs/builder/staging.py`), and the repository does not.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

PARTS = {
    "The Python package": ("python/tcphoton", "*.py"),
    "JavaScript": ("python/tcphoton", "*.js"),
    "The site": ("docs/builder", "*.py"),
    "Fuzzing": ("tests/fuzz", "*.py"),
    "Verification": ("tests/verification", "*.py"),
    "Benchmarks": ("benches", "*.py"),
    "Scripts": ("scripts", "*.py"),
}
"""The parts beside the crates: a folder, and which files of it are modules."""

LINKED = "scenarios"
"""The link to `examples` in the package."""

END = re.compile(
    r"(?<![A-Z]\.)(?<!\b[A-Z])(?<!al)(?<!vs)(?<!e\.g)(?<!i\.e)[.?](?=\s+[^\sa-z]|\s*$)"
)
"""The end of a sentence, and not of an initial or an abbreviation."""


def comment(file: Path) -> str:
    """Return the text at the top of a module: its docstring or the comment that describes it."""
    text = file.read_text("utf-8")
    if file.suffix == ".py":
        return ast.get_docstring(ast.parse(text)) or ""
    mark = "//!" if file.suffix == ".rs" else "//"
    lines = text.removeprefix('"use strict";\n').splitlines()
    found = []
    for line in lines:
        if not line.startswith(mark):
            break
        found.append(line.removeprefix(mark).strip())
    return "\n".join(found)


def sentence(text: str) -> str:
    """Return the first sentence of a text in Markdown, on one line."""
    text = " ".join(text.strip().partition("\n\n")[0].split())
    text = re.sub(r"\[((?:`[^`]*`|[^\[\]])*)\]\([^)]*\)", r"\1", text)  # a link
    text = re.sub(r"\[(`[^`]*`)\]", r"\1", text)
    text = re.sub(r"``([^`]*)``", r"`\1`", text)
    end = END.search(text)
    return text[: end.end()] if end else text


def name(file: Path, root: Path) -> str:
    """Return a module's name: its path below a root, without what its kind of file adds."""
    way = file.relative_to(root)
    parts = way.parts if file.suffix == ".js" else way.with_suffix("").parts
    if parts[-1] in {"mod", "__init__"}:
        parts = parts[:-1]
    return "/".join(parts)


def is_test(way: Path) -> bool:
    """Tell whether a file of a crate is for tests alone."""
    return bool({"tests", "tests.rs", "conformance.rs"} & set(way.parts))


def crates() -> dict[str, Path]:
    """Return the file at the root of each crate that has a library, by the crate's name."""
    return {file.parts[-3]: file for file in sorted(ROOT.glob("crates/*/src/lib.rs"))}


def modules() -> dict[str, dict[str, str]]:
    """Return the first sentence of each module, by the part that it is in and by its name.

    The first one of a part that has no name is about the part as a whole.
    """
    found = {}
    for crate, lib in crates().items():
        files = (file for file in lib.parent.rglob("*.rs") if file != lib)
        inside = sorted(file for file in files if not is_test(file.relative_to(lib.parent)))
        named = {name(file, lib.parent): sentence(comment(file)) for file in inside}
        found[f"crates/{crate}"] = {"": sentence(comment(lib)), **dict(sorted(named.items()))}
    for part, (folder, pattern) in PARTS.items():
        root = ROOT / folder
        files = (file for file in root.rglob(pattern) if LINKED not in file.parts)
        found[part] = {name(file, root): sentence(comment(file)) for file in sorted(files)}
    return found


def page() -> str:
    """Return the map as a page in Markdown."""
    lines = ["# The map of modules\n"]
    lines += ["Every module with the first sentence of what it says of itself.\n"]
    for part, named in modules().items():
        lines.append(f"## {part}\n")
        lines += [f"{text}\n" for text in filter(None, [named.get("")])]
        lines += [f"- `{module}`: {_plain(text)}" for module, text in named.items() if module]
        lines.append("")
    return "\n".join(lines)


def _plain(text: str) -> str:
    """Return a sentence in which nothing outside of code is HTML."""
    return "".join(
        part if at % 2 else part.replace("<", "&lt;")
        for at, part in enumerate(re.split(r"(`[^`]*`)", text))
    )


if __name__ == "__main__":
    sys.stdout.write(page())
