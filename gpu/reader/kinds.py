"""The kinds of files that are read for a window: for each how, and its way through the pipe.

`read` runs in the reader; `told` turns what it found into a record, values of JSON, and arrays;
`made` runs in the window and checks both as it checks a file, so that a reader which was taken over
by its file can say nothing that the file itself could not have said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gpu.reader.messages import Request

Arrays = Mapping[str, np.ndarray]
Progress = Callable[[float], None]
MB = 1 << 20


@dataclass(frozen=True)
class Kind:
    """One kind of file.

    seconds, seconds_per_mb : after so many, and so many for each MB of the file, it is given up
    memory_mb, memory_per_byte : so much may be taken, and so many bytes for each of the file
    """

    read: Callable[[Request, Progress], Any]
    told: Callable[[Any], tuple[Any, dict[str, np.ndarray]]]
    made: Callable[[Any, Arrays], Any]
    seconds: float = 10.0
    seconds_per_mb: float = 0.0
    memory_mb: int = 256
    memory_per_byte: int = 8

    def memory(self, path: str) -> int:
        """Return the bytes that may be taken for a file; OSError where it is not there."""
        return self.memory_mb * MB + self.memory_per_byte * Path(path).stat().st_size

    def patience(self, path: str) -> float:
        """Return the seconds that a file may take."""
        try:
            size = Path(path).stat().st_size
        except (OSError, ValueError):
            size = 0
        return self.seconds + self.seconds_per_mb * size / MB


# ---------------------------------------------------------------- saved runs


def _read_workspace(request: Request, progress: Progress) -> Any:
    from gpu.record.workspace import load_workspace

    return load_workspace(request.path, progress)


def _told_workspace(workspace: Any) -> tuple[Any, dict[str, np.ndarray]]:
    from gpu.record.tracefile import parts
    from gpu.record.workspace import table_of

    headers, arrays = [], {"packed": np.frombuffer(workspace.packed, np.uint8)}
    for number, trace in workspace.runs:
        header, own = parts(trace)
        headers.append(header)
        arrays |= {f"{number}/{name}": array for name, array in own.items()}
    return {"table": table_of(workspace), "headers": headers}, arrays


def _made_workspace(record: Any, arrays: Arrays) -> Any:
    from gpu.record import tracefile, workspace

    numbers, traces = record["table"]["runs"], []
    for number, header in zip(numbers, record["headers"], strict=True):
        own = {name: arrays[f"{number}/{name}"] for name in header["arrays"]}
        traces.append(tracefile.from_parts(header, own))
    return workspace.from_parts(record["table"], traces, arrays["packed"].tobytes())


def _read_trace(request: Request, _progress: Progress) -> Any:
    from gpu.record.tracefile import load_trace

    return load_trace(request.path)


def _told_trace(trace: Any) -> tuple[Any, dict[str, np.ndarray]]:
    from gpu.record.tracefile import parts

    return parts(trace)


def _made_trace(record: Any, arrays: Arrays) -> Any:
    from gpu.record.tracefile import from_parts

    return from_parts(record, arrays)


# ---------------------------------------------------------------- lessons, drawings


def _read_lesson(request: Request, _progress: Progress) -> Any:
    from gpu.lessons.read import read_lesson

    return read_lesson(request.path)


def _told_lesson(lesson: Any) -> tuple[Any, dict[str, np.ndarray]]:
    from gpu.lessons.lesson import told

    return told(lesson), {}


def _made_lesson(record: Any, _arrays: Arrays) -> Any:
    from gpu.lessons.lesson import Lesson, own_class
    from gpu.schema import checked

    return checked(Lesson, record, own_class)


def _read_json(request: Request, _progress: Progress) -> Any:
    import json

    from gpu.regular import read_regular

    return json.loads(read_regular(request.path, int(request.options["most"])))


# ---------------------------------------------------------------- graphs


def _read_peek(request: Request, _progress: Progress) -> Any:
    from gpu.formats.peek import peek

    return peek(request.path)


def _told_peek(peek: Any) -> tuple[Any, dict[str, np.ndarray]]:
    from msgspec import to_builtins

    names = peek.weights
    return [peek.format, peek.title, None if names is None else to_builtins(tuple(names))], {}


def _made_peek(record: Any, _arrays: Arrays) -> Any:
    from gpu.formats.peek import Peek
    from gpu.parsing.reading import WeightNames

    name, title, weights = record
    if weights is not None:
        weights = WeightNames(tuple(map(str, weights[0])), weights[1])
    return Peek(str(name), str(title), weights)


def _read_graph(request: Request, _progress: Progress) -> Any:
    from gpu.formats import load_graph

    return load_graph(request.path, **request.options)


def _told_graph(graph: Any) -> tuple[Any, dict[str, np.ndarray]]:
    arrays = {"indptr": graph.indptr, "indices": graph.indices, "weights": graph.weights}
    if graph.positions is not None:
        arrays["positions"] = graph.positions
    words = graph.ids is not None and graph.ids.dtype.kind == "U"
    if graph.ids is not None and not words:
        arrays["ids"] = graph.ids
    told = {"names": graph.ids.tolist() if words else None, "base": graph.id_base}
    return told | {"name": graph.name, "notes": list(graph.provenance.notes)}, arrays


def _made_graph(record: Any, arrays: Arrays) -> Any:
    from gpu.graph import CSRGraph, Provenance

    names, notes = record["names"], tuple(map(str, record["notes"]))
    ids = arrays.get("ids") if names is None else np.array(names, str)
    return CSRGraph(
        arrays["indptr"], arrays["indices"], arrays["weights"], arrays.get("positions"), ids,
        int(record["base"]), str(record["name"]), Provenance(notes=notes),
    ).checked()  # fmt: skip


def _plain(value: Any) -> tuple[Any, dict[str, np.ndarray]]:
    return value, {}


KINDS: dict[str, Kind] = {
    "workspace": Kind(
        _read_workspace, _told_workspace, _made_workspace, 60.0, 1.0, memory_per_byte=300
    ),
    "trace": Kind(_read_trace, _told_trace, _made_trace, 60.0, 1.0, memory_per_byte=300),
    "lesson": Kind(_read_lesson, _told_lesson, _made_lesson),
    "json": Kind(_read_json, _plain, lambda record, _arrays: record),
    "peek": Kind(_read_peek, _told_peek, _made_peek, memory_mb=512),
    "graph": Kind(_read_graph, _told_graph, _made_graph, memory_mb=512, memory_per_byte=80),
}
