"""Write a file whole or not at all.

The bytes go to a hidden file beside the target, which takes the target's name only once
everything is on disk. A full disk, a crash or Ctrl-C therefore never leaves half a file
under a name that somebody trusts. The hidden file of a program that was killed goes when the next
file is written to that folder: it is locked while somebody writes it. Devices and pipes
(`/dev/null`) are written directly, and the text `-` is standard output; a file of that name is
`./-`.
"""

from __future__ import annotations

import os
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO
from zipfile import ZIP_STORED, ZipFile

from gpu.errors import GpuError, MemoryNeededError
from gpu.locked import lock

STDOUT = "-"
PART, PART_END = ".sssp-", ".part"
FRESH_S = 10.0  # a part as young as this may not be locked yet
_parts: set[Path] = set()  # being written by this process
_signals: list[int] = []  # that told this process to end


@contextmanager
def written_whole(path: str | Path) -> Iterator[IO[bytes]]:
    """Open `path` for binary writing; it appears, or is replaced, when the block ends well.

    Raises GpuError naming the path where the system refuses (permission, space, folder).
    """
    if path == STDOUT:
        with _standard_output() as file:
            yield file
        return
    target = _resolved(path)
    try:
        if _is_device(target):
            with target.open("wb") as file:
                yield file
            return
        _remove_left_over(target.parent)
        part = _part_beside(target)
        try:
            _parts.add(part)
            with part.open("xb") as file:
                with suppress(OSError):  # some file systems have no locks
                    lock(file, wait=True)
                yield file
            if _signals:  # the exception of the signal may have been lost in a callback
                raise KeyboardInterrupt
            part.replace(target)
        finally:
            _remove(part)
    except BrokenPipeError:  # who read it has seen enough
        raise
    except (OSError, MemoryError, ValueError) as error:
        first = _first(error)
        if first is None:
            raise
        raise _refused(path, first) from error


def stop_naming(number: int) -> None:
    """Let no further file of this process get its name: signal `number` told it to end."""
    _signals.append(number)


def told_to_stop() -> bool:
    """Whether `stop_naming` was called."""
    return bool(_signals)


def abandon() -> None:
    """Remove the hidden parts of files that are being written; for a process that ends now."""
    for part in list(_parts):
        _remove(part)


def _remove(part: Path) -> None:
    with suppress(OSError):
        part.unlink(missing_ok=True)
    _parts.discard(part)


@contextmanager
def new_archive(
    file: IO[bytes], way: int = ZIP_STORED, level: int | None = None
) -> Iterator[ZipFile]:
    """Write a zip archive into a file; where the block fails, nothing more is tried.

    way, level : of `zipfile.ZipFile`. Closed by itself an archive would hide what went wrong.
    """
    archive = ZipFile(file, "w", way, compresslevel=level)
    try:
        yield archive
    except BaseException:
        archive.fp = None  # it counts as closed
        raise
    try:
        archive.close()
    finally:
        archive.fp = None


def check_writable(path: str | Path) -> None:
    """Raise GpuError now, before hours of work, if `path` could not be written later."""
    if path == STDOUT:
        return
    target = _resolved(path)
    if target.is_dir():
        raise GpuError(f"cannot write {path}: it is a folder; name a file")
    if not target.parent.is_dir():
        raise GpuError(f"cannot write {path}: there is no folder {target.parent}; make it first")
    try:
        if target.exists():
            with target.open("ab"):
                pass
        if not _is_device(target):
            part = _part_beside(target)
            part.touch(exist_ok=False)
            part.unlink()
    except OSError as error:
        raise _refused(path, error) from error


@contextmanager
def _standard_output() -> Iterator[IO[bytes]]:
    try:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _refused("stdout", error) from error


def _resolved(path: str | Path) -> Path:
    """Follow links, so that a link stays and what it points to is replaced."""
    return Path(path) if _is_device(Path(path)) else Path(os.path.realpath(path))


def _is_device(target: Path) -> bool:
    """Whether the target is a device or pipe; /dev/stdout is, even where it leads to a file."""
    return target.parts[:2] == ("/", "dev") or (target.exists() and not target.is_file())


def _part_beside(target: Path) -> Path:
    return target.with_name(f"{PART}{os.getpid()}-{secrets.token_hex(4)}{PART_END}")


def _remove_left_over(folder: Path) -> None:
    """Remove what programs left that were killed while they wrote here."""
    with suppress(OSError), os.scandir(folder) as entries:
        names = [entry.name for entry in entries if entry.name.startswith(PART)]
        for part in (folder / name for name in names if name.endswith(PART_END)):
            with suppress(OSError):
                _try_alone(part)
                part.unlink()


def _try_alone(part: Path) -> None:
    """Raise OSError where somebody writes a part, or has just made it."""
    with part.open("rb") as file:
        if abs(time.time() - os.fstat(file.fileno()).st_mtime) < FRESH_S:
            raise BlockingIOError(f"{part} is fresh")
        lock(file)


def _first(error: BaseException | None) -> OSError | MemoryError | None:
    """Return what went wrong first: archives that are closed in mid-write say something else."""
    found = None
    while error is not None:
        found = error if isinstance(error, OSError | MemoryError) else found
        error = error.__context__
    return found


def _refused(path: str | Path, error: OSError | MemoryError) -> GpuError:
    if isinstance(error, MemoryError):
        return MemoryNeededError(f"cannot write {path}: memory ran out; close other programs")
    return GpuError(f"cannot write {path}: {error.strerror or error}")
