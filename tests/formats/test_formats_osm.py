"""OpenStreetMap extracts: a made-up town, and what is wrong with others."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import gpu
from gpu.errors import FormatError
from gpu.formats import load_graph
from gpu.formats.streets import EARTH_M

# Five corners, a tenth of a degree apart at the equator; 9 lies outside the extract.
#
#     4---3
#     |   |
#     1---2---5 ... 9
NODES = {1: (0, 0), 2: (0, 0.1), 3: (0.1, 0.1), 4: (0.1, 0), 5: (0, 0.2), 6: (5, 5)}
STEP_M = math.radians(0.1) * EARTH_M


def way(nodes: str, **tags: str) -> str:
    """Return a way through nodes named by digits."""
    refs = "".join(f'<nd ref="{node}"/>' for node in nodes)
    told = "".join(f'<tag k="{key}" v="{value}"/>' for key, value in tags.items())
    return f'<way id="7">{refs}{told}</way>'


def town(*ways: str, nodes: str = "") -> str:
    """Return an extract."""
    found = "".join(
        f'<node id="{key}" lat="{lat}" lon="{lon}"/>' for key, (lat, lon) in NODES.items()
    )
    body = found + nodes + "".join(ways)
    return f"<?xml version='1.0' encoding='UTF-8'?>\n<!-- made up -->\n<osm>{body}</osm>"


def arcs(path: Path, text: str, **options: str) -> dict[tuple[int, int], float]:
    """Return the weight of each arc by the numbers of the file."""
    path = path / "town.osm"
    path.write_text(text)
    graph = load_graph(path, **options)  # type: ignore[arg-type]
    tails = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    ends = [
        (int(graph.id_of(a)), int(graph.id_of(b)))
        for a, b in zip(tails, graph.indices, strict=True)
    ]
    return dict(zip(ends, graph.weights.tolist(), strict=True))


def test_a_town(tmp_path: Path) -> None:
    text = town(
        way("12", highway="residential"),
        way("23", highway="primary", oneway="yes"),
        way("34", highway="tertiary", oneway="-1"),
        way("41", highway="footway"),
        way("25", highway="motorway"),
        way("59", highway="residential"),
        way("16", building="yes"),
    )
    found = arcs(tmp_path, text)
    assert set(found) == {(1, 2), (2, 1), (2, 3), (4, 3), (2, 5)}
    assert found[1, 2] == pytest.approx(STEP_M, rel=1e-9)
    graph = load_graph(tmp_path / "town.osm")
    assert graph.positions is not None
    assert [graph.id_of(vertex) for vertex in range(graph.n)] == [1, 2, 3, 4, 5]
    east = graph.positions[graph.vertex_of(2)] - graph.positions[graph.vertex_of(1)]
    assert east.tolist() == pytest.approx([STEP_M / 1000, 0], abs=1e-2)
    assert "1 pieces of streets lie outside" in " ".join(graph.provenance.notes)
    trace = gpu.run(graph, "dijkstra", source=graph.vertex_of(1))
    assert trace.dist[graph.vertex_of(5)] == pytest.approx(2 * STEP_M)
    assert np.isinf(trace.dist[graph.vertex_of(4)])


def test_travel_times(tmp_path: Path) -> None:
    text = town(
        way("12", highway="residential"),
        way("23", highway="primary", maxspeed="60"),
        way("34", highway="primary", maxspeed="50 mph", oneway="yes"),
        way("41", highway="service", maxspeed="walk", junction="roundabout"),
    )
    found = arcs(tmp_path, text, weight_name="time")
    assert found[1, 2] == pytest.approx(STEP_M / (30 / 3.6))
    assert found[3, 2] == pytest.approx(STEP_M / (60 / 3.6), rel=1e-4)
    assert found[3, 4] == pytest.approx(STEP_M / (80.4672 / 3.6), rel=1e-4)
    assert found[4, 1] == pytest.approx(STEP_M / (20 / 3.6))
    assert (1, 4) not in found


STREET = way("12", highway="residential")


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        (town(), {}, "no street for cars in it"),
        (town(way("69", highway="road")), {}, "no street has two nodes that are in the file"),
        (town(STREET), {"weight_name": "beauty"}, "streets have no 'beauty'"),
        (town(STREET, nodes='<node id="x" lat="0" lon="0"/>'), {}, "id = 'x'; expected a whole"),
        (town(STREET, nodes='<node id="8" lat="91" lon="0"/>'), {}, "lat from -90 to 90"),
        (town(STREET, nodes='<node id="8" lat="nan" lon="0"/>'), {}, "lat from -90 to 90"),
        (town(STREET, nodes='<node id="8"/>'), {}, "lat from -90 to 90"),
        (town(STREET, nodes=f'<node id="{10**19}" lat="0" lon="0"/>'), {}, "expected a whole"),
        (town(STREET)[:-9], {}, "no well-formed XML"),
        (town("<a>" * 20), {}, "elements nest deeper than 16"),
        ("<!DOCTYPE osm [<!ENTITY a 'b'>]><osm>&a;</osm>", {"format": "osm"}, "the entity 'a'"),
        ("<gpx></gpx>", {"format": "osm"}, "begins with 'gpx'; expected osm"),
    ],
)
def test_what_is_no_town_is_refused(
    tmp_path: Path, text: str, options: dict[str, str], words: str
) -> None:
    with pytest.raises(FormatError) as caught:
        arcs(tmp_path, text, **options)
    assert words in str(caught.value)
