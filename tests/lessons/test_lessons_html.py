"""A lesson as a page: whole, safe, offline; with pictures where Qt draws them."""

from __future__ import annotations

import base64
import io
import os
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from PIL import Image
from pytestqt.qtbot import QtBot

from gpu.cli.main import main
from gpu.lessons.answers import Bench
from gpu.lessons.html import Picture, page
from gpu.lessons.markdown import inline, to_html
from gpu.lessons.read import find_lessons, read_lesson

VOID = {"meta", "img", "br"}
FETCHED = {"src", "srcset", "poster", "data", "background", "action"}
PATHS = {path.stem: path for path in find_lessons("/nowhere")}


class Reader(HTMLParser):
    """Counts what a page holds and whether its tags are closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.count: dict[str, int] = {}
        self.addresses: list[str] = []
        self.outside: list[str] = []  # what a browser would fetch
        self.handlers: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.count[tag] = self.count.get(tag, 0) + 1
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]
        self.outside += [
            v or "" for n, v in attrs if n in FETCHED and not str(v).startswith("data:")
        ]
        self.outside += [v or "" for n, v in attrs if n == "style" and "url(" in str(v)]
        self.handlers += [name for name, _ in attrs if name.startswith("on")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["style"] and ("url(" in data or "@import" in data):
            self.outside.append(data)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("two\nlines", "<p>two lines</p>"),
        ("a\n\nb", "<p>a</p><p>b</p>"),
        ("- a\n- b\n  more", "<ul><li>a</li><li>b more</li></ul>"),
        ("1. a\n2. b", "<ol><li>a</li><li>b</li></ol>"),
        ("> so", "<blockquote><p>so</p></blockquote>"),
        ("### why", "<h3>why</h3>"),
        ("# why", "<h3>why</h3>"),
        ("|a|b|\n|---|---|\n|1|2|", "<table><thead><tr><th>a</th><th>b</th></tr></thead>"),
        ("x\n\n```\na < b\n```\n\ny", "<pre><code>a &lt; b</code></pre>"),
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
    found = Reader(made(text))
    assert found.open == []
    assert found.outside == []
    assert found.handlers == []
    harmless = {"p", "ul", "li", "a", "table", "thead", "tbody", "tr", "th", "td", "pre", "code"}
    assert set(found.count) <= harmless | {"strong", "em"}
    assert all(address.startswith("https://example.org/") for address in found.addresses)


def test_attributes_of_a_link_are_escaped() -> None:
    made = inline('[x](https://example.org/"onmouseover="alert(1))')
    assert made == '<a href="https://example.org/%22onmouseover=%22alert(1)">x</a>'


@pytest.mark.parametrize("mark", ["[", "![", "[a](", "*a ", "`a ``b ", "> ", "- ", "|"])
def test_a_text_of_nothing_but_marks_is_read(mark: str) -> None:
    """The old reader took minutes for some of these: the timeout of a test is the limit."""
    assert len(to_html(mark * 20_000)) > 0


@pytest.mark.parametrize("key", ["2_buckets_and_delta", "3_the_u_curve", "6_drive_delta_yourself"])
def test_a_page_is_whole_and_loads_nothing(key: str) -> None:
    bench = Bench(read_lesson(PATHS[key]))
    text = page(bench)
    found = Reader(text)
    assert found.open == []
    assert found.count["h2"] == len(bench.lesson.steps)
    asked = [step for step in bench.lesson.steps if step.question is not None]
    assert found.count["details"] == len(asked)
    assert "script" not in found.count
    assert found.handlers == []
    assert [a for a in found.addresses if not a.startswith("data:")] == []
    assert "{" not in re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)
    sweeps = sum(len(step.sweeps) for step in bench.lesson.steps)
    assert found.count.get("svg", 0) == sweeps
    assert ("driven by hand" in text) == any(step.drive for step in bench.lesson.steps)


def test_pictures_are_asked_for_step_by_step() -> None:
    bench = Bench(read_lesson(PATHS["2_buckets_and_delta"]))
    asked, done = [], []
    text = page(
        bench,
        lambda _bench, step: (asked.append(step.key), [Picture("data:,x", "a <picture>")])[1],
        done.append,
    )
    assert asked == [step.key for step in bench.lesson.steps]
    assert text.count('alt="a &lt;picture&gt;"') == len(asked)
    assert done[-1] == 1.0


def test_the_command_writes_a_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["lesson", "html", "2_buckets"]) == 0
    assert capsys.readouterr().out.strip() == "2_buckets_and_delta.html"
    assert "<h1>Buckets and Δ</h1>" in Path("2_buckets_and_delta.html").read_text(encoding="utf-8")
    assert main(["lesson", "html", "2_buckets", "-o", str(tmp_path / "no" / "page.html")]) == 1
    assert "there is no folder" in capsys.readouterr().err


def drawn() -> list[str]:
    """Return the lessons whose pages are drawn: all of them takes a minute."""
    everything = os.environ.get("SSSP_SCOPE_ALL_PAGES") == "1"
    return [key for key in PATHS if everything or key.startswith(("2_", "3_", "8_"))]


@pytest.mark.font
@pytest.mark.slow
@pytest.mark.parametrize("key", drawn())
def test_a_page_with_pictures(qtbot: QtBot, tmp_path: Path, key: str) -> None:
    from viewer.features.lessons.page import write

    out = tmp_path / "page.html"
    assert write(["lesson", "html", key, "-o", str(out)]) == 0
    text = out.read_text(encoding="utf-8")
    found = Reader(text)
    assert found.open == []
    assert found.outside == [], "nothing is loaded from anywhere"
    assert not {"script", "link", "iframe", "object", "embed"} & set(found.count)
    kinds = re.findall(r'src="data:image/(png|gif);base64,([^"]+)"', text)
    assert len(kinds) == found.count["img"]
    assert {kind for kind, _ in kinds} == {"png", "gif"}, "pictures, and short animations"
    assert len({data for _, data in kinds}) == len(kinds), "nothing is drawn twice"
    for kind, data in kinds:
        image = Image.open(io.BytesIO(base64.b64decode(data)))
        assert image.format == kind.upper()
        assert min(image.size) > 200
        assert len(image.convert("RGB").getcolors(1 << 24)) > 2, "not empty"
        assert kind == "png" or 2 <= image.n_frames <= 12
    assert len(text) < 6_000_000
    if key.startswith("2_"):
        wanted = [*["png", "gif"] * 3, "png"]
        assert [kind for kind, _ in kinds] == wanted, "three runs, and the end of the last"
    if key.startswith("8_"):
        assert len(kinds) == 2 * (1 + 9), "a matrix and nine faults, still and moving"
