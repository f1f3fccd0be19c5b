"""The Markdown of lessons as HTML: nothing of a stranger becomes a tag."""

import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest

from gpu.lessons.markdown import inline, to_html

HARMLESS = {
    *("p", "ul", "li", "a", "table", "thead", "tbody", "tr", "th", "td", "pre", "code"),
    *("strong", "em"),
}


class Reader(HTMLParser):
    """Collects tags and attributes; fails where tags are not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("two\nlines", "<p>two lines</p>"),
        ("# why", "<h3>why</h3>"),
        ("|a|b|\n|---|---|\n|1|2|", "<table><thead><tr><th>a</th><th>b</th></tr></thead>"),
        ("intro:\n- a", "<p>intro:</p><ul><li>a</li></ul>"),
    ],
)
def test_markdown(given: str, made: str) -> None:
    assert made in re.sub(r"\n(?=<)|(?<=>)\n", "", to_html(given))


def test_markdown_of_one_line() -> None:
    assert inline("**b** *i* `c` 2 * 3 * 4") == (
        "<strong>b</strong> <em>i</em> <code>c</code> 2 * 3 * 4"
    )
    assert inline("[site](https://example.org/a)") == '<a href="https://example.org/a">site</a>'
    assert inline("[up](#top)") == '<a href="#top">up</a>'


HOSTILE = [
    "<script>alert(1)</script>",
    "- <img onerror=alert(1) src=x>",
    "<!-- --><b onclick=alert(1)>x</b>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](file:///etc/passwd)",
    "[x](vbscript:x)",
    "[x](//example.org)",
    "[x][r]\n\n[r]: javascript:alert(1)",
    "![x](https://example.org/a.png)",
    "![x](javascript:alert(1))",
    "<javascript:alert(1)>",
    "<https://example.org>",
    'a [x](https://example.org/"onmouseover="alert(1)) b',
    'a [x](https://example.org/ "t\\" onmouseover=\\"alert(1)") b',
    "`<b>` **<b>** *<b>*",
    "| <b> | [x](javascript:a) |\n|---|---|\n| <i onclick=a> | ![](https://example.org/) |",
    "```html onclick=a\n<script>\n```",
    '```"><script>\n```',
]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("made", [to_html, inline])
def test_nothing_in_a_text_becomes_a_tag_or_is_fetched(
    text: str, made: Callable[[str], str]
) -> None:
    page = Reader(made(text))
    assert page.open == []
    assert page.tags <= HARMLESS
    for name, value in page.attributes:
        assert name in {"href", "title", "class"}
        assert name != "href" or str(value).startswith("https://example.org/")
