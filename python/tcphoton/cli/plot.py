"""The verb ``plot``: a figure of a sweep without a line of Python."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tcphoton.common.terminal import put, say
from tcphoton.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

__all__ = ["plot"]

GROUPS = 8
"""Maximum values of an axis that lines are drawn for unless it is named."""


def plot(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of a sweep.")],
    *,
    x: Annotated[
        str, typer.Option("--x", metavar="KEY", help="The axis across; default: the longest.")
    ] = "",
    y: Annotated[
        str, typer.Option("--y", metavar="MEASURE", help="What is drawn; default: the first shown.")
    ] = "",
    by: Annotated[
        str, typer.Option("--by", metavar="KEY", help="A line for each value of this axis.")
    ] = "",
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Only rows with this value; repeatable."),
    ] = None,
    log: Annotated[
        Literal["x", "y", "xy"] | None, typer.Option(help="Axes with a logarithmic scale.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="png, svg, pdf or html; default: DIR/MEASURE.png."),
    ] = None,
    study: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="An earlier study of the folder.")
    ] = None,
) -> None:
    """Draw a measure of a sweep against one of its axes, with 95 % intervals."""
    from tcphoton import figures
    from tcphoton.figures.charts import FORMATS
    from tcphoton.report.sweep_figures import chart_of
    from tcphoton.runs.caveats import told
    from tcphoton.runs.measures import leading
    from tcphoton.sweep import folder as sweep_folder
    from tcphoton.sweep import query

    kept = sweep_folder.read(folder, study=study)
    axes = list(kept.axes)
    rows = query.where(kept.table, where or [], axes)
    varying = [axis for axis in axes if rows.get_column(axis).n_unique() > 1]
    named = [name for name in (x, by, y) if name]
    found = dict(zip(named, query.columns_named(rows.columns, named, axes), strict=True))
    if not rows.height:
        raise LookupError(f"{folder}: no rows to draw")
    measure = found.get(y) or next(iter(leading(rows)), "")
    if not measure or not rows.schema[measure].is_numeric():
        raise LookupError(f"--y {y}: not a number" if y else f"{folder}: no measure to draw: --y")
    across = found.get(x) or max(
        (axis for axis in varying if axis != found.get(by)),
        key=lambda axis: rows.get_column(axis).n_unique(),
        default="",
    )
    if not across:
        raise LookupError(f"{folder}: nothing varies, so there is nothing to draw against")
    lines = found.get(by, "") or _few(rows, [axis for axis in varying if axis != across])
    beside = {key for group in kept.together if across in group or lines in group for key in group}
    _refuse_others(rows, [axis for axis in varying if axis not in {across, lines, *beside}])
    target = out if out is not None else folder / f"{measure}.png"
    ending = target.suffix.removeprefix(".")
    if ending not in FORMATS:
        raise OutputError(f"--out {target}: not a figure's name; accepted {', '.join(FORMATS)}")
    chart, doubts = chart_of(
        rows.filter(rows.get_column(measure).is_not_null()),
        across,
        measure,
        lines or None,
        axes,
        caption=True,
        scales=("log" if "x" in (log or "") else None, "log" if "y" in (log or "") else None),
    )
    if chart is None:
        raise LookupError(f"{across} has too many values for bars: --where chooses some")
    figures.save(chart, target.with_suffix(""), [ending])
    for text in told(doubts).values():
        say(f"note: {text}")
    put(f"written: {target}")


def _few(rows: "pl.DataFrame", axes: "Sequence[str]") -> str:
    """Return the axis with the most values of those that lines can be drawn for."""
    few = [axis for axis in axes if rows.get_column(axis).n_unique() <= GROUPS]
    return max(few, key=lambda axis: rows.get_column(axis).n_unique(), default="")


def _refuse_others(rows: "pl.DataFrame", axes: "Sequence[str]") -> None:
    """Refuse to mix the values of further axes in one mean.

    Raises
    ------
    LookupError
        There are such axes.
    """
    if axes:
        values = rows.get_column(axes[0]).unique(maintain_order=True).to_list()
        there = ", ".join(map(str, values[:GROUPS])) + ", …" * (len(values) > GROUPS)
        raise LookupError(
            f"{', '.join(axes)} vary, too: choose with --where {axes[0]}=VALUE ({there}), or --by"
        )
