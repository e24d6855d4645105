"""Pages of results in a real browser: figures are drawn, legends toggle, and nothing is said."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

import browser
import made_up_folders
import tcphoton as tp
from conftest import made_once
from small import SMALL
from tcphoton import papers, report
from waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Locator

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(browser.MISSING), reason=browser.MISSING)]

KINDS = ("run", "sweep", "reproduction", "harm")
OVER = {
    "traffic.0.transport.preset": ["reno", "sack"],
    "topology.bottleneck.queue.packets": [5, 20, 40],
}
PRESET, QUEUE = OVER
LABELS: dict[str, Any] = {
    QUEUE: "buffer",
    PRESET: {"name": "variant", "values": ["old TCP", "new TCP"]},
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A page of each kind, outside of its folder."""

    def make(home: Path) -> None:
        home.mkdir()
        small = tp.Scenario.from_text(SMALL, "small.toml")
        with pytest.MonkeyPatch.context() as patch:
            names = ("obs/fig2a", "obs/tcp", "obs/window")
            folders = {
                "run": made_up_folders.run(home / "a", small),
                "sweep": made_up_folders.sweep(home / "b", small, OVER),
                "reproduction": made_up_folders.reproduction(home / "c", patch, *names),
                "harm": made_up_folders.harmful_run(home / "d", small),
                "named": made_up_folders.sweep(home / "e", small, OVER, LABELS),
            }
        for kind, folder in folders.items():
            report.write(folder, home / f"{kind}.html")

    home = made_once(tmp_path_factory, "browser-pages", make)
    return {kind: home / f"{kind}.html" for kind in (*KINDS, "named")}


@pytest.fixture
def opened(running: Browser, pages: dict[str, Path], kind: str) -> Iterator[browser.Opened]:
    found = browser.Opened(running, pages[kind])
    yield found
    found.context.close()
    assert found.said == []
    assert found.asked == [pages[kind].resolve().as_uri()] or all(
        each.startswith(("file:", "data:", "blob:")) for each in found.asked
    )


@pytest.mark.parametrize("kind", KINDS)
def test_every_figure_is_drawn_and_nothing_is_said(opened: browser.Opened, kind: str) -> None:
    opened.draw_all()
    opened.picture(kind)
    figures = opened.page.locator("figure:visible:has(.live)")
    assert figures.count() > 0
    for figure in figures.all():
        assert figure.get_attribute("data-drawn") == "done"
        drawing = figure.locator(".live svg.marks, .live canvas.marks")
        assert drawing.count() == 1
        box = drawing.bounding_box()
        assert box is not None
        assert box["width"] > 200
        assert figure.locator("img.static:visible").count() == 0


@pytest.mark.parametrize("kind", ["reproduction"])
def test_a_click_on_a_legend_hides_a_series_and_another_shows_it(opened: browser.Opened) -> None:
    opened.draw_all()
    figure = opened.page.locator("#obs-fig2a ~ figure")
    marks, entries = (
        figure.locator(".mark-symbol.role-mark path"),
        figure.locator(".role-legend-label text"),
    )
    whole = marks.count()
    entries.first.click()
    opened.page.wait_for_function(
        "([each, count]) => each.querySelectorAll('.mark-symbol.role-mark path').length < count",
        arg=[figure.element_handle(), whole],
    )
    hidden = marks.count()
    entries.nth(1).click()
    opened.page.wait_for_function(
        "([each, count]) => each.querySelectorAll('.mark-symbol.role-mark path').length < count",
        arg=[figure.element_handle(), hidden],
    )
    entries.nth(1).click()
    entries.first.click()
    opened.page.wait_for_function(
        "([each, count]) => each.querySelectorAll('.mark-symbol.role-mark path').length === count",
        arg=[figure.element_handle(), whole],
    )


@pytest.mark.parametrize("kind", ["reproduction"])
def test_a_mark_tells_its_numbers(opened: browser.Opened) -> None:
    opened.draw_all()
    opened.page.locator("#obs-fig2a ~ figure .mark-symbol.role-mark path").first.hover(force=True)
    told = opened.page.locator("#vg-tooltip-element.visible")
    told.wait_for()
    for word in (
        "maximum burst size (kB)",
        "throughput of a session (Mb/s)",
        "95 % interval, from",
    ):
        assert word in told.inner_text()


@pytest.mark.parametrize("kind", ["run"])
def test_a_value_of_a_plain_line_tells_its_numbers(opened: browser.Opened) -> None:
    opened.draw_all()
    line = opened.page.locator("figure:visible").nth(1).locator("svg .mark-symbol.role-mark path")
    line.nth(20).hover(force=True)
    told = opened.page.locator("#vg-tooltip-element.visible")
    told.wait_for()
    assert "time (s)" in told.inner_text()
    assert "cwnd (B)" in told.inner_text()


@pytest.mark.parametrize("kind", ["reproduction"])
def test_the_wheel_zooms_with_a_key_and_scrolls_without(opened: browser.Opened) -> None:
    opened.draw_all()
    figure = opened.page.locator("#obs-fig2a ~ figure")
    figure.scroll_into_view_if_needed()
    labels = figure.locator(".role-axis-label text")
    before = sorted(labels.all_text_contents())
    box = figure.locator("svg.marks").bounding_box()
    assert box is not None
    opened.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 3)
    opened.page.keyboard.down("Control")
    opened.page.mouse.wheel(0, -400)
    opened.page.keyboard.up("Control")
    wait_until(lambda: sorted(labels.all_text_contents()) != before, "the figure is zoomed")
    opened.page.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + box["height"] / 3)
    wait_until(lambda: sorted(labels.all_text_contents()) == before, "the figure is as it was")
    at = opened.page.evaluate("scrollY")
    opened.page.mouse.wheel(0, 300)
    wait_until(lambda: opened.page.evaluate("scrollY") > at, "the page is scrolled")
    assert sorted(labels.all_text_contents()) == before


@pytest.mark.parametrize("kind", ["run"])
def test_tables_are_sorted_by_the_keyboard_and_filtered(opened: browser.Opened) -> None:
    table = opened.page.locator("table.sortable", has=opened.page.get_by_text("utilization")).first
    head = table.get_by_role("button", name="utilization")
    number = head.evaluate("each => each.closest('th').cellIndex")
    orders = []
    for way in ("ascending", "descending"):
        head.press("Enter")
        assert table.locator("th").nth(number).get_attribute("aria-sort") == way
        cells = table.locator(f"tbody td:nth-child({number + 1})").all()
        orders.append([float(each.get_attribute("data-order") or "nan") for each in cells])
    assert orders[0] == sorted(orders[0])
    assert orders[1] == orders[0][::-1]
    box = opened.page.locator(".table", has=opened.page.get_by_text("run.warmup"))
    box.get_by_role("searchbox").fill("run.")
    shown = box.locator("tbody tr:visible").all_inner_texts()
    assert len(shown) >= 3
    assert all("run." in each for each in shown)


def is_drawn(opened: browser.Opened, *words: str) -> bool:
    """Tell whether the explorer's figure is about some words."""
    figure = opened.page.locator(".explorer figure")
    title = figure.locator("figcaption").inner_text()
    return figure.get_attribute("data-drawn") == "done" and all(word in title for word in words)


@pytest.mark.parametrize("kind", ["sweep"])
def test_a_choice_is_drawn_is_in_the_address_and_in_the_code(opened: browser.Opened) -> None:
    page = opened.page
    wait_until(lambda: is_drawn(opened, "goodput"), "the first figure")
    page.get_by_role("searchbox", name="Search measures").fill("mean delay")
    shown = page.locator(".measures label:visible")
    assert 0 < shown.count() < 10
    page.get_by_role("searchbox", name="Search measures").fill("delay-mean")
    page.locator(".measures label:visible input").first.press("Space")
    wait_until(lambda: is_drawn(opened, "goodput, delay-mean"), "two measures")
    page.get_by_label("Across").select_option(PRESET)
    page.get_by_label("Lines").select_option("")
    page.get_by_label("Statistic").select_option("median")
    page.get_by_label("Logarithmic y").press("Space")
    wait_until(lambda: is_drawn(opened, "median of delay-mean", f"{QUEUE} = 5"), "the choice")
    code = page.locator(".code code").all_inner_texts()
    assert 'y=["goodput", "delay-mean"]' in code[0]
    assert "--statistic median" in code[1]
    assert "y=goodput&y=delay-mean" in page.evaluate("location.hash")
    title = page.locator(".explorer figcaption").inner_text()
    page.reload()
    wait_until(lambda: is_drawn(opened, title), "the same from the address")
    assert page.locator(".code code").all_inner_texts() == code
    assert page.get_by_label("Logarithmic y").is_checked()
    assert page.get_by_label("Statistic").input_value() == "median"


@pytest.mark.parametrize("kind", ["sweep"])
def test_a_finding_leads_to_its_figure(opened: browser.Opened) -> None:
    page = opened.page
    wait_until(lambda: is_drawn(opened), "the first figure")
    link = page.locator(".findings a").last
    if not link.is_visible():
        page.locator("details:has(.findings) summary").first.click()
    link.click()
    wait_until(lambda: is_drawn(opened, link.inner_text()), "its measure")
    href = link.get_attribute("href") or ""
    assert href.partition("?")[2].split("&")[0] in page.evaluate("location.hash")


@pytest.mark.parametrize("kind", ["sweep"])
def test_differences_and_distributions_are_drawn(opened: browser.Opened) -> None:
    page = opened.page
    wait_until(lambda: is_drawn(opened), "the first figure")
    page.get_by_label("Across").select_option(QUEUE)
    page.get_by_label("Lines").select_option(PRESET)
    page.get_by_label("Difference to").select_option("reno")
    wait_until(lambda: is_drawn(opened, "less reno"), "differences")
    page.locator(".explorer .numbers summary").click()
    wait_until(lambda: page.locator(".explorer .numbers tbody tr").count() == 3, "three points")
    assert set(page.locator(".explorer .numbers tbody td:nth-child(2)").all_inner_texts()) == {
        "sack"
    }
    page.get_by_label("Statistic").select_option("cdf")
    wait_until(lambda: is_drawn(opened, "Distribution of goodput"), "a distribution")
    assert page.locator(".explorer .mark-line.role-mark path").count() == 2


@pytest.mark.parametrize("kind", ["named"])
def test_menus_titles_and_legends_have_the_names_of_a_study(opened: browser.Opened) -> None:
    page = opened.page
    wait_until(lambda: is_drawn(opened, "goodput against buffer by variant"), "the first figure")
    texts = page.locator(".explorer .live text").all_text_contents()
    assert {"buffer", "variant", "old TCP", "new TCP"} <= {*texts}
    assert page.get_by_label("Across").locator("option").all_text_contents() == [
        "variant",
        "buffer",
    ]
    page.get_by_label("Lines").select_option("")
    wait_until(lambda: is_drawn(opened, "; variant = old TCP"), "a value of the other axis")
    page.locator(f'select[data-name="slice {PRESET}"]').select_option(label="new TCP")
    wait_until(lambda: is_drawn(opened, "; variant = new TCP"), "the other value")
    assert f'where={{"{PRESET}": "new TCP"}}' in page.locator(".code code").first.inner_text()


@pytest.mark.parametrize("kind", ["sweep"])
def test_the_figure_of_a_choice_zooms(opened: browser.Opened) -> None:
    page = opened.page
    wait_until(lambda: is_drawn(opened), "the first figure")
    labels = page.locator(".explorer .live .role-axis-label text")
    before = sorted(labels.all_text_contents())
    drawing = page.locator(".explorer .live svg.marks")
    drawing.scroll_into_view_if_needed()
    box = drawing.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 3)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -400)
    page.keyboard.up("Control")
    wait_until(lambda: sorted(labels.all_text_contents()) != before, "the figure is zoomed")
    page.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + box["height"] / 3)
    wait_until(lambda: sorted(labels.all_text_contents()) == before, "the figure is as it was")


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "harm"])
def test_a_phone_shows_a_page_without_scrolling_sideways(
    running: Browser, pages: dict[str, Path], kind: str
) -> None:
    found = browser.Opened(running, pages[kind], width=390)
    found.draw_all()
    found.picture(f"{kind}-phone")
    assert found.page.evaluate("document.documentElement.scrollWidth") == 390
    found.context.close()


def test_a_sweep_of_two_axes_takes_few_sheets(running: Browser, pages: dict[str, Path]) -> None:
    found = browser.Opened(running, pages["sweep"])
    found.draw_all()
    sheets = found.page.pdf(format="A4", tagged=False, outline=False)
    count = max(map(int, re.findall(rb"/Count (\d+)", sheets)))
    assert 1 < count <= 10
    found.context.close()


@pytest.mark.parametrize("kind", ["run"])
def test_the_numbers_of_a_figure_are_a_table(opened: browser.Opened) -> None:
    figure = opened.page.locator("figure:visible").nth(1)
    figure.get_by_text("Its numbers").click()
    figure.locator("table").wait_for()
    assert figure.locator("table tbody tr").count() > 20
    assert "value" in figure.locator("table thead").inner_text()


@pytest.mark.parametrize("kind", ["reproduction"])
def test_on_paper_figures_are_their_pictures(opened: browser.Opened) -> None:
    opened.draw_all()
    opened.page.emulate_media(media="print")
    assert opened.page.locator("img.static").first.is_visible()
    assert not opened.page.locator(".live").first.is_visible()
    assert not opened.page.locator("nav").is_visible()
    assert opened.page.pdf().startswith(b"%PDF")


def marks_of(figure: Locator) -> int:
    """Return how much is drawn in a figure, without its axes and legends."""
    marks = figure.locator("g.role-mark path, g.role-mark line, g.role-mark text")
    return len(marks.evaluate_all("all => all.map((each) => each.getAttribute('d') ?? '.').join()"))


def wait_for_marks(figure: Locator, whole: int, *, fewer: bool) -> None:
    """Wait until less is drawn in a figure than all of it, or all of it."""
    wait_until(lambda: (marks_of(figure) < whole) == fewer, f"marks of {figure.inner_text()}")


@pytest.mark.parametrize(
    "most", [1, pytest.param(None, marks=pytest.mark.verify)], ids=["some", "all"]
)
def test_the_figures_of_all_papers_are_drawn_on_one_page(
    running: Browser, tmp_path: Path, most: int | None
) -> None:
    page = report.write(made_up_folders.five_papers(tmp_path / "papers", most))
    assert page.stat().st_size < 20e6
    found = browser.Opened(running, page)
    found.draw_all()
    found.picture("papers")
    anchors = [
        f"#{name}-{each}"
        for name in papers.papers()
        for each in papers.load(name).at("quick")[:most]
    ]
    whole = len(anchors)
    figures = found.page.locator(", ".join(f"{each} ~ figure" for each in anchors))
    assert figures.count() == whole
    assert figures.evaluate_all("all => all.map((each) => each.dataset.drawn)") == ["done"] * whole
    for figure in found.page.locator("figure:has(svg.marks):has(.role-legend)").all():
        entries = figure.locator(".role-legend-label:not([pointer-events=none]) text:first-child")
        assert entries.count() > 0
        whole, entry = marks_of(figure), entries.first
        entry.click()
        wait_for_marks(figure, whole, fewer=True)
        entry.click()
        wait_for_marks(figure, whole, fewer=False)
    found.context.close()


def test_without_scripts_figures_are_their_pictures(
    running: Browser, pages: dict[str, Path]
) -> None:
    found = browser.Opened(running, pages["reproduction"], scripts=False)
    pictures = found.page.locator("img.static")
    assert pictures.count() > 2
    for picture in pictures.all():
        picture.scroll_into_view_if_needed()
        assert picture.is_visible()
        assert picture.evaluate("each => each.decode().then(() => each.naturalWidth)") > 100
    assert found.said == []
    found.context.close()


def test_the_policy_of_a_page_forbids_the_network_and_other_scripts(
    running: Browser, pages: dict[str, Path]
) -> None:
    found = browser.Opened(running, pages["run"])
    broken = found.page.evaluate(
        """async () => {
            const seen = [];
            const see = (event) => seen.push(event.effectiveDirective);
            addEventListener("securitypolicyviolation", see);
            await fetch("https://example.org/").catch(() => {});
            const picture = new Image();
            picture.src = "https://example.org/x.png";
            const script = document.createElement("script");
            script.textContent = "window.ran = true";
            document.body.append(script, picture);
            const harm = "<img src=data:, onerror='window.ran = true'>";
            document.body.insertAdjacentHTML("beforeend", harm);
            // Each is told in its own time; what is not told at all ends with the test's own limit.
            while (new Set(seen).size < 4) await new Promise((done) => setTimeout(done, 10));
            return [window.ran ?? false, ...seen];
        }"""
    )
    assert broken[0] is False
    assert {"connect-src", "img-src", "script-src-elem", "script-src-attr"} <= set(broken[1:])
    found.context.close()
