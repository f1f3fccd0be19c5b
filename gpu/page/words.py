"""What stands around a run: its title, what it ran on, what came of it."""

from __future__ import annotations

from gpu.algorithms import find
from gpu.record.trace import Flag, Trace, Verification
from gpu.words import NOT_KNOWN, from_words, in_sight, percent, thousands, time_unit, time_words


def title_words(trace: Trace) -> str:
    """Return "ADDS on City roads from 24711"."""
    count = len(trace.dist) if trace.dist.ndim == 2 else 1
    begun = from_words(trace.graph.source_id, count, trace.graph.n)
    return f"{find(trace.settings.algorithm).title} on {trace.graph.name} {begun}"


def pair_title_words(a: Trace, b: Trace) -> str:
    """Return "ADDS and Near-Far on City roads"."""
    names = f"{find(a.settings.algorithm).title} and {find(b.settings.algorithm).title}"
    return f"{names} on {a.graph.name}"


def subtitle_words(trace: Trace) -> str:
    """Return device, clock, probe level and size of the graph in one line."""
    settings = trace.settings
    bucketed = f" · {_delta_words(trace)}" if find(settings.algorithm).bucketed else ""
    return (
        f"{in_sight(settings.device)} ({settings.engine} engine) · {trace.clock} time"
        f" · probe level {settings.probe}{bucketed}"
        f" · {thousands(trace.graph.n)} vertices, {thousands(trace.graph.m)} edges"
    )


def _delta_words(trace: Trace) -> str:
    if (trace.samples["flags"] & int(Flag.DELTA_BY_HAND)).any():
        return "Δ driven by hand"
    delta = trace.settings.delta
    return "automatic Δ" if delta is None else f"Δ = {delta:g}"


def totals_words(trace: Trace) -> str:
    """Return the run's totals, and what was proved, if a proof was asked for."""
    work, share = f" · work {NOT_KNOWN}", ""
    if trace.counted:
        work = (
            f" · {thousands(trace.processed_vertices)} vertices processed"
            f" · {thousands(trace.relaxed_edges)} edges relaxed"
        )
        share = f" · work efficiency {percent(trace.work_efficiency)}"
    proof = verified_words(trace)
    return (
        f"{time_words(trace.time_ns)} {trace.clock}{work}"
        f" · {thousands(trace.reached)} reached{share}{f' · {proof}' if proof else ''}"
    )


def notes_words(trace: Trace) -> str:
    """Return the notes at moments of a run, "" where there are none."""
    unit = time_unit(trace.time_ns)
    said = sorted((one.t_ns, one.text) for one in trace.notes if one.t_ns is not None)
    return "; ".join(f"note at {time_words(when, unit)}: {text}" for when, text in said)


def verified_words(trace: Trace) -> str:
    """Return what was proved of a run, "" where no proof was asked for."""
    if trace.outcome == "stopped":
        return "stopped early, not verified"
    if trace.verification is None:
        return ""
    return proof_words(trace.verification, trace.dist.ndim == 2)


def proof_words(proofs: Verification, matrix: bool) -> str:
    """Return the outcome of proofs with its sign; of a matrix also of which rows."""
    named = {"Dijkstra": proofs.oracle, "certificate": proofs.certificate}
    failed = [name for name, held in named.items() if held is False]
    if failed:
        return f"✗ wrong: fails against {' and '.join(failed)}"
    if not proofs.passed:
        return "not verified"
    if matrix:
        return f"✓ {proofs.detail}"
    held = [how for how, one in zip(_HOW, named.values(), strict=True) if one]
    return f"✓ verified {' and '.join(held)}"


_HOW = ("against Dijkstra", "by certificate")
