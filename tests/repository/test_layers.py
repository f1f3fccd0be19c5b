"""Imports that import-linter does not see: Qt's drawing modules in models, libraries at start."""

import ast
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
HEAVY = {"numba", "scipy", "networkx", "cupy"}  # never while a module is imported
FORBIDDEN = {
    "viewer/models": {"PyQt6.QtWidgets", "PyQt6.QtGui", "PyQt6.QtSvg", "pyqtgraph", "tests"},
    "viewer": {"tests"},
    "gpu": {"PyQt6", "pyqtgraph", "tests"},
    "sample_graphs": {"PyQt6", "pyqtgraph", "tests"},
}
LIGHT = ("gpu/__init__.py", "gpu/graph.py", "gpu/record/trace.py", "gpu/engine.py", "gpu/errors.py")


def imported(tree: ast.AST) -> list[tuple[int, str]]:
    """Return line and full name of every import, also `from PyQt6 import QtWidgets`."""
    names: list[tuple[int, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [(node.lineno, alias.name) for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: write imports in full"
            names += [(node.lineno, f"{node.module}.{alias.name}") for alias in node.names]
    return names


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
