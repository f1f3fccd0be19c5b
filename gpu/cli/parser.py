"""The parser of every command: help that fits a screen, and "did you mean" in its errors.

argparse, with four differences. The usage is one line, `COMMAND FILE [options]`. A group of options
may be `rare`: `--help` names them in a line and leaves the rest to the man page. A wrong option,
command or choice is answered with the nearest right one. An unknown option is an error of the
command that it was given to, not of the program.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Sequence
from typing import Any, NoReturn

from gpu.cli.terminal import usage_error
from gpu.words import did_you_mean

HELP_COLUMN = 26  # where the words about an option begin


class Parser(argparse.ArgumentParser):
    """A parser of one command, or of all."""

    def __init__(self, **given: Any) -> None:
        given.setdefault("formatter_class", _Formatter)
        given.setdefault("allow_abbrev", False)
        super().__init__(**given, add_help=False)
        self.add_argument("-h", "--help", action="help", help=argparse.SUPPRESS)
        self.color = False  # argparse of Python 3.14 colours by itself
        self._rare: list[argparse._ArgumentGroup] = []
        self._common: list[argparse._ArgumentGroup] = []

    def add_rare_group(self, title: str) -> argparse._ArgumentGroup:
        """Add a group whose options `--help` only names."""
        group = self.add_argument_group(title)
        self._rare.append(group)
        return group

    def add_common_group(self) -> argparse._ArgumentGroup:
        """Add the group of what every command has, which the program's own help shows."""
        group = self.add_argument_group("of every command")
        self._common.append(group)
        return group

    def children(self) -> dict[str, Parser]:
        """Return the parsers of the commands below this one, by name."""
        found: dict[str, Parser] = {}
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                found |= action.choices
        return found

    def format_usage(self) -> str:
        """Return one line: the command, what it must be given, [options]."""
        words = [self.prog, *(_metavar(action) for action in self._get_positional_actions())]
        for action in self._get_optional_actions():
            if action.required:
                words.append(f"{action.option_strings[0]} {action.metavar}")
        return f"usage: {' '.join([*words, '[options]'])}\n"

    def format_help(self) -> str:
        """Return a screen of help."""
        formatter = self._get_formatter()
        formatter.add_text(f"{self.format_usage()}{self.description or ''}".rstrip())
        shown = [group for group in self._action_groups if group not in self._common]
        first, *others = shown  # of argparse's own two, of arguments and of options
        formatter.start_section("arguments and options" if first._group_actions else "options")
        formatter.add_arguments(first._group_actions)
        for group in others:
            if group is not self._optionals:
                formatter.end_section()
                where = " (see: sssp-scope man)" if group in self._rare else ""
                formatter.start_section(f"{group.title}{where}")
            if group in self._rare:
                formatter.add_text(_named(group))
            else:
                formatter.add_arguments(group._group_actions)
        formatter.end_section()
        formatter.add_text(self.epilog)
        return formatter.format_help()

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Return the arguments; nothing is left unknown."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            options = [word for action in self._actions for word in action.option_strings]
            word = unknown[0].partition("=")[0]
            near = did_you_mean(word, options) if word.startswith("-") else ""
            self.error(f"unrecognized arguments: {' '.join(unknown)}{near}")
        return found, unknown

    def error(self, message: str) -> NoReturn:
        """Tell wrong usage and leave with its exit code."""
        sys.exit(usage_error(self.format_usage(), self.prog, message))

    def _print_message(self, message: str, file: Any = None) -> None:
        (file or sys.stderr).write(message)  # argparse's own keeps quiet about a full disk

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        known = [str(choice) for choice in action.choices]
        near = did_you_mean(str(value), known)
        words = f"invalid choice: {str(value)!r}{near} (choose from {', '.join(known)})"
        raise argparse.ArgumentError(action, words)


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """argparse's formatter, in fewer lines."""

    def __init__(self, prog: str, **given: Any) -> None:
        super().__init__(prog, **{"max_help_position": HELP_COLUMN, **given})

    def _format_action(self, action: argparse.Action) -> str:
        if action.nargs == argparse.PARSER:  # the commands, without a line that says COMMAND
            return "".join(map(self._format_action, action._get_subactions()))  # type: ignore[attr-defined]
        return super()._format_action(action)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(action.option_strings)} {value}"


def _metavar(action: argparse.Action) -> str:
    word = str(action.metavar or action.dest)
    return f"[{word}]" if action.nargs in ("?", "*") else word


def _named(group: argparse._ArgumentGroup) -> str:
    names = [action.option_strings[-1 if action.nargs == 0 else 0] for action in _shown(group)]
    words = " ".join(f"{name}" for name in names)
    return textwrap.fill(words, 76, break_on_hyphens=False)


def _shown(group: argparse._ArgumentGroup) -> list[argparse.Action]:
    return [action for action in group._group_actions if action.help != argparse.SUPPRESS]
