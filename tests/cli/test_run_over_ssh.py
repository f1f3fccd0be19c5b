"""A run on a server is a pipe over ssh: a graph goes in, a trace comes out (a real sshd here)."""

import os
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from host_driver import wait_until

from gpu.compiled import cache_folder
from gpu.formats import save_graph
from gpu.proof.verify import oracle_distances
from gpu.record.tracefile import load_trace
from sample_graphs import make

SSHD = shutil.which("sshd") or shutil.which("sshd", path="/usr/sbin:/sbin")
SSH, KEYGEN = shutil.which("ssh"), shutil.which("ssh-keygen")
ROOT = Path(__file__).parents[2]
SERVER = """
ListenAddress 127.0.0.1
Port {port}
HostKey {folder}/host
PidFile {folder}/pid
AuthorizedKeysFile {folder}/user.pub
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
"""
CLIENT = """
Host server
  HostName 127.0.0.1
  Port {port}
  IdentityFile {folder}/user
  IdentitiesOnly yes
  UserKnownHostsFile {folder}/known
  StrictHostKeyChecking accept-new
"""

pytestmark = pytest.mark.skipif(
    os.name != "posix" or not (SSHD and SSH and KEYGEN),
    reason="no ssh or no sshd here (Debian: openssh-server)",
)


@pytest.fixture
def ssh(tmp_path: Path) -> Iterator[list[str]]:
    """Start an sshd with keys of its own; return the command that reaches it."""
    for key in ("host", "user"):
        words = [KEYGEN, "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / key)]
        subprocess.run(words, check=True)  # type: ignore[arg-type]
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (tmp_path / "sshd").write_text(SERVER.format(port=port, folder=tmp_path))
    (tmp_path / "config").write_text(CLIENT.format(port=port, folder=tmp_path))
    log = tmp_path / "log"
    with log.open("wb") as written:
        command = [str(SSHD), "-D", "-e", "-f", str(tmp_path / "sshd")]
        with subprocess.Popen(command, stderr=written) as server:
            try:
                wait_until(lambda: b"Server listening" in log.read_bytes())
                yield [str(SSH), "-F", str(tmp_path / "config"), "server"]
            finally:
                server.terminate()


def there(*words: str) -> str:
    """Return the command line of sssp-scope on the server: this tree, this cache."""
    cache = cache_folder().parent
    settings = [f"PYTHONPATH={ROOT}", f"SSSP_SCOPE_CACHE={cache}"]
    return shlex.join(["env", *settings, sys.executable, "-m", "gpu.cli", *words])


def test_a_graph_goes_in_and_a_trace_comes_out(ssh: list[str], tmp_path: Path) -> None:
    graph = make("grid", n=400)
    save_graph(graph, tmp_path / "g.npz")
    remote = there("run", "-", "--engine", "cpu", "--algorithm", "dijkstra", "--trace", "-")
    with (tmp_path / "g.npz").open("rb") as given, (tmp_path / "run.npz").open("wb") as made:
        done = subprocess.run(
            [*ssh, remote], stdin=given, stdout=made, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 0, done.stderr.decode()
    trace = load_trace(tmp_path / "run.npz")  # nothing else was on its stdout
    assert trace.graph.hash == graph.hash
    assert np.array_equal(trace.dist, oracle_distances(graph, 0))
    assert b"reached 400" in done.stderr  # the report
