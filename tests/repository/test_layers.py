"""Imports that import-linter does not see: modules of Qt in models, the tests themselves."""

import ast
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
FORBIDDEN = {
    "viewer/models": {"PyQt6.QtWidgets", "PyQt6.QtGui", "PyQt6.QtSvg"},
    **{folder: {"tests"} for folder in ("viewer", "gpu", "sample_graphs")},
}


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


@pytest.mark.parametrize("folder", FORBIDDEN)
def test_layer_imports_nothing_above_it(folder: str) -> None:
    for path in (TOP / folder).rglob("*.py"):
        for line, name in imported(ast.parse(path.read_text(encoding="utf-8"))):
            bad = [f for f in FORBIDDEN[folder] if f"{name}.".startswith(f"{f}.")]
            assert not bad, f"{path.relative_to(TOP)}:{line} imports {name}"
