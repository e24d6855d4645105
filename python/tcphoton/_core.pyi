"""The compiled part of tcphoton; `tests/python` checks this file against the binary."""

import os
from collections.abc import Callable, Sequence
from typing import Any, final

from tcphoton.errors import Mistake

__all__ = [
    "Checked",
    "Column",
    "Document",
    "Outcome",
    "Sweep",
    "Table",
    "Trace",
    "__version__",
    "bench",
    "collective",
    "explicit",
    "is_sweep",
    "load",
    "load_document",
    "load_sweep",
    "paper_reference",
    "paper_schema",
    "read",
    "reference",
    "references",
    "results_revision",
    "schema",
    "sweep_reference",
    "sweep_references",
    "sweep_schema",
    "workloads",
]

__version__: str

_File = tuple[str, str, str, str | None, tuple[int | None, str, str, str] | None, str]

@final
class Column:
    @property
    def name(self) -> str: ...
    @property
    def unit(self) -> str: ...
    @property
    def doc(self) -> str: ...
    @property
    def dtype(self) -> str: ...
    @property
    def data(self) -> bytes: ...
    @property
    def levels(self) -> list[str] | None: ...

@final
class Table:
    @property
    def name(self) -> str: ...
    @property
    def columns(self) -> list[Column]: ...

@final
class Document:
    def content(self) -> str: ...
    def line(self, keys: Sequence[str]) -> int | None: ...

@final
class Outcome:
    @property
    def json(self) -> str: ...
    @property
    def tables(self) -> list[Table]: ...
    @property
    def wall_seconds(self) -> float: ...
    @property
    def cpu_seconds(self) -> float: ...

@final
class Trace:
    @property
    def tables(self) -> list[Table]: ...
    @property
    def start(self) -> int: ...
    @property
    def stop(self) -> int: ...
    @property
    def cut(self) -> int | None: ...

@final
class Checked:
    @property
    def digest(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def warnings(self) -> list[Mistake]: ...
    def memory(self) -> int: ...
    def canonical(self) -> str: ...
    def show(self) -> str: ...
    def run(
        self,
        seed: int,
        progress: Callable[[float, float, int], Any] | None = None,
        flows: Callable[[Table], Any] | None = None,
        memory: int | None = None,
    ) -> Outcome: ...
    def trace(
        self,
        seed: int,
        *,
        start: str | None = None,
        stop: str | None = None,
        flows: Sequence[int] = ...,
        nodes: Sequence[str] = ...,
        limit: int = 1_000_000,
        counters: bool = False,
        progress: Callable[[float, float, int], Any] | None = None,
    ) -> Trace: ...

@final
class Sweep:
    @property
    def points(self) -> int: ...
    def definition(self) -> str: ...
    def point(self, at: int) -> Checked: ...
    def digests(self, seconds: float | None = None) -> list[str]: ...

def read(path: str | os.PathLike[str]) -> tuple[str, str]: ...
def references(
    file: str, text: str, overrides: Sequence[tuple[str, str]]
) -> list[tuple[str, str, str, str]]: ...
def sweep_references(
    file: str, text: str, base: tuple[str, str, Sequence[tuple[str, str]]] | None = None
) -> list[tuple[str, str, str, str]]: ...
def explicit(text: str, files: Sequence[_File]) -> str: ...
def load(
    file: str,
    text: str,
    overrides: Sequence[tuple[str, str]],
    files: Sequence[_File] = ...,
) -> Checked: ...
def load_sweep(
    file: str,
    text: str,
    base: tuple[str, str, Sequence[tuple[str, str]]] | None = None,
    drawn: Sequence[Sequence[float]] | None = None,
    files: Sequence[_File] = ...,
) -> Sweep: ...
def is_sweep(text: str) -> bool: ...
def results_revision() -> str: ...
def collective(
    algorithm: str, size: int, hosts: int
) -> list[tuple[int, int, int, list[int]]] | None: ...
def schema() -> str: ...
def reference() -> str: ...
def sweep_schema() -> str: ...
def sweep_reference() -> str: ...
def bench(workload: str) -> dict[str, float]: ...
def workloads() -> list[str]: ...
def load_document(kind: str, file: str, text: str) -> Document: ...
def paper_schema() -> str: ...
def paper_reference() -> str: ...
