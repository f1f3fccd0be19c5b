"""How a graph file is to be read: options of `gpu.load_graph`, and in the words of the window.

A dict of options has only what differs from the usual reading.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gpu.errors import FormatError, GpuError
from gpu.record.workspace import reader_options as known_options
from viewer.models.session import Notice, Offer

__all__ = ["OpenRequest", "known_options", "outside", "refusal", "unnamed", "words_of"]

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
IN_SHORT = {"unit": "all weights 1", "random": "random weights", "absolute": "without signs"}
OPEN_WITH = {  # (option, value) of a Remedy: the words on its button
    ("weights", "absolute"): "Open without signs"
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


def words_of(options: Mapping[str, Any]) -> str:
    """Return the options in a few words, "" for the usual reading."""
    parts = []
    if options.get("undirected") is not None:
        parts.append("undirected" if options["undirected"] else "directed")
    if options.get("weight_name"):
        parts.append(f"weights from {options['weight_name']}")
    if options.get("header") is False:
        parts.append("no heading")
    if options.get("weights") in IN_SHORT:
        parts.append(IN_SHORT[options["weights"]])
    return ", ".join(parts)


def refusal(error: GpuError, path: str, options: Mapping[str, Any]) -> Notice:
    """Return what the bar says about a file that was not opened, with what helps as buttons."""
    remedy = error.remedy if isinstance(error, FormatError) else None
    chosen = known_options(options)
    if remedy is None:
        choose = (Offer(CHOOSE, OpenRequest(path, chosen, ask=True)),) if chosen else ()
        return Notice("error", str(error), offers=choose)
    offers = []
    words = OPEN_WITH.get((remedy.option, remedy.value or ""))
    if words is not None:
        offers.append(Offer(words, OpenRequest(path, chosen | {remedy.option: remedy.value})))
    offers.append(Offer(CHOOSE, OpenRequest(path, chosen, ask=True)))
    assert isinstance(error, FormatError)
    return Notice("error", error.plain, offers=tuple(offers))


def unnamed(path: str, options: Mapping[str, Any], words: str) -> Notice:
    """Return what the bar says where no weights of a file have a usual name."""
    offer = Offer(CHOOSE, OpenRequest(path, dict(options), ask=True))
    return Notice("warning", f"{Path(path).name}: {words}.", offers=(offer,))
