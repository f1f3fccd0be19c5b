"""A child whose parent has died ends itself, and gives back the parent's shared memory.

Nothing else would: a child that waits for work holds both ends of the queue it waits at, so it
never sees that nobody is left to send any.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from multiprocessing import connection
from typing import NoReturn

from gpu.host.memory import Memory


def end_with_parent(memory: Memory) -> None:
    """Watch the parent from a thread of this process; once it is dead, leave at once."""
    threading.Thread(target=_watch, args=(memory,), daemon=True).start()


def _watch(memory: Memory) -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        leave(memory)


def leave(memory: Memory) -> NoReturn:
    """End this process, at once: the parent is dead."""
    memory.sweep()
    os._exit(1)
