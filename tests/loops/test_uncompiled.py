"""Small graphs run uncompiled, and nobody can tell: the same run to the byte, at once."""

from pathlib import Path

import numpy as np
import pytest
from processes import python

import gpu.compiled as compiled_module
from gpu.algorithms import ALGORITHMS
from gpu.compiled import PLAIN_ARCS, at_once, compiled, is_compiled
from gpu.engine import run_named as run
from gpu.graph import CSRGraph
from gpu.host.warm_up import star
from gpu.proof import walks
from gpu.proof.verify import certificate
from sample_graphs import make

MODELLED = [key for key, row in ALGORITHMS.items() if "model" in row.engines]
TAILS, HEADS = np.repeat([0, 1], 79), np.append(np.arange(1, 80), np.zeros(79, int))
TAILS[79:] = np.arange(1, 80)
HUB = CSRGraph.from_arcs(TAILS, HEADS, np.tile(np.arange(1, 80, dtype=np.int32), 2), 80)
GRAPHS = {
    "figure": make("figure_6"),
    "roads": make("city_roads", n=60),
    "decimal": make("grid", n=49, weights="float"),
    "hub": HUB,
}
CASES = [
    *((key, 2, "figure") for key in MODELLED),
    ("edge_apsp", 3, "figure"),  # one recording is enough: each compiles its loop once more
    *((key, 2, "roads") for key in MODELLED if ALGORITHMS[key].result == "row"),
    ("adds", 2, "hub"),
    ("near_far", 2, "hub"),
    ("adds", 1, "decimal"),
]


def uncompiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let nothing count as compiled; returns what was called uncompiled."""
    called: list[str] = []
    before = compiled_module.plain

    def watched(function: object) -> object:
        found = before(function)
        called.append(found.__name__)
        return found

    monkeypatch.setattr(compiled_module, "is_compiled", lambda *_: False)
    monkeypatch.setattr(compiled_module, "plain", watched)
    return called


@pytest.mark.parametrize(("algorithm", "probe", "name"), CASES)
def test_an_uncompiled_run_is_the_same_run(
    monkeypatch: pytest.MonkeyPatch, algorithm: str, probe: int, name: str
) -> None:
    graph = GRAPHS[name]
    with monkeypatch.context() as patched:
        patched.setattr("gpu.loops.run.PLAIN_ARCS", -1)
        patched.setattr(compiled_module, "PLAIN_ARCS", -1)
        wanted = run(graph, algorithm, "model", probe=probe)
    with monkeypatch.context() as patched:
        called = uncompiled(patched)
        found = run(graph, algorithm, "model", probe=probe)
    assert "advance" in called
    assert found.samples.tobytes() == wanted.samples.tobytes()
    assert found.dist.tobytes() == wanted.dist.tobytes()
    if probe >= 2:
        for field in ("first_reached_ns", "last_improved_ns", "times_processed"):
            assert np.array_equal(getattr(found.vertices, field), getattr(wanted.vertices, field))
    if probe == 3:
        assert found.events.tobytes() == wanted.events.tobytes()


@pytest.mark.parametrize("name", GRAPHS)
def test_a_proof_needs_no_compiler(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    graph = GRAPHS[name]
    dist = run(graph, "dijkstra", "model", probe=1).dist
    wrong = dist.copy()
    wrong[-1] += 1
    wanted = [certificate(graph, 0, one) for one in (dist, wrong)]
    called = uncompiled(monkeypatch)
    assert [certificate(graph, 0, one) for one in (dist, wrong)] == wanted
    assert wanted[0] is None
    assert wanted[1] is not None
    assert {walks.prove_integers.__name__, walks.prove_floats.__name__} & {*called}


def test_what_is_compiled_is_used_and_what_is_large_is_compiled() -> None:
    @compiled
    def twice(number):  # type: ignore[no-untyped-def]
        return 2 * number

    assert at_once(twice, 10, 4) == 8
    assert not is_compiled(twice, 4)
    assert at_once(twice, PLAIN_ARCS + 1, 4) == 8
    assert is_compiled(twice, 4)
    assert not is_compiled(twice, 4.0)


def test_what_is_compiled_in_advance_is_too_large_to_run_uncompiled() -> None:
    assert star().m > PLAIN_ARCS


COLD = """
from gpu.engine import run_named as run
from gpu.model import adds_loop
from sample_graphs import make
trace = run(make("figure_1"), "adds", "model", probe=3)
print(trace.outcome, len(adds_loop.advance.overloads))
"""


def test_three_vertices_compile_nothing(tmp_path: Path) -> None:
    """In a process of its own, with an empty cache of compiled code."""
    assert python(COLD, SSSP_SCOPE_CACHE=str(tmp_path)).split() == ["finished", "0"]
    assert list(tmp_path.rglob("*.nbc")) == []


FIRST = """
import gpu.compiled
import numba
from numba.core.typing.typeof import typeof_impl
known = len(typeof_impl.registry)
print(numba.njit(lambda number: 2 * number)(4), len(typeof_impl.registry) - known)
"""


def test_the_first_compilation_adds_no_types_while_others_look_through_them() -> None:
    """Warm-up compiles on one thread; a small graph is run on another, and asks."""
    assert python(FIRST).split() == ["8", "0"]
