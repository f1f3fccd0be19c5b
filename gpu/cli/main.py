"""The commands that need no window: run, sweep, compare, apsp, info, convert, bench and more.

The entry point `sssp-scope` is `viewer.app`, which opens the window, adds what draws (`render`)
and hands everything else to `main` here. No Qt is imported, and only the module of the command
that is asked for.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from gpu.cli.interrupt import end_of, ends_soon
from gpu.cli.parser import Parser
from gpu.cli.terminal import (
    DEBUG,
    NAME,
    PIPE_CLOSED,
    WRONG_USAGE,
    discard,
    failure,
    opened,
    usage_error,
)
from gpu.cuda.watchdog import end_process_on_silence
from gpu.errors import EngineError
from gpu.files import told_to_stop
from gpu.interpreter import settle_process, version

# a sentence, and the module whose function `add_<name>` fills the parser
COMMANDS: dict[str, tuple[str, str]] = {
    "run": ("run an algorithm on a graph", "gpu.cli.run"),
    "sweep": ("run with many values of delta or of another knob", "gpu.cli.sweep"),
    "compare": ("compare algorithms on a graph", "gpu.cli.compare"),
    "apsp": ("write distances between all pairs, or from many sources", "gpu.cli.apsp"),
    "verify": ("check distances by two independent proofs", "gpu.cli.run"),
    "convert": ("read a graph, write it in another format", "gpu.cli.graphs"),
    "info": ("describe a graph", "gpu.cli.graphs"),
    "samples": ("list the built-in graphs", "gpu.cli.graphs"),
    "lesson": ("list lessons, or check one", "gpu.cli.page"),
    "page": ("write runs, a sweep or a lesson as one web page", "gpu.cli.page"),
    "bench": ("measure the program itself on this computer", "gpu.lab.bench"),
    "completion": ("print a completion script for a shell", __name__),
}
LABORATORIES = (["gpu"], ["cpu"], ["apsp"], ["ladder"])  # of `bench`, with options of their own
SHELLS = ("bash", "zsh", "fish")

_DESCRIPTION = """\
An oscilloscope for GPU shortest-path schedulers.

  sssp-scope [FILE]       open the window, on FILE or on recorded runs
  sssp-scope COMMAND ...  a command, without a window; each has --help

FILE is a graph (gzip, xz, bz2 are unpacked), for a command also - (stdin) or a
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
    words = sys.argv[1:] if argv is None else argv
    return guarded(words, lambda: _run_command(words))


def guarded(argv: list[str], work: Callable[[], int]) -> int:
    """Run the work of a command line and report any exception; return the exit code."""
    with opened(argv):
        try:
            with ends_soon():
                return _flushed(work())
        except BrokenPipeError:
            discard(sys.stdout)
            return PIPE_CLOSED
        except (Exception, KeyboardInterrupt, SystemExit) as error:
            return _ended_by(error)


def _ended_by(error: BaseException) -> int:
    """Report the exception that ended a command; return the exit code."""
    if isinstance(error, SystemExit) and not told_to_stop():  # argparse: --help, wrong usage
        return _flushed(error.code if isinstance(error.code, int) else WRONG_USAGE)
    if told_to_stop() or not isinstance(error, Exception):  # also what a library made of it
        is_term = isinstance(error, SystemExit)
        return end_of(signal.SIGTERM if is_term else signal.SIGINT)
    if os.environ.get(DEBUG):
        raise error
    try:
        sys.stdout.flush()  # what was printed before stands before
    except OSError:
        discard(sys.stdout)
    return failure(error)


def build_parser(only: str | None = None) -> Parser:
    """Return the parser of every command; each sets `handle`, a function of the arguments.

    only : fill the parser of this command alone, whose module is then the only one imported
    """
    parser = Parser(prog=NAME, description=_DESCRIPTION, epilog=_EXAMPLES)
    parser.add_argument(
        "-V", "--version", action=_Version, nargs=0, help="print the version and exit"
    )
    commands = parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True, parser_class=Parser
    )
    for name, (sentence, module) in COMMANDS.items():
        about = f"{sentence[0].upper()}{sentence[1:]}."
        command = commands.add_parser(name, help=sentence, description=about)
        if only is None or only == name:
            getattr(import_module(module), f"add_{name}")(command)
            _add_manner(command)
    return parser


def add_completion(parser: Parser) -> None:
    """Fill the parser of `completion`; shtab makes the scripts."""
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=", ".join(SHELLS))
    parser.set_defaults(handle=_completion)
    parser.epilog = (
        "examples:\n"
        '  eval "$(sssp-scope completion bash)"                  # in ~/.bashrc\n'
        "  sssp-scope completion zsh > ~/.zfunc/_sssp-scope      # a folder in $fpath"
    )


def _completion(args: argparse.Namespace) -> int:
    import shtab

    parser = build_parser()
    print(shtab.complete(parser, args.shell))
    return 0


class _Version(argparse.Action):
    """`--version`: looked up only when asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any, **__: Any) -> None:
        print(f"{NAME} {version()}")
        parser.exit()


def _run_command(argv: list[str]) -> int:
    if argv[:1] == ["bench"] and argv[1:2] in LABORATORIES:
        return int(import_module(f"gpu.lab.bench_{argv[1]}").main(argv[2:]))
    first = argv[0] if argv else ""
    if first.startswith("-") and first not in ("-h", "--help", "-V", "--version"):
        words = f"{first} comes before the command; write it after: {NAME} COMMAND {first}"
        return usage_error(f"usage: {NAME} COMMAND [options]\n", NAME, words)
    args = build_parser(first).parse_args(argv)
    end_process_on_silence(lambda words: failure(EngineError(words)))
    code: int = args.handle(args)
    return code


def _add_manner(parser: Parser) -> None:
    """Add the options that every command has."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):  # `lesson` is a command of commands
            for child in action.choices.values():
                _add_manner(child)
            return
    much = parser.add_argument_group("every command").add_mutually_exclusive_group()
    much.add_argument("-q", "--quiet", action="store_true", help="errors, files and JSON only")
    words = "progress on stderr [where it is a terminal]"
    much.add_argument("--progress", action="store_true", help=words)


def _flushed(code: int) -> int:
    """Return the exit code once all output is written, else that of the fault."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        discard(sys.stdout)
        return PIPE_CLOSED
    except OSError as error:
        discard(sys.stdout)
        return failure(error)
    return code


if __name__ == "__main__":
    sys.exit(main())
