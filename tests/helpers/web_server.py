"""A server on this machine for tests of addresses: it answers, stalls, lies and breaks off."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from gpu import address

PATIENCE_S = 30.0


class _Handler(BaseHTTPRequestHandler):
    """One request; what it does is the first word of its path."""

    server: TestServer

    def do_GET(self) -> None:
        """Answer as the path says."""
        self.server.asked.append(self.path)
        how = self.path.split("/")[1]
        body = self.server.body
        if how == "gone":
            self.send_error(404)
        elif how == "away":
            self._head(302, Location=self.path.replace("/away/", "/plain/"))
        elif how == "elsewhere":
            self._head(302, Location="file:///etc/passwd")
        elif how == "kept" and self.headers["If-None-Match"] == '"one"':
            self._head(304)
        elif how == "kept":
            self._head(200, ETag='"one"', Content_Length=str(len(body)))
            self.wfile.write(body)
        elif how == "short":  # promises more than it has
            self._head(200, Content_Length=str(len(body) + 1000))
            self.wfile.write(body)
        elif how == "unsaid":
            self._head(200)
            self.wfile.write(body)
        elif how == "stall":
            self._head(200, Content_Length=str(len(body)))
            self.wfile.write(body[:10])
            self.wfile.flush()
            self.server.over.wait(PATIENCE_S)
        elif how == "huge":
            self._head(200, Content_Length=str(10**15))
        else:
            self._head(200, Content_Length=str(len(body)))
            self.wfile.write(body)
        self.close_connection = True

    def _head(self, code: int, **headers: str) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def log_message(self, *_words: object) -> None:
        """Say nothing."""


class TestServer(ThreadingHTTPServer):
    """Serves one body."""

    __test__ = False
    daemon_threads = False

    def __init__(self, body: bytes) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.body, self.asked = body, list[str]()
        self.over = threading.Event()

    def address(self, path: str) -> str:
        """Return the address of a path."""
        return f"http://127.0.0.1:{self.server_address[1]}/{path}"


def keep_private(monkeypatch: pytest.MonkeyPatch, folder: Path, patience_s: float) -> None:
    """Let addresses be kept in a folder of the test's own, fetched past proxies, for so long."""
    monkeypatch.setattr(address, "addresses_folder", lambda: folder)
    monkeypatch.setattr(address, "PATIENCE_S", patience_s)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@contextmanager
def serving(body: bytes) -> Iterator[TestServer]:
    """Serve while the block lasts."""
    server = TestServer(body)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        thread.join()
        server.server_close()
