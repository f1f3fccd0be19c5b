"""What many calls return: `tests/kept/calls.json`.

A key is a module and an expression over its names and those of NAMES.
"""

import zlib
from functools import cache
from importlib import import_module
from typing import Any

import kept
import numpy as np
import pytest

import gpu
from gpu.graph import CSRGraph
from gpu.record.trace import Trace
from sample_graphs import open_sample


@cache
def arcs(text: str, kind: str = "int32", n: int = 0) -> CSRGraph:
    """Return the graph of "0>1:4 1>2:3"."""
    rows = [(*map(int, ends.split(">")), float(w)) for ends, _, w in map(_parted, text.split())]
    tails, heads, weights = (np.array(part) for part in zip(*rows, strict=True))
    most = n or int(max(tails.max(), heads.max())) + 1
    return CSRGraph.from_arcs(tails, heads, weights.astype(kind), most, name="small")


def _parted(text: str) -> tuple[str, str, str]:
    return text.partition(":")


def run(graph: CSRGraph, key: str, source: int = 0, **options: Any) -> Trace:
    """Return a modelled run with every event, where no other probe level is said."""
    return gpu.run(graph, key, "model", source, **{"probe": 3, **options})


def told(trace: Trace) -> dict[str, Any]:
    """Return a run in a few numbers: of whole numbers a CRC, of the others a sum."""
    said: dict[str, Any] = {"time_ns": trace.time_ns, "processed": trace.processed_vertices}
    parts = {"samples": trace.samples[list(trace.samples.dtype.names)[:-2]], "dist": trace.dist}
    parts |= {"events": trace.events, "vertices": trace.vertices, "errors": trace.errors}
    for name, part in parts.items():
        columns = kept.columns(part)
        whole = b"".join(c.tobytes() for c in columns if c.dtype.kind in "iu")
        said[name] = [len(columns[0]) if columns else 0, zlib.crc32(whole)]
        said[name] += [kept.total(c) for c in columns if c.dtype.kind == "f"]
    return said


NAMES = {"np": np, "gpu": gpu, "sample": open_sample, "arcs": arcs, "run": run, "told": told}
NAMES["roads"] = arcs("0>1:4 1>2:3 2>3:0 0>3:9 3>4:2 1>1:5 1>2:8 4>0:1", n=6)


@pytest.mark.parametrize("case", kept.cases("calls"), ids=lambda case: case[:80])
def test_a_call_returns_what_is_kept(case: str) -> None:
    module, _, call = case.partition(": ")
    try:
        now = eval(call, vars(import_module(module)) | NAMES)  # noqa: S307 - of our own file
    except Exception as error:  # some calls are wrong on purpose
        now = f"{type(error).__name__}: {error}"
    kept.check("calls", case, now)
