"""Compile, or load from the cache, each compiled loop of the readers, on one arc."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gpu.formats.tables import Table, cut, read_names
from gpu.graph import CSRGraph
from gpu.parsing.csr import arcs_to_csr, checked_with_facts
from gpu.parsing.reading import Reading
from gpu.parsing.row_rules import RowRules
from gpu.parsing.rows import read_rows


def compile_all() -> None:
    """Call each loop with the types that real files give it."""
    for whole in (True, False):  # numbers within int32, and any
        rules = RowRules(
            "'a TAIL HEAD WEIGHT'", value_columns=1, key=b"a", low=1, high=9, whole=whole
        )
        rows = read_rows(Reading(Path("-")), bytearray(b"a 1 2 3\n"), 0, rules, compiled=True)
        weights = rows.values[0].astype(np.int32)
        arrays = arcs_to_csr(rows.ids[0], rows.ids[1], weights, 2, base=1, compiled=True)
    checked_with_facts(CSRGraph(*arrays), compiled=True)
    _scan_metis_lines()
    reading = Reading(Path("-"))
    cut(reading, Table(bytearray(b"1,2,3\n"), 0, b",", [0, 2, 1]))
    read_names(reading, Table(bytearray(b"a,b,3\n"), 0, b",", [0, 1]), RowRules("'TAIL HEAD'"))


def _scan_metis_lines() -> None:
    from gpu.parsing import scan

    text = np.frombuffer(bytearray(b"1 2\n"), np.uint8)
    numbers, counts, report = (np.zeros(4, np.int64) for _ in range(3))
    scan.scan_lines(text, 0, len(text), ord("%"), numbers, counts, report)
