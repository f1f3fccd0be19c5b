"""What the engine process calls in the tests of gpu.host: small, odd and hostile engines.

Not a test itself. The child imports it by name, so it imports nothing heavy.
"""

import ctypes
import os
import time
from typing import Any

import numpy as np

from gpu import engine
from gpu.engine import EngineOutcome, Observer, RunBuffers
from gpu.errors import CancelledByUserError, FormatError, ParameterError, WeightError
from gpu.graph import CSRGraph, Provenance
from gpu.host import memory
from gpu.record.trace import SAMPLE, Flag, RunSettings, Trace, Verification

UP_TO = 10**9  # samples of a run that goes on until it is stopped


def settings(behaviour: str, *, source: int = 0, probe: int = 2, **parameters: Any) -> RunSettings:
    return RunSettings(behaviour, "model", "test", source, None, probe, parameters=parameters)


def run(graph: CSRGraph, given: RunSettings, observer: Observer) -> Trace:
    graph.check_source(given.source)
    engine.checked_settings = lambda _graph, settings: settings
    engine.execute = execute
    return engine.run(graph, given, observer)


def run_in_little_memory(graph: CSRGraph, given: RunSettings, observer: Observer) -> Trace:
    memory.free_bytes = lambda _folder: 40 << 20
    return engine.run(graph, given, observer)


def execute(
    graph: CSRGraph, given: RunSettings, buffers: RunBuffers, observer: Observer
) -> EngineOutcome:
    return globals()[f"run_{given.algorithm}"](graph, given, buffers, observer)


def batch(first: int, count: int, total: int, delta: float = 0.0) -> np.ndarray:
    samples = np.zeros(count, SAMPLE)
    samples["sequence"] = np.arange(first, first + count)
    samples["t_ns"] = samples["sequence"] * 1000
    samples["delta"] = delta
    if first + count == total:
        samples["flags"][-1] = Flag.FINISHED
    return samples


def outcome(stopped: bool = False, **more: Any) -> EngineOutcome:
    return EngineOutcome("modelled", "stopped" if stopped else "finished", {"test": True}, **more)


def run_stream(graph, given, buffers, observer):
    """Emit `count` samples; write a distance and a time for every vertex; obey everything."""
    count = given.parameters.get("count", 1000)
    made = 0
    buffers.dist[given.source] = 0
    while made < count:
        if observer.should_stop():
            last = batch(made, 1, count)
            last["flags"] = Flag.STOPPED
            observer.on_samples(last)
            return outcome(stopped=True)
        more = min(observer.samples_per_slice(), count - made)
        observer.on_samples(batch(made, more, count, observer.delta_by_hand() or 0.0))
        made += more
    buffers.dist[:] = np.arange(graph.n)
    if buffers.vertices is not None:
        buffers.vertices.first_reached_ns[:] = np.arange(graph.n) * 10
        buffers.vertices.times_processed[:] = 1
    return outcome()


def run_endless(graph, given, buffers, observer):
    """Go on until stopped, a sample each ms; all distances are there at once if `dist` says so."""
    made = 0
    buffers.dist[given.source] = 0
    if given.parameters.get("dist"):
        buffers.dist[:] = np.arange(graph.n)
    while not observer.should_stop():
        observer.on_samples(batch(made, 1, UP_TO, observer.delta_by_hand() or 0.0))
        made += 1
        time.sleep(0.001)
    last = batch(made, 1, UP_TO)
    last["flags"] = Flag.STOPPED
    observer.on_samples(last)
    return outcome(stopped=True)


def run_deaf(graph, given, buffers, observer):
    """Emit ten samples, then hang and never ask whether to stop."""
    buffers.dist[given.source] = 0
    observer.on_samples(batch(0, 10, UP_TO))
    while True:
        time.sleep(60)


def run_frozen(graph, given, buffers, observer):
    """Emit ten samples, then keep Python's lock: no other thread of this process runs."""
    observer.on_samples(batch(0, 10, UP_TO))
    ctypes.PyDLL(None).sleep(60)


def run_silent_gpu(graph, given, buffers, observer):
    """Emit ten samples, then wait for a GPU that says nothing."""
    from gpu.cuda import watchdog

    watchdog.SILENCE_S, watchdog.CHECK_S = 0.5, 0.05
    observer.on_samples(batch(0, 10, UP_TO))
    with watchdog.waiting_for_gpu():
        time.sleep(60)


def run_exits(graph, given, buffers, observer):
    observer.on_samples(batch(0, 10, UP_TO))
    os._exit(7)


def run_segfaults(graph, given, buffers, observer):
    observer.on_samples(batch(0, 10, UP_TO))
    ctypes.string_at(0)


def run_out_of_memory(graph, given, buffers, observer):
    np.empty(1 << 60, np.uint8)


def run_overflows(graph, given, buffers, observer):
    raise WeightError("arc 1 -> 2 passes 2147483647; use --numbers")


def run_has_a_bug(graph, given, buffers, observer):
    raise ValueError("two\nlines")


def run_with_events(graph, given, buffers, observer):
    from gpu.record.trace import EVENT

    events = np.zeros(50_000, EVENT)
    events["a"] = np.arange(50_000)
    observer.on_samples(batch(0, 1, 1))
    return outcome(events=events)


def verify(graph, source, dist, *, should_stop=None):
    """True if the distances are run_stream's; half a minute for a graph "slow proofs"."""
    deadline = time.monotonic() + 30
    while graph.name == "slow proofs" and time.monotonic() < deadline:
        if should_stop():
            raise CancelledByUserError("stopped")
        time.sleep(0.01)
    right = bool((dist == np.arange(graph.n)).all())
    return Verification(right, right, "checked by the test")


def path_graph(n: int, dtype: type = np.int32, **kept: Any) -> CSRGraph:
    """0 -> 1 -> ... -> n-1."""
    ends = np.arange(n - 1)
    return CSRGraph.from_arcs(ends, ends + 1, np.ones(n - 1, dtype), n, **kept)


def load_graph(path, *, undirected, weights, format, weight_name, header, progress, should_stop):
    """Take the file's name for what is to be done."""
    what = str(path)
    if what == "bad":
        raise FormatError(what, "found x, expected y", 3)
    if what == "slow":
        for tick in range(3000):
            progress(tick / 3000, "reading")
            if should_stop():
                raise CancelledByUserError("stopped reading")
            time.sleep(0.01)
    if what == "deaf":
        time.sleep(60)
    if what == "exits":
        os._exit(3)
    options = {"weights": weights} | ({"weight_name": weight_name} if weight_name else {})
    provenance = Provenance(what, "test", options, ("a note",))
    ids = np.array([f"v{i}" for i in range(20)]) if what == "named" else None
    return path_graph(20, ids=ids, name=what, provenance=provenance)


def open_sample(reference):
    graph = path_graph(10, np.float32, name=reference)
    return graph.with_positions(np.arange(20, dtype=np.float32).reshape(10, 2))


def provisional(graph):
    if graph.name == "ugly":
        raise ParameterError("no layout of that")
    return np.stack([np.arange(graph.n), np.zeros(graph.n)], axis=1).astype(np.float32)


def layout(graph, kind, *, dist=None, delta=None, progress=None, should_stop=None):
    """Answer at once; "slow" and "deaf" take a second, only the first can be interrupted."""
    deadline = time.monotonic() + (1.0 if kind in ("slow", "deaf") else 0.0)
    while time.monotonic() < deadline:
        progress(-1, "laying out")
        if kind == "slow" and should_stop():
            raise CancelledByUserError("stopped")
        time.sleep(0.01)
    rows = np.zeros(graph.n) if dist is None else dist
    return np.stack([rows, np.full(graph.n, delta or 0.0)], axis=1).astype(np.float32)


def warm_up():
    """Nothing to warm."""
    return []


def die_at_start(*_arguments):
    os._exit(5)
