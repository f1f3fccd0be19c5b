"""Writing: text in blocks, packed by suffix, and never half a file.

Everything is written to a file beside the target, which then takes the target's
place, so that a full disk or a Stop leaves the old file whole.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from gpu.errors import GraphError

ROWS_PER_BLOCK = 100_000


def number_columns(form: str, *columns: np.ndarray) -> Iterator[str]:
    """Yield text of many rows at a time, one `form % row` for each; floats in shortest form."""
    for first in range(0, len(columns[0]), ROWS_PER_BLOCK):
        block = [_as_words(column[first : first + ROWS_PER_BLOCK]) for column in columns]
        yield "".join([form % row for row in zip(*block, strict=True)])


def _as_words(column: np.ndarray) -> list[Any]:
    if column.dtype.kind == "f":
        return [str(value) for value in column]  # float32: shortest text that reads back equal
    return column.tolist()


def write_text(path: Path, head: Iterable[str], rows: Iterable[str]) -> None:
    """Write `head`, then `rows`, as UTF-8, packed as the suffix says."""

    def fill(file: BinaryIO) -> None:
        for part in (*head, ""):
            file.write(part.encode())
        for block in rows:
            file.write(block.encode())

    write_file(path, fill)


def write_file(path: Path, fill: Callable[[BinaryIO], None]) -> None:
    """Let `fill` write a file, gzip, xz or bz2 by suffix; raise GraphError where it cannot."""
    beside = path.with_name(path.name + ".part")
    try:
        try:
            with _opened(path, beside) as file:
                fill(file)
            os.replace(beside, path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise GraphError(f"{path}: cannot be written: {error.strerror or error}") from error


def _opened(path: Path, beside: Path) -> Any:
    suffix = path.suffix.lower()
    if suffix == ".gz":
        return gzip.open(beside, "wb", compresslevel=6)
    if suffix == ".xz":
        return lzma.open(beside, "wb")
    if suffix == ".bz2":
        return bz2.open(beside, "wb")
    return open(beside, "wb")
