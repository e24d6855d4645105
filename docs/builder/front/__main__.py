"""``python -m builder.front OUT``: write the front page and its picture into a folder."""

from __future__ import annotations

import sys
from pathlib import Path

from builder.front import front_page, social_image

if __name__ == "__main__":
    if len(sys.argv) != 2:  # noqa: PLR2004
        sys.exit("usage: python -m builder.front OUT")
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    (out / "index.html").write_text(front_page(), "utf-8")
    (out / "social.png").write_bytes(social_image())
