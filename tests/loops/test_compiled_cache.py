"""Compiled code is kept on disk, for any types and for named ones; damage is repaired."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from processes import python

from gpu.compiled import SignatureFiles

PROGRAM = """
import json, sys
import numpy as np
sys.path.insert(0, sys.argv[1])
from summed import total
assert total(np.arange(5.0)) == 10.0
print(json.dumps([sum(total.stats.cache_misses.values()), sum(total.stats.cache_hits.values())]))
"""
FUNCTION = """
from gpu.compiled import compiled

{decorator}
def total(values):
    result = 0.0
    for value in values:
        result += value
    return result
"""


def misses_and_hits(folder: Path) -> list[int]:
    result: list[int] = json.loads(python(PROGRAM, folder, SSSP_SCOPE_CACHE=str(folder / "cache")))
    return result


@pytest.mark.parametrize(
    ("named", "damage"),
    [("@compiled", b""), ('@compiled(signatures=["float64(float64[::1])"])', os.urandom(2000))],
    ids=["for any types", "for named ones"],
)
def test_compiled_code_is_kept_and_damaged_files_are_made_again(
    tmp_path: Path, named: str, damage: bytes
) -> None:
    (tmp_path / "summed.py").write_text(FUNCTION.format(decorator=named))
    assert misses_and_hits(tmp_path) == [1, 0]
    assert misses_and_hits(tmp_path) == [0, 1]
    (file,) = (tmp_path / "cache").rglob("*.nbc")
    file.write_bytes(damage)
    assert misses_and_hits(tmp_path) == [1, 0]


def test_two_programs_that_write_at_once_do_not_exchange_their_code(tmp_path: Path) -> None:
    """With Numba's own files the second would leave the first one's code under its number."""
    folder = str(tmp_path)
    first, second = (SignatureFiles(folder, "summed.total", (1.0, 2)) for _ in range(2))
    integers, floats = (("int64[:]",), "x86"), (("float64[:]",), "x86")
    asked = [first.load(integers), second.load(floats)]
    second.save(floats, "code for floats")
    first.save(integers, "code for integers")
    assert asked == [None, None]
    assert first.load(floats) == "code for floats"
    assert second.load(integers) == "code for integers"
    other_source = SignatureFiles(folder, "summed.total", (3.0, 2))
    assert other_source.load(integers) is None


def test_two_programs_that_start_at_once_compile_once(tmp_path: Path) -> None:
    (tmp_path / "summed.py").write_text(FUNCTION.format(decorator="@compiled"))
    with ThreadPoolExecutor(2) as programs:
        counted = list(programs.map(misses_and_hits, [tmp_path] * 2))
    assert sorted(counted) == [[0, 1], [1, 0]]
