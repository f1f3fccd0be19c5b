"""The commands that need no window: run, sweep, compare, apsp, info, convert, lab and more.

The entry point `sssp-scope` is `viewer.app`, which opens the window, adds `bench` and `render`,
and hands everything else to `main` here. No Qt is imported, and only the module of the command
that is asked for.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Callable
from importlib import import_module

from gpu.cli.interrupt import end_of, ends_soon, heard, process_of
from gpu.cli.parser import Command, Parser
from gpu.cli.terminal import (
    DEBUG,
    INTERRUPTED,
    NAME,
    PIPE_CLOSED,
    WRONG_USAGE,
    discard,
    failure,
    flushed,
    opened,
    report,
)
from gpu.cuda.watchdog import end_process_on_silence
from gpu.errors import EngineError
from gpu.files import require_addresses
from gpu.interpreter import early, settle_process, version

# a sentence, and the module whose function `add_<name>` fills the parser
COMMANDS: dict[str, tuple[str, str]] = {
    "run": ("run an algorithm on a graph", "gpu.cli.run"),
    "sweep": ("run with many values of delta or of another knob", "gpu.cli.studies"),
    "compare": ("compare two algorithms on a graph", "gpu.cli.studies"),
    "apsp": ("write distances between all pairs, or from many sources", "gpu.cli.studies"),
    "verify": ("check distances by two independent proofs", "gpu.cli.run"),
    "convert": ("read a graph, write it in another format", "gpu.cli.graphs"),
    "info": ("describe a graph", "gpu.cli.graphs"),
    "samples": ("list the built-in graphs", "gpu.cli.graphs"),
    "lesson": ("check a lesson", "gpu.cli.page"),
    "page": ("write runs, a sweep or a lesson as one web page", "gpu.cli.page"),
    "policy": ("score a scheduler of your own on a suite of graphs", "gpu.cli.policy"),
    "lab": ("run a suite of graphs and codes, and report on it", "gpu.cli.lab"),
}

_DESCRIPTION = """\
An oscilloscope for GPU shortest-path schedulers.

  sssp-scope [FILE]       open the window, on FILE or on recorded runs
  sssp-scope COMMAND ...  a command, without a window; each has --help

FILE is a graph (gzip and xz are unpacked), for a command also - (stdin) or a
pipe, or a sample as 'sample:city_roads?n=5000' (quoted: a shell reads ? and &)."""

_EXAMPLES = """\
examples:
  sssp-scope roads.gr.gz
  sssp-scope run roads.gr.gz --algorithm adds --source 1 --verify
  sssp-scope run --help

exit codes: 0 done, 1 a reported error, 2 wrong usage, 3 a failed check"""


def main(argv: list[str] | None = None) -> int:
    """Run one command; return its exit code. Never shows a traceback."""
    settle_process()
    gc.set_threshold(100_000)  # imports make many objects that stay
    sys.setswitchinterval(2e-4)  # s: whoever reads a file waits for Python's lock at each block
    if argv is None:
        sys.modules.setdefault("coverage", None)  # type: ignore[arg-type] # Numba would import it
        return process_of(lambda: main(sys.argv[1:]))
    return guarded(argv, lambda: _run_command(argv))


def guarded(argv: list[str], work: Callable[[], int]) -> int:
    """Run the work of a command line and report any exception; return the exit code."""
    with opened(argv):
        try:
            with ends_soon():
                return flushed(work())
        except BrokenPipeError:
            discard(sys.stdout)
            return PIPE_CLOSED
        except SystemExit as error:  # argparse: --help, wrong usage
            return flushed(error.code if isinstance(error.code, int) else WRONG_USAGE)
        except (Exception, KeyboardInterrupt) as error:
            if heard or not isinstance(error, Exception):  # also what a library made of it
                return flushed(end_of(heard[0] if heard else INTERRUPTED))
            if os.environ.get(DEBUG):
                raise
            code = failure(error)
            flushed(code)
            return code


def build_parser(only: str | None = None) -> Parser:
    """Return the parser of every command; each sets `handle`, a function of the arguments.

    only : fill the parser of this command alone, whose module is then the only one imported
    """
    parser = Parser(prog=NAME, description=_DESCRIPTION, epilog=_EXAMPLES)
    parser.add_argument("-V", "--version", action="store_true", help="print the version and exit")
    commands = parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True, parser_class=Command
    )
    for name, (sentence, module) in COMMANDS.items():
        about = f"{sentence[0].upper()}{sentence[1:]}."
        command = commands.add_parser(name, help=sentence, description=about)
        if only is None or only == name:
            getattr(import_module(module), f"add_{name}")(command)
    parser.usage = "%(prog)s COMMAND [options]"
    return parser


def _run_command(argv: list[str]) -> int:
    first = argv[0] if argv else ""
    if first in ("-V", "--version"):
        report(f"{NAME} {version()}")
        return 0
    require_addresses()
    if first == "run" and "cuda" in argv and "--device" not in argv:
        from gpu.cuda.device import wake

        early(wake)  # while modules are imported
    parser = build_parser(first)
    if first.startswith("-") and first not in ("-h", "--help"):
        parser.error(f"{first} comes before the command; write it after: {NAME} COMMAND {first}")
    args: argparse.Namespace = parser.parse_args(argv)
    end_process_on_silence(lambda words: failure(EngineError(words)))
    code: int = args.handle(args)
    return code


if __name__ == "__main__":
    sys.exit(main())
