"""Declared data: from what a stranger wrote to records of ours, or to one sentence.

A file's form is declared as msgspec Structs whose fields carry type, range and, where the type
does not say it, what is allowed in words (`Meta(description=...)`). `checked` reads plain values
(of TOML or JSON) into them. A value that does not fit becomes a SchemaError: place, value, what is
allowed and, for an unknown key, the one that was probably meant.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from difflib import get_close_matches
from typing import Annotated, Any, TypeVar, get_type_hints

import msgspec
from msgspec import Meta, inspect

from gpu.errors import GpuError

Kind = TypeVar("Kind")
Hook = Callable[[type, Any], Any]

PLAIN = r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*$"
Text = Annotated[str, Meta(pattern=PLAIN, description="text without control characters")]
Number = Annotated[float, Meta(ge=-1e300, le=1e300, description="a number")]
Count = Annotated[int, Meta(ge=0, le=2**63 - 1, description="a whole number, 0 or more")]
Table = Annotated[dict[str, Any], Meta(description="a table")]

# msgspec builds what it knows of a type at its first use; two threads at once crash in there.
_CONVERTING = threading.RLock()
LONGEST = 60  # characters of a given value that a sentence repeats
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]")
_PLACE = re.compile(r"^(.*?)(?: - at `\$((?:\.\w+|\[\d+\]|\[\.\.\.\])*)`)?$", re.DOTALL)
_WORDS: dict[type, str] = {
    inspect.AnyType: "anything",
    inspect.NoneType: "nothing",
    inspect.BoolType: "true or false",
    inspect.IntType: "a whole number",
    inspect.FloatType: "a number",
    inspect.StrType: "text in quotes",
    inspect.DictType: "a table",
    inspect.StructType: "a table",
    inspect.DataclassType: "a table",
}


class SchemaError(GpuError):
    """Data that does not fit its declaration; the message begins with the place in it."""


def checked(kind: type[Kind], data: Any, hook: Hook | None = None) -> Kind:
    """Return plain values as `kind`. SchemaError.

    hook : makes values of our own classes from plain ones, (class, given) -> value; a ValueError
        of it is reported at the place where it happened, as is one of a Struct's `__post_init__`
    """
    try:
        with _CONVERTING:
            return msgspec.convert(data, kind, dec_hook=hook)
    except msgspec.ValidationError as error:
        raise SchemaError(_sentence(kind, data, error)) from error
    except RecursionError as error:
        raise SchemaError("nested too deeply") from error
    except UnicodeEncodeError as error:
        raise SchemaError("a text in it is no Unicode: half a letter stands alone") from error


def fitting(kind: type[Kind], table: Any) -> Kind:
    """Return what fits of a remembered table, field by field, and the default of what does not.

    kind : a Struct or dataclass whose fields all have defaults
    """
    fields: dict[str, Any] = {}
    for name, kind_of_it in get_type_hints(kind, include_extras=True).items():
        if isinstance(table, Mapping) and name in table:
            faults = msgspec.ValidationError, RecursionError, UnicodeEncodeError
            with _CONVERTING, suppress(*faults):
                fields[name] = msgspec.convert(table[name], kind_of_it)
    return kind(**fields)


def shown(value: Any) -> str:
    """Return a given value for a sentence: as it is written in a file, short, on one line."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    try:
        words = repr(value)
    except (ValueError, RecursionError):  # a number of 4,300 digits, tables in tables
        return f"a long {type(value).__name__}"
    return words if len(words) <= LONGEST else words[: LONGEST - 1] + "…"


def meant(key: str, keys: list[str]) -> str:
    """Return "; did you mean 'probe'?" for a key that is nearly one of those known, else ""."""
    near = get_close_matches(key, keys, 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _sentence(kind: Any, data: Any, error: msgspec.ValidationError) -> str:
    match = _PLACE.match(str(error))
    assert match is not None
    path, _, beyond = (match[2] or "").partition("[...]")  # an entry of a table by any key
    places, value, info, last = _walked(path, data, inspect.type_info(kind))
    here = ", ".join([*places, last] if last else places)
    if error.__cause__ is not None or beyond or path != (match[2] or ""):
        return f"{here}: {match[1]}" if here else match[1]
    where = ", ".join(places)
    fields = {field.encode_name: field for field in _fields(info)}
    if fields and isinstance(value, Mapping):
        where, words = here, _keys(fields, value)
    else:
        words = f"{last or 'this'} = {shown(value)}; allowed: {_allowed(info)}"
    return f"{where}: {words}" if where else words


def _walked(path: str, value: Any, info: Any) -> tuple[list[str], Any, Any, str]:
    """Follow a path such as ".step[0].run[1].probe".

    Returns the places on the way in words, the value there, its type, and the last place: tables
    of a list are called by their key or name where they have one.
    """
    places: list[str] = []
    last = ""
    for name, number in _STEP.findall(path):
        info = _chosen(info, value)
        if name:
            fields = {field.encode_name: field.type for field in _fields(info)}
            places += [last] if last else []
            value, info, last = value[name], fields[name], name
            continue
        value, info = value[int(number)], _item(info, int(number))
        called = value.get("key", value.get("name")) if isinstance(value, Mapping) else None
        if isinstance(value, Mapping):
            last += f" {shown(called)}" if isinstance(called, str) else f" {int(number) + 1}"
        else:
            last += f"[{number}]"
    return places, value, info if isinstance(info, inspect.Metadata) else _chosen(info, value), last


def _keys(fields: dict[str, Any], value: Mapping[str, Any]) -> str:
    """Say which key is too many, or missing."""
    unknown = [key for key in value if key not in fields]
    missing = [name for name, field in fields.items() if field.required and name not in value]
    if missing:
        near = next((key for key in unknown if get_close_matches(key, missing[:1])), None)
        instead = "" if near is None else f"; {shown(near)} is given: did you mean {missing[0]!r}?"
        return f"no {missing[0]}; needed: {_allowed(fields[missing[0]].type)}{instead}"
    key = unknown[0] if unknown else ""
    allowed = ", ".join(sorted(fields))
    return f"unknown key {shown(key)}{meant(key, list(fields))}; allowed: {allowed}"


def _fields(info: Any) -> tuple[Any, ...]:
    info = info.type if isinstance(info, inspect.Metadata) else info
    return getattr(info, "fields", ())


def _item(info: Any, number: int) -> Any:
    return info.item_types[number] if isinstance(info, inspect.TupleType) else info.item_type


def _chosen(info: Any, value: Any) -> Any:
    """Return of a union the type that a value was probably meant for."""
    info = info.type if isinstance(info, inspect.Metadata) else info
    if not isinstance(info, inspect.UnionType):
        return info
    kinds: tuple[type, ...] = ()
    if isinstance(value, Mapping):
        kinds = (inspect.StructType, inspect.DataclassType, inspect.DictType)
    elif isinstance(value, list):
        kinds = (inspect.ListType, inspect.VarTupleType, inspect.TupleType)
    return next((one for one in info.types if isinstance(_bare(one), kinds)), info)


def _bare(info: Any) -> Any:
    return info.type if isinstance(info, inspect.Metadata) else info


def _allowed(info: Any) -> str:
    """Return what a type takes, in words."""
    words = _WORDS.get(type(info), type(info).__name__)
    if isinstance(info, inspect.Metadata):
        text = (info.extra_json_schema or {}).get("description")
        words = str(text or _allowed(info.type))
    elif isinstance(info, inspect.LiteralType):
        words = ", ".join(str(value) for value in info.values)
    elif isinstance(info, inspect.UnionType):
        kinds = [one for one in info.types if not isinstance(one, inspect.NoneType)]
        words = " or ".join(_allowed(one) for one in kinds)
    elif isinstance(info, inspect.TupleType):
        items = [_allowed(one) for one in info.item_types]
        each = f", each {items[0]}" if len(set(items)) == 1 else f": {', '.join(items)}"
        words = f"a list of {len(items)}{each}"
    elif isinstance(info, inspect.ListType | inspect.VarTupleType):
        sizes = _limits(info.min_length, info.max_length)
        words = f"a list{sizes}, each {_allowed(info.item_type)}"
    elif isinstance(info, inspect.CustomType):
        line = str(info.cls.__doc__).partition("\n")[0].rstrip(".")
        words = line[:1].lower() + line[1:]
    elif isinstance(info, inspect.IntType | inspect.FloatType):
        words += _limits(info.ge, info.le)
    return words


def _limits(low: Any, high: Any) -> str:
    if low is not None and high is not None:
        return f", {low:,} to {high:,}"
    return f", {low:,} or more" if low is not None else f", up to {high:,}" if high else ""
