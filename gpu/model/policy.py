"""A policy on the modelled GPU: plain Python, asked where the loop of ADDS returns to it.

The controller is not dynamic then: it only adds up. The loop returns at the end of each window,
some hundreds of times a run, so nothing of a policy is compiled.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from gpu.delta import NARROWEST, WIDEST
from gpu.engine import RunBuffers
from gpu.graph import CSRGraph
from gpu.loops.log import note
from gpu.model.adds import AddsRun
from gpu.policy import BAD_DELTA, BAD_HEADS, OWN, Policy, fault, translated
from gpu.record.events import EventKind
from gpu.record.trace import Reason, RunSettings

SHARED: dict[str, Any] = {  # what an expression of a policy calls; policy.cuh has the same
    "times": lambda a, b: a * b,
    "over": lambda a, b: np.float64(a) / b,
    "smaller": lambda a, b: a if a < b else b,
    "larger": lambda a, b: a if a > b else b,
    "real": float,
}


class Steering:
    """A policy with its memory, `Seen` of policy.cuh; `unit`: mean weight / mean degree."""

    def __init__(self, policy: Policy, unit: float) -> None:
        names = dict(SHARED)
        exec(compile(translated(policy)[0], policy.name, "exec"), names)  # noqa: S102, checked text
        self._policy, self._rule = policy, names["rule"]
        self.seen = SimpleNamespace(**{name.removeprefix("c."): 0.0 for name in (*OWN, "c.line")})
        self.seen.unit = float(unit)

    def ask(self, k: Any, window: Any) -> None:
        """Take a window's readings, but for the head's switches; change delta or the open heads.

        k : CONTROLLER, a record. PolicyError: it cannot be so
        """
        seen = self.seen
        seen.delta, seen.open_heads = float(k.delta), float(k.open_heads)
        with np.errstate(all="ignore"):
            self._rule(seen, k, *map(float, window), float(k.stretch_switches))
        k.stretch_switches = 0
        seen.windows += 1.0
        if not NARROWEST <= seen.delta <= WIDEST:
            raise fault(self._policy, BAD_DELTA, seen.delta, int(seen.line), k.max_open)
        if not 1.0 <= seen.open_heads <= k.max_open or seen.open_heads % 1.0 != 0.0:
            raise fault(self._policy, BAD_HEADS, seen.open_heads, int(seen.line), k.max_open)
        k.delta, k.inverse_delta = seen.delta, 1.0 / seen.delta
        k.open_heads = int(seen.open_heads)


class SteeredRun(AddsRun):
    """One modelled run of ADDS that a policy steers."""

    def __init__(self, graph: CSRGraph, settings: RunSettings, buffers: RunBuffers) -> None:
        super().__init__(graph, settings, buffers)
        assert settings.policy is not None
        unit = graph.mean_weight / max(graph.mean_degree, 1e-9)
        self._steering, self.sim[0].steered = Steering(settings.policy, unit), 1
        self.arrays.controller[0].dynamic = 0

    def advance(self, samples: np.ndarray, arcs: int) -> int:
        """Advance by a slice, or to the end of a window. PolicyError."""
        written = super().advance(samples, arcs)
        sim, k = self.sim[0], self.arrays.controller[0]
        before, heads = float(k.delta), int(k.open_heads)
        ended, k.window_ended = k.window_ended, 0
        if ended and not k.by_hand:
            self._steering.ask(k, sim.window)
        if (k.delta, k.open_heads) != (before, heads):
            sim.reason = int(Reason.POLICY)
            self.note_delta(before, Reason.POLICY)
            if k.delta == before:
                note(self.log, sim.t_ns, EventKind.OPEN, k.open_heads, Reason.POLICY)
        return written
