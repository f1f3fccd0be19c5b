"""How far modelled times are from measured ones, in words, from the committed comparison.

Modelled times do not rank algorithms on graphs with hubs or with many edges a vertex, nor for
algorithms that the model was not fitted to (`not_ranked`), nor within CLOSE of each other. Work and
parallelism are counted, and compared everywhere.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from gpu.graph import CSRGraph

NOT_FITTED = {  # rows that no constant was fitted to, and why they are not ranked
    "async_near_far": "the model is not fitted to an algorithm without barriers or manager",
    "rho_stepping": "the model is not fitted to steps of a number of vertices",
}
MOST_DEGREE = 32.0  # mean arcs of a vertex
CLOSE = 1.1  # times: modelled times of two algorithms have an order from here on
COMPARISON = "model-error-h100.json"


@cache
def rows() -> tuple[dict[str, Any], ...]:
    """Return the rows of the comparison: graph, algorithm, fitted, ratios, rank correlation."""
    text = files("gpu.lab.results").joinpath(COMPARISON).read_text(encoding="utf-8")
    return tuple(json.loads(text)["rows"])


def error_words(algorithm: str | None = None) -> str:
    """Return one sentence on the error, on the graphs that no constant was fitted on."""
    chosen = [row for row in rows() if algorithm in {None, row["algorithm"]} and not row["fitted"]]
    if not chosen:
        return "Modelled times of this algorithm were never compared with measured ones."
    low = min(row["ratio_low"] for row in chosen)
    high = max(row["ratio_high"] for row in chosen)
    ranks = [row["rank_correlation"] for row in chosen]
    return (
        f"Modelled times were {low:.1f} to {high:.1f} times those of our kernels on an H100, "
        f"over {len(chosen)} sweeps of Δ on graphs held out of the fit; rank correlation "
        f"{min(ranks):.2f} to {max(ranks):.2f}. "
        "Compare modelled times with each other, not with a stop watch."
    )


def not_ranked(algorithm: str, graph: CSRGraph) -> str:
    """Return why a modelled time must not rank algorithms on that graph, "" where it may."""
    if algorithm in NOT_FITTED:
        return NOT_FITTED[algorithm]
    if graph.has_hubs:
        return "the model is too inaccurate on graphs with hubs to say which is faster"
    if graph.mean_degree > MOST_DEGREE:
        return "the model is too inaccurate where vertices have many edges to say which is faster"
    return ""
