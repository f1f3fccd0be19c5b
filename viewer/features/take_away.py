"""Exports: a panel as a picture, all runs, a film, a web page, a command line.

A panel is drawn at once, as on paper (`viewer.export.paper`); its file is made in the background.
A film is made by `sssp-scope render` in a process of its own, from the runs saved in a temporary
folder, so that the window goes on; Cancel ends that process.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PyQt6.QtCore import QSize
from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import QWidget

from gpu.cli.command_line import compare_line
from gpu.files import write_whole
from gpu.graph import CSRGraph
from gpu.page.words import notes_words
from gpu.record import export
from gpu.record.trace import Trace
from gpu.record.tracefile import save_trace
from viewer.common.background import run_command
from viewer.export.film import FILMS, FilmPlan
from viewer.feature import FeaturePart, Window
from viewer.frame.copied_commands import copy_command, copy_run, reference_of
from viewer.graph.view import GraphView
from viewer.models.run_words import readout
from viewer.models.session import Notice, RunRecord

PICTURES = "Pictures (*.png);;Drawings (*.pdf)"
PAGES = "Web pages (*.html)"
TABLES = "Tables (*.csv)"
STRIPS = {"timeline": QSize(1100, 110)}  # pixels: what is wide and low
FORMS = ("run", "lesson")  # nothing in them is a result
GRAPH = "graph.npz"  # beside the runs of a film


class TakeAwayFeature(FeaturePart):
    """Writes panels, runs, films and pages; copies commands."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        menu = self._window.actions_by_key.menu("export_panel")
        titles = {"graph": "Graph", **self._window.docks.titles}
        for key, title in titles.items():
            if key in FORMS:
                continue
            action = QAction(f"{title}…", menu)
            action.triggered.connect(partial(self.export_panel, key))
            menu.addAction(action)

    # --- panels, runs, pages, commands

    def export_panel(self, key: str, _checked: bool = False) -> None:
        """Ask where to save one panel, as PNG or PDF."""
        title = {"graph": "Graph"}.get(key) or self._window.docks.titles[key]
        self._window.files.ask_save(
            f"Export {title}", PICTURES, ".png", partial(self.save_panel, key), key
        )

    def save_panel(self, key: str, path: str) -> None:
        """Draw the panel now; write it in the background."""
        suffix = Path(path).suffix.lower()
        if suffix not in (".png", ".pdf"):
            said = f"Not saved: {Path(path).name} is the name of another kind of file."
            self._window.session.set_notice(Notice("error", said, "Allowed: .png, .pdf."))
            return
        from viewer.export.paper import COMFORTABLE, on_paper
        from viewer.export.pictures import drawing, picture

        panels = self._maps() if key == "graph" else [self._window.show_dock(key)]
        run = self._window.session.current
        title = run.title if run is not None else "SSSP Scope"
        with ExitStack() as papers:
            least = STRIPS.get(key, COMFORTABLE)
            for panel in panels:
                papers.enter_context(on_paper(panel, least))
            words = [title, *self._words_of(run)]
            draw = drawing if suffix == ".pdf" else picture
            encoded = draw(panels, title, " · ".join(word for word in words if word))
        self._window.files.save_in_background(path, lambda to: write_whole(to, encoded()))

    def _maps(self) -> list[QWidget]:
        """Return the map, or the maps of A and B as they stand beside each other."""
        views = self._window.as_widget().findChildren(GraphView)
        return sorted((view for view in views if view.isVisible()), key=lambda view: view.x())

    def _words_of(self, run: RunRecord | None) -> list[str]:
        if run is None:
            return []
        window = self._window
        words = [f"{run.clock} time", f"probe level {int(run.settings.probe)}"]
        measured = readout(window.session, window.playback, window.comparison)
        if measured is not None:
            words.append(measured.words)
        if run.trace is not None:
            words.append(notes_words(window.session.notes.trace_of(run)))
        return words

    def export_samples(self) -> None:
        """Ask where to write the samples of the run, or of both that are compared, named A, B."""

        def write(path: str) -> None:
            header, rows = _samples(self._window)
            self._window.files.save_in_background(path, partial(export.write_table, header, rows))

        self._window.files.ask_save("Export samples", TABLES, ".csv", write)

    def export_runs(self) -> None:
        """Ask where to write the table of all runs."""
        session = self._window.session
        whole = [
            (place, session.notes.trace_of(run))  # with its proof
            for place, run in enumerate(session.runs, 1)
            if run.trace is not None
        ]

        def write(path: str) -> None:
            self._window.files.save_in_background(path, partial(export.write_runs, whole))

        self._window.files.ask_save("Export all runs", TABLES, ".csv", write, "runs")

    def export_page(self) -> None:
        """Ask where to write this run, or both that are compared, as a web page."""
        self._window.files.ask_save("Export as web page", PAGES, ".html", self.save_page)

    def save_page(self, path: str) -> None:
        """Write the page in the background; the graph is placed as it stands in the window."""
        traces, graph = self._shown()
        if not traces:
            return
        missing = "" if graph is not None else "Its graph was not shown when this page was made."

        def write(to: str) -> None:
            from gpu.page.runs import runs_page

            write_whole(to, runs_page(traces, graph, missing).encode())

        self._window.files.save_in_background(path, write)

    def _shown(self) -> tuple[list[Trace], CSRGraph | None]:
        """Return the run, or both that are compared, with notes; the graph as it is placed."""
        session = self._window.session
        records = [session.current, self._window.comparison.b]
        whole = [run for run in records if run is not None and run.trace is not None]
        traces = [session.notes.trace_of(run) for run in whole]
        graph = session.graph
        if not traces or graph is None or graph.hash != traces[0].graph.hash:
            return traces, None
        return traces, graph.with_positions(session.positions)

    def copy_command(self) -> None:
        """Put the command that repeats this run, or this comparison, on the clipboard."""
        session, pair = self._window.session, self._window.comparison
        run, other = session.current, pair.b
        if run is None:
            return
        if other is None:
            copy_run(session, run)
            return
        shown, reference = run.settings, reference_of(session, run)
        copy_command(session, lambda: compare_line(shown, other.settings, reference))

    # --- films

    def export_film(self) -> None:
        """Ask where to save a film of the run, or of both that are compared."""
        kinds = [suffix for suffix in FILMS if not FilmPlan(suffix).problem]  # can be encoded here
        if not kinds:
            words = f"No film: {FilmPlan().problem}."
            self._window.session.set_notice(Notice("error", words))
        elif self._shown()[0]:
            words = ";;".join(f"{suffix[1:].upper()} (*{suffix})" for suffix in kinds)
            self._window.files.ask_save("Export film", words, kinds[0], self.save_film)

    def save_film(self, path: str) -> None:
        """Make a film of the whole run in a process of its own, in the window's theme."""
        traces, graph = self._shown()
        plan = FilmPlan(Path(path).suffix.lower(), theme=self._window.theme.name)
        self._window.files.save_in_background(path, partial(_film, traces, graph, plan))


def _film(traces: Sequence[Trace], graph: CSRGraph | None, plan: FilmPlan, path: str) -> None:
    """Save the runs and their graph in a folder, and let `sssp-scope render` draw them there."""
    from gpu.formats import npz

    plan.check(path)
    with TemporaryDirectory(prefix="sssp-film-") as folder:
        if graph is not None:
            npz.write(graph, Path(folder) / GRAPH)
        names = [str(Path(folder) / f"{place}.npz") for place in range(len(traces))]
        for trace, name in zip(traces, names, strict=True):
            beside = replace(trace.graph, origin=GRAPH, options={})
            save_trace(replace(trace, graph=beside), name)
        options = ["--size", f"{plan.size[0]}x{plan.size[1]}", "--seconds", f"{plan.seconds:g}"]
        options += ["--theme", plan.theme]
        run_command("render", *names, "-o", path, *options)


def _samples(window: Window) -> tuple[Sequence[str], Iterable[Sequence[Any]]]:
    """Return every sample of the run shown; of two that are compared each row names its run."""
    trace, b = window.session.finished_trace(), window.comparison.b
    if b is None or b.trace is None:
        return export.sample_header(), export.sample_rows(trace)
    return export.samples_table([("A", trace), ("B", b.trace)])


install = TakeAwayFeature
