"""Every wait of every kernel ends, whatever signal is lost: one build for each (`lost.cuh`)."""

import re
from collections.abc import Iterator

import numpy as np
import pytest
from test_cuda_gpu import arcs, run_typed

from gpu.cuda import launch, module, watchdog
from gpu.cuda.device import why_not
from gpu.errors import EngineError
from gpu.graph import CSRGraph

REASON = why_not()
pytestmark = [pytest.mark.gpu, pytest.mark.skipif(REASON is not None, reason=str(REASON))]

LOST = {
    "LOST_ENTRY": ["async_near_far"],
    "LOST_PLACE": ["async_near_far"],
    "LOST_PACKET": ["async_near_far"],
    "LOST_RETURN": ["async_near_far"],
    "LOST_REPORT": ["async_near_far"],
    "LOST_END": ["async_near_far"],
    "LOST_ARRIVAL": ["near_far", "bellman_ford", "delta_stepping", "rho_stepping"],
    "LOST_MODE": ["near_far", "bellman_ford", "delta_stepping", "rho_stepping"],
    "LOST_ORDER": ["adds"],
    "LOST_COMPLETION": ["adds"],
    "LOST_WRITTEN": ["adds"],
    "LOST_BLOCK": ["adds"],
    "LOST_LEAVE": ["adds"],
    "LOST_QUIET": ["edge_apsp", "delta_apsp", "apsp_fast"],
}
CASES = [(signal, key) for signal, keys in LOST.items() for key in keys]
LIMIT_S = 0.5


@pytest.fixture
def build(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Compile kernels that lose the signal, and end them soon."""
    plain = module.compile_options
    lose = f"-DLOSE={request.param}"
    monkeypatch.setattr(module, "compile_options", lambda *which: [*plain(*which), lose])
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


@pytest.mark.parametrize(("build", "key"), CASES, indirect=["build"])
def test_a_lost_signal_ends_the_run(build: None, key: str, wide: CSRGraph) -> None:
    matrix = {"parameters": {"sources": 1}} if "apsp" in key else {}
    with pytest.raises(EngineError, match="ended itself"):
        run_typed(wide, key, "cuda", probe=0, **matrix)


def test_each_signal_of_the_kernels_is_lost_once() -> None:
    text = (module.KERNELS / "lost.cuh").read_text("utf-8")
    assert set(re.findall(r"^ +(LOST_\w+)", text, re.MULTILINE)) == set(LOST)
