"""Drawing a graph of one's own: the rows. What happens: `viewer.features.draw.feature`."""

from __future__ import annotations

from typing import Any

from viewer.actions import ActionRow
from viewer.feature import Feature

DRAWING = "drawing"  # ActionRow.needs: the page is open
DRAWN = "drawn"  # and something is drawn
WATCHABLE = "drawn_watchable"  # and every event of a run can be looked at
PICKED = "drawn_picked"  # and some of it is selected
VERTEX_PICKED = "drawn_vertex_picked"  # one vertex is
ARC_PICKED = "drawn_arc_picked"  # an arc is
DRAWABLE = "drawable"  # the graph shown is small enough to be edited


def _row(
    key: str, text: str, section: int, tooltip: str, *keys: str, needs: str = DRAWING, **more: Any
) -> ActionRow:
    own = "" if more.get("submenu") else key.removeprefix("draw_")
    handler = more.pop("handler", own)
    return ActionRow(key, text, "draw", section, tooltip, handler, keys, needs=needs, **more)


def _tool(key: str, text: str, tooltip: str, letter: str) -> ActionRow:
    return _row(
        f"draw_tool_{key}", text, 2, tooltip, hint=letter, checkable=True, group="draw_tool",
        icon=f"tool_{key}", handler="take_tool", argument=key,
    )  # fmt: skip


FEATURE = Feature(
    "draw",
    (
        _row(
            "draw", "&Draw a graph", 0, "Draw a graph by hand, or go on with the last drawing",
            "Ctrl+D", needs="", icon="draw", toolbar=True, label="Draw",
        ),
        _row(
            "draw_edit", "&Edit this graph", 0, "Change the graph that is shown, if it is small",
            "Ctrl+Shift+D", needs=DRAWABLE,
        ),
        _row(
            "draw_use", "&Use and run", 1, "Give the drawing to the window and run on it",
            "Ctrl+Return", needs=DRAWN,
        ),
        _row(
            "draw_watch", "&Watch every event", 1, "Run on the drawing and step through each event",
            "Ctrl+Shift+Return", needs=WATCHABLE,
        ),
        _row("draw_leave", "&Close the drawing", 1, "Go back to the graph; the drawing is kept"),
        _tool("select", "&Select", "Select and move; a drag from a rim draws an arc", "S"),
        _tool("vertex", "Draw &vertices", "Add a vertex with each click", "V"),
        _tool("arc", "Draw &arcs", "Draw an arc by a drag, or by two clicks", "A"),
        _row("draw_new", "&New drawing", 3, "Begin with nothing; undo brings back the old one",
             icon="new"),
        _row("draw_presets", "New fro&m", 3, "Begin with a graph that is there", submenu=True,
             icon="sample"),
        _row("draw_paste", "&Paste edge list…", 3, "Draw what a text says, such as S -> A 10",
             "Ctrl+V", icon="paste"),
        _row("draw_copy", "C&opy as edge list", 3, "Copy the selected arcs, or all, as text",
             "Ctrl+C", needs=DRAWN),
        _row("draw_save", "Save drawin&g…", 3, "Save the drawing as a file in any format we write",
             needs=DRAWN, icon="save", hint="Ctrl+S"),
        _row("draw_delete", "De&lete", 4, "Take away what is selected", "Del", "Backspace",
             needs=PICKED, icon="delete"),
        _row("draw_all", "Select all", 4, "Select every vertex and arc", "Ctrl+A", needs=DRAWN,
             handler="model.select_all"),
        _row("draw_reverse", "&Reverse arcs", 4, "Turn the selected arcs around", needs=ARC_PICKED),
        _row("draw_start", "S&tart here", 4, "Let runs start from the selected vertex",
             needs=VERTEX_PICKED),
        _row("draw_arrange", "Arrange", 5, "Find places where the arcs can be seen",
             needs=DRAWN),
        _row("draw_snap", "Snap to gr&id", 5, "Let vertices stand on the points of a grid",
             checkable=True, icon="snap"),
        _row("draw_fit", "&Fit drawing", 5, "Show all of the drawing", hint="F", icon="fit"),
    ),
)  # fmt: skip
