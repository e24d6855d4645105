"""The child process: it judges cases that it is told of, one after the other."""

from __future__ import annotations

import json
import os
import resource
import sys
import traceback
from typing import TYPE_CHECKING, Any

from fuzz.desk import Desk, Slate
from fuzz.draw import Draw

if TYPE_CHECKING:
    from pathlib import Path

    from fuzz.desk import Part

__all__ = ["serve"]


def serve(part: Part, folder: Path) -> None:
    """Answer requests of standard input, a line of JSON each, until there are no more.

    A request is ``{"seed": 1, "number": 5}``, a case to be made up, or ``{"payload": {…}}``, one
    that is there. Answers go to what standard output was; what a case prints goes to standard
    error.
    """
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    if part.memory:
        resource.setrlimit(resource.RLIMIT_AS, (part.memory, part.memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    slate = Slate(folder / "slate")
    for line in sys.stdin:
        request = json.loads(line)
        slate.wipe()
        desk = Desk(folder / "work", slate)
        _judge(part, request, desk)
        answer = {"facts": desk.facts, "findings": desk.findings}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def _judge(part: Part, request: dict[str, Any], desk: Desk) -> None:
    try:
        if "payload" in request:
            desk.note(request["payload"])
            part.judge(request["payload"], desk)
        else:
            part.attack(Draw(request["seed"], part.name, request["number"]), desk)
    except BaseException as error:
        told = "".join(traceback.format_exception(error)[-3:])
        desk.found(f"{type(error).__name__} in the attack itself", f"{error}\n{told}")
