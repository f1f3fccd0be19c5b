"""The reader's process: it reads what it is told to, one file after the other, and nothing else.

Before the first file it gives up what reading does not need (`lock_down`), before each it takes
a limit of memory. It ends when its window hangs up or dies.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from contextlib import suppress
from multiprocessing import connection, parent_process
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from gpu.errors import FormatError, GpuError
from gpu.memory import available_bytes
from gpu.reader.kinds import KINDS, Kind
from gpu.reader.messages import REQUEST_BYTES, Refusal, Reply, Request, noted, send
from gpu.schema import checked

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

MOST_FILES = 64  # open at once
FORBIDDEN = (  # events of `sys.audit`: of these, each one that begins so
    "socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.system",
    "os.startfile", "os.putenv", "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link",
    "os.symlink", "os.truncate", "os.chmod", "os.chown", "os.kill", "shutil.", "ftplib.", "http.",
    "smtplib.", "urllib.", "webbrowser.", "pickle.", "pty.", "winreg.",
)  # fmt: skip
WRITING = os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC


def main(pipe: Connection) -> None:
    """Answer requests until the other end of the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the window
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # of what is loaded later: threads are given up
    lock_down()
    with suppress(EOFError, OSError):
        send(pipe, Reply("ready"))
        while True:
            request = checked(Request, json.loads(pipe.recv_bytes(REQUEST_BYTES)))
            _answer(pipe, request)


def lock_down() -> None:
    """Give up for good: writing files, starting programs, core dumps, the network."""
    sys.dont_write_bytecode = True
    if resource is not None:
        limits = {"RLIMIT_FSIZE": 0, "RLIMIT_CORE": 0, "RLIMIT_NOFILE": MOST_FILES}
        for name, most in {**limits, "RLIMIT_NPROC": 0}.items():
            with suppress(OSError, ValueError, AttributeError):
                resource.setrlimit(getattr(resource, name), (most, most))
    sys.addaudithook(_refuse)


def _refuse(event: str, given: tuple[Any, ...]) -> None:
    """Forbid what reading a file never needs; a tripwire for what a parser is tricked into."""
    if event.startswith(FORBIDDEN):
        raise PermissionError(f"a reader may not do {event}")
    if event == "open" and isinstance(given[2], int) and given[2] & WRITING:
        raise PermissionError(f"a reader may not write {given[0]!r}")


def _answer(pipe: Connection, request: Request) -> None:
    kind = KINDS[request.kind]
    try:
        _limit_memory(kind, request.path)
        found = kind.read(request, lambda share: send(pipe, Reply("share", share)))
        record, arrays = kind.told(found)
        send(pipe, Reply("found", record=record, arrays=noted(arrays)), arrays)
    except BrokenPipeError:
        raise
    except FormatError as error:
        send(pipe, Reply("refused", refusal=Refusal("FormatError", error.problem, error.line)))
    except GpuError as error:
        send(pipe, Reply("refused", refusal=Refusal(type(error).__name__, str(error))))
    except (MemoryError, OSError, ValueError, RecursionError) as error:
        words = getattr(error, "strerror", None) or str(error) or type(error).__name__
        words = " ".join(str(words).split())
        send(pipe, Reply("refused", refusal=Refusal("GpuError", f"{request.path}: {words}")))


def _limit_memory(kind: Kind, path: str) -> None:
    """Bound what this file may take beyond what this process has now."""
    if resource is None or not hasattr(resource, "RLIMIT_DATA"):
        return
    with suppress(OSError, ValueError):
        room, free = kind.memory(path), available_bytes()
        most = _data_bytes() + (room if free is None else min(room, free))
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        if hard != resource.RLIM_INFINITY:
            most = min(most, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def _data_bytes() -> int:
    """Return the private memory of this process, as RLIMIT_DATA counts it."""
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/self/status").read_bytes().splitlines():
            if line.startswith(b"VmData:"):
                return int(line.split()[1]) * 1024
    return 1 << 30


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
