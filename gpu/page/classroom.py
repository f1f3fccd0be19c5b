"""Results of a class as a page: one table, and what the class predicted, question by question."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from gpu.lessons.results import Class
from gpu.page.html import page_text
from gpu.page.pack import Pack


def class_page(found: Class) -> str:
    """Return the page."""
    header, rows = found.table()
    asked: list[dict[str, Any]] = [asdict(one) for one in found.asked()]
    title = f"{found.title}: {len(found.students)} students"
    told = {
        "kind": "class",
        "title": title,
        "about": f"{found.questions} questions",
        "header": header,
        "rows": rows,
        "asked": asked,
        "problems": list(found.problems),
        "runs": [],
    }
    return page_text(title, Pack(), told)
