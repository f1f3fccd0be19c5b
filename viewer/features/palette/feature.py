"""The palette at work: collects the entries, shows them, remembers what was used."""

from __future__ import annotations

from viewer.action_set import keys_of, plain
from viewer.actions import Action
from viewer.feature import FeaturePart
from viewer.features.palette.panel import Entry, Palette

RECENT, MOST_RECENT = "palette_recent", 5  # key in Settings


class PaletteFeature(FeaturePart):
    """See the module docstring."""

    def show(self) -> Palette:
        """Show the palette over the self._window."""
        known = self._window.settings.value(RECENT, [])
        recent = [str(name) for name in known] if isinstance(known, list) else []
        palette = Palette(self.entries(), recent, self._window.as_widget())
        palette.chosen.connect(self._use)
        palette.open()
        return palette

    def entries(self) -> list[Entry]:
        """Return every action that is not a submenu, and the entries of submenus."""
        return [
            entry
            for menu in self._window.actions_by_key.menus
            for action in menu.actions
            if action.key != "palette"
            for entry in self._entries(action, plain(menu.title))
        ]

    def _entries(self, action: Action, menu: str) -> list[Entry]:
        actions = self._window.actions_by_key
        if not action.submenu:
            keys = ", ".join(keys_of(action))
            return [Entry(plain(action.text), menu, keys, actions[action.key])]
        submenu = actions.menu(action.key)
        submenu.aboutToShow.emit()  # some submenus are filled as they open
        return [
            Entry(f"{plain(action.text)}: {plain(inner.text())}", menu, "", inner)
            for inner in submenu.actions()
            if inner.text() and not inner.isSeparator()
        ]

    def _use(self, entry: Entry) -> None:
        words = entry.words
        known = self._window.settings.value(RECENT, [])
        before = known if isinstance(known, list) else []
        kept = [words, *(name for name in before if name != words)][:MOST_RECENT]
        self._window.settings.set_value(RECENT, kept)
        entry.action.trigger()


install = PaletteFeature
