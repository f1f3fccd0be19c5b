"""How a graph file is to be read: options of `gpu.load_graph`, and in the words of the window.

A dict of options has only what differs from the usual reading.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gpu.errors import FormatError, GpuError
from gpu.record.workspace import reader_options
from viewer.models.session import Notice, Offer

DIRECTIONS: dict[bool | None, str] = {
    None: "As the file says",
    True: "Undirected, both ways",
    False: "Directed, as written",
}
WEIGHTS = {
    "file": "As in the file",
    "unit": "All 1",
    "random": "Random, {low} to {high} (seed {seed})",
    "absolute": "Without signs (absolute)",
}
CHOOSE = "Choose options…"


@dataclass(frozen=True)
class OpenRequest:
    """What a button asks for: open `path` with the options, or ask first."""

    path: str
    options: dict[str, Any] = field(default_factory=dict)
    ask: bool = False


def outside(why: str, path: str, options: Mapping[str, Any]) -> Notice:
    """Return what asks before a graph is opened that the file of a run names; `why`: in words."""
    offer = Offer("Open it", OpenRequest(path, dict(options)))
    return Notice("warning", f"The file of this run names the graph {why}.", offers=(offer,))


def refusal(error: GpuError, path: str, options: Mapping[str, Any]) -> Notice:
    """Return what the bar says about a file that was not opened, with what helps as buttons."""
    remedy = error.remedy if isinstance(error, FormatError) else None
    chosen, offers = reader_options(options), []
    if remedy is not None and (remedy.option, remedy.value) == ("weights", "absolute"):
        without_signs = OpenRequest(path, chosen | {"weights": "absolute"})
        offers.append(Offer("Open without signs", without_signs))
    if chosen or (remedy is not None and remedy.option != "header"):  # which no dialog asks for
        offers.append(Offer(CHOOSE, OpenRequest(path, chosen, ask=True)))
    words = str(error)
    if remedy is not None and isinstance(error, FormatError):
        words = error.plain
    return Notice("error", words, offers=tuple(offers))


def unnamed(path: str, options: Mapping[str, Any], words: str) -> Notice:
    """Return what the bar says where no weights of a file have a usual name."""
    offer = Offer(CHOOSE, OpenRequest(path, dict(options), ask=True))
    return Notice("warning", f"{Path(path).name}: {words}.", offers=(offer,))
