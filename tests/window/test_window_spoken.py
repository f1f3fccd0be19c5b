"""What a screen reader is told of the real window: its tree, read over AT-SPI on a real X server.

The reader is a process of the system's Python, which has pyatspi; window and reader share a bus of
their own. It waits until the runs that the window opens on are described, and prints the tree.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from test_window_xvfb import display  # noqa: F401  # a fixture

pytestmark = [pytest.mark.xvfb, pytest.mark.slow]

CHECKOUT = Path(__file__).resolve().parents[2]
BUS = Path("/usr/libexec/at-spi-bus-launcher")
READERS = ("/usr/bin/python3", sys.executable)
PATIENCE_S = 90
READ = """
import json, sys, time
import pyatspi

def tree(node, found):
    state = node.getState()
    if state.contains(pyatspi.STATE_SHOWING):
        labels = [one.getTarget(at).name for one in node.getRelationSet()
                  if one.getRelationType() == pyatspi.RELATION_LABELLED_BY
                  for at in range(one.getNTargets())]
        found.append((node.getRoleName(), node.name, node.description, labels))
    for at in range(node.childCount):
        child = node.getChildAtIndex(at)
        if child is not None:
            tree(child, found)
    return found

end = time.monotonic() + float(sys.argv[1])
found = []
while time.monotonic() < end:
    time.sleep(0.5)
    desktop = pyatspi.Registry.getDesktop(0)
    ours = [one for one in desktop if one is not None and one.name == "sssp-scope"]
    try:
        found = tree(ours[0], []) if ours else []
    except Exception:  # a part that went while it was read
        continue
    if all(any(one[1] == name and word in one[2] for one in found)
           for name, word in (("Timeline", "settled"), ("Graph", "Distance"))):
        break
print("TREE" + json.dumps(found))
"""
BOTH = """
"$1" --launch-immediately & bus=$!
"$2" -m viewer.app >window.txt 2>&1 & window=$!
"$3" -c "$4" "$5"
kill $window; wait $window; kill $bus
"""


def reader() -> str:
    """Return a Python that has pyatspi, or skip."""
    for python in READERS:
        asked = [python, "-c", "import pyatspi"]
        if Path(python).exists():
            done = subprocess.run(asked, capture_output=True, check=False)
            if done.returncode == 0:
                return python
    pytest.skip("no pyatspi here: apt install python3-pyatspi at-spi2-core")


def test_what_a_screen_reader_is_told(display: str, tmp_path: Path) -> None:  # noqa: F811
    session = shutil.which("dbus-run-session")
    if session is None or not BUS.is_file():
        pytest.skip("no dbus-run-session and at-spi2-core here")
    python = reader()
    environment = {
        **os.environ,
        "DISPLAY": display,
        "HOME": str(tmp_path),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "XDG_RUNTIME_DIR": str(tmp_path),
        "PYTHONPATH": str(CHECKOUT),
        "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
    }
    for name in ("QT_QPA_PLATFORM", "WAYLAND_DISPLAY"):
        environment.pop(name, None)
    tmp_path.chmod(0o700)
    words = ["sh", "-c", BOTH, "sh", str(BUS), sys.executable, python, READ, str(PATIENCE_S)]
    done = subprocess.run(
        [session, "--", *words],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S + 60,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("TREE")]
    assert lines, done.stderr
    found = json.loads(lines[0].removeprefix("TREE"))
    for panel, expected in {
        "Graph": "Distance from ",
        "Timeline": " % settled",
        "Buckets": "Head is bucket ",
        "Parallelism": "Work assigned",
        "Work": "Work efficiency",
        "Comparison": "sooner",
    }.items():
        said = [words for _, name, words, _ in found if name == panel]
        assert any(expected in words for words in said), (panel, said)
    nameless = [
        role for role, name, words, _ in found if role == "push button" and not name + words
    ]
    assert nameless == []
    mute = [
        name for role, name, words, labels in found if role == "combo box" and not (labels or words)
    ]
    assert mute == [], "choices of what?"
