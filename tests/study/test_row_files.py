"""A folder of rows: those of one file, stopped work goes on, what is broken is refused in words."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings as examples, strategies as st

from gpu.cli.main import main
from gpu.errors import CancelledByUserError, GpuError
from gpu.graph import CSRGraph
from gpu.record.trace import RunSettings
from gpu.study import rows as module
from gpu.study.rows import INDEX, RowsError, open_rows
from gpu.study.sources import Numbered, SourcesPlan, block, chosen_sources, from_sources, make_plan
from sample_graphs import make

DIJKSTRA = RunSettings("dijkstra", "cpu", "", 0)
FAST = RunSettings("apsp_fast", "model", "", 0)
POSIX = pytest.mark.skipif(os.name != "posix", reason="links and pipes")


@pytest.fixture(scope="module")
def graph() -> CSRGraph:
    return make("grid", n=100)


def whole(graph: CSRGraph, plan: SourcesPlan, folder: Path) -> np.ndarray:
    from_sources(graph, plan, folder / "one.npy")
    rows: np.ndarray = np.load(folder / "one.npy")
    return rows


@pytest.fixture
def folder(graph: CSRGraph, tmp_path: Path) -> Path:
    """Return a folder of ten rows in parts of four."""
    from_sources(graph, make_plan(graph, DIJKSTRA, range(10), rows=4), tmp_path / "far.rows")
    return tmp_path / "far.rows"


@pytest.mark.parametrize("settings", [DIJKSTRA, FAST], ids=lambda given: given.algorithm)
@pytest.mark.parametrize("which", ["random:13", "5:30", "7"])
def test_a_folder_has_the_rows_of_one_file(
    graph: CSRGraph, tmp_path: Path, settings: RunSettings, which: str
) -> None:
    chosen = chosen_sources(which, graph)
    plan = make_plan(graph, settings, chosen, rows=4)
    expected = whole(graph, plan, tmp_path)
    found = from_sources(graph, plan, tmp_path / "far.rows")
    rows = open_rows(tmp_path / "far.rows", graph)
    assert (rows.shape, rows.dtype, rows.nbytes) == (expected.shape, expected.dtype, found.nbytes)
    assert rows.sources.tolist() == list(chosen)
    assert rows.index.proved == found.proved == plan.blocks
    assert rows[:].tobytes() == expected.tobytes()
    parts = [np.load(rows.part(number)) for number in range(rows.parts)]
    assert np.concatenate(parts).tobytes() == expected.tobytes()
    assert not list(tmp_path.glob("*.partial*"))


def test_rows_are_asked_for_as_of_an_array(folder: Path) -> None:
    rows = open_rows(folder)
    every = rows[:]
    for asked in (3, -1, slice(2, 9), slice(None, None, -3), [9, 0, 4, 4], every[:, 0] > 1):
        np.testing.assert_array_equal(rows[asked], every[asked])
    assert not rows[3].flags.writeable
    assert rows[5:5].shape == (0, 100)
    for absent in (10, -11):
        with pytest.raises(IndexError):
            rows[absent]


def test_stopped_work_goes_on_and_what_was_lost_is_made_again(
    graph: CSRGraph, tmp_path: Path
) -> None:
    plan, out, done = make_plan(graph, DIJKSTRA, range(40), rows=4), tmp_path / "far.rows", []
    with pytest.raises(CancelledByUserError, match="goes on there"):
        from_sources(
            graph,
            plan,
            out,
            progress=lambda *told: done.append(told),
            should_stop=lambda: len(done) > 4,
        )
    assert not out.exists()
    partial = tmp_path / "far.rows.partial"
    (partial / "000001.npy").unlink()
    with (partial / "000002.npy").open("r+b") as part:
        part.truncate(500)
    assert from_sources(graph, plan, out).resumed == 2
    assert open_rows(out)[:].tobytes() == whole(graph, plan, tmp_path).tobytes()


def test_another_plan_begins_anew_and_strangers_stay(graph: CSRGraph, tmp_path: Path) -> None:
    out, partial = tmp_path / "far.rows", tmp_path / "far.rows.partial"
    partial.mkdir()
    (partial / "letter.txt").write_text("mine")
    (partial / "000007.npy").write_text("of an older plan")
    plan = make_plan(graph, DIJKSTRA, range(10), rows=4)
    with pytest.raises(GpuError, match=r"cannot write .*far\.rows\.partial: .*remove it"):
        from_sources(graph, plan, out)
    assert os.listdir(partial) == ["letter.txt"]
    (partial / "letter.txt").unlink()
    from_sources(graph, plan, out)
    assert sorted(os.listdir(out)) == ["000000.npy", "000001.npy", "000002.npy", INDEX]


@POSIX
def test_a_link_in_the_place_of_the_folder_is_not_followed(graph: CSRGraph, tmp_path: Path) -> None:
    away = tmp_path / "away"
    away.mkdir()
    (away / "000000.npy").write_text("mine")
    (tmp_path / "far.rows.partial").symlink_to(away)
    with pytest.raises(GpuError, match=r"far\.rows\.partial: .*remove it"):
        from_sources(graph, make_plan(graph, DIJKSTRA, range(3)), tmp_path / "far.rows")
    assert (away / "000000.npy").read_text() == "mine"


def test_a_folder_that_is_there_is_left_alone(graph: CSRGraph, folder: Path) -> None:
    before = (folder / INDEX).read_bytes()
    with pytest.raises(GpuError, match="it is there already; name another, or remove it"):
        from_sources(graph, make_plan(graph, DIJKSTRA, range(3)), folder)
    assert (folder / INDEX).read_bytes() == before


@pytest.mark.parametrize("out", ["far.rows", "far.npy"])
@pytest.mark.parametrize("settings", [DIJKSTRA, FAST], ids=lambda given: given.algorithm)
def test_a_late_worker_changes_nothing(
    graph: CSRGraph, tmp_path: Path, out: str, settings: RunSettings
) -> None:
    plan = make_plan(graph, settings, range(12), rows=4)
    targets: list[Any] = []

    def twice(graph: CSRGraph, plan: SourcesPlan, todo: Any, target: Any, stop: Any) -> Any:
        numbered = Numbered(graph, plan)
        for number in todo:
            yield block(numbered, plan, number, target, stop)
            with pytest.raises(CancelledByUserError):
                block(numbered, plan, number, target, lambda: True)
        targets.append(target)

    expected = whole(graph, plan, tmp_path)
    from_sources(graph, plan, tmp_path / out, spread=twice)
    found = tmp_path / out
    rows = open_rows(found)[:] if found.is_dir() else np.load(found)
    assert rows.tobytes() == expected.tobytes()
    assert targets[0].stripe(0, 4) is None  # it has its name, and nobody finds it by the old one


@pytest.mark.parametrize("in_parts", [False, True])
def test_rows_of_an_earlier_plan_go_nowhere(tmp_path: Path, in_parts: bool) -> None:
    path, kind = tmp_path / "far.partial", np.dtype(np.int32)
    module.make_target(path, kind, (8, 10), in_parts)
    late = module.Target.found(path, kind, (8, 10), 4 if in_parts else None).stripe(0, 4)
    assert late is not None
    module.make_target(path, kind, (8, 10), in_parts)
    fresh = module.Target.found(path, kind, (8, 10), 4 if in_parts else None).stripe(0, 4)
    assert fresh is not None
    late[:] = 7
    assert not fresh.any()


def index_says(**given: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        told = json.loads((folder / INDEX).read_text())
        (folder / INDEX).write_text(json.dumps(told | given))

    return change


def part_is(rows: np.ndarray) -> Callable[[Path], None]:
    return lambda folder: np.save(folder / "000001.npy", rows)


def with_part(work: Callable[[Path], object]) -> Callable[[Path], None]:
    return lambda folder: (work(folder / "000001.npy"), None)[1]


def linked(path: Path) -> None:
    path.rename(path.with_suffix(".elsewhere"))
    path.symlink_to(path.with_suffix(".elsewhere"))


def as_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


ONES = np.ones((4, 100), np.int32)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        pytest.param(with_part(Path.unlink), "000001.npy: No such file", id="missing"),
        pytest.param(with_part(lambda p: os.truncate(p, 1700)), "has 1,700 bytes; 1,728", id="cut"),
        pytest.param(with_part(lambda p: os.truncate(p, 1800)), "has 1,800 bytes", id="long"),
        pytest.param(with_part(lambda p: p.write_bytes(b"")), "000001.npy: ", id="empty"),
        pytest.param(with_part(lambda p: p.write_bytes(b"PK" * 90)), "magic string", id="zip"),
        pytest.param(part_is(ONES[:3]), r"holds int32 \(3, 100\); the index", id="rows"),
        pytest.param(part_is(ONES.astype("f4")), "holds float32", id="type"),
        pytest.param(part_is(ONES.astype(">i4")), "holds >i4", id="order"),
        pytest.param(part_is(np.asfortranarray(ONES)), "holds int32", id="columns"),
        pytest.param(with_part(linked), "a link; parts lie", id="link", marks=POSIX),
        pytest.param(with_part(as_pipe), "not a file", id="pipe", marks=POSIX),
        pytest.param(lambda f: linked(f / INDEX), "a link", id="index link", marks=POSIX),
        pytest.param(lambda f: (f / INDEX).unlink(), "no folder of rows", id="no index"),
        pytest.param(lambda f: (f / INDEX).write_text("{"), "index.json: ", id="no JSON"),
        pytest.param(lambda f: (f / INDEX).write_text("[" * 9**5), "index.json: ", id="deep"),
        pytest.param(lambda f: (f / INDEX).write_text("[]"), "index.json: ", id="no table"),
        pytest.param(index_says(format="zip"), "allowed: sssp-scope rows", id="format"),
        pytest.param(index_says(version=2), "version = 2; allowed: 1", id="version"),
        pytest.param(index_says(path="../x"), "unknown key 'path'", id="path"),
        pytest.param(index_says(type="O"), "type = 'O'; allowed: float32", id="objects"),
        pytest.param(index_says(vertices=2**40), "vertices = ", id="huge"),
        pytest.param(index_says(vertices=99), r"holds int32 \(4, 100\)", id="vertices"),
        pytest.param(index_says(vertices=5), "source 9 is none of 5 vertices", id="source"),
        pytest.param(index_says(rows_a_part=0), "rows_a_part = 0", id="no rows"),
        pytest.param(index_says(rows_a_part=2**31 - 1), r"holds .* \(10, 100\)", id="one part"),
        pytest.param(index_says(sources=[]), "sources = ", id="no sources"),
        pytest.param(index_says(sources=[*range(50)]), "000002.npy: holds", id="more sources"),
        pytest.param(index_says(sources=[-1]), "sources", id="negative"),
        pytest.param(index_says(graph="a\u202eb"), "rows of graph a�b", id="unseen"),
        pytest.param(index_says(graph="another"), "rows of graph another", id="another graph"),
    ],
)
def test_what_is_broken_is_refused_in_words(
    graph: CSRGraph, folder: Path, damage: Callable[[Path], object], said: str
) -> None:
    damage(folder)
    with pytest.raises(RowsError, match=said) as raised:
        open_rows(folder, graph)
    assert "\n" not in str(raised.value)


def test_an_index_without_end_is_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_INDEX_BYTES", 20)
    with pytest.raises(RowsError, match="more than 20 bytes"):
        open_rows(folder)


@pytest.fixture(scope="module")
def shared(graph: CSRGraph, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("shared") / "far.rows"
    from_sources(graph, make_plan(graph, DIJKSTRA, range(10), rows=4), out)
    return out


@examples(max_examples=200, deadline=None)
@given(place=st.integers(0, 399), mark=st.integers(0, 255))
def test_a_changed_byte_gives_rows_or_a_sentence(shared: Path, place: int, mark: int) -> None:
    index = shared / INDEX
    sound = index.read_bytes()
    changed = bytearray(sound)
    changed[place % len(sound)] = mark
    index.write_bytes(changed)
    try:
        rows = open_rows(shared)
    except RowsError:
        pass
    else:
        assert rows[:].nbytes == rows.nbytes == 10 * 100 * 4
    finally:
        index.write_bytes(sound)


def test_the_command_line_writes_a_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["apsp", "sample:grid?n=100", "--algorithm", "dijkstra", "--engine", "cpu"]
    folder = tmp_path / "far.rows"
    assert main([*given, "-o", str(folder), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["file"] == str(folder)
    assert told["bytes"] == sum(file.stat().st_size for file in folder.iterdir())
    assert open_rows(folder).shape == (100, 100)
    assert main([*given, "-o", str(folder)]) == 1
    assert "it is there already" in capsys.readouterr().err
    assert main([*given, "-o", str(tmp_path / "other.rows"), "--on", "user@host"]) == 2
    assert "in one file" in capsys.readouterr().err
