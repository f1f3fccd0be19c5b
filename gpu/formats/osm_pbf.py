"""Packed OpenStreetMap extracts (.osm.pbf), read by pyosmium; `streets.py` says what is an arc.

Two passes, since nodes come first and only a street tells which of them are wanted: streets, then
the places of their nodes. The file names the unpacked size of each of its blocks, and pyosmium
refuses a block that unpacks to another [1]; so the sum is known, and refused where it is a bomb's,
before anything is unpacked.

[1] OpenStreetMap wiki, "PBF Format": a file is (length, BlobHeader, Blob) over and over.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from gpu.formats.streets import Places, Street, chosen_weight, graph_of_streets, weight_names
from gpu.graph import CSRGraph
from gpu.parsing.filebytes import FileBytes
from gpu.parsing.reading import Format, Reading

PIP = "pip install 'sssp-scope[osm]'"
BEGINNING = re.compile(rb"\0\0..[\s\S]{0,8}?\x09OSMHeader", re.DOTALL)
LENGTH_BYTES = 4  # before each BlobHeader
HEADER_DATA_SIZE, BLOB_RAW_SIZE = 3, 2  # numbers of the fields that say how large a block is
BYTES_PER_BYTE = 6  # memory for each byte unpacked, blocks that wait included
PLACE_BYTES = 200  # of a node in dict and set
WAITING_BLOCKS = 2
DEGREE = 1e7  # units of a place
AT_ONCE = 1 << 16  # nodes between looks at memory, cancel and progress
FIRST_SHARE, PLACES_SHARE = 0.5, 0.4  # of the progress bar


def sniff(head: bytes) -> float:
    """Return 1 for the block OSMHeader."""
    return float(BEGINNING.match(head) is not None)


def read(reading: Reading, data: FileBytes) -> CSRGraph:
    """Read the streets of an extract."""
    chosen_weight(reading)
    osmium = _pyosmium(reading)
    unpacked = _unpacked_bytes(reading, memoryview(data))
    reading.check_unpacked(unpacked, "the extract")
    reading.need_memory(BYTES_PER_BYTE * unpacked)
    try:
        streets = _streets(reading, data, osmium)
        places = _places(reading, data, streets, osmium)
    except (RuntimeError, ValueError) as error:  # libosmium's words, and text that is no UTF-8
        raise reading.fault(f"broken packed extract ({' '.join(str(error).split())})") from error
    return graph_of_streets(reading, "osm_pbf", streets, places)


def _pyosmium(reading: Reading) -> Any:
    """Return the module; FormatError with the command that installs it where it is missing."""
    try:
        return import_module("osmium")
    except ImportError as error:
        raise reading.fault(
            f"a packed extract is read by pyosmium, which is not installed: {PIP}; "
            "or unpack it: osmium cat X.osm.pbf -o X.osm"
        ) from error


def _objects(data: FileBytes, kind: Any, osmium: Any) -> Any:
    """Return an iterable of a file's objects of one kind; few blocks wait unpacked."""
    pool = osmium.io.ThreadPool(1, WAITING_BLOCKS)
    return osmium.FileProcessor(osmium.io.FileBuffer(data, "pbf"), kind, pool)


def _streets(reading: Reading, data: FileBytes, osmium: Any) -> list[Street]:
    """Return what is a street for cars."""
    found: list[Street] = []
    nodes = 0
    asked = 0
    ways = _objects(data, osmium.osm.WAY, osmium)
    for way in ways.with_filter(osmium.filter.KeyFilter("highway")):
        street = Street(tags={tag.k: tag.v for tag in way.tags})
        if street.speed is None or way.deleted:
            continue
        street.nodes = array("q", (node.ref for node in way.nodes))
        found.append(street)
        nodes += len(street.nodes)
        if nodes >= asked:
            reading.need_memory(PLACE_BYTES * AT_ONCE)
            reading.report(FIRST_SHARE, "finding streets")
            asked = nodes + AT_ONCE
    return found


def _places(reading: Reading, data: FileBytes, streets: list[Street], osmium: Any) -> Places:
    """Return the places of the nodes of streets."""
    wanted = {node for street in streets for node in street.nodes}
    found: dict[int, tuple[float, float]] = {}
    for count, node in enumerate(_objects(data, osmium.osm.NODE, osmium)):
        if count % AT_ONCE == 0:
            share = FIRST_SHARE + PLACES_SHARE * len(found) / max(len(wanted), 1)
            reading.report(share, "finding their places")
        if node.id in wanted and not node.deleted:
            place = node.location
            if not place.valid():
                words = f"node {node.id} at '{place.y / DEGREE:g}', '{place.x / DEGREE:g}'"
                raise reading.fault(f"{words}; expected lat from -90 to 90, lon from -180 to 180")
            found[node.id] = place.lat, place.lon
    return found


def _unpacked_bytes(reading: Reading, data: memoryview) -> int:
    """Return the sum of what the file says its blocks unpack to."""
    total = 0
    at = 0
    while at < len(data):
        header_at = at + LENGTH_BYTES
        blob_at = header_at + int.from_bytes(data[at:header_at], "big")
        size = dict(_numbers(reading, data[header_at:blob_at])).get(HEADER_DATA_SIZE, 0)
        at = blob_at + size
        if blob_at > len(data) or at > len(data):
            raise reading.fault(
                f"a block says that it ends at byte {at:,}, the file has {len(data):,} bytes: "
                "it was cut off, or is no packed extract"
            )
        total += max(dict(_numbers(reading, data[blob_at:at])).get(BLOB_RAW_SIZE, 0), size)
    return total


def _numbers(reading: Reading, message: memoryview) -> Iterator[tuple[int, int]]:
    """Yield (number of field, value) of a message's varints; fields of bytes are passed over."""
    at = 0
    while at < len(message):
        key, at = _varint(reading, message, at)
        value, at = _varint(reading, message, at)
        if key & 7 == 0:
            yield key >> 3, value
        elif key & 7 == 2:
            at += value
        else:
            raise reading.fault("broken packed extract (a block whose fields are unknown)")


def _varint(reading: Reading, message: memoryview, at: int) -> tuple[int, int]:
    """Return the number at `at`, seven bits to a byte, and where it ends."""
    value = 0
    for place, byte in enumerate(message[at : at + 10]):
        value |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return value, at + place + 1
    raise reading.fault("broken packed extract (a number that does not end)")


FORMAT = Format(
    "osm_pbf",
    "OpenStreetMap extract, packed",
    (".pbf",),
    sniff,
    read,
    weight_names=weight_names,
    text=False,
    places=True,
)
