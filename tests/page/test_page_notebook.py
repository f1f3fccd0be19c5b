"""A notebook shows traces, comparisons and sweeps; one is executed."""

from __future__ import annotations

import html
import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from page_stage import Parts, recorded, roads

from gpu.page import notebook
from gpu.record.trace import RunSettings
from gpu.study.compare import Pair
from gpu.study.sweep import make_plan, measure
from gpu.study.sweep_saved import SavedSweep

TOP = Path(__file__).resolve().parents[2]


def page_in(frame: str) -> Parts:
    """Return the page that a frame holds."""
    found = re.search(r'srcdoc="([^"]*)"', frame)
    assert found is not None
    assert 'sandbox="allow-scripts allow-downloads"' in frame
    return Parts(html.unescape(found[1]))


def test_a_trace_is_a_page_a_drawing_and_words() -> None:
    trace, _graph = recorded(), roads()
    bundle = trace._repr_mimebundle_()
    assert sorted(bundle) == ["image/svg+xml", "text/html", "text/plain"]
    assert bundle["text/plain"].startswith("ADDS on City roads 600 from ")
    assert len(page_in(bundle["text/html"]).tree()["graphs"]) == 1
    drawing = ElementTree.fromstring(bundle["image/svg+xml"])
    assert len(drawing.findall(".//{*}path")) > 3


def test_no_file_is_opened_that_a_trace_names(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("gpu.formats.load_graph", lambda name, **_: opened.append(name))
    trace = recorded()
    stranger = replace(trace, graph=replace(trace.graph, origin="/etc/passwd", hash="0" * 16))
    tree = page_in(stranger._repr_mimebundle_()["text/html"]).tree()
    assert opened == []
    assert tree["graphs"] == []
    assert "not in memory" in tree["note"]


def test_a_pair_and_what_is_none() -> None:
    a, b = recorded("adds"), recorded("near_far")
    bundle = Pair(a, b)._repr_mimebundle_()
    assert len(page_in(bundle["text/html"]).tree()["runs"]) == 2
    assert "against" in bundle["text/plain"]
    other = Pair(a, replace(b, graph=replace(b.graph, hash="another")))
    assert list(other._repr_mimebundle_()) == ["text/plain"]
    with pytest.raises(TypeError, match="no int"):
        notebook.bundle(7)


def test_a_sweep_is_its_curve() -> None:
    graph = roads()
    plan = make_plan(graph, RunSettings("near_far", "model", "", 0), "delta", [32, 128, 512])
    points = tuple(measure(graph, plan, value) for value in plan.values)
    bundle = SavedSweep(plan, points, graph.name, graph.hash)._repr_mimebundle_()
    least = min(points, key=lambda point: point.time_ns)
    assert f"at {least.value:g}" in bundle["text/plain"]
    told = page_in(bundle["text/html"]).tree()["sweep"]["points"]
    assert [point["time_ns"] for point in told] == [point.time_ns for point in points]
    ElementTree.fromstring(bundle["image/svg+xml"])


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # of other people's libraries
def test_a_notebook_is_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed: .[notebook]")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed: .[notebook]")
    import nbformat

    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(TOP), *sys.path]))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    cells = [
        "import gpu, sample_graphs\nfrom gpu.study.compare import Pair",
        "graph = sample_graphs.make('city_roads', n=300)",
        "trace = gpu.run(graph, probe=2)\ntrace",
        "Pair(trace, gpu.run(graph, 'near_far', probe=2))",
    ]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(book, timeout=200, kernel_name="python3").execute()
    shown = [cell.outputs[0].data for cell in book.cells[2:]]
    assert [sorted(one) for one in shown] == [["image/svg+xml", "text/html", "text/plain"]] * 2
    assert len(page_in(shown[1]["text/html"]).tree()["runs"]) == 2
