"""The engine process: engines run beside the window, never in it. See README.md."""

from __future__ import annotations

from gpu.host.host import EngineHost
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
