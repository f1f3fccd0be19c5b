"""The one place that prints: results to stdout; errors, notes and progress to stderr.

A command prints its result with `print`, a report for people with `report`. While it runs, stdout
and stderr are `CleanStream`s: no control character of a file's name, of an id or of an error
reaches a terminal. Bytes (`--distances -`) are written past them, unchanged.

    plain          sssp-scope: roads.gr:3: ...
    under --json   {"error": {"code": "format", "message": ..., "file": "roads.gr", "line": 3},
                   "exit_code": 1}, {"note": ...}, {"progress": 0.25, "doing": "reading"}

Under --json stdout holds one JSON value and stderr one JSON object a line.
"""

from __future__ import annotations

import errno
import io
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from typing import Any

from gpu.cli.outcome import USAGE, WRONG_USAGE, code_of, place_of, words_of

NAME = "sssp-scope"
PROGRESS_S = 0.1  # between two updates of the progress line
PROGRESS_LINE_S = 2.0  # between two lines of progress, where stderr is no terminal

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
        self.raw = stream  # None: the shell has closed it
        self._title = title

    def write(self, text: str) -> int:
        """Write printable text."""
        return self._call("write", printable(text))

    def flush(self) -> None:
        """Flush the stream behind."""
        self._call("flush")

    def forget(self) -> None:
        """Leave the stream behind: a library may have kept this one."""
        with suppress(OSError, ValueError):
            self.flush()
        self.raw = io.StringIO()

    def __getattr__(self, name: str) -> Any:
        """Return what the stream behind has: `buffer`, `isatty`, `fileno`, `encoding`."""
        if self.raw is None:
            raise OSError(errno.EBADF, "it is closed", self._title)
        return getattr(self.raw, name)

    def isatty(self) -> bool:
        """Whether the stream behind is a terminal."""
        return self.raw is not None and bool(self.raw.isatty())

    def _call(self, name: str, *text: Any) -> int:
        if self.raw is None:
            if text:
                raise OSError(errno.EBADF, "it is closed", self._title)
            return 0
        try:
            getattr(self.raw, name)(*text)
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
    before, _manner = _manner, _Manner(json="--json" in argv)
    ours: Any = (_clean(sys.stdout, "stdout"), _clean(sys.stderr, "stderr"))
    try:
        with redirect_stdout(ours[0]), redirect_stderr(ours[1]):
            yield
    finally:
        _manner = before
        for stream in ours:
            stream.forget()


def settle(*, quiet: bool, progress: bool, json_asked: bool) -> None:
    """Take over the options of the command, once they are parsed."""
    _manner.quiet, _manner.progress, _manner.json = quiet, progress, json_asked


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


@contextmanager
def results_on_stderr() -> Iterator[None]:
    """Print results to stderr: stdout is taken by a file's bytes."""
    with redirect_stdout(sys.stderr):
        yield


def note(words: str) -> None:
    """Print something beside the result, on stderr; nothing under --quiet."""
    if not _manner.quiet:
        _print_line({"note": words}, f"{NAME}: {words}")


def fault(code: str, words: str, exit_code: int) -> int:
    """Report an error, in one line on stderr; return the exit code."""
    return _error(code, words, exit_code, f"{NAME}: {words}")


def failure(error: Exception, exit_code: int) -> int:
    """Report an exception, in one line on stderr; return the exit code."""
    words = words_of(error)
    return _error(code_of(error), words, exit_code, f"{NAME}: {words}", *place_of(error))


def usage_error(usage: str, program: str, words: str) -> int:
    """Report wrong usage as argparse does, the usage first; return the exit code."""
    return _error(USAGE, words, WRONG_USAGE, f"{usage}{program}: error: {words}")


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
        line = f"{words} {fraction:.0%}" if fraction >= 0 else words
        if self._overwrites:
            self._due = now + PROGRESS_S
            self._write(f"\r{printable(line):<{self._length}}")
            self._length = len(printable(line))
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


def _error(
    code: str,
    words: str,
    exit_code: int,
    plain: str,
    file: str | None = None,
    line: int | None = None,
) -> int:
    row = {"code": code, "message": words, "file": file, "line": line}
    _print_line({"error": row, "exit_code": exit_code}, plain)
    return exit_code


def _print_line(row: dict[str, Any], plain: str) -> None:
    """Write one line to stderr; if nobody can read it, write nothing."""
    if _manner.line is not None:
        _manner.line.clear()
    try:
        print(json.dumps(row) if _manner.json else plain, file=sys.stderr, flush=True)
    except OSError:
        discard(sys.stderr)


def _clean(stream: Any, title: str) -> CleanStream:
    raw = stream.raw if isinstance(stream, CleanStream) else stream
    if hasattr(raw, "reconfigure"):
        raw.reconfigure(errors="replace")  # a terminal without Δ shows a question mark
    return CleanStream(raw, title)
