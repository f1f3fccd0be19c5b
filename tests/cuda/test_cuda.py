"""The engine `cuda` where there is no GPU: it says why, and nothing else breaks."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import gpu
from gpu.cuda import device, records, supersteps
from gpu.cuda.module import KERNELS, THREADS, USUAL_THREADS, compile_options, source_of
from gpu.cuda.records import entry_bytes, item_bytes
from gpu.cuda.supersteps import Kernel
from gpu.errors import EngineError, ParameterError
from gpu.graph import CSRGraph
from gpu.numbers import NUMBER_TYPES

ON_CUDA = ("adds", "near_far", "async_near_far", "bellman_ford", "delta_stepping")
SUPERSTEPS = ("near_far", "bellman_ford", "delta_stepping")
PATH = CSRGraph.from_arcs(np.array([0]), np.array([1]), np.array([3], np.int32), 2)


def test_importing_the_engine_needs_neither_cupy_nor_qt_nor_numba() -> None:
    code = (
        "import sys, gpu.cuda.adds, gpu.cuda.async_near_far, gpu.cuda.supersteps, gpu.cuda.apsp\n"
        "heavy = {'cupy', 'numba', 'PyQt6', 'scipy'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("algorithm", ON_CUDA)
def test_without_a_driver_the_run_says_so(algorithm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "driver_version", lambda: None)
    with pytest.raises(EngineError, match="no NVIDIA driver"):
        gpu.run(PATH, algorithm, "cuda")
    assert "model" in (device.why_not() or "")


def test_an_old_driver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "driver_version", lambda: 11040)
    with pytest.raises(EngineError, match=r"CUDA 11\.4; 12\.0 or newer"):
        device.find_device()


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


def test_options_differ_by_level_and_numbers_and_name_the_record_sizes() -> None:
    options = compile_options("adds.cu", 1, "float32")
    assert "-DLEVEL=1" in options
    assert f"-DRUN_BYTES={records.RUN.itemsize}" in options
    assert options != compile_options("adds.cu", 0, "float32")
    kinds = [tuple(compile_options("adds.cu", 1, numbers)[2:4]) for numbers in NUMBER_TYPES]
    assert kinds == [(f"-DWEIGHT_FLOAT={f}", f"-DWEIGHT_WIDE={w}") for f in (0, 1) for w in (0, 1)]


@pytest.mark.parametrize("name", THREADS)
def test_sources_hold_each_header_once_and_none_by_reference(name: str) -> None:
    text = source_of(name)
    assert "#include" not in text.replace("#include <cmath>", "")
    headers = [path.name for path in KERNELS.glob("*.cuh")]
    assert len(headers) > 5
    assert [name for name in headers if text.count(f"/*\n{name}: ") > 1] == []


# the algorithms of supersteps


def kernel_of(algorithm: str) -> Kernel:
    kernel: Kernel = getattr(supersteps, algorithm.upper())
    return kernel


@pytest.mark.parametrize("algorithm", SUPERSTEPS)
def test_each_has_its_kernel_file_among_those_that_are_compiled(algorithm: str) -> None:
    kernel = kernel_of(algorithm)
    assert (KERNELS / kernel.file).is_file()
    assert f"-DTHREADS={THREADS.get(kernel.file, USUAL_THREADS)}" in compile_options(
        kernel.file, 0, "int32"
    )
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


@pytest.mark.parametrize("numbers", NUMBER_TYPES)
def test_piles_are_counted_before_they_are_taken(numbers: str) -> None:
    kind = np.dtype(numbers)
    entry, item = (24, 16) if kind.itemsize == 8 else (16, 8)
    assert (entry_bytes(kind), item_bytes(kind)) == (entry, item)
    rooms = {name: kernel_of(name).needed_bytes(1000, kind) for name in SUPERSTEPS}
    assert rooms["bellman_ford"] == 2 * entry * 1000
    assert rooms["near_far"] == rooms["bellman_ford"] + 2 * item * 1000
    assert rooms["delta_stepping"] == rooms["near_far"] + item * 1000
