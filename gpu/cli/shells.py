"""Words as one line that a shell reads as those words and nothing else.

A copied line is pasted without being read, and its names come from files of strangers. So a word
that no line can hold safely is refused, in words:

    every shell   control characters (a terminal obeys them, a newline runs the line) and the marks
                  that turn the direction of writing (what is seen is not what runs)
    POSIX         nothing else: single quotes, as `shlex` writes them
    Windows       what one pair of double quotes does not hold in cmd.exe and in PowerShell alike:
                  a person may paste into either. Single quotes are PowerShell's alone:
                  `'C:\\a&calc.gr'` starts calc in cmd.exe.

Programs on Windows part their line themselves, by the rules of CommandLineToArgvW: within double
quotes a backslash is itself unless a quote follows.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from typing import Literal

from gpu.errors import GpuError
from gpu.words import is_unseen

Shell = Literal["posix", "windows"]

HERE: Shell = "windows" if os.name == "nt" else "posix"
READ_IN_QUOTES = set('"%!$`\u201c\u201d\u201e')  # PowerShell takes curly quotes for straight ones
_PLAIN = re.compile(r"[A-Za-z0-9_./\\:=+-]+")  # read by no shell of Windows as anything else


def line_of(words: Sequence[str], shell: Shell = HERE) -> str:
    """Return the words as a line; GpuError where one of them cannot stand in any."""
    for word in words:
        _check_seen(word)
    return shlex.join(words) if shell == "posix" else " ".join(map(_double_quoted, words))


def file_word(name: str) -> str:
    """Return the name of a file so that no command takes it for an option or for `-`."""
    return f"./{name}" if name.startswith("-") else name


def option_words(flag: str, value: str) -> list[str]:
    """Return an option with its value, in one word where the value looks like an option."""
    return [f"{flag}={value}"] if value.startswith("-") else [flag, value]


def _check_seen(word: str) -> None:
    bad = next((mark for mark in word if is_unseen(mark)), None)
    if bad is not None:
        raise GpuError(
            f"{word!a} holds the unseen character U+{ord(bad):04X}, which a shell may obey; "
            "rename it"
        )


def _double_quoted(word: str) -> str:
    """Return a word as cmd.exe, PowerShell and the program behind them read it."""
    if _PLAIN.fullmatch(word):
        return word
    bad = next((mark for mark in word if mark in READ_IN_QUOTES), None)
    if bad is not None or word.endswith("\\"):
        raise GpuError(
            f"{word} holds {bad or 'a backslash at its end'}, which cmd.exe and PowerShell read "
            "differently; rename it"
        )
    return f'"{word}"'
