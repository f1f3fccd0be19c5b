"""How a command prints and ends: results on stdout; errors, notes and progress on stderr.

A command prints its result with `print`, a report for people with `report`.

    plain          sssp-scope: roads.gr:3: ...
    under --json   {"error": {"code": "format", "message": ..., "file": "roads.gr", "line": 3},
                   "exit_code": 1}, {"note": ...}, {"progress": 0.25, "doing": "reading"}

Under --json stdout holds one JSON value and stderr one JSON object a line. While a command runs,
stdout and stderr are `CleanStream`s: no control character of a file's name, of an id or of an error
reaches a terminal. Bytes (`--distances -`) are written past them, unchanged.
"""

from __future__ import annotations

import errno
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from typing import Any

from gpu.errors import GpuError

NAME = "sssp-scope"
DEBUG = "SSSP_SCOPE_DEBUG"  # environment: set to see tracebacks
PROGRESS_S = 0.1  # between two updates of the progress line
PROGRESS_LINE_S = 2.0  # between two lines of progress, where stderr is no terminal

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
    progress: bool = False  # also where stderr is no terminal
    line: ProgressLine | None = None  # while there is one: it is cleared before other words


_manner = _Manner()


class CleanStream:
    """A text stream before another one; control characters become visible: `\\x1b` for an ESC.

    Every OSError names the stream.
    """

    def __init__(self, stream: Any, title: str) -> None:
        self.raw: Any = stream.raw if isinstance(stream, CleanStream) else stream
        self._title = title
        if hasattr(self.raw, "reconfigure"):
            self.raw.reconfigure(errors="replace")  # a terminal without Δ shows a question mark

    def write(self, text: str) -> int:
        """Write printable text."""
        return self._call("write", printable(text))

    def flush(self) -> None:
        """Flush the stream behind."""
        if self.raw is not None:
            self._call("flush")

    def isatty(self) -> bool:
        """Whether the stream behind is a terminal."""
        return self.raw is not None and bool(self.raw.isatty())

    def __getattr__(self, name: str) -> Any:
        """Return what the stream behind has: `buffer`, `fileno`, `encoding`."""
        if self.raw is None:  # the shell has closed it
            raise OSError(errno.EBADF, "it is closed", self._title)
        return getattr(self.raw, name)

    def _call(self, name: str, *text: str) -> int:
        try:
            self.__getattr__(name)(*text)
        except OSError as error:
            error.filename = self._title
            raise
        return len(text[0]) if text else 0


def printable(text: str) -> str:
    """Return text that moves no cursor and colours nothing; lines and tabs stay."""
    return text.translate(_VISIBLE)


@contextmanager
def opened(argv: Sequence[str]) -> Iterator[None]:
    """Print as `argv` asks for, through clean streams, until the block ends."""
    global _manner  # noqa: PLW0603 - one command at a time has the terminal
    before = _manner
    quiet = "--quiet" in argv or "-q" in argv
    _manner = _Manner("--json" in argv, quiet, "--progress" in argv)
    out: Any = CleanStream(sys.stdout, "stdout")
    err: Any = CleanStream(sys.stderr, "stderr")
    try:
        with redirect_stdout(out), redirect_stderr(err):
            yield
    finally:
        _manner = before


def is_quiet() -> bool:
    """Whether only errors, JSON and files are asked for."""
    return _manner.quiet


def report(words: str) -> None:
    """Print words for people, on stdout; nothing under --quiet."""
    if not _manner.quiet:
        print(words)


def report_table(rows: Sequence[tuple[str, str]]) -> None:
    """Report name and value, aligned."""
    width = max((len(name) for name, _ in rows), default=0)
    for name, value in rows:
        report(f"  {name:<{width}}  {value}".rstrip())


def report_columns(rows: Sequence[Sequence[str]], side: str) -> None:
    """Report rows of cells, the first column to the left, the others as `side` says: < or >."""
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    for first, *rest in rows:
        cells = (f"{cell:{side}{width}}" for cell, width in zip(rest, widths[1:], strict=True))
        report(f"  {first:<{widths[0]}}  {'  '.join(cells)}".rstrip())


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
    code, words = _told(error)
    file = getattr(error, "path", None) or getattr(error, "filename", None)
    file = os.fsdecode(file) if isinstance(file, str | bytes | os.PathLike) else None
    line = getattr(error, "line", None)
    words = " ".join(words.split())
    return fault(code, words, FAILED, file=file, line=line if isinstance(line, int) else None)


def _told(error: Exception) -> tuple[str, str]:
    """Return the code of an error and what happened."""
    if isinstance(error, GpuError):
        return error.code, str(error)
    if isinstance(error, MemoryError):
        return "memory", "out of memory; close other programs or take a smaller graph"
    if getattr(error, "errno", None) in {errno.EMFILE, errno.ENFILE}:
        return "system", "too many open files; raise the limit (ulimit -n), or make fewer runs"
    if getattr(error, "errno", None) == errno.EAGAIN or "start new thread" in str(error):
        words = "too many processes and threads: end some, or raise ulimit -v or -u"
        return "system", f"out of memory, or {words}"
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return "system", f"{place}{error.strerror or error}"
    words = f"a bug in the program ({type(error).__name__}: {error}); please report it"
    return "bug", f"{words}, {DEBUG}=1 shows where"


def usage_error(usage: str, program: str, words: str) -> int:
    """Report wrong usage as argparse does, the usage first; return the exit code."""
    return fault("usage", words, WRONG_USAGE, f"{usage}{program}: error: {words}")


def discard(stream: Any) -> None:
    """Point stdout or stderr at nothing: Python would complain while flushing it at exit."""
    with suppress(OSError, ValueError):  # ValueError: it is no file (a test's capture)
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class ProgressLine:
    """One line on stderr that is overwritten; where that is no terminal, lines if asked for."""

    def __init__(self) -> None:
        self._overwrites = sys.stderr.isatty() and not _manner.json
        self._shown = not _manner.quiet and (self._overwrites or _manner.progress)
        self._due = 0.0
        self._length = 0
        self._last = ""

    def show(self, fraction: float, words: str) -> None:
        """Show words, and a percentage where `fraction` is 0..1 (negative: unknown)."""
        now = time.monotonic()
        if not self._shown or (now < self._due and (self._overwrites or words == self._last)):
            return
        line = printable(f"{words} {fraction:.0%}" if fraction >= 0 else words)
        if self._overwrites:
            self._due = now + PROGRESS_S
            self._write(f"\r{line:<{self._length}}")
            self._length = len(line)
            return
        share = round(fraction, 4) if fraction >= 0 else None
        _print_line({"progress": share, "doing": words}, line)
        self._due, self._last = now + PROGRESS_LINE_S, words

    def clear(self) -> None:
        """Leave an empty line behind."""
        if self._length:
            self._write(f"\r{'':<{self._length}}\r")
        self._due, self._length, self._last = 0.0, 0, ""

    def _write(self, text: str) -> None:
        with suppress(OSError):
            print(text, end="", file=getattr(sys.stderr, "raw", sys.stderr), flush=True)


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
        print(json.dumps(row) if _manner.json else plain, file=sys.stderr, flush=True)
    except OSError:
        discard(sys.stderr)
