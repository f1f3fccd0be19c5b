"""Runs on a page: one, or two on one clock.

    runs_page([trace], graph)           one run
    runs_page([a, b], graph)            two, with the sentence of `gpu.study.compare_words`

Samples are kept whole up to MOST_SAMPLES; of more, each stretch keeps its last sample, the one with
most parallelism, and every change of Δ, so that totals, peaks and reasons are the run's own.
Times of vertices are exact to the nanosecond up to 4 s, distances always.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gpu.algorithms import find
from gpu.graph import CSRGraph
from gpu.page.graph import MOST_VERTICES, drawn
from gpu.page.html import page_text
from gpu.page.pack import Pack, smallest
from gpu.page.words import pair_title_words, subtitle_words, title_words, totals_words
from gpu.record.trace import BUCKETS, REASON_WORDS, Trace, reached_mask
from gpu.study.compare import CompareError, Side, obstacle, telling_moment
from gpu.study.compare_words import names, summarise
from gpu.words import in_sight

MOST_SAMPLES = 3000
MOST_SIDE = 256  # entries of a matrix's picture, each way
MOST = 0.98  # of the distances lie on the colour bar, if the rest would stretch it
STRETCH = 1.5
LATE = 2**32 - 1  # ns: a time that did not happen, or does not fit

_COLUMNS = {
    "t": ("t_ns", np.float64),
    "delta": ("delta", np.float64),
    "processed": ("processed_vertices", np.float64),
    "relaxed": ("relaxed_edges", np.float64),
    "improved": ("improved", np.float64),
    "assigned": ("assigned_edges", np.float32),
    "low": ("band_low", np.float32),
    "high": ("band_high", np.float32),
    "reason": ("reason", np.uint8),
}


@dataclass(frozen=True)
class Scene:
    """The graphs and runs of a page."""

    pack: Pack = field(default_factory=Pack)
    graphs: dict[str, dict[str, Any]] = field(default_factory=dict)  # JSON values, by hash
    runs: list[dict[str, Any]] = field(default_factory=list)
    traces: list[Trace] = field(default_factory=list)  # of the runs
    too_large: list[str] = field(default_factory=list)  # sentences about graphs not drawn

    def add_graph(self, graph: CSRGraph | None) -> None:
        """Put a graph on the page, once."""
        if graph is None or graph.hash in self.graphs:
            return
        if graph.n <= MOST_VERTICES:
            self.graphs[graph.hash] = drawn(self.pack, graph)
        elif not self.too_large:
            self.too_large.append(
                f"Drawn without its graph, which has {graph.n:,} vertices; a page draws up to "
                f"{MOST_VERTICES:,}"
            )

    def add_run(self, trace: Trace, graph: CSRGraph | None) -> int:
        """Put a run on the page, once; return its place."""
        there = next((place for place, one in enumerate(self.traces) if one is trace), None)
        if there is not None:
            return there
        self.add_graph(graph)
        self.traces.append(trace)
        self.runs.append(run_tree(self.pack, trace, trace.graph.hash in self.graphs))
        return len(self.runs) - 1

    def tree(self) -> dict[str, Any]:
        """Return graphs and runs as JSON values; a run names its graph by place."""
        places = {key: place for place, key in enumerate(self.graphs)}
        runs = [run | {"graph": places.get(run["graph"])} for run in self.runs]
        return {"graphs": list(self.graphs.values()), "runs": runs}


def runs_page(traces: Sequence[Trace], graph: CSRGraph | None, missing: str = "") -> str:
    """Return a page of one run, or of two; CompareError where they cannot be compared.

    missing : why the graph is not there
    """
    scene = Scene()
    if len(traces) == 2:
        a, b = traces
        title, tree = pair_title_words(a, b), pair_tree(scene, a, b, graph)
    else:
        (trace,) = traces
        title, place = title_words(trace), scene.add_run(trace, graph)
        tree = {"about": subtitle_words(trace), "shown": [place]}
    note = missing or "".join(scene.too_large)
    data = {"kind": "runs", "title": title, "note": note, **tree}
    return page_text(title, scene.pack, data | scene.tree())


def pair_tree(scene: Scene, a: Trace, b: Trace, graph: CSRGraph | None) -> dict[str, Any]:
    """Put two runs on the page; return the words about them."""
    sides = Side.of(a), Side.of(b)
    problem = obstacle(*sides)
    if problem:
        raise CompareError(problem)
    places = [scene.add_run(trace, graph) for trace in (a, b)]
    summary = summarise(*sides)
    return {
        "shown": places,
        "names": list(names(*sides)),
        "words": summary.words,
        "cautions": list(summary.cautions),
        "telling_ns": telling_moment(*sides),
    }


def run_tree(pack: Pack, trace: Trace, has_map: bool) -> dict[str, Any]:
    """Return one run as JSON values; "graph" is its hash, or None where it is not drawn."""
    row = find(trace.settings.algorithm)
    samples = thinned(trace.samples)
    piles = list(row.occupancy)
    rows = len(piles) or int(trace.settings.parameters.get("buckets") or BUCKETS)
    counts = samples["occupancy"][:, :rows].astype(np.uint32)
    tree: dict[str, Any] = {
        "graph": trace.graph.hash if has_map else None,
        "title": row.title,
        "about": title_words(trace),
        "totals": totals_words(trace),
        "clock": trace.clock,
        "time_ns": trace.time_ns,
        "source": trace.settings.source,
        "source_id": in_sight(str(trace.graph.source_id)),
        "bucketed": row.bucketed,
        "piles": piles,
        "rows": rows,
        "parallelism": row.parallelism,
        "reasons": {str(int(key)): words for key, words in REASON_WORDS.items()},
        "columns": {
            key: pack.add(samples[name].astype(kind)) for key, (name, kind) in _COLUMNS.items()
        },
        "occupancy": pack.add(counts.T.copy()),
        "peak": int(counts.max(initial=0)),
    }
    if trace.dist.ndim == 2:
        return tree | {"matrix": _matrix(pack, trace)}
    return tree | {"vertices": _vertices(pack, trace) if has_map else None}


def thinned(samples: np.ndarray) -> np.ndarray:
    """Return at most about MOST_SAMPLES and the changes of Δ; see the module."""
    count = len(samples)
    if count <= MOST_SAMPLES:
        return samples
    bounds = np.linspace(0, count, MOST_SAMPLES // 2 + 1).astype(np.int64)
    starts, lasts = bounds[:-1], bounds[1:] - 1
    peaks = [
        first + int(np.argmax(samples["assigned_edges"][first : last + 1]))
        for first, last in zip(starts.tolist(), lasts.tolist(), strict=True)
    ]
    changed = np.flatnonzero(np.diff(samples["delta"], prepend=samples["delta"][0]) != 0)
    kept = np.unique(np.concatenate(([0], lasts, peaks, changed[:MOST_SAMPLES])))
    return samples[kept]


def _vertices(pack: Pack, trace: Trace) -> dict[str, Any]:
    """Return distances (-1: unreached) and, from probe level 2, times and counts."""
    dist, times = trace.dist, trace.vertices
    numbers = dist.dtype if dist.dtype.itemsize == 4 else np.dtype(np.float64)
    return {
        "dist": pack.add(np.where(reached_mask(dist), dist, -1).astype(numbers)),
        "whole": bool(dist.dtype.kind == "i"),
        **_tops(dist),
        "first": times and pack.add(_times(times.first_reached_ns)),
        "last": times and pack.add(_times(times.last_improved_ns)),
        "count": times and pack.add(smallest(times.times_processed)),
    }


def _tops(dist: np.ndarray) -> dict[str, float]:
    """Return the largest distance, and where the colour bar ends if few lie far beyond."""
    finite = dist[reached_mask(dist)].astype(np.float64)
    top = float(finite.max(initial=0))
    most = float(np.quantile(finite, MOST)) if len(finite) else top
    return {"farthest": top, "top": most if 0 < most * STRETCH < top else top}


def _times(times: np.ndarray) -> np.ndarray:
    """Return ns as u4, LATE where it never happened; as f8, -1, where a run is longer than that."""
    if int(times.max(initial=0)) >= LATE:
        return times.astype(np.float64)
    return np.where(times < 0, LATE, times).astype(np.uint32)


def _matrix(pack: Pack, trace: Trace) -> dict[str, Any]:
    """Return a matrix as a picture of at most MOST_SIDE entries a side: 0 none, 1..255 near to far.

    done : when each row shown was finished, ns, where it is known
    """
    high, wide = trace.dist.shape
    rows = np.linspace(0, high - 1, min(high, MOST_SIDE)).round().astype(int)
    columns = np.linspace(0, wide - 1, min(wide, MOST_SIDE)).round().astype(int)
    part = trace.dist[np.ix_(rows, columns)]
    reached = reached_mask(part)
    top = float(part[reached].max(initial=0)) or 1.0
    levels = np.where(reached, 1 + np.round(254.0 * np.where(reached, part, 0) / top), 0)
    times = trace.vertices
    return {
        "rows": len(rows),
        "columns": len(columns),
        "whole": [high, wide],
        "top": top,
        "levels": pack.add(np.clip(levels, 0, 255).astype(np.uint8)),
        "done": times and pack.add(_times(times.last_improved_ns[rows])),
    }
