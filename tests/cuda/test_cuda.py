"""The engine `cuda` where there is no GPU: it says why, and nothing else breaks."""

import sys

import numpy as np
import pytest
from processes import python

import gpu
from gpu.cuda import device
from gpu.errors import EngineError, ParameterError
from gpu.graph import CSRGraph

ON_CUDA = ("adds", "near_far", "async_near_far", "bellman_ford", "delta_stepping", "rho_stepping")
PATH = CSRGraph.from_arcs(np.array([0]), np.array([1]), np.array([3], np.int32), 2)


def test_importing_the_engine_needs_neither_cupy_nor_qt_nor_numba() -> None:
    imported = python(
        "import sys, gpu.cuda.adds, gpu.cuda.async_near_far, gpu.cuda.rho_stepping, gpu.cuda.apsp\n"
        "print(*sys.modules)"
    )
    assert "gpu.cuda.adds" in imported.split()
    assert not {"cupy", "numba", "PyQt6", "scipy"} & set(imported.split())


@pytest.mark.parametrize("algorithm", ON_CUDA)
def test_without_a_driver_the_run_says_so(algorithm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "driver_version", lambda: None)
    with pytest.raises(EngineError, match="no NVIDIA driver"):
        gpu.run(PATH, algorithm, "cuda")
    assert "model" in (device.why_not() or "")


@pytest.mark.parametrize(("driver", "extra"), [(12040, "cuda12"), (13000, "cuda13")])
def test_without_cupy_the_pip_line_fits_the_driver(
    driver: int, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device, "driver_version", lambda: driver)
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(EngineError, match=rf'pip install "sssp-scope\[{extra}\]"'):
        device.find_device()


@pytest.mark.parametrize("name", ["gpu:0", "cuda:x", "H100"])
def test_a_wrong_device_name_is_refused(name: str) -> None:
    with pytest.raises(ParameterError, match="cuda:0"):
        device.find_device(name)


@pytest.mark.parametrize("algorithm", ON_CUDA)
def test_level_three_is_refused(algorithm: str) -> None:
    with pytest.raises(ParameterError, match="levels 0, 1 and 2"):
        gpu.run(PATH, algorithm, "cuda", probe=3)
