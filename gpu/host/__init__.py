"""The engine process: engines run beside the window, never in it. See README.md."""

from __future__ import annotations

from gpu.host.host import EngineHost as EngineHost
from gpu.host.memory import Memory as Memory
from gpu.host.messages import (
    EngineLost as EngineLost,
    Entries as Entries,
    Failed as Failed,
    GraphLoaded as GraphLoaded,
    LayoutDone as LayoutDone,
    LiveRun as LiveRun,
    LoadRequest as LoadRequest,
    Message as Message,
    Progress as Progress,
    Ready as Ready,
    RunFinished as RunFinished,
    RunStarted as RunStarted,
    Verified as Verified,
)
