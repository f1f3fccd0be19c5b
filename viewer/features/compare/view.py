"""Where the comparison is seen around the graph: the bar above, the second map, the difference."""

from __future__ import annotations

from PyQt6.QtCore import QObject
from PyQt6.QtWidgets import QHBoxLayout, QVBoxLayout

from viewer.common.theme import Theme
from viewer.feature import Window
from viewer.features.compare.bar import CompareBar
from viewer.features.compare.maps import Badge, DifferenceLooks, Mirror, SecondView
from viewer.models.comparison import ComparisonModel

SETTING = "compare_layout"
DIFFERENCE = "difference"  # a view, and a way of colouring


class PairView(QObject):
    """Shows the graphs of A and B as the comparison's view says."""

    def __init__(self, window: Window, pair: ComparisonModel, bar: CompareBar) -> None:
        super().__init__(window.as_widget())
        self._window, self._pair, self._bar = window, pair, bar
        if not pair.active:  # else a workspace has said it
            pair.set_view(str(window.settings.value(SETTING, pair.view)))
        self._colour_before = ""  # how A was coloured before a difference was shown
        self.second: SecondView | None = None
        self.looks = DifferenceLooks(pair, self)
        first = window.graph_view
        first.more_looks[DIFFERENCE] = self.looks.by_time
        self._badges = [Badge(0, first)]
        self._put_in_place()
        self.looks.changed.connect(first.refresh)
        first.colour_by_changed.connect(self._take_colour)
        pair.pair_changed.connect(self._show)
        pair.view_changed.connect(self._take_view)
        pair.words_changed.connect(self._show_badges)
        pair.words_changed.connect(first.refresh)  # B has ended: the scale holds it too

    def _put_in_place(self) -> None:
        """Stand the bar above the graph, and make room beside the graph."""
        first = self._window.graph_view
        centre = first.parentWidget()
        column = centre.layout() if centre is not None else None
        assert isinstance(column, QVBoxLayout)
        place = column.indexOf(first)
        self._row = QHBoxLayout()
        self._row.setSpacing(1)
        column.insertWidget(place, self._bar)
        column.removeWidget(first)
        self._row.addWidget(first, 1)
        column.insertLayout(place + 1, self._row, 1)

    def _take_view(self, view: str) -> None:
        self._window.settings.set_value(SETTING, view)
        self._show()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        if self.second is not None:
            self.second.apply_theme(theme)
        self._show_badges()

    def _show(self) -> None:
        split = self._pair.active and self._pair.view == "split"
        if split and self.second is None:
            self._make_second()
        if self.second is not None:
            self.second.setVisible(split)
            self.second.share_scale(self._pair.a if split else None)
            if split:
                self.second.look_like(self._window.graph_view)
        self._window.graph_view.share_scale(self._pair.b if split else None)
        self._colour()
        self._window.actions_by_key[f"pair_{self._pair.view}"].setChecked(True)
        self._show_badges()

    def _make_second(self) -> None:
        first = self._window.graph_view
        mirror = Mirror(self._window.session, self._window.playback, self._pair, self)
        self.second = SecondView(mirror, first)
        self.second.legend.allow(False)  # one scale: A's says it
        self.second.apply_theme(self._window.theme)
        self._row.addWidget(self.second, 1)
        badge = Badge(1, self.second)
        badge.pressed.connect(self._offer_others)
        self._badges.append(badge)
        self.looks.changed.connect(self.second.refresh)

    def _offer_others(self) -> None:
        badge = self._badges[1]
        menu = self._window.actions_by_key.menu("compare_other")
        menu.popup(badge.mapToGlobal(badge.rect().bottomLeft()))

    def _colour(self) -> None:
        """Colour by the difference while that is the view, and as before afterwards."""
        view = self._window.graph_view
        if self._pair.active and self._pair.view == DIFFERENCE:
            if view.colour_by != DIFFERENCE:
                self._colour_before = view.colour_by
            view.set_colour_by(DIFFERENCE)
        elif view.colour_by == DIFFERENCE and self._colour_before:
            view.set_colour_by(self._colour_before)

    def _take_colour(self, colour_by: str) -> None:
        if self._pair.active and colour_by == DIFFERENCE:
            self._pair.set_view(DIFFERENCE)
        elif self._pair.active and self._pair.view == DIFFERENCE:
            self._pair.set_view("single")

    def _show_badges(self) -> None:
        both = self.second is not None and not self.second.isHidden()
        for place, badge in enumerate(self._badges):
            shown = self._pair.active and both
            badge.setVisible(shown)
            record = (self._window.session.current, self._pair.b)[place]
            if shown and record is not None:
                row, name = record.algorithm, self._pair.names[place]
                about = f"{row.title}: {row.summary}."
                badge.show_words("AB"[place], name, about, self._window.theme)
