"""A graph of five vertices and a trace of it, written by hand: no engine needed.

0 --4--> 1 --3--> 2 --0--> 3        4 is never reached
0 --9--------------------> 3
"""

from typing import Any

import numpy as np

from gpu.graph import CSRGraph
from gpu.record.trace import (
    NEVER,
    SAMPLE,
    Flag,
    GraphReference,
    Reason,
    RunSettings,
    Trace,
    Verification,
    VertexProbe,
)


def small_graph(whole: bool = True) -> CSRGraph:
    """Return the graph above; its file counts vertices from 1."""
    kind = np.int32 if whole else np.float32
    tails, heads = np.array([0, 1, 2, 0]), np.array([1, 2, 3, 3])
    return CSRGraph.from_arcs(tails, heads, np.array([4, 3, 0, 9], kind), 5, id_base=1, name="five")


def small_trace(whole: bool = True, *, probe: int = 2, **changed: Any) -> Trace:
    """Return a trace of `small_graph` from vertex 0, consistent in all its counters."""
    graph = small_graph(whole)
    unreached = np.iinfo(np.int32).max if whole else np.inf
    kept: dict[str, Any] = {
        "settings": RunSettings(
            "adds", "model", "Classroom GPU", 0, None, probe, 7, 0, {"buckets": 32, "workers": None}
        ),
        "graph": GraphReference("five", "memory", graph.hash, 5, 4, whole, 1),
        "samples": samples(),
        "dist": np.array([0, 4, 7, 7, unreached], np.int32 if whole else np.float32),
        "clock": "modelled",
        "outcome": "finished",
        "environment": {"date": "2026-01-01T00:00:00+00:00", "numpy": "2"},
        "vertices": vertex_record() if probe >= 2 else None,
        "verification": Verification(True, True, "both proofs hold"),
    }
    return Trace(**(kept | changed))


def samples() -> np.ndarray:
    """Return three samples: the start, Δ doubled in bucket 1, the end."""
    rows = np.zeros(3, SAMPLE)
    rows["sequence"] = [0, 1, 2]
    rows["t_ns"] = [0, 1500, 4000]
    rows["delta"] = [2.0, 4.0, 4.0]
    rows["head_bucket"] = [0, 1, 1]
    rows["bucket_switches"] = [0, 1, 1]
    rows["processed_vertices"] = [0, 2, 5]
    rows["relaxed_edges"] = [0, 3, 5]
    rows["improved"] = [0, 2, 4]
    rows["delta_changes"] = [0, 1, 1]
    rows["open_buckets"] = 1
    rows["busy_workers"] = [0, 2, 0]
    rows["occupancy"][:2, :2] = [[1, 0], [1, 2]]
    rows["flags"] = [0, Flag.DELTA_RAISED | Flag.BUCKET_SWITCHED, Flag.FINISHED]
    rows["reason"] = [Reason.START, Reason.STARVED_RAISE, Reason.STARVED_RAISE]
    return rows


def vertex_record() -> VertexProbe:
    """Return per-vertex times; vertex 3 was improved once, vertex 4 never reached."""
    first = np.array([0, 500, 1500, 500, NEVER], np.int64)
    last = np.array([0, 500, 1500, 2000, NEVER], np.int64)
    return VertexProbe(first, last, np.array([1, 1, 1, 2, 0], np.int32))
