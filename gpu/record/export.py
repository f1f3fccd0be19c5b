"""A trace for other programs: one JSON object, a CSV of samples, a Perfetto trace.

The JSON object (`summary`) is what `sssp-scope run --json` prints and what goes beside
every picture. It carries the clock and the probe level, without which a time is worth
nothing, and keeps integer distances exact.

The Perfetto file is Chrome's trace-event JSON [1]: open it in Perfetto or
about:tracing. Its time axis counts microseconds whatever the clock, so the process name
says `modelled` or `measured`.

[1] "Trace Event Format", the Chromium project: phases C (counter), X (slice), i (instant),
    M (metadata).
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np

from gpu.algorithms import ALGORITHMS
from gpu.errors import GpuError
from gpu.files import written_whole
from gpu.graph import CSRGraph
from gpu.record.trace import (
    BUCKETS,
    REASON_WORDS,
    SAMPLE,
    Flag,
    Probe,
    Reason,
    Trace,
    reached_mask,
)
from gpu.record.tracefile import plain

CHUNK = 100_000  # rows of distances turned into text at a time
FORMULA = re.compile("'*[=+\\-@\t\r\uff1d\uff0b\uff0d\uff20]")
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")

_NAMED = {  # columns whose field's name does not say its unit
    "improved": "improved_distances",
    "delta": "delta_weight_units",
    "base": "base_weight_units",
    "band_low": "band_low_edges",
    "band_high": "band_high_edges",
    "clip_share": "clip_share_0_to_1",
}
_SKIPPED = ("occupancy", "reserved", "flags", "reason")  # written as words, or not at all
_COUNTERS: tuple[tuple[str, str], ...] = (
    ("delta", "Δ (weight units)"),
    ("assigned_vertices", "assigned vertices"),
    ("assigned_edges", "assigned edges (parallelism)"),
    ("busy_workers", "busy workers"),
    ("open_buckets", "open buckets"),
    ("processed_vertices", "processed vertices (total)"),
    ("relaxed_edges", "relaxed edges (total)"),
    ("improved", "improved (total)"),
)
_MANAGER, _HEAD = 1, 2  # thread numbers in the Perfetto file


def summary(trace: Trace) -> dict[str, Any]:
    """Return a run as one JSON-ready object; integers stay exact, NaN and inf become None.

    What the run did not count is None too.
    """
    settings, last = trace.settings, trace.last
    names = ("delta_changes", "bucket_switches", "processed_vertices", "relaxed_edges", "improved")
    counts = {name: int(last[name]) if trace.counted else None for name in names}
    delta, delta_final = _deltas(trace)
    verification = trace.verification
    return {
        "algorithm": settings.algorithm,
        "engine": settings.engine,
        "device": settings.device,
        "clock": trace.clock,
        "time_ns": trace.time_ns,
        "probe": settings.probe,
        "numbers": str(trace.dist.dtype),
        "outcome": trace.outcome,
        "delta": delta,
        "delta_final": delta_final,
        **counts,
        "work_efficiency": trace.work_efficiency if trace.counted else None,
        "verified": None if verification is None else verification.passed,
        "verification": None if verification is None else plain(_fields(verification)),
        "distances": plain(trace.distance_summary()),
        "graph": plain(_fields(trace.graph)),
        "source": {"id": trace.graph.source_id, "index": settings.source},
        "parameters": plain(settings.parameters),
        "seed": settings.seed,
        "samples": len(trace.samples),
        "environment": plain(trace.environment),
    }


def write_csv(trace: Trace, path: str | Path) -> None:
    """Write the samples as CSV, one row each: every field of SAMPLE, flags and reasons in words.

    Columns `clock` and `probe` repeat on every row, so that a row cut out still says them.
    """
    with written_whole(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(sample_header())
        rows.writerows(sample_rows(trace))
        text.flush()
        text.detach()


def sample_header() -> list[str]:
    """Return the columns of `sample_rows`; where a field's name lacks its unit, with it."""
    names = [_NAMED.get(name, name) for name in SAMPLE.names or () if name not in _SKIPPED]
    boxes = [f"occupancy_{i}_vertices" for i in range(BUCKETS)]
    return [*names, "reason", "flags", *boxes, "clock", "probe"]


def sample_rows(trace: Trace) -> Iterator[list[Any]]:
    """Yield one row of `write_csv` for each sample."""
    names = [name for name in SAMPLE.names or () if name not in _SKIPPED]
    kept = [trace.clock, trace.settings.probe]
    for sample in trace.samples:
        row = [sample[name].item() for name in names]
        words = [reason_words(int(sample["reason"])), flag_words(int(sample["flags"]))]
        yield [*row, *words, *sample["occupancy"].tolist(), *kept]


def write_distances(graph: CSRGraph, dist: np.ndarray, path: str | Path) -> None:
    """Write columns id,distance, one row a vertex; an unreached vertex has no distance.

    dist : (n,); written with the shortest digits that read back the same
    An id that a spreadsheet would compute is written as `safe_id` says.

    Raises GpuError where it is a matrix, or cannot be written.
    """
    if dist.ndim != 1:
        raise GpuError(
            f"distances from {len(dist):,} sources are a matrix, not a column: "
            "write them with sssp-scope apsp FILE -o matrix.npy"
        )
    with written_whole(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        rows = csv.writer(text, lineterminator="\n", quoting=_quoting(graph.ids))
        rows.writerow(["id", "distance"])
        texts = graph.ids is not None and graph.ids.dtype.kind == "U"
        for begin in range(0, graph.n, CHUNK):
            part = slice(begin, min(begin + CHUNK, graph.n))
            ids = np.arange(part.start, part.stop) + graph.id_base
            names = (ids if graph.ids is None else graph.ids[part]).tolist()
            names = list(map(safe_id, names)) if texts else names
            values = np.where(reached_mask(dist[part]), dist[part].astype(str), "")
            rows.writerows(zip(names, values.tolist(), strict=True))
        text.flush()
        text.detach()


def safe_id(name: str) -> str:
    """Return an id as text for a spreadsheet: a quote is put before what looks like a formula.

    `'` is put before an id with `'` before a formula too, so that two ids stay two. Numbers such as
    -1 and +2.5 stay as they are.
    """
    return f"'{name}" if FORMULA.match(name) and not NUMBER.fullmatch(name) else name


def _quoting(ids: np.ndarray | None) -> Literal[0, 1]:
    """Return which cells stand in quotes: all where an id holds a return, which csv leaves bare."""
    if ids is None or ids.dtype.kind != "U":
        return csv.QUOTE_MINIMAL
    return csv.QUOTE_ALL if (np.char.find(ids, "\r") >= 0).any() else csv.QUOTE_MINIMAL


def write_perfetto(trace: Trace, path: str | Path) -> None:
    """Write Chrome's trace-event JSON: counters, Δ changes, one slice a head bucket."""
    settings = trace.settings
    about = {"clock": trace.clock, "probe": Probe(settings.probe).name.lower()}
    about |= {"algorithm": settings.algorithm, "engine": settings.engine, "device": settings.device}
    about |= {"graph": trace.graph.name, "outcome": trace.outcome}
    with written_whole(path) as file:
        file.write(b'{"displayTimeUnit": "ns",\n"otherData": ')
        file.write(json.dumps(about, ensure_ascii=False).encode())
        file.write(b',\n"traceEvents": [')
        comma = b"\n"
        for event in perfetto_events(trace):
            file.write(comma + json.dumps(event, ensure_ascii=False).encode())
            comma = b",\n"
        file.write(b"\n]}\n")


def perfetto_events(trace: Trace) -> Iterator[dict[str, Any]]:
    """Yield the trace events of a run, `ts` in microseconds of the trace's own clock."""
    settings = trace.settings
    title = (
        f"{settings.algorithm} on {settings.device} ({trace.clock} time, probe {settings.probe})"
    )
    yield _metadata("process_name", 0, title)
    yield _metadata("thread_name", _MANAGER, "manager: Δ changes and bucket switches")
    yield _metadata("thread_name", _HEAD, "head bucket")
    yield from _counter_events(trace.samples)
    yield from _change_events(trace.samples)
    if settings.algorithm not in ALGORITHMS or ALGORITHMS[settings.algorithm].bucketed:
        yield from _bucket_slices(trace.samples)


def reason_words(reason: int) -> str:
    """Return a reason in words; a number that this version does not know stays a number."""
    try:
        return REASON_WORDS[Reason(reason)]
    except ValueError:
        return f"reason {reason}"


def flag_words(flags: int) -> str:
    """Return flags as lower-case words joined by `|`, empty where none is set."""
    return "|".join(flag.name.lower() for flag in Flag if flag & flags and flag.name)


def _deltas(trace: Trace) -> tuple[float | None, float | None]:
    """Return Δ at the start (given, or what the engine chose) and at the end."""
    row = ALGORITHMS.get(trace.settings.algorithm)
    if row is not None and not row.bucketed:
        return None, None
    delta = trace.settings.delta
    first = float(trace.samples[0]["delta"]) if delta is None else float(delta)
    return plain(first), plain(float(trace.last["delta"]))


def _fields(record: Any) -> dict[str, Any]:
    return {key: getattr(record, key) for key in record.__dataclass_fields__}


def _metadata(kind: str, thread: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "pid": 1, "tid": thread, "name": kind, "args": {"name": name}}


def _counter_events(samples: np.ndarray) -> Iterator[dict[str, Any]]:
    """Yield a counter event wherever a value differs from the sample before."""
    times = (samples["t_ns"] / 1000).tolist()
    tracks = [("waiting vertices", samples["occupancy"].sum(axis=1, dtype=np.int64))]
    tracks += [(title, samples[field]) for field, title in _COUNTERS]
    for title, values in tracks:
        changed = np.ones(len(values), bool)
        changed[1:-1] = values[1:-1] != values[:-2]
        for i in np.flatnonzero(changed & np.isfinite(values)).tolist():
            args = {"value": values[i].item()}
            yield {"ph": "C", "pid": 1, "ts": times[i], "name": title, "args": args}


def _change_events(samples: np.ndarray) -> Iterator[dict[str, Any]]:
    """Yield an instant for every sample in which Δ, the open heads or the head changed."""
    changes = Flag.DELTA_RAISED | Flag.DELTA_LOWERED | Flag.DELTA_BY_HAND | Flag.BUCKET_SWITCHED
    heads = np.diff(samples["open_buckets"], prepend=samples["open_buckets"][:1]) != 0
    for i in np.flatnonzero((samples["flags"] & changes != 0) | heads).tolist():
        sample, before = samples[i], samples[max(i - 1, 0)]
        args: dict[str, Any] = {"head_bucket": int(sample["head_bucket"])}
        name = f"head is bucket {int(sample['head_bucket'])}"
        if sample["delta"] != before["delta"] or heads[i]:
            name = reason_words(int(sample["reason"]))
            args |= {"delta_before": plain(before["delta"]), "delta": plain(sample["delta"])}
            args |= {"reason": name, "open_buckets": int(sample["open_buckets"])}
        args["flags"] = flag_words(int(sample["flags"]))
        when = float(sample["t_ns"]) / 1000
        yield {"ph": "i", "s": "t", "pid": 1, "tid": _MANAGER, "ts": when, "name": name} | {
            "args": args
        }


def _bucket_slices(samples: np.ndarray) -> Iterator[dict[str, Any]]:
    """Yield one slice for each stretch of samples with the same head bucket."""
    before = samples["head_bucket"][0] - 1
    starts = np.flatnonzero(np.diff(samples["head_bucket"], prepend=before)).tolist()
    ends = [*starts[1:], len(samples) - 1]
    for start, end in zip(starts, ends, strict=True):
        begin, stop = float(samples["t_ns"][start]) / 1000, float(samples["t_ns"][end]) / 1000
        name = f"bucket {int(samples['head_bucket'][start])}"
        args = {"base": plain(samples["base"][start]), "delta": plain(samples["delta"][start])}
        yield {"ph": "X", "pid": 1, "tid": _HEAD, "ts": begin, "dur": stop - begin} | {
            "name": name,
            "args": args,
        }
