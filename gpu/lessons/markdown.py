"""The Markdown of lessons to HTML, by markdown-it-py; what is not Markdown stays text.

What lessons use is switched on, and nothing else: paragraphs, lists, tables, quotes, headings
(all of them `<h3>`: a step has its own), fenced code, **bold**, *italic*, `code` and
[words](address) for addresses that begin with http://, https:// or #. There is no HTML and there
are no images in a text (pictures are the page's own), so nothing in a lesson becomes a tag, a
script or something that is fetched.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore

RULES = (
    *("paragraph", "list", "table", "blockquote", "heading", "fence"),
    *("emphasis", "backticks", "link", "newline", "escape", "entity"),
)
ADDRESSES = ("http://", "https://", "#")


def to_html(text: str) -> str:
    """Return HTML of a text; lines of one paragraph are joined."""
    return str(_reader().render(text))


def inline(text: str) -> str:
    """Return HTML of one line, without a paragraph around it."""
    return str(_reader().renderInline(text))


@cache
def _reader() -> MarkdownIt:
    """Make the reader once, when the first lesson is shown: it takes a start 50 ms to import."""
    from markdown_it import MarkdownIt

    reader = MarkdownIt("zero").enable(RULES)
    reader.validateLink = lambda url: url.startswith(ADDRESSES)  # type: ignore[method-assign]
    reader.core.ruler.push("one_heading", _same_headings)
    reader.add_render_rule("softbreak", lambda *_: " ")
    return reader


def _same_headings(state: StateCore) -> None:
    for token in state.tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = "h3"
