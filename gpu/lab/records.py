"""RESULTS: JSON lines, appended whole as things happen and never changed.

The Structs are the schema; the field `line` says which one a line is. Times are milliseconds on
the code's own clock ("measured" or "modelled"); n and m count vertices and arcs; diameters are in
edges. The first line is a Head; each process that goes on with the file adds a Session. A line
that a kill cut short is dropped by the next process that writes.
"""

from __future__ import annotations

import errno
import gzip
import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import MsgspecError, Struct, json

from gpu.errors import GpuError
from gpu.files import open_regular

FORMAT, PROGRAM = 1, "sssp-scope lab"
BEGIN = f'{{"line":"head","program":"{PROGRAM}"'.encode()


class Line(Struct, frozen=True, tag_field="line", omit_defaults=True, gc=False):
    """What all lines have in common: the field `line`. Python's collector need not look at them."""


class Head(Line, frozen=True, tag="head"):
    """What was asked for. `left_out`: codes that cannot run here, and why."""

    program: str
    format: int
    suite: str
    digest: str
    engine: str
    codes: list[str]
    graphs: int
    left_out: dict[str, str] = {}


class Session(Line, frozen=True, tag="session"):
    """A process that wrote what follows. `engines`: device, driver and libraries of each."""

    date: str
    version: str
    commit: str
    machine: dict[str, Any]
    engines: dict[str, dict[str, Any]]


class Facts(Line, frozen=True, tag="graph"):
    """A graph that was opened. `place`, `options`: how to open it again; `source`: 0-based index.

    diameter : edges to the farthest vertex, of a search from the one farthest from the source
    reached : share of the vertices, 0..1      hash : of `CSRGraph`
    """

    graph: str
    place: str
    source: int
    n: int
    m: int
    weights: str
    diameter: int
    reached: float
    hash: str
    options: dict[str, Any] = {}


class Run(Line, frozen=True, tag="run"):
    """One run that has ended. `whole_ms`: wall clock of the call; `turn` counts from 0.

    processed, relaxed : vertices and arcs, 0 where that is not known    delta : at the end, 0: none
    proved : its distances hold the certificate    settings : in turn 0, how to make the run again
    """

    graph: str
    code: str
    turn: int
    ms: float
    whole_ms: float
    clock: str
    processed: int = 0
    relaxed: int = 0
    delta: float = 0.0
    proved: bool = False
    settings: dict[str, Any] = {}


class Profile(Line, frozen=True, tag="profile"):
    """Parallelism over time: from each of `us` on, so many edges in hand, the paper's measure.

    error : mean distance error (`gpu.record.disorder`), mean weights; None: not measured
    work : vertices processed for each one reached      ms : length, with the probe on
    """

    graph: str
    code: str
    us: list[float]
    edges: list[float]
    error: float | None = None
    work: float = 0.0
    ms: float = 0.0


class Failed(Line, frozen=True, tag="failed"):
    """What could not be measured, `code` "": a whole graph. It is not tried again.

    wrong : distances were not those of shortest paths
    """

    graph: str
    code: str
    reason: str
    wrong: bool = False


_ENCODER = json.Encoder(enc_hook=lambda value: value.item())  # NumPy's numbers
_LINE = json.Decoder(Head | Session | Facts | Run | Profile | Failed)


class Results:
    """All lines of a file, packed (.gz) or not, by kind. Raises GpuError; OSError."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.whole_bytes = 0  # up to the end of the last whole line
        try:
            lines = list(self._lines())
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise GpuError(f"{self.path}: damaged: {error}") from error
        self.head = next((line for line in lines if isinstance(line, Head)), None)
        self.sessions = [line for line in lines if isinstance(line, Session)]
        self.graphs = {line.graph: line for line in lines if isinstance(line, Facts)}
        self.runs = [line for line in lines if isinstance(line, Run)]
        self.profiles = {(x.graph, x.code): x for x in lines if isinstance(x, Profile)}
        self.failed = {(x.graph, x.code): x for x in lines if isinstance(x, Failed)}

    def _lines(self) -> Iterator[Line]:
        with open_regular(self.path) as file:
            packed = self.path.suffix == ".gz"
            for number, row in enumerate(gzip.GzipFile(fileobj=file) if packed else file, 1):
                if number == 1 and not row.startswith(BEGIN[: len(row)]):
                    raise GpuError(f"{self.path}: not results of `sssp-scope lab run`")
                if not row.endswith(b"\n"):
                    return
                try:
                    line = _LINE.decode(row)
                except (MsgspecError, UnicodeDecodeError) as error:
                    raise GpuError(f"{self.path}:{number}: {error}") from error
                if isinstance(line, Head) and line.format != FORMAT:
                    words = f"results of version {line.format}; this program reads {FORMAT}"
                    raise GpuError(f"{self.path}: {words}")
                self.whole_bytes += len(row)
                yield line

    def known(self, field: str) -> dict[tuple[str, str], list[float]]:
        """Return "ms" or "processed" of all runs by code and graph, where it is known."""
        table: dict[tuple[str, str], list[float]] = {}
        for run in self.runs:
            if value := getattr(run, field):
                table.setdefault((run.code, run.graph), []).append(value)
        return table


class Appended(FileIO):
    """RESULTS open for this process alone. Every line is written whole or not at all.

    Raises GpuError where the system refuses, or another process writes.
    """

    def __init__(self, path: Path) -> None:
        if path.suffix == ".gz":
            raise GpuError(f"{path}: nothing can be added to packed results: unpack them")
        try:
            super().__init__(path, "a+")
            with suppress(ImportError):  # Windows has none
                import fcntl

                fcntl.flock(self, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self.close()
            raise GpuError(f"{path}: another process writes to it now") from error
        except OSError as error:
            raise GpuError(f"cannot write {path}: {error.strerror or error}") from error
        self.path = path

    def begin(self) -> Results:
        """Return what is there, after half a line at the end is dropped."""
        results = Results(self.path)
        self.truncate(results.whole_bytes)
        return results

    def append(self, line: Line) -> None:
        """Append a line."""
        size, data = self.seek(0, os.SEEK_END), _ENCODER.encode(line) + b"\n"
        try:
            if self.write(data) < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            self.truncate(size)
            words = "what ran before is kept: make room and repeat the command"
            raise GpuError(f"cannot write {self.path}: {error.strerror}; {words}") from error


def load(path: str | Path) -> np.recarray:
    """Return the runs of RESULTS as a record array, one record each.

    Fields: those of `Run` but settings, then n, m, diameter and reached of its graph. Raises
    GpuError.
    """
    results = Results(path)
    graphs = [results.graphs[run.graph] for run in results.runs]
    kept: dict[str, Sequence[Line]] = dict.fromkeys(Run.__struct_fields__, results.runs)
    kept |= dict.fromkeys(("n", "m", "diameter", "reached"), graphs)
    del kept["settings"]
    columns = [np.array([getattr(line, name) for line in lines]) for name, lines in kept.items()]
    kinds = [(name, column.dtype) for name, column in zip(kept, columns, strict=True)]
    return np.rec.fromarrays(columns, dtype=kinds)
