"""The Run panel: built from the registries, follows the session, asks and never acts."""

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication, QScrollArea
from pytestqt.qtbot import QtBot

import sample_graphs
from gpu.algorithms import ALGORITHMS
from gpu.graph import CSRGraph
from viewer.common.theme import apply_theme
from viewer.frame.run_fields import DeltaSpin
from viewer.frame.run_panel import RunPanel
from viewer.models.machines import CPU_DEVICE
from viewer.models.session import SessionModel

LEFT = Qt.MouseButton.LeftButton
NARROW = 300  # pixels


def numbered_graph() -> CSRGraph:
    """Three vertices that the file calls 10, 20 and 30."""
    tails, heads = np.array([0, 1]), np.array([1, 2])
    ids = np.array([10, 20, 30])
    return CSRGraph.from_arcs(tails, heads, np.ones(2, np.int32), 3, ids=ids, name="numbered")


@pytest.fixture
def session() -> SessionModel:
    return SessionModel()


@pytest.fixture
def panel(session: SessionModel, qtbot: QtBot) -> RunPanel:
    panel = RunPanel(session)
    qtbot.addWidget(panel)
    panel.resize(NARROW, 760)
    panel.show()
    return panel


RUNNABLE = [key for key, row in ALGORITHMS.items() if "model" in row.engines]


def enabled(panel: RunPanel) -> list[str]:
    field = panel._algorithm
    able = [index for index in range(field.count()) if field.model().item(index).isEnabled()]
    return [field.itemData(index) for index in able]


def test_every_knob_of_an_algorithm_has_a_field(panel: RunPanel) -> None:
    for key in RUNNABLE:
        panel._algorithm.setCurrentIndex(panel._algorithm.findData(key))
        row, settings = ALGORITHMS[key], panel.run_settings()
        assert settings.algorithm == key
        assert settings.parameters == {knob.key: knob.default for knob in row.parameters}
        assert row.checked_parameters(settings.parameters) == {**settings.parameters, **row.fixed}
        assert panel._delta_row.isVisibleTo(panel) is row.bucketed


def test_a_machine_offers_what_it_can_run_and_says_why_not_the_rest(panel: RunPanel) -> None:
    assert enabled(panel) == RUNNABLE
    panel._device.setCurrentIndex(panel._device.findData(CPU_DEVICE))
    able = [key for key, row in ALGORITHMS.items() if "cpu" in row.engines]
    assert enabled(panel) == able
    assert panel._algorithm.currentData() == able[0]
    settings = panel.run_settings()
    assert (settings.engine, settings.device) == ("cpu", CPU_DEVICE)
    greyed = panel._algorithm.findData(next(key for key in RUNNABLE if key not in able))
    assert "does not run on this machine" in panel._algorithm.itemData(
        greyed, Qt.ItemDataRole.ToolTipRole
    )


def test_rare_knobs_fold_away(panel: RunPanel, qtbot: QtBot) -> None:
    heads = panel.knobs["open_heads"]
    folded = [heads, *map(panel.knobs.get, ("workers", "buckets", "dynamic_delta", "as_published"))]
    folded += [panel._seed, panel._probe, panel._numbers]
    assert not any(field.isVisible() for field in folded)
    qtbot.mouseClick(panel._advanced, LEFT)
    assert all(field.isVisible() for field in folded)
    heads.setValue(2)
    qtbot.mouseClick(panel._advanced, LEFT)
    assert not heads.isVisible()
    assert panel.run_settings().parameters["open_heads"] == 2
    panel._algorithm.setCurrentIndex(list(ALGORITHMS).index("dijkstra"))
    assert panel._advanced.isVisible()
    panel._algorithm.setCurrentIndex(list(ALGORITHMS).index("adds"))
    assert panel.run_settings().parameters["open_heads"] == 2


def test_delta_doubles_and_halves(qtbot: QtBot) -> None:
    spin = DeltaSpin()
    qtbot.addWidget(spin)
    spin.setValue(3.0)
    spin.stepUp()
    assert spin.value() == 6.0
    for _ in range(3):
        spin.stepDown()
    assert spin.value() == 0.75
    assert spin.textFromValue(0.03125) == "0.03125"
    spin.lineEdit().setText("1e4")
    spin.interpretText()
    assert spin.value() == 10_000
    spin.lineEdit().setText("nonsense")
    spin.interpretText()
    assert spin.value() == 10_000


def test_fixed_delta_reaches_the_settings(panel: RunPanel, qtbot: QtBot) -> None:
    assert panel.run_settings().delta is None
    assert panel._delta.isHidden()
    with qtbot.waitSignal(panel.choices_changed):
        panel._automatic.click()
    panel._delta.setValue(64.0)
    assert panel.run_settings().delta == 64.0
    assert not panel._delta.isHidden()
    moving = panel.knobs["dynamic_delta"]
    assert not moving.isEnabled()  # nothing moves a Δ that is given
    panel._automatic.click()
    assert moving.isEnabled()


def test_source_goes_by_the_file_s_own_number(
    panel: RunPanel, session: SessionModel, qtbot: QtBot
) -> None:
    session.set_graph(numbered_graph())
    assert panel._source.text() == "10"
    with qtbot.waitSignal(panel.source_requested) as asked:
        panel._source.clear()
        qtbot.keyClicks(panel._source, "30")
        qtbot.keyClick(panel._source, Qt.Key.Key_Return)
    assert asked.args == [2]
    session.set_source(1)
    assert panel._source.text() == "20"


def test_wrong_source_is_said_in_place_and_does_not_run(
    panel: RunPanel, session: SessionModel, qtbot: QtBot
) -> None:
    session.set_graph(numbered_graph())
    panel._source.setText("25")
    with qtbot.assertNotEmitted(panel.run_requested):
        qtbot.mouseClick(panel._run, LEFT)
    assert "25 is not a vertex of numbered" in panel._problem.text()
    assert panel._problem.isVisible()
    panel._source.setText("20")
    with qtbot.waitSignals([panel.source_requested, panel.run_requested]):
        qtbot.mouseClick(panel._run, LEFT)
    assert not panel._problem.isVisible()


def test_a_sample_is_asked_for_with_size_and_seed(
    panel: RunPanel, session: SessionModel, qtbot: QtBot
) -> None:
    key = list(sample_graphs.CATALOGUE)[1]
    with qtbot.waitSignal(panel.open_requested) as asked:
        panel._graph.setCurrentIndex(1)
        panel._graph.activated.emit(1)
    assert asked.args == [f"sample:{key}", None]
    with qtbot.waitSignal(panel.open_requested) as asked:
        panel._seed.setValue(5)
    assert asked.args == [f"sample:{key}?n={panel._size.value()}&seed=5", None]


def test_the_session_s_graph_shows(panel: RunPanel, session: SessionModel) -> None:
    session.set_graph(sample_graphs.make("grid", n=100, seed=3))
    assert panel._graph.currentData() == "grid"
    assert panel._seed.value() == 3
    assert panel._size.isVisible()
    session.set_graph(numbered_graph())
    assert panel._graph.currentText() == "numbered"
    assert not panel._size.isVisible()


@pytest.mark.font
@pytest.mark.parametrize("theme", ["projector", "light"])
def test_the_panel_asks_for_the_width_that_cuts_nothing(
    theme: str, panel: RunPanel, qapp: QApplication
) -> None:
    """Whatever the theme and the algorithm: it need not scroll aside."""
    apply_theme(qapp, theme)
    try:
        for index in range(panel._algorithm.count()):
            panel._algorithm.setCurrentIndex(index)
            QApplication.processEvents()
            panel.resize(panel.minimumSizeHint().width(), 700)
            QApplication.processEvents()
            scroll = panel.findChild(QScrollArea)
            assert scroll.widget().minimumSizeHint().width() <= scroll.viewport().width()
        assert panel.minimumSizeHint().width() < NARROW
    finally:
        apply_theme(qapp, "light")
