"""The studio: one page with the engine for browsers, an editor, the player and the results."""

from __future__ import annotations

import base64
import json
import zlib
from typing import TYPE_CHECKING

from tcphoton import _core
from tcphoton.web.modules import engine, joined
from tcphoton.web.page import digest_of, embedded, environment, styles

if TYPE_CHECKING:
    from collections.abc import Mapping

FIRST = "obs-three-nodes"
"""The example that is open at first."""


def studio_page(examples: Mapping[str, tuple[str, str]], vega: str) -> str | None:
    """Return the studio as a page that works offline; nothing where the engine was not built.

    Parameters
    ----------
    examples
        The title and the text of each example, by name.
    vega
        The script that draws figures.
    """
    code = engine()
    if code is None:
        return None
    listed = [
        {"name": name, "title": title, "text": text} for name, (title, text) in examples.items()
    ]
    given = {"examples": listed, "first": FIRST, "worker": joined("worker")}
    script = f"\n{joined('studio/studio')}"
    policy = (
        f"default-src 'none'; script-src '{digest_of(vega)}' '{digest_of(script)}' blob: "
        "'wasm-unsafe-eval'; worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    text = (
        environment("studio")
        .get_template("page.html")
        .render(
            policy=policy,
            style=styles("studio/studio.css"),
            given=embedded(given),
            engine=code,
            vega=vega,
            script=script,
            about=f"tcphoton {_core.__version__}, results revision {_core.results_revision()}.",
        )
    )
    return f"{text.strip()}\n"


def fragment_of(text: str) -> str:
    """Return the fragment of an address that opens the studio with a scenario.

    Examples
    --------
    >>> fragment_of("").startswith("s=")
    True
    """
    kept = json.dumps({"text": text, "values": []}, ensure_ascii=False, separators=(",", ":"))
    # Raw deflate, which browsers read: no header, no checksum.
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = packer.compress(kept.encode()) + packer.flush()
    return f"s={base64.urlsafe_b64encode(packed).decode().rstrip('=')}"
