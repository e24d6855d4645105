"""The reader of module arrows sees what `test_arrows` must not miss, in small crates made up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rust_modules import Crate, against_floors, circles, circles_of, floors_of, levels
from rust_source import UnreadableError

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, files: dict[str, str]) -> Crate:
    for name, text in files.items():
        file = folder / "src" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return Crate(folder)


B = {
    "b/mod.rs": "pub mod c; pub use c::Deep; pub struct Thing; pub fn g() {}",
    "b/c.rs": "pub struct Deep;",
    "d.rs": "pub struct D;",
}
LIB = "pub mod a; mod b; mod d; pub use b::Thing; pub use d::D;"
NAMED: dict[str, set[str]] = {
    "use super::b::{self, c::Deep};": {"b", "b::c"},
    "use crate::b::*;": {"b"},
    "fn f() { crate::b::g(); }": {"b"},
    '#[serde(with = "crate::b")] struct S;': {"b"},
    "use crate::Thing;": {"b"},  # what is exported again counts where it is defined
    "use super::b::*; fn f(x: Deep) {}": {"b", "b::c"},  # and what a glob brings where it is used
    "#[cfg(test)] use crate::b::Thing; use crate::d::D;": {"d"},
    "// use crate::b::Thing;": set(),
    'fn f() { say("crate::b::g()") }': set(),
    "#[cfg(test)] mod tests { use crate::b::Thing; }": set(),
}
"""What a module says, and the modules that it names by that."""


def test_what_names_a_thing_is_an_arrow_and_nothing_else_is(tmp_path: Path) -> None:
    for text, targets in NAMED.items():
        crate = write(tmp_path, {"lib.rs": LIB, "a.rs": text, **B})
        found = {"::".join(each.target) for each in crate.arrows if each.source == ("a",)}
        assert found == targets, text


def test_a_circle_is_found(tmp_path: Path) -> None:
    crate = write(
        tmp_path,
        {
            "lib.rs": "mod a; mod b; mod c;",
            "a.rs": "use crate::b::f;",
            "b.rs": "\npub fn f() { super::c::f() }",
            "c.rs": "pub fn f() {} use super::b;",
        },
    )
    (circle,) = circles_of(crate)
    assert circle.splitlines() == [
        "a circle in crate: b -> c -> b",
        f"  b -> c: {tmp_path}/src/b.rs:2: super::c::f",
        f"  c -> b: {tmp_path}/src/c.rs:1: super::b",
    ]


def test_a_circle_of_children_is_one_of_their_folders(tmp_path: Path) -> None:
    crate = write(
        tmp_path,
        {
            "lib.rs": "mod a; mod b;",
            "a.rs": "mod x; mod y;",
            "a/x.rs": "use crate::b::z::Z;",
            "a/y.rs": "pub struct Y; use super::x;",
            "b.rs": "pub mod z; mod w;",
            "b/z.rs": "pub struct Z;",
            "b/w.rs": "use crate::a::y::Y;",
        },
    )
    assert [circles(graph) for graph in levels(crate).values()] == [[["a", "b", "a"]], [], []]


def test_what_is_wrong_with_floors_is_found(tmp_path: Path) -> None:
    files = {
        "lib.rs": "mod low; mod high; struct Roof;",
        "low.rs": "pub struct Low;",
        "high.rs": "use crate::low::Low;",
    }
    crate = write(tmp_path, files)
    assert not against_floors(crate, ["low", "high"])
    for floors, fault in (
        (["high", "low"], f"up from high to low: {tmp_path}/src/high.rs:1: crate::low::Low"),
        (["low"], "high has no floor"),
        (["low", "high", "higher"], "there is no module higher"),
        (["low", "high", "high"], "high has two floors"),
    ):
        assert against_floors(crate, floors) == [fault]
    crate = write(tmp_path, {**files, "low.rs": "use crate::Roof;"})
    assert against_floors(crate, ["low", "high"]) == [
        f"up from low to lib: {tmp_path}/src/low.rs:1: crate::Roof"
    ]


def test_floors_are_read_from_their_table() -> None:
    page = """
| crate | uses |
| --- | --- |
| `a` | `b` |

| crate | its modules, from low to high |
| --- | --- |
| `a` | `one`, `two` |
| `b` | `three` |

| `c` | `four` |
"""
    assert floors_of(page) == {"a": ["one", "two"], "b": ["three"]}
    assert floors_of("no table") == {}


def test_what_cannot_be_followed_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="mod a has no file"):
        write(tmp_path, {"lib.rs": "mod a;"})
    with pytest.raises(UnreadableError, match="line 2: a comment without an end"):
        write(tmp_path, {"lib.rs": "\n/* /* */"})
    with pytest.raises(UnreadableError, match="no '}'"):
        write(tmp_path, {"lib.rs": "#[cfg(test)] mod a {"})
