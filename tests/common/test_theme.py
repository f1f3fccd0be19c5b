"""The three themes: contrast computed, colours told apart, everything set, text of any size."""

from __future__ import annotations

import itertools
import re
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtGui import QFontInfo, QPalette
from PyQt6.QtWidgets import QApplication, QLabel, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot
from screen import grabbed

import viewer
from viewer.common.text_size import scaled, small_pixels, text_pixels
from viewer.common.theme import THEMES, Theme, apply_theme, contrast, mix, palette_of
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

# Machado, Oliveira, Fernandes 2009, severity 1, on linear RGB
BLINDNESS = {
    "none": np.eye(3),
    "protan": np.array([[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]]),
    "deutan": np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]),
    "tritan": np.array([[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]]),
}


@pytest.fixture(params=sorted(THEMES))
def theme(request: pytest.FixtureRequest) -> Theme:
    return THEMES[request.param]


def linear(colour: str) -> np.ndarray:
    channels = np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIE L*a*b* (D65) of linear RGB."""
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    xyz = to_xyz @ np.clip(rgb, 0, 1) / np.array([0.9505, 1.0, 1.089])
    root = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


def test_text_can_be_read(theme: Theme) -> None:
    for background in (theme.window, theme.base, theme.plot):
        for colour in (theme.text, theme.muted, theme.error, theme.warning, theme.success):
            assert contrast(colour, background) >= TEXT, (colour, background)
    assert contrast(theme.on_accent, theme.accent) >= TEXT
    assert contrast(theme.on_accent, mix(theme.accent, theme.text, 0.15)) >= TEXT
    assert contrast(theme.accent, theme.window) >= TEXT  # checked chips, links


def test_no_two_meanings_share_a_colour(theme: Theme) -> None:
    meant = {name: lab(linear(colour)) for name, colour in asdict(theme.data).items()}
    for first, second in itertools.combinations(meant, 2):
        assert np.linalg.norm(meant[first] - meant[second]) > 15, (first, second)


@pytest.mark.parametrize("blindness", sorted(BLINDNESS))
@pytest.mark.parametrize("together", TOGETHER)
def test_what_one_picture_tells_apart_everyone_can(
    theme: Theme, blindness: str, together: str
) -> None:
    seen = [
        lab(BLINDNESS[blindness] @ linear(getattr(theme.data, name))) for name in together.split()
    ]
    for first, second in itertools.combinations(seen, 2):
        assert np.linalg.norm(first - second) > 20


def test_palette_is_complete(qapp: QApplication, theme: Theme) -> None:
    palette = palette_of(theme)
    roles = [r for r in QPalette.ColorRole if r is not QPalette.ColorRole.NoRole]
    for role in roles[: QPalette.ColorRole.NColorRoles.value]:
        if role not in (QPalette.ColorRole.NColorRoles,):
            assert palette.isBrushSet(QPalette.ColorGroup.Active, role), role
    assert theme.dark == (theme.name == "dark")


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


def test_no_line_of_code_fixes_a_text_size() -> None:
    # names inside a disc are as large as the disc
    allowed = {"common/text_size.py", "graph/items.py"}
    for path in Path(viewer.__file__).parent.rglob("*.py"):
        if path.relative_to(Path(viewer.__file__).parent).as_posix() not in allowed:
            found = re.findall(
                r"setPixelSize\((?!scaled)|setPointSize\(|font-size: *\d", path.read_text("utf-8")
            )
            assert not found, (path.name, found)
