"""Writing: text in blocks, packed by suffix, and never half a file.

A full disk or a Stop leaves the old file whole: `gpu.files`.
"""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from gpu.errors import GpuError, GraphError
from gpu.files import written_whole

ROWS_PER_BLOCK = 100_000


def number_columns(form: str, *columns: np.ndarray) -> Iterator[str]:
    """Yield text of many rows at a time, one `form % row` for each; floats in shortest form."""
    for first in range(0, len(columns[0]), ROWS_PER_BLOCK):
        block = [column[first : first + ROWS_PER_BLOCK].tolist() for column in columns]
        yield "".join([form % row for row in zip(*block, strict=True)])


def write_text(path: Path, head: str, rows: Iterable[str]) -> None:
    """Write `head`, then `rows`, as UTF-8, packed as the suffix says."""
    write_file(path, lambda file: file.writelines(map(str.encode, chain((head,), rows))))


def write_file(path: Path, fill: Callable[[BinaryIO], None]) -> None:
    """Let `fill` write a file, gzip or xz by suffix; raise GraphError where it cannot."""
    try:
        with written_whole(path) as whole, _packed(whole, path) as file:
            fill(file)
    except GpuError as error:
        reason = error.__cause__
        if not isinstance(reason, OSError):
            raise
        raise GraphError(f"{path}: cannot be written: {reason.strerror or reason}") from error


def _packed(whole: Any, path: Path) -> Any:
    suffix = path.suffix.lower()
    if suffix == ".gz":
        return gzip.GzipFile(path.name, "wb", compresslevel=6, fileobj=whole)
    if suffix == ".xz":
        return lzma.open(whole, "wb")
    return nullcontext(whole)
