"""The modelled superstep of Near-Far, Bellman-Ford and delta-stepping: waves over near.

The form is that of our kernels (`cuda/kernels/superstep.cuh`). A small frontier is one block's: a
superstep costs `alone_ns`. From WIDE_ENTER items on all blocks share it, until WIDE_LEAVE are left:
then a superstep costs a grid barrier, `superstep_ns`, and a change of mode one more. Vertices are
dealt to warps, and a block ends with its fullest warp (`trip_ns` for each further load of arcs in
flight), with its hubs, and not before its multiprocessor has relaxed all its arcs at `arc_ns` each.
A frontier wider than all lanes takes several such waves.

A wave reads its distances first and relaxes then, so within a wave no vertex sees what the others
write. A vertex that improved between two waves is left to the next superstep.

An algorithm adds four rules, found by the type of its bundle of arrays (`rule`): by Numba when a
loop is compiled, at no cost at run time, and by `_ruled` in uncompiled runs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import overload

from gpu.compiled import LEAN, compiled_inline, compiled_lean, compiled_part, plain
from gpu.loops.codes import ENDED, FINISHED, IMPROVE, LOG_FULL, POP, RELAX, RESUME, RUNNING, SKIP
from gpu.loops.log import ARC_EVENTS, lacks_room, record
from gpu.loops.plus import plus
from gpu.loops.sample import fill_sample, note_improved, note_processed
from gpu.loops.state import state_dtype
from gpu.model.machine import HUB_ARCS, IN_FLIGHT

START, RUNS, ENDS = range(3)  # phases of a superstep
WIDE_ENTER = 1024  # items from which on all blocks share the frontier (kernel)
WIDE_LEAVE = 512  # and down to which they do (kernel)
STEP_HUBS = 64  # that a block puts aside at a time; further ones stay with their warp (kernel)
SPLIT_ALONE = 8192  # far items up to which one block splits by itself (kernel)


def step_dtype(*own: tuple[str, str]) -> np.dtype:
    """Return the state of an algorithm of supersteps: the common fields, then its own."""
    return state_dtype(
        ("superstep_ns", "<f8"),
        ("round_ns", "<f8"),
        ("trip_ns", "<f8"),
        ("alone_ns", "<f8"),
        ("arc_ns", "<f8"),  # of one multiprocessor
        ("lowest", "<f8"),  # that distance errors of this superstep are counted from
        ("near", "<i8"),  # vertices of this superstep
        ("waiting", "<i8"),  # vertices that wait beyond it
        ("next_items", "<i8"),  # pushed for the next one, every improvement counted
        ("far_items", "<i8"),  # looked at when near is refilled
        ("place", "<i8"),  # of near, processed
        ("bucket", "<i8"),  # what events call the bucket that near comes from
        ("round", "<i8"),  # supersteps before this one
        ("lanes", "<i8"),
        ("warp", "<i8"),  # lanes of a warp
        ("workers", "<i8"),  # blocks
        ("phase", "<i4"),
        ("wide", "<i4"),  # all blocks share the superstep
        ("heavy", "<i4"),  # 1: heavy arcs of vertices that were processed before
        *own,
    )


RULES: dict[tuple[str, type], Any] = {}  # name of the hook, type of the bundle: what it is then


def announce(arrays, s):  # type: ignore[no-untyped-def]
    """Record that a superstep begins, and from where its distance errors are counted."""
    _ruled("announce", arrays)(arrays, s)


def waits_again(arrays, s, vertex):  # type: ignore[no-untyped-def]
    """Whether a vertex of near improved meanwhile, so that the next superstep does it."""
    return _ruled("waits_again", arrays)(arrays, s, vertex)


def relax(arrays, s, worker, vertex, from_dist):  # type: ignore[no-untyped-def]
    """Relax the arcs of one vertex and queue what improved."""
    _ruled("relax", arrays)(arrays, s, worker, vertex, from_dist)


def refill(arrays, s):  # type: ignore[no-untyped-def]
    """Close a superstep and fill near for the next one; False at the end."""
    return _ruled("refill", arrays)(arrays, s)


def _ruled(hook: str, arrays: Any) -> Any:
    """Return the rule of a run, uncompiled."""
    return plain(RULES[hook, type(arrays)])


def rule(hook: Callable[..., Any], bundle: type) -> Callable[[Any], Any]:
    """Make the decorated function what `hook` is for runs whose arrays are a `bundle`."""

    def bind(function: Any) -> Any:
        def choose(arrays: Any, *rest: Any) -> Any:
            return function if getattr(arrays, "instance_class", None) is bundle else None

        choose.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
        overload(hook, jit_options=LEAN, strict=False)(choose)
        RULES[hook.__name__, bundle] = function
        return function

    return bind


@compiled_lean
def advance(arrays, state, samples, most_relaxed):  # type: ignore[no-untyped-def]
    """Advance until `samples` is full, `most_relaxed` arcs are relaxed, or the run ends."""
    s = state[0]
    written, steps = 0, 0
    until = s.relaxed + most_relaxed
    s.status = RUNNING
    room = ARC_EVENTS * len(arrays.indices) + 8 * len(arrays.dist) + 64  # events of one wave
    while s.relaxed < until and written < len(samples) and steps < most_relaxed:
        if lacks_room(arrays.log, room):
            s.status = LOG_FULL
            break
        if s.phase == START:
            if s.t_ns >= s.next_sample_ns:
                write_sample(arrays, s, samples[written])
                written += 1
                s.next_sample_ns = s.t_ns + s.period_ns
            _start(arrays, s)
            announce(arrays, s)
            steps += 1
        elif s.phase == RUNS:
            _wave(arrays, s)
            if s.place == s.near:
                s.phase = ENDS
        elif refill(arrays, s):
            s.phase = START
        else:
            s.status = FINISHED
            s.flags |= ENDED
            write_sample(arrays, s, samples[written])
            written += 1
            break
    return written


@compiled_inline
def _start(arrays, s):  # type: ignore[no-untyped-def]
    """Decide whether one block or all of them do the superstep, and charge what it costs."""
    least = WIDE_LEAVE if s.wide else WIDE_ENTER
    items = max(s.next_items, s.near)
    if s.wide != (items > least):
        s.t_ns += s.superstep_ns  # the barrier at which the others join, or leave
        s.wide = 1 - s.wide
    s.t_ns += s.superstep_ns if s.wide else s.alone_ns
    s.next_items = 0
    arrays.block_ns[:] = s.t_ns
    s.place, s.phase = 0, RUNS


@compiled_inline
def _wave(arrays, s):  # type: ignore[no-untyped-def]
    """Process as much of near as the blocks at work hold: vertices by warps, hubs by blocks."""
    blocks = s.workers if s.wide else 1
    warps = blocks * (s.lanes // s.warp)
    first = s.place
    share = min((s.near - first + warps - 1) // warps, s.warp)
    last = min(s.near, first + warps * share)
    arrays.fullest[:blocks] = 0
    arrays.hub_trips[:blocks] = 0
    arrays.hubs[:blocks] = 0
    arrays.arcs[:blocks] = 0
    of_warp, group, until = 0, 0, first + share
    for place in range(first, last):
        if place == until:
            until += share
            of_warp = 0
            group = group + 1 if group + 1 < blocks else 0
        vertex = np.int64(arrays.near[place])
        current = arrays.dist[vertex]
        if s.heavy == 0 and waits_again(arrays, s, vertex):
            arrays.near[place] = -1
            record(arrays.log, s.t_ns, SKIP, group, vertex, s.bucket, np.float64(current))
            continue
        arrays.snapshot[place - first] = current
        kind = RESUME if s.heavy else POP
        record(arrays.log, s.t_ns, kind, group, vertex, s.bucket, np.float64(current))
        if s.heavy == 0:
            note_processed(arrays, s, vertex, current, s.lowest)
        degree = arrays.indptr[vertex + 1] - arrays.indptr[vertex]
        arrays.arcs[group] += degree
        if degree > HUB_ARCS and arrays.hubs[group] < STEP_HUBS:
            arrays.hubs[group] += 1
            arrays.hub_trips[group] += (degree + s.lanes * IN_FLIGHT - 1) // (s.lanes * IN_FLIGHT)
        else:
            of_warp += degree
            arrays.fullest[group] = max(arrays.fullest[group], of_warp)
    _charge_wave(arrays, s, blocks, first)
    s.place = last
    for place in range(first, last):
        vertex = np.int64(arrays.near[place])
        if vertex >= 0:
            worker = (place - first) // share % blocks
            relax(arrays, s, worker, vertex, arrays.snapshot[place - first])


@compiled_inline
def _charge_wave(arrays, s, blocks, first):  # type: ignore[no-untyped-def]
    """Add a wave's time: it lasts as long as its last block."""
    in_flight = s.warp * IN_FLIGHT
    for block in range(blocks):
        trips = max((arrays.fullest[block] + in_flight - 1) // in_flight - 1, 0)
        busy = trips * s.trip_ns + arrays.hub_trips[block] * s.round_ns
        busy = max(busy, arrays.arcs[block] * s.arc_ns)
        arrays.block_ns[block] += busy + (s.round_ns if first > 0 else 0.0)
        s.t_ns = max(s.t_ns, arrays.block_ns[block])


@compiled_inline
def improves(arrays, s, worker, vertex, from_dist, arc):  # type: ignore[no-untyped-def]
    """Relax an arc; return whether it improved its head. Note a sum past the range."""
    to = arrays.indices[arc]
    reached = plus(from_dist, arrays.weights[arc])
    current = arrays.dist[to]
    record(arrays.log, s.t_ns, RELAX, worker, arc, vertex, np.float64(reached))
    if reached < current:
        note_improved(arrays, s, to, current)
        arrays.dist[to] = reached
        s.improved += 1
        record(arrays.log, s.t_ns, IMPROVE, worker, to, arc, np.float64(arrays.dist[to]))
        return True
    if current == s.unreached:
        s.overflowed = 1
    return False


@compiled_inline
def charge_split(s):  # type: ignore[no-untyped-def]
    """Charge one look at every item of far: by one block, or between two barriers by all."""
    if s.far_items <= SPLIT_ALONE and not s.wide:
        s.t_ns += s.alone_ns + np.ceil(s.far_items / s.lanes) * s.round_ns
        return
    rounds = np.ceil(s.far_items / (s.lanes * s.workers))
    s.t_ns += 2.0 * s.superstep_ns + rounds * s.round_ns


@compiled_part
def write_sample(arrays, s, sample):  # type: ignore[no-untyped-def]
    """Fill one SAMPLE at the start of a superstep; flags start again from here."""
    busy = min(s.workers, np.int64(np.ceil(s.near * s.mean_degree / s.lanes)))
    fill_sample(s, arrays.log, sample, s.near, busy)
    sample.occupancy[0] = s.near
    sample.occupancy[1] = s.waiting
