"""The three themes: contrast computed, colours told apart, everything set, text of any size."""

import itertools
from dataclasses import asdict

import numpy as np
import pytest
from colour_vision import SEEN_BY, contrast, lab
from PyQt6.QtGui import QFontInfo
from PyQt6.QtWidgets import QApplication, QLabel, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot
from screen import grabbed

from viewer.common.colormaps import rgb
from viewer.common.text_size import scaled, small_pixels, text_pixels
from viewer.common.theme import THEMES, Theme, apply_theme, mix
from viewer.plots.axes import TimeAxis, dress_axis

TEXT, GRAPHIC = 4.5, 3.0  # WCAG 2.2: least contrast of text, of graphics
TOGETHER = [  # meanings that stand in one picture and have one shape
    "a b raised by_hand",
    "raised lowered",
    "work relaxed improved",
    "time work controller",
    "time by_hand",
    "settled tentative",
    "event improved",
    "improved wasted",
]


@pytest.fixture(params=sorted(THEMES))
def theme(request: pytest.FixtureRequest) -> Theme:
    return THEMES[request.param]


def test_text_can_be_read(theme: Theme) -> None:
    for background in (theme.window, theme.base, theme.plot):
        for colour in (theme.text, theme.muted, theme.error, theme.warning, theme.success):
            assert contrast(colour, background) >= TEXT, (colour, background)
    assert contrast(theme.on_accent, theme.accent) >= TEXT
    assert contrast(theme.on_accent, mix(theme.accent, theme.text, 0.15)) >= TEXT
    assert contrast(theme.accent, theme.window) >= TEXT  # checked chips, links


@pytest.mark.parametrize("seen_by", sorted(SEEN_BY))
def test_what_one_picture_tells_apart_everyone_can(theme: Theme, seen_by: str) -> None:
    names = list(asdict(theme.data))
    colours = lab(np.array([rgb(getattr(theme.data, name)) for name in names], float), seen_by)
    seen = dict(zip(names, colours, strict=True))
    pairs = [itertools.combinations(together.split(), 2) for together in TOGETHER]
    for first, second in itertools.chain(*pairs):
        assert np.linalg.norm(seen[first] - seen[second]) > 20, (first, second)
    if seen_by == "everyone":  # no two meanings share a colour
        for first, second in itertools.combinations(names, 2):
            assert np.linalg.norm(seen[first] - seen[second]) > 15, (first, second)


def test_theme_is_put_on(qtbot: QtBot, qapp: QApplication, theme: Theme) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    label, button = QLabel("x"), QPushButton("Run")
    label.setProperty("role", "muted")
    button.setProperty("role", "primary")
    layout = QVBoxLayout(widget)
    layout.addWidget(label)
    layout.addWidget(button)
    try:
        assert apply_theme(qapp, theme.name) is theme
        widget.resize(120, 80)
        picture = grabbed(widget)
        assert picture.pixelColor(1, 1).name() == theme.window
        assert grabbed(button).pixelColor(8, 4).name() == theme.accent
    finally:
        apply_theme(qapp, "light")
        qapp.setStyleSheet("")


@pytest.mark.font
def test_the_projector_is_large_and_strong(qtbot: QtBot, qapp: QApplication) -> None:
    theme = THEMES["projector"]
    for colour in (*asdict(theme.data).values(), theme.border):
        assert contrast(colour, theme.plot) >= (TEXT if colour != theme.border else GRAPHIC)
    assert contrast(theme.text, theme.window) == pytest.approx(21)
    assert (theme.text_scale, theme.line_width) == (1.35, 2)
    label = QLabel("x")
    qtbot.addWidget(label)
    label.show()
    axis = TimeAxis()
    before, room = text_pixels(), axis.height()
    try:
        apply_theme(qapp, "projector")
        dress_axis(axis, theme, label.font())
        assert text_pixels() == round(before * 1.35)
        assert QFontInfo(label.font()).pixelSize() == text_pixels()
        assert axis.height() >= round(room * 1.3)
        assert axis.style["tickFont"].pixelSize() == small_pixels() > 11
        assert scaled(100) == pytest.approx(100 * text_pixels() / 12, abs=1)
        apply_theme(qapp, "projector")
        assert text_pixels() == round(before * 1.35)  # of the system's, not of what it was
    finally:
        apply_theme(qapp, "light")
        qapp.setStyleSheet("")
    assert text_pixels() == before
