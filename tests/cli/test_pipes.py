"""Standard input and output, pipes, process substitution, and what happens where they close."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hand_made import small_trace
from processes import ended

from gpu.cli.terminal import DONE, FAILED, PIPE_CLOSED, WRONG_USAGE
from gpu.formats import load_graph
from gpu.record.tracefile import load_trace, save_trace

ROADS = "p sp 5 4\na 1 2 4\na 2 3 3\na 3 4 0\na 1 4 9\n"
TABLE = "id,distance\n1,0\n2,4\n3,7\n4,7\n5,\n"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="a shell of POSIX")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "roads.gr").write_text(ROADS)
    (tmp_path / "roads.gr.gz").write_bytes(gzip.compress(ROADS.encode()))
    return tmp_path


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a line of bash where `sssp-scope` is this tree's."""
    command = f"sssp-scope() {{ '{sys.executable}' -m viewer.app \"$@\"; }}\n{line}"
    return ended("bash", "-c", command, cwd=folder)


INPUTS = {
    "a packed pipe": "cat roads.gr.gz | sssp-scope info /dev/stdin --json",
    "two packed streams": "cat <(head -c 30 roads.gr | gzip) <(tail -c +31 roads.gr | gzip) "
    "| sssp-scope info - --json",
    "process substitution": "sssp-scope info <(zcat roads.gr.gz) --json",
    "a named pipe": "mkfifo p.gr; cat roads.gr > p.gr & sssp-scope info p.gr --json",
}


@pytest.mark.parametrize("way", INPUTS)
def test_a_graph_comes_through(way: str, folder: Path) -> None:
    done = shell(INPUTS[way], folder)
    assert (done.returncode, done.stderr) == (DONE, "")
    told = json.loads(done.stdout)
    assert told["hash"] == load_graph(folder / "roads.gr").hash
    assert told["format"] == "dimacs"


def test_a_chain_of_commands(folder: Path) -> None:
    line = (
        "zcat roads.gr.gz | sssp-scope run - --distances - 2>words "
        "| tee d.csv | sssp-scope verify roads.gr - --json"
    )
    done = shell(line, folder)
    assert done.stderr == ""
    assert json.loads(done.stdout)["verified"] is True
    assert (folder / "d.csv").read_text() == TABLE
    assert "sum 18" in (folder / "words").read_text()


@pytest.mark.parametrize("way", ["> r.npz", "| cat > r.npz"])
def test_a_trace_goes_to_stdout_whole(way: str, folder: Path) -> None:
    done = shell(f"sssp-scope run roads.gr --quiet --trace - {way}", folder)
    assert (done.returncode, done.stdout, done.stderr) == (DONE, "", "")
    assert load_trace(folder / "r.npz").graph.origin == "roads.gr"


def test_a_picture_goes_to_stdout(folder: Path) -> None:
    line = "sssp-scope run roads.gr -q --trace r.npz >&- && sssp-scope render r.npz -o - > r.png"
    done = shell(line, folder)
    assert (done.returncode, done.stderr) == (DONE, "")
    assert (folder / "r.png").read_bytes().startswith(b"\x89PNG")


WRONG = {
    "nothing comes": ("sssp-scope info - < /dev/null", FAILED, "/dev/stdin: the file is empty"),
    "zeros without end": ("sssp-scope info - < /dev/zero", FAILED, "no known graph format"),
    "a fault in line 2": ("echo 'p sp 1 1\na 1 9 1' | sssp-scope info -", FAILED, "/dev/stdin:2:"),
    "two inputs": ("sssp-scope verify - /dev/stdin < roads.gr", WRONG_USAGE, "cannot both"),
    "two outputs": (
        "sssp-scope run roads.gr --trace - --distances /dev/stdout",
        WRONG_USAGE,
        "--trace - and --distances -: only one",
    ),
    "a full disk": ("sssp-scope info roads.gr > /dev/full", FAILED, "stdout: No space left"),
    **{  # NumPy's libraries speak first at the one, hang at the other
        f"{kb} kB": (f"ulimit -v {kb}; sssp-scope info roads.gr", FAILED, "ulimit -v allows")
        for kb in (150_000, 262_144)
    },
    "a full disk, bytes": (
        "sssp-scope run roads.gr -q --trace - > /dev/full",
        FAILED,
        "cannot write stdout: No space left",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_cannot_be_is_said(what: str, folder: Path) -> None:
    line, code, words = WRONG[what]
    done = shell(line, folder)
    assert done.returncode == code
    assert words in done.stderr
    assert done.stderr.count("sssp-scope") <= 2
    assert "Traceback" not in done.stderr
    assert not list(folder.glob("-*")), "no file of that name"


COMMANDS = (
    "run roads.gr",
    "apsp roads.gr -o m.npy --engine model --quiet",
    "run roads.gr -q --trace -",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_nobody_listens_and_nobody_complains(command: str, folder: Path) -> None:
    """A reader that left ends the command; a closed stdout is an error if there is a result."""
    (folder / "d.csv").write_text(TABLE)
    save_trace(small_trace(), folder / "r.npz")
    line = (
        f"{{ sssp-scope {command} >&-; echo $? > closed; }} & "
        f"{{ sssp-scope {command}; echo $? > left; }} | true; wait"
    )
    done = shell(line, folder)
    codes = [int((folder / name).read_text()) for name in ("closed", "left")]
    silent = command.startswith("apsp")
    assert codes == [DONE if silent else FAILED, DONE if silent else PIPE_CLOSED]
    assert ("stdout: it is closed" in done.stderr) == (not silent)
    assert done.stderr.count("\n") == (not silent)
