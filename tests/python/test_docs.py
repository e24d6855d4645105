"""The documentation: every block runs and prints what it says, every link leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pages
from tcphoton import _core

ROOT = pages.ROOT
REFERENCE = ROOT / "docs" / "reference" / "scenario.md"
PROFILES = ROOT / "docs" / "guides" / "profiles.md"
LINK = re.compile(r"\]\(([^)#\s]*)(#[^)\s]*)?\)")
HISTORY = re.compile(r"\b(previously|no longer supported|used to be|as of now)\b", re.IGNORECASE)
MACHINE = re.compile(r"(?<![\w.])/(work|tmp|root|home)/")


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def every_page() -> list[Path]:
    return sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("page", pages.pages(), ids=name)
def test_every_block_runs_and_prints_what_it_says(page: Path, tmp_path: Path) -> None:
    for printed in pages.run(page, tmp_path):
        place = f"{name(page)}:{printed.block.line}"
        said, today = pages.comparable(printed.block.text), pages.comparable(printed.today)
        assert today == said, f"{place} prints something else: see `make bless`"


@pytest.mark.parametrize("page", every_page(), ids=name)
def test_every_link_leads_somewhere(page: Path) -> None:
    text = page.read_text("utf-8")
    for match in LINK.finditer(re.sub(r"^```.*?^```$|`[^`\n]+`", "", text, flags=re.M | re.S)):
        target, anchor = match[1], match[2]
        if target.startswith(("http://", "https://")):
            continue
        file = page.parent / target if target else page
        assert file.exists(), f"{name(page)}: {match[0]}"
        if anchor and file.suffix == ".md":
            assert anchor in anchors(file), f"{name(page)}: {match[0]}"


@pytest.mark.parametrize("page", every_page(), ids=name)
def test_pages_state_what_is(page: Path) -> None:
    text = page.read_text("utf-8")
    assert not MACHINE.search(text), "a path of somebody's machine"
    assert not HISTORY.search(text), "history belongs in the changelog"


def test_the_reference_is_the_generated_one() -> None:
    assert REFERENCE.read_text("utf-8") == _core.reference(), "see `make docs`"


def test_the_guide_to_profiles_has_the_generated_values() -> None:
    stated = {key: values[:2] for key, values in rows(PROFILES.read_text("utf-8")).items()}
    generated = rows(_core.reference().partition("\n## profiles\n")[2])
    assert stated == generated


def rows(text: str) -> dict[str, list[str]]:
    """Return the rows of tables whose first cell is code, by that code."""
    cells = (line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| `"))
    return {first.strip("` "): [cell.strip() for cell in others] for first, *others in cells}


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {"#" + heading.replace(" ", "-") for heading in plain}
