"""Features: parts of the window that bring rows, docks and wiring, and can be taken away."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtWidgets import QApplication, QDialog, QFileDialog
from pytestqt.qtbot import QtBot
from test_controller import FakeHost, path_graph, say, trace_of
from test_window import close_for_good, with_finished_run

import sample_graphs
from gpu.host import GraphLoaded, RunFinished, RunStarted
from viewer import features, main_window
from viewer.actions import MENUS
from viewer.common.icons import read_icon
from viewer.common.theme import THEMES
from viewer.feature import FeaturePart
from viewer.features import FEATURES, installer
from viewer.main_window import MainWindow
from viewer.models.settings import Settings

NAMES = tuple(feature.key for feature in FEATURES)
LEFT_OUT = {"quit", "present"}  # close the window, go to full screen: tests of their own
LATER = {f"theme_{name}" for name in THEMES}  # see `show_everything`


def test_the_table_is_sound() -> None:
    actions = [action for menu in MENUS for action in menu.actions]
    assert len({action.key for action in actions}) == len(actions)
    keys = [key for action in actions for key in action.shortcuts]
    assert len(set(keys)) == len(keys), sorted(key for key in keys if keys.count(key) > 1)
    for action in actions:
        assert action.by in ("", *NAMES), action.key
        assert action.tooltip, action.key
        assert action.submenu or action.handler, action.key
        if action.icon:
            assert "<svg" in read_icon(action.icon)
    docks = [key for feature in FEATURES for key in feature.docks]
    assert len(set(docks)) == len(docks)


def test_every_module_here_is_a_feature() -> None:
    top = Path(features.__file__).parent
    modules = {path.stem for path in top.glob("*.py")} - {"__init__"}
    folders = {path.parent.name for path in top.glob("*/feature.py")}
    assert modules | folders == set(NAMES)
    assert not modules & folders
    for name in NAMES:
        assert issubclass(installer(name), FeaturePart)


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path, host: FakeHost) -> Iterator[MainWindow]:
    window = opened(Settings(tmp_path / "window.ini"), host)
    yield window
    close_for_good(window)


def opened(settings: Settings, host: FakeHost) -> MainWindow:
    window = MainWindow(settings, host)  # type: ignore[arg-type]
    window.show()
    window.build_plots()
    while window.features.install_next():
        pass
    return window


def close_dialogs(window: MainWindow) -> None:
    QApplication.processEvents()
    for dialog in QApplication.topLevelWidgets():
        if isinstance(dialog, QDialog) and window.isAncestorOf(dialog):
            dialog.close()


GROUPS = [NAMES[first::3] for first in range(3)]  # neighbours in the table are parted


@pytest.mark.parametrize("gone", GROUPS, ids="-".join)
def test_each_feature_can_be_taken_away(
    gone: tuple[str, ...],
    qapp: QApplication,
    qtbot: QtBot,
    tmp_path: Path,
    host: FakeHost,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    left = tuple(feature for feature in FEATURES if feature.key not in gone)
    monkeypatch.setattr(main_window, "FEATURES", left)
    monkeypatch.setattr(QFileDialog, "exec", lambda _self: 0)
    window = opened(Settings(tmp_path / "window.ini"), host)
    try:
        assert not {action.by for action in window.actions_by_key.table.values()} & set(gone)
        for feature in FEATURES:
            there = feature.docks.keys() <= window.docks.by_key.keys()
            assert there == (feature.key not in gone or not feature.docks)
        open_sample_and_run(window, host)
        trigger_everything(window, host)
        show_everything(window)
    finally:
        close_for_good(window)
    assert host.asked("close") == [None]


def open_sample_and_run(window: MainWindow, host: FakeHost) -> None:
    window.open_path("sample:figure_6")
    graph = sample_graphs.make("figure_6")
    asked = window.controller._load_id
    say(window.controller, host, GraphLoaded(asked, graph, graph.positions))
    assert window.session.graph is graph
    window.actions_by_key["run"].trigger()
    record = window.session.current
    trace = trace_of(graph, record.settings)
    say(window.controller, host, RunStarted(record.run_id), RunFinished(record.run_id, trace))
    assert record.state == "finished"


def trigger_everything(window: MainWindow, host: FakeHost) -> None:
    """Use every action that can be used; a second run is there to be compared with.

    Nothing is painted meanwhile; `show_everything` does that.
    """
    with_finished_run(window, host)
    window.setUpdatesEnabled(False)
    for key in list(window.actions_by_key.table):
        action = window.actions_by_key[key]
        if key not in LEFT_OUT | LATER and action.isEnabled() and action.menu() is None:
            action.trigger()
            close_dialogs(window)
    if window.actions_by_key.find("palette") is not None:
        for entry in window.features["palette"].entries():
            assert entry.words
    if window.controller.running:
        window.controller.stop()
    window.setUpdatesEnabled(True)


def show_everything(window: MainWindow) -> None:
    window.controller.show_graph(path_graph())
    for key in window.docks.by_key:
        panel = window.show_dock(key)
        assert window.docks[key].isVisible()
        assert panel is window.docks[key].widget()
    window.actions_by_key["theme_projector"].trigger()  # its text is larger, too
    QApplication.processEvents()
    assert window.theme.name == "projector"
    for key in ("explore", "compare"):
        window.docks.choose(key)
        QApplication.processEvents()
        assert window.docks["timeline"].isVisible()
