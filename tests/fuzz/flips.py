"""The part `flips`: a bit that turns in a kept file is noticed, or nothing read changes."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any, ClassVar

from fuzz.desk import Part
from fuzz.studies import contents, made, readers, restored, sweep
from tcphoton.errors import DamageWarning, OutputError, ScenarioError

if TYPE_CHECKING:
    from pathlib import Path

    from fuzz.desk import Desk, Payload
    from fuzz.draw import Draw

__all__ = ["Flips"]

NAMED = (OutputError, ScenarioError, LookupError)
"""What a reader may raise: an error that names the folder."""
Values = dict[str, Any]


class Flips(Part):
    """Kept runs and reports with a bit that has turned."""

    name: ClassVar[str] = "flips"
    about: ClassVar[str] = "a bit that turns in a kept file is noticed or changes nothing"
    cases: ClassVar[int] = 600
    seconds: ClassVar[float] = 60.0
    memory: ClassVar[int] = 16 << 30

    def __init__(self) -> None:
        self._files: dict[str, bytes] = {}
        self._before: Values = {}

    def attack(self, draw: Draw, desk: Desk) -> None:
        """Turn a bit of one of the files, which ever is picked as likely as another."""
        self._prepare(desk)
        name = draw.pick(sorted(self._files))
        size = len(self._files[name])
        # The ends of a file say how the rest is to be read.
        near = draw.pick([size, min(size, 64), -min(size, 2000)])
        at = draw.below(near) if near > 0 else size - 1 - draw.below(-near)
        payload = {"file": name, "bit": at * 8 + draw.below(8)}
        desk.note(payload)
        self.judge(payload, desk)

    def _prepare(self, desk: Desk) -> Path:
        folder = made(desk.folder / "studies")
        if not self._files:
            self._files = contents(folder)
            self._before = {name: read() for name, read in readers(folder).items()}
        return folder

    def judge(self, payload: Payload, desk: Desk) -> None:
        """Turn the bit, read everything, sweep again, and turn it back."""
        folder = self._prepare(desk)
        name, bit = payload["file"], payload["bit"]
        data = bytearray(self._files[name])
        data[bit // 8] ^= 1 << bit % 8
        (folder / name).write_bytes(data)
        try:
            for reader, read in readers(folder).items():
                self._read(reader, read, name, desk)
            if name.startswith("sweep"):
                self._again(folder, name, desk)
        finally:
            restored(folder, self._files)

    def _read(self, reader: str, read: Any, name: str, desk: Desk) -> None:
        kind = name.rpartition(".")[2] if "points" not in name else "a piece"
        try:
            with warnings.catch_warnings(record=True) as noticed:
                warnings.simplefilter("always")
                found = read()
        except NAMED as error:
            desk.count("named")
            if "\n" in str(error).strip() or not str(error):
                desk.found(
                    "a damaged file is named in several lines", f"{reader}: {str(error)[:300]}"
                )
            return
        except BaseException as error:
            told = f"{reader}, {kind}: {type(error).__name__}: {str(error)[:200]}"
            desk.found("a damaged file raises what it must not", told)
            return
        if any(issubclass(each.category, DamageWarning) for each in noticed):
            desk.count("named")
        elif found == self._before[reader]:
            desk.count("nothing read differs")
        elif reader.startswith("results") and _has_fewer(found, self._before[reader]):
            desk.count("the run counts as missing")
        else:
            desk.found("a damaged file is read as something else", f"{reader}: {kind}")

    def _again(self, folder: Path, name: str, desk: Desk) -> None:
        """Sweep again: what is kept then is what was kept before."""
        try:
            sweep().run(folder / "sweep")
        except OutputError:
            desk.count("sweep refuses")
            return
        except BaseException as error:
            told = f"{name}: {type(error).__name__}: {str(error)[:200]}"
            desk.found("a damaged folder stops a sweep", told)
            return
        now = contents(folder)
        wrong = [each for each, data in self._files.items() if now.get(each) != data]
        if wrong and wrong != [name]:
            desk.found("results of a damaged folder differ", ", ".join(wrong))
        elif wrong:
            desk.count("stays as it is")


def _has_fewer(found: str, before: str) -> bool:
    """Tell whether a reading differs by rows that are missing, and says that they are."""
    less, whole = json.loads(found), json.loads(before)
    if not less or not isinstance(less[0], list) or len(less[0]) < 3:
        return False
    missing, rows, all_rows = less[0][2], less[1][1], whole[1][1]
    return bool(missing > whole[0][2] and set(rows) <= set(all_rows))
