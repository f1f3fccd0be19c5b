"""A film of the current run, while the window goes on.

The dialog gives a plan; `FilmJob` draws it a small piece a turn of the event loop
(`viewer.export.film_stage`), never more than PIECES_MS of them before the window has its turn, and
the encoder has a thread of its own. Progress and Cancel are in the status bar; what is given up
leaves nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from PyQt6.QtCore import QObject, QTimer
from PyQt6.QtGui import QImage

from gpu.errors import CancelledByUserError, GpuError
from gpu.record.trace import Trace
from viewer.export.film import FilmPlan
from viewer.models.session import Notice

if TYPE_CHECKING:
    from viewer.feature import Window

PIECES_MS = 12.0  # of drawing before the window gets a turn
KEY = "film"  # in Settings: the plan chosen last


class FilmMaker(QObject):
    """Asks what film, and where; makes one at a time."""

    def __init__(self, window: Window) -> None:
        super().__init__(window.as_widget())
        self._window = window
        self.job: FilmJob | None = None

    def ask(self) -> None:
        """Open the dialog."""
        from viewer.features.take_away.film_dialog import FilmDialog

        run = self._window.session.current
        if run is None or run.trace is None:
            return
        if self.job is not None:
            words = "A film is being made."
            self._say("info", words, "Wait for it, or press Cancel.")
            return
        playback = self._window.playback
        dialog = FilmDialog(
            float(playback.duration_ns),
            playback.loop_ns,
            remembered(self._window.settings.value(KEY, {}), self._window.settings.theme),
            self._graph_is_here(run.graph_reference.hash),
            self._window.as_widget(),
        )
        dialog.chosen.connect(self._ask_where)
        dialog.open()

    def start(self, plan: FilmPlan, path: str) -> None:
        """Begin a film of the current run."""
        run = self._window.session.current
        if run is None or run.trace is None or self.job is not None:
            return
        try:
            plan.check(path)
        except GpuError as error:
            self._say("error", f"No film: {error}.")
            return
        here = self._graph_is_here(run.graph_reference.hash)
        trace = self._window.session.notes.trace_of(run)
        self.job = FilmJob(self._window, trace, plan, path, here, self._ended)

    def cancel(self) -> None:
        """Give the film up; nothing of it is left."""
        if self.job is not None:
            self.job.give_up()

    def _graph_is_here(self, wanted: str) -> bool:
        graph = self._window.session.graph
        return graph is not None and graph.hash == wanted

    def _ask_where(self, plan: FilmPlan) -> None:
        kept = {"suffix": plan.suffix, "size": list(plan.size), "seconds": plan.seconds}
        kept |= {"rate": plan.rate, "panels": list(plan.panels)}
        self._window.settings.set_value(KEY, kept)
        kind = f"{plan.suffix[1:].upper()} (*{plan.suffix})"
        self._window.files.ask_save("Export film", kind, plan.suffix, partial(self.start, plan))

    def _ended(self, path: str, problem: BaseException | None) -> None:
        self.job = None
        self._window.session.set_progress(None)
        if problem is None:
            self._say("info", f"Saved {path}")
        elif isinstance(problem, CancelledByUserError):
            self._say("info", f"{path} was not saved: cancelled.")
        elif isinstance(problem, GpuError | OSError):
            self._say("error", f"{path} was not saved: {problem}.")
        else:
            raise problem

    def _say(self, level: str, words: str, advice: str = "") -> None:
        kind: Any = level
        self._window.session.set_notice(Notice(kind, words, advice))


def remembered(told: Any, theme: str) -> FilmPlan:
    """Return the plan chosen last, the usual one where that does not fit; of the window's theme."""
    try:
        plan = FilmPlan(
            str(told["suffix"]),
            (int(told["size"][0]), int(told["size"][1])),
            float(told["seconds"]),
            int(told["rate"]),
            0.0,
            1.0,
            tuple(map(str, told["panels"])),
            theme,
        )
    except (KeyError, TypeError, ValueError, IndexError):
        return FilmPlan(theme=theme)
    return plan if not plan.problem else FilmPlan(theme=theme)


class FilmJob(QObject):
    """One film; see the module docstring."""

    def __init__(
        self,
        window: Window,
        trace: Trace,
        plan: FilmPlan,
        path: str,
        has_graph: bool,
        ended: Callable[[str, BaseException | None], None],
    ) -> None:
        super().__init__(window.as_widget())
        from viewer.export.animate import Film
        from viewer.export.film_stage import FilmStage

        self._window, self._path, self._plan, self._ended = window, path, plan, ended
        session = window.session
        graph = session.graph if has_graph else None
        self._stage = FilmStage(trace, graph, session.positions if has_graph else None, plan, self)
        self._film = Film(path, plan.size, plan.rate)
        self._pieces = self._all()
        self._share = 0.0
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._turn)
        self._timer.start(0)
        session.set_progress(0.0, "Drawing the film…")

    def give_up(self) -> None:
        """Cancel; nothing is left."""
        self._film.give_up()
        self._end()

    def _turn(self) -> None:
        """Draw some pieces, if the encoder is not behind."""
        begun = time.perf_counter()
        while not self._film.ended and self._film.ready:
            if next(self._pieces, False) is False:
                break
            if 1000 * (time.perf_counter() - begun) > PIECES_MS:
                break
        if self._film.ended:
            self._end()
        else:
            self._timer.setInterval(0 if self._film.ready else 5)

    def _all(self) -> Iterator[None]:
        """Do the whole film in pieces; each `next` is one."""
        yield from self._stage.build()
        times = [*self._plan.scouts.tolist(), *self._plan.moments.tolist()]
        shown, frame = -1.0, QImage()
        for place, time_ns in enumerate(times, 1):
            if time_ns != shown:
                for drawn in self._stage.draw(time_ns):
                    frame = frame if drawn is None else drawn
                    yield
                shown = time_ns
            self._film.add(partial(_rgb, frame, self._plan.size))
            self._window.session.set_progress(
                min(place / len(times), 0.99), f"Drawing the film, frame {place} of {len(times)}…"
            )
            yield
        self._film.close()
        while True:
            yield

    def _end(self) -> None:
        self._timer.stop()
        self._stage.close()
        self._ended(self._path, self._film.problem)
        self.deleteLater()


def _rgb(frame: QImage, size: tuple[int, int]) -> bytes:
    from viewer.export.pictures import frame_bytes

    return frame_bytes(frame, size)
