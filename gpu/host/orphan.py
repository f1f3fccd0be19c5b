"""A child process whose parent has died ends itself and gives back the parent's shared memory.

Nothing else ends it: a child that waits for work holds both ends of the queue it waits at, so it
never sees that no sender is left.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable
from multiprocessing import connection
from typing import NoReturn

from gpu.host.memory import Memory

BEAT_S = 1.0


def end_with_parent(memory: Memory, beat: Callable[[], object] = lambda: None) -> None:
    """Watch the parent from a thread of this process, and leave at once when it is dead.

    beat : called every BEAT_S, as long as this process can run Python code
    """
    threading.Thread(target=_watch, args=(memory, beat), name="parent", daemon=True).start()


def _watch(memory: Memory, beat: Callable[[], object]) -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        while not connection.wait([parent.sentinel], BEAT_S):
            beat()
        leave(memory)


def leave(memory: Memory) -> NoReturn:
    """End this process at once: the parent is dead."""
    memory.sweep()
    os._exit(1)
