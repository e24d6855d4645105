"""The verb ``plot``: a figure of a sweep without a line of Python."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from tcphoton.cli.studies import tell_of_studies
from tcphoton.common.terminal import put, say
from tcphoton.errors import OutputError


def plot(
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR", help="A folder of a sweep, or several.")
    ],
    *,
    x: Annotated[
        str, typer.Option("--x", metavar="KEY", help="The axis across; default: the longest.")
    ] = "",
    y: Annotated[
        list[str] | None,
        typer.Option(
            "--y", metavar="MEASURE", help="What is drawn; default: the first shown; repeatable."
        ),
    ] = None,
    by: Annotated[
        str, typer.Option("--by", metavar="KEY", help="A line for each value of this axis.")
    ] = "",
    facet: Annotated[
        str, typer.Option(metavar="KEY", help="A figure for each value of this axis.")
    ] = "",
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Only rows with this value; repeatable."),
    ] = None,
    log: Annotated[
        Literal["x", "y", "xy"] | None, typer.Option(help="Axes with a logarithmic scale.")
    ] = None,
    statistic: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="mean, median, p90 (any percentile), cdf or completions."
        ),
    ] = "mean",
    baseline: Annotated[
        str | None,
        typer.Option(metavar="VALUE", help="Differences to this value of --by, seed by seed."),
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
    from tcphoton.report.dataset import gather
    from tcphoton.report.plot import answer, ask
    from tcphoton.runs.caveats import told

    gathered = gather(folders, study=study)
    asked = ask(
        gathered, y or [], x, by, facet=facet, where=where or [], statistic=statistic,
        baseline=baseline, log=log or "",
    )  # fmt: skip
    target = out if out is not None else folders[0] / f"{asked.measures[0]}.png"
    ending = target.suffix.removeprefix(".")
    if ending not in FORMATS:
        raise OutputError(f"--out {target}: not a figure's name; accepted {', '.join(FORMATS)}")
    chart, doubts = answer(gathered, asked)
    figures.save(chart, target.with_suffix(""), [ending])
    for folder in folders:
        tell_of_studies(folder, study)
    for text in told(doubts).values():
        say(f"note: {text}")
    put(f"written: {target}")
