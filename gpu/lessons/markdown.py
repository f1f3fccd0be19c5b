"""As much Markdown as lessons use, to HTML; everything else stays text.

Paragraphs, "- " lists, "1. " lists, "| tables |", "> " quotes, "### " headings, ```code```
blocks; inside a line **bold**, *italic*, `code` and [words](address) for addresses that begin with
http, https or #. The text is escaped first, so nothing in a lesson can become a tag or a script.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from itertools import groupby

INLINE = (
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
    (re.compile(r"\*\*(.+?)\*\*"), r"<strong>\1</strong>"),
    (re.compile(r"(?<![\w*])\*([^*\s][^*]*?)\*(?![\w*])"), r"<em>\1</em>"),
    (re.compile(r"\[([^\]]+)\]\(((?:https?://|#)[^)\s]*)\)"), r'<a href="\2">\1</a>'),
)
KINDS = (
    ("table", re.compile(r"^\|")),
    ("ul", re.compile(r"^- ")),
    ("ol", re.compile(r"^\d+\. ")),
    ("quote", re.compile(r"^> ?")),
    ("heading", re.compile(r"^#+ ")),
)
RULE = re.compile(r"^\|[-| :]+\|$")
FENCE = "```"


def to_html(text: str) -> str:
    """Return HTML of a text; lines of one paragraph are joined."""
    parts = text.split(f"\n{FENCE}")
    blocks: list[str] = []
    for place, part in enumerate(parts if len(parts) % 2 else [text]):
        if place % 2:
            blocks.append(f"<pre>{escape(part.partition(chr(10))[2])}</pre>")
        else:
            blocks += (_block(block) for block in re.split(r"\n\s*\n", part.strip()) if block)
    return "\n".join(blocks)


def inline(text: str) -> str:
    """Return HTML of one line, without a paragraph around it."""
    found = escape(text, quote=False)
    for pattern, made in INLINE:
        found = pattern.sub(made, found)
    return found


def _block(block: str) -> str:
    """Return HTML of lines without an empty one between; kinds may follow each other."""
    lines = _joined(block.splitlines())
    return "\n".join(_made(kind, list(group)) for kind, group in groupby(lines, _kind))


def _joined(lines: list[str]) -> list[str]:
    """Join lines that only continue the one before."""
    found: list[str] = []
    for line in lines:
        if found and not _kind(line) and _kind(found[-1]) not in ("table", "heading"):
            found[-1] += " " + line.strip()
        else:
            found.append(line)
    return found


def _kind(line: str) -> str:
    return next((kind for kind, pattern in KINDS if pattern.match(line)), "")


def _made(kind: str, lines: list[str]) -> str:
    bare = [dict(KINDS)[kind].sub("", line) if kind else line for line in lines]
    if kind == "table":
        return "<table>" + "".join(_rows(lines)) + "</table>"
    if kind in ("ul", "ol"):
        return f"<{kind}>" + "".join(f"<li>{inline(line)}</li>" for line in bare) + f"</{kind}>"
    if kind == "quote":
        return f"<blockquote>{inline(' '.join(bare))}</blockquote>"
    if kind == "heading":
        return "".join(f"<h3>{inline(line)}</h3>" for line in bare)
    return f"<p>{inline(' '.join(bare))}</p>"


def _rows(lines: list[str]) -> Iterator[str]:
    rows = [line for line in lines if not RULE.match(line.strip())]
    for place, line in enumerate(rows):
        cell = "th" if place == 0 and len(rows) < len(lines) else "td"
        cells = line.strip().strip("|").split("|")
        yield "<tr>" + "".join(f"<{cell}>{inline(c.strip())}</{cell}>" for c in cells) + "</tr>"
