"""Through a real ssh and a real sshd on loopback, with a key and a configuration of their own."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from host_driver import Driver, wait_until

from gpu.cli.main import main
from gpu.compiled import cache_folder
from gpu.errors import EngineError
from gpu.host import EngineHost, EngineLost, Memory, RunFinished, RunStarted, Verified
from gpu.record.trace import RunSettings
from gpu.remote import Elsewhere
from gpu.remote.about import about
from sample_graphs import make

SSHD = shutil.which("sshd") or shutil.which("sshd", path="/usr/sbin:/sbin")
SSH, KEYGEN = shutil.which("ssh"), shutil.which("ssh-keygen")
ROOT = Path(__file__).parents[2]
HOST = "loop"  # a name of the configuration
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
Host {host}
  HostName 127.0.0.1
  Port {port}
  IdentityFile {folder}/{key}
  IdentitiesOnly yes
  UserKnownHostsFile {folder}/known
  StrictHostKeyChecking accept-new
"""

pytestmark = pytest.mark.skipif(
    os.name != "posix" or not (SSHD and SSH and KEYGEN),
    reason="no sshd here (Debian: openssh-server)",
)


@dataclass
class Server:
    """An sshd, and the folder with its keys."""

    folder: Path
    port: int
    process: subprocess.Popen

    def use_key(self, key: str) -> None:
        """Let our ssh come with this key."""
        words = CLIENT.format(host=HOST, port=self.port, folder=self.folder, key=key)
        (self.folder / "config").write_text(words)

    def sessions(self) -> list[int]:
        """Processes of sshd that serve a connection."""
        ps = ["ps", "-o", "pid=", "--ppid", str(self.process.pid)]
        told = subprocess.run(ps, check=False, capture_output=True, text=True)
        return [int(word) for word in told.stdout.split()]


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for key in ("host", "user", "stranger"):
        words = [KEYGEN, "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / key)]
        subprocess.run(words, check=True)
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (tmp_path / "sshd").write_text(SERVER.format(port=port, folder=tmp_path))
    log = (tmp_path / "log").open("wb")
    assert SSHD is not None
    process = subprocess.Popen([SSHD, "-D", "-e", "-f", str(tmp_path / "sshd")], stderr=log)
    ours = tmp_path / "ssh"
    ours.write_text(f'#!/bin/sh\nexec {SSH} -F {shlex.quote(str(tmp_path / "config"))} "$@"\n')
    ours.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    found = Server(tmp_path, port, process)
    found.use_key("user")
    try:
        wait_until(lambda: b"Server listening" in (tmp_path / "log").read_bytes())
        yield found
    finally:
        for pid in found.sessions():
            os.kill(pid, signal.SIGKILL)
        process.kill()
        process.wait()
        log.close()


@pytest.fixture
def there(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Elsewhere:
    compiled, cache = cache_folder(), tmp_path / "cache"
    compiled.mkdir(parents=True, exist_ok=True)
    cache.mkdir()
    (cache / compiled.name).symlink_to(compiled)
    monkeypatch.setenv("SSSP_SCOPE_CACHE", str(cache))
    settings = [f"PYTHONPATH={ROOT}", f"SSSP_SCOPE_CACHE={cache}"]
    words = ["env", *settings, sys.executable, "-m", "gpu.cli", "engine", "--stdio"]
    return Elsewhere(HOST, f"exec {shlex.join(words)}", asks=False)


def test_a_run_goes_over_a_real_ssh(there: Elsewhere, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "sample:grid?n=400", "--on", f"{there.address} {there.command}", "--verify"]
    assert main([*words, "--engine", "cpu"]) == 0
    told = capsys.readouterr().out
    assert "cpu on loop" in told
    assert "verified    yes" in told


def test_a_stranger_is_refused_in_one_sentence(there: Elsewhere, server: Server) -> None:
    server.use_key("stranger")
    with pytest.raises(EngineError, match=r"^loop: no engine answered .*Permission denied") as told:
        about(there)
    assert str(told.value).endswith(
        "log in there once by ssh in a terminal, with a key that asks for no password"
    )


def test_a_run_goes_on_when_sshd_loses_the_connection(
    there: Elsewhere, server: Server, tmp_path: Path
) -> None:
    driver = Driver(EngineHost(memory=Memory(folder=str(tmp_path)), spawn=there.spawn))
    driver.host.start()
    try:
        driver.host.put_graph(make("grid", n=400))
        driver.host.set_pace(60.0)
        run_id = driver.host.run(RunSettings("adds", "model", "H100", 0))
        driver.wait_for(RunStarted, run_id)
        driver.until(lambda: len(driver.host.take_samples()) > 0)
        for pid in server.sessions():
            os.kill(pid, signal.SIGKILL)
        trace = driver.wait_for(RunFinished, run_id).trace
        assert trace.outcome == "finished"
        assert driver.wait_for(Verified, run_id).verification.passed
        assert not any(isinstance(message, EngineLost) for message in driver.heard)
    finally:
        driver.host.close()
