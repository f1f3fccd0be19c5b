"""Declared data: plain values of TOML or JSON become records, or one sentence says what is wrong.

A file's form is declared as msgspec Structs or dataclasses whose fields carry type and range. A
value that does not fit becomes a SchemaError: its place, the value, and msgspec's words.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Annotated, Any, TypeVar, get_type_hints

import msgspec
from msgspec import Meta

from gpu.errors import GpuError
from gpu.words import SENTENCE, in_sight

Kind = TypeVar("Kind")

PLAIN = r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*$"  # text without control characters
Text = Annotated[str, Meta(pattern=PLAIN)]
Number = Annotated[float, Meta(ge=-1e300, le=1e300)]
Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]

# msgspec builds what it knows of a type at its first use; two threads at once crash in there.
_CONVERTING = threading.RLock()
LONGEST = 60  # characters of a given value that a sentence repeats
_FAULTS = msgspec.ValidationError, RecursionError, UnicodeEncodeError  # the last of half a letter


class SchemaError(GpuError):
    """Data that does not fit its declaration; the message begins with the place in it."""


def checked(kind: type[Kind], data: Any, hook: Callable[[type, Any], Any] | None = None) -> Kind:
    """Return plain values as `kind`. SchemaError.

    hook : makes values of our own classes from plain ones, (class, value) -> value; a ValueError
        of it is reported at the place where it happened, as is one of a `__post_init__`
    """
    try:
        with _CONVERTING:
            return msgspec.convert(data, kind, dec_hook=hook)
    except _FAULTS as error:
        raise SchemaError(in_sight(_sentence(str(error), data), SENTENCE)) from error


def fitting(kind: type[Kind], table: Any) -> Kind:
    """Return what fits of a remembered table, field by field, and the default of what does not.

    kind : a Struct or dataclass whose fields all have defaults
    """
    fields: dict[str, Any] = {}
    for name, kind_of_it in get_type_hints(kind, include_extras=True).items():
        if isinstance(table, Mapping) and name in table:
            with _CONVERTING, suppress(*_FAULTS):
                fields[name] = msgspec.convert(table[name], kind_of_it)
    return kind(**fields)


def shown(value: Any) -> str:
    """Return a value for a sentence: as Python writes it, short, on one line."""
    try:
        words = repr(value)
    except (ValueError, RecursionError):  # a number of 4,300 digits, tables in tables
        return f"a long {type(value).__name__}"
    return words if len(words) <= LONGEST else words[: LONGEST - 1] + "…"


def _sentence(message: str, data: Any) -> str:
    """Return msgspec's words after the place and the value there, where that is a single one."""
    words, _, path = message.rpartition(" - at `$")
    if not words:
        return message
    place = path.rstrip("`").lstrip(".")
    for key, number in re.findall(r"(\w+)|\[(\d+)\]", place.partition("[...]")[0]):
        data = data[key] if key else data[int(number)]
    if isinstance(data, Mapping | list):
        return f"{place}: {words}"
    return f"{place} = {shown(data)}: {words}"
