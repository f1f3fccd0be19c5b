"""Compile, or load from the cache, each compiled loop of the readers, on one arc."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gpu.formats.tables import Table, cut, read_names
from gpu.graph import CSRGraph
from gpu.parsing.csr import arcs_to_csr, checked_with_facts
from gpu.parsing.numbering import number_vertices
from gpu.parsing.reading import Reading
from gpu.parsing.row_rules import RowRules
from gpu.parsing.rows import read_rows


def compile_all() -> None:
    """Call each loop with the types that real files give it."""
    reading = Reading(Path("-"))
    for weight, small in ((b"3", True), (b"0.5", True), (b"0.5", False), (b"%d" % 2**62, False)):
        rules = RowRules("'TAIL HEAD WEIGHT'", value_columns=1, small=small, whole=weight == b"3")
        rows = read_rows(reading, bytearray(b"1 2 %b\n" % weight), 0, rules, compiled=True)
        weights = rows.values[0].astype(np.int32)
        arrays = arcs_to_csr(rows.ids[0], rows.ids[1], weights, 2, base=1, compiled=True)
        number_vertices(reading, rows, compiled=True)
    checked_with_facts(CSRGraph(*arrays), compiled=True)
    _scan_metis_lines()
    cut(reading, Table(bytearray(b"1,2,3\n"), 0, b",", [0, 2, 1]))
    read_names(reading, Table(bytearray(b"a,b,3\n"), 0, b",", [0, 1]), RowRules("'TAIL HEAD'"))


def _scan_metis_lines() -> None:
    from gpu.parsing import scan

    text = np.frombuffer(bytearray(b"1 2\n"), np.uint8)
    numbers, counts, report = (np.zeros(4, np.int64) for _ in range(3))
    scan.scan_lines(text, 0, len(text), ord("%"), numbers, counts, report)
