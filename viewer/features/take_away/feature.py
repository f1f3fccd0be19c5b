"""Exports: a panel as a picture or table, all runs, a film, a web page, a command line.

A panel is drawn at once, as on paper (`viewer.export.paper`), and made a file of in the
background; the numbers of a table are read there too. Films: `viewer.features.take_away.film`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PyQt6.QtCore import QSize
from PyQt6.QtGui import QAction

from gpu.cli.command_line import compare_line
from gpu.errors import GpuError
from gpu.graph import CSRGraph
from gpu.page.words import notes_words
from gpu.record.trace import Trace
from gpu.study.export_runs import write_all_samples, write_runs, write_table
from gpu.wholefile import written_whole
from viewer.feature import FeaturePart, Window
from viewer.features.take_away.film import FilmMaker
from viewer.features.take_away.tables import panel_table
from viewer.frame.copied_commands import copy_command, copy_run, reference_of
from viewer.models.measure import readout
from viewer.models.session import Notice, RunRecord

PICTURES = "Pictures (*.png);;Drawings (*.svg);;Tables (*.csv)"
PAGES = "Web pages (*.html)"
RUNS = "One line a run (*.csv);;Every sample of every run (*.samples.csv)"
STRIPS = {"timeline": QSize(1100, 110)}  # pixels: what is wide and low


class TakeAwayFeature(FeaturePart):
    """Writes panels, runs and films; copies commands."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
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
            window.docks.offer(key, here)
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

    def export_page(self) -> None:
        """Ask where to write this run, or both that are compared, as a web page."""
        self._window.files.ask_save("Export as web page", PAGES, ".html", self.save_page)

    def save_page(self, path: str) -> None:
        """Write the page in the background; the graph is placed as it stands in the window."""
        session, pair = self._window.session, self._window.comparison
        run, other = session.current, pair.b
        if run is None or run.trace is None:
            return
        graph = session.graph
        if graph is None or graph.hash != run.graph_reference.hash:
            graph, missing = None, "Its graph was not shown when this page was made."
        else:
            graph, missing = graph.with_positions(session.positions), ""
        first = session.notes.trace_of(run)
        second = None
        if other is not None and other.trace is not None:
            second = session.notes.trace_of(other)
        text = partial(_page_of, first, second, graph, missing)
        self._window.files.save_in_background(path, lambda to: _write(lambda: text().encode(), to))

    def copy_command(self) -> None:
        """Put the command that repeats this run, or this comparison, on the clipboard."""
        session, pair = self._window.session, self._window.comparison
        run, other = session.current, pair.b
        if run is None:
            return
        if other is None:
            copy_run(session, run)
            return
        shown, how = run.settings, pair.how
        reference = reference_of(session, run)
        copy_command(session, lambda: compare_line(shown, other.settings, reference, how))

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
        words = [f"{run.clock} time", f"probe level {int(run.settings.probe)}"]
        window = self._window
        measured = readout(window.session, window.playback, window.comparison)
        if measured is not None:
            words.append(measured.words)
        if run.trace is not None:
            words.append(notes_words(window.session.notes.trace_of(run)))
        return words

    def _say(self, level: str, words: str) -> None:
        self._window.session.set_notice(Notice("error" if level == "error" else "info", words))


def _page_of(first: Trace, second: Trace | None, graph: CSRGraph | None, missing: str) -> str:
    from gpu.page.runs import pair_page, run_page

    if second is None:
        return run_page(first, graph, missing)
    return pair_page(first, second, graph, missing)


def _write(encoded: Callable[[], bytes], path: str) -> None:
    with written_whole(path) as file:
        file.write(encoded())


install = TakeAwayFeature
