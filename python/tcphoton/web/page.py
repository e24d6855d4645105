"""A page with the player and one recording in it: a file that works offline in any browser."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources

from tcphoton.web.modules import joined

__all__ = ["player_page"]

PACKAGE = "tcphoton.web"


def player_page(recording: bytes, title: str, about: str) -> str:
    """Return a page that plays a recording; its policy allows its own script, and no network."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader(PACKAGE, "player"), autoescape=True, undefined=StrictUndefined
    )
    script = f"\n{joined('player/page')}"
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'"
    )
    text = environment.get_template("page.html").render(
        title=title,
        about=about,
        policy=policy,
        style=_text("player.css"),
        recording=base64.b64encode(recording).decode(),
        script=script,
    )
    return f"{text.strip()}\n"


def _text(name: str) -> str:
    return (resources.files(PACKAGE) / "player" / name).read_text("utf-8")
