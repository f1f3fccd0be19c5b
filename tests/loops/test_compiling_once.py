"""Processes that want the same function at the same time: one compiles it, the others load it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import json, sys
import numpy as np
sys.path.insert(0, sys.argv[1])
from slow_to_compile import total
assert total(np.arange(5.0)) == 10.0
print(json.dumps([sum(total.stats.cache_misses.values()), sum(total.stats.cache_hits.values())]))
"""
FUNCTION = """
from gpu.compiled import compiled

@compiled
def total(values):
    found = 0.0
    for value in values:
        found += value
{lines}
    return found
"""
PROCESSES = 3


def started(folder: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "SSSP_SCOPE_CACHE": str(folder / "cache"), "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(folder)],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )


def written(folder: Path) -> None:
    """Write a function that takes a second to compile."""
    lines = "\n".join(
        f"    found += values[{at % 5}] * 0.0 if found > {at} else 0.0" for at in range(80)
    )
    (folder / "slow_to_compile.py").write_text(FUNCTION.format(lines=lines))


def test_a_function_is_compiled_once_however_many_want_it(tmp_path: Path) -> None:
    written(tmp_path)
    processes = [started(tmp_path) for _ in range(PROCESSES)]
    told = [json.loads(process.communicate(timeout=120)[0]) for process in processes]
    assert all(process.returncode == 0 for process in processes)
    assert sorted(told) == [[0, 1]] * (PROCESSES - 1) + [[1, 0]]


def test_what_is_compiled_for_named_types_is_kept_too(tmp_path: Path) -> None:
    """As the loops that draw: at their import, not at their first call."""
    named = FUNCTION.replace("@compiled", '@compiled(signatures=["float64(float64[::1])"])')
    (tmp_path / "slow_to_compile.py").write_text(named.format(lines=""))
    told = []
    for _ in range(2):
        process = started(tmp_path)
        told.append(json.loads(process.communicate(timeout=120)[0]))
    assert told == [[1, 0], [0, 1]]


def test_a_process_that_died_while_compiling_leaves_no_lock(tmp_path: Path) -> None:
    written(tmp_path)
    first = started(tmp_path)
    while not list((tmp_path / "cache").rglob("*.lock")):
        assert first.poll() is None
        time.sleep(0.005)
    first.kill()
    first.communicate()
    second = started(tmp_path)
    assert json.loads(second.communicate(timeout=60)[0]) == [1, 0]  # in half of PATIENCE_S
