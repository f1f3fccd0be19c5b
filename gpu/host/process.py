"""The parent's end of one engine process: its pipe, its ring, its life and its death."""

from __future__ import annotations

import signal
import sys
import threading
import types
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any

from gpu.host.memory import Memory
from gpu.host.messages import Entries
from gpu.host.ring import SampleRing
from gpu.host.worker import main
from gpu.interpreter import safe_children

KILL_WAIT_S = 0.01  # a killed process is normally gone in a few ms; else the next poll sees it

SIGNAL_WORDS = {
    "SIGKILL": "often: out of memory",
    "SIGSEGV": "a fault in compiled code",
    "SIGBUS": "often: shared memory is full",
}
_HIDING = threading.Lock()  # threads that start processes at the same time


class EngineProcess:
    """One child, from its start to its end."""

    def __init__(self, memory: Memory, entries: Entries, serial: int) -> None:
        self.greeted = False  # it said Hello
        self.killed = False  # by us, on purpose
        self.last_words = ""  # why it ends itself, or why we end it
        self._hung_up = False  # its end of the pipe is closed
        self.ring = SampleRing.create(memory, f"c{serial}")
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=main,
            args=(theirs, self.ring.segment.shared, memory, entries),
            name="sssp-scope engine",
            daemon=True,
        )
        try:
            with hidden_main():
                self._process.start()
        except BaseException:
            self.ring.segment.unlink()
            raise
        finally:
            theirs.close()

    @property
    def pid(self) -> int:
        """Process id of the child."""
        return self._process.pid or 0

    @property
    def is_alive(self) -> bool:
        """Whether the child has not ended."""
        return self._process.exitcode is None

    def send(self, name: str, *arguments: Any) -> None:
        """Send a command; where the child is dead, the next poll notices."""
        try:
            self._pipe.send((name, *arguments))
        except OSError:
            self._hung_up = True

    def receive(self) -> Iterator[Any]:
        """Yield the replies that are there, without waiting."""
        try:
            while not self._hung_up and self._pipe.poll(0):
                yield self._pipe.recv()
        except (EOFError, OSError):
            self._hung_up = True

    def kill(self) -> None:
        """End the child at once; `is_alive` becomes False when it has ended."""
        self.killed = True
        self._process.kill()
        self._process.join(KILL_WAIT_S)

    def end(self, grace_s: float) -> None:
        """Ask the child to quit, end it after `grace_s`, give everything back."""
        self.ring.stop(sys.maxsize)
        self.send("quit")
        self._process.join(grace_s)
        if self.is_alive:
            self.kill()
        self._process.join()
        self.bury()

    def bury(self) -> None:
        """Give back what belongs to a dead child."""
        self._pipe.close()
        self._process.join()
        self._process.close()
        self.ring.segment.unlink()

    def death_words(self, doing: str) -> str:
        """Return how the child died, as one sentence."""
        if self.last_words:
            return self.last_words
        code = self._process.exitcode or 0
        if code < 0:
            names = {number.value: number.name for number in signal.Signals}
            name = names.get(-code, "")
            hint = SIGNAL_WORDS.get(name, name)
            return f"The engine process was killed by signal {-code} ({hint}) while {doing}"
        return f"The engine process ended by itself with exit code {code} while {doing}"


@contextmanager
def hidden_main() -> Iterator[None]:
    """Keep `spawn` from importing the parent's main program in the child.

    A script without an `if __name__ == "__main__"` would start itself again.
    """
    with _HIDING:
        main_module = sys.modules["__main__"]
        sys.modules["__main__"] = types.ModuleType("__main__")
        try:
            with safe_children():
                yield
        finally:
            sys.modules["__main__"] = main_module
