"""Layouts kept between sessions: found again, never wrongly, never too many."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import sample_graphs
from gpu.errors import CancelledByUserError, MemoryNeededError
from gpu.graph import CSRGraph
from gpu.placement import cache as layout_cache
from gpu.placement.by_distance import MOST_LANES, lane_buckets
from gpu.placement.cache import kept_layout, layouts_folder
from gpu.placement.placements import layout


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SSSP_SCOPE_CACHE", str(tmp_path))
    return layouts_folder()


def roads(seed: int = 1) -> CSRGraph:
    return sample_graphs.make("city_roads", n=2_500, seed=seed)


def test_the_second_time_is_read_and_equals_the_first(folder: Path) -> None:
    graph, told = roads(), []
    first = kept_layout(graph, "pivot_mds", progress=lambda *news: told.append(news))
    assert told
    assert np.array_equal(first, layout(graph, "pivot_mds"))
    told.clear()
    again = kept_layout(graph, "pivot_mds", progress=lambda *news: told.append(news))
    assert not told, "it was found anew"
    assert np.array_equal(first, again)
    assert again.dtype == np.float32
    assert len(list(folder.iterdir())) == 1


def test_whatever_a_picture_depends_on_names_another_file(folder: Path) -> None:
    graph = roads()
    dist = np.arange(graph.n, dtype=np.int32)
    kept_layout(graph, "pivot_mds")
    kept_layout(roads(seed=2), "pivot_mds")
    kept_layout(graph, "rings", dist=dist)
    kept_layout(graph, "rings", dist=dist[::-1].copy())
    kept_layout(graph, "lanes", dist=dist, delta=50.0)
    kept_layout(graph, "lanes", dist=dist, delta=100.0)
    moved = graph.with_positions(graph.positions[:, ::-1].copy())
    kept_layout(moved, "rings", dist=dist)
    assert len(list(folder.iterdir())) == 7
    kept_layout(sample_graphs.make("grid", n=100), "pivot_mds")
    assert len(list(folder.iterdir())) == 7  # too small to be worth a file


@pytest.mark.parametrize("rubbish", [b"", b"\x93NUMPY", b"rubbish" * 50])
def test_a_file_that_cannot_be_used_is_as_good_as_none(folder: Path, rubbish: bytes) -> None:
    graph = roads()
    right = kept_layout(graph, "pivot_mds")
    (file,) = folder.iterdir()
    file.write_bytes(rubbish)
    assert np.array_equal(kept_layout(graph, "pivot_mds"), right)
    np.save(file, right[:-1])
    assert np.array_equal(kept_layout(graph, "pivot_mds"), right)
    np.save(file, np.array([object()]), allow_pickle=True)
    assert np.array_equal(kept_layout(graph, "pivot_mds"), right)


def test_what_was_not_used_for_longest_goes_first(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout_cache, "MOST_BYTES", 50_000)  # two layouts of 20 kB
    paths = []
    for place, seed in enumerate((1, 2)):
        kept_layout(roads(seed), "pivot_mds")
        (fresh,) = set(folder.iterdir()) - set(paths)
        os.utime(fresh, (1_000 + place, 1_000 + place))
        paths.append(fresh)
    kept_layout(roads(1), "pivot_mds")  # used: now the second is the older one
    kept_layout(roads(3), "pivot_mds")
    left = set(folder.iterdir())
    assert paths[0] in left
    assert paths[1] not in left
    assert sum(file.stat().st_size for file in left) <= 50_000


def test_a_folder_that_cannot_be_written_costs_nothing_else(folder: Path) -> None:
    folder.write_text("a file stands where the folder should be")
    assert kept_layout(roads(), "pivot_mds").shape == (2_500, 2)


def test_one_that_is_given_up_leaves_nothing(folder: Path) -> None:
    for kind in ("pivot_mds", "rings", "lanes"):
        with pytest.raises(CancelledByUserError):
            kept_layout(
                roads().with_positions(None),
                kind,
                dist=np.zeros(2_500, np.int32),
                should_stop=lambda: True,
            )
    assert not folder.exists()


def test_memory_is_asked_for_first(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(wanted: int, what: str) -> None:
        raise MemoryNeededError(f"{what} needs {wanted} bytes")

    monkeypatch.setattr("gpu.placement.placements.require_memory", full)
    for kind in ("pivot_mds", "rings", "lanes"):
        with pytest.raises(MemoryNeededError):
            kept_layout(roads(), kind, dist=np.zeros(2_500, np.int32))


def test_a_lane_is_as_many_buckets_as_can_be_told_apart() -> None:
    far = np.array([0, 1_000, np.iinfo(np.int32).max], np.int32)  # the last is unreached
    assert lane_buckets(far, 100.0) == 1
    assert lane_buckets(far, 16.0) == 1
    many = lane_buckets(far, 1.0)
    assert many == 16
    assert 1_000 / many < MOST_LANES
    assert lane_buckets(np.zeros(0, np.int32), 1.0) == 1
