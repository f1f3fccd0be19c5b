"""OpenStreetMap extracts as XML (.osm); `streets.py` says what becomes an arc [1].

[1] OpenStreetMap wiki, "OSM XML".
"""

from __future__ import annotations

import re

import numpy as np

from gpu.formats.streets import Street, chosen_weight, graph_of_streets, weight_names
from gpu.formats.xml_pass import XmlPass
from gpu.graph import CSRGraph
from gpu.parsing.filebytes import FileBytes
from gpu.parsing.reading import Format, Reading, shown

NUMBER = re.compile(r"^-?[0-9]{1,19}$", re.ASCII)
BEGINNING = re.compile(rb"\s*(?:<\?[^>]*>\s*)?(?:<!--[^>]*-->\s*)*<osm[\s>]")
BYTES_PER_BYTE = 12
MOST_DEPTH = 16


class _Extract(XmlPass):
    """One pass of expat over an extract."""

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        self.places: dict[int, tuple[float, float]] = {}  # latitude, longitude, degrees
        self.streets: list[Street] = []
        self._street: Street | None = None
        self._depth = 0

    def _begun(self, name: str, given: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise self.reading.fault(f"elements nest deeper than {MOST_DEPTH}", self.line)
        if self._depth == 1 and name != "osm":
            raise self.reading.fault(f"begins with {shown(name.encode())}; expected osm", 1)
        if name == "node":
            self._add_node(given)
        elif name == "way":
            self._street = Street()
        elif self._street is not None and name == "nd":
            self._street.nodes.append(self._number(given, "ref"))
        elif self._street is not None and name == "tag" and "k" in given and "v" in given:
            self._street.tags[given["k"]] = given["v"]

    def _ended(self, name: str) -> None:
        self._depth -= 1
        if name == "way" and self._street is not None:
            if self._street.speed is not None:
                self.streets.append(self._street)
            self._street = None

    def _add_node(self, given: dict[str, str]) -> None:
        if given.get("action") == "delete" or given.get("visible") == "false":
            return
        node = self._number(given, "id")
        try:
            place = float(given.get("lat", "")), float(given.get("lon", ""))
        except ValueError:
            place = np.nan, np.nan
        if not (abs(place[0]) <= 90 and abs(place[1]) <= 180):
            words = f"node {node} at {shown(repr((given.get('lat'), given.get('lon'))).encode())}"
            expected = "expected lat from -90 to 90, lon from -180 to 180"
            raise self.reading.fault(f"{words}; {expected}", self.line)
        self.places[node] = place

    def _number(self, given: dict[str, str], key: str) -> int:
        found = given.get(key, "")
        if not NUMBER.match(found) or abs(int(found)) >= 2**63:
            raise self.reading.fault(
                f"{key} = {shown(found.encode(errors='replace'))}; expected a whole number",
                self.line,
            )
        return int(found)


def sniff(head: bytes) -> float:
    """Return 1 for the element osm, at once or after the XML declaration and comments."""
    return float(BEGINNING.match(head) is not None)


def read(reading: Reading, data: FileBytes) -> CSRGraph:
    """Read the streets of an extract."""
    chosen_weight(reading)
    reading.need_memory(BYTES_PER_BYTE * len(data))
    extract = _Extract(reading)
    extract.parse(data)
    return graph_of_streets(reading, "osm", extract.streets, extract.places)


FORMAT = Format(
    "osm",
    "OpenStreetMap extract",
    (".osm",),
    sniff,
    read,
    weight_names=weight_names,
    places=True,
)
