"""The words of the program, each explained once (`assets/manual/glossary.toml`)."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from importlib import resources

from gpu.schema import checked

OURS = "SSSP Scope"


@dataclass(frozen=True)
class Term:
    """One word.

    words : as it is written; meaning : one to three sentences
    also : other forms of it that are painted somewhere
    seen : keys of the panels that show it; source : who says so
    """

    key: str
    words: str
    meaning: str
    seen: tuple[str, ...] = ()
    source: str = OURS
    also: tuple[str, ...] = ()

    @property
    def pattern(self) -> re.Pattern[str]:
        """How the term is found in a text: as a word, in singular or plural."""
        forms = {*(word.strip() for word in self.words.split(",")), *self.also}
        words = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
        return re.compile(rf"(?<![\w-])(?:{words})(?:s|es)?(?![\w-])", re.I)


def _read_terms() -> tuple[Term, ...]:
    file = resources.files("assets").joinpath("manual", "glossary.toml")
    tables = tomllib.loads(file.read_text(encoding="utf-8"))
    return tuple(checked(Term, {"key": key, **table}) for key, table in tables.items())


TERMS = _read_terms()
BY_KEY = {term.key: term for term in TERMS}
_PATTERNS = [(term.key, term.pattern) for term in TERMS]


def mentioned(text: str) -> tuple[str, ...]:
    """Return the keys of the terms that a text names, in its order, each once."""
    places = {key: match.start() for key, form in _PATTERNS if (match := form.search(text))}
    return tuple(sorted(places, key=places.__getitem__))


def explain(*keys: str) -> str:
    """Return "Word: what it means" of terms, a paragraph each; KeyError where one is unknown."""
    return "\n\n".join(f"{capital(BY_KEY[key].words)}: {BY_KEY[key].meaning}" for key in keys)


def capital(words: str) -> str:
    """Return words with a capital first."""
    return words[:1].upper() + words[1:]
