"""The verb ``readings``."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tcphoton.cli.command import WRONG_INPUT
from tcphoton.cli.sweep import Cluster, Workers
from tcphoton.common.terminal import put, put_text, say

if TYPE_CHECKING:
    from tcphoton.readings.plan import Plan
    from tcphoton.readings.readings import Findings


def readings(
    paper: Annotated[
        str | None, typer.Argument(metavar="[PAPER]", help="A paper, or the folder of your own.")
    ] = None,
    *,
    search: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this search of the paper; repeatable."),
    ] = None,
    runs: Annotated[int | None, typer.Option(min=1, help="The most runs.")] = None,
    hours: Annotated[float | None, typer.Option(min=0.0, help="The most hours.")] = None,
    no_confirm: Annotated[
        bool, typer.Option("--no-confirm", help="Do not run the best readings again.")
    ] = False,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Keep runs, and write results to this folder.")
    ] = Path("results/readings"),
    workers: Workers = None,
    cluster: Cluster = None,
    list_: Annotated[
        bool, typer.Option("--list", help="List the assumptions and searches of the paper.")
    ] = False,
) -> None:
    """Search the readings of a paper: which unstated assumptions make its numbers come out."""
    from tcphoton.papers import papers
    from tcphoton.papers.readings_of import FILE

    if paper is None:
        put_text("\n".join(["papers whose readings can be searched:", *papers()]) + "\n")
        if not list_:
            say(f"name a paper, or a folder with {FILE}")
            raise typer.Exit(WRONG_INPUT)
        return
    from tcphoton.readings.readings import Readings

    asked = Readings(paper)
    if list_:
        put_text("\n".join(_listed(asked.plan)) + "\n")
        return
    from tcphoton.common import progress
    from tcphoton.report import NAME, write

    with progress.show(say) as tell:
        found = asked.run(
            out,
            searches=search or [],
            runs=runs,
            hours=hours,
            again=not no_confirm,
            workers=workers,
            cluster=cluster,
            progress=tell,
            say=say,
        )
    folder = out / found.paper / "readings"
    write(folder)
    put_text("\n".join(_told(found)) + "\n\n")
    put(f"written: {folder}; to read: {folder / NAME}")


def _listed(plan: "Plan") -> Iterator[str]:
    for search in plan.searches.values():
        yield f"{search.name}: {search.what}"
        yield f"  fit: {', '.join(search.fit)}; predict: {', '.join(search.predict) or 'nothing'}"
        for assumption in search.assumptions.values():
            yield f"  {assumption.name}: {assumption.what}"
            if assumption.range is not None:
                ends = assumption.range.at(0.0), assumption.range.at(1.0)
                yield f"    {' to '.join(ends)}, as assumed {assumption.default}"
            for value in assumption.values.values():
                mark = "*" if value.name == assumption.default else " "
                yield f"   {mark}{value.name} ({value.source}: {value.why})"


def _told(found: "Findings") -> Iterator[str]:
    """Return what was found, in lines."""
    for each in found.outcomes:
        facts: dict[str, Any] = each.facts
        yield f"{each.name}: {each.what}"
        yield (
            f"  {facts['judged']} readings, {facts['surviving']} survive with at most "
            f"{facts['level']} of {facts['conditions']} conditions broken"
        )
        for row in each.claims:
            yield f"  {row['claim']:<10} {row['status']}"
            if row["miss"] and not row["status"].startswith("holds"):
                yield f"             nearest: {row['miss']}"
        best = "; ".join(f"{name}: {value}" for name, value in each.best.items())
        yield f"  best joint reading: {best or 'as assumed'}"
