"""What is true of a vertex at the cursor, or at an event: in words, and as colours and labels.

With per-vertex times (probe level 2) a vertex is not reached yet, tentative (reached, and improved
once more later) or settled. A tentative distance of the past is kept at level 3 only; below it, the
words say that it is above the final one. While a run goes on, the distance is the one so far.
Without times there is the outcome, and no past.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np

from gpu.record.trace import reached_mask
from gpu.words import distance, in_sight, short, time_number, time_unit
from viewer.graph.colours import Look, Moment, beyond, delta_at, farthest
from viewer.models.session import RunRecord
from viewer.raster.raster import LEVELS, Colouring

State = Literal["waiting", "tentative", "settled", "so far", "known", "unreached"]


def state_at(record: RunRecord, vertex: int, moment: Moment) -> State:
    """Return what is known of a vertex at a moment.

    waiting : reached later than that; so far : reached, in a run that goes on or was stopped;
    known : there are no times; unreached : by this run, or by this run so far
    """
    dist, times = record.dist, record.vertices
    if dist is None or not reached_mask(dist[vertex : vertex + 1])[0]:
        return "unreached"
    live = record.running and moment.following
    if times is None or live:
        return "so far" if record.running else "known"
    if not 0 <= times.first_reached_ns[vertex] <= moment.cursor_ns:
        return "waiting"
    if times.last_improved_ns[vertex] > moment.cursor_ns:
        return "tentative"
    return "so far" if record.unfinished else "settled"


def vertex_words(
    record: RunRecord | None, vertex: int, name: int | str, n: int, moment: Moment
) -> str:
    """Return "vertex 17 · distance 42 · bucket 3 · processed 2 times", as far as known.

    At a moment before it was reached: "vertex 17 · not reached yet at 0.42 ms · final
    distance 123".
    """
    words = [f"vertex {in_sight(str(name))}"]
    dist = record.dist if record is not None else None
    if record is None or dist is None or len(dist) != n:
        return words[0]
    state = state_at(record, vertex, moment)
    if state == "unreached":
        return f"{words[0]} · unreached{' so far' if record.running else ''}"
    value = dist[vertex]
    number = f"{value:,}" if dist.dtype.kind == "i" else f"{value:g}"
    whole = moment.cursor_ns >= moment.duration_ns and not record.running
    final = record.named("distance")
    if state in ("waiting", "tentative"):
        now = "not reached yet" if state == "waiting" else "tentative"
        words += [f"{now} at {_time(moment)}", f"{final} {number}"]
    else:
        words.append(f"{'distance' if state != 'so far' else final} {number}")
        if state == "settled" and not whole and record.vertices is not None:
            since = float(record.vertices.last_improved_ns[vertex])
            words.append(f"settled at {_time(moment, since)}")
    delta = delta_at(record, moment.cursor_ns)
    if delta is not None and state != "waiting":
        words.append(f"bucket {int(value / delta)}")
    if record.vertices is not None:
        times = int(record.vertices.times_processed[vertex])
        count = "once" if times == 1 else f"{times} times"
        words.append(f"processed {count}{'' if whole or record.running else ' in all'}")
    return " · ".join(words)


def distance_labels(record: RunRecord, vertices: list[int], moment: Moment) -> dict[int, str]:
    """Return what stands under each disc: a distance, "47 later" while tentative, "∞"."""
    dist, labels = record.dist, {}
    for vertex in vertices if dist is not None else []:
        value = short(float(dist[vertex])) if dist is not None else ""
        words = {"tentative": f"{value} later", "unreached": "∞", "waiting": "∞"}
        labels[vertex] = words.get(state_at(record, vertex, moment), value)
    return labels


def _time(moment: Moment, time_ns: float | None = None) -> str:
    unit = time_unit(max(moment.duration_ns, 1.0))
    when = moment.cursor_ns if time_ns is None else time_ns
    return f"{time_number(when, unit, like_ns=moment.duration_ns)} {unit.word}"


class Tentative(NamedTuple):
    """What holds at an event."""

    dist: np.ndarray  # float64 (n,), inf where unreached
    note: str  # what is said of it
    processed: np.ndarray | None = None  # int64 (n,), times so far; None where nobody counted
    look: Look | None = None  # in place of the run's


def tentative(look: Look, now: Tentative) -> Look:
    """Return a look by distance, or by times processed, for those; other looks as they are."""
    if now.look is not None:
        return now.look
    if look.colouring.kind == "count" and now.processed is not None:
        counts = now.processed.astype(np.int32)
        counted = replace(look.colouring, values=counts, cursor=np.inf)
        legend = replace(look.legend, note="so far, at this event")
        return replace(look, colouring=counted, legend=legend)
    if look.colouring.kind != "distance":
        return look
    colouring = Colouring("distance", now.dist.astype(np.float32), unit=look.colouring.unit)
    legend, top = replace(look.legend, note=now.note), look.colouring.unit * LEVELS
    if legend.ticks and farthest(now.dist) > top * (1 + 1e-9):
        legend = replace(legend, ticks=beyond(legend.ticks, top))
    return replace(look, colouring=colouring, legend=legend)


def tentative_labels(dist: np.ndarray, vertices: list[int]) -> dict[int, str]:
    """Return each vertex's distance in words, "∞" where it is unreached."""
    return {vertex: distance(float(dist[vertex])) for vertex in vertices}
