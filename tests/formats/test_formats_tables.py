"""Tables by compiled loops and in plain Python: one graph, one fault."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from gpu.errors import GpuError
from gpu.formats import edge_list, load_graph, tables
from gpu.graph import CSRGraph
from gpu.parsing import interning, rows

WORDS = ["a", "b", "Oslo", "Bergen west", "ä", "x" * 8, "x" * 9, "é" * 20, "#c", "%", "7", "0"]
ODD_CELLS = ['"', 'a"b', '"a"b', '"', "", "\x0b", "\x0ba", "\tq", " 5 ", "1e400", "nan", "y" * 300]
DRAWS = 1500


def told(path: Path, **options: str) -> object:
    """Return what a file is read as: the arrays and notes, or the words of the fault."""
    try:
        return seen(load_graph(path, **options))  # type: ignore[arg-type]
    except GpuError as error:
        return str(error)


def seen(graph: CSRGraph) -> object:
    arrays = (graph.indptr, graph.indices, graph.weights, graph.ids, graph.positions)
    return (
        [None if array is None else (array.dtype.kind, array.tolist()) for array in arrays],
        graph.id_base,
        graph.provenance.notes,
    )


def by_loops(patch: pytest.MonkeyPatch, compiled: bool) -> None:
    """Let all files, or none, be read by compiled loops, in several shares."""
    patch.setattr(edge_list, "runs_compiled", lambda _size: compiled)
    patch.setattr(rows, "COMPILED_BYTES", 0 if compiled else 10**9)
    patch.setattr(rows, "COMPILED_BYTES_COLD", 0 if compiled else 10**9)
    patch.setattr(tables, "SHARE_BYTES", 40)
    patch.setattr(tables, "PAUSE_BYTES", 64)
    patch.setattr(tables, "cores", lambda: 3)


def cell(chance: random.Random, word: str, quoting: float) -> str:
    if chance.random() < quoting:
        return '"' + word.replace('"', '""') + '"' + chance.choice(["", "", "", " "])
    return chance.choice(["", "", "", " "]) + word + chance.choice(["", "", " "])


def drawn(chance: random.Random) -> str:
    """Return a table: some regular, some with anything in it."""
    mark = chance.choice([",", ";", "\t", " "])
    named, quoting = chance.random() < 0.6, chance.choice([0, 0, 0.3, 1])
    oddity = chance.choice([0, 0, 0, 0.02])
    heading = chance.choice(
        [[], [], ["source", "target", "weight"], ["Id", "Source", "Target", "Type", "Weight"],
         ["to", "km", "from"], ["from", "to"]]
    )  # fmt: skip
    lines = [mark.join(cell(chance, name, quoting) for name in heading)] if heading else []
    names = [name.lower() for name in heading] or ["source", "target", "weight"][
        : chance.choice([2, 3, 3])
    ]
    pool = (
        [w for w in WORDS if not (mark == " " and " " in w)] if named else list(map(str, range(30)))
    )
    if quoting == 1 and mark != " ":
        pool += [f"a{mark}b", 'say "x"', " z "] if named else []
    numbers = chance.choice([["1", "25"], ["0.5", "2"], ["1", "-3"], ["9007199254740993", "3"]])
    for _ in range(chance.randrange(1, 60)):
        cells = []
        for name in names:
            word = chance.choice(numbers if name in {"weight", "km"} else pool)
            if name == "type":
                word = chance.choice(["Undirected"] * 30 + ["directed"])
            cells.append(cell(chance, word, quoting))
            if chance.random() < oddity:
                cells[-1] = chance.choice(ODD_CELLS)
        if chance.random() < oddity:
            cells = cells[:-1] if chance.random() < 0.5 else [*cells, "q"]
        lines.append(mark.join(cells))
        if chance.random() < 0.03:
            lines.append(chance.choice(["# c", ' % "', "", " ", '"a\nb",c,1', "\t"]))
    return chance.choice(["\n", "\n", "\r\n"]).join(lines) + chance.choice(["\n", ""])


def test_loops_read_what_python_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance, taken = random.Random(3), 0
    found: list[object] = []
    for name in ("cut", "read_names", "read_quoted_rows"):
        loop = getattr(edge_list, name)
        monkeypatch.setattr(
            edge_list, name, lambda *given, loop=loop: found.append(loop(*given)) or found[-1]
        )
    path = tmp_path / "table.csv"
    for draw in range(DRAWS):
        text = drawn(chance)
        path.write_text(text, newline="")
        options = {"weights": ("file", "absolute", "unit")[draw % 3]}
        by_loops(monkeypatch, False)
        expected = told(path, **options)
        by_loops(monkeypatch, True)
        assert told(path, **options) == expected, text
        taken += any(result is not None for result in found)
        found.clear()
    assert taken > DRAWS / 4


def test_a_table_of_names_grows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(5)
    words = [f"{chance.getrandbits(40):x}" * chance.randint(1, 3) for _ in range(20_000)]
    path = tmp_path / "names.csv"
    path.write_text("".join(f"{a},{b}\n" for a, b in zip(words, reversed(words), strict=True)))
    by_loops(monkeypatch, True)
    monkeypatch.setattr(tables, "SHARE_BYTES", 100_000)
    graph = load_graph(path)
    assert graph.ids is not None
    assert graph.ids.tolist() == sorted(set(words))
    ends = dict(zip(words, reversed(words), strict=True))
    heads = graph.ids[graph.indices].tolist()
    assert all(
        ends[name] in heads[slice(*graph.indptr[k : k + 2])] for k, name in enumerate(graph.ids)
    )


def test_names_whose_hashes_fall_together_are_left_to_python() -> None:
    text = bytearray("".join(f"n{k},n{k + 1}\n" for k in range(3000)).encode())
    share = tables._Share(tables.Table(text, 0, b",", [0, 1]), 0, len(text))
    share.scan(tables.threading.Event())
    names, others = share.names, interning.Names()
    assert len(names) == 3001
    others.grow(len(names), len(names.words))
    begins, hashes = names.walk()
    numbers = np.empty(len(names), np.int32)
    assert interning.look_up(names.words, begins, hashes, 100, *others.arrays, numbers)
    hashes[:] = 5
    assert not interning.look_up(names.words, begins, hashes, 3001, *others.arrays, numbers)
