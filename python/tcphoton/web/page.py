"""A page with the player and one recording in it: a file that works offline in any browser."""

from __future__ import annotations

import base64
import hashlib
import json
from importlib import resources
from typing import TYPE_CHECKING

from tcphoton.web.modules import joined

if TYPE_CHECKING:
    import jinja2

PACKAGE = "tcphoton.web"


def player_page(recording: bytes, title: str, about: str) -> str:
    """Return a page that plays a recording; its policy allows its own script, and no network."""
    script = f"\n{joined('player/page')}"
    policy = (
        f"default-src 'none'; script-src '{digest_of(script)}'; style-src 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'"
    )
    template = environment("player").get_template("page.html")
    text = template.render(
        title=title,
        about=about,
        policy=policy,
        style=styles(),
        recording=base64.b64encode(recording).decode(),
        script=script,
    )
    return f"{text.strip()}\n"


def environment(folder: str) -> jinja2.Environment:
    """Return what fills the templates of a folder in; texts are escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader(PACKAGE, folder)
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined)


def digest_of(script: str) -> str:
    """Return what a policy names a script by."""
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"


def embedded(value: object) -> str:
    """Return a value as JSON that cannot end a script element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def styles(*names: str) -> str:
    """Return the style sheets of the player and others, one after the other."""
    every = ("colours.css", *names, "player/player.css")
    return "\n".join(
        resources.files(PACKAGE).joinpath(*name.split("/")).read_text("utf-8") for name in every
    )
