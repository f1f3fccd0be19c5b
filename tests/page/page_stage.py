"""Runs for tests of pages, and pages taken apart again."""

import base64
import functools
import json
import zlib
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import numpy as np

import gpu
import sample_graphs
from gpu.graph import CSRGraph
from gpu.proof.verify import verify
from gpu.record.trace import Trace


@functools.cache
def roads(n: int = 600) -> CSRGraph:
    """Return a small city."""
    return sample_graphs.make("city_roads", n=n, seed=3)


@functools.cache
def recorded(algorithm: str = "adds", n: int = 600, delta: float | None = None) -> Trace:
    """Return a proved run on it at probe level 2."""
    graph = roads(n)
    source = sample_graphs.suggested_source(graph)
    trace = gpu.run(graph, algorithm, source=source, delta=delta, probe=2)
    return replace(trace, verification=verify(graph, source, trace.dist))


class Parts(HTMLParser):
    """What a page holds: tags, what each script and style says, every attribute."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.held: dict[str, str] = {}
        self._open = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        named = dict(attrs)
        self._open = str(named.get("id") or named.get("type") or tag)

    def handle_endtag(self, tag: str) -> None:
        self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open:
            self.held[self._open] = self.held.get(self._open, "") + data

    @property
    def policy(self) -> str:
        """The content security policy."""
        return next(v for t, n, v in self.attributes if n == "content" and "default-src" in v)

    def tree(self) -> Any:
        """Return the data of the page, its arrays as NumPy's."""
        held = zlib.decompress(base64.b64decode(self.held["arrays"]))
        return _placed(json.loads(self.held["data"]), held)


def _placed(value: Any, held: bytes) -> Any:
    if isinstance(value, list):
        return [_placed(one, held) for one in value]
    if not isinstance(value, dict):
        return value
    if "$" in value:
        kind, offset, length = value["$"]
        dtype = np.dtype(f"<{kind}")
        part = np.frombuffer(held, np.uint8, length * dtype.itemsize, offset)
        return np.ascontiguousarray(part.reshape(dtype.itemsize, length).T).view(dtype).ravel()
    return {key: _placed(one, held) for key, one in value.items()}
