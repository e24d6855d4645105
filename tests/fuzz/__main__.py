"""The command of the attack: ``python -m fuzz``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from fuzz import coverage
from fuzz.campaign import attack, replayed
from fuzz.child import serve
from fuzz.parts import ALL, PARTS


def main() -> int:
    """Attack, or judge one case again; 1 where something was found."""
    options = _options()
    if options.child:
        serve(ALL[options.child[0]], Path(options.child[1]))
        return 0
    if options.replay and Path(options.replay).parts[-3:-2] == ("artifacts",):
        return coverage.again(Path(options.replay))
    if options.replay:
        outcome = replayed(PARTS, options.replay)
        for failure in outcome.failures:
            _say(f"{failure.finding.title}: {failure.finding.detail}")
        _say(outcome.line())
        return bool(outcome.failures)
    known = [*PARTS, coverage.NAME]
    names = options.parts.split(",") if options.parts else known
    unknown = [name for name in names if name not in known]
    if unknown:
        _say(f"no part is called {unknown[0]!r}: there are {', '.join(known)}")
        return 2
    seconds = 60.0 * options.minutes / len(names) if options.minutes else float("inf")
    _say(f"seed {options.seed}")
    found = 0
    for name in names:
        if name == coverage.NAME:
            found += not coverage.lead(seconds, options.seed)
            continue
        numbers = range(options.first, options.first + _cases(name, options))
        save = Path(options.out)
        outcome = attack(PARTS[name], options.seed, numbers, seconds=seconds, save=save, loud=True)
        _say(("\r\x1b[K" if sys.stdout.isatty() else "") + outcome.line())
        found += len(outcome.failures)
    return bool(found)


def _cases(name: str, options: argparse.Namespace) -> int:
    """Return how many cases of a part are wanted: those given, or as many as take a minute."""
    if options.cases:
        return int(options.cases)
    return 10**12 if options.minutes else PARTS[name].cases


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="fuzz", description="Attack tcphoton.")
    parts = "; ".join(f"{name}: {part.about}" for name, part in PARTS.items())
    parts += f"; {coverage.NAME}: {coverage.ABOUT}"
    parser.add_argument("--parts", default="", help=f"some of them, by commas: {parts}")
    parser.add_argument("--cases", type=int, default=0, help="cases of each part")
    parser.add_argument("--minutes", type=float, default=0.0, help="minutes in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--out", default="out/fuzz", help="folder for failures")
    parser.add_argument("--replay", default="", help="a file of --out, or PART:SEED:NUMBER")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    return parser.parse_args()


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
