"""Every wait of every kernel ends, whatever signal is lost: one build for each.

Whoever waits for a signal looks at the run's status and at the clock, and gives up.
"""

from collections.abc import Iterator

import numpy as np
import pytest
from test_cuda_gpu import arcs, run_typed

from gpu.cuda import launch, module, watchdog
from gpu.cuda.device import why_not
from gpu.errors import EngineError
from gpu.graph import CSRGraph

REASON = why_not()
SUPERSTEPS = ["near_far", "bellman_ford", "delta_stepping", "rho_stepping"]
LOST = {  # who waits then: algorithms; texts of their kernels, and what stands in their place
    "its taker": (
        ["async_near_far"],
        {"leave(at.id, entry.id);": "if (place % RING != 100) leave(at.id, entry.id);"},
    ),
    "who comes round the ring": (["async_near_far"], {"leave(at.id, EMPTY);": ""}),
    "a packet's taker": (["async_near_far"], {"poke(word_of(packet), full);": "{}"}),
    "who comes round the packets": (["async_near_far"], {"poke(word_of(packet), free);": "{}"}),
    "the pacer": (["async_near_far"], {"!= nearest_told)": "!= nearest_told) && blockIdx.x"}),
    "every block": (
        ["async_near_far"],
        {"uint4 told = make": "if (status != RUNNING) return;\nuint4 told = make"},
    ),
    "every block, at the barrier": (
        SUPERSTEPS,
        {"atomicAdd(arrived, 1u);": "if (blockIdx.x > 0) atomicAdd(arrived, 1u);"},
    ),
    "every block, for the mode": (
        SUPERSTEPS,
        {
            "poke(&RUN.state->mode, (u32)": "if (mode != DONE) poke(&RUN.state->mode, (u32)",
            "(u32)RUNNING, (u32)FINISHED);": "(u32)FINISHED, (u32)FINISHED);",
        },
    ),
    "the manager and a worker": (
        ["adds"],
        {"poke(RUN.assign + worker, order);": "if (worker > 0) poke(RUN.assign + worker, order);"},
    ),
    "the manager, for a worker": (["adds"], {".completed, count);": ".completed, 0u);"}),
    "the manager, for items": (
        ["adds"],
        {"items * WRITTEN);": "0u);", "add(RUN.written + at / SEGMENT, part);": ""},
    ),
    "writers to a block": (["adds"], {"poke(table_at(slot": "if (slot == 0) poke(table_at(slot"}),
    "every worker": (["adds"], {"idle, M.status,": "idle, RUNNING,"}),
    "a block of all pairs, by edges": (["edge_apsp"], {"_or(changed)": "_or(true)"}),
    "a block of all pairs": (["delta_apsp", "apsp_fast"], {"if (count > 0) {": "if (true) {"}),
}
CASES = [(waiter, key) for waiter, (keys, _) in LOST.items() for key in keys]
LIMIT_S = 0.5


def losing(source: str, waiter: str) -> str:
    """Return the text of a kernel that does not send the signal; `begin` sends none."""
    for text, without in LOST[waiter][1].items():
        assert source.count(text) <= 1
        source = source.replace(text, without)
    return source


@pytest.fixture
def build(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Compile kernels that lose the signal, and end them soon."""
    plain = module.source_of
    monkeypatch.setattr(module, "source_of", lambda name: losing(plain(name), request.param))
    monkeypatch.setattr(watchdog, "LIMIT_S", LIMIT_S)
    launched = set(launch._LAUNCHED)
    module.load_module.cache_clear()
    yield
    module.load_module.cache_clear()
    launch._LAUNCHED.clear()
    launch._LAUNCHED.update(launched)


@pytest.fixture(scope="module")
def wide() -> CSRGraph:
    """A graph whose frontier fills every block's queue, and travels to all."""
    rng = np.random.default_rng(1)
    n, m = 200_000, 1_200_000
    ends = rng.integers(0, n, m), rng.integers(0, n, m)
    return arcs(*ends, rng.integers(1, 100, m), n)


@pytest.mark.gpu
@pytest.mark.skipif(REASON is not None, reason=str(REASON))
@pytest.mark.parametrize(("build", "key"), CASES, indirect=["build"])
def test_a_lost_signal_ends_the_run(build: None, key: str, wide: CSRGraph) -> None:
    matrix = {"parameters": {"sources": 1}} if "apsp" in key else {}
    with pytest.raises(EngineError, match="ended itself"):
        run_typed(wide, key, "cuda", probe=0, **matrix)


@pytest.mark.parametrize("waiter", LOST)
def test_each_signal_is_lost_where_it_is_sent(waiter: str) -> None:
    keys, texts = LOST[waiter]
    files = {
        "edge_apsp": "apsp_edge.cu",
        "delta_apsp": "apsp_sweep.cu",
        "apsp_fast": "apsp_sweep.cu",
    }
    for key in keys:
        source = module.source_of(files.get(key, f"{key}.cu"))
        assert [source.count(text) for text in texts] == [1] * len(texts)
