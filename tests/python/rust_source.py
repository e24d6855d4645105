"""Read the modules of a crate out of its files: what each defines, imports and names.

`rust_modules` makes arrows of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pathlib import Path

Way: TypeAlias = tuple[str, ...]
"""A module by its names from the crate's root, which is the empty way itself."""

TOKEN = re.compile(
    r"""
      (?P<comment>//[^\n]*|/\*)
    | (?P<raw>(?:b|c)?r(?P<hashes>\#*)"(?:.|\n)*?"(?P=hashes))
    | (?P<text>(?:b|c)?"(?:[^"\\]|\\(?:.|\n))*")
    | (?P<char>b?'(?:[^'\\\n]|\\(?:[^u\n]|u\{[^}]*\})[^'\n]*)')
    | (?P<lifetime>'\w+)
    | (?P<name>\$crate\b|(?:r\#)?[^\W\d]\w*)
    | (?P<number>\d\w*)
    | (?P<mark>::|\.{2,3}=?|->|=>|[^\s\w])
    """,
    re.VERBOSE,
)
NESTED = re.compile(r"/\*|\*/")
CLOSING = {"{": "}", "(": ")", "[": "]"}
ITEMS = {"struct", "enum", "union", "trait", "fn", "type", "const", "static", "macro_rules"}
ENDED_BY_SEMICOLON = {"use", "const", "static", "type", "let", "extern"}
ITEM_WORDS = ITEMS | ENDED_BY_SEMICOLON | {"mod", "impl", "pub", "unsafe", "async"}
PATH_IN_TEXT = re.compile(r"(?:[^\W\d]\w*::)+[^\W\d]\w*")


class UnreadableError(Exception):
    """What the reader cannot follow."""


@dataclass(frozen=True)
class Token:
    """A word or mark of a source, and its line."""

    text: str
    line: int
    kind: str


def tokens_of(source: str) -> list[Token]:
    """Return the words and marks of a source, comments left out."""
    tokens = []
    position, line = 0, 1
    while match := TOKEN.search(source, position):
        line += source.count("\n", position, match.start())
        end = match.end()
        if match["comment"] == "/*":
            depth = 1
            while depth:
                mark = NESTED.search(source, end)
                if mark is None:
                    raise UnreadableError(f"line {line}: a comment without an end")
                depth += 1 if mark[0] == "/*" else -1
                end = mark.end()
        elif match["comment"] is None:
            kind = match.lastgroup or ""
            text = match[0].removeprefix("r#") if kind == "name" else match[0]
            tokens.append(Token(text, line, kind))
        line += source.count("\n", match.start(), end)
        position = end
    return tokens


@dataclass(frozen=True)
class Import:
    """A name that a `use` brings into a module: what it stands for, and whether it goes on."""

    path: Way
    line: int
    exported: bool


@dataclass
class Module:
    """A module: what it defines, what it imports, which paths it has, which names it says."""

    way: Way
    file: Path
    children: dict[str, Module] = field(default_factory=dict)
    items: set[str] = field(default_factory=set)
    imports: dict[str, list[Import]] = field(default_factory=lambda: defaultdict(list))
    globs: list[Import] = field(default_factory=list)
    paths: list[tuple[Way, int]] = field(default_factory=list)
    said: dict[str, int] = field(default_factory=dict)


class Source:
    """One file, or one `mod name { … }`, read into a module."""

    def __init__(self, module: Module, tokens: list[Token], folder: Path) -> None:
        self.module = module
        self.tokens = tokens
        self.folder = folder

    def text(self, at: int) -> str:
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def is_name(self, at: int) -> bool:
        return 0 <= at < len(self.tokens) and self.tokens[at].kind == "name"

    def after_group(self, at: int) -> int:
        """Return what follows the group that opens here."""
        inside = [CLOSING[self.text(at)]]
        while inside:
            at += 1
            if at >= len(self.tokens):
                raise UnreadableError(f"{self.module.file}: no '{inside[-1]}'")
            token = self.tokens[at]
            if token.kind != "mark":
                continue
            if token.text in CLOSING:
                inside.append(CLOSING[token.text])
            elif token.text == inside[-1]:
                inside.pop()
        return at + 1

    def after_item(self, at: int) -> int:
        """Return what follows the item, field or arm that begins here."""
        while self.text(at) == "#":
            at = self.after_group(at + 1)
        first = self.text(at)
        if first == "pub":
            at += 1
            at = self.after_group(at) if self.text(at) == "(" else at
            first = self.text(at)
        is_item = first in ITEM_WORDS
        # `const fn` and `extern "C" fn` have a body; what else begins so ends with a semicolon.
        has_body = first not in ENDED_BY_SEMICOLON or "fn" in (self.text(at + 1), self.text(at + 2))
        while at < len(self.tokens):
            text = self.text(at)
            if text in CLOSING:
                at = self.after_group(at)
                if text == "{" and has_body:
                    return at
            elif text == ";" or (text == "," and not is_item):
                return at + 1
            elif text in CLOSING.values():
                return at
            else:
                at += 1
        return at

    def read(self) -> None:
        """Read the module and those that it declares."""
        at, depth = 0, 0
        file_of_next: str | None = None
        while at < len(self.tokens):
            text = self.text(at)
            if text == "#" and self.text(at + 1) in {"[", "!"}:
                inner = self.text(at + 1) == "!"
                opening = at + 2 if inner else at + 1
                end = self.after_group(opening)
                attribute = self.tokens[opening + 1 : end - 1]
                if is_for_tests(attribute):
                    at = len(self.tokens) if inner else self.after_item(end)
                    continue
                if [token.text for token in attribute[:2]] == ["path", "="]:
                    file_of_next = attribute[2].text.strip('"')
                self.read_attribute(attribute)
                at = end
            elif text == "pub" and self.text(at + 1) == "(" and self.text(at + 2) == "in":
                at = self.after_group(at + 1)
            elif text == "use" and self.text(at + 1) != "<":
                at = self.read_use(at, depth)
            elif text == "mod" and self.is_name(at + 1) and self.text(at + 2) in {";", "{"}:
                at = self.read_mod(at, file_of_next)
                file_of_next = None
            elif self.is_name(at):
                at = self.read_name(at, depth)
            else:
                depth += (text in CLOSING) - (text in CLOSING.values())
                at += 1

    def read_attribute(self, attribute: list[Token]) -> None:
        """Take the paths in an attribute, in texts too."""
        inside = Source(self.module, attribute, self.folder)
        at = 0
        while at < len(attribute):
            text = attribute[at].text
            if attribute[at].kind == "text" and PATH_IN_TEXT.fullmatch(text.strip('"')):
                way = tuple(text.strip('"').split("::"))
                self.module.paths.append((way, attribute[at].line))
            at = inside.read_name(at, 1) if inside.is_name(at) else at + 1

    def read_name(self, at: int, depth: int) -> int:
        """Take the path or the name that begins here, or the item that it defines."""
        text, line = self.text(at), self.tokens[at].line
        if depth == 0 and text in ITEMS:
            name = at + 2 if text == "macro_rules" else at + 1
            if self.is_name(name) and self.text(name) not in ITEMS | {"unsafe", "extern"}:
                self.module.items.add(self.text(name))
                return name + 1
        if self.text(at - 1) in {".", "::"}:
            # A method, a field, or what goes on after `>::` or begins with `::`, another crate.
            while self.text(at + 1) == "::" and self.is_name(at + 2):
                at += 2
            return at + 1
        way = [text]
        while self.text(at + 1) == "::" and self.is_name(at + 2):
            at += 2
            way.append(self.text(at))
        if len(way) > 1:
            self.module.paths.append((tuple(way), line))
        self.module.said.setdefault(way[0], line)
        return at + 1

    def read_use(self, at: int, depth: int) -> int:
        """Take the tree of a `use`."""
        line = self.tokens[at].line
        # Only what a module itself imports can be imported from it; what a function imports cannot.
        exported = depth == 0 and self.text(at - 1) in {"pub", ")"}
        end = at
        while self.text(end) != ";":
            end += 1
        tree = [token.text for token in self.tokens[at + 1 : end]]
        if tree[0] != "::":
            for path, name in branches(tree):
                found = Import(path, line, exported)
                if name == "*":
                    self.module.globs.append(found)
                else:
                    self.module.imports[name].append(found)
        return end + 1

    def read_mod(self, at: int, path: str | None) -> int:
        """Read a module that is declared here."""
        name = self.text(at + 1)
        way = (*self.module.way, name)
        if self.text(at + 2) == "{":
            end = self.after_group(at + 2)
            child = Module(way, self.module.file)
            Source(child, self.tokens[at + 3 : end - 1], self.folder / name).read()
        else:
            end = at + 3
            if path is not None:
                places = [self.module.file.parent / path]
            else:
                places = [self.folder / f"{name}.rs", self.folder / name / "mod.rs"]
            file = next((place for place in places if place.is_file()), None)
            if file is None:
                raise UnreadableError(f"{self.module.file}: mod {name} has no file")
            child = read_file(way, file)
        self.module.children[name] = child
        return end


def is_for_tests(attribute: list[Token]) -> bool:
    words = [token.text for token in attribute if token.kind == "name"]
    return words[:2] == ["cfg", "test"] or (
        words[:2] == ["cfg", "all"] and "test" in words and not {"any", "not"} & set(words)
    )


def branches(tree: list[str], before: Way = ()) -> list[tuple[Way, str]]:
    """Return the paths of a `use` tree, each with the name that it gives (`*` for all names)."""
    found = []
    at, way = 0, list(before)
    while at < len(tree):
        if tree[at] == "{":
            depth, start = 0, at + 1
            for here in range(at, len(tree)):
                depth += (tree[here] == "{") - (tree[here] == "}")
                if (tree[here] == "," and depth == 1) or depth == 0:
                    found += branches(tree[start:here], tuple(way)) if start < here else []
                    start = here + 1
            return found
        if tree[at] == "as":
            return [(tuple(way), tree[at + 1])]
        if tree[at] == "*":
            return [(tuple(way), "*")]
        if tree[at] == "self" and way:
            pass
        elif tree[at] != "::":
            way.append(tree[at])
        at += 1
    return [(tuple(way), way[-1])]


def read_file(way: Way, file: Path) -> Module:
    """Read a file and the modules that it declares."""
    module = Module(way, file)
    is_folders_own = file.name in {"lib.rs", "mod.rs", "main.rs"}
    folder = file.parent if is_folders_own else file.parent / file.stem
    Source(module, tokens_of(file.read_text(encoding="utf-8")), folder).read()
    return module
