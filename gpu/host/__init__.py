"""The engine process: engines run beside the window, never in it.

    host = EngineHost()
    host.start()
    host.load(LoadRequest("roads.gr.gz"))
    ...                                   # at 30 Hz: host.poll(), host.take_samples()
    host.close()

A child process, spawned once and kept warm, runs everything that takes long: reading,
layouts, runs, proofs. So a stop always works (the child is killed if it does not listen), a
crash costs one run, and the window never waits.

engine_host     EngineHost, what its owner sees
messages        what comes out of `poll`, and what passes through the pipe
state           what the host knows of the child, of what it does and of what waits
dispatcher      which request the child has; what becomes of it when the child dies
replies         what the child says, taken up
process         the parent's end of one child
worker          the child's main loop; observer, how a run in it is watched and held
ring            samples and knobs in shared memory
memory          segments: arrays that two processes see; shared_graph, graphs in them
warm_up         what the child does before it is asked
"""

from __future__ import annotations

from gpu.host.engine_host import EngineHost
from gpu.host.memory import Memory
from gpu.host.messages import (
    EngineLost,
    Entries,
    Failed,
    GraphLoaded,
    LayoutDone,
    LiveRun,
    LoadRequest,
    Message,
    Progress,
    Ready,
    RunFinished,
    RunStarted,
    Verified,
)

__all__ = [
    "EngineHost",
    "EngineLost",
    "Entries",
    "Failed",
    "GraphLoaded",
    "LayoutDone",
    "LiveRun",
    "LoadRequest",
    "Memory",
    "Message",
    "Progress",
    "Ready",
    "RunFinished",
    "RunStarted",
    "Verified",
]
