"""What many calls return: `tests/kept/calls.json`.

A key is a module and an expression over its names and those of NAMES.
"""

import io
import zlib
from collections.abc import Callable
from contextlib import AbstractContextManager, redirect_stderr, redirect_stdout
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Any
from unittest import mock

import kept
import numpy as np
import pytest

import gpu
from gpu.algorithms import ALGORITHMS
from gpu.devices import PRESETS
from gpu.engine import Observer
from gpu.graph import NUMBER_TYPES, CSRGraph
from gpu.record.trace import RunSettings, Trace
from gpu.replay.replay import Replay
from sample_graphs import open_sample

DEVICES = list(PRESETS)


@cache
def arcs(text: str, kind: str = "int32", n: int = 0) -> CSRGraph:
    """Return the graph of "0>1:4 1>2:3"."""
    parted = (part.partition(":") for part in text.split())
    rows = [(*map(int, ends.split(">")), float(w)) for ends, _, w in parted]
    tails, heads, weights = (np.array(part) for part in zip(*rows, strict=True))
    most = n or int(max(tails.max(), heads.max())) + 1
    return CSRGraph.from_arcs(tails, heads, weights.astype(kind), most, name="small")


def run(graph: CSRGraph, key: str, source: int = 0, **options: Any) -> Trace:
    """Return a modelled run with every event, where no other probe level is said."""
    return gpu.run(graph, key, "model", source, **{"probe": 3, **options})


class Hand(Observer):
    """A person who holds Δ for some of the samples, and stops after so many."""

    def __init__(self, held: float | None, most: int) -> None:
        super().__init__()
        self.held, self.most = held, most

    def samples_per_slice(self) -> int:
        return 1

    def delta_by_hand(self) -> float | None:
        return self.held if len(self._batches) % 5 > 1 else None

    def should_stop(self) -> bool:
        return len(self._batches) > self.most


def graph_of(seed: int) -> CSRGraph:
    """Return a random graph; four in a row have weights of four types."""
    rng, numbers = np.random.default_rng(seed), NUMBER_TYPES[seed % 4]
    n = int(rng.integers(2, 60))
    m = int(rng.integers(1, 5 * n))
    weights = (rng.integers(0, 160, m) / 4).astype(numbers)
    return CSRGraph.from_arcs(*rng.integers(0, n, (2, m)), weights, n)


def trial(key: str, seed: int) -> Trace:
    """Return a run on a random graph, with any device and parameters, and a hand on Δ."""
    rng, row, graph = np.random.default_rng(seed + 1), ALGORITHMS[key], graph_of(seed)
    knobs: dict[str, Any] = {}
    for knob in row.parameters:
        if knob.key != "first_source" and rng.random() < 0.4:
            few = min(int(knob.low) + int(rng.integers(0, 4)), graph.n, int(min(knob.high, 1e9)))
            knobs[knob.key] = not knob.default if knob.kind == "bool" else few
    source = 0 if row.result == "matrix" else int(rng.integers(0, graph.n))
    delta = (None, 1.5, 7.0, 60.0)[int(rng.integers(0, 4))] if row.bucketed else None
    device, period, probe = DEVICES[seed // 3 % len(DEVICES)], 0 if seed % 5 else 1500, 3
    settings = RunSettings(key, "model", device, source, delta, probe, seed, period, knobs)
    held = None if seed % 2 or not row.bucketed else (2.5, 11.0, 300.0)[seed // 2 % 3]
    return gpu.engine.run(graph, settings, Hand(held, 9 if seed % 11 == 10 else 10**6))


def spoilt(seed: int) -> tuple[CSRGraph, np.ndarray]:
    """Return a random graph and distances from its first vertex, one of them perhaps wrong."""
    graph = graph_of(seed)
    dist = run(graph, "dijkstra", numbers=str(graph.weights.dtype)).dist
    wrong = np.array((0, 1, -1, 0.25)[seed // 16 % 4]).astype(dist.dtype)
    here = (np.arange(graph.n) == seed // 4 % graph.n) & (dist < 10**6)
    return graph, dist + here * wrong


def trials(key: str, count: int) -> list[int]:
    """Return a CRC of each of many trials."""
    every = (kept.plain(told(trial(key, seed))) for seed in range(count))
    return [zlib.crc32(repr(one).encode()) & 0xFFFF for one in every]


def printed(manner: AbstractContextManager[None], call: Callable[[], Any]) -> list[str]:
    """Return what a call writes to stdout and stderr."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), manner:
        call()
    return [out.getvalue(), err.getvalue()]


def told(trace: Trace) -> dict[str, Any]:
    """Return a run in a few numbers: of whole numbers a CRC, of the others a sum."""
    said: dict[str, Any] = {"time_ns": trace.time_ns, "processed": trace.processed_vertices}
    parts = {"samples": trace.samples, "dist": trace.dist}
    parts |= {"events": trace.events, "vertices": trace.vertices, "errors": trace.errors}
    for name, part in parts.items():
        columns = kept.columns(part)
        whole = b"".join(c.tobytes() for c in columns if c.dtype.kind in "iu")
        said[name] = [len(columns[0]) if columns else 0, zlib.crc32(whole)]
        said[name] += [kept.total(c) for c in columns if c.dtype.kind == "f"]
    return said


NAMES: dict[str, Any] = {
    one.__name__: one for one in (arcs, graph_of, printed, run, spoilt, told, trial, trials)
}
NAMES |= {"np": np, "gpu": gpu, "sample": open_sample, "zlib": zlib, "mock": mock}
NAMES |= {
    "Replay": Replay,
    "replace": replace,
    "ALGORITHMS": ALGORITHMS,
    "karate": open_sample("sample:karate_club"),
    "rmat": open_sample("sample:rmat?n=256"),
}
NAMES["roads"] = arcs("0>1:4 1>2:3 2>3:0 0>3:9 3>4:2 1>1:5 1>2:8 4>0:1", n=6)


@pytest.mark.parametrize("case", kept.cases("calls"), ids=lambda case: case[:80])
def test_a_call_returns_what_is_kept(case: str) -> None:
    module, _, call = case.partition(": ")
    try:
        now = eval(call, vars(import_module(module)) | NAMES)  # noqa: S307 - of our own file
    except NameError:  # the case is older than the program
        raise
    except Exception as error:  # some calls are wrong on purpose
        now = f"{type(error).__name__}: {error}"
    kept.check("calls", case, now)
