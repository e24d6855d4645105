"""Collects all pages of the site in one folder: the written and the generated ones.

A section is a folder of `docs`. Its pages have the order in which `docs/README.md` names them, and
other pages follow sorted by title, so a new page needs no entry anywhere.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from builder import paper_pages, reference
from builder.links import ROOT, Places
from builder.paper_pages import PaperPage
from tcphoton import papers
from tcphoton.scenario.examples import FOLDER, examples, sweeps
from tcphoton.scenario.scenario import Scenario
from tcphoton.web.modules import is_built
from tcphoton.web.studio import fragment_of

__all__ = ["NOTEBOOKS", "SHELVES", "STUDIO", "stage"]

DOCS = ROOT / "docs"
NOTEBOOKS = ROOT / "examples" / "notebooks"
SHELVES = {
    "tutorial": ("Tutorial", "Step by step, from an empty file to results. Start here."),
    "guides": ("Guides", "One question per page, with the commands."),
    "reference": ("Reference", "Every key, verb, column and function."),
    "background": ("Background", "What is modelled, why, and how it is verified."),
}
"""The sections with their titles and descriptions."""
PROJECT = ("CHANGELOG.md", "ARCHITECTURE.md", "DESIGN.md", "CONTRIBUTING.md")
HISTORY = ("CHANGELOG.md", "CONTRIBUTING.md")
"""Pages that are excluded from the search: they contain every word and explain none."""
MODULES = ROOT / "scripts" / "modules.py"
"""What prints the map of modules, a page that is excluded from the search, too."""
UNSEARCHED = "---\nnosearch: true\n---\n\n"
WORDS = "background/words.md"
TITLED = re.compile(r'^```(\w+) title="(.*)"$', re.MULTILINE)
SCENARIO = re.compile(r'^```toml title="[^"]*"\n(.*?)^```\n', re.MULTILINE | re.DOTALL)
STUDIO = "studio.html"
"""The studio in the site."""
NAMED = re.compile(r"\btcphoton\.([a-z_.]+)\b")
IMPORTED = re.compile(r"\bfrom tcphoton(?:\.([a-z_.]+))? import ([a-z_]+)$", re.MULTILINE)
LONGEST = 240
"""Maximum characters of a page's description in a section."""


def stage(out: Path) -> None:
    """Write all pages of the site, with their images, into an empty folder.

    Raises
    ------
    BrokenLinkError
        A page has a link without a target.
    """
    written = {file: file.relative_to(DOCS).as_posix() for file in sorted(DOCS.rglob("*.md"))}
    written[DOCS / "README.md"] = "index.md"
    written |= {ROOT / name: f"project/{name.lower()}" for name in PROJECT}
    notebooks = {file: f"tutorial/{file.name}" for file in sorted(NOTEBOOKS.glob("*.ipynb"))}
    made = [PaperPage.of(name) for name in papers.papers()]
    places = _places(written | notebooks, made)

    for folder in {Path(place).parent for place in places.places.values()}:
        (out / folder).mkdir(parents=True, exist_ok=True)
    for file, place in places.places.items():
        if file.suffix in {".svg", ".png"}:
            shutil.copy(file, out / place)
    for file, place in written.items():
        text = _with_titles(places.rewritten(file.read_text("utf-8"), file, place))
        if place == WORDS:
            text = _with_index(text)
        _put(out / place, UNSEARCHED + text if file.name in HISTORY else text)
    for file, place in notebooks.items():
        _put(out / place, _notebook(file, place, places))
    for page in made:
        at = f"papers/{page.name}.md"
        _put(out / at, places.rewritten(page.text, page.home / "README.md", at))
    _reference(out / "reference", list(written))
    _put(out / "project" / f"{MODULES.stem}.md", UNSEARCHED + _printed(MODULES))
    _shelves(out, made)


def _places(files: dict[Path, str], made: list[PaperPage]) -> Places:
    """Return the places of everything that a page may link to."""
    places = dict(files)
    places[ROOT / "README.md"] = "index.md"
    for picture in sorted((DOCS / "images").iterdir()):
        places[picture] = f"images/{picture.name}"
    examples_at = Path(str(FOLDER)).resolve()
    for name in (*examples(), *sweeps()):
        anchor = reference.example_anchor(name)
        places[examples_at / f"{name}.toml"] = f"reference/examples.md#{anchor}"
    for page in made:
        places[page.home / "README.md"] = f"papers/{page.name}.md"
        for name, figure in page.figures.items():
            places[figure] = f"papers/figures/{page.name}/{name}.svg"
        for name, figure in page.readings.items():
            places[figure] = f"papers/figures/{page.name}/readings/{name}.svg"
    return Places(places)


def _reference(out: Path, pages: list[Path]) -> None:
    _put(out / "command-line.md", reference.command_line())
    _put(out / "tables.md", reference.table_page())
    _put(out / "examples.md", reference.example_page())
    for name, text in reference.python_pages(_modules(pages)).items():
        _put(out / (f"python-{name}.md" if name != "tcphoton" else "python.md"), text)


def _printed(program: Path) -> str:
    """Return the page that a program of the repository prints."""
    done = subprocess.run(
        [sys.executable, program], check=True, capture_output=True, text=True, encoding="utf-8"
    )
    return done.stdout


def _modules(pages: list[Path]) -> list[str]:
    """Return the public modules of the package that the sections mention."""
    shelves = [page for page in pages if page.parent.parent == DOCS]
    texts = [page.read_text("utf-8") for page in shelves]
    named = {name for text in texts for name in NAMED.findall(text)}
    named |= {".".join(filter(None, each)) for text in texts for each in IMPORTED.findall(text)}
    known = sorted({known for name in named if (known := _module_of(name))})
    return [name for name in known if hasattr(import_module(f"tcphoton.{name}"), "__all__")]


def _module_of(name: str) -> str:
    """Return the module of the package that a name begins with, an empty text if there is none.

    Examples
    --------
    >>> _module_of("sweep.query.pieces"), _module_of("toml")
    ('sweep.query', '')
    """
    module = ""
    for part in name.split("."):
        longer = f"{module}.{part}".strip(".")
        if find_spec(f"tcphoton.{longer}") is None:
            break
        module = longer
        if not hasattr(import_module(f"tcphoton.{module}"), "__path__"):
            break
    return module


def _shelves(out: Path, made: list[PaperPage]) -> None:
    """Write a page for each section, which lists its pages, and the table of contents."""
    order = (out / "index.md").read_text("utf-8")
    for shelf, (title, about) in SHELVES.items():
        pages = sorted(
            (page for page in (out / shelf).iterdir() if not page.name.startswith("python-")),
            key=lambda page: (_rank(order, f"{shelf}/{page.name}"), _about(page)),
        )
        lines = [f"# {title}\n", f"{about}\n"]
        for page in pages:
            heading, first = _about(page)
            lines += [f"[{heading}]({page.name})\n: {first}\n"]
        _put(out / shelf / "index.md", "\n".join(lines) + _toctree([page.stem for page in pages]))
    text = (
        "# Papers\n\nFive papers reproduced: every figure and claim, with verdicts. Each page "
        "is generated from the results of the last full run.\n\n"
    ).replace("Five", _count(len(made)))
    text += paper_pages.index(made) + _toctree([page.name for page in made])
    _put(out / "papers" / "index.md", text)
    project = [Path(name).stem.lower() for name in (*PROJECT, MODULES)]
    text = "# Project\n\nThe structure of tcphoton and the reasons for it.\n\n"
    text += "\n".join(
        f"- [{_about(out / 'project' / f'{name}.md')[0]}]({name}.md)" for name in project
    )
    _put(out / "project" / "index.md", text + _toctree(project))
    shelves = [*SHELVES, "papers", "project"]
    _put(out / "index.md", order + _toctree([f"{shelf}/index" for shelf in shelves]))


def _rank(order: str, place: str) -> int:
    at = order.find(f"]({place}")
    return at if at >= 0 else len(order)


def _about(page: Path) -> tuple[str, str]:
    """Return the title of a page and its first sentences."""
    text = page.read_text("utf-8")
    if page.suffix == ".ipynb":
        text = "".join(json.loads(text)["cells"][0]["source"])
    _, _, rest = text.partition("# ")
    title, _, body = rest.partition("\n")
    found = re.search(r"^[^\s#|`<(!{:\-].*?(?=\n\s*\n|\Z)", body, re.MULTILINE | re.DOTALL)
    first = re.sub(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^)]*\)", r"\1", found[0]) if found else ""
    return title.strip(), _shortened(" ".join(first.split()))


def _shortened(text: str) -> str:
    """Return as many whole sentences of a text as fit, at least one."""
    sentences = re.split(r"(?<=[.?])\s+(?=[A-Z`*])", text)
    shown = sentences[0]
    for sentence in sentences[1:]:
        if len(shown) + len(sentence) > LONGEST:
            break
        shown += f" {sentence}"
    return shown.rstrip(":")


def _notebook(file: Path, place: str, places: Places) -> str:
    notebook = json.loads(file.read_text("utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            text = places.rewritten("".join(cell["source"]), file, place)
            cell["source"] = text.splitlines(keepends=True)
    return json.dumps(notebook, indent=1, ensure_ascii=False)


def _with_titles(text: str) -> str:
    """Return a page whose blocks show the name of their file, and whose scenarios can be run."""
    return TITLED.sub(r"```{code-block} \1\n:caption: \2\n", _with_studio(text))


def _with_studio(text: str) -> str:
    """Return a page whose scenarios have a link to the studio, where the engine was built."""
    if not is_built():
        return text

    def linked(match: re.Match[str]) -> str:
        if Scenario.from_text(match[1]).check():
            return match[0]
        address = f"../{STUDIO}#{fragment_of(match[1])}"
        return f'{match[0]}\n<p class="run-here"><a href="{address}">Run it here</a></p>\n'

    return SCENARIO.sub(linked, text)


def _with_index(text: str) -> str:
    """Return the glossary with an index entry for each word, which a search finds first."""

    def entries(match: re.Match[str]) -> str:
        words = re.sub(r"[^,()…]*[^,()…\s]", lambda word: _indexed(word[0]), match[1])
        return f"| {words} |"

    return re.sub(r"^\| (?!word |---)(.*?) \|", entries, text, flags=re.MULTILINE)


def _indexed(word: str) -> str:
    before = word[: len(word) - len(word.lstrip())]
    return f"{before}{{index}}`!{word.strip()}`"


def _toctree(pages: list[str]) -> str:
    return "\n\n```{toctree}\n:hidden:\n\n" + "\n".join(pages) + "\n```\n"


def _count(number: int) -> str:
    words = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
    return words[number] if number < len(words) else str(number)


def _put(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
