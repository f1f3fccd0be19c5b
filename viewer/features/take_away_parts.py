"""What leaves the window: see `viewer.features.take_away` for the rows.

A film is drawn from a dashboard of its own, one frame a turn of the event loop, so the window
stays usable; the encoder has its own thread (`viewer.animate`).
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import QObject, QSize, Qt, QTimer
from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import QApplication, QWidget

from gpu.command_line import compare_line, run_line
from gpu.errors import GpuError
from gpu.export_runs import write_all_samples, write_runs
from gpu.trace import Trace
from viewer.features.take_away_tables import write_panel
from viewer.models.session import Notice

if TYPE_CHECKING:
    from viewer.animate import Film
    from viewer.dashboard import Dashboard
    from viewer.features.base import Window

PICTURES = "Pictures (*.png);;Drawings (*.svg);;Tables (*.csv)"
FILMS = "GIF (*.gif);;MP4 (*.mp4);;WebP (*.webp)"
RUNS = "One line a run (*.csv);;Every sample of every run (*.samples.csv)"
FILM_SIZE, FILM_SECONDS = (1280, 720), 8.0


class TakeAwayFeature(QObject):
    """Writes panels, runs and films; copies commands."""

    def __init__(self, window: Window) -> None:
        super().__init__(window.as_widget())
        self._window = window
        self._film: FilmJob | None = None
        menu = window.actions_by_key.menu("export_panel")
        titles = {"graph": "Graph"} | {
            key: title for key, title in window.docks.titles.items() if key != "run"
        }
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
            f"Export {title}", PICTURES, ".png", partial(self._save_panel, key), f"{key}"
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
        """Ask where to write the replay as a film."""
        self._window.files.ask_save("Export film", FILMS, ".gif", self.start_film)

    def copy_command(self) -> None:
        """Put the command that repeats this run, or this comparison, on the clipboard."""
        run, pair = self._window.session.current, self._window.features.compare.model
        if run is None:
            return
        try:
            if pair.b is not None:
                line = compare_line(run.settings, pair.b.settings, run.graph_reference, pair.how)
            else:
                line = run_line(run.settings, run.graph_reference)
        except GpuError as error:
            self._say("error", f"Not copied: {error}.")
            return
        clipboard = QApplication.clipboard()
        assert clipboard is not None
        clipboard.setText(line)
        self._say("info", f"Copied: {line}")

    def start_film(self, path: str) -> None:
        """Begin a film of the current run."""
        from viewer.animate import check_film

        run = self._window.session.current
        if run is None or run.trace is None or self._film is not None:
            return
        try:
            check_film(path, FILM_SECONDS)
        except GpuError as error:
            self._say("error", f"No film: {error}.")
            return
        self._film = FilmJob(self._window, run.trace, path, self._film_ended)

    def cancel(self) -> None:
        """Give the film up; nothing of it is left."""
        if self._film is not None:
            self._film.give_up()

    def close(self) -> None:
        """The window closes."""
        self.cancel()

    def _film_ended(self, path: str, problem: BaseException | None) -> None:
        self._film = None
        self._window.session.set_progress(None)
        if problem is None:
            self._say("info", f"Saved {path}")
        else:
            self._say("error", f"{path} was not saved: {problem}.")

    def _save_panel(self, key: str, path: str) -> None:
        self._window.files.save(path, partial(self._write_panel, key))

    def _write_panel(self, key: str, path: str) -> None:
        from viewer.pictures import save_widget

        if Path(path).suffix.lower() == ".csv":
            write_panel(self._window, key, path)
            return
        panel = self._window.graph_view if key == "graph" else self._window.show_dock(key)
        self._draw_now(panel)
        run = self._window.session.current
        title = run.title if run is not None else "SSSP Scope"
        caption = ""
        if run is not None:
            caption = f"{run.clock} time · probe level {int(run.settings.probe)} · {title}"
        save_widget(panel, path, title, caption)

    def _draw_now(self, panel: QWidget) -> None:
        flush = getattr(panel, "flush", None)
        if flush is not None:
            flush()

    def _say(self, level: str, words: str) -> None:
        self._window.session.set_notice(Notice("error" if level == "error" else "info", words))


class FilmJob(QObject):
    """One film: a frame a turn of the event loop while the encoder has room."""

    def __init__(self, window: Window, trace: Trace, path: str, ended: object) -> None:
        super().__init__(window.as_widget())
        from viewer.animate import Film, moments
        from viewer.dashboard import Dashboard

        self._window, self._path, self._ended = window, path, ended
        self._dashboard: Dashboard = Dashboard()
        self._dashboard.apply_theme(window.theme)
        graph = window.session.graph
        if graph is not None and window.session.positions is not None:
            graph = graph.with_positions(window.session.positions)
        self._dashboard.fill(trace, graph)
        duration = self._dashboard.playback.duration_ns
        self._times = moments(duration, FILM_SECONDS, Path(path).suffix.lower()).tolist()
        self._done, self._shown, self._frame = 0, -1.0, b""
        self._film: Film = Film(path, FILM_SIZE)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._step)
        self._timer.start(1)

    def give_up(self) -> None:
        """Cancel; nothing is left."""
        self._film.give_up()
        self._end()

    def _step(self) -> None:
        if self._film.ended:
            self._end()
        elif self._film.ready and self._done < len(self._times):
            self._draw(self._times[self._done])
            self._film.add(self._frame)
            self._done += 1
            share = self._done / len(self._times)
            self._window.session.set_progress(min(share, 0.99), "Drawing the film…")
            if self._done == len(self._times):
                self._film.close()

    def _draw(self, time_ns: float) -> None:
        from viewer.pictures import frame_bytes

        if time_ns != self._shown:
            picture = self._dashboard.grab_picture(QSize(*FILM_SIZE), time_ns)
            self._shown, self._frame = time_ns, frame_bytes(picture.toImage(), FILM_SIZE)

    def _end(self) -> None:
        self._timer.stop()
        self._dashboard.close()
        self._dashboard.deleteLater()
        self._ended(self._path, self._film.problem)  # type: ignore[operator]
        self.deleteLater()
