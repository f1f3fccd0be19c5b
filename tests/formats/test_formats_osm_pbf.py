"""Packed extracts: the same streets as in XML, and what is wrong with others."""

from __future__ import annotations

import random
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

from gpu.errors import CancelledByUserError, FormatError, GpuError
from gpu.formats import load_graph
from gpu.formats.peek import peek

osmium = pytest.importorskip("osmium", reason="pyosmium is not installed: sssp-scope[osm]")

PLACES = {11: (0.0, 50.0), 12: (0.1234567, 50.0), 13: (0.1, 50.1), -4: (0.0, 50.1), 99: (9.0, 9.0)}
STREETS: list[tuple[list[int], dict[str, str]]] = [
    ([11, 12], {"highway": "residential", "name": "Straße"}),
    ([12, 13], {"highway": "primary", "oneway": "yes", "maxspeed": "50 mph"}),
    ([13, -4], {"highway": "tertiary", "oneway": "-1"}),
    ([-4, 11], {"highway": "footway"}),
    ([-4, 11, 77], {"highway": "service", "junction": "roundabout"}),
    ([11, 99], {"building": "yes"}),
]


def write(path: Path, streets: list[tuple[list[int], dict[str, str]]] = STREETS) -> Path:
    """Write an extract in the form that its suffix says, by the library's own writer."""
    made = osmium.SimpleWriter(str(path))
    for key, place in PLACES.items():
        made.add_node(osmium.osm.mutable.Node(id=key, location=place))
    for key, (nodes, tags) in enumerate(streets, 1):
        made.add_way(osmium.osm.mutable.Way(id=key, nodes=nodes, tags=tags))
    made.close()
    return path


@pytest.mark.parametrize("weight", ["length", "time"])
def test_a_packed_extract_is_the_graph_of_its_xml(tmp_path: Path, weight: str) -> None:
    packed = load_graph(write(tmp_path / "town.osm.pbf"), weight_name=weight)
    plain = load_graph(write(tmp_path / "town.osm"), weight_name=weight)
    assert packed.hash == plain.hash
    assert packed.name == plain.name == "town"
    assert packed.provenance.notes == plain.provenance.notes
    assert [packed.id_of(v) for v in range(packed.n)] == [plain.id_of(v) for v in range(plain.n)]
    assert np.array_equal(packed.positions, plain.positions)


def test_it_is_known_by_content_too(tmp_path: Path) -> None:
    path = write(tmp_path / "town.osm.pbf").rename(tmp_path / "town")
    assert peek(path).format == load_graph(path).provenance.format == "osm_pbf"


def test_without_the_library_the_command_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "town.osm.pbf")
    monkeypatch.setitem(sys.modules, "osmium", None)
    with pytest.raises(FormatError, match=r"pip install 'sssp-scope\[osm\]'"):
        load_graph(path)


def test_a_bomb_is_refused_before_it_unpacks(tmp_path: Path) -> None:
    """Blocks of 30 MB of zeros, packed to 30 kB each."""
    size = 30_000_000
    body = zlib.compress(bytes(size))
    blob = b"\x10" + varint(size) + b"\x1a" + varint(len(body)) + body
    header = b"\x0a\x07OSMData\x18" + varint(len(blob))
    block = len(header).to_bytes(4, "big") + header + blob
    path = tmp_path / "bomb.osm.pbf"
    path.write_bytes(write(tmp_path / "town.osm.pbf").read_bytes() + block * 12)
    with pytest.raises(FormatError, match=r"the extract unpacks to 360\.0 MB or more"):
        load_graph(path)


def varint(number: int) -> bytes:
    """Return a number in groups of seven bits, lowest first."""
    groups = [number >> shift & 0x7F for shift in range(0, max(number.bit_length(), 1), 7)]
    return bytes(group | 0x80 for group in groups[:-1]) + bytes(groups[-1:])


@pytest.mark.parametrize(
    ("streets", "words"),
    [
        ([], "no street for cars in it"),
        ([([70, 71], {"highway": "road"})], "no street has two nodes that are in the file"),
    ],
)
def test_no_streets(
    tmp_path: Path, streets: list[tuple[list[int], dict[str, str]]], words: str
) -> None:
    with pytest.raises(FormatError, match=words):
        load_graph(write(tmp_path / "town.osm.pbf", streets))


def test_another_weight_and_another_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FormatError, match="streets have no 'beauty'"):
        load_graph(write(tmp_path / "town.osm.pbf"), weight_name="beauty")
    monkeypatch.setitem(PLACES, 11, (200.0, 50.0))
    with pytest.raises(FormatError, match=r"node 11 at '50', '200'; expected lat from -90"):
        load_graph(write(tmp_path / "far.osm.pbf"))


def test_stopping(tmp_path: Path) -> None:
    path = write(tmp_path / "town.osm.pbf")
    words: list[str] = []
    with pytest.raises(CancelledByUserError):
        load_graph(path, progress=lambda _, said: words.append(said),
                   should_stop=lambda: "finding streets" in words)  # fmt: skip


def test_cut_and_broken_files_are_faults_in_words(tmp_path: Path) -> None:
    whole = write(tmp_path / "town.osm.pbf").read_bytes()
    path = tmp_path / "broken.osm.pbf"
    refused = 0
    for length in range(1, len(whole)):
        path.write_bytes(whole[:length])
        refused += told(path)
    assert refused >= len(whole) - 3  # cut between two blocks, it is a smaller extract
    chance = random.Random(5)
    for _ in range(400):
        content = bytearray(whole)
        for _ in range(chance.randint(1, 4)):
            content[chance.randrange(len(content))] = chance.randrange(256)
        path.write_bytes(content)
        told(path)


def told(path: Path) -> bool:
    """Return whether a file was refused; in one line that names it."""
    words = ""
    try:
        load_graph(path).checked()
    except GpuError as error:
        words = str(error)
    assert not words or str(path) in words
    assert "\n" not in words
    return bool(words)
