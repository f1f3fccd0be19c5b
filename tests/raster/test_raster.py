"""Pixel maps against brute force, frames against vertices, the sketch against the map."""

import sys
from types import ModuleType

import numpy as np
import pytest

from gpu.graph import INT_UNREACHED, CSRGraph
from viewer.raster import raster
from viewer.raster.raster import Colouring, PixelMap, Style, View

raster.load_kernels()
WIDTH, HEIGHT = 61, 43
VIEW = View(scale=40.0, cx=0.5, cy=0.4, width=WIDTH, height=HEIGHT)


def random_graph(n: int, m: int, seed: int = 0) -> CSRGraph:
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, n, (2, m))
    positions = rng.random((n, 2)).astype(np.float32)
    weights = rng.integers(1, 100, m).astype(np.int32)
    return CSRGraph.from_arcs(*ends, weights, n, positions=positions)


def draw(graph: CSRGraph, view: View, style: Style) -> PixelMap:
    extent = raster.measure(graph.indptr, graph.indices, graph.positions)
    return raster.bin_graph(graph.indptr, graph.indices, graph.positions, view, style, extent)


def brute_force_discs(positions: np.ndarray, view: View, radius: float) -> np.ndarray:
    """Owner of every pixel, -1 for none: most coverage, then nearest, then largest number."""
    owner = np.full((view.height, view.width), -1)
    for row in range(view.height):
        for column in range(view.width):
            best = (0, 0, -1)
            for vertex, (wx, wy) in enumerate(positions.astype(float)):
                x = (wx - view.cx) * view.scale + view.width / 2
                y = view.height / 2 - (wy - view.cy) * view.scale
                away = float(np.hypot(column + 0.5 - x, row + 0.5 - y))
                level = int(min(1.0, max(0.0, radius + 0.5 - away)) * 15 + 0.5)
                if level:
                    best = max(best, (level, 255 - min(255, int(away * 16)), vertex))
            owner[row, column] = best[2]
    return owner


def test_discs_equal_brute_force() -> None:
    graph = random_graph(30, 0)
    for radius in (0.7, 2.5):
        pixels = draw(graph, VIEW, Style(radius))
        found = np.full(WIDTH * HEIGHT, -1)
        found[pixels.pixel] = pixels.vertex
        expected = brute_force_discs(graph.positions, VIEW, radius)
        np.testing.assert_array_equal(found.reshape(HEIGHT, WIDTH), expected)


def test_points_own_the_pixel_that_they_lie_in() -> None:
    graph = random_graph(500, 0)
    pixels = draw(graph, VIEW, Style(0.0))
    places = np.floor(VIEW.to_pixels(graph.positions)).astype(int)
    inside = ((places >= 0) & (places < (WIDTH, HEIGHT))).all(axis=1)
    expected = np.full(WIDTH * HEIGHT, -1)
    for vertex in np.flatnonzero(inside):  # rising: the largest number is written last
        expected[places[vertex, 1] * WIDTH + places[vertex, 0]] = vertex
    found = np.full(WIDTH * HEIGHT, -1)
    found[pixels.pixel] = pixels.vertex
    np.testing.assert_array_equal(found, expected)
    assert pixels.in_view == inside.sum()
    assert pixels.drawn == len(np.unique(expected[expected >= 0]))


@pytest.mark.parametrize(
    ("start", "end"), [((5, 20), (55, 20)), ((30, 3), (30, 40)), ((5, 5), (50, 38))]
)
def test_a_line_is_split_at_its_middle(start: tuple[int, int], end: tuple[int, int]) -> None:
    ends = np.array([VIEW.to_world(*start), VIEW.to_world(*end)], np.float32)
    graph = CSRGraph.from_arcs(
        np.array([1]), np.array([0]), np.ones(1, np.int32), 2, positions=ends
    )
    pixels = draw(graph, VIEW, Style(0.0, 2.0))
    centre = np.stack([pixels.pixel % WIDTH, pixels.pixel // WIDTH], axis=1) + 0.5
    away = [np.hypot(*(centre - place).T) for place in (start, end)]
    clear = np.abs(away[0] - away[1]) > 3.0  # away from the middle
    nearer = np.where(away[0] < away[1], 0, 1)
    np.testing.assert_array_equal(pixels.vertex[clear], nearer[clear])
    ink = pixels.cover.sum() / 15
    length = np.hypot(end[0] - start[0], end[1] - start[1])
    assert ink == pytest.approx(2.0 * length, rel=0.1)
    major = 0 if abs(end[0] - start[0]) >= abs(end[1] - start[1]) else 1
    steps = np.unique(np.floor(centre[:, major]))
    assert len(steps) >= abs(end[major] - start[major])  # no holes


def test_the_sketch_is_the_map_of_single_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is shown before the kernels are loaded has every vertex where it will be."""
    graph = random_graph(300, 0, seed=3)
    graph.positions[7] = np.nan
    graph.positions[8, 1] = np.inf
    graph.positions[9] = graph.positions[10]
    for zoom in (1.0, 0.2, 9.0):
        view = VIEW.zoomed(zoom, 20, 20)
        pixels = draw(graph, view, Style(0.0))
        monkeypatch.setattr(raster, "kernels", lambda: None)
        sketched = draw(graph, view, Style(0.0))
        monkeypatch.undo()
        np.testing.assert_array_equal(sketched.pixel, pixels.pixel)
        np.testing.assert_array_equal(sketched.vertex, pixels.vertex)
        assert sketched.in_view == pixels.in_view


def colourings(n: int, dtype: type) -> list[Colouring]:
    rng = np.random.default_rng(5)
    dist = rng.integers(0, 5000, n).astype(dtype)
    dist[rng.random(n) < 0.2] = INT_UNREACHED if dtype is np.int32 else np.inf
    first = rng.integers(-1, 1000, n)
    last = np.where(first >= 0, first + rng.integers(0, 300, n), -1)
    counts = np.where(first >= 0, rng.integers(1, 9000, n), 0).astype(np.int32)
    return [
        Colouring("distance", dist, unit=5000 / 254),
        Colouring("distance", dist, first=first, cursor=450.0, unit=20.0),
        Colouring("state", first=first, last=last, cursor=450.0),
        Colouring("count", counts, top=9000),
        Colouring(),
    ]


@pytest.mark.parametrize("dtype", [np.int32, np.float32])
@pytest.mark.parametrize("which", range(2))
def test_a_sketch_has_the_same_colours(
    which: int, dtype: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    colouring = colourings(400, dtype)[which]
    vertices = np.random.default_rng(1).integers(0, 400, 999).astype(np.int32)
    compiled = raster.index_of(colouring, vertices)
    monkeypatch.setattr(raster, "kernels", lambda: None)
    sketched = raster.index_of(colouring, vertices)
    np.testing.assert_array_equal(compiled[0], sketched[0])
    assert compiled[1] == sketched[1]


def test_recolour_equals_direct_colouring(monkeypatch: pytest.MonkeyPatch) -> None:
    table = np.arange(16 * 256, dtype=np.uint32)
    graph = random_graph(10_000, 0, seed=2)
    pixels = draw(graph, VIEW.times(3.0), Style(0.0))
    half_imported = ModuleType("viewer.raster.kernels")
    for colouring in colourings(graph.n, np.int32):
        frame, plain = np.zeros((2, pixels.view.width * pixels.view.height), np.uint32)
        top = raster.recolour(pixels, colouring, table, frame)
        if colouring.kind == "count" and colouring.values is not None:
            assert top == colouring.values[pixels.vertex].max() > 0
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, "viewer.raster.kernels", half_imported)
            raster.recolour(pixels, colouring, table, plain)
        np.testing.assert_array_equal(frame, plain)
        everyone = raster.index_of(colouring, np.arange(graph.n, dtype=np.int32))[0]
        expected = np.zeros_like(frame)
        expected[pixels.pixel] = pixels.cover * np.uint32(256) + everyone[pixels.vertex]
        np.testing.assert_array_equal(frame, expected)


def test_state_at_any_moment_equals_brute_force() -> None:
    rng = np.random.default_rng(8)
    first = rng.integers(-1, 50, 200)
    last = np.where(first >= 0, first + rng.integers(0, 20, 200), -1)
    vertices = np.arange(200, dtype=np.int32)
    for cursor in [*range(0, 75, 7), *range(70, -1, -9)]:  # forwards, then backwards
        expected = []
        for start, end in zip(first, last, strict=True):
            reached = 0 <= start <= cursor
            expected.append((2 if end <= cursor else 1) if reached else 0)
        state = Colouring("state", first=first, last=last, cursor=float(cursor))
        assert raster.index_of(state, vertices)[0].tolist() == expected
        count = Colouring("count", np.ones(200, np.int32), first=first, cursor=float(cursor))
        assert (raster.index_of(count, vertices)[0] > 0).tolist() == [one > 0 for one in expected]


def test_vertex_at_is_the_nearest_inked_pixel() -> None:
    pixels = draw(random_graph(25, 0), VIEW, Style(1.2))
    centre = np.stack([pixels.pixel % WIDTH, pixels.pixel // WIDTH], axis=1) + 0.5
    rng = np.random.default_rng(0)
    for x, y in rng.random((200, 2)) * (WIDTH, HEIGHT):
        away = np.hypot(centre[:, 0] - x, centre[:, 1] - y)
        found = pixels.vertex_at(x, y, 4.0)
        if away.min() > 4.2:
            assert found == -1
        elif away.min() < 4.0:
            assert found in pixels.vertex[away <= away.min() + 1e-9]


def test_a_hairball_is_thinned_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(400, 6000)
    extent = raster.measure(graph.indptr, graph.indices, graph.positions)
    view = extent.fitted(300, 300)
    style = raster.style_for(extent, view)
    assert style.density
    assert style.line_width == 0
    monkeypatch.setattr(raster, "DENSITY_MOST", 100_000)
    pixels = draw(graph, view, style)
    assert pixels.arc_step > 5
    assert 0 < pixels.density.max() <= 15


def test_count_levels_are_logarithmic() -> None:
    levels = raster.count_levels(100)
    assert levels[0] == 0
    assert levels[1] == 1
    assert levels[100] == 255
    assert levels[10] == pytest.approx(128, abs=1)
    assert (np.diff(levels.astype(int)) >= 0).all()
    assert len(raster.count_levels(10**9)) == raster.MAX_COUNT_LEVELS + 1


@pytest.mark.parametrize("kind", [np.int32, np.float32])
def test_a_finished_run_is_replayed_as_it_would_be_coloured_anew(kind: type) -> None:
    rng = np.random.default_rng(4)
    pixels = draw(random_graph(400, 500), VIEW, Style(1.0, 1.0))
    unreached = np.inf if kind is np.float32 else INT_UNREACHED
    dist = np.where(rng.random(400) < 0.2, unreached, rng.integers(0, 900, 400)).astype(kind)
    first = np.where(dist == unreached, -1, rng.integers(0, 50, 400))
    table = rng.integers(0, 2**32, raster.COVERS * 256, dtype=np.uint32)
    for unit in (3.0, 5.0):
        for cursor in (-1.0, 0.0, 20.0, 49.0, 7.0, np.inf):
            frames = [np.zeros(WIDTH * HEIGHT, np.uint32) for _ in range(2)]
            for frame, final in zip(frames, (False, True), strict=True):
                colouring = Colouring(
                    "distance", dist, first, cursor=cursor, unit=unit, final=final
                )
                raster.recolour(pixels, colouring, table, frame)
            np.testing.assert_array_equal(*frames)


def test_a_line_lying_down_is_as_wide_as_one_standing() -> None:
    """All vertices in a row: their spacing is that of the longest side and a twentieth of it."""
    along = np.arange(5, dtype=np.float32) * 10
    places = np.column_stack([along, np.zeros(5, np.float32)])
    none = np.zeros(6, np.int64), np.zeros(0, np.int32)
    lying, standing = (raster.measure(*none, drawn) for drawn in (places, places[:, ::-1].copy()))
    assert lying.spacing == pytest.approx((40 * 40 / 20 / 5) ** 0.5)
    assert standing.spacing == lying.spacing
