"""Several folders of sweeps as one study: on a page, in a figure, and in what was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

import made_up_folders
import tcphoton as tp
from command_here import call
from tcphoton.errors import OutputError
from tcphoton.report.dataset import FOLDER, gather
from test_report_page import page_text, study_of

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

QUEUE, RATE = "topology.bottleneck.queue.packets", "topology.bottleneck.rate"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two sweeps of which one has a further axis and writes a rate in another way, and a run."""
    from small import SMALL

    home = tmp_path_factory.mktemp("sides")
    small = tp.Scenario.from_text(SMALL, "small.toml")
    slow = small.with_({"traffic.0.transport.preset": "reno"})
    made_up_folders.sweep(home / "a", small, {QUEUE: [5, 40], RATE: ["1 Mb/s", "2 Mb/s"]})
    made_up_folders.sweep(home / "b", slow.with_({RATE: "2000 kb/s"}), {QUEUE: [5, 40]})
    made_up_folders.run(home / "c", small.with_({RATE: "2 Mb/s", QUEUE: 5}))
    return [home / name for name in "abc"]


def test_folders_are_an_axis_and_their_other_axes_are_filled_in(folders: list[Path]) -> None:
    found = gather(folders)
    assert found.axes == (FOLDER, QUEUE, RATE)
    points = found.rows.select(FOLDER, QUEUE, RATE).unique(maintain_order=True).rows()
    assert ("b", 5, "2 Mb/s") in points
    assert ("c", 5, "2 Mb/s") in points
    assert len(points) == 4 + 2 + 1
    alone = gather([folders[1]]).rows.get_column("goodput")
    assert found.rows.filter(pl.col(FOLDER) == "b").get_column("goodput").equals(alone)
    assert any(f"{RATE} does not vary in b" in note for note in found.notes)


def test_a_page_shows_folders_side_by_side(folders: list[Path], tmp_path: Path) -> None:
    found = page_text(tp.report.page(folders))
    data = study_of(found)
    assert [axis["key"] for axis in data["axes"]] == [FOLDER, QUEUE, RATE]
    assert data["folders"] == [str(each) for each in folders]
    assert "with folder:" in found.text
    assert "does not vary in b" in found.text
    assert data["first"]["by"] == FOLDER
    # At first a rate that all of them have.
    assert data["first"]["where"][RATE] == "2 Mb/s"
    call("report", *folders, "--out", tmp_path / "both.html", code=0)
    # The figure of two folders from the command line.
    call(
        "plot", folders[0], folders[1], "--y", "goodput", "--x", "queue.packets", "--by", "folder",
        "--where", "rate=2000 kb/s", "--out", tmp_path / "both.svg", code=0
    )  # fmt: skip


def test_what_cannot_stand_side_by_side_is_told(folders: list[Path], tmp_path: Path) -> None:
    done = call("report", *folders[:2])
    assert (done.returncode, done.stdout) == (2, "")
    assert "several folders need --out FILE.html" in done.stderr
    with pytest.raises(OutputError, match="a folder is named twice"):
        gather([folders[0], folders[0] / ".." / "a"])
    (tmp_path / "obs" / "points").mkdir(parents=True)
    with pytest.raises(OutputError, match="only sweeps and runs"):
        tp.report.page([folders[0], tmp_path])


def test_a_table_that_does_not_vary_is_the_equal_one_elsewhere(
    folders: list[Path], tmp_path: Path
) -> None:
    from small import SMALL

    small = tp.Scenario.from_text(SMALL, "small.toml")
    queue = "topology.bottleneck.queue"
    tables = [{"kind": "drop-tail", "packets": 7}, {"kind": "drop-tail", "packets": 30}]
    made_up_folders.sweep(tmp_path / "d", small, {queue: tables})
    fixed = small.with_({queue: tables[0]})
    made_up_folders.sweep(tmp_path / "e", fixed, {RATE: ["1 Mb/s", "2 Mb/s"]})
    found = gather([tmp_path / "d", tmp_path / "e"])
    of_e = found.rows.filter(pl.col(FOLDER) == "e").get_column(queue).unique().to_list()
    assert of_e == found.rows.filter(pl.col(FOLDER) == "d").get_column(queue)[:1].to_list()
    # An axis that a folder does not have at all is compared with nothing.
    with_none = gather([folders[0], tmp_path / "e"])
    page = tp.report.page([tmp_path / "d", folders[0]])
    assert with_none.rows.height
    assert "at –" not in page
