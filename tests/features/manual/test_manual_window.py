"""The manual: whole, made of what tooltips say, searched, opened where the focus is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from test_controller import FakeHost
from test_features import opened
from test_window import close_for_good

from gpu.algorithms import ALGORITHMS
from viewer.action_set import plain
from viewer.common.glossary import TERMS
from viewer.features.manual import GLOSSARY, PANELS, ManualDialog, Page, matching, pages_of
from viewer.main_window import MainWindow
from viewer.models.settings import Settings

LONGEST = 260  # characters of a term's meaning: it is read in a tooltip


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    window = opened(Settings(tmp_path / "window.ini"), FakeHost())
    yield window
    close_for_good(window)


@pytest.fixture
def pages(window: MainWindow) -> dict[str, Page]:
    return pages_of(window.actions_by_key.menus)


def dialog_of(window: MainWindow) -> ManualDialog:
    part: Any = window.features["manual"]
    assert isinstance(part.dialog, ManualDialog)
    return part.dialog


def test_every_panel_has_a_page_with_prose(window: MainWindow, pages: dict[str, Page]) -> None:
    for key in (*window.docks.by_key, "graph", "compare", "draw", "start"):
        assert pages[key].group == PANELS
        assert len(pages[key].text) > 200, key


def test_every_algorithm_has_a_page_with_its_essay(pages: dict[str, Page]) -> None:
    for key, row in ALGORITHMS.items():
        page = pages[f"algorithm_{key}"]
        assert page.title == row.title
        assert row.summary.casefold() in page.text
        assert "<b>The idea.</b>" in page.body, key
    assert matching(pages, "near-far")[0].key == "algorithm_near_far"
    assert {"words", "machines"} <= {p.key for p in matching(pages, "classroom")}


def test_every_command_is_there_with_its_tip_and_keys(
    window: MainWindow, pages: dict[str, Page]
) -> None:
    for menu in window.actions_by_key.menus:
        text = pages[f"menu_{menu.key}"].text
        for action in menu.actions:
            assert plain(action.text).rstrip("…").casefold() in text
            assert action.tooltip.casefold() in text, action.key
    assert "ctrl+shift+w" in pages["menu_run"].text


def test_words_stand_below_the_panels_that_show_them(pages: dict[str, Page]) -> None:
    for term in TERMS:
        assert term.meaning.casefold() in pages["words"].text
        assert term.source.casefold() in pages["words"].text
        assert term.seen, term.key
        for key in term.seen:
            assert pages[key].group == PANELS
            assert term.meaning.casefold() in pages[key].text


def test_the_search_finds_pages_with_all_words_titles_first(pages: dict[str, Page]) -> None:
    found = matching(pages, "HEAD bucket")
    assert matching(pages, "buckets")[0].key == "buckets"
    assert "buckets" in {page.key for page in found}
    assert all("head" in page.text and "bucket" in page.text for page in found)
    assert matching(pages, "zebra") == []


def test_searching_lists_shows_and_marks(window: MainWindow, qtbot: QtBot) -> None:
    window.actions_by_key["manual"].trigger()
    dialog = dialog_of(window)
    whole = dialog.contents.topLevelItemCount()
    qtbot.keyClicks(dialog.search, "starving")
    assert dialog.shown in {page.key for page in matching(dialog._pages, "starving")}
    assert dialog.page.textCursor().selectedText().casefold() == "starving"
    assert not dialog.nothing.isVisible()
    qtbot.keyClicks(dialog.search, " zebra")
    assert dialog.nothing.isVisible()
    assert dialog.contents.topLevelItemCount() == 0
    dialog.search.clear()
    assert dialog.contents.topLevelItemCount() == whole
    assert not dialog.page.textCursor().hasSelection()


def test_f1_opens_at_the_panel_that_has_the_focus(window: MainWindow, qtbot: QtBot) -> None:
    window.activateWindow()
    window.run_panel._graph.setFocus()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is window.run_panel._graph)
    qtbot.keyClick(window.run_panel._graph, Qt.Key.Key_F1)
    part: Any = window.features["manual"]
    qtbot.waitUntil(lambda: part.dialog is not None)
    assert dialog_of(window).shown == "run"


def test_the_glossary_opens_and_contents_lead_to_pages(window: MainWindow) -> None:
    window.actions_by_key["glossary"].trigger()
    dialog = dialog_of(window)
    assert dialog.shown == "words"
    item = dialog.contents.currentItem()
    assert item is not None
    assert item.parent().text(0) == GLOSSARY  # type: ignore[union-attr]
    dialog.contents.setCurrentItem(dialog._items["parallelism"])
    assert dialog.shown == "parallelism"
