"""Lessons as data: Markdown for the text, TOML for what happens; nothing in them is executed."""

from __future__ import annotations

from gpu.lessons.lesson import Lesson, Question, RunSpec, Step, SweepSpec, Value
from gpu.lessons.read import find_lessons, read_lesson

__all__ = [
    "Lesson",
    "Question",
    "RunSpec",
    "Step",
    "SweepSpec",
    "Value",
    "find_lessons",
    "read_lesson",
]
