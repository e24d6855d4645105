"""The documentation: every block runs and prints what it says, every link leads somewhere."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import polars as pl
import pytest

import core_pictures
import pages
from tcphoton import _core
from tcphoton.analysis.statistics import mean_interval

if TYPE_CHECKING:
    from pathlib import Path

ROOT = pages.ROOT
REFERENCE = ROOT / "docs" / "reference" / "scenario.md"
SWEEP_REFERENCE, PAPER_REFERENCE = map(REFERENCE.with_name, ("sweep.md", "paper.md"))
VERIFICATION = ROOT / "docs" / "background" / "verification.md"
RECORDED = ROOT / "tests" / "verification" / "reference"
PROFILES = ROOT / "docs" / "guides" / "profiles.md"
LINK = re.compile(r"\]\(([^)#\s]*)(#[^)\s]*)?\)")
HISTORY = re.compile(r"\b(previously|no longer supported|used to be|as of now)\b", re.IGNORECASE)
MACHINE = re.compile(r"(?<![\w.])/(work|tmp|root|home)/")


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def every_page() -> list[Path]:
    return sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@pytest.mark.slow
@pytest.mark.parametrize("page", pages.pages(), ids=name)
def test_every_block_runs_and_prints_what_it_says(page: Path, tmp_path: Path) -> None:
    for printed in pages.run(page, tmp_path):
        place = f"{name(page)}:{printed.block.line}"
        said, today = pages.comparable(printed.block.text), pages.comparable(printed.today)
        assert today == said, f"{place} prints something else: see `make bless`"


def test_every_link_of_every_page_leads_somewhere() -> None:
    faults = []
    for page in every_page():
        text = re.sub(r"^```.*?^```$|`[^`\n]+`", "", page.read_text("utf-8"), flags=re.M | re.S)
        for match in LINK.finditer(text):
            target, anchor = match[1], match[2]
            if target.startswith(("http://", "https://")):
                continue
            file = page.parent / target if target else page
            leads = file.exists()
            if leads and anchor and file.suffix == ".md":
                leads = anchor in anchors(file.resolve())
            if not leads:
                faults.append(f"{name(page)}: {match[0]}")
    assert not faults, "\n".join(faults)


def test_pages_state_what_is() -> None:
    texts = {name(page): page.read_text("utf-8") for page in every_page()}
    assert len(texts) > 40
    machines = [name for name, text in texts.items() if MACHINE.search(text)]
    assert not machines, "a path of somebody's machine"
    history = [name for name, text in texts.items() if HISTORY.search(text)]
    assert not history, "history belongs in the changelog"


@pytest.mark.parametrize("picture", core_pictures.PICTURES)
def test_the_picture_of_a_core_is_the_drawn_one(picture: str) -> None:
    kept = (ROOT / "docs" / "images" / picture).read_text("utf-8")
    assert kept == core_pictures.PICTURES[picture](), "see `make bless`"


def test_the_reference_is_the_generated_one() -> None:
    assert REFERENCE.read_text("utf-8") == _core.reference(), "see `make docs`"
    assert SWEEP_REFERENCE.read_text("utf-8") == _core.sweep_reference(), "see `make docs`"
    assert PAPER_REFERENCE.read_text("utf-8") == _core.paper_reference(), "see `make docs`"


def test_the_guide_to_profiles_has_the_generated_values() -> None:
    stated = {key: values[:-1] for key, values in rows(PROFILES.read_text("utf-8")).items()}
    generated = rows(_core.reference().partition("\n## profiles\n")[2])
    assert stated == generated


def test_the_rates_of_ns2_under_loss_are_the_recorded_ones() -> None:
    page = VERIFICATION.read_text("utf-8")
    faults = []
    for tcp in ("tahoe", "reno", "newreno", "sack", "cubic"):
        of_tcp = recorded("lossy_path", tcp)
        for p in ("0.001", "0.005", "0.01", "0.02"):
            (stated,) = re.findall(rf"^\| {tcp} \| {p} \| (.*) \|$", page, re.M)
            cells = stated.split(" | ")
            for cell, rto in ((cells[1], 0.2), (cells[4], 1.0)):
                runs = of_tcp.filter(pl.col("p") == float(p), pl.col("min_rto_s") == rto)
                rates = interval(runs.get_column("throughput_packets_per_s"), 1)
                if cell != rates:
                    faults.append((tcp, p, rto, cell, rates))
    assert not faults


@pytest.mark.parametrize("tcp", ["tahoe", "reno", "newreno", "sack", "cubic"])
def test_the_dumbbell_of_ns2_is_the_recorded_one(tcp: str) -> None:
    runs = recorded("dumbbell", tcp)
    assert_stated(tcp, runs, interval(runs.get_column("goodput_bps") / 1e6, 1), loss_digits=2)


@pytest.mark.parametrize("tcp", ["sack", "newreno"])
def test_the_fat_tree_of_ns2_is_the_recorded_one(tcp: str) -> None:
    runs = recorded("fat_tree", tcp)
    assert_stated(tcp, runs, interval(runs.get_column("goodput_bps") / 1e9, 1), loss_digits=4)


def assert_stated(tcp: str, runs: pl.DataFrame, goodput: str, *, loss_digits: int) -> None:
    """Assert that a row of the page has what was recorded: seeds, goodput, loss and fairness."""
    cells = [
        goodput,
        interval(100 * runs.get_column("loss_ratio"), loss_digits),
        interval(runs.get_column("jain"), 3),
    ]
    row = rf"^\| {tcp} \| {runs.height} \| " + r" \| [^|]+ \| ".join(map(re.escape, cells))
    assert re.search(row, VERIFICATION.read_text("utf-8"), re.M)


def recorded(name: str, tcp: str) -> pl.DataFrame:
    """Return what ns-2 has found for one of its agents."""
    table = pl.read_csv(RECORDED / f"ns2_{name}.csv", comment_prefix="#")
    return table.filter(pl.col("flavour") == tcp)


def interval(values: pl.Series, digits: int) -> str:
    """Return a mean and the half width of its interval as the page has them."""
    found = mean_interval(values)
    return f"{found.mean:.{digits}f} ± {found.half_width:.{digits}f}"


def rows(text: str) -> dict[str, list[str]]:
    """Return the rows of tables whose first cell is code, by that code."""
    cells = (line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| `"))
    return {first.strip("` "): [cell.strip() for cell in others] for first, *others in cells}


@cache
def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {"#" + heading.replace(" ", "-") for heading in plain}


def test_what_is_printed_is_written_where_its_block_stands(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\nx\n```\n\n" + 2 * "```text\n```\n\n```text\nold\n```\n\n", "utf-8")
    text = page.read_text("utf-8")
    today = ["x\n", "1\n", "2\n", "3\n4\n", "5\n"]
    printed = map(pages.Printed, pages.blocks(page), today)
    for block in reversed(list(printed)):
        text = pages.rewritten(text, block)
    page.write_text(text, "utf-8")
    assert [block.text for block in pages.blocks(page)] == today
