"""What the host tells its owner, and what passes between the two processes.

*Messages* come out of `EngineHost.poll`, each with the `run_id` of the request that it answers
(0: none). *Commands* and *replies* are small records that pass through the pipe; arrays never do,
only notes of where they lie. (Those are NamedTuples: a frozen dataclass takes 1 ms to define, and a
window waits for this import.)
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gpu.engine import RunBuffers
from gpu.errors import GpuError
from gpu.graph import CSRGraph, Provenance
from gpu.host.memory import SharedArrays
from gpu.record.trace import GraphReference, RunSettings, Trace, Verification


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
    """The child is warm: what a first run needs is compiled; `seconds` since its start."""

    seconds: float


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
    """The proofs of a finished run are done."""

    verification: Verification


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


# commands: parent to child


class GraphHandle(NamedTuple):
    """A graph in shared memory; `token` is the run_id of the request that made it."""

    token: int
    shared: SharedArrays
    id_base: int
    name: str
    provenance: Provenance


class LoadCommand(NamedTuple):
    """Read a graph into shared memory."""

    run_id: int
    request: LoadRequest


class RunCommand(NamedTuple):
    """Run on `graph`, into shared memory."""

    run_id: int
    graph: GraphHandle
    settings: RunSettings
    verify: bool


class LayoutCommand(NamedTuple):
    """Lay `graph` out; `arrays` holds `dist` where the layout needs it."""

    run_id: int
    graph: GraphHandle
    kind: str
    delta: float | None
    arrays: SharedArrays | None


class Quit(NamedTuple):
    """End the child."""


Command = LoadCommand | RunCommand | LayoutCommand

# replies: child to parent, beside Progress, Failed and Verified, which are messages as they are


class Hello(NamedTuple):
    """The child is up and will read commands."""


class WarmedUp(NamedTuple):
    """Everything that a first run needs is imported and compiled."""


class Begun(NamedTuple):
    """The child took the command up."""

    run_id: int


class Loaded(NamedTuple):
    """The graph lies in shared memory."""

    run_id: int
    handle: GraphHandle


class Described(NamedTuple):
    """Facts of a loaded graph that take a pass over its arcs."""

    run_id: int
    hash: str
    mean_weight: float


class LaidOut(NamedTuple):
    """`arrays` holds `positions`."""

    run_id: int
    arrays: SharedArrays


class Started(NamedTuple):
    """The engine is about to be called, with these settings, and writes into `buffers`."""

    run_id: int
    settings: RunSettings
    reference: GraphReference
    buffers: SharedArrays


class Ended(NamedTuple):
    """The engine returned, all samples are in the ring; `trace` is without its arrays.

    events : where they lie, if there are any
    """

    run_id: int
    trace: Trace
    events: SharedArrays | None


class Silent(NamedTuple):
    """The device does not answer any more: the child ends itself, and `words` says why."""

    words: str


class Done(NamedTuple):
    """The child is free for the next command."""

    run_id: int


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
