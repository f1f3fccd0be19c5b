"""`lab fetch` against servers that are slow, break off, lie about length or serve another file."""

import io
import re
import tarfile
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from gpu.cli import main as cli
from gpu.formats import load_graph

pytest.importorskip("pooch")
MATRIX = """%%MatrixMarket matrix coordinate real general
% by nobody
2 4 3
1 2 2.5
2 4 -1
1 4 9
"""
NAME, PATH = "watson_1", "/Mittelmann/watson_1.tar.gz"  # rectangular
Case = tuple[bytes, int | None, str]  # what is sent, the length that is claimed, what is said
Answer = Callable[[int, int], int]  # of first byte and bytes left: bytes that are sent


def packed(matrix: str = MATRIX, inside: str = f"{NAME}/{NAME}.mtx", more: int = 200_000) -> bytes:
    """Return an archive as the collection's; a file of random bytes lies before the matrix."""
    out = io.BytesIO()
    noise = np.random.default_rng(1).bytes(more)
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, data in (("../../escaped.txt", noise), (inside, matrix.encode())):
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return out.getvalue()


def whole(_begin: int, size: int) -> int:
    return size


def breaks_off(_begin: int, size: int) -> int:
    return max(90_000, size // 2)


def never_more(begin: int, _size: int) -> int:
    return max(0, 70_000 - begin)


class Server:
    """A slow collection on this machine; `asked`: from which byte on it was asked."""

    def __init__(self) -> None:
        self.data, self.answer, self.asked = packed(), whole, list[int]()
        self.length: int | None = None  # that it claims
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                begin = int(re.findall(r"\d+", self.headers["Range"])[0])
                outer.asked.append(begin)
                found = self.path == PATH
                data = outer.data[begin:] if found else b""
                self.send_response(206 if begin and found else 200 if found else 404)
                self.send_header("Content-Length", str(outer.length or len(data)))
                self.end_headers()
                data = data[: outer.answer(begin, len(data))]
                for at in range(0, len(data), 50_000):
                    self.wfile.write(data[at : at + 50_000])
                    time.sleep(0.0 if len(data) > 10**6 else 0.005)

            def log_message(self, *_words: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


def fetch(server: Server, folder: Path, *names: str) -> int:
    words = ["--only", *(names or [NAME]), "--mirror", server.url, "--graphs", str(folder)]
    return cli.main(["lab", "fetch", "paper", *words])


@pytest.mark.parametrize(("answer", "asked"), [(whole, 1), (breaks_off, 3)])
def test_a_graph_arrives(
    server: Server, tmp_path: Path, answer: Answer, asked: int, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answer = answer
    tmp_path = tmp_path / "more" / "graphs"  # made by the command
    assert fetch(server, tmp_path) == 0
    said = capsys.readouterr().out
    assert "1 of 1 graphs are missing" in said
    assert re.search(r"about \d+ MB will arrive, \d+ MB will be kept", said)
    graph = load_graph(tmp_path / f"{NAME}.mtx", weights="absolute")
    assert (graph.n, graph.indices.tolist(), graph.weights.tolist()) == (4, [1, 3, 3], [2.5, 9, 1])
    assert len(server.asked) == asked
    assert server.asked == sorted(set(server.asked))  # nothing was fetched twice
    kept = {path.name for path in tmp_path.iterdir()}
    assert kept == {f"{NAME}.mtx", "graphs.lock", "citation.md"}
    assert not list(tmp_path.parent.parent.rglob("escaped.txt"))
    assert fetch(server, tmp_path) == 0
    assert len(server.asked) == asked  # it is there


def test_what_broke_off_goes_on_with_the_next_command(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answer = never_more
    assert fetch(server, tmp_path) == 1
    assert "broke off after 66 kB; repeat the command to go on" in capsys.readouterr().err
    server.answer = whole
    assert fetch(server, tmp_path) == 0
    assert server.asked[-1] == 4 * 2**14


def test_another_file_than_the_one_first_seen_is_refused(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fetch(server, tmp_path) == 0
    lock = (tmp_path / "graphs.lock").read_text()
    assert lock.startswith(f"{NAME}.tar.gz sha256:")
    (tmp_path / f"{NAME}.mtx").unlink()
    server.data = packed(MATRIX.replace("9", "8"))
    assert fetch(server, tmp_path) == 1
    assert "another file than the one noted in" in capsys.readouterr().err
    assert not (tmp_path / f"{NAME}.mtx").exists()
    assert (tmp_path / "graphs.lock").read_text() == lock


@pytest.mark.parametrize(
    "case",
    [
        (packed(), 150_000, "no whole archive"),  # it says less than there is
        (packed(), 300_000, "broke off after 19"),  # and more
        (packed(inside=f"{NAME}/other.mtx"), None, f"no {NAME}.mtx in it"),
        (b"<html>not found</html>", None, "no whole archive"),
        (bytes(200_000_000), None, "which it cannot be"),
        (packed("1" * 100_000_000), None, "which it cannot have"),
    ],
    ids=["short", "long", "other", "page", "endless", "bomb"],
)
def test_what_is_no_graph_leaves_nothing(
    server: Server, tmp_path: Path, case: Case, capsys: pytest.CaptureFixture[str]
) -> None:
    server.data, server.length, words = case
    assert fetch(server, tmp_path) == 1
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
    assert not {f"{NAME}.mtx", "graphs.lock"} & {path.name for path in tmp_path.iterdir()}


def test_what_the_collection_does_not_have_is_said(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fetch(server, tmp_path, "rmat22", "msdoor") == 1
    error = capsys.readouterr().err
    assert "rmat22: not in the collection: put rmat22.gr of" in error
    assert "msdoor.tar.gz: 404" in error
    assert fetch(server, tmp_path, "rmat99") == 1
    assert "none of the paper's 226 graphs; did you mean" in capsys.readouterr().err
