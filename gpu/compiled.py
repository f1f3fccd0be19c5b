"""One decorator for compiled loops: Numba, cached, the GIL released.

Numba's own cache does not notice that a *called* function in another file changed,
and would go on running the old one. So the cache folder is named by a hash of the sources
of the rooms `loops`, `model` and `cpu` and of single files, where calls cross files (compiled
code elsewhere stays within its file), and stands in the user's cache folder: an installed package
may be read-only. Where that folder cannot be written either (no home, somebody else's home, a
read-only disk) it is a private one among the temporary files, else nothing is kept.

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
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from stat import S_ISDIR
from types import FunctionType
from typing import IO, Any

import numba
import numba.experimental.function_type  # what types are known: `is_compiled`
import numpy as np
from numba.core.caching import FunctionCache
from numba.core.dispatcher import Dispatcher

from gpu.locked import lock

PLAIN_ARCS = (
    3_000  # up to which plain Python is as quick as loading what was compiled: half a second
)
PATIENCE_S, PAUSE_S = 120.0, 0.05  # for another process that compiles the same function
LEAN: Any = {"nogil": True, "error_model": "numpy", "_nrt": False}  # see `compiled_lean`


def cache_folder() -> Path:
    """Return the folder of caches for this version of our sources, if it can be written at all."""
    name = f"numba-{numba.__version__}-{_source_digest()}"
    usual, other = _usual_root(), _temporary_root()
    if _is_writable(usual / name) or not _is_private(other) or not _is_writable(other / name):
        return usual / name
    return other / name


def _usual_root() -> Path:
    if "SSSP_SCOPE_CACHE" in os.environ:
        return Path(os.environ["SSSP_SCOPE_CACHE"])
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", tempfile.gettempdir())) / "sssp-scope" / "cache"
    try:
        home = Path.home()
    except RuntimeError:  # neither HOME nor an entry among the users
        home = Path(os.devnull)
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "sssp-scope"
    return Path(os.environ.get("XDG_CACHE_HOME", home / ".cache")) / "sssp-scope"


def _temporary_root() -> Path:
    user = getattr(os, "geteuid", lambda: "cache")()
    return Path(tempfile.gettempdir(), f"sssp-scope-{user}")


def _is_private(folder: Path) -> bool:
    """Whether a folder is ours alone, made now if need be: what is kept there will be run."""
    try:
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        found = folder.lstat()
    except OSError:
        return False
    if sys.platform == "win32":  # temporary files are each user's own
        return True
    return S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077


@cache
def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _source_digest() -> str:
    """Hash what is called across files: three rooms, and single files beside."""
    top = Path(__file__).resolve().parent
    digest = hashlib.blake2b(digest_size=6)
    rooms = (path for room in ("loops", "model", "cpu") for path in (top / room).rglob("*.py"))
    called = ("scheduler.py", "delta.py")
    for path in (*(top / name for name in called), *sorted(rooms)):
        if path.is_file():
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


numba.config.CACHE_DIR = str(cache_folder())  # type: ignore[attr-defined]
KEEPS = _is_writable(cache_folder())  # whether what is compiled outlives the process


class _Kept(FunctionCache):
    """What was compiled before, of one function; files that are damaged are made again.

    One process compiles it, others that want it meanwhile wait and load: engine and window's
    workers begin together, and two cores would do the same work twice.
    """

    _turn: IO[bytes] | None = None  # a file, locked from looking in vain until it is saved

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled function for a signature, None where it is to be compiled."""
        self._end_turn()
        found = self._kept(sig, target_context)
        if found is None:
            self._await_turn()
            found = self._kept(sig, target_context)  # perhaps somebody has just made it
        if found is not None:
            self._end_turn()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled."""
        try:
            super().save_overload(sig, data)
        finally:
            self._end_turn()

    def _await_turn(self) -> None:
        end = time.monotonic() + PATIENCE_S
        with suppress(OSError):
            self._impl.locator.ensure_cache_path()
            path = Path(self.cache_path, f"{self._impl.filename_base}.lock")
            self._turn = path.open("ab")
        while self._turn is not None and time.monotonic() < end:
            try:
                lock(self._turn)
                return
            except BlockingIOError:
                time.sleep(PAUSE_S)
            except OSError:  # a file system without locks
                return

    def _end_turn(self) -> None:
        if self._turn is not None:
            self._turn.close()
            self._turn = None

    def _kept(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever unpickling makes of bytes that are no pickle
            with suppress(OSError):
                self.flush()
            return None


def compiled(
    function: Callable[..., Any] | None = None, *, signatures: Sequence[Any] = (), **options: Any
) -> Any:
    """Compile a function at its first call; `options` are those of `numba.njit`.

    Used bare (`@compiled`) or with options (`@compiled(parallel=True)`).

    signatures : compile, or load, for these types now and for no others. Given to `njit` they
    would be compiled before the function has a cache, in every process again.
    """
    options = {"nogil": True, "error_model": "numpy", **options}

    def dispatcher(function: Callable[..., Any]) -> Any:
        made = numba.njit(**options)(function)
        if KEEPS:
            made._cache = _Kept(made.py_func)
        for signature in signatures:
            made.compile(signature)
        made.disable_compile(val=bool(signatures))
        return made

    return dispatcher if function is None else dispatcher(function)


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
    """Whether a function is ready for arguments of these types, in this process.

    Numba looks through the types that it knows. It adds to them when it first compiles, were they
    not imported above, and a thread that looks meanwhile would fail: the dictionary changes.
    """
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
            taken = dict(around)  # at once: whoever compiles meanwhile adds names of its own
            names |= {key: _plain_value(value) for key, value in taken.items()}
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
