"""argparse with errors reported our way."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import Any, NoReturn

from gpu.cli.terminal import WRONG_USAGE, fault

HELP_COLUMN = 26  # where the words about an option begin


class Parser(argparse.ArgumentParser):
    """argparse with errors reported our way."""

    def __init__(self, **options: Any) -> None:
        shown = partial(argparse.RawDescriptionHelpFormatter, max_help_position=HELP_COLUMN)
        super().__init__(**options, formatter_class=shown, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Report wrong usage and leave with its exit code."""
        plain = f"{self.format_usage()}{self.prog}: error: {message}"
        sys.exit(fault("usage", message, WRONG_USAGE, plain))


class Command(Parser):
    """The parser of one command."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.add_argument("-q", "--quiet", action="store_true", help="errors, files and JSON only")
