"""The table of all actions: everything that the program can do, in the order of the menus.

Data only: it is read at start and imports no panel. `viewer.action_set` makes QActions of it.
To add an action, add an entry here; its handler is a method of the window or of the feature `by`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Action:
    """One action.

    key : unique, also the QAction's object name
    handler : the method to call, as a path from the window, or from the feature `by`
        ("window.comparison.swap" is always a path from the window); a submenu has none
    keys : Qt's portable names, separated by spaces; the first one is shown
    by : the feature that the action belongs to; "" for the window itself
    argument : what the handler is called with; a checkable action outside a group passes its state
    hint : a key that is no shortcut, so that text fields can use it too
    needs : the state in which it is enabled: "" always, "graph", "run" (any run), "trace" (a
        finished run), "running", "idle" (no run going, a graph open), or one that a feature reports
    label : text beside the icon in the toolbar; without it the icon stands alone
    submenu : its entries are filled in by its owner
    group : actions of one group exclude each other
    """

    key: str
    text: str
    tooltip: str
    handler: str = ""
    keys: str = ""
    by: str = ""
    argument: str | int | None = None
    hint: str = ""
    needs: str = ""
    icon: str = ""
    toolbar: bool = False
    label: str = ""
    submenu: bool = False
    checkable: bool = False
    group: str = ""

    @property
    def shortcuts(self) -> tuple[str, ...]:
        """Its keys, one by one."""
        return tuple(self.keys.split())


LINE = None  # in a menu: a line between two sections


@dataclass(frozen=True)
class Menu:
    """One menu of the menu bar: its actions from top to bottom."""

    key: str
    title: str
    entries: tuple[Action | None, ...]

    @property
    def actions(self) -> tuple[Action, ...]:
        """Its actions, without the lines."""
        return tuple(entry for entry in self.entries if entry is not None)


def menus_of(features: Iterable[str]) -> tuple[Menu, ...]:
    """Return the menus without the actions of features that are not there."""
    owners = {"", *features}

    def kept(menu: Menu) -> Menu:
        entries = (entry for entry in menu.entries if entry is None or entry.by in owners)
        return replace(menu, entries=tuple(entries))

    return tuple(map(kept, MENUS))


# fmt: off
MENUS: tuple[Menu, ...] = (
    Menu("file", "&File", (
        Action("open", "&Open…", "Open a graph file; its format is found from its content",
               "files.ask_open", "Ctrl+O", icon="open", toolbar=True, label="Open"),
        Action("recent", "Open &recent", "Open a file that was opened before", submenu=True),
        Action("reopen_with_options", "Reopen with op&tions…",
               "Read the graph that is open again, with another direction or other weights",
               "ask_reopen", "Ctrl+Alt+R", by="open_options", needs="graph_file"),
        Action("open_workspace", "Open &workspace or run…",
               "Open a workspace (.ssspw) or a saved run (.npz); it needs no GPU", "ask_open",
               "Ctrl+Shift+O", by="workspace"),
        LINE,
        Action("save_trace", "&Save trace…",
               "Save this run, whole, to look at it again with sssp-scope render",
               "files.ask_save_trace", "Ctrl+S", needs="trace", icon="save", toolbar=True),
        Action("export_csv", "Export samples as &CSV…",
               "Write every sample of this run, or of both compared, as one line of a table",
               "export_samples", by="take_away", needs="trace"),
        Action("export_png", "Export window as &PNG…", "Save a picture of the whole window",
               "files.ask_export_png", "Ctrl+Shift+S", icon="picture", toolbar=True),
        Action("sweep_page", "Export s&weep as web page…",
               "Record every run of this sweep, and write them as one page with a slider",
               "export_page", by="sweep", needs="swept"),
        Action("save_workspace", "Save works&pace…",
               "Save the runs, the layout and the name of the graph in one file",
               "ask_save", "Ctrl+Alt+S", by="workspace"),
        Action("export_panel", "Export pane&l",
               "Save one panel as PNG or PDF", by="take_away", submenu=True),
        Action("export_runs", "Export all &runs…", "Write a table with one line a run",
               "export_runs", by="take_away", needs="trace"),
        Action("export_film", "Export &film…",
               "Write this run, or both that are compared, as GIF or MP4", "export_film",
               "Ctrl+Alt+M", by="take_away", needs="trace"),
        Action("export_page", "Export as &web page…",
               "Write this run, or both that are compared, as one page that plays in any browser",
               "export_page", by="take_away", needs="trace"),
        LINE,
        Action("quit", "&Quit", "Close the window and end the engine", "close", "Ctrl+Q"),
    )),
    Menu("edit", "&Edit", (
        Action("note_moment", "&Note at the cursor…",
               "Pin a line of text to this moment of the run", "ask_at_cursor", "N", by="notes",
               needs="run"),
        Action("note_vertex", "Note at a &vertex…",
               "Pin a line of text to the vertex under the pointer, or to one that you name",
               "ask_at_vertex", "Shift+N", by="notes", needs="graph"),
        Action("notes", "N&otes",
               "List the notes of this run and its graph; go to them, change them",
               "window.toggle_dock", "Ctrl+Shift+N", by="notes", argument="notes"),
        Action("copy_command", "Copy as co&mmand",
               "Copy a line for a shell that makes this run again", "copy_command", "Ctrl+Shift+C",
               by="take_away", needs="run"),
    )),
    Menu("run", "&Run", (
        Action("run", "&Run", "Run the chosen algorithm on this graph", "start_run", "Ctrl+R F9",
               needs="idle", icon="run", toolbar=True, label="Run"),
        Action("stop", "&Stop", "End the run now; what it recorded so far is kept",
               "controller.stop", "Esc", needs="running", icon="stop", toolbar=True, label="Stop"),
        LINE,
        Action("sweep", "S&weep Δ…",
               "Run the chosen algorithm over many bucket widths and compare time and work", "show",
               "Ctrl+Shift+W", by="sweep", needs="graph"),
        Action("policy", "Write a s&cheduler",
               "A policy of your own in place of ADDS' controller: edit, run, compare, sweep",
               "window.toggle_dock", "Ctrl+Shift+L", by="policy", argument="policy"),
        Action("why", "Why did Δ c&hange?", "Every change of Δ with its reason and numbers",
               "window.toggle_dock", "Ctrl+Shift+Y", by="why", argument="why", needs="run"),
        Action("be_scheduler", "&Be the scheduler",
               "Take the waiting vertices of a small graph in your own order, beside Dijkstra",
               "open", "Ctrl+Shift+G", by="play"),
        Action("microscope", "&Microscope",
               "Run the graph shown and watch every single event",
               "open", "Ctrl+Shift+M", by="microscope"),
        Action("microscope_leave", "&Leave the microscope",
               "Go back to the panels, the graph and the run that were there before", "leave",
               by="microscope", needs="microscope"),
    )),
    Menu("playback", "&Playback", (
        Action("play", "&Play or pause", "Move the cursor through the run, or hold it",
               "timeline.toggle", hint="Space", needs="run"),
        LINE,
        Action("step_back", "Step &back",
               "Go to the sample before",
               "timeline.step_back", hint="Left", needs="run"),
        Action("step_forward", "Step &forward",
               "Go to the next sample",
               "timeline.step_forward", hint="Right", needs="run"),
        LINE,
        Action("to_start", "To the &start", "Put the cursor at the start of the run",
               "timeline.to_start", hint="Home", needs="run"),
        Action("to_end", "To the &end", "Put the cursor at the end of the run", "timeline.to_end",
               hint="End", needs="run"),
        Action("mark_back", "Mark be&fore",
               "Go to the previous mark: a change of Δ, the peak, a bucket switch if there are few",
               "timeline.mark_back", hint="Ctrl+Left", needs="run"),
        Action("mark_forward", "&Next mark",
               "Go to the next mark: a change of Δ, the peak, a bucket switch if there are few",
               "timeline.mark_forward", hint="Ctrl+Right", needs="run"),
        LINE,
        Action("event_next", "Next e&vent", "Go to the next event of the run", "model.step", ".",
               by="microscope", argument=1, needs="events"),
        Action("event_back", "Event &before", "Go to the event before", "model.step", ",",
               by="microscope", argument=-1, needs="events"),
        Action("event_play", "Play even&ts", "Let events go by, or stop", "model.toggle", "Ctrl+.",
               by="microscope", needs="events"),
        LINE,
        Action("slower", "Slo&wer", "Play at half the speed or less, down to a ten-thousandth",
               "timeline.slower", hint="Ctrl+Down"),
        Action("faster", "Fas&ter", "Play at twice the speed or more, up to ten times",
               "timeline.faster", hint="Ctrl+Up"),
        LINE,
        Action("mark_1", "&Measure from here",
               "Put mark 1 at the cursor (Ctrl+drag on a plot: both marks)",
               "put", "M", by="measure", argument=0, needs="run"),
        Action("mark_2", "Measure &to here",
               "Put mark 2 at the cursor; without it the cursor is the end",
               "put", "Shift+M", by="measure", argument=1, needs="run"),
        Action("measure_end", "Take the marks a&way", "Remove both marks",
               "window.playback.measure.clear", by="measure", hint="Esc", needs="measuring"),
    )),
    Menu("compare", "&Compare", (
        Action("compare_rival", "&Compare",
               "Run another algorithm on the same graph, show both together", "compare_rival",
               "Ctrl+B", by="compare", needs="alone", icon="compare", toolbar=True,
               label="Compare"),
        Action("compare_other", "Compare &with",
               "Make a second run from this one, with another algorithm or another Δ", by="compare",
               needs="comparable", submenu=True),
        LINE,
        Action("swap_runs", "&Swap A and B", "B becomes the run that every panel shows",
               "window.comparison.swap", "Ctrl+Shift+B", by="compare", needs="comparing"),
        Action("end_comparison", "&End comparison", "Show A alone again", "window.comparison.end",
               "Ctrl+Shift+E", by="compare", needs="comparing"),
        LINE,
        Action("pair_split", "Graphs side by &side", "A map for each run, one cursor",
               "window.comparison.set_view", "Alt+4", by="compare", argument="split",
               needs="comparing", checkable=True, group="pair_view"),
        Action("pair_difference", "Graph shows the &difference", "Who settled a vertex first",
               "window.comparison.set_view", "Alt+5", by="compare", argument="difference",
               needs="comparing", checkable=True, group="pair_view"),
        Action("pair_single", "Graph shows &A alone", "The plots still show both",
               "window.comparison.set_view", "Alt+6", by="compare", argument="single",
               needs="comparing", checkable=True, group="pair_view"),
        LINE,
        Action("show_runs", "&Runs", "Every run so far: show one, compare two, forget one",
               "window.toggle_dock", "Ctrl+Shift+R", by="compare", argument="runs"),
    )),
    Menu("draw", "&Draw", (
        Action("draw", "&Draw a graph", "Draw a graph by hand, or go on with the last drawing",
               "draw", "Ctrl+D", by="draw", icon="draw", toolbar=True, label="Draw"),
        Action("draw_edit", "&Edit this graph", "Change the graph that is shown, if it is small",
               "edit", "Ctrl+Shift+D", by="draw", needs="drawable"),
        LINE,
        Action("draw_use", "&Use and run", "Give the drawing to the window and run on it", "use",
               "Ctrl+Return", by="draw", needs="drawn"),
        Action("draw_leave", "&Close the drawing", "Go back to the graph; the drawing is kept",
               "leave", by="draw", needs="drawing"),
        LINE,
        Action("draw_new", "&New drawing", "Begin with nothing; undo brings back the old one",
               "new", by="draw", needs="drawing", icon="new"),
        Action("draw_paste", "&Paste edge list", "Draw the clipboard, lines such as S -> A 10",
               "paste", "Ctrl+V", by="draw", needs="drawing", icon="paste"),
        Action("draw_copy", "C&opy as edge list", "Copy the selected edges, or all, as text",
               "copy", "Ctrl+C", by="draw", needs="drawn"),
        Action("draw_save", "Save drawin&g…", "Save the drawing as a file in any format we write",
               "save", by="draw", needs="drawn", icon="save"),
        LINE,
        Action("draw_undo", "&Undo", "Take back the last change of the drawing", "model.undo",
               "Ctrl+Z", by="draw", needs="drawn_undoable", icon="undo"),
        Action("draw_redo", "Redo", "Make again the change that was taken back", "model.redo",
               "Ctrl+Shift+Z Ctrl+Y", by="draw", needs="drawn_redoable", icon="redo"),
        Action("draw_delete", "De&lete", "Take away what is selected", "delete", "Del Backspace",
               by="draw", needs="drawn_picked", icon="delete"),
        Action("draw_all", "Select all", "Select every vertex and edge", "model.select_all",
               "Ctrl+A", by="draw", needs="drawn"),
        LINE,
        Action("draw_arrange", "Arrange", "Move vertices until all edges can be seen", "arrange",
               by="draw", needs="drawn"),
        Action("draw_fit", "&Fit drawing", "Show all of the drawing", "fit", by="draw", hint="F",
               needs="drawing", icon="fit"),
    )),
    Menu("view", "&View", (
        Action("fit", "&Fit graph", "Show the whole graph", "graph_view.fit", "F", needs="graph",
               icon="fit", toolbar=True),
        Action("path_to", "Shortest &path to…",
               "Show the shortest path to the vertex under the pointer, or to one that you name",
               "ask_path", "P", needs="run"),
        Action("colour_by", "&Colour by", "What the colours of the vertices mean", submenu=True),
        LINE,
        Action("panels", "&Panels", "Show and hide the panels", submenu=True),
        Action("reset_layout", "&Reset layout",
               "Put every panel back where the layout has it, floating panels too", "docks.reset",
               icon="layout"),
        Action("all_controls", "&All controls",
               "Every control and plot, or the simple screen", "docks.toggle_controls",
               "Ctrl+Shift+A", checkable=True, icon="layout", toolbar=True, label="All controls"),
        Action("layout_simple", "Layout &1: Simple screen",
               "Two maps, three plots, Play and Δ", "docks.choose", "Ctrl+1",
               argument="simple", checkable=True, group="layout"),
        Action("layout_explore", "Layout &2: Explore",
               "Every plot beside the graph, and what to run", "docks.choose", "Ctrl+2",
               argument="explore", checkable=True, group="layout"),
        Action("layout_compare", "Layout &3: Compare",
               "Two runs: their maps, the table of runs, every plot", "docks.choose", "Ctrl+3",
               argument="compare", checkable=True, group="layout"),
        LINE,
        Action("theme_light", "&Light theme", "Dark on white, for rooms with daylight",
               "set_theme", argument="light", checkable=True, group="theme"),
        Action("theme_dark", "&Dark theme", "Light on black, for dark rooms", "set_theme",
               argument="dark", checkable=True, group="theme"),
        Action("theme_projector", "&Projector theme",
               "Large black text and wide lines on white, for a wall seen from the last row",
               "set_theme", argument="projector", checkable=True, group="theme"),
        Action("arrange_own", "Arrange: As in the &file",
               "Draw the vertices at the positions that came with them", "place", "Ctrl+Alt+1",
               by="placement", argument="own", needs="placed"),
        Action("arrange_pivot_mds", "Arrange: As a &map",
               "Place vertices by hops from a few of them (PivotMDS)", "place", "Ctrl+Alt+2",
               by="placement", argument="pivot_mds", needs="movable"),
        Action("arrange_spring", "Arrange: By f&orces",
               "Let edges pull and vertices push: up to 10,000 vertices", "place", "Ctrl+Alt+3",
               by="placement", argument="spring", needs="spring"),
        Action("arrange_lanes", "Arrange: In bucket &lanes",
               "A column for each bucket of this run's Δ", "place", "Ctrl+Alt+4", by="placement",
               argument="lanes", needs="distances"),
        Action("arrange_rings", "Arrange: On distance &rings",
               "Circles of equal distance around the source", "place", "Ctrl+Alt+5", by="placement",
               argument="rings", needs="distances"),
        Action("arrange_kamada_kawai", "Arrange: By &hops",
               "Distances in the picture follow hops (Kamada and Kawai): up to 100 vertices",
               "place", "Ctrl+Alt+6", by="placement", argument="kamada_kawai",
               needs="kamada_kawai"),
        Action("arrange_planar", "Arrange: &Without crossings",
               "Planar graphs of up to 2,000 vertices", "place", "Ctrl+Alt+7", by="placement",
               argument="planar", needs="planar"),
        LINE,
        Action("show_matrix", "All-pairs matri&x",
               "The distances from every source to every vertex, and who works on them",
               "window.toggle_dock", "Ctrl+Shift+X", by="matrix", argument="matrix"),
        Action("matrix_fit", "Matrix: all of it", "Show every row and column of the matrix",
               "model.fit", by="matrix", needs="matrix"),
        Action("present", "P&resent",
               "Full screen, large text (Ctrl+plus, Ctrl+minus); again, or Esc, goes back",
               "toggle", "F5",
               by="present"),
        LINE,
        Action("describe", "Describe this &moment",
               "Say in words what the map and every panel show at the cursor", "describe", "Ctrl+I",
               by="access", needs="graph"),
        Action("still", "Less mo&tion",
               "Playback goes in steps of half a second, and menus and panels do not slide",
               "set_still", by="access", checkable=True),
    )),
    Menu("help", "&Help", (
        Action("shortcuts", "&Keyboard shortcuts", "Every key that does something",
               "show_shortcuts", "?", icon="keyboard"),
        Action("about", "&About SSSP Scope", "What this is", "show_about", icon="info"),
        Action("manual", "&Manual",
               "What each panel shows and how it is read; opens at the panel that has the focus",
               "open", "F1", by="manual"),
        Action("glossary", "&Glossary", "Every word of the program, explained", "open_glossary",
               by="manual"),
        Action("palette", "&Command palette…",
               "Find and use any action by typing a part of its name", "show", "Ctrl+Shift+P",
               by="palette"),
        LINE,
        Action("recorded_roads", "Recorded on a GPU: &roads",
               "ADDS and Near-Far on the roads of a city: sooner, with more work", "show",
               by="opening", argument="roads"),
        Action("recorded_mesh", "Recorded on a GPU: &mesh",
               "ADDS and Near-Far on a 3-D mesh: sooner, and less work", "show", by="opening",
               argument="mesh"),
        Action("recorded_sweep", "Recorded on a GPU: s&weep of Δ",
               "Time and work against Δ on the roads of a city: least work is not least time",
               "show_sweep", by="opening"),
        LINE,
        Action("lessons", "&Lessons…", "Learn how this works, step by step: predict, then run",
               "lessons", "F2", by="lessons", icon="lessons", toolbar=True, label="Lessons"),
        Action("open_lesson", "Open l&esson", "Go straight to a lesson", by="lessons",
               submenu=True),
        Action("lesson_next", "&Next step", "Go to the next step of the lesson", "lesson_next",
               "PgDown", by="lessons", needs="lesson"),
        Action("lesson_back", "Step &before", "Go to the step before", "lesson_back", "PgUp",
               by="lessons", needs="lesson"),
        Action("lesson_restart", "&Restart lesson", "Forget your answers and begin again",
               "model.restart", by="lessons", needs="lesson"),
        Action("lesson_leave", "Lea&ve lesson", "Put the window back as it was before the lesson",
               "lesson_leave", by="lessons", needs="lesson"),
        Action("lesson_page", "Lesson as a web &page…",
               "Write the lesson as one HTML page that asks and checks the answers",
               "lesson_page", by="lessons", needs="lesson"),
        LINE,
    )),
)
# fmt: on
