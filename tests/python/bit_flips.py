"""Bits that flip in a folder of results, one at a time: what comes of each.

`outcomes` does it in a process of its own, because a library that reads damaged bytes may take its
process with it. Each flip is printed before it is looked at.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import tcphoton as tp
from tcphoton.errors import DamageWarning, OutputError
from tcphoton.sweep import folder as sweep_folder

SAME, TOLD, SILENT = "the same", "told", "another result without a word"
ENDINGS = {".json", ".parquet"}
"""Files with checksums."""


def look(folder: Path) -> Any:
    """Return what a folder of a sweep or a run says, in a form that can be compared."""
    if (folder / "report.json").exists():
        report = tp.Report.load(folder)
        return report.record, {
            name: table.to_dict(as_series=False) for name, table in report.tables.items()
        }
    kept = sweep_folder.read(folder)
    found = [kept.title, kept.axes, kept.missing, kept.table.to_dicts()]
    tables = sweep_folder.asked_of(folder).keep
    found += [sweep_folder.read(folder, table=name).table.to_dicts() for name in tables]
    return [*found, tp.scan(folder).collect().to_dicts()]


def flip(data: bytes, dice: random.Random) -> bytes:
    """Return bytes of which one bit is another one."""
    bit = dice.randrange(8 * len(data))
    hurt = bytearray(data)
    hurt[bit // 8] ^= 1 << bit % 8
    return bytes(hurt)


def outcomes(folder: Path, flips: int, seed: int) -> Counter[str]:
    """Flip bits one at a time in the files of a folder, and return what came of how many.

    Raises
    ------
    AssertionError
        A flip ended the process: the message names it.
    """
    paths = [str(Path(tp.__file__).parents[1]), str(Path(__file__).parent)]
    program = (
        f"import sys; sys.path[:0] = {paths!r}; import bit_flips; bit_flips.main(sys.argv[1:])"
    )
    words = [sys.executable, "-c", program, str(folder), str(flips), str(seed)]
    done = subprocess.run(
        words, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:], done.stdout[-200:])
    return Counter(json.loads(done.stdout.splitlines()[-1]))


def main(words: list[str]) -> None:
    """Flip bits in this process."""
    folder, flips, seed = Path(words[0]), int(words[1]), int(words[2])
    dice = random.Random(seed)
    files = sorted(
        each for each in folder.rglob("*") if each.suffix in ENDINGS and each.stem != "results"
    )
    whole, found = look(folder), Counter[str]()
    for number in range(flips):
        # Large files have more bits to lose.
        (file,) = dice.choices(files, [each.stat().st_size for each in files])
        data = file.read_bytes()
        hurt = flip(data, dice)
        sys.stdout.write(f"{number}: {file}\n")
        sys.stdout.flush()
        file.write_bytes(hurt)
        found[_outcome(folder, whole)] += 1
        file.write_bytes(data)
    sys.stdout.write(json.dumps(found) + "\n")


def _outcome(folder: Path, whole: Any) -> str:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            now = look(folder)
        except OutputError:
            return TOLD
    if any(issubclass(each.category, DamageWarning) for each in told):
        return TOLD
    return SAME if now == whole else SILENT
