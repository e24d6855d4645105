"""What the player shows is what the trace says."""

from __future__ import annotations

import base64
import gzip
import random
import re
from itertools import count, islice
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import node_here
import shares
import tcphoton as tp
import web_here
from fuzz.checks import made_up
from fuzz.desk import Desk, Slate
from fuzz.draw import Draw
from tcphoton.errors import ProgramError, ScenarioError
from tcphoton.traces.recording import recording

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy.typing as npt

    from tcphoton.traces.trace import Trace

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(node_here.MISSING), reason=node_here.MISSING),
]

LOOKS = shares.few(1_000)
READ = """
const bytes = (text) => new Uint8Array(Buffer.from(text, "base64"));
const film = async (text) => {
  const { about, tables } = await read(bytes(text));
  return new Film(tables, about);
};
"""
SHOWN = """
const whole = await film(given.value.file);
const { hops, links } = whole;
const looks = given.value.times.map((time) => {
  const { wires, waits, dwells, headers, light } = whole.at(time);
  return {
    wires: wires.map((hop) => [
      hop, ...whole.span(hops.link[hop], hops.start[hop], hops.end[hop], time),
    ]),
    waits, dwells, headers, light,
  };
});
const { losses } = whole;
told({ looks, losses: losses.map(({ time, link, cause, hop }) => [time, link, cause, hop]) });
"""

SMALL = {
    "dumbbell": {"run.duration": "2 s", "run.warmup": "0 s"},
    "obs-burst-life": {"run.duration": "400 ms"},
    "ops-deflection": {},
    "hybrid-fat-tree": {},
    "tcp-lossy-path": {"run.duration": "3 s", "run.warmup": "0 s"},
    "link-failure": {},
}
LIMIT = 8_000
EVENTS = 20_000


def traced(name: str, seed: int = 1) -> Trace:
    return tp.trace(tp.example(name).with_(SMALL[name]), seed, limit=LIMIT, counters=True)


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def shown(trace: Trace, times: list[int]) -> dict[str, Any]:
    given = {"file": encoded(recording(trace)), "times": times}
    found: dict[str, Any] = web_here.run(
        f"{READ}\n{SHOWN}", given, "player/recording", "player/film"
    )
    return found


class Wires:
    """What is on wires by the rows of a trace: their words, and no others'."""

    def __init__(self, trace: Trace) -> None:
        def instants(name: str) -> npt.NDArray[np.float64]:
            return trace.hops[name].cast(pl.Float64).fill_null(np.inf).to_numpy()

        self.start, self.end, self.lost = map(instants, ("start", "end", "lost"))
        self.delay = trace.links["delay"].to_numpy()[trace.hops["link"].to_numpy()]

    def at(self, time: int) -> dict[int, tuple[float, float]]:
        """Return how far the first and the last bit of rows have come at an instant."""
        there = (self.start <= time) & (time < self.lost) & (time < self.end + self.delay)
        (rows,) = there.nonzero()
        start, end, delay = self.start[rows], self.end[rows], self.delay[rows]
        with np.errstate(divide="ignore", invalid="ignore"):
            head = np.where(delay == 0, 1, np.minimum(1, (time - start) / delay))
            tail = np.where(end <= time, (time - end) / delay, 0)
        return {int(row): (a, b) for row, a, b in zip(rows, head, tail, strict=True)}


@pytest.mark.sampled
@pytest.mark.parametrize("name", SMALL)
def test_what_is_on_wires_is_what_the_rows_say(name: str) -> None:
    trace = traced(name)
    times = random.Random(name).sample(range(trace.start, trace.cut or trace.stop), LOOKS)
    looks = shown(trace, times)["looks"]
    wires = Wires(trace)
    seen = 0
    for time, look in zip(times, looks, strict=True):
        expected = wires.at(time)
        found = {hop: span for hop, *span in look["wires"]}
        assert sorted(found) == list(expected)
        assert np.allclose([found[hop] for hop in expected], list(expected.values()), atol=1e-12)
        seen += len(found)
    assert seen > LOOKS / 20


def waiting(trace: Trace, time: int) -> set[int]:
    """The rows of packets that wait for an electronic link at an instant."""
    rows = trace.hops.with_row_index("row").filter(trace.hops["burst"].is_null())
    left = rows["start"].fill_null(2**63).to_list()
    lost = rows["lost"].fill_null(2**63).to_list()
    offered = rows["offered"].to_list()
    ends = map(min, left, lost)
    return {
        row
        for row, since, until in zip(rows["row"], offered, ends, strict=True)
        if since <= time < until
    }


@pytest.mark.parametrize("name", ["dumbbell", "tcp-lossy-path", "link-failure"])
def test_what_waits_is_what_the_rows_say(name: str) -> None:
    trace = traced(name)
    times = random.Random(name).sample(range(trace.start, trace.cut or trace.stop), 100)
    for time, look in zip(times, shown(trace, times)["looks"], strict=True):
        assert set(look["waits"]) == waiting(trace, time)


@pytest.mark.sampled
def test_bursts_and_their_headers_are_where_the_reservations_say() -> None:
    trace = traced("obs-burst-life")
    times = random.Random(2).sample(range(trace.start, trace.stop), LOOKS)
    delay = dict(trace.links.select("link", "delay").iter_rows())
    rows = list(enumerate(trace.reservations.iter_rows(named=True)))

    def pico(seconds: float) -> int:
        return round(seconds * 1e12)

    seen = 0
    for time, look in zip(times, shown(trace, times)["looks"], strict=True):
        light = [
            at
            for at, row in rows
            if row["outcome"] == "granted"
            and pico(row["start"]) <= time < pico(row["end"]) + delay[row["link"]]
        ]
        headers = [
            at
            for at, row in rows
            if row["header-sent"] is not None
            and pico(row["header-sent"]) <= time < pico(row["header-sent"]) + delay[row["link"]]
        ]
        assert sorted(look["light"]) == light
        assert sorted(look["headers"]) == headers
        seen += len(light) * len(headers)
    assert seen > LOOKS / 20


def lossy(tmp_path: Path) -> Iterator[Trace]:
    """Traces of made-up scenarios that lose something."""
    desk = Desk(tmp_path, Slate(tmp_path / "slate"))
    for number in count():
        made = made_up(Draw(1, "player", number), desk, EVENTS)
        if made is None:
            continue
        try:
            trace = tp.trace(tp.Scenario.from_text(made[0]), limit=LIMIT)
        except (ScenarioError, ProgramError):
            continue  # nothing was offered to any link, or a program of its own cannot go on
        if trace.hops["lost"].count() > 0:
            yield trace


TIMELINE = """
const found = [];
for (const file of given.value) {
  const { losses, start, stop } = await film(file);
  const bins = binned(losses, start, stop, 777);
  found.push({
    losses: losses.map(({ time, link, cause, hop }) => [time, link, cause, hop]),
    marks: bins.reduce((sum, each) => sum + each, 0),
    places: losses.every(({ time }) => bins[Math.min(776, Math.floor(
      ((time - start) / (stop - start || 1)) * 777))] > 0),
  });
}
told(found);
"""


def test_every_loss_of_ten_random_scenarios_is_on_the_timeline(tmp_path: Path) -> None:
    traces = list(islice(lossy(tmp_path), 10))
    files = [encoded(recording(trace)) for trace in traces]
    modules = ("player/recording", "player/film", "player/strips")
    found = web_here.run(f"{READ}\n{TIMELINE}", files, *modules)
    for trace, told in zip(traces, found, strict=True):
        lost: pl.DataFrame = trace.hops.with_row_index("row").drop_nulls("lost")
        columns = lost.select("lost", "link", "cause", "row")
        assert sorted(map(tuple, told["losses"])) == sorted(columns.rows())
        assert told["marks"] == lost.height
        assert told["places"]


def test_a_step_goes_from_event_to_event() -> None:
    trace = traced("dumbbell")
    main = """
    const whole = await film(given.value);
    const found = [];
    let time = whole.start - 1;
    while (found.length < 40) found.push((time = whole.step(time, 1)));
    const back = [];
    for (const _ of found) back.push((time = whole.step(time, -1)));
    told({ found, back, last: whole.step(whole.stop, 1) });
    """
    file = encoded(recording(trace))
    steps = web_here.run(f"{READ}\n{main}", file, "player/recording", "player/film")
    columns = ["offered", "start", "end", "arrived", "lost"]
    instants = {time for name in columns for time in trace.hops[name].drop_nulls().to_list()}
    expected = sorted(time for time in instants if trace.start <= time)[:40]
    assert steps["found"] == expected
    assert steps["back"] == [*reversed(expected[:-1]), None]
    assert steps["last"] is None


def test_a_recording_has_the_numbers_of_the_trace() -> None:
    trace = traced("obs-burst-life")
    main = """
    const { about, tables } = await read(bytes(given.value));
    const { tables: _, ...rest } = about;
    const plain = ({ levels, values }) => [...values].map((at) => levels ? levels[at] : at);
    told({ rest, tables: [...tables.values()].map(({ name, columns }) => [
      name, [...columns.values()].map((column) => [column.name, plain(column)]),
    ]) });
    """
    file = encoded(recording(trace))
    found = web_here.run(f"{READ}\n{main}", file, "player/recording", "player/film")
    assert found["rest"]["seed"] == "1"
    assert found["rest"]["start"] == trace.start
    assert {name for name, _ in found["tables"]} >= {"hops", "bursts", "reservations", "series"}
    for name, columns in found["tables"]:
        for column, values in columns:
            own = getattr(trace, name)[column]
            own = (
                own.fill_null("")
                if own.dtype == pl.String
                else own.fill_nan(None)
                if own.dtype.is_float()
                else own
            )
            assert values == own.to_list(), (name, column)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda whole: b"", "damaged, or not a recording"),
        (lambda whole: b"<html>", "damaged, or not a recording"),
        (lambda whole: gzip.compress(b"tcphoton player 2\n" + bytes(100)), "of another version"),
        (lambda whole: gzip.compress(b"tcphoton player 1\n" + bytes(4)), "its head cannot be read"),
        (lambda whole: whole[: len(whole) // 2], "damaged, or not a recording"),
        (lambda whole: gzip.compress(gzip.decompress(whole)[:-8]), "it ends too early"),
        (lambda whole: gzip.compress(gzip.decompress(whole) + b"1"), "it goes on after its end"),
        (
            lambda whole: gzip.compress(
                re.sub(rb'"rows": \d', b'"rows": 9', gzip.decompress(whole))
            ),
            "damaged",
        ),
        (
            lambda whole: gzip.compress(
                gzip.decompress(whole).replace(b'"rows": ', b'"rows":-', 1)
            ),
            "its head has no tables",
        ),
    ],
)
def test_a_damaged_recording_is_refused_in_words(change: Any, message: str) -> None:
    whole = recording(traced("dumbbell"))
    main = """
    const failed = ({ name, message }) => `${name}: ${message}`;
    told(await read(bytes(given.value)).then(() => "read", failed));
    """
    found = web_here.run(
        f"{READ}\n{main}", encoded(change(whole)), "player/recording", "player/film"
    )
    assert found.startswith("RecordingError: ")
    assert message in found
