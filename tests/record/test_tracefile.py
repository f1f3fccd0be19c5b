"""A trace comes back from disk as it was; whatever else is in the file is refused in one line."""

import io
import json
import os
import zipfile
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hand_made import small_trace
from hypothesis import HealthCheck, given, settings, strategies as st

from gpu.errors import TraceError
from gpu.record.assembly import check_samples
from gpu.record.disorder import distance_error
from gpu.record.trace import EVENT, SAMPLE, Trace
from gpu.record.tracefile import load_trace, save_trace
from gpu.record.workspace import recognised


def same(left: Trace, right: Trace) -> bool:
    """Whether two traces agree in every field, arrays byte for byte."""
    assert left.settings == right.settings
    assert left.graph == right.graph
    assert (left.clock, left.outcome) == (right.clock, right.outcome)
    assert left.environment == right.environment
    assert left.verification == right.verification
    assert left.samples.tobytes() == right.samples.tobytes()
    assert left.dist.dtype == right.dist.dtype
    np.testing.assert_array_equal(left.dist, right.dist)
    assert (left.vertices is None) == (right.vertices is None)
    if left.vertices is not None and right.vertices is not None:
        for name in ("first_reached_ns", "last_improved_ns", "times_processed"):
            np.testing.assert_array_equal(
                getattr(left.vertices, name), getattr(right.vertices, name)
            )
    assert (left.events is None) == (right.events is None)
    return True


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("probe", [0, 2])
def test_round_trip(tmp_path: Path, whole: bool, probe: int) -> None:
    trace = small_trace(whole, probe=probe)
    save_trace(trace, tmp_path / "run.npz")
    assert same(load_trace(tmp_path / "run.npz"), trace)


def test_round_trip_of_events_and_of_no_verification(tmp_path: Path) -> None:
    trace = small_trace(probe=3, events=np.ones(4, EVENT), verification=None)
    save_trace(trace, tmp_path / "run.npz")
    back = load_trace(tmp_path / "run.npz")
    assert same(back, trace)
    assert back.events.tobytes() == np.ones(4, EVENT).tobytes()


def test_a_run_packed_by_another_program_is_recognised(tmp_path: Path) -> None:
    save_trace(small_trace(), tmp_path / "a.npz")
    assert recognised(tmp_path / "a.npz") == "trace"
    with np.load(tmp_path / "a.npz") as archive:
        arrays = {name: archive[name] for name in sorted(archive.files)}
    np.savez_compressed(tmp_path / "b.npz", **arrays)
    assert recognised(tmp_path / "b.npz") == "trace"
    (tmp_path / "g.gr").write_text("p sp 1 0\n")
    assert recognised(tmp_path / "g.gr") is recognised(tmp_path) is recognised("no") is None


def test_constant_arrays_are_not_taken_for_a_bomb(tmp_path: Path) -> None:
    n = 2_000_000
    trace = small_trace(probe=1)
    dist = np.full(n, np.iinfo(np.int32).max, np.int32)
    dist[0] = 0
    big = replace(trace, dist=dist, graph=replace(trace.graph, n=n))
    save_trace(big, tmp_path / "run.npz")
    assert load_trace(tmp_path / "run.npz").reached == 1


OLD_HEADER = """{"format": "sssp-scope trace", "version": 1, "settings": {"algorithm": "near_far",
"engine": "cpu", "device": "cpu", "source": 0, "delta": 4, "probe": 1, "seed": 1,
"sample_period_ns": 0, "parameters": {}}, "graph": {"name": "five", "origin": "/a/b.gr",
"hash": "h", "n": 5, "m": 4, "integer": true, "source_id": "A", "options": {"weights": "unit"}},
"clock": "measured", "outcome": "stopped", "environment": {"date": "2026-11-20T00:00:00+00:00",
"engine": "cpu", "threads": 2, "rate": null}, "verification": {"oracle": null, "certificate": true,
"detail": "holds"}, "arrays": ["samples", "dist"]}"""


def test_a_trace_of_the_first_version_opens(tmp_path: Path) -> None:
    """As 0.1 wrote it, not as `save_trace` does today."""
    trace = small_trace()
    header = np.frombuffer(OLD_HEADER.encode(), np.uint8)
    old = trace.samples.view([*SAMPLE.descr[:-2], ("reserved", "<u4", (4,))])
    np.savez(tmp_path / "old.npz", header=header, samples=old, dist=trace.dist)
    found = load_trace(tmp_path / "old.npz")
    assert (found.settings.algorithm, found.settings.delta, found.clock) == (
        "near_far",
        4,
        "measured",
    )
    assert (found.graph.source_id, found.graph.options) == ("A", {"weights": "unit"})
    assert found.environment["rate"] is None
    assert found.verification.passed
    assert found.reached == 4
    assert found.samples.tobytes() == trace.samples.tobytes()
    assert distance_error(found) is None


def rewritten(path: Path, change: dict[str, Any] | None = None, **members: Any) -> Path:
    """Save a good trace, then replace header fields (`change`) and whole members."""
    save_trace(small_trace(), path)
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    header = json.loads(arrays["header"].tobytes())
    kept = [name for name in header["arrays"] if members.get(name, arrays[name]) is not None]
    header |= {"arrays": kept} | (change or {})
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    arrays |= members
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
    return path


WRONG: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "newer version": ({"version": 2}, {}, "version 2"),
    "another format": ({"format": "a cake"}, {}, "not a trace"),
    "no samples": ({}, {"samples": None}, "no samples"),
    "empty samples": ({}, {"samples": small_trace().samples[:0]}, "no samples"),
    "time backwards": ({}, {"samples": small_trace().samples[::-1]}, "backwards"),
    "wrong dtype": ({}, {"dist": np.zeros(5, np.int16)}, "dist is int16"),
    "float for int": ({}, {"dist": np.zeros(5, np.float32)}, "float32"),
    "wrong shape": ({}, {"dist": np.zeros((5, 1), np.int32)}, "shape"),
    "wrong length": ({}, {"dist": np.zeros(4, np.int32)}, "4 of 5"),
    "an array lost": ({"arrays": ["dist", "samples", "events"]}, {}, "'events' is missing"),
    "an array unknown": ({"arrays": ["dist", "cake"]}, {}, r"arrays\[1\] = 'cake'"),
    "half a probe": ({}, {"times_processed": None}, "only"),
    "settings not a table": ({"settings": 3}, {}, "settings = 3"),
    "source out of range": (
        {"settings": asdict(replace(small_trace().settings, source=5))},
        {},
        "source 5",
    ),
}


def test_a_trace_of_adaptive_opens_under_the_algorithm_that_it_chose(tmp_path: Path) -> None:
    told = {"form": "near_far", "form_why": "first in a race on this graph, 2 ms"}
    old = setting(algorithm="adaptive", parameters={}) | {"environment": told}
    back = load_trace(rewritten(tmp_path / "run.npz", old))
    assert (back.settings.algorithm, back.environment) == ("near_far", told)
    save_trace(back, tmp_path / "again.npz")
    assert same(load_trace(tmp_path / "again.npz"), back)


def setting(**changed: Any) -> dict[str, Any]:
    return {"settings": asdict(small_trace().settings) | changed}


def of_graph(**changed: Any) -> dict[str, Any]:
    return {"graph": asdict(small_trace().graph) | changed}


def sampled(**changed: Any) -> dict[str, Any]:
    samples = small_trace().samples.copy()
    for name, value in changed.items():
        samples[name][-1] = value
    return {"samples": samples}


MATRIX = setting(algorithm="edge_apsp", parameters={"first_source": 0, "sources": None})
ROWS = np.zeros((5, 5), np.int32)
HOSTILE: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "algorithm": (setting(algorithm="<b>"), {}, "settings: no algorithm '<b>'"),
    "probe": (setting(probe=9), {}, "settings.probe = 9"),
    "delta": (setting(delta=-1), {}, "settings.delta = -1"),
    "source": (setting(source=-1), {}, "settings.source = -1"),
    "sources": (
        setting(algorithm="edge_apsp", parameters={"first_source": 0, "sources": "NaN"}),
        {"dist": ROWS},
        "parameters: sources = 'NaN'; allowed: a whole number",
    ),
    "buckets": (setting(parameters={"buckets": "<b>"}), {}, "parameters: buckets = '<b>'"),
    "first source": (
        setting(algorithm="edge_apsp", source=4, parameters={"first_source": 4, "sources": 3}),
        {"dist": ROWS[:1]},
        "sources = 3 from 4 on",
    ),
    "rows of one source": ({}, {"dist": ROWS}, "shape 5 x 5; allowed: one row, adds"),
    "too many rows": (MATRIX, {"dist": np.zeros((6, 5), np.int32)}, "shape 6 x 5"),
    "negative in a matrix": (MATRIX, {"dist": ROWS - 1}, "negative or no number"),
    "negative": ({}, {"dist": np.array([0, -4, 7, 7, 9], np.int32)}, "negative or no number"),
    "reached": ({"environment": {"reached": "<b>"}}, {}, "reached = '<b>'; allowed: 0 to 5"),
    "environment": ({"environment": "x"}, {}, "environment = 'x'"),
    "clock": ({"clock": "atomic"}, {}, "clock = 'atomic'"),
    "verification": ({"verification": {"oracle": None}}, {}, "verification: .*`certificate`"),
    "vertices": (of_graph(n=-1), {}, "graph.n = -1"),
    "edges": (of_graph(m="many"), {}, "graph.m = 'many'"),
    "a delta that is none": ({}, sampled(delta=np.nan), "delta of a sample"),
    "reason": ({}, sampled(reason=4294967295), "reason of a sample is 4294967295; allowed: 0 to 9"),
    "flags": ({}, sampled(flags=128), "flags of a sample is 128; allowed: 0 to 127"),
    "workers": ({}, sampled(busy_workers=-1), "busy_workers of a sample is -1"),
    "occupancy": ({}, sampled(occupancy=-2), "occupancy of a sample is -2"),
    "times": ({}, {"times_processed": np.array([1, 1, 1, -2, 0], np.int32)}, "times_processed"),
}


@pytest.mark.parametrize("what", [*WRONG, *HOSTILE])
def test_wrong_content_is_named(tmp_path: Path, what: str) -> None:
    change, members, words = (WRONG | HOSTILE)[what]
    path = rewritten(tmp_path / "run.npz", change, **members)
    with pytest.raises(TraceError, match=words) as refused:
        load_trace(path)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 600


def test_a_lessons_faulty_matrix_may_be_negative(tmp_path: Path) -> None:
    """Infinity overflows in one of the printed listings: its rows are saved with a workspace."""
    settings = replace(small_trace().settings, algorithm="edge_apsp", parameters={}, probe=1)
    faulty = small_trace(
        probe=1, settings=settings, dist=ROWS - 1, environment={"variant": "infinity_overflows"}
    )
    save_trace(faulty, tmp_path / "run.npz")
    assert same(load_trace(tmp_path / "run.npz"), faulty)


EVENT_OF = {"kind": 4, "worker": 0, "a": 0, "b": 0, "c": 1.0}  # arc 0 is relaxed
HOSTILE_EVENTS: list[tuple[dict[str, Any], str]] = [
    ({"kind": 99}, "unknown kind"),
    ({"a": 4}, "names arc 4; allowed: 0 to 3"),
    ({"b": 5}, "names vertex 5; allowed: 0 to 4"),
    ({"kind": 1, "a": 5}, "names vertex 5"),
    ({"kind": 20, "a": -1}, "names vertex -1"),
    ({"kind": 5, "b": 4}, "names arc 4"),
    ({"kind": 24, "a": 3}, "names sample 3; allowed: 0 to 2"),
    ({"kind": 12, "a": 77}, "names reason 77"),
    ({"kind": 9, "c": np.inf}, "names count inf"),
    ({"worker": 1 << 30}, "unknown worker"),
    ({"c": np.nan}, "no number"),
    ({"t_ns": -5}, "time runs backwards"),
]


@pytest.mark.parametrize(("change", "words"), HOSTILE_EVENTS)
def test_events_are_of_this_graph_and_known(
    tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    events = np.zeros(3, EVENT)
    for name, value in EVENT_OF.items():
        events[name] = value
    good = small_trace(probe=3, events=events)
    save_trace(good, tmp_path / "good.npz")
    assert same(load_trace(tmp_path / "good.npz"), good)
    for name, value in change.items():
        events[name][1] = value
    save_trace(small_trace(probe=3, events=events), tmp_path / "run.npz")
    with pytest.raises(TraceError, match=words):
        load_trace(tmp_path / "run.npz")


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        *((name, 0, 2**62) for name in ("processed_vertices", "relaxed_edges", "improved")),
        *((name, 0, 2**62) for name in ("bucket_switches", "sequence", "t_ns")),
        ("head_bucket", -1, 2**62),
        *((name, 0, 2**31 - 1) for name in ("assigned_vertices", "busy_workers", "open_buckets")),
    ],
)
def test_the_ends_of_what_a_sample_may_hold(name: str, low: int, high: int) -> None:
    samples = small_trace().samples[-1:]
    for value, right in ((low, True), (high, True), (low - 1, False), (high + 1, False)):
        if not np.iinfo(samples.dtype[name]).min <= value <= np.iinfo(samples.dtype[name]).max:
            continue
        samples[name] = value
        if right:
            check_samples(samples)
            continue
        with pytest.raises(TraceError, match=f"{name} of a sample is {value}; allowed: {low} to"):
            check_samples(samples)


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.npz")
    (tmp_path / "zero.npz").symlink_to("/dev/zero")
    for name in ("pipe.npz", "zero.npz", "nul\0.npz"):
        with pytest.raises(TraceError, match=r"not a file|no file has such a name"):
            load_trace(tmp_path / name)


@pytest.mark.parametrize(
    "content",
    [b"", b"PK\x03\x04", b"garbage" * 100, b"\x93NUMPY\x01\x00", b"PK\x05\x06" + bytes(18)],
)
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "run.npz"
    path.write_bytes(content)
    with pytest.raises(TraceError, match="not a trace"):
        load_trace(path)


def test_pickled_objects_are_never_read(tmp_path: Path) -> None:
    path = rewritten(tmp_path / "run.npz", dist=np.array([0, {}], object))
    with pytest.raises(TraceError, match="object"):
        load_trace(path)


def test_zip_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = rewritten(tmp_path / "run.npz", dist=None)
    zeros = io.BytesIO()
    np.save(zeros, np.zeros(100_000_000, np.uint8).view(np.int32))
    with zipfile.ZipFile(path, "a", zipfile.ZIP_LZMA) as archive:
        archive.writestr("dist.npy", zeros.getvalue())
    assert path.stat().st_size < 100_000
    with pytest.raises(TraceError, match="would unpack"):
        load_trace(path)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.floats(0, 1, exclude_max=True), value=st.integers(0, 255), cut=st.booleans())
def test_damage_is_a_trace_error_or_harmless(
    tmp_path: Path, place: float, value: int, cut: bool
) -> None:
    path = tmp_path / "run.npz"
    save_trace(small_trace(), path)
    raw = bytearray(path.read_bytes())
    at = int(place * len(raw))
    raw[at] = value
    path.write_bytes(raw[:at] if cut else raw)
    try:
        trace = load_trace(path)
    except TraceError as error:
        words = str(error)
    else:
        words = str(path) if same(trace, small_trace()) else ""
    assert str(path) in words
