"""A window for lessons, and a student who answers them by real clicks and keys."""

from functools import cache
from pathlib import Path

from PyQt6.QtCore import QRect, Qt
from pytestqt.qtbot import QtBot
from screen import all_controls

from gpu.host import EngineHost
from gpu.host.messages import Entries
from gpu.lessons.answers import Bench
from gpu.lessons.read import find_lessons, read_lesson
from viewer.main_window import MainWindow
from viewer.models.decisions import by_hand

LEFT = Qt.MouseButton.LeftButton
PATIENCE_MS = 180_000  # the first run on a machine compiles the model
PATHS = {path.stem: path for path in find_lessons("/nowhere")}


@cache
def answers(path: str) -> Bench:
    """Return a bench of a lesson that knows its answers: not that of the window."""
    return Bench(read_lesson(path))


def open_window(settings: Path) -> MainWindow:
    """Return a window whose engine process is on its way up, and compiles when it has to."""
    window = MainWindow(all_controls(settings), EngineHost(Entries(warm_up="")))
    window.run_on_start = False
    window.resize(1280, 800)
    window.show()
    window.build_plots()
    while window.features.install_next():
        pass
    window.start()
    return window


def settle(window: MainWindow, qtbot: QtBot, problem: str = "") -> None:
    """Wait until nothing is being made."""
    model = window.features["lessons"].model
    qtbot.wait(40)
    qtbot.waitUntil(lambda: model.phase != "working", timeout=PATIENCE_MS)
    assert problem in model.problem if problem else model.problem == "", model.problem


def click(window: MainWindow, qtbot: QtBot, button: object) -> None:
    """Click a button of the panel that can be seen, scrolling to it as a person would."""
    panel = window.features["lessons"].panel
    panel.area.ensureWidgetVisible(button)
    assert button.isVisible()  # type: ignore[attr-defined]
    assert button.isEnabled()  # type: ignore[attr-defined]
    qtbot.mouseClick(button, LEFT)


def next_in(window: MainWindow) -> QRect:
    """Return where the Next button of the lesson stands in the window."""
    button = window.features["lessons"].panel.next
    return QRect(button.mapTo(window, button.rect().topLeft()), button.size())


def answer(window: MainWindow, qtbot: QtBot, right: bool) -> None:
    """Answer the step's question by mouse and keys, then press Check."""
    feature = window.features["lessons"]
    asked, shown = feature.model.question, feature.panel.question
    bench = answers(feature.model.lesson.path)
    assert not feature.panel.check.isEnabled() or feature.model.given is not None
    if asked.kind == "choice":
        place = int(bench.right_answer(asked))
        wrong = next(k for k in range(len(asked.choices)) if not bench.is_right(asked, float(k)))
        click(window, qtbot, shown.group.button(place if right else wrong))
    elif asked.kind == "vertex":
        count = window.session.graph.n
        vertex = next(v for v in range(count) if bench.is_right(asked, float(v)) == right)
        at = window.graph_view.place_of(vertex)
        qtbot.mouseClick(window.graph_view, LEFT, pos=at.toPoint())
    elif asked.kind in ("number", "bucket"):
        true = bench.right_answer(asked)
        ends = sorted((asked.low, asked.high), key=lambda end: abs(end - true))
        shown.box.setFocus()
        shown.box.selectAll()
        qtbot.keyClicks(shown.box, f"{true if right else ends[-1]:.6g}")
        qtbot.keyClick(shown.box, Qt.Key.Key_Return)  # Enter checks
        return
    elif asked.kind == "schedule":
        play(window, qtbot, right=right, quick=asked.goal == "time_ms")
    else:
        times = bench.curve_times(asked)
        ranks = sorted(range(len(times)), key=lambda k: times[k] if right else -times[k])
        for rank, index in enumerate(ranks):
            shown.sliders[index].setValue(int(1000 * (rank + 0.5) / len(times)))
    click(window, qtbot, feature.panel.check)


def play(window: MainWindow, qtbot: QtBot, *, right: bool, quick: bool) -> None:
    """Play a whole game by keys: as Dijkstra, or the farthest first; quickly: all at once."""
    feature = window.features["lessons"]
    click(window, qtbot, feature.panel.question.play)
    game = window.panels["play"]
    qtbot.waitUntil(lambda: game.isVisible() and game.list.count() == 1, timeout=PATIENCE_MS)
    game.delta.setValue(1e6)
    held = Qt.KeyboardModifier.ShiftModifier if quick and right else Qt.KeyboardModifier.NoModifier
    while game.game.waiting:
        if not right:
            qtbot.keyClick(game.list, Qt.Key.Key_End)  # the farthest is the last
        qtbot.keyClick(game.list, Qt.Key.Key_Return, held)
    qtbot.waitUntil(feature.panel.check.isEnabled, timeout=PATIENCE_MS)


def drive(window: MainWindow, qtbot: QtBot) -> None:
    """Begin the run, double Δ once, let the rest go at full speed."""
    panel = window.features["lessons"].panel
    click(window, qtbot, panel.check)
    delta = window.plots["delta"]
    shown = lambda: delta.steerable and len(window.session.current.samples) > 1  # noqa: E731
    qtbot.waitUntil(shown, timeout=PATIENCE_MS)
    qtbot.mouseClick(delta.double_button, LEFT)
    held = lambda: by_hand(window.session.current)  # noqa: E731
    qtbot.waitUntil(held, timeout=PATIENCE_MS)
    click(window, qtbot, panel.hurry)


def walk(window: MainWindow, qtbot: QtBot, right: bool) -> list[bool | None]:
    """Go from the first step to the last; return what each answer was judged."""
    feature = window.features["lessons"]
    model, panel, judged = feature.model, feature.panel, []
    bench = answers(model.lesson.path)
    settle(window, qtbot)
    place = None  # of Next: a class clicks it without looking
    for step in model.lesson.steps:
        assert model.step is step
        if model.question is not None:
            answer(window, qtbot, right)
            settle(window, qtbot)
            judged.append(model.answered.right)
            words = step.question.right if right else step.question.wrong
            known = bench.filled(words)
            assert model.answered.words == known, f"{model.answered.words}\nnot\n{known}"
            assert panel.outcome.isVisible()
        elif step.drive:
            drive(window, qtbot)
            settle(window, qtbot)
            assert "x the time" in model.score, model.score
            assert panel.check.isVisible()
            assert panel.check.text() == "Drive again"
        assert model.text(step.text) == bench.filled(step.text), step.key
        assert panel.next.isEnabled()
        place = place or next_in(window)
        assert next_in(window) == place, step.key
        qtbot.mouseClick(panel.next, LEFT)
        if model.lesson is not None:
            settle(window, qtbot)
    assert model.lesson is None
    return judged
