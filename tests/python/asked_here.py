"""The script of a page outside of a browser: what it answers to questions about a study."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Any

import node_here

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SCRIPTS = ("statistics.js", "question.js", "code.js", "drawing.js")
MAIN = """
const { data, words } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const page = globalThis.tcphoton;
const study = new page.Study(data);
const text = (key, i) => study.axis.get(key).values[i].text;
const plain = (at) => Object.fromEntries([...at].map(([key, i]) => [key, text(key, i)]));
const found = words.map((each) => {
  const asked = page.read(study, each);
  const whole = page.answered(study, asked);
  const answers = whole.map(({ measure, points = [], remarks = [], curves = [] }) => ({
    measure,
    told: page.told(study, { points, remarks }),
    points: points.map((point) => ({
      ...point,
      at: plain(point.at),
      low: `${point.low}`,
      high: `${point.high}`,
      caveats: [...new Set(point.caveats.map((caveat) => caveat.kind))],
    })),
    curves: curves.map((curve) => ({
      at: plain(curve.at),
      steps: curve.steps.map((step) => [step.at, step.share]),
    })),
  }));
  const { marks } = page.description(study, asked, whole, 1000);
  return { words: page.written(asked), asked, answers, code: page.code(study, asked), marks };
});
process.stdout.write(JSON.stringify(found));
"""


def script(*names: str) -> str:
    """Return scripts of pages as one."""
    return "\n".join(
        (resources.files("tcphoton.pages") / name).read_text("utf-8") for name in names
    )


def run(main: str, given: Any) -> Any:
    """Run the pure scripts of a page with some lines that read JSON and write JSON."""
    return node_here.run(f"{script(*SCRIPTS)}\n{main}", given)


def answers(data: Mapping[str, Any], words: Sequence[str]) -> list[dict[str, Any]]:
    """Return what the page of a study answers to questions, as its address has them."""
    found: list[dict[str, Any]] = run(MAIN, {"data": data, "words": words})
    return found
