"""The picture of the rooms, `assets/pictures/architecture.svg`, made from the contracts of imports.

    python tests/repository/architecture.py

Layers are read from `pyproject.toml` (import-linter keeps them), sentences from each room's
docstring, sizes from the files. Three walks are marked by numbered dots.
"""

from __future__ import annotations

import ast
import textwrap
import tomllib
from pathlib import Path
from xml.sax.saxutils import escape

TOP = Path(__file__).resolve().parents[2]
PICTURE = TOP / "assets" / "pictures" / "architecture.svg"
WIDTH, MARGIN, GAP = 1000, 24, 8
LINE, HEAD, PAD = 13, 18, 7  # pixels: a line of text, a room's name, inside a box
COLUMNS = {"viewer": (24, 478), "gpu": (522, 454)}  # left edge, width
WALKS = (  # what happens, colour, the rooms it passes
    (
        "a file becomes pixels",
        "#b3541e",
        "gpu.formats gpu.graph gpu.host viewer.controller viewer.models viewer.raster viewer.graph",
    ),
    (
        "a click on Run, and back",
        "#2b6cb0",
        "viewer.frame viewer.main_window viewer.controller gpu.host gpu.engine gpu.model",
    ),
    (
        "a sample becomes a curve",
        "#2f7d4f",
        "gpu.loops gpu.cuda gpu.record gpu.host viewer.models viewer.plots",
    ),
)


def layers(package: str) -> list[list[str]]:
    """Return the rooms of a package from the top down, those of one layer together."""
    settings = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))
    for contract in settings["tool"]["importlinter"]["contracts"]:
        rows = contract.get("layers", [])
        if rows and rows[0].startswith(f"{package}."):
            split = [[name.strip() for name in row.split("|")] for row in rows]
            own = [[name for name in row if name.startswith(f"{package}.")] for row in split]
            return [row for row in own if row]
    raise LookupError(f"no contract of layers for {package}")


def sentence(room: str) -> str:
    """Return the first sentence of a room's docstring."""
    path = TOP.joinpath(*room.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    words = (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").split("\n\n")[0]
    return " ".join(words.split())


def size(room: str) -> str:
    """Return how many files a room has; nothing for a single module."""
    path = TOP.joinpath(*room.split("."))
    if not path.is_dir():
        return ""
    files = [f for f in path.rglob("*") if f.suffix in {".py", ".cu", ".cuh"} and f.stat().st_size]
    return f"{len(files)} files"


def box(room: str, left: float, top: float, width: float, height: float) -> list[str]:
    """Return a room: its name, its sentence, the dots of the walks that pass it."""
    lines = wrapped(room, width)
    name = room.partition(".")[2] + ("/" if TOP.joinpath(*room.split(".")).is_dir() else ".py")
    drawn = [
        f'<rect x="{left}" y="{top}" width="{width}" height="{height}" rx="4" class="room"/>',
        f'<text x="{left + PAD}" y="{top + HEAD}" class="name">{escape(name)}'
        f'<tspan class="size" dx="8">{size(room)}</tspan></text>',
    ]
    for number, line in enumerate(lines, 1):
        y = top + HEAD + LINE * number
        drawn.append(f'<text x="{left + PAD}" y="{y}">{escape(line)}</text>')
    passing = [place for place, walk in enumerate(WALKS) if room in walk[2].split()]
    for offset, place in enumerate(passing):
        x, y = left + width - 12 - 19 * offset, top + 12
        step = WALKS[place][2].split().index(room) + 1
        drawn.append(f'<circle cx="{x}" cy="{y}" r="8.5" fill="{WALKS[place][1]}"/>')
        drawn.append(f'<text x="{x}" y="{y + 3.5}" class="step">{step}</text>')
    return drawn


def wrapped(room: str, width: float) -> list[str]:
    """Return a room's sentence in lines that fit."""
    return textwrap.wrap(sentence(room).replace("`", ""), max(12, int((width - 2 * PAD) / 5.3)))


def column(package: str, title: str) -> tuple[list[str], float]:
    """Return a package as layers of boxes, and where it ends."""
    left, width = COLUMNS[package]
    drawn = [f'<text x="{left}" y="46" class="title">{escape(title)}</text>']
    top = 58.0
    for row in layers(package):
        each = (width - GAP * (len(row) - 1)) / len(row)
        height = HEAD + LINE * max(len(wrapped(room, each)) for room in row) + PAD
        for place, room in enumerate(row):
            drawn += box(room, left + place * (each + GAP), top, each, height)
        top += height + GAP
    return drawn, top


def picture() -> str:
    """Return the whole picture as SVG."""
    window, first = column("viewer", "viewer: the window")
    engines, second = column("gpu", "gpu: engines and what they leave behind")
    top = max(first, second) + 10
    legend = []
    for place, (words, colour, _) in enumerate(WALKS):
        x = MARGIN + 8 + place * 230
        legend.append(f'<circle cx="{x}" cy="{top + 8}" r="8.5" fill="{colour}"/>')
        legend.append(f'<text x="{x + 15}" y="{top + 12}" class="walk">{escape(words)}</text>')
    note = "Imports run downwards only."
    legend.append(f'<text x="{WIDTH - MARGIN}" y="{top + 12}" class="note">{note}</text>')
    height = top + 34
    style = (
        "text{font:10.5px sans-serif;fill:#30343b}"
        ".name{font-weight:bold;font-size:12.5px;fill:#111}"
        ".size{font-weight:normal;font-size:10.5px;fill:#6b7280}"
        ".title{font-weight:bold;font-size:16px;fill:#111}.walk{font-size:12.5px}"
        ".note{font-size:12.5px;text-anchor:end}.room{fill:#f6f7f9;stroke:#9aa3b0}"
        ".step{font-weight:bold;fill:#fff;text-anchor:middle}"
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}">',
            "<title>The rooms of SSSP Scope</title>",
            f"<style>{style}</style>",
            f'<rect width="{WIDTH}" height="{height:g}" fill="#fff"/>',
            *window,
            *engines,
            *legend,
            "</svg>\n",
        ]
    )


if __name__ == "__main__":
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture(), encoding="utf-8")
    print(PICTURE.relative_to(TOP))
