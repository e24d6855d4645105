"""The map of modules: the first sentence of every module is found, and says something."""

from __future__ import annotations

import runpy
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@cache
def script() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "scripts" / "modules.py"))


def test_every_module_says_what_it_is() -> None:
    parts = script()["modules"]()
    assert len(parts) > 15
    named = {(part, name): text for part, texts in parts.items() for name, text in texts.items()}
    assert len(named) > 700
    assert [each for each, text in named.items() if not text.endswith((".", "?"))] == []


def test_the_page_has_every_crate_and_no_html() -> None:
    text = script()["page"]()
    crates = {file.parts[-3] for file in ROOT.glob("crates/*/src/lib.rs")}
    for crate in crates:
        assert f"\n## crates/{crate}\n" in text
    assert "- `agenda`: " in text
    assert "<" not in "".join(text.split("`")[::2])


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("One thing.\nAnother.", "One thing."),
        ("An [`Agenda`] of\nevents ([RFC](https://x.y)). More.", "An `Agenda` of events (RFC)."),
        (
            "CoDel (K. Nichols et al., 2012), e.g. one. Two.",
            "CoDel (K. Nichols et al., 2012), e.g. one.",
        ),
        ("``make x``: a verb\n\nA paragraph.", "`make x`: a verb"),
    ],
)
def test_the_first_sentence_is_found(text: str, first: str) -> None:
    assert script()["sentence"](text) == first
