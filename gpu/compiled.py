"""One decorator for compiled loops: Numba, cached on disk, Python's lock released.

Numba's cache does not notice that a *called* function in another file changed. So the folder of the
cache is named by a hash of the sources where calls cross files.

Compiling takes seconds, and a graph of a few thousand arcs does not need it: `at_once` runs the
same functions as plain Python until they are compiled. The result is the same to the byte.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import os
import pickle
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any

import numba
import numba.experimental.function_type  # registers the last types that `is_compiled` looks through
import numpy as np
from numba.core import caching
from numba.core.dispatcher import Dispatcher
from numba.core.runtime import rtsys
from numba.core.types import BaseFunction

from gpu.files import cache_root

try:
    import fcntl
except ImportError:  # Windows: two processes may compile the same function
    fcntl = None  # type: ignore[assignment]

PATIENCE_S = 120.0  # that a process waits for another one that compiles
PLAIN_ARCS = 3_000  # up to which plain Python is as quick as loading compiled code: half a second
LEAN: Any = {"nogil": True, "error_model": "numpy", "_nrt": False}  # see `compiled_lean`


def cache_folder() -> Path:
    """Return the folder for code compiled from this version of our sources."""
    return cache_root() / f"numba-{numba.__version__}-{_source_digest()}"


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _source_digest() -> str:
    """Return a hash of the sources that compiled functions call: three rooms and two files."""
    top = Path(__file__).resolve().parent
    digest = hashlib.blake2b(digest_size=6)
    rooms = (path for room in ("loops", "model", "cpu") for path in (top / room).rglob("*.py"))
    called = ("scheduler.py", "delta.py")
    for path in (*(top / name for name in called), *sorted(rooms)):
        if path.is_file():
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


class SignatureFiles(caching.IndexDataCacheFile):
    """One file for each signature of a function, in place of Numba's index of numbered files.

    Of two processes that write to that index at once, one can leave its code under the other's
    number, and `f(int64[:])` then runs the code of `f(float64[:])`.

    A process that compiles a signature holds a lock on its file. Others wait for the code.
    """

    def save(self, key: Any, data: Any) -> None:
        """Write the code of one signature."""
        name = self._name_of(key)
        self._save_data(name, (self._source_stamp, key, data))
        _release(self._data_path(name))

    def load(self, key: Any) -> Any:
        """Return the code of one signature; None where there is none for these sources."""
        path = self._data_path(self._name_of(key))
        data = self._read(path, key)
        if data is None:
            _claim(path)
            data = self._read(path, key)
        if data is None:
            _quicken()  # it is compiled now
        else:
            _release(path)
        return data

    def _read(self, path: str, key: Any) -> Any:
        try:
            content = Path(path).read_bytes()
        except OSError:
            return None
        if content[:1] != pickle.PROTO or content[-1:] != pickle.STOP:
            return None
        stamp, kept, data = pickle.loads(content)  # noqa: S301, the cache is our own
        return data if (stamp, kept) == (self._source_stamp, key) else None

    def _name_of(self, key: Any) -> str:
        digest = hashlib.blake2b(repr(key).encode(), digest_size=10).hexdigest()
        return str(self._data_name_pattern.replace("{number:d}", digest))


def _claim(path: str) -> None:
    """Lock a file of the cache once no other process compiles what it is for."""
    if fcntl is None:
        return
    with contextlib.suppress(OSError):  # some file systems have no locks
        if path not in _claimed:
            _claimed[path] = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(_claimed[path], fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            time.sleep(0.05)


def _release(path: str) -> None:
    if path in _claimed:
        os.close(_claimed.pop(path))


_claimed: dict[str, int] = {}  # path: descriptor, of what this process compiles
FOLDER = cache_folder()
KEEPS = _is_writable(FOLDER)  # whether compiled code outlives the process
numba.config.CACHE_DIR = str(FOLDER)
caching.IndexDataCacheFile = SignatureFiles


def _load_overload(files: Any, signature: Any, context: Any) -> Any:
    """Load compiled code, without the 0.2 s of imports that Numba needs only to compile."""
    if not getattr(files, "lean", False):
        rtsys.initialize(context)
    context.refresh = bool
    try:
        return _LOAD_OVERLOAD(files, signature, context)
    finally:
        del context.refresh


_LOAD_OVERLOAD, caching.Cache.load_overload = caching.Cache.load_overload, _load_overload


def _copy_of_block(block: Any) -> Any:
    """Copy one block of a function that is inlined, but not the scope that its blocks share.

    Numba copies the scope, with every variable of the function, once for each block. That took a
    third of the time to compile ADDS.
    """
    return copy.deepcopy(block, {id(block.scope): block.scope})


@cache
def _quicken() -> None:
    """Make Numba compile in less than half the time; called where something is compiled.

    The inliner is imported here because that takes 50 ms. A call of a built-in function is resolved
    once for the types of its arguments, instead of at each place and in each round.
    """
    inliner: Any = import_module("numba.core.inline_closurecall")
    inliner.copy = SimpleNamespace(deepcopy=_copy_of_block)
    resolve = BaseFunction.get_call_type

    def resolve_once(function: Any, context: Any, args: Any, kws: Any) -> Any:
        key = function, context, args, tuple(kws.items())
        if key not in _resolved:
            _resolved[key] = resolve(function, context, args, kws)
        return _resolved[key]

    BaseFunction.get_call_type = resolve_once


_resolved: dict[Any, Any] = {}  # function, context, types of arguments: signature


def compiled(
    function: Callable[..., Any] | None = None, *, signatures: Sequence[Any] = (), **options: Any
) -> Any:
    """Compile a function at its first call; `options` are those of `numba.njit`.

    signatures : compile, or load, for these types now and for no others
    """
    usual: Any = {"nogil": True, "error_model": "numpy", "cache": KEEPS, "no_cfunc_wrapper": True}
    decorator = numba.njit(list(signatures) or None, **usual, **options)
    return decorator if function is None else decorator(function)


def compiled_lean(function: Callable[..., Any]) -> Any:
    """Compile a function that allocates no array and returns none.

    Such code needs no reference counts: without them the modelled ADDS is 3.5 times faster.
    """
    lean = compiled(function, _nrt=False)
    lean._cache.lean = True
    return lean


def compiled_part(function: Callable[..., Any]) -> Any:
    """Compile a function that allocates no array and that only compiled code calls."""
    return compiled(function, _nrt=False, no_cpython_wrapper=True)


def compiled_inline(function: Callable[..., Any]) -> Any:
    """Compile a function as part of its callers; by itself it would be optimised in each again."""
    return compiled(function, _nrt=False, inline="always")


def at_once(function: Any, arcs: float, *arguments: Any) -> Any:
    """Call a compiled function; uncompiled where that is quick and it is not compiled yet.

    arcs : how much it has to do; arguments : arrays, records, tuples of them, numbers
    """
    if arcs > PLAIN_ARCS or is_compiled(function, *arguments):
        return function(*arguments)
    return uncompiled(function, *arguments)


def uncompiled(function: Any, *arguments: Any) -> Any:
    """Call a compiled function as plain Python: what is done once in a run."""
    with np.errstate(all="ignore"):  # as compiled code does
        return plain(function)(*map(_by_name, arguments))


def is_compiled(function: Any, *arguments: Any) -> bool:
    """Whether a function is ready for arguments of these types, in this process."""
    return tuple(map(function.typeof_pyval, arguments)) in function.overloads


def plain(function: Any) -> FunctionType:
    """Return the same function uncompiled, and so is every function that it calls."""
    written: FunctionType = getattr(function, "py_func", function)
    if written not in _plain:
        is_new, around = id(written.__globals__) not in _around, written.__globals__
        names = _around.setdefault(id(around), {})
        _plain[written] = FunctionType(
            written.__code__, names, written.__name__, written.__defaults__, written.__closure__
        )
        if is_new:
            taken = dict(around)  # at once: whoever compiles meanwhile adds names of its own
            for key, value in taken.items():
                names[key] = plain(value) if isinstance(value, Dispatcher) else value
    return _plain[written]


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
