"""Recordings: what is packed comes back, and what the program ships is what it says."""

from pathlib import Path

import numpy as np
import pytest
import record_start as script
from record_start import MOST_TICKS, POSITION_STEPS, _ticks, save_recording

from gpu.engine import run_named as run
from gpu.proof.verify import verify
from gpu.record.recording import Recording, _nanoseconds, load_recording
from gpu.record.trace import RECORDED_ON, Trace
from sample_graphs import make, open_sample, remembered_reference


@pytest.fixture(scope="module")
def pair() -> list[Trace]:
    graph = make("grid", n=400)
    kinds = (("adds", 2), ("near_far", 2), ("adds", 0))
    return [run(graph, algorithm, "model", 3, probe=probe) for algorithm, probe in kinds]


def packed(runs: list[Trace], folder: Path) -> Recording:
    positions = make("grid", n=400).positions
    save_recording(runs, positions, folder / "pair.npz")
    return load_recording(folder / "pair.npz")


def test_what_a_start_needs_comes_back(pair: list[Trace], tmp_path: Path) -> None:
    found = packed(pair, tmp_path)
    assert found.graph == pair[0].graph
    for before, after in zip(pair, found.runs, strict=True):
        assert after.settings == before.settings
        assert after.environment == before.environment
        assert np.array_equal(after.samples, before.samples)
        assert np.array_equal(after.dist, before.dist)


def test_times_are_kept_to_a_tick_and_places_to_a_step(pair: list[Trace], tmp_path: Path) -> None:
    found = packed(pair, tmp_path)
    assert found.tick_ns * MOST_TICKS >= max(trace.time_ns for trace in pair)
    for before, after in zip(pair[:2], found.runs[:2], strict=True):
        for name in ("first_reached_ns", "last_improved_ns"):
            late = getattr(before.vertices, name) - getattr(after.vertices, name)
            assert ((late >= 0) & (late < found.tick_ns)).all()
        assert np.array_equal(after.vertices.times_processed, before.vertices.times_processed)
    assert found.runs[2].vertices is None
    positions = make("grid", n=400).positions
    step = np.ptp(positions, axis=0).max() / POSITION_STEPS
    assert np.abs(found.positions - positions).max() <= 0.51 * step


def test_decimal_distances_come_back_bit_for_bit(tmp_path: Path) -> None:
    graph = make("grid", n=49, weights="float")
    trace = run(graph, "near_far", "model", 3, probe=2)
    save_recording([trace], graph.positions, tmp_path / "one.npz")
    (back,) = load_recording(tmp_path / "one.npz").runs
    assert back.dist.dtype == trace.dist.dtype
    assert back.dist.tobytes() == trace.dist.tobytes()
    assert back.vertices.first_reached_ns[3] == 0  # the source; -1 is never
    times = np.array([-1, 0, 3, 4, 9])
    assert _nanoseconds(_ticks(times, 4), 4).tolist() == [-1, 0, 0, 4, 8]


@pytest.mark.parametrize("name", script.STARTS)
def test_a_shipped_pair_was_measured_and_is_right(name: str) -> None:
    """The graph of its name and seed is that of the runs, and their distances are its."""
    recording = load_recording(script.TARGET / f"{name}.npz")
    kept = recording.graph
    graph = open_sample(remembered_reference(kept.origin, kept.options))
    assert graph.hash == recording.graph.hash
    assert [trace.settings.algorithm for trace in recording.runs[:2]] == [*script.ALGORITHMS]
    for trace in recording.runs:
        assert trace.clock == "measured"
        assert trace.environment[RECORDED_ON] == "NVIDIA H100"
        assert verify(graph, trace.settings.source, trace.dist).passed
    assert np.abs(recording.positions - graph.positions).max() < np.ptp(graph.positions) / 1e4
