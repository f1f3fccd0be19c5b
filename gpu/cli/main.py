"""The commands that need no window: run, sweep, compare, apsp, info, convert, bench and more.

The entry point `sssp-scope` is `viewer.app`, which opens the window, adds what draws (`render`)
and hands everything else to `main` here. No Qt is imported, and of the commands only the module
of the one that is asked for.

Results go to stdout; errors, notes and progress to stderr (`gpu.cli.terminal`). Exit codes are in
`gpu.cli.outcome`. Told to end (SIGTERM), a command cleans up as at Ctrl-C.
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
from typing import Any, NamedTuple

from gpu.cli.outcome import (
    DEBUG,
    ENDED,
    EXIT_CODES,
    FAILED,
    INTERRUPTED,
    PIPE_CLOSED,
    WRONG_USAGE,
)
from gpu.cli.parser import Parser
from gpu.cli.terminal import NAME, discard, failure, opened, settle
from gpu.cuda.watchdog import end_process_on_silence
from gpu.errors import EngineError
from gpu.interpreter import settle_process, version


class Command(NamedTuple):
    """A row of the table: a sentence, and the module whose `function` fills the parser."""

    sentence: str
    module: str
    function: str


COMMANDS: dict[str, Command] = {
    "run": Command("run an algorithm on a graph and tell what it did", "gpu.cli.run", "add_run"),
    "sweep": Command(
        "run over many values of delta, or of another knob", "gpu.cli.sweep", "add_sweep"
    ),
    "compare": Command(
        "run two algorithms and tell what differs", "gpu.cli.compare", "add_compare"
    ),
    "apsp": Command(
        "distances between all pairs, written to a .npy file", "gpu.cli.apsp", "add_apsp"
    ),
    "info": Command("read a whole graph and describe it", "gpu.cli.graphs", "add_info"),
    "samples": Command(
        "list the graphs that come with the program", "gpu.cli.graphs", "add_samples"
    ),
    "convert": Command(
        "read a graph in one format, write it in another", "gpu.cli.graphs", "add_convert"
    ),
    "verify": Command("check distances by two independent proofs", "gpu.cli.run", "add_verify"),
    "lesson": Command(
        "list lessons, check one, write one as a page", "gpu.cli.lesson", "add_lesson"
    ),
    "page": Command("write runs, a sweep or a lesson as one web page", "gpu.cli.page", "add_page"),
    "bench": Command("measure how fast the program itself is here", "gpu.lab.bench", "add_bench"),
    "engine": Command(
        "run engines for a window or command on another computer", "gpu.cli.engine", "add_engine"
    ),
    "pickup": Command(
        "fetch a run whose connection to another computer broke", "gpu.cli.pickup", "add_pickup"
    ),
    "licences": Command(
        "list the licences of all that the program runs on", "gpu.cli.licences", "add_licences"
    ),
    "help": Command("show the help of a command", "gpu.cli.manual", "add_help"),
    "man": Command("print the manual page: every option", "gpu.cli.manual", "add_man"),
    "completion": Command(
        "print what makes a shell complete our words", "gpu.cli.manual", "add_completion"
    ),
}
_LABORATORIES = (["gpu"], ["cpu"], ["apsp"])
_ABOUT_ALL = ("help", "man", "completion")  # commands that look at the parsers of the others

_DESCRIPTION = """\
An oscilloscope for GPU shortest-path schedulers.

  sssp-scope [FILE]       open the window, on FILE or on recorded runs
  sssp-scope COMMAND ...  one of the commands below, without a window; each has
                          --help, --quiet and --progress (man: sssp-scope man)

FILE is a graph (gzip, xz, bz2 are unpacked), for a command also - (stdin) or a
pipe, or a sample as 'sample:city_roads?n=5000' (quoted: a shell reads ? and &)."""

_EXAMPLES = """\
examples:
  sssp-scope roads.gr.gz
  sssp-scope run roads.gr.gz --algorithm adds --source 1 --verify
  sssp-scope help run"""


def main(argv: list[str] | None = None) -> int:
    """Run one command; return its exit code. Never shows a traceback."""
    settle_process()
    words = sys.argv[1:] if argv is None else argv
    return guarded(words, lambda: _run_command(words))


def guarded(argv: list[str], work: Callable[[], int]) -> int:
    """Do the work of a command line, the last handler behind it; return the exit code."""
    with opened(() if _is_laboratory(argv) else argv):
        try:
            with _ends_cleanly():
                code = work()
            return _flushed(code)
        except SystemExit as ended:  # argparse: 0 after --help, 2 after wrong usage
            return _flushed(ended.code if isinstance(ended.code, int) else WRONG_USAGE)
        except BrokenPipeError:
            discard(sys.stdout)
            return PIPE_CLOSED
        except KeyboardInterrupt:
            return INTERRUPTED
        except Exception as error:
            if os.environ.get(DEBUG):
                raise
            try:
                sys.stdout.flush()  # what was printed before stands before
            except OSError:
                discard(sys.stdout)
            return failure(error, FAILED)


def add_command(name: str, command: Command) -> None:
    """Let the command line have one more command: of the window, whose modules it must not know."""
    last = {key: COMMANDS.pop(key) for key in _ABOUT_ALL}
    COMMANDS[name] = command
    COMMANDS.update(last)


def build_parser(only: str | None = None) -> Parser:
    """Return the parser of every command; each sets `handle`, a function of the arguments.

    only : fill the parser of this command alone, whose module is then the only one imported
    """
    few = [f"{code} {words.partition(':')[0]}" for code, words in EXIT_CODES.items() if code < 128]
    codes = f"exit codes: {', '.join(few)}"
    parser = Parser(prog=NAME, description=_DESCRIPTION, epilog=f"{_EXAMPLES}\n\n{codes}")
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True, parser_class=Parser
    )
    for name, row in COMMANDS.items():
        about = f"{row.sentence[0].upper()}{row.sentence[1:]}."
        command = commands.add_parser(name, help=row.sentence, description=about)
        if only is None or only == name:
            getattr(import_module(row.module), row.function)(command)
            if name not in _ABOUT_ALL:
                _add_manner(command)
    return parser


class _Version(argparse.Action):
    """`--version`: looked up only when asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any, **__: Any) -> None:
        print(f"{NAME} {version()}")
        parser.exit()


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


def _run_command(argv: list[str]) -> int:
    if _is_laboratory(argv):  # with options of their own
        laboratory = import_module(f"gpu.lab.bench_{argv[1]}")
        return int(laboratory.main(argv[2:]))
    args = build_parser(argv[0] if argv else "").parse_args(argv)
    given = vars(args)
    settle(
        quiet=given.get("quiet", False),
        progress=given.get("progress", False),
        json_asked=given.get("json", False),
    )
    end_process_on_silence(lambda words: failure(EngineError(words), FAILED))
    code: int = args.handle(args)
    return code


def _is_laboratory(argv: list[str]) -> bool:
    return argv[:1] == ["bench"] and argv[1:2] in _LABORATORIES


def _add_manner(parser: Parser) -> None:
    """Add what every command has: how much it tells."""
    children = parser.children()  # `lesson` is a command of commands
    for child in children.values():
        _add_manner(child)
    if children:
        return
    much = parser.add_common_group().add_mutually_exclusive_group()
    much.add_argument("--quiet", action="store_true", help="results and errors only")
    much.add_argument(
        "--progress", action="store_true", help="progress on stderr [where it is a terminal]"
    )


def _flushed(code: int) -> int:
    """Return the exit code once what was printed is written, else that of the fault."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        discard(sys.stdout)
        return PIPE_CLOSED
    except OSError as error:
        discard(sys.stdout)
        return failure(error, FAILED)
    return code


if __name__ == "__main__":
    sys.exit(main())
