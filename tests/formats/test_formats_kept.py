"""What is read from small files, right and broken, with every option: `tests/kept/files.json`.

A key is the name of a file of the other tests, or a name and, from the next line on, the text.
`tests/kept/damaged.json` has a sum of what is read from each, and of the memory that is asked for,
where a few words or lines are left out, doubled, exchanged or others.
"""

import random
import re
import zlib
from pathlib import Path
from typing import Any

import kept
import numpy as np
import pytest
from exchange_files import DIRECTED, TRIANGLE
from test_formats import FILES, UNDIRECTED, parser, save

from gpu.errors import GpuError
from gpu.formats import READERS, load_graph, save_graph
from gpu.formats.reading import Reading

__all__ = ["parser"]
BOTH = {f"{name}, undirected": text for name, text in TRIANGLE.items()}
ENTITIES = "".join(
    f'<!ENTITY {name} "{f"&{before};" * 10}">'
    for before, name in zip("abcdefghi", "bcdefghij", strict=True)
)
BROKEN = {
    "empty": "",
    "bomb": f'<!DOCTYPE x [<!ENTITY a "lol">{ENTITIES}]><graphml>&j;</graphml>',
    "deep graphml": "<graphml>" + "<nodes>" * 200,
    "deep gml": "graph [\n" + "a [ " * 200,
}
OURS: dict[str, Any] = {**FILES, **UNDIRECTED, **DIRECTED, **BOTH, **BROKEN}
TEXTS = {
    name: text for name, _, text in (case.partition("\n") for case in kept.cases("files")) if text
}
OPTIONS: tuple[dict[str, Any], ...] = (
    {"undirected": True},
    {"undirected": False},
    {"weights": "unit"},
    {"weights": "random"},
    {"weights": "absolute"},
    {"weight_name": "length"},
    {"header": False},
)

WORDS = [*'0123x"#%,;[]<>= \t\n\0é', "", "-1", "2.5", "1e300", "nan", "-inf", '"a b"', "\r\n"]
WORDS += ["9" * 20, "1" * 61]
SEEDS = 300  # damages of a file, three to a sum
FOREIGN = re.compile(r"no (well-formed XML|readable XML|JSON) .*")


def damaged(text: str, seed: int) -> str:
    """Return a file in which one to three words, or lines, are not as they were."""
    rng = random.Random(seed)
    for _ in range(1 + seed % 3):
        parts = re.findall(r"[^\n]*\n|[^\n]+" if rng.random() < 0.3 else r"\w+|\s|.", text) or [""]
        at, other, word = rng.randrange(len(parts)), rng.randrange(len(parts)), rng.choice(WORDS)
        ways = [[word], [word, parts[at]], [parts[at]] * 2, [], [parts[other]]]
        parts[at : at + 1] = rng.choice(ways)
        text = "".join(parts)
    return text


def _read(path: Path, options: dict[str, Any]) -> str:
    try:
        graph = load_graph(path, **options)
    except GpuError as error:
        return str(error).replace(str(path), "FILE")
    tails = np.repeat(np.arange(graph.n), np.diff(graph.indptr)).tolist()
    arcs = zip(tails, graph.indices.tolist(), graph.weights.tolist(), strict=True)
    said = [f"n {graph.n}", " ".join(f"{u}>{v}:{w:.6g}" for u, v, w in arcs), graph.weights.dtype]
    said += [graph.id_of(vertex) for vertex in range(min(graph.n, 4))]
    places = [] if graph.positions is None else graph.positions[:4].ravel().tolist()
    return " | ".join(map(str, [*said, *places, *graph.provenance.notes]))


@pytest.mark.parametrize("case", kept.cases("files"))
def test_a_file_is_read_as_kept(case: str, parser: str, tmp_path: Path) -> None:
    name, _, text = case.partition("\n")
    path = save(tmp_path, name if text else "any", text or OURS[name])
    first = _read(path, {})
    every = {str(one): _read(path, one) for one in OPTIONS}
    kept.check("files", case, [first, {k: v for k, v in every.items() if v != first}])


@pytest.mark.parametrize("name", kept.cases("written"))
def test_a_graph_is_written_as_kept(name: str, tmp_path: Path) -> None:
    graph = load_graph(save(tmp_path, "any", OURS[name]))
    written = {}
    for key, row in READERS.items():
        if row.write is not None and key != "npz":  # NumPy's zip holds the date
            path = tmp_path / f"x{row.suffixes[0]}"
            written[key] = *save_graph(graph, path, key), path.read_bytes().decode("latin-1")
    kept.check("written", name, written)


@pytest.mark.parametrize("case", kept.cases("damaged"))
def test_a_damaged_file_is_read_as_kept(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(Reading, "need_memory", lambda reading, needed: asked.append(needed))
    whole = (OURS | TEXTS)[case]
    letters = whole if isinstance(whole, str) else whole.decode("latin-1")
    code, said = "utf-8" if isinstance(whole, str) else "latin-1", []
    for seed in range(SEEDS):
        now = damaged(letters, seed).encode(code, "ignore")
        path = save(tmp_path, case if case in TEXTS else "any", now)
        said.append(f"{FOREIGN.sub('', _read(path, ({}, *OPTIONS)[seed % 8]))} {asked}".encode())
        asked.clear()
    kept.check("damaged", case, [zlib.crc32(b"".join(said[k::100])) & 0xFF for k in range(100)])
