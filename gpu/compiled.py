"""One decorator for compiled loops: Numba, cached, the GIL released.

Numba's own cache does not notice that a *called* function in another file changed,
and would go on running the old one. So the cache folder is named by a hash of the sources
of the rooms `loops`, `model` and `cpu` and of single files, where calls cross files (compiled
code elsewhere stays within its file), and stands in the user's cache folder: an installed package
may be read-only.

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
from typing import Any

import numba

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


numba.config.CACHE_DIR = str(cache_folder())  # type: ignore[attr-defined]
