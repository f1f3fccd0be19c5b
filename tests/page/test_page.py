"""A page without a browser: what is in it, what it allows, what it weighs."""

import base64
import hashlib
import json
import re
from dataclasses import asdict, replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hand_made import small_graph, small_trace
from page_stage import Parts, recorded, roads

import gpu
import sample_graphs
from gpu.cli.main import main
from gpu.graph import CSRGraph
from gpu.lessons.answers import Bench
from gpu.lessons.read import find_lessons, read_lesson
from gpu.page import lesson
from gpu.page.html import asset
from gpu.page.lesson import lesson_page
from gpu.page.runs import MOST_SAMPLES, runs_page, thinned
from gpu.record.trace import SAMPLE
from gpu.record.tracefile import save_trace
from gpu.study.compare import CompareError
from viewer.common import colormaps
from viewer.common.theme import DARK, LIGHT

HOSTILE = '</script><script>alert(1)</script><img src=x onerror="alert(2)">\u2028\u202e{{'


def test_a_run_comes_back_exactly() -> None:
    trace, graph = recorded(), roads()
    tree = Parts(runs_page([trace], graph)).tree()
    (run,), (place,) = tree["runs"], tree["graphs"]
    assert (run["vertices"]["dist"] == trace.dist).all()
    assert (run["vertices"]["first"] == trace.vertices.first_reached_ns).all()
    assert (run["vertices"]["last"] == trace.vertices.last_improved_ns).all()
    assert (run["vertices"]["count"] == trace.vertices.times_processed).all()
    assert (run["columns"]["t"] == trace.samples["t_ns"]).all()
    assert (run["columns"]["processed"] == trace.samples["processed_vertices"]).all()
    occupancy = run["occupancy"].reshape(run["rows"], -1)
    assert (trace.samples["occupancy"][:, : run["rows"]] == occupancy.T).all()
    assert run["totals"].endswith("✓ verified against Dijkstra and by certificate")
    assert place["n"] == graph.n
    (five,) = Parts(runs_page([small_trace()], small_graph())).tree()["runs"]
    assert five["vertices"]["first"][-1] == 2**32 - 1  # never reached


def test_a_graph_that_is_too_large_is_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpu.page.runs.MOST_VERTICES", 500)
    tree = Parts(runs_page([recorded()], roads())).tree()
    assert (tree["graphs"], tree["runs"][0]["vertices"]) == ([], None)
    assert "has 600 vertices; a page draws up to 500" in tree["note"]


def test_a_map_has_one_line_for_both_directions() -> None:
    graph = roads()
    (place,) = Parts(runs_page([recorded()], graph)).tree()["graphs"]
    lines = {frozenset(pair) for pair in zip(place["tails"], place["heads"], strict=True)}
    tails = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    arcs = zip(tails.tolist(), graph.indices.tolist(), strict=True)
    wanted = {frozenset(pair) for pair in arcs if len(set(pair)) == 2}
    assert lines == wanted
    assert len(place["tails"]) == len(wanted)


def test_unreached_and_matrix() -> None:
    graph = CSRGraph.from_arcs(np.array([0]), np.array([1]), np.array([7], np.int32), 3)
    trace = gpu.run(graph, "dijkstra", source=0, probe=2)
    tree = Parts(runs_page([trace], graph)).tree()
    assert tree["runs"][0]["vertices"]["dist"].tolist() == [0, 7, -1]
    assert tree["graphs"][0]["weights"].tolist() == [7]
    small = sample_graphs.make("city_roads", n=60, seed=1)
    found = gpu.run(small, "delta_apsp", probe=2)
    matrix = Parts(runs_page([found], small)).tree()["runs"][0]["matrix"]
    assert matrix["whole"] == [small.n, small.n]
    assert matrix["levels"].reshape(small.n, small.n).diagonal().tolist() == [1] * small.n


def test_thinned_samples_keep_totals_peaks_and_reasons() -> None:
    samples = np.zeros(50_000, SAMPLE)
    samples["t_ns"] = np.arange(50_000)
    samples["processed_vertices"] = np.arange(50_000)
    samples["delta"] = np.where(np.arange(50_000) < 33_333, 1, 2)
    samples["assigned_edges"][12_345] = 99
    few = thinned(samples)
    assert len(few) <= MOST_SAMPLES + 2
    assert few["processed_vertices"][-1] == 49_999
    assert few["assigned_edges"].max() == 99
    assert 33_333 in few["t_ns"]


def test_the_policy_allows_this_style_and_this_script_alone() -> None:
    parts = Parts(runs_page([recorded()], roads()))
    assert "default-src 'none'" in parts.policy
    assert "unsafe" not in parts.policy
    for what, held in (("style-src", "style"), ("script-src", "module")):
        digest = hashlib.sha256(parts.held[held].encode()).digest()
        digests = re.findall(rf"{what} '(sha256-[^']*)'", parts.policy)
        assert digests == [f"sha256-{base64.b64encode(digest).decode()}"]
    assert not [name for _, name, _ in parts.attributes if name.startswith("on") or name == "style"]
    assert not [value for _, name, value in parts.attributes if name in ("src", "href")]
    assert "http" not in parts.held["style"]
    outside = set(re.findall(r"https?://[^\"'\s)]+", parts.held["module"]))
    assert outside == {"http://www.w3.org/2000/svg"}  # a name, nothing that is fetched


def test_nothing_of_a_stranger_becomes_markup() -> None:
    trace = recorded()
    plain_tags = Parts(runs_page([trace], roads())).tags
    graph = replace(roads(), name=HOSTILE, ids=np.array([HOSTILE + str(i) for i in range(600)]))
    named = replace(
        trace,
        graph=replace(trace.graph, name=HOSTILE, source_id=HOSTILE),
        settings=replace(trace.settings, device=HOSTILE),
    )
    parts = Parts(runs_page([named], graph, missing=HOSTILE))
    assert parts.tags == plain_tags
    assert parts.tree()["note"] == HOSTILE
    assert "<" not in parts.held["data"]
    assert "\u2028" not in parts.held["data"]


def test_two_runs_share_their_graph() -> None:
    tree = Parts(runs_page([recorded("adds"), recorded("near_far")], roads())).tree()
    assert len(tree["graphs"]) == 1
    assert "sooner" in tree["words"] or "as long as" in tree["words"]
    other = replace(recorded(), graph=replace(recorded().graph, hash="another"))
    with pytest.raises(CompareError, match="another graph"):
        runs_page([recorded(), other], roads())


def test_a_lesson_goes_through_runs_of_its_sweeps() -> None:
    """Some points have their run, as it was in the sweep, the fastest among them."""
    path = {path.stem: path for path in find_lessons("/nowhere")}["6_drive_delta_yourself"]
    bench = Bench(read_lesson(path))
    tree = Parts(lesson_page(bench)).tree()
    (sweep,) = [one for step in tree["steps"] for one in step["sweeps"]]
    name = next(spec.name for step in bench.lesson.steps for spec in step.sweeps)
    own = next(point for point in bench.sweep(name) if point.value is None)
    assert sweep["own"] == {"time_ns": own.time_ns, "values": list(own.path_delta)}
    shown = [point for point in sweep["points"] if point["run"] is not None]
    assert len(shown) == min(lesson.MOST_RECORDED, len(sweep["points"]))
    times = [tree["runs"][point["run"]]["time_ns"] for point in shown]
    assert times == [point["time_ns"] for point in shown]
    assert min(point["time_ns"] for point in sweep["points"]) in times


def test_colours_are_the_windows() -> None:
    style = asset("page.css")
    light, dark = style.split(':root[data-theme="dark"]')
    for theme, part in ((LIGHT, light), (DARK, dark)):
        told = dict(re.findall(r"--([\w-]+): ([^;]*);", part.split("}")[0]))
        for name in ("window", "base", "border", "text", "muted", "accent", "plot", "grid", "band"):
            assert told[name] == getattr(theme, name)
        for name in ("success", "warning", "error"):
            assert told[name] == getattr(theme, name)
        for meaning, colour in asdict(theme.data).items():
            assert told[meaning.replace("_", "-")] == colour
        assert tuple(told["heat"].split()) == theme.heat
        ends = colormaps.RANGES[theme.name]
        assert tuple(map(float, told["map-range"].split())) == ends
    stops = " ".join(re.findall(r'"([0-9a-f ]+)"', asset("colour.js"))).split()
    assert stops == list(colormaps.VIRIDIS)


def test_a_notebook_shows_a_trace_as_a_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    """With its map while the graph is in memory; no file is opened that a trace names."""
    read: list[str] = []
    monkeypatch.setattr("gpu.formats.load_graph", lambda name, **_: read.append(name))
    trace, graph = recorded(), roads()
    svg = ElementTree.fromstring(trace._repr_svg_())
    assert len(svg.findall(".//{*}path")) > 3
    assert f"from {trace.graph.source_id}" in svg.findtext(".//{*}title", "")
    gone = replace(trace, graph=replace(trace.graph, origin="/etc/passwd", hash="0" * 16))
    assert not ElementTree.fromstring(gone._repr_svg_()).findall(".//{*}path")
    assert read == []
    assert graph.hash == trace.graph.hash


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b = (str(tmp_path / f"{key}.npz") for key in ("adds", "near_far"))
    save_trace(recorded("adds"), a)
    save_trace(recorded("near_far"), b)
    page = tmp_path / "page.html"
    assert main(["page", a, "-o", str(page)]) == 0
    assert len(Parts(page.read_text()).tree()["runs"]) == 1
    assert main(["page", a, b, "-o", str(page), "--json"]) == 0
    assert len(Parts(page.read_text()).tree()["runs"]) == 2
    assert f'"bytes": {page.stat().st_size}' in capsys.readouterr().out


def test_a_sweep_is_recorded_as_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "sweep.html"
    given = ["sweep", "sample:city_roads?n=300", "--values", "32,256"]
    assert main([*given, "--json", "--page", str(page)]) == 0
    times = [point["time_ns"] for point in json.loads(capsys.readouterr().out)["points"]]
    tree = Parts(page.read_text()).tree()
    assert [point["value"] for point in tree["sweep"]["points"]] == [32, 256]
    assert [point["time_ns"] for point in tree["sweep"]["points"]] == times
    assert all(run["vertices"]["first"] is not None for run in tree["runs"])
