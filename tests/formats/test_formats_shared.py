"""The real graphs beside the checkout: each is read with the numbers and distances of the
README there (SciPy's, from the lowest id), or refused for a stated reason.

Where the README gives no distances, those here are SciPy's over the arcs that NetworkX or SciPy
itself reads from the file.
"""

from pathlib import Path

import pytest

from gpu.errors import FormatError
from gpu.formats import load_graph

# file: n, m, weights (None: unit), format
REFERENCE = {
    "road/rome99.gr": (3353, 8870, (1, 12711), "dimacs"),
    "road/USA-road-d.NY.gr.gz": (264346, 733846, (1, 36946), "dimacs"),
    "road/amsterdam.gr.gz": (68213, 153436, (1, 3490), "dimacs"),
    "road/NE-topology.gr.xz": (1524453, 3868020, None, "dimacs"),
    "mesh/delaunay_n15.graph": (32768, 196548, None, "metis"),
    "mesh/rgg_n_2_15_s0.graph": (32768, 320480, None, "metis"),
    "mesh/power.graph": (4941, 13188, None, "metis"),
    "mesh/tiny_02.graph": (7, 22, (1, 6), "metis"),
    "mesh/tiny_03.graph": (7, 22, (1, 6), "metis"),
    "powerlaw/p2p-Gnutella31.txt": (62586, 147892, None, "edge_list"),
    "powerlaw/facebook_combined.txt": (4039, 88234, None, "edge_list"),
    "powerlaw/Wiki-Vote.txt": (7115, 103689, None, "edge_list"),
    "powerlaw/Email-Enron.txt.gz": (36692, 367662, None, "edge_list"),
    "formats/rome99.galois.gr": (3353, 8870, (1, 12711), "galois"),
    "formats/rmat10.galois.gr": (1024, 16384, (0, 99), "galois"),
    "formats/sample.gr": (6, 8, (0, 20), "dimacs"),
    "formats/chesapeake.mtx": (39, 340, None, "matrix_market"),
    "formats/jagmesh7.mtx": (1138, 7450, None, "matrix_market"),
    "formats/karate.csv": (34, 156, (1, 1), "edge_list"),
    "formats/netscience.csv": (1461, 5484, (1 / 19, 4.75), "edge_list"),
    "formats/Power_Grid.gml": (4941, 13188, None, "gml"),
    "formats/football.graphml": (115, 1226, None, "graphml"),
    "formats/US_Airports.gexf": (235, 2594, None, "gexf"),
}
REFUSED = {
    "formats/bcsstk13.mtx": r":17: weight '-51131286.8839'.*--weights absolute",
    "formats/sample.co": "holds coordinates or sources, no edges; open the .gr file",
    "formats/sample.ss": "no edges; open the .gr file",
    "road/amsterdam.co.gz": "no edges",
}


def test_every_file_is_read_or_refused_for_a_reason(shared_graphs: Path) -> None:
    files = {str(path.relative_to(shared_graphs)) for path in shared_graphs.rglob("*.*")}
    assert files - {"README.md"} == {*REFERENCE, *REFUSED}


@pytest.mark.parametrize("name", REFERENCE)
def test_every_file_has_its_numbers(shared_graphs: Path, name: str) -> None:
    n, m, weights, form = REFERENCE[name]
    graph = load_graph(shared_graphs / name)
    assert (graph.n, graph.m, graph.provenance.format) == (n, m, form)
    low, high = weights or (1, 1)
    assert float(graph.weights.min()) == pytest.approx(low, rel=1e-5)
    assert float(graph.weights.max()) == pytest.approx(high, rel=1e-5)
    assert graph.integer == (not name.endswith(".csv"))


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_graph_is_refused_in_words(shared_graphs: Path, name: str) -> None:
    with pytest.raises(FormatError, match=REFUSED[name]) as caught:
        load_graph(shared_graphs / name)
    assert name in str(caught.value)
