"""Runs on another computer for whoever waits for them: `There.run`, as `gpu.run`.

with There(Elsewhere("user@host")) as there:
    trace = there.run(graph, "adds", "cuda")

All runs of one block share a connection, and a graph travels once.
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Self

from gpu.engine import SILENT, Observer
from gpu.errors import EngineError
from gpu.graph import CSRGraph
from gpu.host import EngineHost, EngineLost, Failed, Message, Progress, RunFinished
from gpu.record.trace import RunSettings, Trace
from gpu.remote.elsewhere import Elsewhere

WAIT_S = 0.1

Say = Callable[[float, str], object]


class There:
    """A connection for runs one after the other.

    say : told how far things are, (share 0 to 1 or -1, words)
    """

    def __init__(self, there: Elsewhere, say: Say = lambda _share, _words: None) -> None:
        self._host = EngineHost(spawn=there.spawn)
        self._say = say
        self._graph: CSRGraph | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._host.close()

    def run(
        self,
        graph: CSRGraph,
        settings: RunSettings,
        observer: Observer = SILENT,
    ) -> Trace:
        """Run there and return the trace, as `gpu.engine.run` does.

        Raises what `gpu.run` raises, and EngineError where the connection fails or breaks.
        """
        if graph is not self._graph:
            self._host.put_graph(graph)
            self._graph = graph
        run_id = self._host.run(settings, verify=False)
        self._host.start()
        asked = False
        while True:
            if not asked and observer.should_stop():
                self._host.stop()
                asked = True
            self._host.wait(WAIT_S)
            messages = self._host.poll()
            samples = self._host.take_samples()
            if len(samples):
                observer.on_samples(samples)
            for message in messages:
                if (trace := self._end(message, run_id)) is not None:
                    return trace

    def _end(self, message: Message, run_id: int) -> Trace | None:
        """Return the trace where the message brings it; raise what went wrong."""
        if isinstance(message, EngineLost):
            raise EngineError(message.words)
        if isinstance(message, Failed) and message.run_id == run_id:
            raise message.error
        if isinstance(message, Progress):
            self._say(message.fraction, message.words)
        if isinstance(message, RunFinished) and message.run_id == run_id:
            return message.trace
        return None
