"""A real browser for tests of pages: Chromium, driven by its DevTools protocol over two pipes.

    with Browser(folder) as browser:
        page = browser.open("file:///.../page.html", width=1440, height=900)
        page.wait("document.documentElement.dataset.ready")
        page.press("ArrowLeft")
        page.value("scope.clock.now")

Only the standard library is used.
"""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Self

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
MISSING = "no Chromium here: apt install chromium"
PATIENCE_S = 60.0
KEYS = {" ": ("Space", 32), "ArrowLeft": ("ArrowLeft", 37), "ArrowRight": ("ArrowRight", 39)}
KEYS |= {"Home": ("Home", 36), "End": ("End", 35), "t": ("KeyT", 84)}
AS_3_AND_4 = """import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execv(sys.argv[3], sys.argv[3:])"""  # where the browser reads commands and writes answers
SWITCHES = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--remote-debugging-pipe",
)


class Browser:
    """One process of Chromium with a fresh profile in `folder`."""

    def __init__(self, folder: Path) -> None:
        assert CHROMIUM is not None, MISSING
        (commands, self._to_write), (self._from_read, answers) = os.pipe(), os.pipe()
        command = [CHROMIUM, *SWITCHES, f"--user-data-dir={folder / 'profile'}", "about:blank"]
        handed = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (commands, answers)]
        self._process = subprocess.Popen(
            [sys.executable, "-c", AS_3_AND_4, *map(str, handed), *command],
            pass_fds=handed,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for end in (commands, answers, *handed):
            os.close(end)
        self._held = b""
        self._number = 0
        self.events: list[dict[str, Any]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        try:
            self.call("Browser.close")
        except (OSError, RuntimeError):
            self._process.kill()
        self._process.wait(20)
        os.close(self._to_write)
        os.close(self._from_read)

    def open(
        self, address: str, width: int = 1440, height: int = 900, dark: bool = False
    ) -> "Page":
        """Open an address in a tab of its own and wait until it is loaded."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session, target)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(f"{domain}.enable")
        size = {"width": width, "height": height, "deviceScaleFactor": 1.0, "mobile": False}
        page.call("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        page.call("Emulation.setEmulatedMedia", media="", features=[scheme])
        page.call("Page.navigate", url=address)
        page.wait("document.readyState === 'complete'")
        return page

    def call(self, method: str, session: str = "", **given: Any) -> dict[str, Any]:
        """Call a method of the protocol; return its result, or raise RuntimeError."""
        self._number += 1
        told: dict[str, Any] = {"id": self._number, "method": method, "params": given}
        if session:
            told["sessionId"] = session
        os.write(self._to_write, json.dumps(told).encode() + b"\0")
        wanted = self._number
        while True:
            message = self._next()
            if message.get("id") == wanted:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                result: dict[str, Any] = message["result"]
                return result
            self.events.append(message)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._held:
            got = os.read(self._from_read, 1 << 20)
            if not got:
                raise RuntimeError("the browser went away")
            self._held += got
        line, _, self._held = self._held.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        return message


class Page:
    """One tab."""

    def __init__(self, browser: Browser, session: str, target: str) -> None:
        self._browser, self._session, self._target = browser, session, target

    def call(self, method: str, **given: Any) -> dict[str, Any]:
        """Call a method of the protocol in this tab."""
        return self._browser.call(method, self._session, **given)

    def close(self) -> None:
        """Close the tab."""
        self._browser.call("Target.closeTarget", targetId=self._target)

    def value(self, expression: str) -> Any:
        """Return the value of a JavaScript expression; promises are awaited."""
        given = {"expression": expression, "returnByValue": True, "awaitPromise": True}
        found = self.call("Runtime.evaluate", **given)
        if "exceptionDetails" in found:
            raise RuntimeError(str(found["exceptionDetails"]))
        return found["result"].get("value")

    def wait(self, expression: str) -> Any:
        """Wait until an expression is true, also of a page that is on its way; return its value."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            try:
                found = self.value(expression)
            except RuntimeError:
                found = None
            if found:
                return found
            time.sleep(0.02)
        raise TimeoutError(f"{expression} did not become true; {self.complaints()}")

    def complaints(self) -> list[str]:
        """Return what the browser complained of in this tab: errors, what the policy refused."""
        found = []
        for event in self._browser.events:
            if event.get("sessionId") != self._session:
                continue
            told = event.get("params", {})
            if event["method"] == "Log.entryAdded" and told["entry"]["level"] != "verbose":
                found.append(told["entry"]["text"])
            if event["method"] == "Runtime.exceptionThrown":
                found.append(str(told["exceptionDetails"].get("exception", told)))
        return found

    def requests(self) -> list[str]:
        """Return every address that this tab asked for, but for data: and blob:."""
        asked = [
            event["params"]["request"]["url"]
            for event in self._browser.events
            if event.get("sessionId") == self._session
            and event["method"] == "Network.requestWillBeSent"
        ]
        return [url for url in asked if not url.startswith(("data:", "blob:"))]

    def press(self, key: str, shift: bool = False) -> None:
        """Press and release a key."""
        code, number = KEYS[key]
        given = {"key": key, "code": code, "windowsVirtualKeyCode": number}
        given |= {"modifiers": 8 if shift else 0}
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", **given, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **given)

    def click(self, selector: str, place: int = 0) -> None:
        """Click the middle of an element, in sight and at rest, with the mouse."""
        box = self.value(
            "(async () => { for (let last = '', box; ; last = box) {"
            "  await new Promise((done) => setTimeout(() => requestAnimationFrame(done), 20));"
            f"  const found = document.querySelectorAll({json.dumps(selector)})[{place}];"
            "  found.scrollIntoView({ block: 'center' });"
            "  const { x, y, width, height } = found.getBoundingClientRect();"
            "  box = JSON.stringify([x + width / 2, y + height / 2]);"
            "  if (box === last) return JSON.parse(box); } })()"
        )
        where = {"x": box[0], "y": box[1], "button": "left", "clickCount": 1}
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=box[0], y=box[1])
        self.call("Input.dispatchMouseEvent", type="mousePressed", buttons=1, **where)
        self.call("Input.dispatchMouseEvent", type="mouseReleased", **where)
