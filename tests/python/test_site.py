"""The site: its pages are there by themselves, it asks nobody, and it can be searched."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pytest
import typer.main
from typer.core import TyperGroup

import browser
import pages
import shares
from builder import reference, staging
from builder.__main__ import build
from builder.links import BrokenLinkError, Places
from builder.mathml import sentence
from builder.paper_pages import PaperPage
from conftest import made_once
from tcphoton import papers
from tcphoton.cli.app import app
from tcphoton.cli.command import EXIT_CODES
from tcphoton.papers import keep, ledger
from waiting import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path


ROOT = pages.ROOT
ERRORS = ROOT / "docs" / "guides" / "errors-and-exit-codes.md"
RUN = [name for name in papers.papers() if (keep.folder(name) / "results").is_dir()]


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All pages of the site before Sphinx."""
    out: Path = tmp_path_factory.mktemp("staged")
    staging.stage(out)
    return out


def test_every_page_of_a_shelf_is_in_its_contents(staged: Path) -> None:
    for shelf in staging.SHELVES:
        contents = (staged / shelf / "index.md").read_text("utf-8").partition("{toctree}")[2]
        for page in (ROOT / "docs" / shelf).glob("*.md"):
            assert f"\n{page.stem}\n" in contents, page
    for notebook in staging.NOTEBOOKS.glob("*.ipynb"):
        assert (staged / "tutorial" / notebook.name).exists()


def test_the_reference_has_verbs_columns_examples_and_python(staged: Path) -> None:
    shelf = staged / "reference"
    verbs = (shelf / "command-line.md").read_text("utf-8")
    assert all(f"\n## `tcphoton {verb}`\n" in verbs for verb in commands().commands)
    assert "...\n" not in verbs.partition("## `tcphoton run`")[0].partition("**Commands**")[2]
    assert "| `goodput` | b/s | data sent and delivered in order" in (
        shelf / "tables.md"
    ).read_text("utf-8")
    assert "## obs-burst-life\n" in (shelf / "examples.md").read_text("utf-8")
    assert "autoclass:: tcphoton.Scenario\n" in (shelf / "python.md").read_text("utf-8")
    assert "automodule:: tcphoton.analysis.theory\n" in (shelf / "python-theory.md").read_text(
        "utf-8"
    )


def test_a_table_without_a_line_in_the_reference_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(reference.TABLES, "line-cards")
    with pytest.raises(LookupError, match="line-cards"):
        reference.table_page()
    monkeypatch.setitem(reference.TABLES, "line-cards", "")
    monkeypatch.setitem(reference.TABLES, "gone", "")
    with pytest.raises(LookupError, match="gone"):
        reference.table_page()


def test_links_lead_to_the_pages_of_files(tmp_path: Path) -> None:
    for name in ("a.md", "b.md", "code.rs"):
        (tmp_path / name).write_text("")
    places = Places({tmp_path / "a.md": "guides/a.md", tmp_path / "b.md": "papers/b.md#part"})
    page = tmp_path / "a.md"

    def rewritten(text: str) -> str:
        return places.rewritten(text, page, "guides/a.md")

    assert rewritten("[B](b.md)") == "[B](../papers/b.md#part)"
    assert rewritten("[B](b.md#there)") == "[B](../papers/b.md#there)"
    assert rewritten("[B](#here) [C](https://x.org)") == "[B](#here) [C](https://x.org)"
    assert rewritten("```md\n[B](gone.md)\n```") == "```md\n[B](gone.md)\n```"
    assert "[" not in rewritten("[the code](code.rs)")
    for broken in ("[B](gone.md)", "![B](code.rs)"):
        with pytest.raises(BrokenLinkError):
            rewritten(broken)


@pytest.mark.parametrize("name", RUN)
def test_the_page_of_a_paper_has_its_figures_and_verdicts(name: str) -> None:
    page = PaperPage.of(name)
    text = page.text
    assert f"tcphoton reproduce {name}" in text
    for artefact in page.figures:
        assert f"](results/{artefact}.svg)" in text
    for entry in ledger.read(keep.folder(name) / "results" / "ledger.json"):
        (found,) = re.findall(rf"<summary>(.*)<b>{re.escape(entry['claim'])}</b>", text)
        assert f">{ledger.said(entry)}</span>" in found
        assert sentence(entry["published"]) in text
    counts = re.findall(r">(\d+) [a-z ]+</span>", page.badges())
    assert sum(map(int, counts)) == len(page.entries)


def test_a_paper_without_results_says_so_by_itself(tmp_path: Path) -> None:
    home = tmp_path / "obs"
    shutil.copytree(keep.folder("obs"), home, ignore=shutil.ignore_patterns("results"))
    text = PaperPage("obs", home).text
    assert "The paper is not run at full scale yet." in text
    assert "](results/" not in text
    assert 'class="verdict' not in text
    assert "<b>obs.1</b>" in text


def test_a_verdict_that_changes_changes_the_page(tmp_path: Path) -> None:
    home = tmp_path / "obs"
    shutil.copytree(keep.folder("obs"), home)
    kept = home / "results" / "ledger.json"
    entries = json.dumps(ledger.read(kept)).replace('"differs"', '"holds"')
    kept.write_bytes(ledger.written(json.loads(entries)))
    assert ">differs</span>" not in PaperPage("obs", home).text
    assert ">differs</span>" in PaperPage.of("obs").text


def test_the_guide_has_the_exit_codes_of_the_command() -> None:
    stated = re.findall(r"^\| (\d+) \| (.*) \|$", ERRORS.read_text("utf-8"), re.MULTILINE)
    assert {int(code): meaning for code, meaning in stated} == EXIT_CODES


@pytest.mark.parametrize("name", papers.papers())
def test_the_commands_of_a_paper_are_ones_that_there_are(name: str) -> None:
    blocks = [each for each in pages.blocks(keep.folder(name) / "README.md") if each.text]
    assert blocks
    for line in (line for block in blocks for line in block.text.splitlines()):
        program, *arguments = shlex.split(line, comments=True)
        if program == "python":
            assert find_spec(arguments[1]), line
            continue
        assert program == "tcphoton"
        verb = commands().commands[arguments[0]]
        context = verb.make_context(arguments[0], arguments[1:])
        for wanted in context.params.get("names") or []:
            paper, _, artefact = wanted.partition("/")
            assert not artefact or artefact in papers.load(paper).artefacts, line


def commands() -> TyperGroup:
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    return group


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` builds it where all is tried.

    Otherwise notebooks are not executed: `test_notebooks.py` does that.
    """
    options = [] if shares.all_of_it() else ["--unexecuted"]

    def build_site(out: Path) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "builder", *options, out],
            cwd=ROOT / "docs",
            capture_output=True,
            text=True,
            timeout=4 * PATIENCE,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "WARNING" not in done.stderr

    return made_once(tmp_path_factory, "site", build_site)


class Addresses(HTMLParser):
    """What a page loads, where it leads, and the anchors that it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if not value:
                continue
            if name in {"id", "name"}:
                self.anchors.add(value)
            elif name == "href" and tag == "a":
                self.links.append(value)
            elif name in {"href", "src", "srcset", "data", "poster"} and tag != "a":
                self.loaded.append(value)


@pytest.mark.slow
@pytest.mark.sampled
def test_the_site_asks_nobody(site: Path) -> None:
    seen = 0
    for page in site.rglob("*.html"):
        for address in Addresses(page.read_text("utf-8")).loaded:
            assert not urlsplit(address).netloc, f"{page}: {address}"
            assert urlsplit(address).scheme in {"", "data"}, f"{page}: {address}"
            seen += 1
    assert seen > 100
    outside = re.compile(r"""(?:url\(\s*['"]?|@import\s+['"])(?:https?:)?//""")
    for style in site.rglob("*.css"):
        assert not outside.search(style.read_text("utf-8")), style


@pytest.mark.slow
@pytest.mark.sampled
def test_no_link_of_the_site_is_broken(site: Path) -> None:
    read = {page: Addresses(page.read_text("utf-8")) for page in site.rglob("*.html")}
    for page, addresses in read.items():
        for link in addresses.links:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            to = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            assert to.exists(), f"{page}: {link}"
            # The studio's have a scenario.
            if parts.fragment and to in read and to.name != staging.STUDIO:
                assert unquote(parts.fragment) in read[to].anchors, f"{page}: {link}"


@pytest.mark.slow
@pytest.mark.parametrize("word", ["iSLIP", "JSQ", "LAUC-VF", "deflection", "cwnd", "span"])
def test_a_search_finds_a_word_without_a_server(site: Path, word: str, tmp_path: Path) -> None:
    program = browser.find()
    if program is None:
        pytest.skip(browser.MISSING)
    quiet = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    quiet += [f"--user-data-dir={tmp_path}", "--virtual-time-budget=8000", "--dump-dom"]
    address = f"{(site / 'search.html').as_uri()}?q={word}"
    done = subprocess.run(
        [program, *quiet, address], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    found = re.findall(r'<li class="kind-\w+"><a href="([^"#]*)', done.stdout)
    assert found[:1] == ["background/words.html"]
    assert len(found) > 3


MISTAKES = {
    "anchor.md": "[there](#gone)",
    "page.md": "[there](gone.md)",
    "picture.md": "![there](gone.svg)",
    "failed to import": "```{eval-rst}\n.. autofunction:: tcphoton.gone\n```",
}
"""Mistakes of pages, by a word that what is said of each has, and no other."""


@pytest.mark.slow
def test_a_mistake_of_a_page_ends_the_build(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "pages"
    home.mkdir()
    index = home / "index.md"
    index.write_text("# A\n\n## Part\n\n[there](#part)\n", "utf-8")
    assert build(home, tmp_path / "out") == 0
    assert "WARNING" not in capfd.readouterr().err
    index.write_text("# A\n\n```{toctree}\n:glob:\n\n*\n```\n", "utf-8")
    for word, mistake in MISTAKES.items():
        name = word if word.endswith(".md") else "function.md"
        (home / name).write_text(f"# A\n\n{mistake}\n", "utf-8")
    assert build(home, tmp_path / "out") == 1
    told = [line for line in capfd.readouterr().err.splitlines() if "WARNING" in line]
    assert [sum(word in line for line in told) for word in MISTAKES] == [1] * len(MISTAKES), told
    assert len(told) == len(MISTAKES)


@pytest.mark.slow
@pytest.mark.verify
def test_notebooks_are_in_the_site_with_what_they_show(site: Path) -> None:
    for notebook in staging.NOTEBOOKS.glob("*.ipynb"):
        text = (site / "tutorial" / f"{notebook.stem}.html").read_text("utf-8")
        assert 'class="tcphoton"' in text
        assert "_images/" in text
