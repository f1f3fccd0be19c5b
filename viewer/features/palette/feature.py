"""The palette at work: collects the entries, shows them, remembers what was used."""

from __future__ import annotations

from viewer.actions import MENUS, keys_of, plain
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
        """Return every action that is not a submenu, and the rows of submenus."""
        found = []
        actions = self._window.actions_by_key
        titles = {key: plain(title) for key, title in MENUS}
        for row in actions.rows.values():
            action = actions[row.key]
            if row.key == "palette":
                continue
            if not row.submenu:
                keys = ", ".join(keys_of(row))
                found.append(Entry(plain(row.text), titles[row.menu], keys, action))
                continue
            menu = actions.menu(row.key)
            menu.aboutToShow.emit()  # menus that are filled as they open
            place = plain(row.text)
            found += [
                Entry(f"{place}: {plain(inner.text())}", titles[row.menu], "", inner)
                for inner in menu.actions()
                if inner.text() and not inner.isSeparator()
            ]
        return found

    def _use(self, entry: Entry) -> None:
        words = entry.words
        known = self._window.settings.value(RECENT, [])
        before = known if isinstance(known, list) else []
        kept = [words, *(name for name in before if name != words)][:MOST_RECENT]
        self._window.settings.set_value(RECENT, kept)
        entry.action.trigger()


install = PaletteFeature
