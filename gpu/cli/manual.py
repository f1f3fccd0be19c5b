"""What tells about the commands: help, the manual page, and completion for a shell.

All three are made from the parser, so none of them can be behind it. Completion is made by shtab:
the scripts name our words, they do not start Python at every Tab.

    sssp-scope man | man -l -                   # the manual page, read
    eval "$(sssp-scope completion bash)"        # in ~/.bashrc
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from gpu.cli.inputs import add_examples
from gpu.cli.outcome import DEBUG, ERROR_CODES, EXIT_CODES
from gpu.cli.parser import Parser
from gpu.cli.terminal import NAME

SHELLS = ("bash", "zsh", "fish")
ENVIRONMENT = {
    DEBUG: "show the traceback of a fault of ours",
    "SSSP_SCOPE_LESSONS": "a folder of one's own lessons",
    "SSSP_SCOPE_CACHE": "a folder for what is computed once, placements of vertices for example",
    "NO_COLOR": "obeyed: nothing is coloured, with it or without",
}
_OPTIONS = {
    "--version": "print the version and exit",
    "-h, --help": "of the program, of a command: a screen of help",
    "--quiet": "of a command: results and errors only",
    "--progress": "of a command: progress on stderr, also where that is no terminal",
}
_FILES = ("FILE", "OUT", "D.csv", "LESSON", "PAGE", "trace")  # words that stand for a file


def add_help(parser: Parser) -> None:
    """Fill the parser of `help`."""
    parser.add_argument("words", metavar="COMMAND", nargs="*", help="a command [all of them]")
    parser.set_defaults(handle=_help)
    add_examples(parser, "sssp-scope help run", "sssp-scope help lesson check")


def add_man(parser: Parser) -> None:
    """Fill the parser of `man`."""
    parser.set_defaults(handle=_man)
    add_examples(
        parser,
        "sssp-scope man | man -l -",
        "sssp-scope man > ~/.local/share/man/man1/sssp-scope.1",
    )


def add_completion(parser: Parser) -> None:
    """Fill the parser of `completion`."""
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=", ".join(SHELLS))
    parser.set_defaults(handle=_completion)
    add_examples(
        parser,
        'eval "$(sssp-scope completion bash)"                            # ~/.bashrc',
        "sssp-scope completion zsh > ~/.zfunc/_sssp-scope                # in $fpath",
        "sssp-scope completion fish > ~/.config/fish/completions/sssp-scope.fish",
    )


def manual_page() -> str:
    """Return the manual page, in the macros of man(7)."""
    from gpu.cli.main import build_parser
    from gpu.interpreter import version

    whole = build_parser()
    lines = [
        f'.TH SSSP-SCOPE 1 "" "SSSP Scope {version()}" "User commands"',
        *_section("Name"),
        r"sssp\-scope \- an oscilloscope for GPU shortest\-path schedulers",
        *_section("Synopsis"),
        f".B {_roff(NAME)}",
        ".RI [ FILE ]",
        ".br",
        f".B {_roff(NAME)}",
        r".I COMMAND \fR[options]",
        *_section("Description"),
        *_verbatim(whole.description or ""),
    ]
    lines += _section("Options")
    for words, told in _OPTIONS.items():
        lines += _entry(words, told)
    for name, command in whole.children().items():
        lines += [*_section(f"{name}"), *_told(command)]
    lines += _section("Exit status")
    for code, words in EXIT_CODES.items():
        lines += _entry(str(code), words)
    lines += _section("Errors under --json")
    lines.append(
        _roff('One object a line on stderr: {"error": {"code", "message", "file", "line"}, ')
        + _roff('"exit_code"}. file and line are null where they are not known. The codes:')
    )
    for word, words in ERROR_CODES.items():
        lines += _entry(word, words)
    lines += _section("Environment")
    for word, words in ENVIRONMENT.items():
        lines += _entry(word, words)
    return "\n".join(lines) + "\n"


def _help(args: argparse.Namespace) -> int:
    from gpu.cli.main import build_parser

    build_parser(args.words[0] if args.words else "").parse_args([*args.words, "--help"])
    return 0


def _man(_args: argparse.Namespace) -> int:
    print(manual_page(), end="")
    return 0


def _completion(args: argparse.Namespace) -> int:
    import shtab

    from gpu.cli.main import build_parser

    whole = build_parser()
    for parser in _all_parsers(whole):
        for action in parser._actions:
            if str(action.metavar or action.dest) in _FILES or "." in str(action.metavar):
                action.complete = shtab.FILE  # type: ignore[attr-defined]
    script = shtab.complete(whole, args.shell)
    # a file as the first word opens the window: bash offers files where no command fits
    print(script.replace("complete -o bashdefault", "complete -o bashdefault -o default"))
    return 0


def _all_parsers(parser: Parser) -> Iterator[Parser]:
    yield parser
    for child in parser.children().values():
        yield from _all_parsers(child)


def _told(command: Parser) -> Iterator[str]:
    """Yield what a command is, its arguments in groups, and its examples."""
    yield _roff(command.description or "")
    yield from _verbatim(command.format_usage())
    for group in command._action_groups:
        shown = [action for action in group._group_actions if action.help != argparse.SUPPRESS]
        if not shown or any(isinstance(one, argparse._SubParsersAction) for one in shown):
            continue
        yield f".SS {_roff((group.title or '').capitalize())}"
        for action in shown:
            yield from _entry(_invocation(action), (action.help or "").replace("%%", "%"))
    for name, child in command.children().items():
        yield f".SS {_roff(f'{command.prog} {name}')}"
        yield from _told(child)
    if command.epilog:
        yield from _verbatim(command.epilog)


def _invocation(action: argparse.Action) -> str:
    if not action.option_strings:
        return str(action.metavar or action.dest)
    names = ", ".join(action.option_strings)
    if action.nargs == 0:
        return names
    if action.choices is not None and action.metavar is None:
        return f"{names} {'|'.join(map(str, action.choices))}"
    return f"{names} {action.metavar or action.dest.upper()}"


def _section(title: str) -> list[str]:
    return [f".SH {_roff(title.upper())}"]


def _entry(term: str, words: str) -> list[str]:
    return [".TP", rf"\fB{_roff(term)}\fR", _roff(words)]


def _verbatim(text: str) -> list[str]:
    return [".nf", *map(_roff, text.rstrip("\n").splitlines()), ".fi"]


def _roff(text: str) -> str:
    """Return text that roff prints as it is."""
    escaped = text.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq")
    escaped = "".join(c if c.isascii() else rf"\[u{ord(c):04X}]" for c in escaped)
    return rf"\&{escaped}" if escaped.startswith((".", r"\(aq")) else escaped
