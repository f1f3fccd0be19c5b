"""A policy on the modelled GPU: compiled, and asked by the loop of ADDS.

A run with a policy has another controller record, STEERED, and its loop is compiled apart: once for
all policies, kept on disk. The record holds the address of the policy, which is compiled by itself
in half a second. Nothing of this concerns a run without one.
"""

from __future__ import annotations

import ctypes
from functools import cache, lru_cache
from types import FunctionType, SimpleNamespace
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import extending
from numba.core import types

from gpu import delta
from gpu.compiled import compiled_inline, compiled_lean, compiled_part
from gpu.delta import CONTROLLER, NARROWEST, NONE, WIDEST
from gpu.engine import RunBuffers
from gpu.graph import CSRGraph
from gpu.model import adds_loop
from gpu.model.adds import AddsRun
from gpu.policy import BAD_DELTA, BAD_HEADS, CHANGED, SEEN, Policy, fault, translated
from gpu.record.trace import RunSettings

STEERED = np.dtype(  # `Steered` of policy.cuh, and what only this engine needs
    [
        *CONTROLLER.descr,
        ("fault", "<i8"),  # BAD_DELTA, BAD_HEADS, or 0
        ("seen", SEEN),
        ("entry", "<i8"),  # address of the compiled policy
        ("here", "<i8"),  # address of this record
    ]
)
ENTRY = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 7)  # a policy, compiled
WHOLE = [types.int64] * 8  # its address and what it takes
RECORD = types.CPointer(numba.from_dtype(STEERED))


class SteeredRun(AddsRun):
    """One modelled run of ADDS that a policy steers."""

    def __init__(self, graph: CSRGraph, settings: RunSettings, buffers: RunBuffers) -> None:
        super().__init__(graph, settings, buffers)
        assert settings.policy is not None
        unit = graph.mean_weight / max(graph.mean_degree, 1e-9)
        self._policy, self._compiled = settings.policy, compiled_policy(settings.policy)
        controller = steered(self.arrays.controller, self._compiled, unit)
        self.arrays, self._loop = self.arrays._replace(controller=controller), loop()

    def advance(self, samples: np.ndarray, arcs: int) -> int:
        """Advance by a slice. PolicyError where the policy set what cannot be."""
        written = super().advance(samples, arcs)
        one = self.arrays.controller[0]
        if one.fault:
            value = float(one.seen["delta" if one.fault == BAD_DELTA else "open_heads"])
            raise fault(self._policy, one.fault, value, int(one.seen["line"]), one.max_open)
        return written


def steered(controller: np.ndarray, compiled: Any, unit: float) -> np.ndarray:
    """Return a controller that asks a compiled policy: STEERED (1,), as a recarray.

    unit : mean weight / mean degree
    """
    made = np.zeros(1, STEERED)
    for name in CONTROLLER.names or ():
        made[name] = controller[name]
    made["seen"]["unit"], made["dynamic"] = unit, 0
    made["entry"], made["here"] = compiled.address, made.ctypes.data
    return made.view(np.recarray)


@lru_cache(64)
def compiled_policy(policy: Policy) -> Any:
    """Return a policy as Numba's C function of a record's address and a sweep's readings."""
    names: dict[str, Any] = {name: _lean(one) for name, one in SHARED.items()}
    names["real"] = float
    exec(compile(translated(policy)[0], policy.name, "exec"), names)  # noqa: S102, checked text
    rule, add_up = _lean(names["rule"]), _lean(delta.decide)  # not dynamic: it only sums

    def ask(record, processing, waiting, produced, produced_far, produced_tail, switched):  # type: ignore[no-untyped-def]
        """Take one sweep's readings, as `gpu.delta.decide`; ask the policy at a window's end."""
        state = numba.carray(record, 1)
        c = state[0]
        sweeps, moved = c.sweeps + 1, c.stretch_switches + switched
        busy, wait = (c.sum_processing + processing) / sweeps, (c.sum_waiting + waiting) / sweeps
        add_up(state, processing, waiting, produced, produced_far, produced_tail, switched)
        if c.window_ended == 0 or c.by_hand == 1 or c.fault != 0:
            return NONE
        c.stretch_switches = 0
        seen = c.seen
        seen.delta, seen.open_heads = c.delta, c.open_heads
        new = float(produced), float(produced_far), float(produced_tail), float(moved)
        rule(seen, c, busy, wait, *new)
        seen.windows += 1.0
        if not NARROWEST <= seen.delta <= WIDEST:
            c.fault = BAD_DELTA
        elif not 1.0 <= seen.open_heads <= c.max_open or seen.open_heads % 1.0 != 0.0:
            c.fault = BAD_HEADS
        elif seen.delta != c.delta or seen.open_heads != c.open_heads:
            c.delta, c.inverse_delta = seen.delta, 1.0 / seen.delta
            c.open_heads = int(seen.open_heads)
            return CHANGED
        return NONE

    return numba.cfunc(types.int64(RECORD, *WHOLE[2:]), error_model="numpy")(ask)


def _lean(function: Any) -> Any:
    return numba.njit(error_model="numpy", inline="never")(function)


SHARED: dict[str, Any] = {  # what an expression of a policy calls; scheduler.cuh has the same
    "times": lambda a, b: a * b,
    "smaller": lambda a, b: a if a < b else b,
    "larger": lambda a, b: a if a > b else b,
}


def call(entry, here, a, b, c, d, e, f):  # type: ignore[no-untyped-def]
    """Call the compiled policy at an address, with a record's address and six whole numbers."""
    return ENTRY(int(entry))(int(here), *map(int, (a, b, c, d, e, f)))


@extending.type_callable(call)
def _type_of_call(context):  # type: ignore[no-untyped-def]
    def of_arguments(entry, here, a, b, c, d, e, f):  # type: ignore[no-untyped-def]
        return types.int64(*WHOLE)

    return of_arguments


@extending.lower_builtin(call, *WHOLE)
def _code_of_call(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
    function, *rest = arguments
    kind = ir.FunctionType(ir.IntType(64), [ir.IntType(64)] * len(rest))
    return builder.call(builder.inttoptr(function, kind.as_pointer()), rest)


@compiled_inline
def decide(state, processing, waiting, produced, far, tail, switched):  # type: ignore[no-untyped-def]
    """Ask the policy of the run, in place of `gpu.delta.decide`."""
    k = state[0]
    return call(k.entry, k.here, processing, waiting, produced, far, tail, switched)


@cache
def loop() -> Any:
    """Return the loop of ADDS whose sweep asks a policy: the same code, with our `decide`."""
    names = {**vars(adds_loop), "decide": decide}
    parts = {"_control": compiled_inline, "_sweep": compiled_part, "advance": compiled_lean}
    for name, compiling in parts.items():
        code = names[name].py_func.__code__
        again = FunctionType(code, names, f"{name}_by_policy")  # another name in Numba's cache
        again.__qualname__ = again.__name__
        again.__module__ = adds_loop.__name__
        names[name] = compiling(again)
    return SimpleNamespace(advance=names["advance"], write_sample=adds_loop.write_sample)
