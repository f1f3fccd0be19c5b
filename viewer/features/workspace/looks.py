"""How the window stood: what a workspace keeps of it, and puts back.

Plain JSON values, written by any version of this program: what is not known, or does not fit, is
left as it is. Nothing here is asked before the whole file has been read.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from PyQt6.QtCore import QByteArray

from gpu.errors import GpuError
from gpu.study.compare import ALIGNMENTS
from gpu.study.sweep_saved import SavedSweep, sweep_as_dict, sweep_from_dict
from viewer.common.theme import THEMES
from viewer.models.run_choices import RunChoices

if TYPE_CHECKING:
    from viewer.feature import Window


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
        "align": pair.how,
        "pair_layout": pair.view,
        "colour_by": window.graph_view.colour_by,
    }
    model = window.sweep
    if model.plan is not None and model.points and not model.running:
        points = tuple(model.points)
        saved = SavedSweep(model.plan, points, model.graph_name, model.graph_hash)
        told["sweep"] = sweep_as_dict(saved)
    return told


def put_back_looks(window: Window, told: dict[str, Any]) -> str:
    """Stand as before; return in a sentence what could not be put back, or ""."""
    widget = window.as_widget()
    if told.get("theme") in THEMES:
        window.set_theme(told["theme"])
    if isinstance(told.get("run_panel"), dict):
        window.run_panel.set_choices(RunChoices.from_dict(told["run_panel"]))
    if isinstance(told.get("layout"), str):
        window.docks.arrange(told["layout"])
    state = told.get("docks")
    if isinstance(state, str):
        packed = QByteArray.fromBase64(state.encode("ascii", "replace"))
        widget.restoreState(packed, window.docks.version)
    return _put_back_sweep(window, told.get("sweep"))


def put_back_moment(window: Window, told: dict[str, Any]) -> None:
    """Put range and cursor back, once the run is shown; nothing plays."""
    playback, cursor, loop = window.playback, told.get("cursor_ns"), told.get("loop_ns")
    playback.pause()
    playback.set_following(False)
    if isinstance(loop, list) and len(loop) == 2 and all(map(_number, loop)):
        playback.set_loop(float(loop[0]), float(loop[1]))
    if _number(cursor):
        playback.set_cursor(float(cursor or 0))


def put_back_pair(window: Window, told: dict[str, Any]) -> None:
    """Lay two runs on each other as before."""
    if told.get("align") in ALIGNMENTS:
        window.comparison.set_align(told["align"])
    window.comparison.set_view(str(told.get("pair_layout")))


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


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)
