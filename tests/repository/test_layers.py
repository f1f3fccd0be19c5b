"""Imports run one way: widgets, models, engines. import-linter says the same; this is quick."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
QT = {"PyQt6", "PySide6", "pyqtgraph", "superqt"}
HEAVY = {"numba", "scipy", "networkx", "cupy", "igraph"}  # never while a module is imported
DRAWING = {"PyQt6.QtWidgets", "PyQt6.QtGui", "PyQt6.QtSvg", "pyqtgraph", "superqt"}
ON_TOP = {
    "viewer.main_window",
    "viewer.app",
    "viewer.controller",
    "viewer.features",
    "viewer.frame",
}
ABOVE_MODELS = ON_TOP | {"viewer.graph", "viewer.plots", "viewer.export", "viewer.bench"}
FORBIDDEN: dict[str, set[str]] = {
    "gpu": QT | {"viewer", "tests"},
    "sample_graphs": QT | {"viewer", "tests"},
    "viewer/models": DRAWING | ABOVE_MODELS | {"tests"},
    "viewer/graph": ON_TOP | {"tests"},
    "viewer/plots": ON_TOP | {"tests"},
    "viewer": {"tests"},
    "assets": QT | {"viewer", "gpu", "tests"},
}
LIGHT = ("gpu/__init__.py", "gpu/graph.py", "gpu/record/trace.py", "gpu/engine.py", "gpu/errors.py")


def imported(tree: ast.AST) -> list[tuple[int, str]]:
    """Return line and full name of every import, also `from PyQt6 import QtWidgets`."""
    found: list[tuple[int, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: write imports in full"
            found += [(node.lineno, f"{node.module}.{alias.name}") for alias in node.names]
    return found


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("folder", FORBIDDEN)
def test_layer_imports_nothing_above_it(folder: str) -> None:
    for path in (TOP / folder).rglob("*.py"):
        for line, name in imported(parsed(path)):
            bad = [f for f in FORBIDDEN[folder] if f"{name}.".startswith(f"{f}.")]
            assert not bad, f"{path.relative_to(TOP)}:{line} imports {name}"


@pytest.mark.parametrize("file", LIGHT)
def test_the_core_imports_heavy_libraries_only_where_it_uses_them(file: str) -> None:
    for node in parsed(TOP / file).body:
        for line, name in imported(node) if isinstance(node, ast.Import | ast.ImportFrom) else []:
            assert name.split(".")[0] not in HEAVY, f"{file}:{line} imports {name} at the top"


def test_the_test_sees_every_way_to_import() -> None:
    ways = (
        "import PyQt6.QtGui as g\nfrom PyQt6 import QtGui\ndef f():\n  from PyQt6.QtGui import QPen"
    )
    names = [name for _, name in imported(ast.parse(ways))]
    assert names == ["PyQt6.QtGui", "PyQt6.QtGui", "PyQt6.QtGui.QPen"]
