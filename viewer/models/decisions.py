"""Why Δ changed: every decision of a run with its reason and the numbers behind it.

A decision shows in the samples as a change of Δ or of the open head buckets. Of two between two
samples the later one's reason is given.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gpu.delta import band
from gpu.record.trace import REASON_WORDS, Flag, Reason
from gpu.words import mean, percent, time_words
from viewer.models.session import RunRecord

SETTLED = 8  # samples after the last decision, at least, before it is said why Δ stays


@dataclass(frozen=True)
class Decision:
    """One change of Δ or of the open heads; the numbers are those of the sample that shows it.

    sample : its number in the trace      t_ns : on the run's clock
    before, after : Δ, weight units       changes : of Δ since the sample before
    """

    sample: int
    t_ns: float
    before: float
    after: float
    changes: int
    reason: Reason
    what: str
    why: str


def decisions(samples: np.ndarray, first: int = 0) -> list[Decision]:
    """Return the decisions among samples [first, ...), oldest first; SAMPLE (k,)."""
    start = max(first, 1)
    if start >= len(samples):
        return []
    part = samples[start - 1 :]
    delta, heads = part["delta"], part["open_buckets"]
    same_heads = part["reason"][1:] == part["reason"][:-1]  # heads also close as work ends
    moved = (delta[1:] != delta[:-1]) | ((heads[1:] != heads[:-1]) & ~same_heads)
    return [_decision(part, int(k) + 1, start - 1) for k in np.flatnonzero(moved)]


def _decision(part: np.ndarray, k: int, offset: int) -> Decision:
    before, now = part[k - 1], part[k]
    old, new = float(before["delta"]), float(now["delta"])
    changes = int(now["delta_changes"]) - int(before["delta_changes"])
    what = [f"Δ {mean(old)} → {mean(new)}"] if new != old else []
    if now["open_buckets"] != before["open_buckets"]:
        what.append(f"open {before['open_buckets']} → {now['open_buckets']}")
    steps = f" ({changes} steps)" if changes > 1 else ""
    reason = Reason(int(now["reason"]))
    why = REASON_WORDS[reason]
    if reason == Reason.CLIPPING:
        why += f": {percent(float(now['clip_share']))} of the pushes"
    elif reason != Reason.BY_HAND and now["band_high"]:
        why += f": {_edges(now['assigned_edges'])} assigned, {_aim(now)}"
    at, t_ns = offset + k, float(now["t_ns"])
    return Decision(at, t_ns, old, new, changes, reason, ", ".join(what) + steps, why)


def staying(samples: np.ndarray, degree: float) -> tuple[float, str, str] | None:
    """Return when, what and why Δ stays as it is after the last decision; None without a band.

    As in `gpu.delta.decide`, both readings must agree before anything changes: the edges in hand,
    and those with what waits in the open buckets. `degree` : the mean degree, edges
    """
    made = decisions(samples)
    part = samples[made[-1].sample if made else 0 :]
    now = part[-1] if len(part) else None
    if now is None or len(part) < SETTLED or not now["band_high"]:
        return None
    if int(now["flags"]) & int(Flag.DELTA_BY_HAND):
        return None
    low, low_all, high, high_all = band(degree)
    in_hand = float(part["assigned_edges"].mean())
    opened = np.arange(part["occupancy"].shape[1]) < part["open_buckets"][:, None]
    waiting = degree * float((part["occupancy"] * opened).sum(axis=1).mean())
    total = in_hand + waiting
    why = f"{_edges(in_hand)} in hand since then, {_aim(now)}"
    limit = "it is at its limit, or just changed"
    if in_hand < now["band_low"] and total >= now["band_low"] * low_all / low:
        why += f", but {_edges(waiting)} wait in the open buckets: more would not help"
    elif in_hand < now["band_low"]:
        why += f", and Δ was not raised: {limit}"
    elif in_hand > now["band_high"] and total <= now["band_high"] * high_all / high:
        why += f", and only {_edges(waiting)} more wait: less would starve them"
    elif in_hand > now["band_high"]:
        why += f", and Δ was not lowered: {limit}"
    else:
        why += ": as many as wanted"
    return float(part[1]["t_ns"]), f"Δ stays {mean(float(now['delta']))}", why


def _edges(count: float) -> str:
    return f"{float(count):,.0f} edges"


def _aim(sample: np.void) -> str:
    return f"{sample['band_low']:,.0f} to {sample['band_high']:,.0f} wanted"


def by_hand(record: RunRecord) -> bool:
    """Whether a person held Δ at some moment of this run."""
    flags = record.samples["flags"]
    return bool((flags & int(Flag.DELTA_BY_HAND)).any())


def rivals(record: RunRecord, runs: list[RunRecord]) -> tuple[RunRecord, RunRecord] | None:
    """Return (steered, the controller's own): this run and the newest other of the same kind.

    Both asked for the same on the same graph and finished; None where there is no such pair.
    """
    settings, steered = replace(record.settings, probe=0), by_hand(record)
    for other in reversed(runs):
        same = replace(other.settings, probe=0) == settings
        same_graph = other.graph_reference.hash == record.graph_reference.hash
        if same and same_graph and other.state == "finished" and by_hand(other) != steered:
            return (record, other) if steered else (other, record)
    return None


def score_words(record: RunRecord, own: RunRecord) -> str:
    """Compare a steered run with the controller's, both finished, on one clock."""
    mine, its = record.trace, own.trace
    if mine is None or its is None or mine.outcome != "finished" or mine.clock != its.clock:
        return ""
    if not (mine.counted and its.counted):
        return ""
    time, work = mine.time_ns / its.time_ns, mine.processed_vertices / its.processed_vertices
    verdict = "You beat the controller" if time < 1 else "The controller was faster"
    if abs(time - 1) < 0.005:
        verdict = "A draw"
    return (
        f"{verdict}: {time_words(mine.time_ns)} against {time_words(its.time_ns)} "
        f"({mine.clock}), {time:.2f}x the time with {work:.2f}x the work."
    )
