"""From kernel source to functions: compile options, and one compiled module a variant.

A variant is a kernel file at a probe level for a number type and a number of threads a block.
Headers are put into the source. What it is compiled to is kept on disk by a hash of the source, of
the options and of the card: CuPy's own cache starts the compiler each time, to ask its version.
"""

from __future__ import annotations

import hashlib
import re
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from gpu.cuda.records import RUN, STATE
from gpu.errors import GpuError
from gpu.files import cache_root, write_whole
from gpu.policy import Policy, translated

KERNELS = Path(__file__).resolve().parent / "kernels"
_OTHERS = {"async_near_far.cu": 512} | dict.fromkeys(
    ("adds.cu", "adds_wide.cu", "apsp_edge.cu", "apsp_sweep.cu", "prepare.cu"), 256
)
THREADS = {  # threads a block of each kernel file; of supersteps 1024
    path.name: _OTHERS.get(path.name, 1024) for path in sorted(KERNELS.glob("*.cu"))
}
SOURCE_LEVELS = 2  # the highest level that kernels are compiled for

_INCLUDE = re.compile(r'^#include "((?:ladder/)?\w+\.cuh?)"$', re.MULTILINE)


@cache
def source_of(name: str) -> str:
    """Return the text of a kernel file with its headers in place, each once."""
    seen: set[str] = set()

    def text_of(file: str) -> str:
        text = (KERNELS / file).read_text(encoding="utf-8")
        return _INCLUDE.sub(lambda match: included(match[1]), text)

    def included(file: str) -> str:
        if file in seen:
            return ""
        seen.add(file)
        return text_of(file).replace("#pragma once", "")

    return text_of(name)


def with_policy(name: str, policy: Policy | None) -> str:
    """Return the text of a kernel file, with a policy in its place; without one it has none."""
    text = source_of(name)
    if policy is None:
        return text
    return "#define POLICY 1\n" + text.replace("// POLICY_SOURCE\n", translated(policy)[1])


def compile_options(name: str, level: int, numbers: str, threads: int | None = None) -> list[str]:
    """Return the options of one variant, without the architecture; numbers : a type's name."""
    kind = np.dtype(numbers)
    return [
        "--std=c++17",
        f"-DLEVEL={min(level, SOURCE_LEVELS)}",
        f"-DWEIGHT_FLOAT={int(kind.kind == 'f')}",
        f"-DWEIGHT_WIDE={int(kind.itemsize == 8)}",
        f"-DTHREADS={threads or THREADS[name]}",
        f"-DRUN_BYTES={RUN.itemsize}",
        f"-DSTATE_BYTES={STATE.itemsize}",
    ]


@cache
def load_module(
    device: int, name: str, level: int, numbers: str, threads: int, policy: Policy | None = None
) -> Any:
    """Return CuPy's module of one variant, compiled and loaded on the current device."""
    del device  # part of the key: a module lives on one device
    import cupy

    options = tuple(compile_options(name, level, numbers, threads))
    source = with_policy(name, policy)
    capability = cupy.cuda.Device().compute_capability
    key = repr((source, options, capability, cupy.__version__)).encode()
    path = cache_root() / "cuda" / f"{hashlib.blake2b(key, digest_size=16).hexdigest()}.cubin"
    if not path.is_file():
        code = cupy.cuda.compiler.compile_using_nvrtc(source, (*options, "-ftz=true"))[0]
        with suppress(OSError, GpuError):  # a folder that is full, or not ours to write
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, code)
    if path.is_file():
        return cupy.RawModule(path=str(path))
    return cupy.RawModule(code=source, options=options, backend="nvrtc")


def function(
    device: int,
    name: str,
    kernel: str,
    level: int,
    numbers: str,
    threads: int | None = None,
    policy: Policy | None = None,
) -> Any:
    """Return one kernel of a variant."""
    threads = threads or THREADS[name]
    return load_module(device, name, level, numbers, threads, policy).get_function(kernel)


def constant(symbol: str, *variant: Any) -> Any:
    """Return the address of a `__constant__` of a variant, a CuPy memory pointer."""
    return load_module(*variant).get_global(symbol)
