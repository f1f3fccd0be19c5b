"""What compiled loops share: the heap, the numbers that stand for enumerations, the state."""

import heapq

import numpy as np
import pytest

from gpu.cpu import dijkstra_loop as on_cpu
from gpu.loops import codes
from gpu.loops.heap import drop_top, push
from gpu.loops.state import records
from gpu.model import dijkstra_loop as modelled
from gpu.model.machine import HEAP
from gpu.record.events import EventKind
from gpu.record.trace import Flag


@pytest.mark.parametrize("kind", EventKind)
def test_an_event_has_the_same_number_in_compiled_code(kind: EventKind) -> None:
    assert getattr(codes, kind.name) == kind


@pytest.mark.parametrize("flag", Flag)
def test_a_flag_is_the_same_bit_in_compiled_code(flag: Flag) -> None:
    name = "ENDED" if flag is Flag.FINISHED else flag.name  # FINISHED is a status there
    assert getattr(codes, str(name)) == flag


@pytest.mark.parametrize("entry", [modelled.ENTRY, HEAP])
def test_the_heap_gives_keys_in_order_and_equal_ones_the_same_way_again(entry: np.dtype) -> None:
    rng = np.random.default_rng(7)
    for _ in range(30):
        calls = rng.integers(0, 12, 200)  # many equal keys
        first, again = played(calls, entry), played(calls, entry)
        assert first == again
        plain: list[float] = []
        for number, call in enumerate(calls):
            if call and number % 3:
                heapq.heappush(plain, float(call))
            elif plain:
                assert heapq.heappop(plain) == first.pop(0)[0]
        assert not first


def played(calls: np.ndarray, entry: np.dtype) -> list[tuple[float, int]]:
    """Push two calls of three, take the top out at the others; return what came out."""
    heap, size, taken = records(len(calls), entry), 0, []
    for number, call in enumerate(calls):
        if call and number % 3:
            size = push(heap, size, float(call), number)
        elif size:
            taken.append((float(heap[0].key), int(heap[0].value)))
            size = drop_top(heap, size)
    return taken


def test_on_the_cpu_equal_distances_come_up_by_number() -> None:
    rng = np.random.default_rng(3)
    pairs = list(zip(rng.integers(0, 5, 300).tolist(), rng.permutation(300).tolist(), strict=True))
    heap, size = records(300, on_cpu.ENTRY), 0
    for dist, vertex in pairs:
        size = push(heap, size, dist << 32 | vertex, vertex)
    for dist, vertex in sorted(pairs):
        assert (int(heap[0].key) >> 32, int(heap[0].value)) == (dist, vertex)
        size = drop_top(heap, size)
    assert size == 0
