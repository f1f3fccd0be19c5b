"""What is read from small files, right and broken, with every option: `tests/kept/files.json`.

A key is the name of a file of the other tests, or a name and, from the next line on, the text.
"""

from pathlib import Path
from typing import Any

import kept
import numpy as np
import pytest
from exchange_files import DIRECTED, TRIANGLE
from test_formats import FILES, UNDIRECTED, save
from test_formats_exchange import MALFORMED as EXCHANGED
from test_formats_malformed import MALFORMED

from gpu.errors import GpuError
from gpu.formats import READERS, load_graph, save_graph

BOTH = {f"{name}, undirected": text for name, text in TRIANGLE.items()}
BROKEN = {f"broken {n}": text for n, text in enumerate([*MALFORMED, *EXCHANGED])}
OURS: dict[str, Any] = {**FILES, **UNDIRECTED, **DIRECTED, **BOTH, **BROKEN}
OPTIONS: tuple[dict[str, Any], ...] = (
    {"undirected": True},
    {"undirected": False},
    {"weights": "unit"},
    {"weights": "random"},
    {"weights": "absolute"},
    {"weight_name": "length"},
    {"header": False},
)


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
def test_a_file_is_read_as_kept(case: str, tmp_path: Path) -> None:
    name, _, text = case.partition("\n")
    path = save(tmp_path, name if text else "any", text or OURS[name])
    first = _read(path, {})
    options = [] if first.startswith("FILE") else OPTIONS
    every = {str(one): _read(path, one) for one in options}
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
