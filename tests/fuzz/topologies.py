"""The part `topologies`: a graph's file is refused in one line, or gives a network that checks."""

from __future__ import annotations

import re
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from fuzz.checks import FILE
from fuzz.desk import Part
from fuzz.shrink import fewer_lines
from tcphoton import _core
from tcphoton.common import toml
from tcphoton.common.terminal import visible
from tcphoton.errors import EngineError, ScenarioError
from tcphoton.scenario.topologies import Options, load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fuzz.desk import Desk, Payload
    from fuzz.draw import Draw

__all__ = ["Topologies"]

DATA = Path(__file__).parents[1] / "data"
FILES = ("nsfnet.graphml", "three-cities.gml", "abilene.txt")
SNDLIB = """<?xml version="1.0" encoding="ISO-8859-1"?>
<network xmlns="http://sndlib.zib.de/network" version="1.0">
 <networkStructure>
  <nodes coordinatesType="geographical">
   <node id="A"><coordinates><x>8.5</x><y>47.4</y></coordinates></node>
   <node id="B"><coordinates><x>16.4</x><y>48.2</y></coordinates></node>
   <node id="C"><coordinates><x>2.3</x><y>48.9</y></coordinates></node>
  </nodes>
  <links>
   <link id="L1"><source>A</source><target>B</target></link>
   <link id="L2"><source>B</source><target>C</target></link>
  </links>
 </networkStructure>
</network>
"""
SPLINTERS = (
    "<", ">", "&", "&lt;", "]]>", "<!--", '"', "[", "]", "(", ")", "0", "-1", "1e999", "nan", "inf",
    "99999999999999999999", "\0", "\x1b[31m", "\u202e", "é", "graph [", "node [", "id 0", "label",
    "\n", "NODES (", "LINKS (", 'edgedefault="directed"', "multigraph 1", "&#0;", "&#x1b;",
    "A" * 200,
    '<!DOCTYPE a [<!ENTITY b "c">]>', "<!ENTITY % d SYSTEM 'file:///dev/zero'>", "1e-320", "0x10",
)  # fmt: skip
WORD = re.compile(r'"[^"\n]*"|[\w.:-]+|\s+|.', re.DOTALL)
SLOW = 5.0


class Topologies(Part):
    """Mutated files of graphs."""

    name: ClassVar[str] = "topologies"
    about: ClassVar[str] = "a graph's file is refused in one line, or gives a network that checks"
    cases: ClassVar[int] = 10_000
    seconds: ClassVar[float] = 15.0

    def attack(self, draw: Draw, desk: Desk) -> None:
        """Mutate a file and read it with some options."""
        text = draw.pick([SNDLIB, *(_text(name) for name in FILES)])
        for _ in range(draw.between(0, 5)):
            text = _mutated(text, draw)
        options = asdict(Options())
        for key, values in OPTIONS.items():
            if draw.chance(0.2):
                options[key] = draw.pick(values)
        payload = {"graph": text, "options": options}
        desk.note(payload)
        self.judge(payload, desk)

    def judge(self, payload: Payload, desk: Desk) -> None:
        """Read a file again."""
        path = desk.folder / "graph.txt"
        path.write_bytes(payload["graph"].encode("utf-8", "surrogateescape"))
        before = time.process_time()
        try:
            found = load(path, Options(**payload["options"]))
            printed = found.to_toml()
        except ScenarioError as error:
            desk.count("refused")
            _one_line(error, path, desk)
            return
        except BaseException as error:
            desk.found(f"a graph raises {type(error).__name__}", error)
            return
        finally:
            if time.process_time() - before > SLOW:
                desk.found("reading a graph is slow", f"{time.process_time() - before:.1f} s")
        desk.count("read")
        _checks(printed, found.topology, payload["options"], desk)

    def smaller(self, payload: Payload) -> Iterator[Payload]:
        """Return the file with fewer lines, and with the usual options."""
        usual = asdict(Options())
        for key, value in payload["options"].items():
            if value != usual[key]:
                yield {**payload, "options": {**payload["options"], key: usual[key]}}
        for text in fewer_lines(payload["graph"]):
            yield {**payload, "graph": text}


OPTIONS: dict[str, tuple[Any, ...]] = {
    "edges": (["0"], ["WA", "NY"], ["ATLAM5"], [], ["no such place"]),
    "electronic": (True,),
    "rate": ("1 Mb/s", "0 b/s", "", "1", "100 Tb/s", "1e9 Tb/s"),
    "channels": (1, 0, -1, 1024, 1025),
    "add_channels": (1, 0, 2000),
    "hosts": (1, 3, -1, 60_000),
    "access_rate": ("1 Mb/s", "1 B"),
    "access_delay": ("0 s", "-1 s", "2 h"),
    "delay_per_km": ("0 s", "1 h", "5 us"),
    "delay": ("0 s", "1 ms", "nan s"),
}


def _text(name: str) -> str:
    return (DATA / name).read_text("utf-8")


def _mutated(text: str, draw: Draw) -> str:
    words = WORD.findall(text) or [""]
    at, other = draw.below(len(words)), draw.below(len(words))
    match draw.below(6):
        case 0:
            words[at] = draw.pick(SPLINTERS)
        case 1:
            words[at], words[other] = words[other], words[at]
        case 2:
            del words[at : at + draw.between(1, 40)]
        case 3:
            words.insert(at, draw.pick(SPLINTERS))
        case 4:
            lines = text.splitlines(keepends=True) or [""]
            lines.insert(draw.below(len(lines)), draw.pick(lines))
            return "".join(lines)
        case _:
            words[at] = draw.pick(SPLINTERS) * draw.pick([1, 30, 5000])
    return "".join(words)


def _one_line(error: ScenarioError, path: Path, desk: Desk) -> None:
    # What a terminal shows of it: text is escaped where it is written.
    text = visible(str(error).replace(str(path), ""))
    if not text.strip() or len(text.splitlines()) > 1:
        desk.found("a refused graph whose mistake is no plain line", "")
    if len(text) > 4000:
        desk.found("a refused graph whose mistake is long", "")


def _checks(printed: str, topology: dict[str, Any], options: dict[str, Any], desk: Desk) -> None:
    """Check a scenario around what was read: its mistakes may be of the whole, not of its names."""
    text = f'[run]\nduration = "1 s"\n\n{printed}\n'
    if any(node["kind"] == "edge" for node in topology["nodes"]):
        text += '[assembly]\ntimeout = "1 ms"\n'
    text += TRAFFIC
    try:
        _core.load(FILE, text, [])
        again = _core.load(FILE, text.replace(printed, toml.dumps({"topology": topology})), [])
        del again
        desk.count("checks")
    except ScenarioError as error:
        mistakes = [each for each in error.mistakes if _is_of_names(each.key, each.problem)]
        if mistakes:
            desk.found("a read graph is no network", mistakes[0].text)
    except EngineError as error:
        desk.found("check panics over a read graph", error)
    del options


TRAFFIC = """
[[traffic]]
from = "*"
to = "*"
pattern = "all"
transport = { kind = "udp" }
source = { kind = "cbr", rate = "1 kb/s", packet = "100 B" }
"""


def _is_of_names(key: str, problem: str) -> bool:
    """Tell whether a mistake is of what the reader made: a part of TOML, a name, a double."""
    is_ours = not key or (key.startswith("topology") and key.endswith((".name", ".from", ".to")))
    return is_ours or "a second link" in problem or "a loop" in problem
