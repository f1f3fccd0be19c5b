"""What every test shares: settings in a temporary folder, no screen, nothing left behind.

The leak guard looks after each test for top-level widgets, running QThreads, child
processes and shared-memory segments that were not there before it. A fixture of wider scope
(one engine process for a module) is there before the test, so it is not a leak.

Real graphs stand beside the checkout and are not ours to ship: tests that want them take
`shared_graphs` and are skipped with a reason where they are absent.
"""

import gc
import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from weakref import WeakSet

import pytest
from hypothesis import settings

gc.disable()  # until every module is imported
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # hundreds of processes import the same modules
sys.dont_write_bytecode = False

settings.register_profile("dev", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")

CHECKOUT = Path(__file__).resolve().parents[1]
SEGMENTS = Path("/dev/shm")  # Linux shows segments as files; elsewhere they are not listed
SEGMENT_PREFIX = "sssp"
PATIENCE_S = 3.0  # how long a closing process or thread may take to be gone


def pytest_configure(config: pytest.Config) -> None:
    """Let several workers take files in the order below, not those with most tests first.

    Each worker collects another room first: bytecode that one has made the others only load.
    """
    if hasattr(config.option, "loadscopereorder"):  # pytest-xdist
        config.option.loadscopereorder = False
    worker = getattr(config, "workerinput", None)
    if worker is not None and config.args == config.getini("testpaths"):
        rooms = sorted(map(str, Path(__file__).parent.glob("[a-z]*/")))
        first = len(rooms) * int(worker["workerid"][2:]) // worker["workercount"]
        config.args[:] = rooms[first:] + rooms[:first]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with files that have slow tests: one that comes last is waited for alone."""
    slow = {item.path for item in items if item.get_closest_marker("slow") is not None}
    items.sort(key=lambda item: (item.path not in slow, item.path))


def pytest_collection_finish() -> None:
    """Let no garbage collection look at 300,000 objects of modules: 0.15 s, in most Qt tests."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)
    gc.enable()


@pytest.fixture(scope="session")
def shared_graphs() -> Path:
    """Return the folder of real graphs beside the checkout, or skip."""
    default = CHECKOUT.parent / "shared" / "graphs"
    folder = Path(os.environ.get("SSSP_SCOPE_SHARED_GRAPHS", default))
    if not folder.is_dir():
        pytest.skip("no ../shared/graphs beside the checkout (or $SSSP_SCOPE_SHARED_GRAPHS)")
    return folder


@pytest.fixture(autouse=True)
def any_font(request: pytest.FixtureRequest) -> None:
    """Skip what measures words where there is none: without a font Qt draws wide boxes."""
    if request.node.get_closest_marker("font") is None:
        return
    request.getfixturevalue("qapp")
    from PyQt6.QtGui import QFontInfo
    from PyQt6.QtWidgets import QApplication

    if QFontInfo(QApplication.font()).pixelSize() <= 0:
        pytest.skip("no font is installed: words have no width (Debian: fonts-dejavu-core)")


@pytest.fixture(autouse=True)
def settings_folder(
    request: pytest.FixtureRequest, tmp_path_factory: Any, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Send QSettings of this test, and of processes that it starts, to a fresh folder."""
    folder = Path(mkdtemp(dir=tmp_path_factory.getbasetemp()))  # a fifth of `tmp_path`'s time
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    if _uses_qt(request):
        from PyQt6.QtCore import QSettings

        QSettings.setDefaultFormat(QSettings.Format.IniFormat)
        for kind in (QSettings.Format.IniFormat, QSettings.Format.NativeFormat):
            QSettings.setPath(kind, QSettings.Scope.UserScope, str(folder))
    return folder


@pytest.fixture
def host() -> Any:
    """A stand-in for the engine process."""
    from test_controller import FakeHost

    return FakeHost()


@pytest.fixture(name="settings")
def window_settings(tmp_path: Path) -> Any:
    """Settings of a window with all controls, in a file of their own."""
    from viewer.models.settings import Settings

    settings = Settings(tmp_path / "window.ini")
    settings.set_value("arrangement", "explore")
    return settings


@pytest.fixture
def window(qapp: Any, settings: Any, host: Any) -> Iterator[Any]:
    """A window on screen with its plots, closed afterwards."""
    from test_window import close_for_good

    from viewer.main_window import MainWindow

    window = MainWindow(settings, host)
    window.show()
    window.build_plots()
    yield window
    close_for_good(window)
    assert host.asked("close") == [None]


@pytest.fixture(autouse=True)
def leak_guard(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail the test that leaves a widget, thread, process or segment behind."""
    watched: dict[str, Callable[[], set[str]]] = {
        "child processes": _child_processes,
        "shared memory segments": _segments,
    }
    if _uses_qt(request):
        watched["top-level widgets"] = _top_level_widgets
        watched["running QThreads"] = _running_threads
    before = {what: look() for what, look in watched.items()}
    yield
    left = {what: _left_over(look, before[what]) for what, look in watched.items()}
    left = {what: names for what, names in left.items() if names}
    if _uses_qt(request):
        _text_of_usual_size()
    assert not left, f"left behind by this test: {left}"


def _uses_qt(request: pytest.FixtureRequest) -> bool:
    return "qapp" in request.fixturenames


def _left_over(look: Callable[[], set[str]], before: set[str]) -> set[str]:
    """Return what is new, once it had time to go. As many as before is no leak (a restart)."""
    end = time.monotonic() + PATIENCE_S
    pause = threading.Event()
    while len(now := look()) > len(before) and time.monotonic() < end:
        pause.wait(0.02)
    return now - before if len(now) > len(before) else set()


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call() -> Iterator[None]:
    """Collect no garbage from the end of a test on: its widgets, local to it, may be in a paint.

    pytest-qt handles events then, and holds them by weak references.
    """
    try:
        return (yield)
    finally:
        gc.disable()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown() -> Iterator[None]:
    """Collect garbage again once pytest-qt has closed the widgets."""
    try:
        return (yield)
    finally:
        gc.enable()


def _child_processes() -> set[str]:
    return {f"{child.name} (pid {child.pid})" for child in multiprocessing.active_children()}


def _segments() -> set[str]:
    """Return our segments made under this process; tests run side by side under xdist."""
    if not SEGMENTS.is_dir():
        return set()
    mine = str(os.getpid())
    return {p.name for p in SEGMENTS.glob(f"{SEGMENT_PREFIX}*") if mine in p.name}


def _top_level_widgets() -> set[str]:
    if "PyQt6.QtWidgets" not in sys.modules:
        return set()
    from PyQt6.QtCore import QCoreApplication, QEvent
    from PyQt6.QtWidgets import QApplication

    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    if any(widget.parent() is None for widget in QApplication.topLevelWidgets()):
        gc.collect()
    tops = [widget for widget in QApplication.topLevelWidgets() if widget.parent() is None]
    ours = [widget for widget in tops if not widget.inherits("QTipLabel")]  # Qt keeps one tooltip
    return {f"{type(widget).__name__} at {id(widget):#x}" for widget in ours}


def _text_of_usual_size() -> None:
    """Undo the projector's theme: the next test's first window would be built in its large text."""
    theme = sys.modules.get("viewer.common.theme")
    if theme is None:
        return
    from PyQt6.QtGui import QFont
    from PyQt6.QtWidgets import QApplication

    from viewer.common.text_size import SYSTEM_FONT

    app = QApplication.instance()
    usual = app.property(SYSTEM_FONT) if isinstance(app, QApplication) else None
    if isinstance(usual, QFont) and usual != QApplication.font():
        theme.apply_theme(app, "light")


def _running_threads() -> set[str]:
    from PyQt6 import sip

    alive = [thread for thread in _started_threads() if not sip.isdeleted(thread)]
    return {f"{type(thread).__name__} at {id(thread):#x}" for thread in alive if thread.isRunning()}


@cache
def _started_threads() -> WeakSet[Any]:
    """Return every QThread started from now on: looking for them on the heap took 0.1 s a test."""
    from PyQt6.QtCore import QThread

    threads: WeakSet[Any] = WeakSet()
    start = QThread.start

    def noted(thread: Any, *priority: Any) -> None:
        threads.add(thread)
        start(thread, *priority)

    QThread.start = noted
    return threads
