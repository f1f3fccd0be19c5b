"""What can go wrong below the window: one family, a few children.

Every message says what was given, what is allowed and what to do next. It is
raised once, where the fault is found, and shown once, by whoever talks to the
user: the command line (one line on stderr) or the window (a bar).
"""

from __future__ import annotations

from pathlib import Path


class GpuError(Exception):
    """Any fault that a user can be told about; everything else is a bug of ours."""


class GraphError(GpuError):
    """A graph that breaks a rule of `CSRGraph`: shape, range or dtype."""


class WeightError(GraphError):
    """A negative, NaN or infinite weight, or a distance past the type's range."""


class SourceError(GpuError):
    """A source that is not a vertex of the graph."""


class ParameterError(GpuError):
    """An unknown algorithm, engine, device or parameter, or a value out of range."""


class MemoryNeededError(GpuError):
    """Work refused before it started: it needs more memory than is free."""


class EngineError(GpuError):
    """An engine that cannot run here, or that was lost while it ran."""


class TraceError(GpuError):
    """A trace file that is not one of ours, or of a version we cannot read."""


class CancelledByUserError(GpuError):
    """The user asked to stop; not a fault, shown as information."""


class FormatError(GpuError):
    """A file that is not what its format promises.

    Parameters
    ----------
    path : the file
    problem : what was found and what was expected
    line : 1-based line number, None for binary files and whole-file faults
    """

    def __init__(self, path: str | Path, problem: str, line: int | None = None) -> None:
        place = f"{path}:{line}" if line is not None else f"{path}"
        super().__init__(f"{place}: {problem}")
        self.path, self.line, self.problem = str(path), line, problem

    def __reduce__(self) -> tuple[type, tuple[str, str, int | None]]:
        """Pickle by the constructor's arguments: errors cross from the engine process."""
        return type(self), (self.path, self.problem, self.line)
