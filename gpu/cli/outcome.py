"""How a command ends: exit codes, codes of errors, and the one line that reports an exception.

`--help` and this room's README show these tables; tests compare them.
"""

from __future__ import annotations

import os
from errno import EAGAIN, EMFILE, ENFILE

from gpu.errors import (
    CancelledByUserError,
    EngineError,
    FormatError,
    GpuError,
    GraphError,
    MemoryNeededError,
    ParameterError,
    SourceError,
    TraceError,
    WeightError,
)

DEBUG = "SSSP_SCOPE_DEBUG"  # environment: set to see tracebacks

DONE, FAILED, WRONG_USAGE, CHECK_FAILED = 0, 1, 2, 3
INTERRUPTED, PIPE_CLOSED, ENDED = 130, 141, 143  # 128 + SIGINT, SIGPIPE, SIGTERM: as shells count

EXIT_CODES = {
    DONE: "done",
    FAILED: "a reported error: a file, a graph, a value that this graph or engine cannot have",
    WRONG_USAGE: "wrong usage: an option or argument that no graph could have",
    CHECK_FAILED: "a failed check: wrong distances, a run of a sweep, a lesson with mistakes",
    INTERRUPTED: "interrupted by Ctrl-C",
    PIPE_CLOSED: "the reader of our output went away, as head does",
    ENDED: "told to end by SIGTERM, as timeout and job queues do",
}

_CODES: tuple[tuple[type[BaseException], str], ...] = (  # a child before its parent
    (FormatError, "format"),
    (WeightError, "weight"),
    (GraphError, "graph"),
    (SourceError, "source"),
    (ParameterError, "parameter"),
    (MemoryNeededError, "memory"),
    (MemoryError, "memory"),
    (EngineError, "engine"),
    (TraceError, "trace"),
    (CancelledByUserError, "cancelled"),
    (GpuError, "error"),
    (OSError, "system"),
    (BaseException, "bug"),
)
USAGE, CHECK = "usage", "check"  # of what is no exception
ERROR_CODES = {
    "format": "a file that is not what its format promises",
    "weight": "a negative, NaN or infinite weight, or one past its type",
    "graph": "a graph that breaks a rule, or that a format cannot hold",
    "source": "a source that is no vertex",
    "parameter": "an unknown name, or a value out of range",
    "memory": "more memory is needed than is free",
    "engine": "an engine that cannot run here",
    "trace": "a saved run that cannot be read",
    "cancelled": "stopped by the user",
    "error": "any other fault that is not ours",
    "system": "the operating system refused: permission, space, processes",
    "bug": "a fault of the program",
    USAGE: "wrong usage, exit code 2",
    CHECK: "a failed check, exit code 3",
}


def code_of(error: BaseException) -> str:
    """Return the word of `ERROR_CODES` for an exception."""
    if isinstance(error.__cause__, GpuError) and type(error) is GpuError:
        return code_of(error.__cause__)  # the same fault, with the name of its file before it
    if is_no_process(error):
        return "system"
    return next(code for kind, code in _CODES if isinstance(error, kind))


def place_of(error: BaseException | None) -> tuple[str | None, int | None]:
    """Return the file and the 1-based line that an exception is about, None where unknown."""
    while error is not None:
        file = getattr(error, "path", None) or getattr(error, "filename", None)
        if file is not None:
            return os.fsdecode(file) if not isinstance(file, int) else None, _line_of(error)
        error = error.__cause__
    return None, None


def is_no_process(error: BaseException) -> bool:
    """Whether the system refused one more thread or process."""
    if isinstance(error, OSError):
        return error.errno == EAGAIN
    return isinstance(error, RuntimeError) and "start new thread" in str(error)


def words_of(error: Exception) -> str:
    """Return one line that says what happened and, where it is known, to which file."""
    if isinstance(error, GpuError):
        words = str(error)
    elif isinstance(error, MemoryError):
        words = "out of memory; close other programs or take a smaller graph"
    elif isinstance(error, OSError) and error.errno in {EMFILE, ENFILE}:
        words = "too many open files; raise the limit (ulimit -n), or make fewer runs at a time"
    elif is_no_process(error):
        words = (
            "out of memory, or too many processes and threads: end some, or raise ulimit -v or -u"
        )
    elif isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        words = f"{place}{error.strerror or error}"
    else:
        fault = f"{type(error).__name__}: {error}"
        words = f"a bug in the program ({fault}); please report it, {DEBUG}=1 shows where"
    return " ".join(words.split())


def _line_of(error: BaseException) -> int | None:
    line = getattr(error, "line", None)
    return line if isinstance(line, int) else None
