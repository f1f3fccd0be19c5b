"""Why Δ changed: every decision of a run with its reason and the numbers behind it.

A decision shows in the samples as a change of Δ or of the number of open head buckets. Its numbers
are those of the sample that first carries it. Of two decisions between two samples the later one's
reason is given. Also here: how a run that a person steered did against the controller's own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gpu.record.trace import REASON_WORDS, Flag, Reason
from gpu.words import percent, short, time_words
from viewer.models.session import RunRecord


@dataclass(frozen=True)
class Decision:
    """One change of Δ or of the open heads.

    sample : its number in the trace              t_ns : on the run's clock
    before, after : Δ, weight units               heads_before, heads : open head buckets
    changes : changes of Δ since the sample before (1 unless some were missed)
    assigned : edges assigned at that moment      band : (low, high), edges
    clip_share : 0..1
    """

    sample: int
    t_ns: float
    before: float
    after: float
    heads_before: int
    heads: int
    changes: int
    reason: Reason
    assigned: float
    band: tuple[float, float]
    clip_share: float

    @property
    def what(self) -> str:
        """What changed: "Δ 8 → 16", "open 2 → 3"."""
        parts = []
        if self.after != self.before:
            parts.append(f"Δ {short(self.before)} → {short(self.after)}")
        if self.heads != self.heads_before:
            parts.append(f"open {self.heads_before} → {self.heads}")
        more = f" ({self.changes} steps)" if self.changes > 1 else ""
        return ", ".join(parts) + more

    @property
    def why(self) -> str:
        """Say why, with the numbers."""
        words = REASON_WORDS[self.reason]
        if self.reason == Reason.CLIPPING:
            return f"{words}: {percent(self.clip_share)} of the pushes"
        if self.reason == Reason.BY_HAND or not self.band[1]:
            return words
        low, high = (short(edge) for edge in self.band)
        return f"{words}: {short(self.assigned)} edges assigned, aimed for {low} to {high}"


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
    return Decision(
        offset + k,
        float(now["t_ns"]),
        float(before["delta"]),
        float(now["delta"]),
        int(before["open_buckets"]),
        int(now["open_buckets"]),
        int(now["delta_changes"]) - int(before["delta_changes"]),
        Reason(int(now["reason"])),
        float(now["assigned_edges"]),
        (float(now["band_low"]), float(now["band_high"])),
        float(now["clip_share"]),
    )


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
