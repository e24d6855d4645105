"""Links of pages: a link to a file of the repository becomes a link to its page of the site."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ROOT", "BrokenLinkError", "Places", "outside_code", "way"]

ROOT = Path(__file__).parents[2]
"""The repository."""
BLOCK = re.compile(r"^(`{3,}|~{3,}).*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?P<image>!?)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<to>[^)\s]+)\)")
ELSEWHERE = ("http://", "https://", "mailto:")


class BrokenLinkError(Exception):
    """A link to a file that does not exist."""


@dataclass
class Places:
    """The places of the repository's files in the site.

    Attributes
    ----------
    places
        The place in the site of each file, relative to the site's root; with an anchor where the
        file is a part of a page.
    """

    places: dict[Path, str] = field(default_factory=dict)

    def rewritten(self, text: str, source: Path, at: str) -> str:
        """Return a page's text with its links adapted to the site.

        A link to a file that the site does not have is replaced by the file's name.

        Parameters
        ----------
        text
            The page.
        source
            Its file in the repository.
        at
            Its place in the site.

        Raises
        ------
        BrokenLinkError
            A link's target does not exist.
        """

        def replace(match: re.Match[str]) -> str:
            path, _, anchor = match["to"].partition("#")
            if not path or match["to"].startswith(ELSEWHERE):
                return match[0]
            file = Path(os.path.normpath(source.parent / path))
            place = self.places.get(file)
            if not file.exists() or (place is None and match["image"]):
                raise BrokenLinkError(f"{source}: {match[0]} has no target in the site")
            if place is None:
                return f"{match['text']} (`{os.path.relpath(file, ROOT)}`)"
            page, _, part = place.partition("#")
            anchor = anchor or part
            to = way(page, at) + (f"#{anchor}" if anchor else "")
            return f"{match['image']}[{match['text']}]({to})"

        return outside_code(text, lambda part: LINK.sub(replace, part))


def way(to: str, at: str) -> str:
    """Return the relative path to a place in the site from a page of it.

    Examples
    --------
    >>> way("images/demo.png", "guides/sweeps.md")
    '../images/demo.png'
    """
    return os.path.relpath(to, PurePosixPath(at).parent).replace(os.sep, "/")


def outside_code(text: str, change: Callable[[str], str]) -> str:
    r"""Return a page's text with a change made to all of it except code blocks.

    Examples
    --------
    >>> outside_code("a\n```sh\na\n```\na", str.upper)
    'A\n```sh\na\n```\nA'
    """
    done, at = [], 0
    for match in BLOCK.finditer(text):
        done += [change(text[at : match.start()]), match[0]]
        at = match.end()
    return "".join([*done, change(text[at:])])
