"""Three looks of the window: light, dark and projector (for a wall seen from the last row).

Fusion, an explicit palette and a small stylesheet, so that every system shows the same window. The
colours are in `assets/themes.toml`. A colour means one thing (`DataColours`). Runs and changes of Δ
follow Okabe and Ito ("Color Universal Design", 2008); the others were searched for: contrast 3 to 1
(text 4.5 to 1), and 20 apart in CIE Lab in the sight of colour-blind people. Tests compute that.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib import resources

from PyQt6.QtGui import QColor, QPalette
from PyQt6.QtWidgets import QApplication

from viewer.common.colormaps import rgb
from viewer.common.foreign_words import PlainStyle
from viewer.common.text_size import scale_application_font, text_pixels

SPACING = 8  # pixels between things that belong together; margins are the same


@dataclass(frozen=True)
class DataColours:
    """What is drawn has one colour for one meaning, in every panel, page and picture; "#rrggbb"."""

    a: str  # the run shown; run A where two are compared
    b: str  # run B
    raised: str  # Δ became greater
    lowered: str  # Δ became smaller
    by_hand: str  # what a person chose: a Δ, a guess
    work: str  # vertices processed
    relaxed: str  # edges relaxed
    improved: str  # offers that lowered a distance
    time: str  # how long a run took
    controller: str  # the run whose Δ the algorithm drove itself
    clipped: str  # what was put into the tail from beyond it
    settled: str  # a vertex or a source that is done
    tentative: str  # one that may still improve
    event: str  # what happens at this event
    wasted: str  # an offer that lowered nothing


@dataclass(frozen=True)
class Theme:
    """Colours as "#rrggbb"."""

    name: str
    window: str  # background of the window and of panels
    base: str  # background of lists, fields and buttons
    border: str
    text: str
    muted: str  # secondary text: axis labels, hints
    accent: str
    on_accent: str  # text on the accent colour
    plot: str  # background of plots and of the graph
    grid: str
    band: str  # fill of the utilisation band
    success: str
    warning: str
    error: str
    data: DataColours
    heat: tuple[str, ...]  # ramp from "a little" to "very much", luminance one way
    text_scale: float = 1.0  # times the system's text size
    line_width: int = 1  # pixels, of lines that carry data

    @property
    def runs(self) -> tuple[str, str]:
        """The colours of runs A and B."""
        return self.data.a, self.data.b

    @property
    def dark(self) -> bool:
        """Whether text is lighter than its background."""
        return luminance(self.text) > luminance(self.window)


def _read_themes() -> dict[str, Theme]:
    text = resources.files("assets").joinpath("themes.toml").read_text(encoding="utf-8")
    themes = {}
    for name, table in tomllib.loads(text).items():
        data, heat = DataColours(**table.pop("data")), tuple(table.pop("heat"))
        themes[name] = Theme(name=name, data=data, heat=heat, **table)
    return themes


THEMES = _read_themes()
LIGHT, DARK, PROJECTOR = THEMES["light"], THEMES["dark"], THEMES["projector"]
STYLED = "sssp_scope_styled"  # property of the application: theme, text and font that it has


def apply_theme(app: QApplication, name: str, text: int = 0) -> Theme:
    """Put a theme on the whole application and return it; raise KeyError if unknown.

    text : height of the text in pixels; 0 for the theme's own
    """
    theme = THEMES[name]
    if app.styleSheet() and app.property(STYLED) == f"{name} {text} {app.font().key()}":
        return theme
    if app.property(STYLED) is None:  # each time costs as much as a stylesheet
        app.setStyle(PlainStyle("Fusion"))
    app.setStyleSheet("")  # from one to another takes Qt twice as long as to none and from none
    if scale_application_font(app, theme.text_scale, text):
        app.sendPostedEvents()  # under a stylesheet widgets keep their old fonts
    app.setPalette(palette_of(theme))
    titles = f"QDockWidget {{ font-size: {text_pixels()}px; }}"  # Qt would keep the system's
    app.setStyleSheet(stylesheet_of(theme) + titles)
    app.setProperty(STYLED, f"{name} {text} {app.font().key()}")
    return theme


def palette_of(theme: Theme) -> QPalette:
    """Return the QPalette of a theme, every role set, disabled ones faded."""
    palette, role = QPalette(), QPalette.ColorRole
    for colour, names in (
        (theme.window, "Window AlternateBase"),
        (theme.base, "Base Button ToolTipBase"),
        (theme.text, "WindowText Text ButtonText ToolTipText"),
        (theme.muted, "PlaceholderText"),
        (theme.accent, "Highlight Accent Link LinkVisited"),
        (theme.on_accent, "HighlightedText"),
        (theme.error, "BrightText"),
        (theme.border, "Mid"),
        (mix(theme.base, theme.text, 0.04), "Light"),
        (mix(theme.base, theme.text, 0.08), "Midlight"),
        (mix(theme.border, theme.text, 0.3), "Dark"),
        ("#000000", "Shadow"),
    ):
        for name in names.split():
            palette.setColor(role[name], QColor(colour))
    faded = QColor(mix(theme.text, theme.window, 0.55))
    for key in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        palette.setColor(QPalette.ColorGroup.Disabled, key, faded)
    palette.setColor(QPalette.ColorGroup.Disabled, role.Highlight, QColor(theme.border))
    return palette


def stylesheet_of(theme: Theme) -> str:
    """Return the small stylesheet: what Fusion and the palette cannot say.

    Widgets opt in by a dynamic property `role`: "muted", "heading" or "strong" on
    labels, "chip" on small tool buttons, "primary" on the one button that matters.
    """
    hover, faded = mix(theme.accent, theme.text, 0.15), mix(theme.text, theme.window, 0.55)
    return f"""
QToolTip {{ color: {theme.text}; background: {theme.base};
    border: 1px solid {theme.border}; padding: 4px 6px; }}
QMainWindow::separator {{ background: {theme.border}; width: 1px; height: 1px; margin: 1px; }}
QMainWindow::separator:hover {{ background: {theme.accent}; }}
QDockWidget::title {{ background: {theme.window}; padding: 5px {SPACING}px; text-align: left; }}
QStatusBar {{ color: {theme.muted}; border-top: 1px solid {theme.border}; }}
QStatusBar::item {{ border: none; }}
QRadioButton::indicator, QCheckBox::indicator {{ width: 1em; height: 1em; }}
QLabel[role="muted"] {{ color: {theme.muted}; }}
QLabel[role="error"] {{ color: {theme.error}; }}
QLabel[role="heading"], QLabel[role="strong"] {{ color: {theme.text}; font-weight: 600; }}
QToolButton[role="chip"] {{ color: {theme.muted}; background: transparent;
    border: 1px solid {theme.border}; border-radius: 4px; padding: 1px 7px; }}
QToolButton[role="chip"]:hover {{ color: {theme.text}; background: {theme.base}; }}
QToolButton[role="chip"]:focus {{ border-color: {theme.accent}; }}
QToolButton[role="chip"]:checked {{ color: {theme.accent}; border-color: {theme.accent}; }}
QToolButton[role="chip"]:disabled {{ color: {faded}; border-color: {theme.border}; }}
QToolButton[role="chip"]::menu-indicator {{ image: none; }}
QPushButton[role="primary"] {{ color: {theme.on_accent}; background: {theme.accent};
    border: 1px solid {theme.accent}; border-radius: 4px; padding: 5px 14px; font-weight: 600; }}
QPushButton[role="primary"]:hover, QPushButton[role="primary"]:focus {{
    background: {hover}; border-color: {theme.text}; }}
QPushButton[role="primary"]:disabled {{ color: {theme.muted}; background: {theme.window};
    border-color: {theme.border}; }}
"""


def mix(first: str, second: str, share: float) -> str:
    """Return `first` with `share` (0..1) of `second` mixed in, per sRGB channel."""
    pairs = zip(rgb(first), rgb(second), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def luminance(colour: str) -> float:
    """Return the relative luminance of "#rrggbb", 0..1 (WCAG 2.2)."""
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (channel / 255 for channel in rgb(colour))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
