"""The verb ``compare``: what differs between two runs, two sweeps or two reproductions."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tcphoton.common import quantities, toml
from tcphoton.common.terminal import put, say
from tcphoton.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polars import DataFrame

    from tcphoton.sweep.folder import Kept

SHOWN = 30
"""Maximum number of parameters, and of changes, that are printed."""
NOT_MEASURES = ("seed", "stop", "error", "replay", "caveats", "events")
"""Columns that no change of the network is judged by."""


def compare(
    first: Annotated[Path, typer.Argument(metavar="A", help="A folder of results.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another one, or the same.")],
    *,
    measure: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only these measures; repeatable.")
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Only rows with this value; repeatable."),
    ] = None,
    study: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", help="An earlier study of A instead of its last."),
    ] = None,
) -> None:
    """Compare two runs, sweeps or reproductions: what differs, and which measures moved."""
    from tcphoton.papers.reproduce import LEDGER

    if (first / LEDGER).exists() and (second / LEDGER).exists():
        _compare_ledgers(first / LEDGER, second / LEDGER)
        return
    _compare_results(first, second, measure or [], where or [], study)


def _compare_results(
    first: Path, second: Path, named: "Sequence[str]", where: "Sequence[str]", study: int | None
) -> None:
    from tcphoton.analysis.comparison import changes
    from tcphoton.runs.footnotes import Marks
    from tcphoton.runs.summary import console_on, heading, plain_table, print_table
    from tcphoton.sweep import folder as sweep_folder
    from tcphoton.sweep import query
    from tcphoton.sweep.labels import Labels

    kept = [sweep_folder.read(first, study=study), sweep_folder.read(second)]
    console = console_on(sys.stdout)
    console.print(heading(f"A: {kept[0].title} ({first})"))
    console.print(heading(f"B: {kept[1].title} ({second})"))
    _print_parameters(_parameters(first, kept[0], study), _parameters(second, kept[1], None))
    axes = [axis for axis in kept[0].axes if axis in kept[1].axes]
    rows = _chosen(kept, where)
    labels = Labels.merged([each.labels for each in kept])
    alone = [axis for each in kept for axis in each.axes if axis not in axes]
    varying = [
        a for each in rows for a in alone if a in each.columns and each.get_column(a).n_unique() > 1
    ]
    if varying:
        raise LookupError(
            f"{', '.join(dict.fromkeys(varying))}: in one of them alone; choose with --where "
            f"{varying[0]}=VALUE, which concerns the folder that has it"
        )
    numbers = [
        name
        for name, kind in rows[0].schema.items()
        if kind.is_numeric()
        and name not in {*axes, *alone, *NOT_MEASURES}
        and name in rows[1].columns
        and rows[1].schema[name].is_numeric()
    ]
    measures = query.columns_named(numbers, named) if named else _plain(numbers)
    found = changes(rows[0], rows[1], axes, measures)
    if not found:
        raise LookupError("no point is in both")
    moved = [each for each in found if each.moved]
    shown = found if named else moved
    table = plain_table("measures" if named else "what moved")
    for name in [*labels.of_keys(labels.axes(axes)), "measure"]:
        table.add_column(name)
    for name in ("A", "B", "B - A", "relative"):
        table.add_column(name, justify="right")
    marks = Marks()
    for each in shown[:SHOWN]:
        unit = _unit(each.measure)
        difference = each.difference
        table.add_row(
            *labels.of_point(each.point).values(),
            each.measure,
            quantities.text(each.first, unit),
            quantities.text(each.second, unit),
            _signed(quantities.interval(difference.mean, difference.half_width, unit))
            + marks.of_cell(each.caveats)
            + marks.of_row(),
            f"{100 * each.relative:+.1f} %" + ("" if each.moved else " (chance)"),
        )
    if shown:
        print_table(console, table)
    for line in marks.notes():
        console.print(line, highlight=False)
    points = len({tuple(each.point.values()) for each in found})
    more = f", {len(shown) - SHOWN:,} of them not shown" if len(shown) > SHOWN else ""
    put(
        f"{len(moved):,} of {quantities.counted(len(found), 'measure')} at "
        f"{quantities.counted(points, 'point')} moved{more}: {_how(found)}"
    )
    if study is None and first.resolve() == second.resolve():
        say(
            f"A and B are one study: `tcphoton plot {first} --by KEY --baseline VALUE` compares "
            "the values of a key, --study an earlier study of the folder"
        )


def _chosen(kept: "Sequence[Kept]", where: "Sequence[str]") -> "list[DataFrame]":
    """Return the rows of both folders that --where chooses.

    A setting of a key that one folder alone has concerns that folder.
    """
    from tcphoton.sweep import query

    def applies(each: "Kept", setting: str) -> bool:
        try:
            key = setting.partition("=")[0].strip()
            query.columns_named(each.table.columns, [key], list(each.axes), each.labels)
        except LookupError:
            return False
        return True

    rows = []
    for each, other in (kept, reversed(kept)):
        settings = [one for one in where if applies(each, one) or not applies(other, one)]
        rows.append(query.where(each.table, settings, list(each.axes), each.labels))
    return rows


def _how(found: "Sequence[Any]") -> str:
    counts = {each.difference.n for each in found}
    if counts == {1}:
        return "single runs, so every difference counts"
    return "by more than chance (5 % false discoveries), paired by seed where seeds are the same"


def _plain(names: "Sequence[str]") -> list[str]:
    """Return the measures of all traffic, unless there are only those of entries."""
    plain = [name for name in names if not name.startswith("traffic.")]
    return plain or list(names)


def _unit(measure: str) -> str:
    from tcphoton.runs.measures import unit_of

    return unit_of(measure)


def _signed(text: str) -> str:
    return text if text.startswith(("-", "0")) else f"+{text}"


def _parameters(folder: Path, kept: "Kept", study: int | None) -> dict[str, str]:
    """Return what a folder was asked for: the parameters of its first point, and its axes."""
    from tcphoton.report.dataset import first_point
    from tcphoton.runs.results import Report
    from tcphoton.sweep import folder as sweep_folder

    asked = sweep_folder.definition(folder, study)
    if not asked:
        found = Report.load(folder).record["parameters"]
        return {str(each["key"]): str(each["value"]) for each in found}
    scenario = first_point(asked, kept)
    entries = scenario.show()["parameters"] if scenario is not None and not scenario.check() else []
    found = {str(each["key"]): str(each["value"]) for each in entries}
    axes = {axis: ", ".join(map(toml.shown, values)) for axis, values in kept.axes.items()}
    seeds = {"seeds": ", ".join(map(str, asked.get("seeds", [])))}
    below = tuple(f"{axis}." for axis in axes)
    fixed = {key: value for key, value in found.items() if not f"{key}.".startswith(below)}
    return fixed | axes | seeds


def _print_parameters(first: dict[str, str], second: dict[str, str]) -> None:
    # Of a table that is an axis of one, the other has the keys.
    for one, other in ((first, second), (second, first)):
        for axis in one:
            if keys := sorted(key for key in other if key.startswith(f"{axis}.")):
                inner = (f"{key.removeprefix(f'{axis}.')} = {other.pop(key)}" for key in keys)
                other[axis] = f"{{ {', '.join(inner)} }}"
    keys = [key for key in dict.fromkeys([*first, *second]) if first.get(key) != second.get(key)]
    if not keys:
        put("The scenarios are the same.")
        return
    put("what differs in the scenarios:")
    width = max(map(len, keys[:SHOWN]))
    for key in keys[:SHOWN]:
        put(f"{key:<{width}}  {first.get(key, '-')} -> {second.get(key, '-')}")
    if len(keys) > SHOWN:
        put(f"… and {len(keys) - SHOWN:,} more")


def _compare_ledgers(first: Path, second: Path) -> None:
    """Print the claims whose verdicts differ, and the parts whose numbers do."""
    from tcphoton.papers import ledger

    ones, others = ({each["claim"]: each for each in ledger.read(path)} for path in (first, second))
    common = [claim for claim in ones if claim in others]
    if not common:
        raise OutputError(f"{first}, {second}: no claim is in both")
    differ = [claim for claim in common if ones[claim]["verdict"] != others[claim]["verdict"]]
    for claim in differ:
        put(f"{claim}: {ones[claim]['verdict']} -> {others[claim]['verdict']}")
    put(f"{len(differ)} of {quantities.counted(len(common), 'verdict')} differ")
    for claim in common:
        parts = {part["name"]: part for part in others[claim]["parts"]}
        for part in ones[claim]["parts"]:
            other = parts.get(part["name"])
            if other is not None and part.get("ours") != other.get("ours"):
                name = f"{claim}: {part['name']}".rstrip(": ")
                put(f"  {name}: {part.get('ours')} -> {other.get('ours')}")
