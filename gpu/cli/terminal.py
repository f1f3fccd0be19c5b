"""How a command prints and ends: results on stdout; errors, notes and progress on stderr.

    plain          sssp-scope: roads.gr:3: ...
    under --json   {"error": {"code": "format", "message": ..., "file": "roads.gr", "line": 3},
                   "exit_code": 1}, {"note": ...}

Under --json stdout holds one JSON value and stderr one JSON object a line. All that is printed is
`printable`: no control character of a file's name, of an id or of an error reaches a terminal.
"""

from __future__ import annotations

import errno
import io
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from gpu.errors import GpuError
from gpu.words import NO_VALUE, brief_time

NAME = "sssp-scope"
DEBUG = "SSSP_SCOPE_DEBUG"  # environment: set to see tracebacks
PROGRESS_S = 0.1  # between two updates of the progress line

DONE, FAILED, WRONG_USAGE, CHECK_FAILED = 0, 1, 2, 3
INTERRUPTED, PIPE_CLOSED, ENDED = 130, 141, 143  # 128 + SIGINT, SIGPIPE, SIGTERM: as shells count

_CONTROLS = {*range(0x20), *range(0x7F, 0xA0)} - {ord("\n"), ord("\t")}
_DIRECTIONS = {0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)}
_VISIBLE = {code: ascii(chr(code))[1:-1] for code in _CONTROLS | _DIRECTIONS}  # ESC: \x1b


@dataclass
class _Manner:
    """How this command reports: as its options say."""

    json: bool = False
    quiet: bool = False
    line: ProgressLine | None = None  # while there is one: it is cleared before other words


_manner = _Manner()


class _Closed:
    """Stands for a stdout that the shell has closed: every use but the question is an error."""

    closed = True  # libraries ask before they use it

    def __getattr__(self, name: str) -> Any:
        raise OSError(errno.EBADF, "it is closed", "stdout")


def printable(text: str) -> str:
    """Return text that moves no cursor and colours nothing; lines and tabs stay."""
    return text.translate(_VISIBLE)


@contextmanager
def opened(argv: Sequence[str]) -> Iterator[None]:
    """Print as `argv` asks for until the block ends."""
    global _manner  # noqa: PLW0603 - one command at a time has the terminal
    before = _manner, sys.stdout, sys.stderr
    _manner = _Manner("--json" in argv, "--quiet" in argv or "-q" in argv)
    sys.stdout, sys.stderr = sys.stdout or _Closed(), sys.stderr or io.StringIO()
    for stream in before[1:]:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without Δ shows a question mark
    try:
        yield
    finally:
        _manner, sys.stdout, sys.stderr = before


def report(words: str) -> None:
    """Print words for people, on stdout; nothing under --quiet."""
    if not _manner.quiet:
        _say(printable(words))


def _say(words: str) -> None:
    try:
        print(words)
    except OSError as error:
        error.filename = "stdout"
        raise


def report_table(rows: Sequence[tuple[str, str]]) -> None:
    """Report name and value, aligned."""
    width = max((len(name) for name, _ in rows), default=0)
    for name, value in rows:
        report(f"  {name:<{width}}  {value}".rstrip())


def result(numbers: dict[str, Any], *, is_json: bool) -> None:
    """Print what a command found: as one JSON object, or a line for each of its keys."""
    if is_json:
        _say(json.dumps(numbers))
        return
    rows = [(key, _in_words(key, value)) for key, value in numbers.items()]
    report_table([(key.removesuffix("_ns").replace("_", " "), words) for key, words in rows])


def _in_words(key: str, value: Any) -> str:
    """Return a value of a result for people."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_in_words(name, entry)}" for name, entry in value.items())
    if isinstance(value, list):
        return "; ".join(map(str, value)) or "none"
    if value is None or isinstance(value, bool):
        return {None: NO_VALUE, True: "yes", False: "NO"}[value]
    if key.endswith("_ns"):
        return brief_time(value)
    if isinstance(value, float):
        return f"{value:.6g}"
    counted = isinstance(value, int) and key not in ("id", "index", "seed")
    return f"{value:,}" if counted else str(value)


def note(words: str) -> None:
    """Print something beside the result, on stderr; nothing under --quiet."""
    if not _manner.quiet:
        _print_line({"note": words}, f"{NAME}: {words}")


def check_failed(words: str) -> int:
    """Report a failed check; return the exit code."""
    return fault("check", words, CHECK_FAILED)


def fault(code: str, words: str, exit_code: int, plain: str = "", **place: Any) -> int:
    """Report an error, in one line on stderr; return the exit code."""
    row = {"code": code, "message": words, "file": None, "line": None} | place
    _print_line({"error": row, "exit_code": exit_code}, plain or f"{NAME}: {words}")
    return exit_code


def failure(error: Exception) -> int:
    """Report an exception, in one line on stderr; return the exit code."""
    code, words = _described(error)
    file = getattr(error, "path", None) or getattr(error, "filename", None)
    file = os.fsdecode(file) if isinstance(file, str | bytes | os.PathLike) else None
    return fault(
        code, " ".join(words.split()), FAILED, file=file, line=getattr(error, "line", None)
    )


def _described(error: Exception) -> tuple[str, str]:
    """Return the code of an error and what happened."""
    if isinstance(error, GpuError):
        return error.code, str(error)
    if isinstance(error, MemoryError):
        return "memory", "out of memory; close other programs or take a smaller graph"
    if getattr(error, "errno", None) == errno.EAGAIN or "start new thread" in str(error):
        return "system", "too many processes and threads: end some, or raise ulimit -v or -u"
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return "system", f"{place}{error.strerror or error}"
    words = f"a bug in the program ({type(error).__name__}: {error}); please report it"
    return "bug", f"{words}, {DEBUG}=1 shows where"


def flushed(code: int) -> int:
    """Return the exit code once all output is written, else that of the fault."""
    try:
        if not isinstance(sys.stdout, _Closed):
            sys.stdout.flush()
    except BrokenPipeError:
        discard(sys.stdout)
        return PIPE_CLOSED
    except OSError as error:
        discard(sys.stdout)
        error.filename = "stdout"
        return failure(error)
    return code


def discard(stream: Any) -> None:
    """Point stdout or stderr at nothing: Python would complain while flushing it at exit."""
    with suppress(OSError, ValueError):  # ValueError: it is no file (a test's capture)
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class ProgressLine:
    """One line on stderr that is overwritten; nothing where that is no terminal."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty() and not (_manner.json or _manner.quiet)
        self._due = 0.0
        self._length = 0

    def show(self, fraction: float, words: str) -> None:
        """Show words, and a percentage where `fraction` is 0..1 (negative: unknown)."""
        now = time.monotonic()
        if self._shown and now >= self._due:
            line = printable(f"{words} {fraction:.0%}" if fraction >= 0 else words)
            self._write(f"\r{line:<{self._length}}")
            self._due, self._length = now + PROGRESS_S, len(line)

    def clear(self) -> None:
        """Leave an empty line behind."""
        if self._length:
            self._write(f"\r{'':<{self._length}}\r")
        self._due, self._length = 0.0, 0

    def _write(self, text: str) -> None:
        with suppress(OSError):
            print(text, end="", file=sys.stderr, flush=True)


@contextmanager
def progress_line() -> Iterator[ProgressLine]:
    """Give a ProgressLine that is cleared at the end, also after an error."""
    line = _manner.line = ProgressLine()
    try:
        yield line
    finally:
        line.clear()
        _manner.line = None


def _print_line(row: dict[str, Any], plain: str) -> None:
    """Write one line to stderr; if nobody can read it, write nothing."""
    if _manner.line is not None:
        _manner.line.clear()
    try:
        print(json.dumps(row) if _manner.json else printable(plain), file=sys.stderr, flush=True)
    except OSError:
        discard(sys.stderr)
