"""Files and memory: written whole or not at all, read within limits, asked for first.

Whole       `written_whole`: the bytes go to a hidden file beside the target, which takes the
            target's name only once everything is written. A full disk, a crash or Ctrl-C never
            leaves half a file under a name; a killed program leaves its `.sssp-*.part`.
            `temporary_folder` goes with the process too.
            Devices and pipes are written directly, and `-` is standard output.
Read        `open_regular`: a pipe would wait for ever, a device may never end, and a link may lead
            to either. Files that a person names to a command may be those too (`open_any`).
Memory      `require_memory` compares the bytes that work needs with those that are free, before it
            starts.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from typing import IO

from gpu.errors import GpuError, MemoryNeededError
from gpu.words import size_words

LEAST_ADDRESSES = 300_000_000  # bytes that `info` of a small graph maps, files of code included
STDOUT, STDIN = "-", "/dev/stdin"
PART, PART_END = ".sssp-", ".part"
_READ = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_BINARY", "O_CLOEXEC", "O_NOCTTY", "O_NONBLOCK")
)
_parts: set[Path] = set()  # being written by this process

# whole or not at all


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
        part = target.with_name(f"{PART}{os.getpid()}-{secrets.token_hex(4)}{PART_END}")
        try:
            _parts.add(part)
            with part.open("xb") as file:
                yield file
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


def write_whole(path: str | Path, content: bytes) -> None:
    """Write a file, whole or not at all; errors as `written_whole`."""
    with written_whole(path) as file:
        file.write(content)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Make a folder for the time of the block."""
    folder = Path(tempfile.mkdtemp(prefix="sssp-"))
    _parts.add(folder)
    try:
        yield folder
    finally:
        _remove(folder)


def abandon() -> None:
    """Remove files that are being written, and temporary folders; for a process that ends now."""
    for part in list(_parts):
        _remove(part)


def _remove(part: Path) -> None:
    with suppress(OSError):
        if part.is_dir():
            shutil.rmtree(part, ignore_errors=True)
        else:
            part.unlink(missing_ok=True)
    _parts.discard(part)


def check_writable(path: str | Path) -> None:
    """Raise GpuError now, before hours of work, if `path` could not be written later."""
    if path == STDOUT:
        return
    target = _resolved(path)
    if target.is_dir():
        raise GpuError(f"cannot write {path}: it is a folder; name a file")
    if not target.parent.is_dir():
        raise GpuError(f"cannot write {path}: there is no folder {target.parent}; make it first")
    if not os.access(target if _is_device(target) else target.parent, os.W_OK):
        raise GpuError(f"cannot write {path}: permission denied; choose another place")


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


def _first(error: BaseException | None) -> OSError | MemoryError | None:
    """Return what went wrong first: archives that are closed in mid-write say something else."""
    first = None
    while error is not None:
        first = error if isinstance(error, OSError | MemoryError) else first
        error = error.__context__
    return first


def _refused(path: str | Path, error: OSError | MemoryError) -> GpuError:
    if isinstance(error, MemoryError):
        return MemoryNeededError(f"cannot write {path}: memory ran out; close other programs")
    return GpuError(f"cannot write {path}: {error.strerror or error}")


# read


def cache_root() -> Path:
    """Return the folder for code that was compiled here; it need not exist."""
    if "SSSP_SCOPE_CACHE" in os.environ:
        return Path(os.environ["SSSP_SCOPE_CACHE"])
    local = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME")
    try:
        folder = Path(local) if local else Path.home() / ".cache"
    except RuntimeError:  # neither HOME nor an entry among the users
        folder = Path(os.devnull)
    return folder / "sssp-scope"


def open_regular(path: str | Path) -> IO[bytes]:
    """Open a regular file for reading. OSError; its `strerror` says what to do."""
    if "\0" in str(path):
        raise OSError(errno.EINVAL, "no file has such a name: it holds a NUL")
    _check_regular(os.stat(path))
    handle = os.open(path, _READ)
    try:
        _check_regular(os.fstat(handle))  # the file may have been replaced since
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_regular(path: str | Path, most: int) -> bytes:
    """Return the bytes of a regular file of up to `most` bytes. OSError."""
    with open_regular(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"more than {most:,} bytes; allowed: {most:,}")
    return data


def is_stdin(path: str | Path) -> bool:
    """Whether a path means the standard input of this process."""
    return Path(path).as_posix() == STDIN


def open_any(path: str | Path) -> BufferedReader:
    """Open a file, pipe or device for reading; standard input also where it has no path.

    Waits for a pipe's writer. OSError.
    """
    return open(0, "rb", closefd=False) if is_stdin(path) else open(path, "rb")


def _check_regular(state: os.stat_result) -> None:
    if not stat.S_ISREG(state.st_mode):
        raise OSError(errno.EINVAL, "not a file: folders, devices and pipes are not read")


# memory


def available_bytes() -> int | None:
    """Return the bytes that this process may still allocate, None where unknown.

    Linux: MemAvailable, and the memory limit of the control group (containers). macOS: half of
    the physical memory.
    """
    sizes = [size for size in (_linux_available(), _cgroup_available()) if size is not None]
    if sizes:
        return min(sizes)
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (ValueError, OSError, AttributeError):
        return None


def require_memory(needed: int, what: str) -> None:
    """Raise MemoryNeededError if `needed` bytes are more than are free.

    `what` names the work in the message, usually the file.
    """
    free = available_bytes()
    if free is not None and needed > free:
        raise MemoryNeededError(
            f"{what}: needs about {size_words(needed)} of memory more, {size_words(free)} are "
            "free; close other programs or use a machine with more memory"
        )


def require_addresses() -> None:
    """Raise MemoryNeededError where `ulimit -v` is too low for NumPy and SciPy.

    They would print words of their own, or hang, while they are imported.
    """
    if sys.platform == "win32":
        return
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if resource.RLIM_INFINITY != limit < LEAST_ADDRESSES:
        raise MemoryNeededError(
            f"ulimit -v allows {size_words(limit)}; the libraries of this program need "
            f"{size_words(LEAST_ADDRESSES)}: raise it"
        )


def _linux_available() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_bytes().splitlines():
            if line.startswith(b"MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        return None
    return None


def _cgroup_available() -> int | None:
    try:
        limit = int(Path("/sys/fs/cgroup/memory.max").read_text())
        used = int(Path("/sys/fs/cgroup/memory.current").read_text())
    except (OSError, ValueError):  # absent, or the word "max"
        return None
    return max(0, limit - used)
