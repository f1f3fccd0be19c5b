"""argparse with one line of usage, shorter help, and errors reported our way."""

from __future__ import annotations

import argparse
import sys
from typing import Any, NoReturn

from gpu.cli.terminal import usage_error

HELP_COLUMN = 26  # where the words about an option begin


class Parser(argparse.ArgumentParser):
    """A parser of one command, or of all."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("formatter_class", _Formatter)
        super().__init__(**options, allow_abbrev=False)

    def format_usage(self) -> str:
        """Return one line: the command, its arguments, [options]."""
        words = [self.prog]
        for action in self._get_positional_actions():
            word = str(action.metavar or action.dest)
            words.append(f"[{word}]" if action.nargs in ("?", "*") else word)
        for action in self._get_optional_actions():
            if action.required:
                words.append(f"{action.option_strings[0]} {action.metavar}")
        return f"usage: {' '.join(words)} [options]\n"

    def format_help(self) -> str:
        """Return the help, which begins with the same line of usage."""
        whole = super().format_help()
        return f"{self.format_usage()}\n{whole.partition(chr(10) * 2)[2]}"

    def error(self, message: str) -> NoReturn:
        """Report wrong usage and leave with its exit code."""
        sys.exit(usage_error(self.format_usage(), self.prog, message))

    def _print_message(self, message: str, file: Any = None) -> None:
        (file or sys.stderr).write(message)  # argparse's own ignores a full disk


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """argparse's formatter, in fewer lines."""

    def __init__(self, prog: str, **options: Any) -> None:
        super().__init__(prog, **{"max_help_position": HELP_COLUMN, **options})

    def _format_action(self, action: argparse.Action) -> str:
        if action.nargs == argparse.PARSER:  # the commands, without a line that says COMMAND
            return "".join(map(self._format_action, action._get_subactions()))  # type: ignore[attr-defined]
        return super()._format_action(action)
