"""What `EngineHost.poll` returns, and what passes between the two processes.

A *command* is a tuple: the name of a method of `Worker` and its arguments, first the run_id. A
*reply* is the same for `EngineHost`, about the one request that the child has. Arrays never pass
through the pipe, only notes of where they lie (`SharedArrays`).

    command                                   reply
    load     request                          loaded     handle, hash, mean weight
    run      graph handle, settings           started    settings, reference, buffers
                                              ended      trace without arrays, events
    lay_out  graph handle, kind, delta, dist  laid_out   positions
    quit                                      silent     why the child ends itself
                                              tell       a message, passed on as it is
                                              hello, warmed_up, done
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gpu.engine import RunBuffers
from gpu.errors import GpuError
from gpu.graph import CSRGraph
from gpu.record.trace import RunSettings, Trace, Verification


@dataclass(frozen=True)
class LoadRequest:
    """A file, or a sample as "sample:city_roads?n=5000"; options as in `gpu.load_graph`."""

    what: str | Path
    undirected: bool | None = None
    weights: str = "file"
    format: str | None = None
    weight_name: str | None = None
    header: bool = True


@dataclass(frozen=True)
class LiveRun:
    """The run that goes on; `buffers` are read-only views that fill while it runs."""

    run_id: int
    graph: CSRGraph
    settings: RunSettings
    buffers: RunBuffers


# messages


@dataclass(frozen=True, eq=False)
class Message:
    """Answers the request `run_id`; 0 where there was no request."""

    run_id: int


@dataclass(frozen=True, eq=False)
class Ready(Message):
    """The child is warm: what a first run needs is compiled."""


@dataclass(frozen=True, eq=False)
class Progress(Message):
    """How far a request is: 0 to 1, -1 where unknown."""

    fraction: float
    words: str


@dataclass(frozen=True, eq=False)
class GraphLoaded(Message):
    """The graph that `run` will use; its arrays are read-only views of shared memory.

    provisional_positions : float32 (n, 2) where the graph itself has no positions
    """

    graph: CSRGraph
    provisional_positions: np.ndarray | None


@dataclass(frozen=True, eq=False)
class LayoutDone(Message):
    """Positions, float32 (n, 2), read-only."""

    positions: np.ndarray


@dataclass(frozen=True, eq=False)
class RunStarted(Message):
    """`EngineHost.live` is this run now; sent again where it is made again."""


@dataclass(frozen=True, eq=False)
class RunFinished(Message):
    """The run ended, by itself or stopped (`trace.outcome`); every sample is in the trace."""

    trace: Trace


@dataclass(frozen=True, eq=False)
class Verified(Message):
    """The proofs of a finished run are done, or given up: exactly one follows each such run."""

    verification: Verification


GIVEN_UP = Verification(None, None, "the proof was given up")


@dataclass(frozen=True, eq=False)
class Failed(Message):
    """A request ended without its result; `details` is a traceback for a log, or empty."""

    error: GpuError
    details: str = ""


@dataclass(frozen=True, eq=False)
class EngineLost(Message):
    """The child died; `words` says how. A fresh one is already starting.

    trace : what a run had recorded by then, None where none was going on
    """

    words: str
    trace: Trace | None = None


@dataclass(frozen=True)
class Entries:
    """What the child calls, each as "module:function"; tests supply their own."""

    run: str = "gpu.engine:run"
    verify: str = "gpu.proof.verify:verify"
    load_graph: str = "gpu.formats:load_graph"
    open_sample: str = "sample_graphs:open_sample"
    provisional: str = "gpu.placement.placements:provisional"
    layout: str = "gpu.placement.placements:layout"
    warm_up: str = "gpu.host.warm_up:warm_up"
