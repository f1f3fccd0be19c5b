"""The lab: suites are read, runs are kept whole and once, what fails costs itself."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import gpu.lab
from gpu.cli import main as cli
from gpu.formats import save_graph
from gpu.interpreter import module_command
from gpu.lab import campaign
from gpu.lab.records import Results, ResultsError
from gpu.lab.suite import SHIPPED, entries_of, read_suite
from gpu.proof.verify import oracle_distances
from sample_graphs import make

SUITE = """
runs = 2
[[graphs]]
files = ["roads.gr", "more", "random.*"]
[[codes]]
algorithm = "delta_stepping"
[[codes]]
algorithm = "dijkstra"
engine = "cpu"
"""
KEYS = ("grid", "chain", "erdos_renyi")


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Return a user's suite of three graphs: by name, by folder, by pattern."""
    (tmp_path / "more").mkdir()
    for key, name in zip(KEYS, ("roads.gr", "more/chain.npz", "random.mtx"), strict=True):
        save_graph(make(key, n=300), tmp_path / name)
    path = tmp_path / "mine.toml"
    path.write_text(SUITE, encoding="utf-8")
    return path


def lab(*words: object) -> int:
    return cli.main(["lab", *map(str, words)])


def counts(path: Path) -> Counter[tuple[str, str, int]]:
    return Counter((run.graph, run.code, run.turn) for run in Results(path).runs)


def test_a_suite_of_three_own_files(suite: Path, tmp_path: Path) -> None:
    out = tmp_path / "mine.jsonl"
    assert lab("run", suite, "-o", out) == 0
    found = gpu.lab.load(out)
    assert set(counts(out).values()) == {1}
    assert len(found) == 3 * 2 * 2
    assert set(found.code) == {"delta_stepping", "dijkstra@cpu"}
    assert set(found.clock[found.code == "delta_stepping"]) == {"modelled"}
    assert found.proved.all()
    assert (found.processed == found.n)[found.code == "dijkstra@cpu"].all()
    first = Results(out)
    hops = {"roads": 17 + 16, "chain": 299}  # 17 rows of 18 cells; a row of vertices
    assert {name: first.graphs[name].diameter for name in hops} == hops
    before = out.read_bytes()
    assert lab("run", suite, "-o", out) == 0  # nothing is left to do
    assert counts(out) == Counter((run.graph, run.code, run.turn) for run in first.runs)
    assert out.read_bytes().startswith(before)


def test_what_fails_costs_itself_and_is_listed(suite: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.gr").write_text("p sp 2 1\na 1 9 4\n")
    text = SUITE.replace('"roads.gr"', '"roads.gr", "none.gr", "broken.gr"')
    suite.write_text(text + '[[commands]]\nname = "ls"\nline = "ls {graph}"\ntime = "(\\\\d+) s"\n')
    out = tmp_path / "mine.jsonl"
    assert lab("run", suite, "-o", out) == 0
    failed = {key: line.reason for key, line in Results(out).failed.items()}
    assert set(failed) == {("none", ""), ("broken", ""), *((g, "ls") for g in results_graphs(out))}
    assert "none.gr" in failed["none", ""]
    assert "broken.gr:2" in failed["broken", ""]
    assert "ls ended with 0, no time found" in failed["chain", "ls"]
    assert len(counts(out)) == 12


def results_graphs(path: Path) -> set[str]:
    return set(Results(path).graphs)


OTHER = """
import sys
graph, source, out, wrong = sys.argv[1:]
print("Trial Time: 0.25\\nTrial Time: 0.75\\nTrial Time: 0.5\\nvisited 7")
import numpy as np, gpu
from gpu.proof.verify import oracle_distances
graph = gpu.load_graph(graph)
distances = oracle_distances(graph, int(source)) + np.arange(graph.n) * float(wrong)
rows = (f"{graph.id_of(v)} {d:.0f}" for v, d in enumerate(distances))
open(out, "w").write("\\n".join(rows))
"""


def test_another_program_is_a_row_and_its_distances_are_proved(tmp_path: Path) -> None:
    tool = tmp_path / "tool.py"
    tool.write_text(OTHER)
    row = """[[commands]]
name = "{0}"
line = "'{1}' '{2}' {{graph}} {{source}} {{distances}} {3}"
time = 'Trial Time: ([\\d.]+)'
processed = 'visited (\\d+)'
"""
    suite, out = tmp_path / "peers.toml", tmp_path / "peers.jsonl"
    rows = row.format("right", sys.executable, tool, 0) + row.format(
        "wrong", sys.executable, tool, 1
    )
    suite.write_text(f'runs = 1\nwarm_ups = 0\n[[graphs]]\nsamples = ["chain?n=20"]\n{rows}')
    assert lab("run", suite, "-o", out) == 3
    (run,) = Results(out).runs
    assert (run.code, run.ms, run.processed, run.proved) == ("right", 500.0, 7, True)
    assert "wrong distances" in Results(out).failed["chain?n=20", "wrong"].reason


def kept(path: Path) -> list[bytes]:
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return [line for line in lines if b'"run"' in line]


def test_killed_at_any_moment_it_goes_on_where_it_was(suite: Path, tmp_path: Path) -> None:
    suite.write_text(SUITE.replace("runs = 2", "runs = 200"))
    out, kills = tmp_path / "mine.jsonl", np.random.default_rng(1)
    command = module_command("gpu.cli.main", "lab", "run", str(suite), "-o", str(out), "-q")
    for _ in range(3):
        known = kept(out)
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        while process.poll() is None and kept(out) == known:
            time.sleep(0.002)
        time.sleep(float(kills.random()) * 0.05)
        process.kill()
        process.wait()
    before = kept(out)
    assert 0 < len(before) < 1200
    out.write_bytes(out.read_bytes() + b'{"line":"run","graph":"ro')  # cut by the kill
    assert subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode == 0
    assert kept(out)[: len(before)] == before
    assert len(counts(out)) == sum(counts(out).values()) == 1200


def test_a_full_disk_loses_nothing(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out, left, write = tmp_path / "mine.jsonl", [3000], os.write

    def full(file: int, data: bytes) -> int:
        if not left[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        size = write(file, data[: left[0]])
        left[0] -= size
        return size

    with monkeypatch.context() as patch:
        patch.setattr("gpu.lab.records.os.write", full)
        assert lab("run", suite, "-o", out) == 1
    assert "make room and repeat the command" in capsys.readouterr().err
    assert out.read_bytes().endswith(b"}\n")
    assert lab("run", suite, "-o", out) == 0
    assert len(counts(out)) == sum(counts(out).values()) == 12


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "smal", "-o", "x"], "no suite 'smal'; did you mean 'small'?"),
        (["run", "none.toml", "-o", "x"], "none.toml: No such file"),
        (["run", "bad.toml", "-o", "x"], "codes[1]: no algorithm 'dikstra'; did you mean"),
        (["run", "mine.toml", "-o", "mine.toml"], "not results of `sssp-scope lab run`"),
        (["run", "mine.toml", "-o", "old.jsonl"], "version 99; this program reads 1"),
        (["run", "mine.toml", "-o", "other.jsonl"], "of another suite (other"),
        (["run", "mine.toml", "-o", "no/folder"], "cannot write no/folder: No such file"),
        (["run", "mine.toml", "-o", "more"], "cannot write more: Is a directory"),
        (["run", "twice.toml", "-o", "x"], "two codes are called 'delta_stepping'"),
        (["run", "paper.toml", "-o", "x"], "'road-USA' is none of the paper's 226 graphs"),
    ],
)
def test_bad_input_is_one_sentence(
    words: list[str],
    said: str,
    suite: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(suite.parent)
    Path("bad.toml").write_text(SUITE.replace("dijkstra", "dikstra"))
    Path("twice.toml").write_text(SUITE + '[[codes]]\nalgorithm = "delta_stepping"\n')
    Path("paper.toml").write_text(SUITE.replace('files = ["roads.gr"', 'paper = ["road-USA"'))
    head = {"line": "head", "program": "sssp-scope lab", "format": 1, "suite": "other"}
    head |= {"digest": "0", "engine": "cpu", "codes": [], "graphs": 1}
    for name, row in (("old", head | {"format": 99}), ("other", head)):
        Path(f"{name}.jsonl").write_text(json.dumps(row, separators=(",", ":")) + "\n")
    before = {path: path.read_bytes() for path in suite.parent.glob("*.*")}
    assert lab(*words) == 1
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert {path: path.read_bytes() for path in before} == before


def test_two_processes_do_not_write_one_file(suite: Path, tmp_path: Path) -> None:
    whole, folder = read_suite(str(suite))
    out = tmp_path / "mine.jsonl"
    with campaign.Appended(out), pytest.raises(ResultsError, match="another process"):
        campaign.run_suite(whole, entries_of(whole, folder, folder), out)


def test_a_cluster_makes_the_same_runs(suite: Path, tmp_path: Path) -> None:
    here, there = tmp_path / "here.jsonl", tmp_path / "there.jsonl"
    assert (
        lab("run", suite, "-o", here) == lab("run", suite, "-o", there, "--cluster", "local:1") == 0
    )
    assert counts(here) == counts(there)


def test_shipped_suites_and_the_cells_of_table_2(tmp_path: Path) -> None:
    sizes = {path.stem: 0 for path in SHIPPED.glob("*.toml")}
    for name in sizes:
        whole, folder = read_suite(name)
        sizes[name] = len(entries_of(whole, folder, tmp_path))
    assert sizes["paper"] == 226
    assert sizes["gpu"] >= 60
    whole, folder = read_suite("small")
    found = []
    for entry in entries_of(whole, folder, tmp_path):
        graph, source = campaign.opened(entry)
        found.append(campaign.facts_of(entry, graph, source))
    degrees = np.digitize([facts.m / facts.n for facts in found], [4, 8, 16, 32, 64])
    diameters = np.digitize([facts.diameter for facts in found], [40, 80, 160, 320, 640])
    assert set(degrees) == set(diameters) == set(range(6))
    chain = make("chain", n=200)
    assert (
        campaign.facts_of(entry, chain, 60).diameter
        == oracle_distances(
            type(chain)(chain.indptr, chain.indices, np.ones_like(chain.weights)), 0
        ).max()
    )
