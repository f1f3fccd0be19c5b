"""The one place that prints: results to stdout; errors, notes and progress to stderr.

A command prints its result with `print`; while it runs, stdout and stderr are `CleanStream`s, so
that no control character of a file's name, of an id or of an error reaches a terminal (argparse
and tracebacks included). What is written as bytes (`--distances -`) goes by them untouched.

    plain          sssp-scope: roads.gr:3: ...
    under --json   {"error": {"code": "format", "message": ..., "file": "roads.gr", "line": 3},
                   "exit_code": 1}, {"note": ...}, {"progress": 0.25, "doing": "reading"}

Under --json stdout holds one JSON value and stderr one JSON object a line. Nothing here is
coloured, so NO_COLOR has nothing to turn off.
"""

from __future__ import annotations

import io
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from typing import Any, TextIO

from gpu.cli.outcome import WRONG_USAGE, code_of, place_of, words_of

NAME = "sssp-scope"
PROGRESS_S = 0.1  # between two updates of the progress line
PROGRESS_LINE_S = 2.0  # between two lines of progress, where stderr is no terminal

_CONTROLS = {*range(0x20), *range(0x7F, 0xA0)} - {ord("\n"), ord("\t")}
_DIRECTIONS = {0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)}
_VISIBLE = {code: ascii(chr(code))[1:-1] for code in _CONTROLS | _DIRECTIONS}  # ESC: \x1b


@dataclass
class _Manner:
    """How this command tells what it does.

    progress : whether it was asked for, where stderr is no terminal
    line : the progress line, while there is one: what is told beside it clears it first
    """

    json: bool = False
    quiet: bool = False
    progress: bool = False
    line: ProgressLine | None = None


_manner = _Manner()


class CleanStream(io.TextIOBase):
    """A text stream before another one: control characters, and marks that turn text, visible."""

    def __init__(self, stream: TextIO, title: str) -> None:
        self.raw = stream
        self._title = title

    def write(self, text: str) -> int:
        """Write text with `\\x1b` for an ESC. OSError that names the stream."""
        with self._named():
            self.raw.write(printable(text))
        return len(text)

    def forget(self) -> None:
        """Leave the stream behind alone: a library may have kept this one for its own end."""
        with suppress(OSError, ValueError):
            self.flush()
        self.raw = io.StringIO()

    def flush(self) -> None:
        """Flush the stream behind. OSError that names the stream."""
        with self._named():
            self.raw.flush()

    def isatty(self) -> bool:
        """Whether the stream behind is a terminal."""
        return self.raw.isatty()

    def fileno(self) -> int:
        """Return the number of the file behind."""
        return self.raw.fileno()

    def writable(self) -> bool:
        """Return True."""
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of the stream behind."""
        return self.raw.encoding

    @property
    def buffer(self) -> Any:
        """Bytes go by."""
        return self.raw.buffer

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            error.filename = self._title
            raise


def printable(text: str) -> str:
    """Return text that moves no cursor and colours nothing; lines and tabs stay."""
    return text.translate(_VISIBLE)


@contextmanager
def opened(argv: Sequence[str]) -> Iterator[None]:
    """Print as `argv` asks for, through clean streams, until the block ends."""
    global _manner  # noqa: PLW0603 - one command at a time has the terminal
    _open_closed()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without Δ shows a question mark
    before, _manner = _manner, _Manner(json="--json" in argv)
    ours = (_clean(sys.stdout, "stdout"), _clean(sys.stderr, "stderr"))
    try:
        with redirect_stdout(ours[0]), redirect_stderr(ours[1]):
            yield
    finally:
        _manner = before
        for stream in ours:
            stream.forget()


def settle(*, quiet: bool = False, progress: bool = False, json_asked: bool = False) -> None:
    """Take over what the arguments say, now that they are understood."""
    _manner.quiet, _manner.json = quiet, json_asked
    _manner.progress = progress


def is_quiet() -> bool:
    """Whether only results and errors are wanted."""
    return _manner.quiet


@contextmanager
def results_on_stderr() -> Iterator[None]:
    """Print results to stderr: stdout is taken by a file's bytes."""
    with redirect_stdout(sys.stderr):
        yield


def note(words: str) -> None:
    """Tell something beside the result, on stderr; nothing under --quiet."""
    if not _manner.quiet:
        _tell({"note": words}, f"{NAME}: {words}")


def fault(code: str, words: str, exit_code: int) -> int:
    """Tell what went wrong, in one line on stderr; return the exit code."""
    _tell_error(code, words, exit_code, None, None)
    return exit_code


def failure(error: Exception, exit_code: int) -> int:
    """Tell an exception, in one line on stderr; return the exit code."""
    _tell_error(code_of(error), words_of(error), exit_code, *place_of(error))
    return exit_code


def usage_error(usage: str, program: str, words: str) -> int:
    """Tell wrong usage as argparse does, the usage first; return the exit code."""
    told = {"code": "usage", "message": words, "file": None, "line": None}
    plain = f"{usage}{program}: error: {words}"
    _tell({"error": told, "exit_code": WRONG_USAGE}, plain)
    return WRONG_USAGE


def discard(stream: TextIO) -> None:
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
        _tell({"progress": share, "doing": words}, line)
        self._due, self._last = now + PROGRESS_LINE_S, words

    def clear(self) -> None:
        """Leave an empty line behind."""
        if self._length:
            self._write(f"\r{'':<{self._length}}\r")
        self._due, self._length, self._last = 0.0, 0, ""

    def _write(self, text: str) -> None:
        stream = sys.stderr
        with suppress(OSError):
            print(text, end="", file=getattr(stream, "raw", stream), flush=True)


@contextmanager
def progress_line() -> Iterator[ProgressLine]:
    """Give a ProgressLine that is cleared at the end, also after an error."""
    line = _manner.line = ProgressLine()
    try:
        yield line
    finally:
        line.clear()
        _manner.line = None


def _tell_error(code: str, words: str, exit_code: int, file: str | None, line: int | None) -> None:
    told = {"code": code, "message": words, "file": file, "line": line}
    _tell({"error": told, "exit_code": exit_code}, f"{NAME}: {words}")


def _tell(told: dict[str, Any], plain: str) -> None:
    """Write one line to stderr; what cannot be told to anybody is not told."""
    if _manner.line is not None:
        _manner.line.clear()
    try:
        print(json.dumps(told) if _manner.json else plain, file=sys.stderr, flush=True)
    except OSError:
        discard(sys.stderr)


def _clean(stream: TextIO, title: str) -> CleanStream:
    return CleanStream(stream.raw if isinstance(stream, CleanStream) else stream, title)


def _open_closed() -> None:
    """Open what the shell closed (`>&-`): else the next file opened gets its number, and our text.

    Python has no stdout then, and prints what is meant for a missing stderr to stdout.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            number = os.open(os.devnull, os.O_RDWR)  # the lowest that is free: the closed one
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8"))
