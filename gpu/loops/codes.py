"""Numbers that compiled code and Python agree on: how a loop ended, flags, kinds of event.

Numba compiles plain integers, so the members of the enumerations of `gpu.record` are such here:
`codes.PUSH` is `int(EventKind.PUSH)`.
"""

from __future__ import annotations

from gpu.record.events import EventKind
from gpu.record.trace import Flag

RUNNING, FINISHED, POOL_DRY, LOG_FULL = range(4)  # status of a loop's state
ENDED = int(Flag.FINISHED)


def __getattr__(name: str) -> int:
    """Return a kind of event, or a flag, by its name."""
    member = EventKind.__members__.get(name) or Flag.__members__.get(name)
    if member is None:
        raise AttributeError(f"no event and no flag is called {name!r}")
    return int(member)
