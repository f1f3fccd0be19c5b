"""The all-pairs kernels without a GPU: they compile, and every index is 64 bits wide."""

import numpy as np
import pytest
from test_nvrtc import FAST, compiled_bytes

from gpu.cuda import apsp, apsp_records
from gpu.cuda.apsp_records import Shape, plan_chunks
from gpu.cuda.module import compile_options, source_of
from gpu.errors import MemoryNeededError
from gpu.graph import CSRGraph

H100_SHARED = 232_448 - apsp.STATIC_BYTES


@pytest.mark.parametrize(
    ("threads", "numbers"), [(128, "int32"), (512, "float64"), (1024, "int64")]
)
def test_nvrtc_compiles_apsp_for_every_block_size(threads: int, numbers: str) -> None:
    name = "apsp_sweep.cu"  # every level and kind of weight: test_nvrtc
    options = [*compile_options(name, 0, numbers, threads), FAST]
    assert compiled_bytes(name, source_of(name), options, 90) > 1000


def shape(blocks: int, scratch: int = 0, tails: bool = False) -> Shape:
    return Shape(None, None, "test", 256, blocks, 0, 0, scratch, tails, True)


def empty_graph(n: int, numbers: str = "int32") -> CSRGraph:
    none = np.zeros(0, np.int32)
    return CSRGraph(np.zeros(n + 1, np.int64), none, none.astype(numbers))


@pytest.mark.parametrize("n", [1, 31, 12_800, 46_340, 46_341, 65_536, 100_000, 300_000])
@pytest.mark.parametrize("gigabytes", [1, 8, 70])
@pytest.mark.parametrize(("numbers", "size"), [("int32", 4), ("float64", 8)])
def test_chunks_cover_every_source_and_fit(n: int, gigabytes: int, numbers: str, size: int) -> None:
    free = gigabytes << 30
    plan = plan_chunks(empty_graph(n, numbers), n, shape(264), False, free)
    assert sum(plan.rows_of(chunk) for chunk in range(plan.chunks)) == n
    assert plan.device_bytes <= free
    assert plan.slots == 1 or plan.slots >= 2
    assert size * n * plan.rows <= max(apsp_records.SLOT_BYTES, size * n * 2 * 264)
    assert plan.device_bytes >= size * n * plan.rows * plan.slots


def test_what_does_not_fit_the_device_is_refused_with_sizes() -> None:
    with pytest.raises(MemoryNeededError, match=r"two rows of 1,000,000 .* free: .*fewer sources"):
        plan_chunks(empty_graph(1_000_000), 10, shape(132), False, 5_000_000)


@pytest.mark.parametrize(
    ("kind", "n", "size", "place"),
    [
        (apsp.EDGE, 57_000, 4, "shared"),
        (apsp.EDGE, 57_000, 8, "global"),
        (apsp.EDGE, 60_000, 4, "global"),
        (apsp.DELTA, 46_341, 4, "shared"),
        (apsp.DELTA, 46_341, 8, "mixed"),
        (apsp.DELTA, 26_000, 8, "shared"),
        (apsp.FAST, 53_000, 4, "shared"),
        (apsp.FAST, 58_000, 4, "mixed"),
        (apsp.DELTA, 500_000, 4, "mixed"),
        (apsp.FAST, 24_000_000, 4, "global"),
    ],
)
def test_where_a_source_is_kept_on_an_h100(kind: apsp.Kind, n: int, size: int, place: str) -> None:
    found, shared = apsp.placed(kind, n, H100_SHARED, size)
    assert found == place
    assert 0 <= shared <= H100_SHARED
