"""The generated pages of the reference; they are made with the site and not kept.

They come from the command itself, from docstrings, from the tables of short runs, and from the
packaged examples.
"""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

import tcphoton as tp
from tcphoton.cli.command import EXIT_CODES
from tcphoton.scenario.examples import FOLDER, examples, sweeps

__all__ = ["command_line", "example_anchor", "example_page", "python_pages", "table_page"]

TABLES = {
    "traffic": "One row per entry of the scenario's `traffic`: totals and means over its flows.",
    "flows": "One row per flow.",
    "links": "One row per direction of a link.",
    "series": "One row per recorded value of `record.series`.",
    "fecs": "In networks with edges: one row per forwarding equivalence class, a pair of edges.",
    "channels": "In networks with edges: one row per channel of a link.",
    "bursts": "One row per burst or optical packet that `record.bursts` selects.",
    "reservations": "One row per reservation that one of these bursts requested.",
    "synchronization": "What flows of a class share, a row per sample (`record.synchronization`).",
    "burst-flows": "The number of bursts by their number of flows (`record.synchronization`).",
    "spans": "One row per class and span of time (`record.throughput-span` and `record.fecs`).",
    "switches": "With an energy model: one row per switch.",
    "line-cards": "For CIOQ switches: one row per input.",
    "racks": "Behind circuit switches, or with lightpaths: one row per rack.",
    "circuits": "For circuit switches: one row per switch.",
    "lightpaths": "With lightpaths on demand: one row per pair of racks that asked for one.",
    "fibres": "With lightpaths on demand: one row per fibre and direction.",
    "energy": "One row per part of the energy model.",
    "reordering": "For entries of traffic with `reordering = true`: how far packets are reordered.",
    "splitting": "One row per level of a link whose rare losses are estimated (`splitting`).",
    "repetitions": "Of graphs and collective operations: one row per group and repetition.",
    "operations": "One row per operation of the last repetition of a group.",
    "sizes": "Of entries that send files over TCP or stop-and-wait: one row per decade of sizes.",
}
"""The meaning of a row of each table."""

SHORT = {"run.duration": "1 ms", "run.warmup": "0 s"}
LOOKED_AT: dict[str, dict[str, Any]] = {
    "lightpaths": {},
    "rotor": {},
    "mm1": {"splitting.link": "a -> b", "splitting.levels": [1, 2]},
    "shuffle": {},
    "all-reduce": {},
    "lightpath-bundle": {},
    "hybrid-fat-tree": {},
    "ops-mesh": {},
    "obs-burst-life": {
        "record.synchronization": "1 ms",
        "record.throughput-span": "1 ms",
        "record.fecs": ["E0 -> E1"],
    },
}
"""Examples that together have all tables, with the keys that record them."""


def command_line() -> str:
    """Return the page of the command line, as Typer writes it, with the exit codes."""
    told = subprocess.run(
        [sys.executable, "-m", "typer", "tcphoton.cli.app", "utils", "docs", "--name", "tcphoton"],
        check=True,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
    ).stdout
    body = told.partition("\n")[2]
    # Typer's list of commands truncates the descriptions; the sections below have the full ones.
    whole = dict(re.findall(r"^## `tcphoton (.*?)`\n\n(.*)$", body, re.MULTILINE))
    body = re.sub(
        r"^\* `(\w+)`: .*\.\.\.$",
        lambda match: f"* [`{match[1]}`](#tcphoton-{match[1]}): {whole[match[1]]}",
        body,
        flags=re.MULTILINE,
    )
    codes = "\n".join(f"| {code} | {meaning} |" for code, meaning in EXIT_CODES.items())
    return (
        "# The command line\n\n"
        f"{body.strip()}\n\n## Exit codes\n\n| exit code | meaning |\n| --- | --- |\n{codes}\n\n"
        "Results go to stdout and to files, messages and progress to stderr. What the messages say "
        "is in [the guide](../guides/errors-and-exit-codes.md).\n"
    )


def table_page() -> str:
    """Return the page of the tables of a run: every column with its unit and meaning.

    Raises
    ------
    LookupError
        A run has a table that is not in `TABLES`, or no run has one that is.
    """
    columns: dict[str, dict[str, dict[str, str]]] = {name: {} for name in TABLES}
    for name, also in LOOKED_AT.items():
        record = tp.run(tp.example(name).with_({**SHORT, **also})).record
        for table, found in record["tables"].items():
            if table not in columns:
                raise LookupError(f"the table {table!r} needs an entry in {__file__}")
            columns[table] |= found
    empty = [table for table, found in columns.items() if not found]
    if empty:
        raise LookupError(f"no run of {__file__} has {', '.join(empty)}")
    lines = [
        "# The tables of a run\n",
        "Every column with its unit and meaning, as the engine gives them: `report.units` and",
        "`report.docs` say the same. Numbers are in base units. A sweep has the columns of",
        "`traffic` as its measures: the totals under these names, and those of each entry as",
        "`traffic.0.goodput`.\n",
    ]
    for table, found in columns.items():
        lines += [f"## {table}\n", f"{TABLES[table]}\n", "| column | unit | meaning |"]
        lines += ["| --- | --- | --- |"]
        lines += [
            f"| `{column}` | {about['unit'] or '–'} | {_cell(about['doc'])} |"
            for column, about in found.items()
        ]
        lines.append("")
    return "\n".join(lines)


def example_page() -> str:
    """Return the page of the packaged examples, each with its text."""
    lines = [
        "# The examples\n",
        "They come with the package: `tcphoton example` lists them,",
        "`tcphoton example NAME --out FILE` writes one, and in Python one is",
        '`tp.example("NAME")`.\n',
    ]
    for name, title in {**examples(), **sweeps()}.items():
        text = (FOLDER / f"{name}.toml").read_text("utf-8")
        lines += [f"({example_anchor(name)})=", f"## {name}\n", f"{title}.\n"]
        lines += [f"```toml\n{text.rstrip()}\n```\n"]
    return "\n".join(lines)


def example_anchor(name: str) -> str:
    """Return the anchor of an example on its page.

    Examples
    --------
    >>> example_anchor("sweeps/anycast")
    'example-sweeps-anycast'
    """
    return "example-" + re.sub(r"\W", "-", name)


def python_pages(more: list[str]) -> dict[str, str]:
    """Return the pages of the Python reference by their names: the package, and its modules.

    Parameters
    ----------
    more
        Modules in addition to the package's public names.
    """
    named = {name: getattr(tp, name) for name in tp.__all__ if not name.startswith("__")}
    public = [name for name, each in named.items() if isinstance(each, ModuleType)]
    modules = {name: named[name].__name__ for name in public}
    modules |= {
        name.replace(".", "-"): f"tcphoton.{name}"
        for name in more
        if name not in named and f"tcphoton.{name}" not in modules.values()
    }
    own = [name for name in named if name not in modules]
    return {"tcphoton": _package(own, modules)} | {
        name: _module(module, own) for name, module in modules.items()
    }


def _package(names: list[str], modules: dict[str, str]) -> str:
    lines = [
        "# Python\n",
        "The names of `import tcphoton as tp`, and the modules that pages mention. In notebooks a",
        "`Scenario`, a `Sweep` and a `Report` are shown as tables.\n",
        "```{eval-rst}",
    ]
    for name in names:
        kind = "autofunction" if name in {"run", "example"} else "autoclass"
        if isinstance(getattr(tp, name), type) and issubclass(getattr(tp, name), Exception):
            kind = "autoexception"
        lines += [f".. {kind}:: tcphoton.{name}"]
        lines += ["   :members:"] * (kind != "autofunction") + [""]
    lines += ["```\n", "## Modules\n"]
    for name, module in modules.items():
        short = f", which is `tp.{name}`" * (name in tp.__all__)
        lines += [f"- [`{module}`](python-{name}.md){short}: {_first_line(module)}"]
    lines += ["\n```{toctree}", ":hidden:", ""]
    lines += [f"python-{name}" for name in modules]
    return "\n".join([*lines, "```"]) + "\n"


def _module(name: str, elsewhere: list[str]) -> str:
    return (
        f"# {name}\n\n```{{eval-rst}}\n.. automodule:: {name}\n   :members:\n"
        f"   :exclude-members: {', '.join(elsewhere)}\n```\n"
    )


def _first_line(module: str) -> str:
    about = import_module(module).__doc__ or ""
    first = about.strip().partition("\n\n")[0].replace("\n", " ")
    return re.sub(r"``(.*?)``", r"`\1`", first)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")
