"""A page for each paper, generated from its kept results.

It is the paper's README with its kept results: the figures with the paper's statements, the ledger
with a colour and a word for each verdict, and the numbers that the text states. The page of a paper
without kept results states that there are none.
"""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from builder.mathml import sentence
from tcphoton import papers
from tcphoton.papers import keep, ledger, live, published
from tcphoton.papers.readings_of import FOLDER
from tcphoton.papers.reproduce import LEDGER, RUN
from tcphoton.papers.rules import DIFFERS, HOLDS, IN_PART, IN_SHAPE, VERDICTS
from tcphoton.web.live import SCRIPT, block
from tcphoton.web.modules import is_built

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

__all__ = ["PaperPage", "index"]

COLOURS: dict[str, str] = {
    HOLDS: "holds", IN_SHAPE: "partly", IN_PART: "partly", DIFFERS: "differs"
}  # fmt: skip
"""The verdicts with a colour of their own, each with its class."""
IMAGE = re.compile(r"!\[[^\]]*\]\(results/([\w-]+)\.svg\)")
FIGURE = re.compile(r"(?<!!)\[([^\]]+)\]\(results/([\w-]+)\.svg\)")
FACTS = re.compile(rf"{re.escape(keep.BEGIN)}.*?{re.escape(keep.END)}", re.DOTALL)
NOT_RUN = "not run at full scale yet"


@dataclass(frozen=True)
class PaperPage:
    """A paper's page.

    Attributes
    ----------
    name
        The paper's short name.
    home
        Its folder in `papers`, with README and, after a full run, `results`.
    """

    name: str
    home: Path

    @classmethod
    def of(cls, name: str) -> PaperPage:
        """Return the page of a paper of the source tree."""
        return cls(name, keep.folder(name))

    @property
    def figures(self) -> dict[str, Path]:
        """The kept figures: of every printed number, and by artefact, in the paper's order."""
        names = (keep.AGAINST, *self.paper.artefacts)
        kept = {name: self.home / "results" / f"{name}.svg" for name in names}
        return {name: file for name, file in kept.items() if file.is_file()}

    @property
    def readings(self) -> dict[str, Path]:
        """The kept figures of searches over its readings, by name."""
        return {file.stem: file for file in sorted((self.home / FOLDER).glob("*.svg"))}

    @cached_property
    def paper(self) -> papers.Paper:
        """The paper."""
        return papers.load(self.name)

    @cached_property
    def entries(self) -> list[ledger.Entry]:
        """The kept ledger; empty before the first full run."""
        file = self.home / "results" / LEDGER
        return ledger.read(file) if file.exists() else []

    @property
    def verdicts(self) -> dict[str, int]:
        """How many claims have each verdict."""
        found = Counter(str(each["verdict"]) for each in self.entries)
        return {verdict: found[verdict] for verdict in VERDICTS if found[verdict]}

    @property
    def text(self) -> str:
        """The page in Markdown; its links are those of the README."""
        readme = (self.home / "README.md").read_text("utf-8")
        title, _, body = readme.partition("\n## ")
        body = FACTS.sub(lambda _: self._claims(), body)
        shown = set(IMAGE.findall(body))
        body = IMAGE.sub(lambda match: self._image(match[1]), body)
        body = FIGURE.sub(lambda match: self._link(match[1], match[2]), body)
        parts = [f"{title}\n{self._head()}\n{self._live()}## {body}"]
        return "".join([*parts, self._others(shown), self._numbers()])

    def _head(self) -> str:
        """Return what was reproduced, how, and with which verdicts."""
        facts = {
            "Verdicts": self.badges() or f"The paper is {NOT_RUN}.",
            "Command": f"<code>tcphoton reproduce {self.name}</code>, with "
            "<code>--scale full</code> for all of it",
        }
        if self.entries:
            facts["Full run"] = _full_run(json.loads((self.home / "results" / RUN).read_text()))
        rows = "".join(f"<tr><th>{name}</th><td>{text}</td></tr>" for name, text in facts.items())
        return f'<table class="facts">{rows}</table>\n'

    def _live(self) -> str:
        """Return the figure that is run in the page; nothing where the engine was not built."""
        found = live.of_paper(self.name)
        if found is None or not is_built():
            return ""
        script = f'<script defer src="../_static/{SCRIPT}"></script>'
        return f"{block(found.title, found.about, found.data())}{script}\n\n"

    def badges(self) -> str:
        """Return the counts of verdicts in HTML, an empty text if there are none."""
        return " ".join(
            _verdict(verdict, ledger.counted(count, verdict))
            for verdict, count in self.verdicts.items()
        )

    def _claims(self) -> str:
        if not self.entries:
            return (
                f"The paper is {NOT_RUN}, so this page has no figures and no verdicts. "
                "Its claims, and the rules that will decide on them:\n\n"
                + "".join(_planned(claim) for claim in self.paper.claims)
                + "\n"
            )
        return (
            "Every claim with what the paper says, the rule, and what was found. Parts in brackets "
            "do not affect the verdict.\n\n" + "".join(map(_claim, self.entries)) + "\n"
        )

    def _image(self, name: str) -> str:
        if name not in self.figures:
            return f"*{name}: {NOT_RUN}*"
        return f"![{_title(self.paper, name)}](results/{name}.svg)"

    def _link(self, text: str, name: str) -> str:
        return f"[{text}](#{self._anchor(name)})" if name in self.figures else f"{text} ({NOT_RUN})"

    def _anchor(self, name: str) -> str:
        return f"figure-{self.name}-{name}"

    def _others(self, shown: set[str]) -> str:
        """Show the kept figures that the README names at most, and let links lead to all."""
        others = [name for name in self.figures if name not in shown]
        if not others:
            return ""
        lines = ["\n\n## Further figures\n"]
        for name in others:
            title = _title(self.paper, name)
            lines += [f"({self._anchor(name)})=\n**{name}.** {title}.\n"]
            lines += [f"![{title}](results/{name}.svg)\n"]
        return "\n".join(lines)

    def _numbers(self) -> str:
        rows = published.rows(self.name)
        lines = "".join(
            f"<tr><td>{html.escape(row['claim'])}</td><td>{html.escape(row['what'])}</td>"
            f"<td>{html.escape(row['value'])} {html.escape(row['unit'])}</td>"
            f"<td>{sentence(row['sentence'])}</td></tr>"
            for row in rows
        )
        head = "".join(f"<th>{name}</th>" for name in ("claim", "what", "value", "sentence"))
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>"
        summary = f"<summary>{len(rows)} numbers, each with its sentence</summary>"
        return (
            "\n\n## What the paper's text states\n\n"
            f'<details class="numbers">{summary}{table}</details>\n'
        )


def index(pages: list[PaperPage]) -> str:
    """Return the table of all papers in HTML, with a link to each."""
    rows = "".join(
        f'<tr><td><a href="{page.name}.html"><b>{page.name}</b></a></td>'
        f"<td><i>{html.escape(page.paper.title)}</i>. {html.escape(page.paper.source)}</td>"
        f"<td>{page.badges() or NOT_RUN}</td></tr>"
        for page in pages
    )
    return (
        '<table class="papers"><thead><tr><th></th><th>paper</th><th>claims</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>\n"
    )


def _full_run(run: dict[str, Any]) -> str:
    return (
        f"{run['runs']:,} runs, {run['seconds'] / 60:.0f} min on {run['workers']} cores. "
        f"Version {html.escape(run['version'])}, results revision "
        f"<code>{html.escape(run['revision'])}</code>, commit <code>{_commit(run['commit'])}</code>"
    )


def _commit(text: str) -> str:
    """Return the first letters of a commit, and whether the tree had changes."""
    name, dash, changed = text.partition("-")
    return html.escape(f"{name[:12]}{dash}{changed}")


def _claim(entry: ledger.Entry) -> str:
    parts = _table(ledger.HEADINGS, map(ledger.row, entry["parts"]))
    beside = [part for part in entry["sensitivity"] if part["ours"] is not None]
    more = "".join(f"<p>The rule was changed: {html.escape(text)}</p>" for text in entry["changes"])
    if beside:
        others = _table(("with", *ledger.HEADINGS[1:]), map(ledger.row, beside))
        more += f"<p>Under other assumptions the same rule gives:</p>{others}"
    if because := ledger.why(entry):
        parts = f"<p>Because: {html.escape(because)}</p>{parts}"
    of_parts = f" ({found})" if (found := ledger.of_parts(entry)) else ""
    verdict = _verdict(entry["verdict"], ledger.said(entry))
    return _details(
        f"{verdict}{of_parts} <b>{html.escape(entry['claim'])}</b> "
        f"{html.escape(entry['statement'])}",
        entry["published"],
        entry["rule"],
        parts + more,
    )


def _planned(claim: ledger.Claim) -> str:
    summary = f"<b>{html.escape(claim.claim)}</b> {html.escape(claim.statement)}"
    return _details(summary, claim.published, claim.rule, "")


def _details(summary: str, published: str, rule: str, more: str) -> str:
    return (
        f'<details class="claim"><summary>{summary}</summary>'
        f"<blockquote>{sentence(published)}</blockquote>"
        f"<p>Rule: {html.escape(rule)}</p>{more}</details>\n"
    )


def _verdict(verdict: str, said: str = "") -> str:
    colour = COLOURS.get(verdict, "unknown")
    return f'<span class="verdict {colour}">{html.escape(said or verdict)}</span>'


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def line(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{_cell(cell)}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(line(row, "td") for row in rows)
    return f"<table><thead>{line(headings, 'th')}</thead><tbody>{body}</tbody></table>"


def _cell(text: str) -> str:
    return _verdict(text) if text in VERDICTS else html.escape(text)


def _title(paper: papers.Paper, name: str) -> str:
    titles = {keep.AGAINST: keep.TITLE, **paper.artefacts}
    return re.sub(r"[\[\]|]", "", titles.get(name, name)).rstrip(".")
