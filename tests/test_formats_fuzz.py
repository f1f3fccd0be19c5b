"""Whatever the bytes: a checked graph or one GpuError in one line, and memory in bounds.

`mutations` is a seeded fuzzer over valid files of every format: bytes flipped, cut,
repeated, numbers replaced by awkward ones. It runs for a few seconds here; a longer run by hand:

    python tests/test_formats_fuzz.py 600
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_formats import FILES, UNDIRECTED

from gpu.errors import FormatError, GpuError
from gpu.formats import load_graph, save_graph
from gpu.formats.base import Reading
from gpu.formats.row_rules import NOT_NEGATIVE, SIGNED, SKIPPED, RowRules
from gpu.formats.rows import Rows, read_rows

SECONDS = 5.0
MEMORY_BASE = 24_000_000  # bytes: a header may promise a million free vertices
MEMORY_FACTOR = 1000
AWKWARD = (
    b"-1", b"0", b"99999999999999999999", b"9223372036854775807", b"2147483648", b"1e400", b"inf",
    b"nan", b"-0.0", b"1e-320", b"\xff\xfe", b"\0", b"", b"x", b"p", b"c", b"%", b"#", b",", b"\r",
    b"\n", b"1000000000000", b"0x10", b"1_0", "\N{ARABIC-INDIC DIGIT THREE}".encode(), b"+3", b".5",
)  # fmt: skip


def seeds() -> list[bytes]:
    """Return valid files of every format, and one of our own."""
    found = [*FILES.values(), *UNDIRECTED.values(), b'from,to,km\n"a b",c,2.5\nc,d,1\n']
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x"
        path.write_bytes(FILES["csv"])
        save_graph(load_graph(path), Path(folder) / "x.npz")
        found.append((Path(folder) / "x.npz").read_bytes())
    return found


def mutations(seed: int) -> Iterator[bytes]:
    """Yield mutated files for ever, the same for the same seed."""
    chance = random.Random(seed)
    pool = seeds()
    while True:
        content = bytearray(chance.choice(pool))
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(content) + 1)
            kind = chance.randrange(6)
            if kind == 0 and at < len(content):
                content[at] ^= 1 << chance.randrange(8)
            elif kind == 1:
                content = content[:at]
            elif kind == 2:
                content[at:at] = chance.choice(AWKWARD)
            elif kind == 3:
                end = min(len(content), at + chance.randrange(1, 30))
                content[at:at] = content[at:end]
            elif kind == 4:
                end = min(len(content), at + chance.randrange(1, 9))
                content[at:end] = chance.choice(AWKWARD)
            else:
                content[at : at + 8] = chance.randbytes(8)
        yield bytes(content)


def check(path: Path, content: bytes, **options: str) -> None:
    """Load bytes; fail on any error but ours, on two lines, on memory past the file's due."""
    path.write_bytes(content)
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    words = _told(path, options)
    assert words == "" or str(path) in words, content
    assert "\n" not in words, content
    peak = tracemalloc.get_traced_memory()[1] - before
    assert peak <= MEMORY_BASE + MEMORY_FACTOR * len(content), (peak, content)


def _told(path: Path, options: dict[str, str]) -> str:
    try:
        load_graph(path, **options).checked()  # type: ignore[arg-type]
    except GpuError as error:
        return str(error)
    return ""


def fuzz(seed: int, seconds: float, folder: Path) -> int:
    """Check mutated files for so long; return how many."""
    tracemalloc.start()
    path, done = folder / "mutated", 0
    until = time.monotonic() + seconds
    try:
        for content in mutations(seed):
            check(path, content, weights=("file", "absolute", "unit")[done % 3])
            done += 1
            if time.monotonic() > until:
                return done
    finally:
        tracemalloc.stop()
    return done


def test_mutated_files_are_read_or_refused(tmp_path: Path) -> None:
    assert fuzz(7, SECONDS, tmp_path) > 100


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    tracemalloc.start()
    yield tmp_path_factory.mktemp("noise")
    tracemalloc.stop()


@settings(max_examples=60)
@given(content=st.binary(max_size=400))
def test_noise_is_read_or_refused(folder: Path, content: bytes) -> None:
    check(folder / "noise", content)


HEADS = st.sampled_from(
    [
        b"p sp 3 2\n", b"p tw 3 2\n", b"%%MatrixMarket matrix coordinate real general\n3 3 2\n",
        b"3 2\n", b"3 2 011\n", b"", b"source,target,weight\n", b"PK\x03\x04", b"\x1f\x8b\x08",
        b"\xfd7zXZ\0", b"BZh9", np.array([1, 4, 2, 1], "<u8").tobytes(),
    ]
)  # fmt: skip
TOKENS = st.one_of(
    st.sampled_from([*AWKWARD, b"a ", b"v ", b" ", b"\n", b"\t", b";", b'"']),
    st.integers(-3, 9).map(lambda k: b"%d " % k),
    st.floats().map(lambda x: repr(x).encode()),
)


@settings(max_examples=100)
@given(head=HEADS, tokens=st.lists(TOKENS, max_size=40))
def test_malformed_text_is_read_or_refused(folder: Path, head: bytes, tokens: list[bytes]) -> None:
    check(folder / "text", head + b"".join(tokens))


@settings(max_examples=150)
@given(
    tokens=st.lists(TOKENS, max_size=40),
    key=st.sampled_from([b"", b"a"]),
    separator=st.sampled_from([b"", b","]),
    values=st.sampled_from([NOT_NEGATIVE, SIGNED, SKIPPED]),
    columns=st.integers(0, 2),
)
def test_compiled_and_python_accept_the_same_lines(
    tokens: list[bytes], key: bytes, separator: bytes, values: int, columns: int
) -> None:
    rules = RowRules(
        "x", value_columns=columns, key=key, separator=separator, values=values, comments=b"c#",
        low=-2, high=2**63 - 1,
    )  # fmt: skip
    data = bytearray(b"".join(tokens))
    outcomes = [_outcome(data, rules, compiled) for compiled in (True, False)]
    if isinstance(outcomes[0], str) or isinstance(outcomes[1], str):
        assert outcomes[0] == outcomes[1]
        return
    one, two = outcomes
    assert np.array_equal(one.ids, two.ids)
    assert np.array_equal(one.values.astype(np.float32), two.values.astype(np.float32))
    assert (one.integral or not len(one), one.comments) == (
        two.integral or not len(two),
        two.comments,
    )


def _outcome(data: bytearray, rules: RowRules, compiled: bool) -> Rows | str:
    try:
        return read_rows(Reading(Path("text")), bytearray(data), 0, rules, compiled=compiled)
    except FormatError as error:
        return str(error)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        print(fuzz(random.randrange(10**9), float(sys.argv[1]), Path(place)), "files")
