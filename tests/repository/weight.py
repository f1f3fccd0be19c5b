"""Print how much there is to read: lines, modules and words, room by room.

    python tests/repository/weight.py

Counts files that git tracks; run it at the top of the checkout. No test fails on these numbers.
"""

import ast
import io
import subprocess
import tokenize
from collections import Counter
from pathlib import Path

PRODUCT = ("gpu", "viewer", "sample_graphs", "assets")
PROSE_LEFT_OUT = {"CHANGELOG.md", "LOG.md"}


def tracked() -> list[Path]:
    """Return the files that git tracks, relative to the top."""
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True)
    return [Path(name) for name in listed.stdout.splitlines() if Path(name).is_file()]


def lines(path: Path) -> int:
    """Return the number of lines of a file."""
    return path.read_text(encoding="utf-8").count("\n")


def code_lines(path: Path) -> int:
    """Return the lines of a Python file without blank lines, comments and docstrings."""
    text = path.read_text(encoding="utf-8")
    skipped = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    skipped |= {tokenize.ENCODING, tokenize.ENDMARKER}
    used: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in skipped:
            used.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        body = getattr(node, "body", None)
        first = body[0] if isinstance(body, list) and body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            used.difference_update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return len(used)


def room_of(path: Path) -> str:
    """Return the room of a module: its folder, below `viewer/features` one level more."""
    depth = 3 if path.parts[:2] == ("viewer", "features") else 2
    return "/".join(path.parent.parts[:depth])


def is_prose(path: Path) -> bool:
    """Whether a Markdown file counts as README text."""
    taught = {"lessons", "manual"} & set(path.parts[:-1])
    return path.suffix == ".md" and path.name not in PROSE_LEFT_OUT and not taught


def main() -> None:
    """Print the table of rooms, then the sums."""
    paths = tracked()
    product = [path for path in paths if path.suffix == ".py" and path.parts[0] in PRODUCT]
    rooms: Counter[str] = Counter()
    modules: Counter[str] = Counter()
    for path in product:
        rooms[room_of(path)] += lines(path)
        modules[room_of(path)] += lines(path) > 1
    for room in sorted(rooms):
        print(f"{rooms[room]:7,}  {modules[room]:4}  {room}")
    suffixes = {
        "page, JavaScript and CSS": ("assets", {".js", ".css"}),
        "CUDA": ("gpu", {".cu", ".cuh"}),
        "tests": ("tests", {".py"}),
    }
    print(f"product Python: {sum(rooms.values()):,} lines, {sum(modules.values())} modules")
    print(f"product Python, code only: {sum(code_lines(path) for path in product):,} lines")
    for name, (top, kinds) in suffixes.items():
        counted = [path for path in paths if path.parts[0] == top and path.suffix in kinds]
        print(f"{name}: {sum(lines(path) for path in counted):,} lines")
    words = sum(len(path.read_text(encoding="utf-8").split()) for path in paths if is_prose(path))
    print(f"Markdown: {words:,} words")


if __name__ == "__main__":
    main()
