"""How the tests of gpu.host drive a host: wait with a deadline, and look for what is left.

Not a test itself.
"""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import host_engines as engines

from gpu.host import (
    EngineHost,
    Entries,
    GraphLoaded,
    LoadRequest,
    Memory,
    Message,
    RunFinished,
    RunStarted,
)

DEADLINE_S = 30.0  # generous: two cores, other tests beside
NAMES = ("run", "verify", "load_graph", "open_sample", "provisional", "layout")
ENTRIES = Entries(
    **{name: f"{engines.__name__}:{name}" for name in NAMES}, warm_up=f"{engines.__name__}:warm_up"
)
SHM = Path("/dev/shm")
M = TypeVar("M", bound=Message)


class Driver:
    """A host, and everything that it said, in order."""

    def __init__(self, host: EngineHost) -> None:
        self.host = host
        self.heard: list[Message] = []

    def until(self, condition: Callable[[], object], within_s: float = DEADLINE_S) -> None:
        end = time.monotonic() + within_s
        while not condition():
            assert time.monotonic() < end, f"heard only {[self.in_words(m) for m in self.heard]}"
            time.sleep(0.005)
            self.heard += self.host.poll()

    @staticmethod
    def in_words(message: Message) -> str:
        words = getattr(message, "words", getattr(message, "error", ""))
        return f"{type(message).__name__} {words}".rstrip()

    def wait_for(self, kind: type[M], run_id: int) -> M:
        found: list[M] = []

        def is_heard() -> bool:
            found.extend(m for m in self.heard if type(m) is kind and m.run_id == run_id)
            return bool(found)

        self.until(is_heard)
        return found[0]

    def names(self, run_id: int) -> list[str]:
        return [type(m).__name__ for m in self.heard if m.run_id == run_id]

    def load(self, what: str = "path") -> GraphLoaded:
        return self.wait_for(GraphLoaded, self.host.load(LoadRequest(what)))

    def start_run(self, behaviour: str, **parameters: object) -> int:
        run_id = self.host.run(engines.settings(behaviour, **parameters))
        self.wait_for(RunStarted, run_id)
        return run_id

    def finish(self, behaviour: str = "stream", **parameters: object) -> RunFinished:
        run_id = self.host.run(engines.settings(behaviour, **parameters))
        return self.wait_for(RunFinished, run_id)


def left_behind(memory: Memory) -> list[str]:
    """Names of this host that still exist."""
    folders = [folder for folder in (SHM, Path(memory.folder)) if folder.is_dir()]
    return [str(path) for folder in folders for path in folder.glob(f"{memory.prefix}-*")]


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + DEADLINE_S
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < end
        pause.wait(0.01)
