"""One decorator for compiled loops: Numba, cached, the GIL released.

Numba's own cache does not notice that a *called* function in another file changed,
and would go on running the old one. So the cache folder is named by a hash of the sources
of the rooms `loops`, `model` and `cpu` and of single files, where calls cross files (compiled
code elsewhere stays within its file), and stands in the user's cache folder: an installed package
may be read-only.

Compiling takes seconds, and a graph of a few thousand arcs does not need it: `at_once` runs the
same functions as plain Python until they are compiled. The result is the same to the byte.

Import this module only from modules that are compiled code: it imports Numba, which
takes about a second.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
import numpy as np
from numba.core.dispatcher import Dispatcher

PLAIN_ARCS = (
    3_000  # up to which plain Python is as quick as loading what was compiled: half a second
)
LEAN: Any = {"nogil": True, "error_model": "numpy", "_nrt": False}  # see `compiled_lean`


def cache_folder() -> Path:
    """Return the user's cache folder for this version of our sources."""
    if "SSSP_SCOPE_CACHE" in os.environ:
        root = Path(os.environ["SSSP_SCOPE_CACHE"])
    elif sys.platform == "win32":
        root = Path(os.environ.get("LOCALAPPDATA", tempfile.gettempdir())) / "sssp-scope" / "cache"
    elif sys.platform == "darwin":
        root = Path.home() / "Library" / "Caches" / "sssp-scope"
    else:
        root = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "sssp-scope"
    return root / f"numba-{numba.__version__}-{_source_digest()}"


def _source_digest() -> str:
    """Hash what is called across files: three rooms, and single files beside."""
    top = Path(__file__).resolve().parent
    digest = hashlib.blake2b(digest_size=6)
    rooms = (path for room in ("loops", "model", "cpu") for path in (top / room).rglob("*.py"))
    called = ("scheduler.py", "delta.py", "parsing/interning.py")
    for path in (*(top / name for name in called), *sorted(rooms)):
        if path.is_file():
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def compiled(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a function at its first call; `options` are those of `numba.njit`.

    Used bare (`@compiled`) or with options (`@compiled(parallel=True)`).
    """
    options = {"cache": True, "nogil": True, "error_model": "numpy", **options}
    if function is None:
        return numba.njit(**options)
    return numba.njit(**options)(function)


def compiled_lean(function: Callable[..., Any]) -> Any:
    """Compile a function that allocates no array and returns none.

    Such code needs no reference counts, and leaving them out made the modelled ADDS
    3.5 times faster: passing a tuple of arrays from function to function counts every
    array up and down with atomic operations (22 M against 6 M arcs/s on NY).
    """
    return compiled(function, _nrt=False)


def compiled_inline(function: Callable[..., Any]) -> Any:
    """Compile a function as part of its callers, never by itself; otherwise lean.

    A function that is compiled by itself is optimised again inside every caller. For the
    modelled ADDS, eleven functions deep, that made 14 s of compilation where 8 s do.
    """
    return compiled(function, _nrt=False, inline="always")


def at_once(function: Any, arcs: float, *arguments: Any) -> Any:
    """Call a compiled function; uncompiled where that is quick and it is not compiled yet.

    arcs : how much it has to do; arguments : arrays, records, tuples of them, numbers
    """
    if arcs > PLAIN_ARCS or is_compiled(function, *arguments):
        return function(*arguments)
    with np.errstate(all="ignore"):  # as compiled code does
        return plain(function)(*map(_by_name, arguments))


def is_compiled(function: Any, *arguments: Any) -> bool:
    """Whether a function is ready for arguments of these types, in this process."""
    return tuple(map(function.typeof_pyval, arguments)) in function.overloads


def plain(function: Any) -> FunctionType:
    """Return the same function uncompiled, and so is every function that it calls."""
    written: FunctionType = getattr(function, "py_func", function)
    if written not in _plain:
        known, around = id(written.__globals__) in _around, written.__globals__
        names = _around.setdefault(id(around), {})
        _plain[written] = FunctionType(
            written.__code__, names, written.__name__, written.__defaults__, written.__closure__
        )
        if not known:
            names |= {key: _plain_value(value) for key, value in around.items()}
    return _plain[written]


def _plain_value(value: Any) -> Any:
    return plain(value) if isinstance(value, Dispatcher) else value


_plain: dict[FunctionType, FunctionType] = {}  # what was written: the same, uncompiled
_around: dict[int, dict[str, Any]] = {}  # id of a module's names: the names as uncompiled code sees


class Row:
    """One record whose fields are attributes, also those that NumPy has names of its own for."""

    __slots__ = ("_record",)

    def __init__(self, record: np.void) -> None:
        object.__setattr__(self, "_record", record)

    def __getattr__(self, name: str) -> Any:
        return self._record[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self._record[name] = value


class Rows:
    """An array of records, each as a Row."""

    __slots__ = ("_array",)

    def __init__(self, array: np.ndarray) -> None:
        self._array = array.view(np.ndarray)

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, place: int) -> Row:
        return Row(self._array[place])

    def __setitem__(self, place: int, row: Row) -> None:
        self._array[place] = row._record


def _by_name(value: Any) -> Any:
    """Return an argument as compiled code sees it: fields of records by name."""
    if isinstance(value, np.record):
        return Row(value)
    if isinstance(value, np.ndarray) and value.dtype.names is not None:
        return Rows(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(_by_name, value))
    return value


numba.config.CACHE_DIR = str(cache_folder())  # type: ignore[attr-defined]
