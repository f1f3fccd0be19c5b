"""How the window stood: what a workspace keeps of it, and puts back.

Plain JSON values, written by any version of this program: what is not known, or does not fit, is
left as it is. Nothing here is asked before the whole file has been read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta, Struct
from PyQt6.QtCore import QByteArray

from gpu.errors import GpuError
from gpu.record.notes import plain_notes
from gpu.schema import fitting
from gpu.study.compare import Align
from gpu.study.sweep_saved import SavedSweep, sweep_as_dict, sweep_from_dict
from viewer.models.run_choices import RunChoices
from viewer.models.settings import THEME_NAMES

if TYPE_CHECKING:
    from viewer.feature import Window

Time = Annotated[float, Meta(ge=0, le=2.0**63)]  # ns


class Looks(Struct, frozen=True):
    """How the window stood, as far as a reader takes it from a file; None: left as it is."""

    theme: Literal[THEME_NAMES] | None = None  # type: ignore[valid-type]
    run_panel: dict[str, Any] | None = None
    layout: str | None = None
    docks: str | None = None
    cursor_ns: Time | None = None
    loop_ns: tuple[Time, Time] | None = None
    measure_ns: tuple[Time | None, Time | None] | None = None
    align: Align | None = None
    pair_layout: str | None = None


def looks_of(window: Window) -> dict[str, Any]:
    """Return theme, docks, Run panel, cursor, range, comparison and sweep as they are now."""
    widget, pair = window.as_widget(), window.comparison
    loop = window.playback.loop_ns
    told: dict[str, Any] = {
        "theme": window.settings.theme,
        "run_panel": window.run_panel.choices().as_dict(),
        "layout": window.docks.arrangement,
        "docks": widget.saveState(window.docks.version).toBase64().data().decode(),
        "cursor_ns": float(window.playback.cursor_ns),
        "loop_ns": list(map(float, loop)) if loop is not None else None,
        "measure_ns": list(window.playback.measure.marks),
        "align": pair.how,
        "pair_layout": pair.view,
        "colour_by": window.graph_view.colour_by,
    }
    notes = window.session.notes
    told["notes"] = plain_notes(pin.note for pin in notes.at_vertices(notes.graph_shown()))
    model = window.sweep
    if model.plan is not None and model.points and not model.running:
        points = tuple(model.points)
        saved = SavedSweep(model.plan, points, model.graph_name, model.graph_hash)
        told["sweep"] = sweep_as_dict(saved)
    return told


def put_back_looks(window: Window, told: dict[str, Any]) -> str:
    """Stand as before; return in a sentence what could not be put back, or ""."""
    widget, looks = window.as_widget(), fitting(Looks, told)
    if looks.theme is not None:
        window.set_theme(looks.theme)
    if looks.run_panel is not None:
        window.run_panel.set_choices(RunChoices.from_dict(looks.run_panel))
    if looks.layout is not None:
        window.docks.arrange(looks.layout)
    if looks.docks is not None:
        packed = QByteArray.fromBase64(looks.docks.encode("ascii", "replace"))
        widget.restoreState(packed, window.docks.version)
    return _put_back_sweep(window, told.get("sweep"))


def put_back_moment(window: Window, told: dict[str, Any]) -> None:
    """Put range and cursor back, once the run is shown; nothing plays."""
    playback, looks = window.playback, fitting(Looks, told)
    playback.pause()
    playback.set_following(False)
    if looks.loop_ns is not None:
        playback.set_loop(*looks.loop_ns)
    if looks.measure_ns is not None:
        playback.measure.set_marks(looks.measure_ns)
    if looks.cursor_ns is not None:
        playback.set_cursor(looks.cursor_ns)


def put_back_pair(window: Window, told: dict[str, Any]) -> None:
    """Lay two runs on each other as before."""
    looks = fitting(Looks, told)
    if looks.align is not None:
        window.comparison.set_align(looks.align)
    window.comparison.set_view(str(looks.pair_layout))


def _put_back_sweep(window: Window, told: Any) -> str:
    model = window.sweep
    if told is None or model.running:
        return ""
    try:
        saved = sweep_from_dict(told)
    except GpuError as error:
        return f"Its sweep is left out: {error}."
    model.show_saved(saved)
    return ""
