"""The nodes of an execution trace of Chakra.

Their messages are described in et_def.proto (https://github.com/mlcommons/chakra, schema 0.0.4).
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from tcphoton.scenario import protobuf_wire
from tcphoton.scenario.table_rows import text_of
from tcphoton.scenario.topology_graph import fail

FORMS = (".et", ".json")
KINDS = (
    "INVALID_NODE", "METADATA_NODE", "MEM_LOAD_NODE", "MEM_STORE_NODE", "COMP_NODE",
    "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE", "STORAGE_NODE", "BATCH_NODE",
    "CHECKPOINT_NODE",
)  # fmt: skip
"""Kinds of nodes by their numbers (``NodeType`` of the schema)."""
BLANKS = re.compile(r"\s*")
SIGNED, UNSIGNED, ZIGZAG = (7, 9), (11, 13), (15, 17)
FIXED = {19: False, 21: False, 23: True, 25: True}
BOOL, BOOLS, TEXT = 27, 28, 29
"""The fields of the values of attributes that are read; of fixed ones, whether they have a sign."""


class Node(NamedTuple):
    """A node of a trace."""

    id: int
    name: str
    kind: str
    waits: list[int]
    micros: int
    said: dict[str, Any]


def nodes(file: str, data: bytes) -> list[Node]:
    """Return the nodes of a trace, without its metadata.

    Raises
    ------
    ScenarioError
        It is none.
    """
    if file.endswith(".json"):
        return _of_json(file, text_of(file, data))
    try:
        messages = list(protobuf_wire.delimited(data))
        return [_of_wire(protobuf_wire.fields(message)) for message in messages[1:]]
    except (ValueError, TypeError, IndexError) as error:
        accepted = "messages of et_def.proto, each after its length"
        fail(file, f"not an execution trace: {error}", accepted=accepted)


def _of_wire(fields: protobuf_wire.Fields) -> Node:
    """Return a node from the fields of the message ``Node``."""

    def one(number: int) -> int:
        values = protobuf_wire.numbers(fields.get(number, []))
        return values[-1] if values else 0

    waits = [number for field in (4, 5) for number in protobuf_wire.numbers(fields.get(field, []))]
    said = {}
    for each in fields.get(10, []):
        of = protobuf_wire.fields(protobuf_wire.part(each))
        said[_text(of.get(1, [b""])[-1])] = _value(of)
    return Node(one(1), _text(fields.get(2, [b""])[-1]), KINDS[one(3)], waits, one(7), said)


def _text(value: int | bytes) -> str:
    return protobuf_wire.part(value).decode()


def _value(fields: protobuf_wire.Fields) -> Any:
    """Return the value of an attribute: whole numbers, truth and texts; others are none."""
    for number, values in fields.items():
        value = values[-1]
        if isinstance(value, int):
            if number in SIGNED:
                return value - (1 << 64) if value >> 63 else value
            if number in UNSIGNED:
                return value
            if number in ZIGZAG:
                return value >> 1 ^ -(value & 1)
            if number == BOOL:
                return bool(value)
        elif number in FIXED:
            return int.from_bytes(value, "little", signed=FIXED[number])
        elif number == BOOLS:
            packed = protobuf_wire.fields(value).get(1, [])
            return [bool(each) for each in protobuf_wire.numbers(packed)]
        elif number == TEXT:
            return value.decode()
    return None


def _of_json(file: str, text: str) -> list[Node]:
    """Return the nodes of what Chakra's jsonizer writes: objects, that of metadata first."""
    decoder, at, found = json.JSONDecoder(), 0, []
    try:
        while (at := _after_blanks(text, at)) < len(text):
            value, at = decoder.raw_decode(text, at)
            found.append(value)
        return [_of_object(value) for value in found[1:]]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        line, accepted = text.count("\n", 0, at) + 1, "what Chakra's jsonizer writes"
        fail(file, f"not an execution trace: {error}", line=line, accepted=accepted)


def _after_blanks(text: str, at: int) -> int:
    found = BLANKS.match(text, at)
    return found.end() if found else at


def _of_object(value: dict[str, Any]) -> Node:
    said = {}
    for each in value.get("attr", []):
        of = [(key, inner) for key, inner in each.items() if key not in ("name", "docString")]
        for key, inner in of:
            if key.endswith("List"):
                said[each["name"]] = inner.get("values", [])
            else:
                is_number = re.fullmatch(r"(s|u)?int\d\dVal|s?fixed\d\dVal", key)
                said[each["name"]] = int(inner) if is_number else inner
    waits = [int(each) for name in ("ctrlDeps", "dataDeps") for each in value.get(name, [])]
    micros = int(value.get("durationMicros", 0))
    kind = str(value.get("type", KINDS[0]))
    return Node(int(value.get("id", 0)), str(value.get("name", "")), kind, waits, micros, said)
