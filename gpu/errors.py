"""The errors of `gpu`: one base class and its children.
Every message says what was given, what is allowed and what to do next.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


class GpuError(Exception):
    """Any fault that a user can be told about; everything else is a bug of ours.

    code : the word for programs, in the JSON of the command line
    path, line : the file that it is about and the 1-based line in it, where they are known
    """

    code = "error"
    path: str | None = None
    line: int | None = None


class GraphError(GpuError):
    """A graph that breaks a rule of `CSRGraph`: shape, range or dtype."""

    code = "graph"


class WeightError(GraphError):
    """A negative, NaN or infinite weight, or a distance past the type's range."""

    code = "weight"


class DistanceRangeError(WeightError):
    """A distance past the range of the number type; a wider type may hold it."""


class SourceError(GpuError):
    """A source that is not a vertex of the graph."""

    code = "source"


class ParameterError(GpuError):
    """An unknown algorithm, engine, device or parameter, or a value out of range."""

    code = "parameter"


class MemoryNeededError(GpuError):
    """Work refused before it started: it needs more memory than is free."""

    code = "memory"


class QueuesFullError(MemoryNeededError):
    """The queues of a run on the GPU were too small; the next run on this graph has larger ones."""


class EngineError(GpuError):
    """An engine that cannot run here, or that was lost while it ran."""

    code = "engine"


class TraceError(GpuError):
    """A trace file that is not one of ours, or of a version we cannot read."""

    code = "trace"


class CancelledByUserError(GpuError):
    """The user asked to stop; not a fault, shown as information."""

    code = "cancelled"


@dataclass(frozen=True)
class Remedy:
    """An option of `load_graph` with which a refused file opens."""

    option: str
    value: str | None = None  # what helps, None where the user must choose
    command_words: str = ""  # the advice of the command line, at the end of its sentence


class FormatError(GpuError):
    """A file that is not what its format promises.

    line : 1-based line number, None for binary files and whole-file faults
    remedy : the option that would help, if one does; `plain` is the sentence without its words
    """

    code = "format"

    def __init__(
        self, path: str | Path, problem: str, line: int | None = None, remedy: Remedy | None = None
    ) -> None:
        self.plain = f"{path}:{line}: {problem}" if line is not None else f"{path}: {problem}"
        advice = f" {remedy.command_words}" if remedy is not None and remedy.command_words else ""
        super().__init__(f"{self.plain}{advice}")
        self.path: str = str(path)
        self.line, self.problem, self.remedy = line, problem, remedy

    def __reduce__(self) -> tuple[type, tuple[str, str, int | None, Remedy | None]]:
        """Pickle by the constructor's arguments: errors cross from the engine process."""
        return type(self), (self.path, self.problem, self.line, self.remedy)
