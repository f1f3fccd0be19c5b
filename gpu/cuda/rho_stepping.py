"""Rho-stepping on the device: the launcher of supersteps, and ρ for its kernel."""

from __future__ import annotations

from gpu.algorithms.rho_stepping import rho_of
from gpu.cuda.supersteps import Kernel, every_arc
from gpu.graph import CSRGraph
from gpu.record.trace import RunSettings


def _rho(graph: CSRGraph, settings: RunSettings) -> dict[str, int]:
    return {"chunk_largest": rho_of(settings.parameters["rho"], graph.n, graph.m)}


RHO_STEPPING = Kernel("rho_stepping.cu", "rho_stepping", piles=2, room=every_arc, own=_rho)
run = RHO_STEPPING.run
