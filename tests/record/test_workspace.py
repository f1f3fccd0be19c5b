"""A workspace comes back as it was; whatever else is in the file is refused in one line."""

import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hand_made import small_trace
from test_tracefile import same

import sample_graphs
from gpu.formats import load_graph
from gpu.record import workspace
from gpu.record.reach import is_within
from gpu.record.trace import GraphReference
from gpu.record.workspace import (
    TABLE,
    SavedGraph,
    Workspace,
    WorkspaceError,
    load_workspace,
    save_workspace,
    saved_graph,
)


def small_workspace() -> Workspace:
    graph = SavedGraph("five", "memory", "abc", "", {"weights": "file"})
    runs = ((2, small_trace()), (7, small_trace(whole=False, probe=1)))
    return Workspace(graph, runs, 7, 2, 3, {"theme": "dark", "cursor_ns": 1500.0})


def test_a_workspace_comes_back(tmp_path: Path) -> None:
    save_workspace(small_workspace(), tmp_path / "w.ssspw")
    found, wanted = load_workspace(tmp_path / "w.ssspw"), small_workspace()
    assert found.graph == wanted.graph
    assert [number for number, _ in found.runs] == [2, 7]
    assert all(same(a, b) for (_, a), (_, b) in zip(found.runs, wanted.runs, strict=True))
    assert (found.current, found.b, found.source) == (7, 2, 3)
    assert found.window == wanted.window
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["w.ssspw"]


def test_a_graph_is_found_beside_the_file_wherever_both_went(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for folder in (old, new):
        (folder / "maps").mkdir(parents=True)
    (old / "maps" / "a.gr").write_text("p sp 0 0\n")
    reference = GraphReference("a", str(old / "maps" / "a.gr"), "h", 1, 1, True, 1)
    graph = saved_graph(reference, old / "w.ssspw")
    assert graph.found(old) == str(old / "maps" / "a.gr")
    (old / "maps" / "a.gr").rename(new / "maps" / "a.gr")
    assert graph.found(new) == str(new / "maps" / "a.gr")
    assert graph.found(old) is None
    sample = GraphReference("grid", "sample:grid", "h", 1, 1, True, 1, {"n": 100, "seed": 2})
    assert saved_graph(sample, old / "w.ssspw").found(old) == "sample:grid?n=100&seed=2"


def test_a_workspace_of_the_first_version_opens(tmp_path: Path) -> None:
    """As 0.1 wrote it, not as `save_workspace` does today."""
    table = """{"format": "sssp-scope workspace", "version": 1, "graph": {"name": "five",
    "origin": "sample:figure_6", "hash": "h", "relative": "", "options": {"weights": "int"}},
    "runs": [], "current": null, "b": null, "source": 0, "window": {"theme": "dark",
    "loop_ns": null, "cursor_ns": 3.5, "run_panel": {"algorithm": "adds", "delta": null}}}"""
    with zipfile.ZipFile(tmp_path / "old.ssspw", "w") as archive:
        archive.writestr(TABLE, table)
    found = load_workspace(tmp_path / "old.ssspw")
    assert found.graph == SavedGraph("five", "sample:figure_6", "h", "", {"weights": "int"})
    assert (found.current, found.b, found.source, found.packed) == (None, None, 0, b"")
    assert found.window["cursor_ns"] == 3.5


NEVER = [
    "/dev/zero",
    "/proc/self/mem",
    "/sys/power/state",
    "//server/share/a.gr",
    "\\\\server\\a.gr",
]


@pytest.mark.parametrize("origin", NEVER)
def test_a_stranger_does_not_choose_where_we_look(tmp_path: Path, origin: str) -> None:
    """Shares, devices and /proc are neither looked at nor asked for."""
    for relative in ("", origin, "../" * 40 + origin.lstrip("/") if origin[1] != "/" else ""):
        graph = SavedGraph("a", origin, "h", relative)
        assert graph.found(tmp_path) is None
        assert set(graph.looked(tmp_path)) <= {tmp_path / Path(origin).name, tmp_path / origin}
        assert graph.outside(tmp_path) == []


def test_only_the_workspaces_own_folder_is_looked_at_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
        (folder / "a.gr").write_text("p sp 0 0\n")
    looked: list[str] = []
    is_file = Path.is_file
    monkeypatch.setattr(Path, "is_file", lambda path: looked.append(str(path)) or is_file(path))
    for origin, relative in ((str(there / "b.gr"), ""), ("x", "../there/b.gr"), ("../b.gr", "")):
        graph = SavedGraph("b", origin, "h", relative)
        assert graph.found(here) is None
        assert len(graph.outside(here)) == 1
    assert all(Path(path).parent == here for path in looked)
    assert SavedGraph("a", str(there / "a.gr"), "h").found(here) == str(here / "a.gr")


def test_a_link_out_of_the_folder_is_outside(tmp_path: Path) -> None:
    folder = tmp_path / "mailed"
    folder.mkdir()
    (tmp_path / "secret.gr").write_text("p sp 0 0\n")
    (folder / "a.gr").symlink_to(tmp_path / "secret.gr")
    (folder / "b.gr").symlink_to("/proc/self/environ")
    for name in ("a.gr", "b.gr"):
        graph = SavedGraph("a", name, "h")
        assert graph.found(folder) is None
        assert graph.outside(folder) == [folder / name]


def rewritten(path: Path, table: bytes | None, run: bytes | None = None, packed: int = 0) -> None:
    """Write the file again with another table or another first run."""
    with zipfile.ZipFile(path) as archive:
        kept = {name: archive.read(name) for name in archive.namelist()}
    kept |= {} if table is None else {TABLE: table}
    kept |= {} if run is None else {"runs/2.npz": run}
    with zipfile.ZipFile(path, "w", packed) as archive:
        for name, content in kept.items():
            archive.writestr(name, content)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"format": "other"}, "not a workspace"),
        ({"version": 99}, "version 99"),
        ({"runs": "all"}, "runs = 'all'"),
        ({"runs": [0] * 1001}, "runs: .* of length <= 1000"),
        ({"runs": [2, 2]}, "numbers"),
        ({"runs": ["../../etc/passwd"]}, r"runs\[0\] = '../../etc/passwd'"),
        ({"runs": [5]}, "no item"),
        ({"graph": {"name": "a"}}, "graph: .*`origin`"),
        ({"graph": {"name": "", "origin": "a\0", "hash": ""}}, "graph.origin"),
        ({"window": []}, "window"),
    ],
)
def test_damage_is_one_sentence(values: dict[str, Any], words: str, tmp_path: Path) -> None:
    path = tmp_path / "w.ssspw"
    save_workspace(small_workspace(), path)
    with zipfile.ZipFile(path) as archive:
        table = json.loads(archive.read(TABLE))
    rewritten(path, json.dumps(table | values).encode())
    with pytest.raises(WorkspaceError, match=words) as caught:
        load_workspace(path)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(path))


def test_a_small_graph_goes_along_and_comes_back_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, copy = tmp_path / "w.ssspw", tmp_path / "copy.npz"
    whole = replace(sample_graphs.make("figure_6"), name="mine")
    save_workspace(small_workspace(), path, whole)
    found = load_workspace(path)
    assert [number for number, _ in found.runs] == [2, 7]
    copy.write_bytes(found.packed)
    again = load_graph(copy)
    assert (again.hash, again.name) == (whole.hash, "mine")
    assert np.array_equal(again.positions, whole.positions)
    assert [again.id_of(v) for v in range(again.n)] == [whole.id_of(v) for v in range(whole.n)]
    monkeypatch.setattr(workspace, "GRAPH_LIMIT", len(found.packed) - 1)
    with pytest.raises(WorkspaceError, match=r"its graph.npz claims"):
        load_workspace(path)
    monkeypatch.setattr(workspace, "SMALL_ARCS", whole.m - 1)
    save_workspace(small_workspace(), path, whole)
    assert load_workspace(path).packed == b""
    monkeypatch.undo()
    sample = replace(small_workspace(), graph=SavedGraph("s", "sample:figure_6", whole.hash))
    save_workspace(sample, path, whole)
    assert load_workspace(path).packed == b""


def test_a_link_outside_that_leads_into_the_folder_is_outside(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "link").symlink_to(folder)
    assert is_within(folder / "roads.gr", folder)
    assert not is_within(tmp_path / "link" / "roads.gr", folder)
