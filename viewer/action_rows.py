"""The rows of `viewer.actions`: what a person can do, as data.

A row names a method of the main window (`handler`). A row of kind "submenu" has no
handler: the window fills it. Rows stand in menus in the order of the table, with a line
between two rows whose `section` differs. Features (`viewer.features`) bring rows of
their own.
"""

from __future__ import annotations

from dataclasses import dataclass

MENUS = (
    ("file", "&File"),
    ("edit", "&Edit"),
    ("run", "&Run"),
    ("playback", "&Playback"),
    ("compare", "&Compare"),
    ("draw", "&Draw"),
    ("view", "&View"),
    ("help", "&Help"),
)


@dataclass(frozen=True)
class ActionRow:
    """One action.

    key : unique, also the QAction's object name
    text : as in the menu, & before the mnemonic
    tooltip : one sentence, also the status tip and accessible help
    shortcuts : Qt's portable names, the first is shown
    handler : method of MainWindow or of a part of it ("timeline.to_end"), called on trigger;
        of a checkable row, with the new state
    hint : a key that works without being a shortcut, so that fields may use it themselves
    group : rows of one group exclude each other
    needs : "" always, "graph", "run" (a run to look at), "trace" (a finished one),
        "running", "idle" (no run going, a graph there)
    """

    key: str
    text: str
    menu: str
    section: int
    tooltip: str
    handler: str = ""
    shortcuts: tuple[str, ...] = ()
    icon: str = ""
    toolbar: bool = False
    checkable: bool = False
    group: str = ""
    needs: str = ""
    submenu: bool = False
    hint: str = ""
    label: str = ""  # beside the icon in the toolbar; none: the icon alone


ACTIONS: tuple[ActionRow, ...] = (
    ActionRow(
        "open",
        "&Open…",
        "file",
        0,
        "Open a graph file; its format is found from its content",
        "files.ask_open",
        ("Ctrl+O",),
        "open",
        toolbar=True,
        label="Open",
    ),
    ActionRow(
        "samples",
        "Open &sample",
        "file",
        0,
        "Open one of the generated sample graphs",
        icon="sample",
        toolbar=True,
        label="Samples",
        submenu=True,
    ),
    ActionRow(
        "recent", "Open &recent", "file", 0, "Open a file that was opened before", submenu=True
    ),
    ActionRow(
        "save_trace",
        "&Save trace…",
        "file",
        1,
        "Save this run, whole, to look at it again with sssp-scope render",
        "files.ask_save_trace",
        ("Ctrl+S",),
        "save",
        toolbar=True,
        needs="trace",
    ),
    ActionRow(
        "export_csv",
        "Export samples as &CSV…",
        "file",
        1,
        "Write every sample of this run as one line of a table",
        "files.ask_export_csv",
        needs="trace",
    ),
    ActionRow(
        "export_perfetto",
        "Export for &Perfetto…",
        "file",
        1,
        "Write this run in the trace-event format that ui.perfetto.dev opens",
        "files.ask_export_perfetto",
        needs="trace",
    ),
    ActionRow(
        "export_png",
        "Export window as &PNG…",
        "file",
        1,
        "Save a picture of the whole window",
        "files.ask_export_png",
        ("Ctrl+Shift+S",),
        "picture",
        toolbar=True,
    ),
    ActionRow(
        "quit", "&Quit", "file", 2, "Close the window and end the engine", "close", ("Ctrl+Q",)
    ),
    ActionRow(
        "run",
        "&Run",
        "run",
        0,
        "Run the chosen algorithm on this graph",
        "start_run",
        ("Ctrl+R", "F9"),
        "run",
        toolbar=True,
        label="Run",
        needs="idle",
    ),
    ActionRow(
        "stop",
        "&Stop",
        "run",
        0,
        "End the run now; what it recorded so far is kept",
        "controller.stop",
        ("Esc",),
        "stop",
        toolbar=True,
        label="Stop",
        needs="running",
    ),
    ActionRow(
        "play",
        "&Play or pause",
        "playback",
        0,
        "Move the cursor through the run, or hold it",
        "playback.toggle",
        hint="Space",
        needs="run",
    ),
    ActionRow(
        "replay",
        "Play &again from the start",
        "playback",
        0,
        "Play the whole run over a few seconds",
        "controller.replay",
        ("Ctrl+Space",),
        needs="run",
    ),
    ActionRow(
        "step_back",
        "Step &back",
        "playback",
        1,
        "Go to the sample, bucket switch or Δ change before (the timeline says which)",
        "timeline.step_back",
        hint="Left",
        needs="run",
    ),
    ActionRow(
        "step_forward",
        "Step &forward",
        "playback",
        1,
        "Go to the next sample, bucket switch or Δ change (the timeline says which)",
        "timeline.step_forward",
        hint="Right",
        needs="run",
    ),
    ActionRow(
        "to_start",
        "To the &start",
        "playback",
        2,
        "Put the cursor at the start of the run",
        "timeline.to_start",
        hint="Home",
        needs="run",
    ),
    ActionRow(
        "to_end",
        "To the &end",
        "playback",
        2,
        "Put the cursor at the end of the run",
        "timeline.to_end",
        hint="End",
        needs="run",
    ),
    ActionRow(
        "replay_short",
        "Re&play short runs",
        "playback",
        3,
        "Play a run that took less than a second again over a few seconds",
        "set_replay_short",
        checkable=True,
    ),
    ActionRow(
        "fit",
        "&Fit graph",
        "view",
        0,
        "Show the whole graph",
        "graph_view.fit",
        ("F",),
        "fit",
        True,
        needs="graph",
    ),
    ActionRow(
        "colour_by", "&Colour by", "view", 0, "What the colours of the vertices mean", submenu=True
    ),
    ActionRow("panels", "&Panels", "view", 1, "Show and hide the panels", submenu=True),
    ActionRow(
        "reset_layout",
        "&Reset layout",
        "view",
        1,
        "Put every panel back where the layout has it",
        "features.arrangements.reset",
        icon="layout",
    ),
    ActionRow(
        "theme_light",
        "&Light theme",
        "view",
        2,
        "Dark on white, for rooms with daylight",
        "use_light_theme",
        checkable=True,
        group="theme",
    ),
    ActionRow(
        "theme_dark",
        "&Dark theme",
        "view",
        2,
        "Light on black, for dark rooms",
        "use_dark_theme",
        checkable=True,
        group="theme",
    ),
    ActionRow(
        "theme_projector",
        "&Projector theme",
        "view",
        2,
        "Large black text and wide lines on white, for a wall seen from the last row",
        "features.themes.use_projector",
        checkable=True,
        group="theme",
    ),
    ActionRow(
        "toggle_theme",
        "S&witch theme",
        "view",
        2,
        "Go to the next theme: light, dark, projector",
        "toggle_theme",
        ("Ctrl+T",),
        "theme",
        toolbar=True,
    ),
    ActionRow(
        "shortcuts",
        "&Keyboard shortcuts",
        "help",
        0,
        "Every key that does something",
        "show_shortcuts",
        ("F1", "?"),
        "keyboard",
    ),
    ActionRow("about", "&About SSSP Scope", "help", 0, "What this is", "show_about", icon="info"),
)
