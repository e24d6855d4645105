"""``python -m builder OUT``: build the site into a folder; any warning is an error.

With ``--unexecuted`` notebooks are not run, and show what was kept of them: no outputs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from builder.staging import STUDIO, stage
from tcphoton.pages.page import vega
from tcphoton.scenario.examples import example, examples
from tcphoton.web.live import scripts
from tcphoton.web.studio import studio_page


def main(out: Path, *, execute: bool = True) -> int:
    """Build the site and return the exit code of Sphinx."""
    with tempfile.TemporaryDirectory() as folder:
        pages = Path(folder, "pages")
        stage(pages)
        return build(pages, out, execute=execute)


def build(pages: Path, out: Path, *, execute: bool = True) -> int:
    """Make a site of a folder of pages, replacing `out`, and return the exit code."""
    if out.exists():
        shutil.rmtree(out)
    with tempfile.TemporaryDirectory() as work:
        command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--quiet"]
        command += ["-c", str(Path(__file__).parent), "-d", f"{work}/doctrees"]
        command += [] if execute else ["-D", "nb_execution_mode=off"]
        env = _environment(Path(work, "ipython"))
        done = subprocess.run([*command, str(pages), str(out)], env=env, check=False)
    if done.returncode == 0:
        _add_engine(out)
    return done.returncode


def _add_engine(out: Path) -> None:
    """Write what runs in the site: the scripts of its figures, and the studio."""
    for name, text in (scripts(vega()) or {}).items():
        (out / "_static" / name).write_text(text, "utf-8")
    known = {name: (title, example(name).text) for name, title in examples().items()}
    if page := studio_page(known, vega()):
        (out / STUDIO).write_text(page, "utf-8")


def _environment(profile: Path) -> dict[str, str]:
    """Return the environment of Sphinx: notebook kernels do not use the user's settings."""
    settings = profile / "profile_default" / "ipython_kernel_config.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"IPKernelApp": {"log_level": 40}}', "utf-8")
    paths = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    return {
        **os.environ,
        "IPYTHONDIR": str(profile),
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
    }


if __name__ == "__main__":
    *options, folder = sys.argv[1:] or ["--help"]
    if options not in ([], ["--unexecuted"]) or folder.startswith("-"):
        sys.exit("usage: python -m builder [--unexecuted] OUT")
    sys.exit(main(Path(folder), execute=not options))
