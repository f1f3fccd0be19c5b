"""The algorithms of supersteps where there is no GPU: sizes, variants, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from gpu.cuda import supersteps
from gpu.cuda.module import KERNELS, compile_options, source_of, threads_of
from gpu.cuda.records import entry_bytes, item_bytes
from gpu.cuda.supersteps import Kernel, every_arc, twice_and_half
from gpu.graph import CSRGraph
from gpu.numbers import NUMBER_TYPES

PATH = CSRGraph.from_arcs(np.array([0]), np.array([1]), np.array([3], np.int32), 2)
ALGORITHMS = ("near_far", "bellman_ford", "delta_stepping")


def kernel_of(algorithm: str) -> Kernel:
    kernel: Kernel = getattr(supersteps, algorithm.upper())
    return kernel


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_each_has_its_kernel_file_among_those_that_are_compiled(algorithm: str) -> None:
    kernel = kernel_of(algorithm)
    assert (KERNELS / kernel.file).is_file()
    assert f"-DTHREADS={threads_of(kernel.file)}" in compile_options(kernel.file, 0, "int32")
    text = source_of(kernel.file)
    assert text.count(f" {kernel.name}() {{") == 1
    assert text.count("struct Team {") == 1


def test_the_kernels_differ_in_their_piles_alone() -> None:
    def body(algorithm: str) -> str:
        text = source_of(kernel_of(algorithm).file)
        return text[text.index("step_courier.cuh: ") :].replace(f" {algorithm}() {{", " K() {")

    assert body("near_far") == body("bellman_ford") == body("delta_stepping")
    kinds = {
        "near_far": ("FAR_PILE = true", "HEAVY_ARCS = false"),
        "bellman_ford": ("FAR_PILE = false", "HEAVY_ARCS = false"),
        "delta_stepping": ("FAR_PILE = true", "HEAVY_ARCS = true"),
    }
    for algorithm, lines in kinds.items():
        text = source_of(kernel_of(algorithm).file)
        assert all(f"constexpr bool {line};\n" in text for line in lines)


def test_the_frontier_of_bellman_ford_has_room_for_every_arc() -> None:
    rng = np.random.default_rng(1)
    tails, heads = rng.integers(0, 50, (2, 4000))
    graph = CSRGraph.from_arcs(tails, heads, np.ones(4000, np.int32), 50)
    assert every_arc(graph) >= graph.m
    assert kernel_of("bellman_ford").room(graph) >= graph.m
    assert twice_and_half(graph) >= 2 * graph.n


@pytest.mark.parametrize("numbers", NUMBER_TYPES)
def test_piles_are_counted_before_they_are_taken(numbers: str) -> None:
    kind = np.dtype(numbers)
    entry, item = (24, 16) if kind.itemsize == 8 else (16, 8)
    assert (entry_bytes(kind), item_bytes(kind)) == (entry, item)
    rooms = {name: kernel_of(name).needed_bytes(1000, kind) for name in ALGORITHMS}
    assert rooms["bellman_ford"] == 2 * entry * 1000
    assert rooms["near_far"] == rooms["bellman_ford"] + 2 * item * 1000
    assert rooms["delta_stepping"] == rooms["near_far"] + item * 1000
