"""Every kernel compiles for every level, number type and architecture; no GPU is needed.

The compiler (NVRTC) is a wheel of the `test` extra, so CI never skips these tests; where it
was left out (207 MB) they are skipped with the reason.
"""

import itertools
import re
from pathlib import Path
from types import ModuleType

import pytest

import assets
import gpu
from gpu.cuda.module import THREADS, compile_options, source_of, with_policy
from gpu.numbers import NUMBER_TYPES
from gpu.policy import load_policy

KERNELS = Path(gpu.__file__).parent / "cuda" / "kernels"
OPTIMISED = {"adds.cu", "apsp_edge.cu", "prepare.cu"}  # at level 0 as users get it; the rest fast
FAST = "--Ofast-compile=max"
PAIRED = {  # the types of each architecture and level; float32 at level 0: the next test
    75: {0: ("int64",), 1: (), 2: ("float32",)},
    90: {0: ("int32",), 1: ("float64",), 2: ("int64",)},
}
CASES = [
    case
    for case in itertools.product(THREADS, (0, 1, 2), NUMBER_TYPES, PAIRED)
    if case[2] in PAIRED[case[3]][case[1]]
]


def compiler() -> ModuleType:
    """Return NVRTC, or skip the test that needs it."""
    return pytest.importorskip("cuda.bindings.nvrtc", reason="NVRTC is not installed: extra `test`")


def checked(result: tuple, program: object = None) -> tuple:
    nvrtc = compiler()
    if result[0] != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        log = ""
        if program is not None:
            size = nvrtc.nvrtcGetProgramLogSize(program)[1]
            text = bytes(size + 1)  # written into: two bytes at least, one is Python's own
            nvrtc.nvrtcGetProgramLog(program, text)
            log = text.rstrip(b"\0").decode()
        raise AssertionError(f"{result[0]}\n{log}")
    return result[1:]


def compiled_bytes(name: str, source: str, options: list[str], architecture: int) -> int:
    nvrtc = compiler()
    (program,) = checked(nvrtc.nvrtcCreateProgram(source.encode(), name.encode(), 0, [], []))
    try:
        every = [*options, f"--gpu-architecture=sm_{architecture}", f"-I{KERNELS}"]
        flags = [option.encode() for option in every]
        checked(nvrtc.nvrtcCompileProgram(program, len(flags), flags), program)
        return int(checked(nvrtc.nvrtcGetCUBINSize(program))[0])
    finally:
        nvrtc.nvrtcDestroyProgram(program)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "level", "numbers", "architecture"), CASES)
def test_nvrtc_compiles(name: str, level: int, numbers: str, architecture: int) -> None:
    options = compile_options(name, level, numbers)
    as_users_get_it = name in OPTIMISED and (architecture, level, numbers) == (90, 0, "int32")
    options += [] if as_users_get_it else [FAST]
    assert compiled_bytes(name, source_of(name), options, architecture) > 1000


@pytest.mark.parametrize("name", sorted(THREADS))
def test_denormal_distances_are_not_flushed_to_zero(name: str) -> None:
    """CuPy adds -ftz=true to every compilation; at level 0 all floats are distances."""
    nvrtc = compiler()
    source, options = source_of(name), compile_options(name, 0, "float32")
    (program,) = checked(nvrtc.nvrtcCreateProgram(source.encode(), name.encode(), 0, [], []))
    try:
        every = [*options, "-ftz=true", FAST, "--gpu-architecture=compute_90", f"-I{KERNELS}"]
        flags = [option.encode() for option in every]
        checked(nvrtc.nvrtcCompileProgram(program, len(flags), flags), program)
        text = bytes(checked(nvrtc.nvrtcGetPTXSize(program))[0] + 1)
        checked(nvrtc.nvrtcGetPTX(program, text))
    finally:
        nvrtc.nvrtcDestroyProgram(program)
    assert (b".f32" in text) == (name != "prepare.cu")  # which computes with none
    flushed = re.findall(rb"^\s*(?:add|sub|cvt)[.\w]*\.ftz\.[.\w]*f32.*$", text, re.MULTILINE)
    assert flushed == []  # comparisons of the logarithm's own are left


@pytest.mark.slow
@pytest.mark.parametrize("name", ["greedy.py", "pi.py"])
def test_a_policy_compiles_into_the_kernel(name: str) -> None:
    policy = load_policy(Path(assets.__file__).parent / "policies" / name)
    options = [*compile_options("adds.cu", 1, "int32"), FAST]
    assert compiled_bytes("adds.cu", with_policy("adds.cu", policy), options, 90) > 1000
