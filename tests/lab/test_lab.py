"""The lab: suites are read, runs are kept whole and once, what fails costs itself."""

import csv
import errno
import gzip
import json
import os
import subprocess
import sys
import time
from collections import Counter
from io import FileIO
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import gpu.lab
from gpu.cli import main as cli
from gpu.formats import save_graph
from gpu.interpreter import module_command
from gpu.lab import campaign
from gpu.lab.records import Appended, Results
from gpu.lab.suite import SHIPPED, entries_of, read_suite
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
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a user's suite of three graphs: by name, by folder, by pattern; its folder is ours."""
    monkeypatch.chdir(tmp_path)
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
    (tmp_path / "mine.jsonl.gz").write_bytes(gzip.compress(before))
    assert (gpu.lab.load(tmp_path / "mine.jsonl.gz") == found).all()
    assert lab("run", suite, "-o", out) == 0  # nothing is left to do
    assert counts(out) == Counter((run.graph, run.code, run.turn) for run in first.runs)
    assert out.read_bytes().startswith(before)


def test_what_fails_costs_itself_and_is_listed(
    suite: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken.gr").write_text("p sp 2 1\na 1 9 4\n")
    text = SUITE.replace('"roads.gr"', '"roads.gr", "none.gr", "broken.gr"')
    suite.write_text(text + '[[commands]]\nname = "ls"\nline = "ls {graph}"\ntime = "(\\\\d+) s"\n')
    out = tmp_path / "mine.jsonl"
    assert lab("run", suite, "-o", out) == 0
    assert "sssp-scope: none: " in capsys.readouterr().err  # and four more
    failed = {key: line.reason for key, line in Results(out).failed.items()}
    assert set(failed) == {("none", ""), ("broken", ""), *((g, "ls") for g in Results(out).graphs)}
    assert "none.gr" in failed["none", ""]
    assert "broken.gr:2" in failed["broken", ""]
    assert "ls ended with 0, no time found" in failed["chain", "ls"]
    assert len(counts(out)) == 12


OTHER = """
import sys
graph, source, out, kind = sys.argv[1:]
print("Trial Time: 0.25\\nTrial Time: 0.75\\nTrial Time: 0.5\\nvisited 7")
arcs = [list(map(int, line.split()[1:])) for line in open(graph) if line.startswith("a ")]
far = {int(source) + 1: 0}
for tail, head, weight in arcs * 20:
    if tail in far:
        far[head] = min(far[tail] + weight, far.get(head, 1 << 60))
rows = [f"{v} {d + (v - 1) * (kind == 'wrong')}" for v, d in far.items()]
if kind != "none":
    open(out, "w").write("\\n".join(["id distance"] * (kind == "header") + rows))
"""


def test_another_program_is_a_row_and_its_distances_are_proved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tool = tmp_path / "tool.py"
    tool.write_text(OTHER)
    row = """[[commands]]
name = "{0}"
line = "'{1}' '{2}' {{graph}} {{source}} {{distances}} {3}"
time = 'Trial Time: ([\\d.]+)'
processed = 'visited (\\d+)'
"""
    suite, out = tmp_path / "peers.toml", tmp_path / "peers.jsonl"
    kinds = "right", "header", "wrong", "none"
    rows = "".join(row.format(kind, sys.executable, tool, kind) for kind in kinds)
    head = 'runs = 1\nwarm_ups = 0\n[[graphs]]\nsamples = ["chain?n=20"]\n'
    for ours in '[[codes]]\nalgorithm = "dijkstra"\nengine = "cpu"\n', "":  # what is proved: a look
        suite.write_text(head + ours + rows)
        out.unlink(missing_ok=True)
        assert lab("run", suite, "-o", out) == 3
        assert "chain?n=20, wrong: wrong distances: " in capsys.readouterr().err
        results = Results(out)
        runs = {run.code: (run.ms, run.processed, run.proved) for run in results.runs}
        assert runs["right"] == runs["header"] == (500.0, 7, True)
        failed = {code: line for (_, code), line in results.failed.items()}
        assert {code: line.wrong for code, line in failed.items()} == {"wrong": True, "none": False}
        assert "ended without the distances" in failed["none"].reason


def kept(path: Path) -> list[bytes]:
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return [line for line in lines if b'"run"' in line]


def test_killed_at_any_moment_it_goes_on_where_it_was(suite: Path, tmp_path: Path) -> None:
    suite.write_text(SUITE.replace("runs = 2", "runs = 10"))
    out, kills = tmp_path / "mine.jsonl", np.random.default_rng(1)
    command = module_command("gpu.cli.main", "lab", "run", str(suite), "-o", str(out), "-q")
    for _ in range(2):
        known = kept(out)
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        while process.poll() is None and kept(out) == known:
            time.sleep(0.002)
        time.sleep(float(kills.random()) * 0.05)
        process.kill()
        process.wait()
    before = kept(out)
    assert 0 < len(before) < 60
    out.write_bytes(out.read_bytes() + b'{"line":"run","graph":"ro')  # cut by the kill
    assert subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode == 0
    assert kept(out)[: len(before)] == before
    assert len(counts(out)) == sum(counts(out).values()) == 60


def test_a_full_disk_loses_nothing(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out, write = tmp_path / "mine.jsonl", FileIO.write

    def full(file: FileIO, data: bytes) -> int | None:
        if not (room := 3000 - os.fstat(file.fileno()).st_size):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(file, data[:room])

    with monkeypatch.context() as patch:
        patch.setattr(Appended, "write", full)
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
        (["run", "mine.toml", "-o", "x.gz"], "x.gz: nothing can be added to packed results"),
        (["report", "cut.jsonl.gz"], "cut.jsonl.gz: damaged"),
        (["report", "junk.jsonl.gz"], "junk.jsonl.gz: damaged: Not a gzipped file"),
        (["run", "twice.toml", "-o", "x"], "two codes are called 'delta_stepping'"),
        (["run", "paper.toml", "-o", "x"], "'road-USA' is none of the paper's 226 graphs"),
    ],
)
def test_bad_input_is_one_sentence(
    words: list[str], said: str, suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("bad.toml").write_text(SUITE.replace("dijkstra", "dikstra"))
    Path("twice.toml").write_text(SUITE + '[[codes]]\nalgorithm = "delta_stepping"\n')
    Path("paper.toml").write_text(SUITE.replace('files = ["roads.gr"', 'paper = ["road-USA"'))
    head = {"line": "head", "program": "sssp-scope lab", "format": 1, "suite": "other"}
    head |= {"digest": "0", "engine": "cpu", "codes": [], "graphs": 1}
    for name, row in (("old", head | {"format": 99}), ("other", head)):
        Path(f"{name}.jsonl").write_text(json.dumps(row, separators=(",", ":")) + "\n")
    Path("cut.jsonl.gz").write_bytes(gzip.compress(Path("other.jsonl").read_bytes())[:-9])
    Path("junk.jsonl.gz").write_bytes(b"no archive")
    before = {path: path.read_bytes() for path in suite.parent.glob("*.*")}
    assert lab(*words) == 1
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert {path: path.read_bytes() for path in before} == before


def test_two_processes_do_not_write_one_file(
    suite: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "mine.jsonl"
    with Appended(out):
        assert lab("run", suite, "-o", out) == 1
    assert "another process" in capsys.readouterr().err


def test_a_cluster_makes_the_same_runs(suite: Path, tmp_path: Path) -> None:
    here, there = tmp_path / "here.jsonl", tmp_path / "there.jsonl"
    assert lab("run", suite, "-o", here) == 0
    assert lab("run", suite, "-o", there, "--cluster", "local:1") == 0
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
    assert campaign.facts_of(entry, make("chain", n=200), 60).diameter == 199


@pytest.fixture
def measured(suite: Path, tmp_path: Path) -> Path:
    """Return RESULTS of three graphs, with a profile and a sweep."""
    text = SUITE.replace("delta_stepping", "adds")
    text = text.replace("runs = 2", 'runs = 2\nprofiles = ["chain"]')
    text += '[[codes]]\nalgorithm = "near_far"\n[[codes]]\nalgorithm = "near_far"\n'
    suite.write_text(text + 'c = [1, 8]\nonly = ["roads"]\n', encoding="utf-8")
    out = tmp_path / "mine.jsonl"
    assert lab("run", suite, "-o", out) == 0
    return out


def test_the_report_shows_tables_figures_and_claims(measured: Path, tmp_path: Path) -> None:
    page, parts = tmp_path / "mine.html", tmp_path / "parts"
    assert lab("report", measured, "--parts", parts) == 0
    text = page.read_text(encoding="utf-8")
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")
    for number in (4, 7, 8, 9, 10, 11):
        assert f"Figure {number}. " in text
        ElementTree.parse(parts / f"figure_{number}.svg")
    found = gpu.lab.load(measured)
    speedups = []
    for graph in ("roads", "chain", "random"):
        here = found[found.graph == graph]
        slow, quick = (np.median(here.ms[here.code == code]) for code in ("near_far", "adds"))
        speedups.append(slow / quick)
    with (parts / "table_3.csv").open(encoding="utf-8") as file:
        rows = {row[0]: row[1:] for row in csv.reader(file)}
    ours = rows["Near-Far: near_far"]
    assert ours[-1].startswith(f"{np.mean(speedups):.2f} [")
    slow = sum(value < 0.9 for value in speedups)
    assert ours[0] == f"{slow} ({slow / 3:.0%})"
    assert rows["Near-Far, the paper"][0] == "8 (4%)"
    assert r"\begin{tabular}{lrrrr" in (parts / "table_3.tex").read_text(encoding="utf-8")
    with (parts / "claims.csv").open(encoding="utf-8") as file:
        judged = {row["claim"]: row for row in csv.DictReader(file)}
    dijkstra = judged["ADDS is faster than Dijkstra's algorithm on a CPU: on average by"]
    assert dijkstra["graphs"] == "0"  # measured, and ADDS was modelled
    nvidia = judged["ADDS is faster than NVIDIA's library: on average by"]
    assert (nvidia["this report"], nvidia["judgement"]) == ("not measured", "open")
    chain = Results(measured).profiles["chain", "near_far"]
    assert len(chain.us) == len(chain.edges) == campaign.PROFILE_POINTS


def test_two_results_are_compared_beyond_noise(
    measured: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    later, page = tmp_path / "later.jsonl", tmp_path / "both.html"
    lines = [json.loads(line) for line in measured.read_text().splitlines()]
    for line in lines:
        if line.get("code") == "adds" and line["line"] == "run":
            line["ms"] *= {"chain": 1.5, "roads": 0.5}.get(line["graph"], 1)
    later.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    words = ("report", measured, later, "-o", page)
    assert lab(*words, "--fail-if-slower", "1.6") == 0
    assert "slower  1" in capsys.readouterr().out
    assert lab(*words, "--fail-if-slower", "1.1", "--json") == 3
    said = capsys.readouterr()
    assert json.loads(said.out)["faster"] == 1
    assert "adds on chain is 1.50x slower" in said.err
    later.write_text(later.read_text().replace('"modelled"', '"measured"'))
    assert lab(*words, "--fail-if-slower", "1.1") == 0  # two measured runs say nothing
    assert lab("report", measured, "--fail-if-slower", "1.1") == 2
    assert lab("report", tmp_path / "mine.toml") == 1
    assert "not results of" in capsys.readouterr().err
