"""The engine for browsers gives what the native one gives."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
import pytest

import fingerprints
import shares
import tcphoton as tp
import web_here
from tcphoton.errors import ScenarioError
from tcphoton.scenario import examples
from tcphoton.web import modules

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(web_here.MISSING), reason=web_here.MISSING)]

DIGESTS = """
const found = [];
const engine = await made();
for (const { seed, ...scenario } of given.value) {
  engine.ask({ verb: "load", ...scenario });
  engine.ask({ verb: "start", seed });
  found.push((await inSlices(engine, () => true)).report.digest);
}
told(found);
"""
TABLES = """
const engine = await made();
const { scenario, trace } = given.value;
const loaded = engine.ask({ verb: "load", ...scenario });
engine.ask(trace ? { verb: "trace", ...trace } : { verb: "start" });
let slices = 0;
const { tables, ...rest } = await inSlices(engine, () => (slices += 1));
const bytes = ({ buffer }) => Buffer.from(buffer).toString("base64");
const columns = (table) => [...table.columns.values()].map(({ values, ...rest }) => (
  { ...rest, bytes: bytes(values), kind: values.constructor.name }
));
const whole = [...tables.values()].map((table) => ({ name: table.name, columns: columns(table) }));
told({ loaded, slices, ...rest, tables: whole });
"""
ERRORS = """
const engine = await made();
const found = [];
for (const request of given.value) {
  try {
    found.push({ reply: engine.ask(request) });
  } catch ({ name, message }) {
    found.push({ name, message });
  }
}
told(found);
"""
KINDS = {"u64": "<u8", "f64": "<f8", "u32": "<u4"}


def digests(asked: list[dict[str, Any]]) -> list[str]:
    found: list[str] = web_here.run(DIGESTS, asked, "slices", "engine")
    return found


def same_tables(found: list[dict[str, Any]], native: list[Any]) -> None:
    assert [table["name"] for table in found] == [table.name for table in native]
    for table, ours in zip(found, native, strict=True):
        for column, own in zip(table["columns"], ours.columns, strict=True):
            told = [column[word] for word in ("name", "unit", "doc", "levels")]
            assert told == [own.name, own.unit, own.doc, own.levels]
            assert base64.b64decode(column["bytes"]) == own.data, (table["name"], own.name)


@pytest.mark.sampled
def test_the_digests_of_all_fingerprints_are_the_native_ones() -> None:
    rows = fingerprints.read()
    assert len(rows) > 70
    rows = [row for row in rows if shares.chosen(f"{row['scenario']} {row['settings']}")]
    asked = [{**web_here.asked(fingerprints.scenario(row)), "seed": row["seed"]} for row in rows]
    assert rows
    for row, found in zip(rows, digests(asked), strict=True):
        assert found == row["digest"], row


@pytest.mark.sampled
def test_the_digests_of_all_examples_are_the_native_ones() -> None:
    names = [name for name in examples.examples() if shares.chosen(name)]
    assert names
    found = digests([web_here.asked(tp.example(name)) for name in names])
    native = [tp.run(tp.example(name)).digest for name in names]
    assert dict(zip(names, found, strict=True)) == dict(zip(names, native, strict=True))


def test_a_report_and_its_tables_are_the_native_ones() -> None:
    scenario = tp.example("obs-burst-life").with_({"run.duration": "300 ms"})
    found = web_here.run(TABLES, {"scenario": web_here.asked(scenario)}, "slices", "engine")
    native = scenario.checked().run(1)
    assert found["slices"] > 1
    whole = json.loads(native.json)
    assert found["report"] == whole
    same_tables(found["tables"], native.tables)


def test_a_trace_is_the_native_one() -> None:
    scenario = tp.example("obs-burst-life").with_({"run.duration": "300 ms"})
    trace = {"from": "100 ms", "to": "120 ms", "limit": 5_000, "counters": True}
    asked = {"scenario": web_here.asked(scenario), "trace": trace}
    found = web_here.run(TABLES, asked, "slices", "engine")
    native = scenario.checked().trace(1, start="100 ms", stop="120 ms", limit=5_000, counters=True)
    assert [int(found["from"]), int(found["to"])] == [native.start, native.stop]
    assert {len(np.frombuffer(t.columns[0].data)) > 0 for t in native.tables} == {True}
    same_tables(found["tables"], native.tables)


def test_errors_are_those_of_check() -> None:
    text = '[run]\nduration = "1 parsec"\nseeed = 3\n'
    wrong = tp.Scenario.from_text(text, "mine.toml")
    with pytest.raises(ScenarioError) as native:
        wrong.checked()
    (found,) = web_here.run(ERRORS, [{"verb": "load", **web_here.asked(wrong)}], "engine")
    assert found["name"] == "ScenarioError"
    assert found["message"].splitlines() == [str(each) for each in native.value.mistakes]


def test_what_cannot_be_answered_is_refused_in_words() -> None:
    flows = """
        [[traffic]]
        from = "a"
        to = "b"
        count = 1_000_000
        transport = { kind = "tcp" }
        source = { kind = "bulk" }
    """
    large = tp.Scenario.from_text(tp.example("mm1").text + 2 * flows)
    program = tp.example("own-congestion-control")
    loaded = {"verb": "load", **web_here.asked(program)}
    found = web_here.run(
        ERRORS,
        [
            {"verb": "start"},
            {"verb": "advance", "events": 1},
            {"verb": "report"},
            {"verb": "fly"},
            {"verb": "start", "seed": 1},
            loaded,
            {"verb": "start", "seed": "-1"},
            {"verb": "trace", "limit": 10, "from": "9 h", "nodes": ["nobody"]},
            {"verb": "trace", "limit": 2**53 - 1},
            {"verb": "start", "seed": str(2**64 - 1)},
            {"verb": "advance", "events": 1},
            {"verb": "load", **web_here.asked(large)},
            {"verb": "start"},
        ],
        "engine",
    )
    told = [each.get("message", "") for each in found]
    assert told[0] == "no scenario is loaded"
    assert told[1] == told[2] == "no run is set up"
    assert "unknown variant `fly`" in told[3]
    assert "invalid type: integer" in told[4]
    assert told[6] == "seed: not a seed; found -1; accepted 0 to 18446744073709551615"
    assert "--from 9 h" in told[7]
    assert "--node nobody" in told[7]
    assert "too much memory" in told[8]
    assert found[9]["reply"] == {}
    assert found[10]["reply"]["over"] is False
    assert "digest" in found[11]["reply"], found[11]
    assert "too much memory" in told[12], told[12]


def test_an_engine_without_memory_says_so_and_answers_nothing_more() -> None:
    main = """
    const engine = await made();
    const about = { verb: "about" };
    const version = engine.ask(about).version;
    const found = [];
    const { memory, tcphoton_input } = engine.verbs;
    memory.grow(65_000 - memory.buffer.byteLength / 65_536);
    try { tcphoton_input(1e9); } catch { found.push("ended"); }
    for (const _ of [1, 2]) try { engine.ask(about); } catch ({ message }) { found.push(message); }
    told({ version, found });
    """
    found = web_here.run(main, None, "engine")
    assert found["version"] == tp.__version__
    assert found["found"][0] == "ended"
    assert all("out of memory: cannot allocate" in words for words in found["found"][1:])


def test_whole_numbers_that_are_missing_are_not_numbers() -> None:
    main = """
    const values = BigUint64Array.of(0n, 7n, 2n ** 64n - 1n);
    const names = { values: Uint32Array.of(1, 0), levels: ["a", "b"] };
    told([[...numbers({ values })].map(String), texts(names)]);
    """
    assert web_here.run(main, None, "tables") == [["0", "7", "NaN"], ["b", "a"]]


def test_slices_follow_the_speed() -> None:
    main = "told(given.value.map((each) => nextSlice(...each)));"
    given = [[10_000, 10], [10_000, 30], [10_000, 60], [10_000, 900], [1, 900]]
    assert web_here.run(main, given, "slices") == [20_000, 10_000, 5_000, 2_500, 1]


def test_modules_of_another_form_are_not_joined() -> None:
    text = modules.joined("worker", "session")
    assert text.count("class Engine {") == 1
    assert not modules.OTHER.search(text)
    assert text.index("class Engine {") < text.index("async function inSlices")
