"""The reader of module arrows, held to small crates that are made up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rust_modules import Crate, against_floors, circles, circles_of, floors_of, levels, main
from rust_source import UnreadableError

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, files: dict[str, str]) -> Crate:
    for name, text in files.items():
        file = folder / "src" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return Crate(folder)


def names(crate: Crate) -> set[tuple[str, str]]:
    """Return the arrows as pairs of paths."""
    return {("::".join(arrow.source), "::".join(arrow.target)) for arrow in crate.arrows}


B = {
    "b/mod.rs": "pub mod c; pub use c::Deep; pub struct Thing; pub fn g() {} pub const N: u8 = 1;",
    "b/c.rs": "pub struct Deep; pub enum Kind { One }",
    "d.rs": "pub struct D;",
}
LIB = "pub mod a; mod b; mod d; pub use b::Thing; pub use b::c::Kind as Sort; pub use d::D;"


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("use crate::b::Thing;", {"b"}),
        ("use super::b::Thing;", {"b"}),
        ("use super::b::{self, c::Kind};", {"b", "b::c"}),
        ("use crate::{b::Thing as Other, d};", {"b", "d"}),
        ("use crate::{b::{c::{Deep, Kind}}, d::D};", {"b::c", "d"}),
        ("use crate::{\n    b::Thing,\n};", {"b"}),
        ("use crate::b::*;", {"b"}),
        ("pub(super) use crate::b::Thing;", {"b"}),
        ("fn f() { crate::b::g(); }", {"b"}),
        ("fn f() { use crate::b::g; g() }", {"b"}),
        ("fn f(x: &[u8; super::b::N as usize]) {}", {"b"}),
        ("fn f() { for i in 0..crate::b::N {} }", {"b"}),
        ("fn f() { vec![crate::b::N] }", {"b"}),
        ("fn f<'a>(x: &'a str) -> char { crate::b::g(); 'a' }", {"b"}),
        ("fn f() { x('\\'', b'\"', crate::b::N, '\"') }", {"b"}),
        ("fn f() -> Option<crate::d::D> { None }", {"d"}),
        ("impl From<crate::d::D> for X {}", {"d"}),
        ('#[serde(with = "crate::b")] struct S;', {"b"}),
        ("#[derive(crate::b::Macro)] struct S;", {"b"}),
        ("macro_rules! m { () => { $crate::b::g() } }", {"b"}),
        ("#[cfg(not(test))] use crate::b::Thing;", {"b"}),
        ("#[cfg(any(test, unix))] use crate::b::Thing;", {"b"}),
        ("#[cfg(test)] use crate::b::Thing; use crate::d::D;", {"d"}),
        ("#[cfg(test)] fn f() { crate::b::g() } use crate::d::D;", {"d"}),
        ("#[cfg(test)] const X: S = S { a: crate::b::N }; use crate::d::D;", {"d"}),
        ("struct S { #[cfg(test)] x: crate::b::Thing, y: crate::d::D }", {"d"}),
        # What is exported again counts where it is defined.
        ("use crate::Thing;", {"b"}),
        ("use crate::{D, Sort};", {"b::c", "d"}),
        ("fn f() { crate::Sort::One }", {"b::c"}),
        ("use crate::b::Deep;", {"b::c"}),
        ("use crate::b; fn f(x: b::Deep) {}", {"b", "b::c"}),
        # A name that a glob brings counts where it is used.
        ("use crate::*; fn f(x: D) {}", {"", "d"}),
        ("use crate::*; fn f(x: b::c::Kind) {}", {"", "b", "b::c"}),
        ("use super::b::*; fn f(x: Deep) {}", {"b", "b::c"}),
    ],
)
def test_each_way_to_name_a_thing_is_an_arrow(text: str, targets: set[str], tmp_path: Path) -> None:
    crate = write(tmp_path, {"lib.rs": LIB, "a.rs": text, **B})
    assert {target for source, target in names(crate) if source == "a"} == targets


@pytest.mark.parametrize(
    "text",
    [
        "// use crate::b::Thing;",
        "/// [`Thing`](crate::b::Thing)\nfn f() {}",
        "/* crate::b::g() /* crate::b::g() */ crate::b::g() */",
        'fn f() { say("crate::b::g() \\" crate::b::g()") }',
        'fn f() { say(r#"crate::b::g() " crate::b::g()"#) }',
        "use ::b::Thing;",
        "fn f() { ::b::g() }",
        "use std::fmt; use other::b::Thing;",
        "fn f(x: X) { x.b::<u8>(); x.crate_b }",
        "pub(in crate::b) fn f() {}",
        "fn f() -> impl Iterator<Item = u8> + use<'_> { b }",
        "#[cfg(test)] mod tests { use crate::b::Thing; }",
        "#[cfg(test)]\n#[expect(dead_code)]\npub(crate) mod tests { use crate::b::Thing; }",
        "#[cfg(test)] mod tests;",
        "#[cfg(all(test, unix))] mod tests { use crate::b::Thing; }",
        "#![cfg(test)]\nuse crate::b::Thing;",
        "use self::Own; use crate::a::Own as Other; pub struct Own;",
    ],
)
def test_what_is_not_said_in_the_code_is_no_arrow(text: str, tmp_path: Path) -> None:
    crate = write(tmp_path, {"lib.rs": LIB, "a.rs": text, **B})
    assert not {target for source, target in names(crate) if source == "a"}


def test_modules_of_a_text_have_their_own_places(tmp_path: Path) -> None:
    crate = write(
        tmp_path,
        {
            "lib.rs": 'mod a; #[path = "elsewhere.rs"] mod b;',
            "a.rs": "mod inner { use super::Own; use super::super::b::g; mod file; } struct Own;",
            "a/inner/file.rs": "use super::super::Own;",
            "elsewhere.rs": "pub fn g() {}",
        },
    )
    assert names(crate) == {("a::inner", "a"), ("a::inner", "b"), ("a::inner::file", "a")}


def test_a_signpost_makes_no_arrow_but_a_use_does(tmp_path: Path) -> None:
    files = {"a.rs": "", **B}
    assert {
        pair for pair in names(write(tmp_path, {"lib.rs": LIB, **files})) if not pair[0]
    } == set()
    crate = write(tmp_path, {"lib.rs": LIB + "struct S(D);", **files})
    assert {pair for pair in names(crate) if not pair[0]} == {("", "d")}


def test_who_imports_through_a_neighbour_names_both(tmp_path: Path) -> None:
    crate = write(
        tmp_path,
        {
            "lib.rs": "mod a; mod b; mod c;",
            "a.rs": "use crate::b::Thing;",
            "b.rs": "pub use crate::c::Thing;",
            "c.rs": "pub struct Thing;",
        },
    )
    assert names(crate) == {("a", "b"), ("a", "c"), ("b", "c")}


def test_imports_that_name_one_another_come_to_an_end(tmp_path: Path) -> None:
    crate = write(
        tmp_path,
        {
            "lib.rs": "mod a; mod b; pub use b::b; pub use a::*;",
            "a.rs": "pub use crate::*; pub use crate::b::*; fn f() { Lost::g(); crate::b::b() }",
            "b.rs": "pub use crate::a::*; pub fn b() {}",
        },
    )
    assert names(crate) == {("a", ""), ("a", "b"), ("b", "a")}


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


def test_a_circle_within_a_folder_is_found(tmp_path: Path) -> None:
    crate = write(
        tmp_path,
        {
            "lib.rs": "mod a;",
            "a/mod.rs": "mod x; mod y; mod z;",
            "a/x.rs": "use super::y;",
            "a/y.rs": "use super::z;",
            "a/z.rs": "use super::x;",
        },
    )
    assert [circles(graph) for graph in levels(crate).values()] == [[], [["x", "y", "z", "x"]]]


def test_a_folder_and_its_own_file_are_one_part(tmp_path: Path) -> None:
    crate = write(
        tmp_path,
        {
            "lib.rs": "mod a;",
            "a/mod.rs": "mod x; struct Own(x::X);",
            "a/x.rs": "pub struct X; use super::Own;",
        },
    )
    assert names(crate) == {("a", "a::x"), ("a::x", "a")}
    assert not circles_of(crate)


def test_the_file_of_the_crate_is_one_beside_its_modules(tmp_path: Path) -> None:
    crate = write(
        tmp_path,
        {"lib.rs": "mod a; struct Own(a::A);", "a.rs": "pub struct A; use crate::Own;"},
    )
    assert [circles(graph) for graph in levels(crate).values()] == [[["a", "lib", "a"]]]


FLOORS = {
    "lib.rs": "mod low; mod high; struct Roof;",
    "low.rs": "pub struct Low;",
    "high.rs": "use crate::low::Low;",
}


def test_arrows_down_are_right(tmp_path: Path) -> None:
    assert not against_floors(write(tmp_path, FLOORS), ["low", "high"])


@pytest.mark.parametrize(
    ("floors", "files", "fault"),
    [
        (["high", "low"], {}, "up from high to low: {src}/high.rs:1: crate::low::Low"),
        (
            ["low", "high"],
            {"low.rs": "use crate::Roof;"},
            "up from low to lib: {src}/low.rs:1: crate::Roof",
        ),
        (["low"], {}, "high has no floor"),
        (["low", "high", "higher"], {}, "there is no module higher"),
        (["low", "high", "high"], {}, "high has two floors"),
    ],
)
def test_what_is_wrong_with_floors_is_found(
    floors: list[str], files: dict[str, str], fault: str, tmp_path: Path
) -> None:
    crate = write(tmp_path, FLOORS)
    crate = write(tmp_path, files) if files else crate
    assert against_floors(crate, floors) == [fault.format(src=tmp_path / "src")]


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


def test_the_reader_prints_what_it_finds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "scenario", {**FLOORS, "low.rs": "pub struct Low; use crate::high;"})
    main(tmp_path / "scenario")
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == ["high -> low", "lib -> nothing", "low -> high"]
    assert "there is no module mistake" in lines
    assert "a circle in crate: high -> low -> high" in lines
