"""The commands that need no window: run, sweep, compare, apsp, info, convert, bench and more.

The entry point `sssp-scope` is `viewer.app`, which opens the window, draws pictures
(`render`) and hands everything else to `main` here. No Qt is imported.

Results go to stdout, progress (only on a terminal) and errors to stderr, one line each.

    exit code   0 done, 1 a reported error, 2 wrong usage, 3 a failed check,
                130 interrupted, 141 the reader of our output went away, 143 told to end

Told to end (SIGTERM, as `timeout` and job queues send it), a command cleans up as at Ctrl-C.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from gpu.cli import (
    apsp as cli_apsp,
    compare as cli_compare,
    graphs as cli_graphs,
    lesson as cli_lesson,
    run as cli_run,
    sweep as cli_sweep,
)
from gpu.errors import GpuError
from gpu.lab import bench

NAME = "sssp-scope"
DEBUG = "SSSP_SCOPE_DEBUG"  # environment: set to see tracebacks
INTERRUPTED, PIPE_CLOSED, ENDED = 130, 141, 143  # 128 + SIGINT, SIGPIPE, SIGTERM: as shells count
_COMMANDS: dict[str, tuple[str, Callable[[argparse.ArgumentParser], None]]] = {
    "run": ("run an algorithm on a graph and tell what it did", cli_run.add_run),
    "sweep": ("run over many values of delta, or of another knob", cli_sweep.add_sweep),
    "compare": ("run two algorithms and tell what differs", cli_compare.add_compare),
    "apsp": ("distances between all pairs, written to a .npy file", cli_apsp.add_apsp),
    "info": ("read a whole graph and describe it", cli_graphs.add_info),
    "samples": ("list the graphs that come with the program", cli_graphs.add_samples),
    "convert": ("read a graph in one format, write it in another", cli_graphs.add_convert),
    "verify": ("check distances by two independent proofs", cli_run.add_verify),
    "lesson": ("list lessons, check one, write one as a page", cli_lesson.add_lesson),
    "bench": ("measure how fast the program itself is here", bench.add_bench),
}
COMMANDS = tuple(_COMMANDS)
_LABORATORIES = (["gpu"], ["cpu"])

_DESCRIPTION = """\
An oscilloscope for GPU shortest-path schedulers.

  sssp-scope [FILE]       open the window, on FILE or on a sample
  sssp-scope COMMAND ...  one of the commands below, without a window
  sssp-scope render ...   draw the dashboard of a saved trace as a picture

FILE is a graph on disk (gzip, xz and bz2 are unpacked) or a sample such as
sample:city_roads?n=5000&seed=2 (quote it: the shell reads ? and &)."""

_EXAMPLES = """\
examples:
  sssp-scope roads.gr.gz
  sssp-scope run roads.gr.gz --algorithm adds --source 1 --verify
  sssp-scope run sample:city_roads --trace run.npz
  sssp-scope render run.npz -o run.png
  sssp-scope info roads.gr.gz
  sssp-scope COMMAND --help

exit codes: 0 done, 1 a reported error, 2 wrong usage, 3 a failed check"""


def main(argv: list[str] | None = None) -> int:
    """Run one command; return its exit code (see the module). Never shows a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without Δ shows a question mark
    try:
        with _ends_cleanly():
            code = _run_command(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _discard_output()
        return PIPE_CLOSED
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if os.environ.get(DEBUG):
            raise
        print(f"{NAME}: {_words(error)}", file=sys.stderr)
        return 1


@contextmanager
def _ends_cleanly() -> Iterator[None]:
    """Let SIGTERM leave through every `finally`: no file stays half written."""

    def end(_number: int, _frame: object) -> None:
        raise SystemExit(ENDED)

    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of every command; each sets `handle`, a function of the arguments."""
    parser = argparse.ArgumentParser(
        prog=NAME,
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, (sentence, fill) in _COMMANDS.items():
        command = commands.add_parser(
            name,
            help=sentence,
            description=f"{sentence[0].upper()}{sentence[1:]}.",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        fill(command)
    return parser


def version() -> str:
    """Return the installed version, or `unknown` in a tree that was never installed."""
    from importlib.metadata import PackageNotFoundError, version as installed

    try:
        return installed(NAME)
    except PackageNotFoundError:
        return "unknown"


class _Version(argparse.Action):
    """`--version`: looked up only when asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any, **__: Any) -> None:
        print(f"{NAME} {version()}")
        parser.exit()


def _run_command(argv: list[str]) -> int:
    try:
        if argv[:1] == ["bench"] and argv[1:2] in _LABORATORIES:  # with options of their own
            laboratory = import_module(f"gpu.lab.bench_{argv[1]}")
            return int(laboratory.main(argv[2:]))
        args = build_parser().parse_args(argv)
        code: int = args.handle(args)
    except SystemExit as ended:  # argparse: 0 after --help, 2 after wrong usage
        return ended.code if isinstance(ended.code, int) else 2
    return code


def _words(error: Exception) -> str:
    """Return one line that says what happened and, where it is known, to which file."""
    if isinstance(error, GpuError):
        words = str(error)
    elif isinstance(error, MemoryError):
        words = "out of memory; close other programs or take a smaller graph"
    elif isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        words = f"{place}{error.strerror or error}"
    else:
        fault = f"{type(error).__name__}: {error}"
        words = f"a bug of ours, sorry ({fault}); {DEBUG}=1 shows where"
    return " ".join(words.split())


def _discard_output() -> None:
    """Point stdout at nothing: Python would complain while flushing it at exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # stdout is no file (a test's capture)
        return


if __name__ == "__main__":
    sys.exit(main())
