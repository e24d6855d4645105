r"""All text goes to stdout and stderr through this module.

Titles, keys, values and file names may be untrusted, and a terminal interprets control characters:
an escape sequence clears the screen or sets its title, a carriage return overwrites text, a line
feed adds a line, and a bidirectional control reverses the order of the following text.
`visible` shows such characters as escapes. Messages and single lines are always escaped; whole
texts (CSV, TOML) are written unchanged to files and pipes, and escaped on a terminal.
"""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

CONTROLS = "\x00-\x1f\x7f-\x9f\u2028\u2029"
"""C0, DEL, C1, and the separators of lines and paragraphs."""

DIRECTIONS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""Bidirectional controls (Unicode Standard Annex 9, section 2)."""

BYTES = "\ud800-\udfff"
"""How Python represents bytes that are not UTF-8 (PEP 383), and other surrogates."""

FIRST_BYTE, LAST_BYTE, BYTE = 0xDC80, 0xDCFF, 0xFF

IN_LINES = re.compile(f"[{CONTROLS}{DIRECTIONS}{BYTES}]")
IN_TEXTS = re.compile(f"(?![\n\t])[{CONTROLS}{DIRECTIONS}{BYTES}]")
IN_JSON = re.compile(f"(?![\n])[{CONTROLS}{DIRECTIONS}{BYTES}]")
SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def visible(text: str, *, lines: bool = False) -> str:
    r"""Return a text whose control characters are escapes: nothing in it affects a terminal.

    Parameters
    ----------
    text
        Untrusted text.
    lines
        Whether line ends and tabs are kept.

    Examples
    --------
    >>> visible("red \x1b[31m\nand \u202eleft"), visible("caf\udce9")
    ('red \\x1b[31m\\nand \\u202eleft', 'caf\\xe9')
    """
    return (IN_TEXTS if lines else IN_LINES).sub(lambda found: _escape(found[0]), text)


def _escape(character: str) -> str:
    code = ord(character)
    if FIRST_BYTE <= code <= LAST_BYTE:
        code &= BYTE
    return SHORT.get(character) or (f"\\x{code:02x}" if code <= BYTE else f"\\u{code:04x}")


def say(message: str) -> None:
    """Write a message to stderr, in one line."""
    sys.stderr.write(f"{visible(message)}\n")
    sys.stderr.flush()


def put(line: str) -> None:
    """Write a line to stdout."""
    sys.stdout.write(f"{visible(line)}\n")


def put_text(text: str) -> None:
    """Write a text of many lines to stdout: unchanged, except on a terminal."""
    sys.stdout.write(visible(text, lines=True) if sys.stdout.isatty() else text)


def put_json(text: str) -> None:
    """Write JSON to stdout; control characters are written as equivalent JSON escapes."""
    sys.stdout.write(IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


@contextmanager
def bar(*columns: Any) -> Iterator[Any]:
    """Return a progress bar on stderr, a terminal; it is removed at the end."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        yield shown
