"""A trace comes back from disk as it was; whatever else is in the file is refused in one line."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hand_made import small_trace
from hypothesis import HealthCheck, given, settings, strategies as st

from gpu.errors import GpuError, TraceError
from gpu.record.trace import EVENT, Trace
from gpu.record.tracefile import load_trace, save_trace
from gpu.wholefile import check_writable, written_whole


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
@pytest.mark.parametrize("probe", [0, 1, 2])
def test_round_trip(tmp_path: Path, whole: bool, probe: int) -> None:
    trace = small_trace(whole, probe=probe)
    save_trace(trace, tmp_path / "run.npz")
    assert same(load_trace(tmp_path / "run.npz"), trace)


def test_round_trip_of_events_and_of_no_verification(tmp_path: Path) -> None:
    trace = small_trace(probe=3, events=np.ones(4, EVENT), verification=None)
    save_trace(trace, tmp_path / "run.npz")
    back = load_trace(tmp_path / "run.npz")
    assert same(back, trace)
    assert back.events is not None
    assert back.events.tobytes() == np.ones(4, EVENT).tobytes()


def test_numpy_alone_opens_it(tmp_path: Path) -> None:
    save_trace(small_trace(), tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz", allow_pickle=False) as arrays:
        assert json.loads(arrays["header"].tobytes())["version"] == 1
        assert arrays["dist"].tolist()[:4] == [0, 4, 7, 7]


def test_constant_arrays_are_not_taken_for_a_bomb(tmp_path: Path) -> None:
    n = 2_000_000
    trace = small_trace(probe=1)
    dist = np.full(n, np.iinfo(np.int32).max, np.int32)
    dist[0] = 0
    big = replace(trace, dist=dist, graph=replace(trace.graph, n=n))
    save_trace(big, tmp_path / "run.npz")
    assert load_trace(tmp_path / "run.npz").reached == 1


def test_numpy_scalars_in_the_environment_become_json(tmp_path: Path) -> None:
    trace = small_trace(environment={"workers": np.int64(68), "rate": np.float32("inf")})
    save_trace(trace, tmp_path / "run.npz")
    assert load_trace(tmp_path / "run.npz").environment == {"workers": 68, "rate": None}


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
    "wrong dtype": ({}, {"dist": np.zeros(5, np.float64)}, "dist is float64"),
    "float for int": ({}, {"dist": np.zeros(5, np.float32)}, "float32"),
    "wrong shape": ({}, {"dist": np.zeros((5, 1), np.int32)}, "shape"),
    "wrong length": ({}, {"dist": np.zeros(4, np.int32)}, "4 of 5"),
    "an array lost": ({"arrays": ["dist", "samples", "events"]}, {}, "'events' is missing"),
    "half a probe": ({}, {"times_processed": None}, "only"),
    "settings missing": ({"settings": {}}, {}, "algorithm"),
    "settings not a table": ({"settings": 3}, {}, "damaged"),
    "source out of range": (
        {"settings": asdict(replace(small_trace().settings, source=5))},
        {},
        "source 5",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_content_is_named(tmp_path: Path, what: str) -> None:
    change, members, words = WRONG[what]
    path = rewritten(tmp_path / "run.npz", change, **members)
    with pytest.raises(TraceError, match=words) as refused:
        load_trace(path)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "content",
    [b"", b"PK\x03\x04", b"garbage" * 100, b"\x93NUMPY\x01\x00", b"PK\x05\x06" + bytes(18)],
)
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "run.npz"
    path.write_bytes(content)
    with pytest.raises(TraceError, match="not a trace"):
        load_trace(path)


def test_missing_file_and_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="No such file"):
        load_trace(tmp_path / "absent.npz")
    with pytest.raises(TraceError):
        load_trace(tmp_path)


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


def half_written(path: Path, fault: Exception) -> None:
    with written_whole(path) as file:
        file.write(b"half")
        raise fault


def test_nothing_is_left_of_a_write_that_fails(tmp_path: Path) -> None:
    target = tmp_path / "d.csv"
    target.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError):
        half_written(target, ZeroDivisionError())
    assert target.read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d.csv", "settings"]


def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(GpuError, match=r"cannot write .*No space left"):
        half_written(tmp_path / "d.csv", OSError(28, "No space left on device"))
    assert not (tmp_path / "d.csv").exists()


def test_links_stay_links(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with written_whole(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_unwritable_targets_are_found_beforehand(tmp_path: Path) -> None:
    with pytest.raises(GpuError, match="it is a folder"):
        check_writable(tmp_path)
    with pytest.raises(GpuError, match="there is no folder"):
        check_writable(tmp_path / "absent" / "run.npz")
    check_writable(tmp_path / "run.npz")
    assert not (tmp_path / "run.npz").exists()


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="this system has no /dev/stdout")
def test_devices_are_written_directly(capfd: pytest.CaptureFixture[str]) -> None:
    check_writable("/dev/stdout")
    with written_whole("/dev/stdout") as file:
        file.write(b"seen")
    assert capfd.readouterr().out == "seen"
    check_writable("/dev/null")
    assert not Path("/dev/null").is_file()
