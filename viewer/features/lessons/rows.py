"""Lessons in the window: a list, steps, questions, answers; and presenting them to a room."""

from __future__ import annotations

from viewer.actions import ActionRow
from viewer.feature import Feature

OPEN = "lesson"  # ActionRow.needs: a lesson is open


def _row(
    key: str, text: str, tooltip: str, *shortcuts: str, needs: str = OPEN, handler: str = ""
) -> ActionRow:
    return ActionRow(key, text, "help", 2, tooltip, handler or key, shortcuts, needs=needs)


FEATURE = Feature(
    "lessons",
    (
        ActionRow(
            "lessons",
            "&Lessons…",
            "help",
            2,
            "Learn how this works, step by step: predict, then run",
            "lessons",
            ("F2",),
            icon="lessons",
            toolbar=True,
            label="Lessons",
        ),
        ActionRow(
            "open_lesson", "Open l&esson", "help", 2, "Go straight to a lesson", submenu=True
        ),
        _row("lesson_next", "&Next step", "Go to the next step of the lesson", "PgDown"),
        _row("lesson_back", "Step &before", "Go to the step before", "PgUp"),
        _row(
            "lesson_restart",
            "&Restart lesson",
            "Forget your answers and begin again",
            handler="model.restart",
        ),
        _row("lesson_leave", "Lea&ve lesson", "Put the window back as it was before the lesson"),
        _row(
            "lesson_results",
            "Save results for the &teacher…",
            "Write your answers to a small JSON file",
        ),
        _row("lesson_page", "Lesson as a web &page…", "Write the lesson as one HTML page"),
        _row(
            "lesson_asks",
            "Lesson as a page that &asks…",
            "Write the lesson as one HTML page that plays its runs and checks answers",
        ),
        _row(
            "lessons_folder",
            "&Folder of my lessons…",
            "Choose a folder with lessons of your own; they are listed after ours",
            needs="",
        ),
    ),
    (("lesson", "Lesson"),),
)
