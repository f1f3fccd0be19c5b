"""The sweep feature at work: from the Run panel's choices to a plan, from a point to a run."""

from __future__ import annotations

from dataclasses import replace

from PyQt6.QtWidgets import QWidget

from gpu.cli.command_line import sweep_line
from gpu.engine import graph_reference
from gpu.errors import GpuError, ParameterError
from gpu.record.trace import GraphReference
from gpu.study import sweep
from gpu.study.sweep import SweepPoint
from viewer.feature import FeaturePart, Window
from viewer.features.sweep.page import write_page
from viewer.features.sweep.panel import SweepPanel
from viewer.frame.copied_commands import copy_command
from viewer.models.session import Notice

PAGES = "Web pages (*.html)"


class SweepFeature(FeaturePart):
    """Makes the panel; plans what is to be swept."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.model = window.sweep
        self.model.failed.connect(self._report)
        self.model.warned.connect(self._warn)
        self.model.changed.connect(window.enable_actions)
        window.docks.offer("sweep", window.actions_by_key["copy_sweep"])
        self._panel: SweepPanel | None = None
        window.run_panel.choices_changed.connect(self._offer_knobs)
        window.session.graph_changed.connect(self._offer_knobs)

    def make_panel(self, _dock: str) -> QWidget:
        """Return the panel."""
        self._panel = panel = SweepPanel(self.model)
        panel.sweep_requested.connect(self.start)
        panel.cancel_requested.connect(self.model.cancel)
        panel.run_requested.connect(self.open_run)
        self._offer_knobs()
        return panel

    def show(self) -> None:
        """Show the panel and sweep Δ at once, unless a sweep runs."""
        panel = self._window.show_dock("sweep")
        assert isinstance(panel, SweepPanel)
        if not self.model.running and panel.knob.count():
            panel.button.click()

    def needs(self) -> dict[str, bool]:
        """Whether there is a sweep to copy."""
        return {"swept": self.model.plan is not None and bool(self.model.points)}

    def copy_command(self) -> None:
        """Put the command that makes this sweep again on the clipboard."""
        plan = self.model.plan
        if plan is None:
            return
        reference = self._reference(plan.settings.source)
        if reference is None:
            words = f"This sweep was made on {self.model.graph_name}."
            self._window.session.set_notice(Notice("info", words, "Open that graph again first."))
            return
        copy_command(
            self._window.session,
            lambda: sweep_line(plan.settings, reference, plan.knob, plan.values),
        )

    def export_page(self) -> None:
        """Ask where to write the sweep as a page."""
        self._window.files.ask_save("Export sweep as web page", PAGES, ".html", self.save_page)

    def save_page(self, path: str) -> None:
        """Have a process of its own make every run again and write the page."""
        session, plan = self._window.session, self.model.plan
        graph = session.graph
        if graph is None or plan is None or graph.hash != self.model.graph_hash:
            words = f"This sweep was made on {self.model.graph_name}."
            session.set_notice(Notice("info", words, "Open that graph again first."))
            return
        here = graph.with_positions(session.positions)
        self._window.files.save_in_background(path, lambda to: write_page(here, plan, to))

    def _reference(self, source: int) -> GraphReference | None:
        """Return what names the graph of the sweep: the one shown, or that of a run."""
        graph, wanted = self._window.session.graph, self.model.graph_hash
        if graph is not None and graph.hash == wanted:
            return graph_reference(graph, source)
        known = [run.graph_reference for run in self._window.session.runs]
        return next((one for one in known if one.hash == wanted), None)

    def start(self, knob: str, values: str, cluster: str = "") -> None:
        """Sweep one knob of what the Run panel says; values as typed, "" for the usual.

        cluster : whose workers make the runs, "" for processes here
        """
        graph = self._window.session.graph
        if graph is None:
            return
        try:
            settings = replace(self._window.run_panel.run_settings(), delta=self._delta(knob))
            plan = sweep.make_plan(graph, settings, knob, _numbers(values))
        except GpuError as error:
            self._report(str(error))
            return
        self.model.start(graph, plan, cluster=cluster)

    def open_run(self, point: SweepPoint) -> None:
        """Make the run of a point again, in the window, with the Run panel's probe level."""
        graph = self._window.session.graph
        if graph is None or graph.hash != self.model.graph_hash:
            words = f"This sweep was made on {self.model.graph_name}."
            self._window.session.set_notice(Notice("info", words, "Open that graph again first."))
            return
        wanted = self._window.run_panel.run_settings()
        settings = replace(point.settings, probe=wanted.probe)
        if self.model.recorded_on:  # on a machine that is not here
            settings = replace(settings, engine=wanted.engine, device=wanted.device)
        self._window.controller.start_run(settings, None)

    def _delta(self, knob: str) -> float | None:
        asked = self._window.run_panel.run_settings().delta
        return None if knob in {sweep.DELTA, sweep.C} else asked

    def _offer_knobs(self) -> None:
        if self._panel is not None and not self.model.running:
            graph = self._window.session.graph
            wanted = self._window.run_panel.run_settings()
            self._panel.set_knobs({} if graph is None else sweep.knobs(wanted))

    def _warn(self, words: str) -> None:
        self._window.session.set_notice(Notice("warning", words))

    def _report(self, words: str) -> None:
        self._window.session.set_notice(Notice("error", f"No sweep: {words}"))


def _numbers(text: str) -> tuple[float, ...] | None:
    """Read "1, 2.5, 40"; None where nothing is typed. Raises ParameterError."""
    if not text:
        return None
    try:
        return tuple(float(part) for part in text.replace(";", ",").split(",") if part.strip())
    except ValueError:
        raise ParameterError(f"{text!r}; allowed: numbers with commas between") from None


install = SweepFeature
