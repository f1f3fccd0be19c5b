"""A run in words: its state, its proofs, what holds at the cursor and between the two marks.

ADDS on city_roads from 1, paused at 0.420 of 1.008 ms (modelled), Δ = 16, 37 % settled
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpu.page.words import proof_words
from gpu.study.interval import Interval, interval, table, words
from gpu.words import TimeUnit, percent, short, thousands, time_number, time_unit, time_words
from viewer.common.glossary import capital
from viewer.models.comparison import ComparisonModel, side_of
from viewer.models.playback import PlaybackModel
from viewer.models.session import RunRecord, SessionModel

FINEST = 1000  # parts of the time shown that the numbers can tell apart
SAMPLED = 500_000  # vertices looked at, evenly, for a share


def run_words(record: RunRecord, playback: PlaybackModel) -> str:
    """Return algorithm, form, graph, time, Δ and settled share at the cursor as one sentence."""
    unit = time_unit(playback.duration_ns)
    now, whole = time_pair(playback.cursor_ns, playback.duration_ns)
    doing = "playing" if playback.playing else "paused"
    doing = "following the run" if playback.following else doing
    words = [record.title, f"{doing} at {now} of {whole} {unit.word} ({record.clock_words})"]
    if len(record.samples):
        sample = record.samples[max(playback.sample_index, 0)]
        if record.algorithm.bucketed and sample["delta"] > 0:
            words.append(f"Δ = {short(float(sample['delta']))}")
        share = share_at(record, playback.cursor_ns)
        if share is None:
            words.append(f"{thousands(int(sample['processed_vertices']))} vertices processed")
        else:
            words.append(f"{percent(share)} {'reached' if record.running else 'settled'}")
    return ", ".join(words)


def share_at(record: RunRecord, cursor_ns: float) -> float | None:
    """Return the share settled (while it runs: reached) at a moment, None where not known."""
    times = record.vertices
    if times is None or not len(times.first_reached_ns):
        return None
    step = max(1, len(times.first_reached_ns) // SAMPLED)
    first = times.first_reached_ns[::step]
    if record.running:
        return float(np.count_nonzero((first >= 0) & (first <= cursor_ns))) / len(first)
    last = times.last_improved_ns[::step]
    reached = int(np.count_nonzero(first >= 0))
    return float(np.count_nonzero((last >= 0) & (last <= cursor_ns))) / max(reached, 1)


def time_pair(
    cursor_ns: float, duration_ns: float, shown_ns: float | None = None
) -> tuple[str, str]:
    """Return cursor and length as numbers of one unit; a short `shown_ns` gives more decimals."""
    unit = time_unit(duration_ns)
    finest = (duration_ns if shown_ns is None else shown_ns) / FINEST
    return (
        time_number(cursor_ns, unit, finest, duration_ns),
        time_number(duration_ns, unit, finest, duration_ns),
    )


def state_words(record: RunRecord) -> str:
    """Return the state of a run in a few words; of a recording, where it was made."""
    if record.recorded_on:
        return f"Recorded on an {record.recorded_on}: {record.title}"
    alone = record.state == "finished" and record.reached == 1 < record.graph_reference.n
    more = ", which reaches no other vertex" if alone else ""
    return f"{capital(record.state)}: {record.title}{more}"


def verified_words(record: RunRecord | None) -> tuple[str, str]:
    """Return what is known of a run's correctness, and the theme's colour for it."""
    if record is None or record.state in ("running", "failed"):
        return "", "muted"
    if record.state == "stopped":
        return "not verified: stopped", "muted"
    proofs = record.verification
    if proofs is None:
        return "verifying…" if record.proofs_come else "not verified", "muted"
    failed = False in (proofs.oracle, proofs.certificate)
    colour = "success" if proofs.passed else "error" if failed else "muted"
    return proof_words(proofs, record.is_matrix), colour


@dataclass(frozen=True)
class Readout:
    """The two ends, ns, in the timeline's unit, and the numbers between them."""

    ends: tuple[float, float]
    unit: TimeUnit
    a: Interval
    b: Interval | None

    def rows(self) -> list[tuple[str, tuple[str, ...]]]:
        """Return rows (name, values in words in the order of QUANTITIES)."""
        return table(self.a, self.b)

    @property
    def words(self) -> str:
        """All of it as a sentence."""
        first, last = (time_words(end, self.unit) for end in self.ends)
        return f"Between {first} and {last}: {words(self.a, self.b)}"


def readout(
    session: SessionModel, playback: PlaybackModel, pair: ComparisonModel | None = None
) -> Readout | None:
    """Return what is measured now; None where no mark is set or there is no run."""
    run, ends = session.current, playback.measure.ends(playback.cursor_ns)
    if run is None or ends is None or not len(run.samples):
        return None
    unit = time_unit(playback.duration_ns)
    sides = pair.sides() if pair is not None else None
    a, *b = sides or (side_of(run),)
    return Readout(ends, unit, interval(a, *ends), interval(b[0], *ends) if b else None)
