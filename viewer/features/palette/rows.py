"""The command palette: every action of the window, menus' own rows included, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from viewer.action_rows import ActionRow
from viewer.features import Feature

if TYPE_CHECKING:
    from viewer.features.window import Window

RECENT, MOST_RECENT = "palette_recent", 5  # key in Settings
FEATURE = Feature(
    "palette",
    (
        ActionRow(
            "palette",
            "&Command palette…",
            "help",
            0,
            "Find and use any action by typing a part of its name",
            "features.palette.show",
            ("Ctrl+Shift+P",),
        ),
    ),
)


def install(window: Window) -> Any:
    """Build the feature."""
    from PyQt6.QtCore import QObject

    from viewer.action_rows import MENUS
    from viewer.actions import keys_of, plain
    from viewer.features.palette.panel import Entry, Palette

    titles = {key: plain(title) for key, title in MENUS}

    class PaletteFeature(QObject):
        """Collects the entries, shows the palette, remembers what was used."""

        def show(self) -> Palette:
            """Show the palette over the window."""
            known = window.settings.value(RECENT, [])
            recent = [str(name) for name in known] if isinstance(known, list) else []
            palette = Palette(self.entries(), recent, window.as_widget())
            palette.chosen.connect(self._use)
            palette.open()
            return palette

        def entries(self) -> list[Entry]:
            """Return every action that is not a submenu, and the rows of submenus."""
            found = []
            for row in window.actions_by_key.rows.values():
                action = window.actions_by_key[row.key]
                if row.key == "palette":
                    continue
                if not row.submenu:
                    keys = ", ".join(keys_of(row))
                    found.append(Entry(plain(row.text), titles[row.menu], keys, action))
                    continue
                menu = window.actions_by_key.menu(row.key)
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
            known = window.settings.value(RECENT, [])
            before = known if isinstance(known, list) else []
            kept = [words, *(name for name in before if name != words)][:MOST_RECENT]
            window.settings.set_value(RECENT, kept)
            entry.action.trigger()

    return PaletteFeature(window.as_widget())
