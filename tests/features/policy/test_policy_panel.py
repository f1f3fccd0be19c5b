"""Write a scheduler, in a window with its engine process: run, compare, sweep, errors, keeping."""

from pathlib import Path

from pytestqt.qtbot import QtBot
from test_window_engine import window

import sample_graphs
from viewer.features.policy import PolicyFeature, PolicyPanel, examples
from viewer.main_window import MainWindow

__all__ = ["window"]  # the fixture, as it stands there


def opened(window: MainWindow) -> PolicyPanel:
    window.controller.show_graph(sample_graphs.make("city_roads", n=300, seed=1))
    window.actions_by_key["policy"].trigger()
    return window.panels["policy"]


def press(panel: PolicyPanel, name: str) -> None:
    panel.buttons[name].click()


def finished(window: MainWindow, runs: int) -> bool:
    made = [run for run in window.session.runs if run.state in ("finished", "failed")]
    return len(made) >= runs and not window.controller.running


def test_run_compare_and_sweep(window: MainWindow, qtbot: QtBot) -> None:
    panel, before = opened(window), len(window.session.runs)
    panel.asked.emit("pi.py")
    assert panel.editor.toPlainText() == examples()["pi.py"]
    press(panel, "Compare with ADDS")
    qtbot.waitUntil(lambda: window.comparison.active, timeout=60_000)
    names = [run.title.partition(" on ")[0] for run in (window.comparison.a, window.comparison.b)]
    assert names == ["ADDS, policy pi.py", "ADDS"]
    assert window.comparison.a.verification.passed
    qtbot.waitUntil(lambda: finished(window, before + 2), timeout=60_000)
    press(panel, "Sweep")
    qtbot.waitUntil(lambda: not window.sweep.running, timeout=120_000)
    own = window.sweep.findings.controller
    assert own is not None
    assert own.time_ns == window.comparison.a.trace.time_ns
    assert [point.settings.policy for point in window.sweep.points][1:] == [None] * 12
    assert " pi.py: " in window.panels["sweep"].summary_text()
    window.actions_by_key["copy_command"].trigger()
    assert "Save the policy" in window.session.notice.advice


def test_errors_stand_at_their_line(window: MainWindow, qtbot: QtBot) -> None:
    panel = opened(window)
    panel.asked.emit("broken.py")
    press(panel, "Run")
    qtbot.waitUntil(lambda: "Δ = " in panel.words.text(), timeout=60_000)
    (mark,) = panel.editor.extraSelections()
    assert mark.cursor.blockNumber() + 1 == 9
    panel.editor.setPlainText(examples()["pi.py"] + "    x = speed\n")
    press(panel, "Run")
    line = panel.editor.blockCount() - 1
    assert panel.words.text() == f"broken.py, line {line}: speed has no value."
    (mark,) = panel.editor.extraSelections()
    assert mark.cursor.blockNumber() + 1 == line


def test_no_text_is_lost(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    panel = opened(window)
    panel.editor.setPlainText("# mine")
    panel.asked.emit("greedy.py")
    panel.editor.undo()
    assert panel.editor.toPlainText() == "# mine"
    part = window.features["policy"]
    part.save(str(tmp_path / "no_folder" / "mine.py"))
    qtbot.waitUntil(lambda: "was not saved" in str(window.session.notice))
    assert part.name == "greedy.py"
    part.save(str(tmp_path / "mine.py"))
    qtbot.waitUntil(lambda: part.name == "mine.py")
    assert (tmp_path / "mine.py").read_text() == "# mine"
    panel.editor.setPlainText("# more")
    part.close()
    again = PolicyFeature(window)
    assert (again.name, again.text) == ("mine.py", "# more")
