"""Compile, or load from the cache, each compiled loop of the readers, on one arc."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gpu.formats.base import Reading
from gpu.formats.csr import arc_facts, arcs_to_csr
from gpu.formats.row_rules import RowRules
from gpu.formats.rows import read_rows


def compile_all() -> None:
    """Call each loop with the types that real files give it."""
    rules = RowRules("'a TAIL HEAD WEIGHT'", value_columns=1, key=b"a")
    rows = read_rows(Reading(Path("-")), bytearray(b"a 1 2 3\n"), 0, rules, compiled=True)
    weights = rows.values[0].astype(np.int32)
    arrays = arcs_to_csr(rows.ids[0], rows.ids[1], weights, 2, base=1, compiled=True)
    arc_facts(*arrays, compiled=True)
    _scan_metis_lines()


def _scan_metis_lines() -> None:
    from gpu.formats import scan

    text = np.frombuffer(bytearray(b"1 2\n"), np.uint8)
    numbers, counts, report = (np.zeros(4, np.int64) for _ in range(3))
    scan.scan_lines(text, 0, len(text), ord("%"), numbers, counts, report)
