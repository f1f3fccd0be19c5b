"""The pages of the manual, made of what the program says anyway.

Prose on panels is a file (`assets/manual/panels.md`). The words below it are the glossary's that
name the panel, the commands are the actions of the menus with their keys and tips, an algorithm's
page is the essay that its file begins with, machines are the presets. So the manual says what
tooltips and sources say. No Qt here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape, unescape
from importlib.resources import files

from gpu.algorithms import ALGORITHMS, Algorithm, essay
from gpu.devices import PRESETS
from gpu.lessons.markdown import to_html
from viewer.action_set import keys_of, plain
from viewer.actions import Menu
from viewer.common.glossary import TERMS, Term, capital
from viewer.frame.help_dialogs import MOUSE

PANELS, ALGORITHM_PAGES, COMMANDS, GLOSSARY = "Panels", "Algorithms", "Commands", "Glossary"
MICE = {"graph": "Graph", "delta": "Plots", "parallelism": "Plots", "work": "Plots"}
MICE |= {"buckets": "Plots", "draw": "Drawing"}  # page -> group of what a mouse does there
ALL_WORDS = "words"  # key of the glossary as one page
HEADING = re.compile(r"^# (\w+): (.+)$", re.MULTILINE)
EMPHASIS = re.compile(r"[*`]")
TAG = re.compile(r"<[^>]*>")
PART = re.compile(r"^(\S.*?)\s{2,}(?=\S)")  # of an essay: a name, and what belongs to it beside it
MACHINES = "machines"  # key of the page of modelled machines


@dataclass(frozen=True)
class Page:
    """One page: where it stands, its title, its body as HTML."""

    key: str
    group: str
    title: str
    body: str

    @property
    def text(self) -> str:
        """Title and body as plain words, for the search."""
        return f"{self.title} {unescape(TAG.sub(' ', self.body))}".casefold()


def pages_of(menus: Iterable[Menu]) -> dict[str, Page]:
    """Return every page by key, in order: panels, commands by menu, words."""
    prose = _prose()
    titles = {key: title for key, (title, _) in prose.items()}
    found = [_panel(key, title, text) for key, (title, text) in prose.items()]
    found += [*map(_algorithm, ALGORITHMS.values()), _machines()]
    found += map(_menu, menus)
    found.append(Page(ALL_WORDS, GLOSSARY, "All words", "".join(map(_entry, in_order()))))
    found += [_word(term, titles) for term in in_order()]
    return {page.key: page for page in found}


def first_paragraphs() -> dict[str, str]:
    """Return what each panel is, in the first paragraph of its page, by panel."""
    found = {}
    for key, (_, text) in _prose().items():
        found[key] = " ".join(EMPHASIS.sub("", text.strip().split("\n\n")[0]).split())
    return found


def _prose() -> dict[str, tuple[str, str]]:
    return prose_of(files("assets").joinpath("manual", "panels.md").read_text(encoding="utf-8"))


def prose_of(text: str) -> dict[str, tuple[str, str]]:
    """Return (title, Markdown) by panel, of "# key: Title" and what follows each."""
    parts = HEADING.split(text)[1:]
    keys, titles, bodies = parts[::3], parts[1::3], parts[2::3]
    return {key: (title, body) for key, title, body in zip(keys, titles, bodies, strict=True)}


def in_order() -> list[Term]:
    """Return the glossary by its words."""
    return sorted(TERMS, key=lambda term: term.words.casefold())


def matching(pages: Mapping[str, Page], asked: str) -> list[Page]:
    """Return the pages that hold every word asked for; those whose title does come first."""
    wanted = asked.casefold().split()
    found = [page for page in pages.values() if all(word in page.text for word in wanted)]
    return sorted(found, key=lambda page: not all(w in page.title.casefold() for w in wanted))


def _panel(key: str, title: str, text: str) -> Page:
    parts = [to_html(text)]
    mouse = dict(MOUSE).get(MICE.get(key, ""), [])
    if mouse:
        parts.append(f"<h3>Mouse and keys</h3>{_table(mouse)}")
    words = [term for term in in_order() if key in term.seen]
    if words:
        parts += ["<h3>Words</h3>", *map(_entry, words)]
    return Page(key, PANELS, title, "".join(parts))


def _algorithm(row: Algorithm) -> Page:
    """Return the page of an algorithm: its line in the Run panel, then its essay."""
    parts = [f"<p><i>{escape(capital(row.summary))}.</i></p>"]
    for part in essay(row.key).strip().split("\n\n"):
        name = PART.match(part)
        words = escape(" ".join(part[name.end() if name else 0 :].split()))
        parts.append(f"<p><b>{escape(name[1])}.</b> {words}</p>" if name else f"<p>{words}</p>")
    return Page(f"algorithm_{row.key}", ALGORITHM_PAGES, row.title, "".join(parts))


def _machines() -> Page:
    """Return the page of the machines that are modelled."""
    told = "A modelled machine runs the same algorithm, and its times are computed, not measured: "
    told += "compare them with times of the same machine only."
    rows = [(preset.name, preset.sentence) for preset in PRESETS.values()]
    return Page(MACHINES, ALGORITHM_PAGES, "Modelled machines", f"<p>{told}</p>{_table(rows)}")


def _menu(menu: Menu) -> Page:
    lines = [
        (plain(action.text), action.tooltip, ", ".join(keys_of(action))) for action in menu.actions
    ]
    return Page(f"menu_{menu.key}", COMMANDS, f"{plain(menu.title)} menu", _table(lines))


def _word(term: Term, titles: Mapping[str, str]) -> Page:
    links = [f'<a href="{key}">{escape(titles[key])}</a>' for key in term.seen if key in titles]
    seen = f"<p>Seen in: {', '.join(links)}.</p>" if links else ""
    body = f"<p>{escape(term.meaning)}</p>{seen}<p>Source: {escape(term.source)}.</p>"
    return Page(f"word_{term.key}", GLOSSARY, capital(term.words), body)


def _entry(term: Term) -> str:
    name = f'<a href="word_{term.key}"><b>{escape(capital(term.words))}</b></a>'
    return f"<p>{name}. {escape(term.meaning)}</p>"


def _table(rows: Iterable[tuple[str, ...]]) -> str:
    lines = []
    for first, *others in rows:
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in others)
        lines.append(f"<tr><td><b>{escape(first)}</b></td>{cells}</tr>")
    return f'<table cellpadding="4">{"".join(lines)}</table>'
