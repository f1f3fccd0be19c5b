"""Firefox for tests of pages, driven by its own protocol (Marionette) over a socket.

    with Firefox(folder) as firefox:
        firefox.open("file:///.../page.html")
        firefox.value("scope.clock.now")
        firefox.picture()

A message is its length, a colon and JSON: [0, number, command, what is given] there, [1, number,
error, result] back. Only the standard library is used.
"""

from __future__ import annotations

import base64
import json
import shutil
import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
MISSING = "no Firefox here: apt install firefox-esr"
PATIENCE_S = 60.0
PORT_FILE = "MarionetteActivePort"
SETTINGS = """user_pref("marionette.port", 0);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("app.update.enabled", false);
user_pref("gfx.color_management.mode", 0);
"""
COMPLAINTS = """
  return Services.console.getMessageArray()
    .filter((one) => one instanceof Ci.nsIScriptError && one.sourceName.startsWith('file:'))
    .map((one) => one.errorMessage);"""


class Firefox:
    """One process with a fresh profile in `folder`, and its one tab."""

    def __init__(self, folder: Path) -> None:
        assert FIREFOX is not None, MISSING
        profile = folder / "firefox"
        profile.mkdir()
        (profile / "user.js").write_text(SETTINGS)
        command = [FIREFOX, "--headless", "--marionette", "--no-remote"]
        command += ["--remote-allow-system-access", "--profile", str(profile)]
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(command, stdout=quiet, stderr=quiet)
        self._number = 0
        self._socket = self._connected(profile / PORT_FILE)
        self._file = self._socket.makefile("rb")
        self._read()  # who it is
        self.call("WebDriver:NewSession", capabilities={"alwaysMatch": {}})

    def _connected(self, port: Path) -> socket.socket:
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            if port.is_file() and port.read_text().strip():
                return socket.create_connection(("127.0.0.1", int(port.read_text())), PATIENCE_S)
            time.sleep(0.05)
        self._process.kill()
        raise TimeoutError("Firefox opened no port")

    def __enter__(self) -> Firefox:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _where: TracebackType | None,
    ) -> None:
        try:
            self.call("Marionette:Quit", flags=["eForceQuit"])
        except (OSError, RuntimeError):
            self._process.kill()
        self._process.wait(20)
        self._file.close()
        self._socket.close()

    def call(self, command: str, **given: Any) -> Any:
        """Call a command; return its result, or raise RuntimeError."""
        self._number += 1
        told = json.dumps([0, self._number, command, given]).encode()
        self._socket.sendall(b"%d:%s" % (len(told), told))
        _kind, _number, error, result = self._read()
        if error:
            raise RuntimeError(f"{command}: {error['message']}")
        return result

    def _read(self) -> Any:
        length = b""
        while (digit := self._file.read(1)) != b":":
            if not digit:
                raise RuntimeError("Firefox went away")
            length += digit
        return json.loads(self._file.read(int(length)))

    def open(self, address: str, width: int = 1440, height: int = 900) -> None:
        """Open an address and wait until it is loaded."""
        self.call("WebDriver:SetWindowRect", width=width, height=height)
        self.call("WebDriver:Navigate", url=address)

    def value(self, expression: str) -> Any:
        """Return the value of an expression about the page and its `scope`; `eval` is forbidden."""
        script = f"const {{ scope }} = window; return ({expression});"
        return self.call("WebDriver:ExecuteScript", script=script, args=[])["value"]

    def wait(self, expression: str) -> Any:
        """Wait until an expression is true; return it."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            if found := self.value(expression):
                return found
            time.sleep(0.02)
        raise TimeoutError(expression)

    def press(self, key: str) -> None:
        """Press and release a key: a letter, or a code point of WebDriver's."""
        keys = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self.call("WebDriver:PerformActions", actions=[{"type": "key", "id": "k", "actions": keys}])

    def complaints(self) -> list[str]:
        """Return what the console says of files."""
        self.call("Marionette:SetContext", value="chrome")
        found: list[str] = self.call("WebDriver:ExecuteScript", script=COMPLAINTS, args=[])["value"]
        self.call("Marionette:SetContext", value="content")
        return found

    def picture(self) -> bytes:
        """Return the window as PNG."""
        found = self.call("WebDriver:TakeScreenshot", full=False)
        return base64.b64decode(found["value"])
