"""Whatever the bytes: a checked graph or one GpuError in one line, memory and time in bounds.

`mutated` is a seeded fuzzer over valid files of every format: bytes flipped, cut, repeated,
numbers replaced by awkward ones, two files crossed, header counts blown up, elements and brackets
nested, whole files of noise. Each file is read with tracemalloc watching. More of them:
tests/campaigns/fuzz.py.
"""

import gzip
import lzma
import random
import re
import sys
import tempfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from exchange_files import DIRECTED, TRIANGLE
from hypothesis import given, settings, strategies as st
from test_formats import FILES, UNDIRECTED

from gpu.errors import FormatError, GpuError
from gpu.formats import load_graph, save_graph
from gpu.formats.reading import Reading
from gpu.formats.rows import NOT_NEGATIVE, SIGNED, SKIPPED, RowRules, Rows, read_rows

FILES_READ = 400
MEMORY_BASE = 240_000_000  # bytes: a header may promise ten million free vertices
MEMORY_FACTOR = 1000
AWKWARD = (
    b"-1", b"0", b"99999999999999999999", b"9223372036854775807", b"2147483648", b"1e400", b"inf",
    b"nan", b"-0.0", b"1e-320", b"\xff\xfe", b"\0", b"", b"x", b"p", b"c", b"%", b"#", b",",
    b"\r", b"\n", b"1000000000000", b"0x10", b"1_0", "\N{ARABIC-INDIC DIGIT THREE}".encode(),
    b"+3", b".5", b"<", b">", b"&", b"&lt;", b"&#0;", b"&#xD800;", b"<!ENTITY a 'b'>",
    b"<![CDATA[", b"[", b"]", b'"', b"'", b"*", b"~", b"<NUMBER OF NODES> 3", b"graph [",
    b"*Matrix", b"node [ id 3 ]", b"INF", b"]]>", b"-->", b"<!--",
    b"<?xml version='1.0' encoding='UTF-7'?>", b"9" * 5000,
)  # fmt: skip
HUGE = (b"999999", b"1000001", b"2147483647", b"2147483648", b"9999999999", b"1" + b"0" * 15)
NESTING = (b"<nodes>", b"<graph>", b"<data key='w'>", b"a [ ", b"(", b"node [ id 1 graphics [ ")


def seeds() -> dict[str, bytes]:
    """Return valid files of every format, plain and packed."""
    found = {**FILES, **UNDIRECTED, "named": b'from,to,km\n"a b",c,2.5\nc,d,1\n'}
    found |= {f"{name} 1": text.encode() for name, text in DIRECTED.items()}
    found |= {f"{name} 2": text.encode() for name, text in TRIANGLE.items()}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x"
        path.write_bytes(FILES["csv"])
        save_graph(load_graph(path), Path(folder) / "x.npz")
        found["npz"] = (Path(folder) / "x.npz").read_bytes()
    found["node_link"] = (
        b'{"directed": true, "nodes": [{"id": "a"}, {"id": 2}],\n'
        b'"links": [{"source": "a", "target": 2, "weight": 2.5}]}\n'
    )
    found["quoted"] = b'"from","to","km"\n"a, b","c ""d""",2.5\n"c\ne",7,1\n'
    found["gzip"] = gzip.compress(FILES["dimacs"])
    found["xz"] = lzma.compress(FILES["matrix_market"])
    return found


Kind = Callable[[bytearray, int, random.Random], None]


def spliced(add: Callable[[bytes, random.Random], bytes], most: int = 0) -> Kind:
    """Return a fault that replaces up to `most` bytes by what `add` makes of 60 that follow."""

    def fault(content: bytearray, at: int, chance: random.Random) -> None:
        gone = chance.randrange(1, most) if most else 0
        content[at : at + gone] = add(bytes(content[at : at + 60]), chance)

    return fault


def cut(content: bytearray, at: int, chance: random.Random) -> None:
    del content[at:]


def number(content: bytearray, at: int, chance: random.Random) -> None:
    """Replace a number, often one of the header, by a huge or an awkward one."""
    found = list(re.finditer(rb"[0-9]+", bytes(content[:4000])))
    if found:
        chosen = found[chance.randrange(min(len(found), chance.choice((3, 1000))))]
        content[chosen.start() : chosen.end()] = chance.choice(HUGE + AWKWARD[:12])


def line(content: bytearray, at: int, chance: random.Random) -> None:
    """Move a line to another place."""
    lines = bytes(content).split(b"\n")
    lines.insert(chance.randrange(len(lines)), lines.pop(chance.randrange(len(lines))))
    content[:] = b"\n".join(lines)


KINDS: tuple[Kind, ...] = (
    cut, number, number, line,
    spliced(lambda part, chance: bytes([part[0] ^ 1 << chance.randrange(8)]) if part else b"", 2),
    spliced(lambda part, chance: chance.choice(AWKWARD)),
    spliced(lambda part, chance: part * chance.choice((1, 2, 50))),
    spliced(lambda part, chance: chance.choice(AWKWARD), 9),
    spliced(lambda part, chance: chance.randbytes(8), 9),
    spliced(lambda part, chance: b"", 40),
    spliced(lambda part, chance: chance.choice(NESTING) * chance.choice((2, 90, 300, 3000))),
)  # fmt: skip


def mutated(pool: list[bytes], chance: random.Random) -> bytes:
    """Return one of the files with one to four faults."""
    content = bytearray(chance.choice(pool))
    if chance.random() < 0.05:
        other = chance.choice(pool)
        content[chance.randrange(len(content) + 1) :] = other[chance.randrange(len(other)) :]
    if chance.random() < 0.02:
        content[chance.randrange(40) :] = chance.randbytes(chance.randrange(2000))
    for _ in range(chance.randint(1, 4)):
        chance.choice(KINDS)(content, chance.randrange(len(content) + 1), chance)
    return bytes(content)


def check(path: Path, content: bytes, **options: str) -> bool:
    """Load bytes; fail on any error but ours, on two lines, on memory past the file's due.

    Returns whether they were refused.
    """
    path.write_bytes(content)
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    words = ""
    try:
        load_graph(path, **options).checked()  # type: ignore[arg-type]
    except GpuError as error:
        words = str(error)
    assert words == "" or str(path) in words, content
    assert "\n" not in words, content
    peak = tracemalloc.get_traced_memory()[1] - before
    assert peak <= MEMORY_BASE + MEMORY_FACTOR * len(content), (peak, content)
    return words != ""


def fuzz(seed: int, folder: Path, *, files: int) -> int:
    """Check so many mutated files, return how many were refused; a bad one is kept as mutated."""
    for content in seeds().values():  # what a first reading imports is not the file's
        (folder / "seed").write_bytes(content)
        load_graph(folder / "seed")
    tracemalloc.start()
    path = folder / "mutated"
    pool, chance, refused = list(seeds().values()), random.Random(seed), 0
    try:
        for done in range(files):
            weights = ("file", "absolute", "unit")[done % 3]
            refused += check(path, mutated(pool, chance), weights=weights)
    finally:
        tracemalloc.stop()
    return refused


@pytest.mark.slow
def test_mutated_files_are_read_or_refused(tmp_path: Path) -> None:
    refused = fuzz(7, tmp_path, files=FILES_READ)
    assert FILES_READ / 4 < refused < FILES_READ  # some of each


TOKENS = st.one_of(
    st.sampled_from([*AWKWARD, b"a ", b"v ", b" ", b"\n", b"\t", b";", b'"']),
    st.integers(-3, 9).map(lambda k: b"%d " % k),
    st.floats().map(lambda x: repr(x).encode()),
)


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
    one, *others = (_outcome(data, rules, how) for how in ("python", "compiled", "plain"))
    for other in others:
        if isinstance(one, str) or isinstance(other, str):
            assert one == other
            continue
        assert np.array_equal(one.ids, other.ids)
        assert np.array_equal(one.values, other.values)
        assert one.values.dtype.kind == other.values.dtype.kind or not one.values.size


def _outcome(data: bytearray, rules: RowRules, how: str) -> Rows | str:
    with pytest.MonkeyPatch.context() as patch:
        if how == "plain":
            patch.delitem(sys.modules, "gpu.formats.scan")
        try:
            return read_rows(Reading(Path("text")), data, 0, rules, compiled=how != "python")
        except FormatError as error:
            return str(error)


PLAIN = st.lists(st.lists(st.integers(0, 10**15 - 1), min_size=3, max_size=3), min_size=1)


@given(rows=PLAIN, key=st.sampled_from(["", "a "]))
def test_plain_rows_need_no_compiled_loop(rows: list[list[int]], key: str) -> None:
    rules = RowRules("x", value_columns=1, key=key.strip().encode())
    data = bytearray("".join(f"{key}{a} {b} {w}\n" for a, b, w in rows), "ascii")
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(sys.modules, "gpu.formats.scan")
        patch.setattr("gpu.formats.rows._scan_chunk", None)
        read = read_rows(Reading(Path("text")), data, 0, rules, compiled=True)
    assert np.array_equal([*read.ids, *read.values], np.transpose(rows))
