"""What leaves the window: see `viewer.features.take_away.rows` for the rows.

A panel is drawn at once, as on paper (`viewer.export.paper`), and made a file of in the
background; the numbers of a table are read there too. Films: `viewer.features.take_away.film`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import QObject, QSize, Qt
from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import QApplication

from gpu.cli.command_line import compare_line, run_line
from gpu.engine import graph_reference
from gpu.errors import GpuError
from gpu.record.trace import GraphReference, Trace
from gpu.study.export_runs import write_all_samples, write_runs, write_table
from gpu.wholefile import written_whole
from viewer.features.take_away.film import FilmMaker
from viewer.features.take_away.tables import panel_table
from viewer.models.session import Notice, RunRecord

if TYPE_CHECKING:
    from viewer.features.window import Window

PICTURES = "Pictures (*.png);;Drawings (*.svg);;Tables (*.csv)"
RUNS = "One line a run (*.csv);;Every sample of every run (*.samples.csv)"
STRIPS = {"timeline": QSize(1100, 110)}  # pixels: what is wide and low


class TakeAwayFeature(QObject):
    """Writes panels, runs and films; copies commands."""

    def __init__(self, window: Window) -> None:
        super().__init__(window.as_widget())
        self._window = window
        self.films = FilmMaker(window)
        menu = window.actions_by_key.menu("export_panel")
        titles = {"graph": "Graph", **window.docks.titles}
        for key, title in titles.items():
            action = QAction(f"{title}…", menu)
            action.triggered.connect(partial(self.export_panel, key))
            menu.addAction(action)
            if key == "graph":
                continue
            here = QAction("Export this panel…", window.docks[key])
            here.triggered.connect(partial(self.export_panel, key))
            window.docks[key].addAction(here)
            window.docks[key].setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        window.status_bar.cancel_requested.connect(self.cancel)

    def export_panel(self, key: str, _checked: bool = False) -> None:
        """Ask where to save one panel, as PNG, SVG or CSV."""
        title = {"graph": "Graph"}.get(key) or self._window.docks.titles[key]
        self._window.files.ask_save(
            f"Export {title}", PICTURES, ".png", partial(self.save_panel, key), f"{key}"
        )

    def export_runs(self) -> None:
        """Ask where to write the table of all runs."""
        runs = [(place, run.trace) for place, run in enumerate(self._window.session.runs, 1)]
        whole: list[tuple[int, Trace]] = [(n, trace) for n, trace in runs if trace is not None]

        def write(path: str) -> None:
            samples = path.endswith(".samples.csv")
            writer = write_all_samples if samples else write_runs
            self._window.files.save_in_background(path, lambda to: writer(whole, to))

        self._window.files.ask_save("Export all runs", RUNS, ".csv", write, "runs")

    def export_film(self) -> None:
        """Ask what film of the replay is to be made, and where it goes."""
        self.films.ask()

    def copy_command(self) -> None:
        """Put the command that repeats this run, or this comparison, on the clipboard."""
        run, pair = self._window.session.current, self._window.features.compare.model
        other = pair.b
        if run is None:
            return
        if other is None:
            self.copy_run(run)
            return
        shown, reference, how = run.settings, self._reference(run), pair.how
        self.copy(lambda: compare_line(shown, other.settings, reference, how))

    def copy_run(self, run: RunRecord) -> None:
        """Put the command that repeats a run on the clipboard."""
        self.copy(lambda: run_line(run.settings, self._reference(run)))

    def _reference(self, run: RunRecord) -> GraphReference:
        """Return what names a run's graph: where it is now, for one that was opened elsewhere."""
        graph = self._window.session.graph
        if graph is not None and vars(graph).get("hash") == run.graph_reference.hash:
            return graph_reference(graph, run.settings.source)
        return run.graph_reference

    def copy(self, make: Callable[[], str]) -> None:
        """Put a line on the clipboard and say so, or say why there is none."""
        try:
            line = make()
        except GpuError as error:
            self._say("error", f"Not copied: {error}.")
            return
        clipboard = QApplication.clipboard()
        assert clipboard is not None
        clipboard.setText(line)
        self._say("info", f"Copied: {line}")

    def cancel(self) -> None:
        """Give the film up; nothing of it is left."""
        self.films.cancel()

    def close(self) -> None:
        """The window closes."""
        self.cancel()

    def save_panel(self, key: str, path: str) -> None:
        """Draw the panel, or take its numbers, now; write them in the background."""
        try:
            write = self._writer_of(key, path)
        except GpuError as error:
            self._say("error", f"{path} was not saved: {error}.")
            return
        self._window.files.save_in_background(path, write)

    def _writer_of(self, key: str, path: str) -> Callable[[str], None]:
        from viewer.export.paper import COMFORTABLE, on_paper
        from viewer.export.pictures import drawing, picture

        suffix = Path(path).suffix.lower()
        if suffix == ".csv":
            header, rows = panel_table(self._window, key)
            return partial(write_table, header, rows)
        panel = self._window.graph_view if key == "graph" else self._window.show_dock(key)
        run = self._window.session.current
        title = run.title if run is not None else "SSSP Scope"
        with on_paper(panel, STRIPS.get(key, COMFORTABLE)) as note:
            words = [title, *self._words_of(run), note]
            draw = drawing if suffix == ".svg" else picture
            encoded = draw(panel, title, " · ".join(word for word in words if word))
        return partial(_write, encoded)

    def _words_of(self, run: RunRecord | None) -> list[str]:
        if run is None:
            return []
        return [f"{run.clock} time", f"probe level {int(run.settings.probe)}"]

    def _say(self, level: str, words: str) -> None:
        self._window.session.set_notice(Notice("error" if level == "error" else "info", words))


def _write(encoded: Callable[[], bytes], path: str) -> None:
    with written_whole(path) as file:
        file.write(encoded())
