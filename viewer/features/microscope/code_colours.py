"""What to colour in lines of code: comments, words of the language, numbers, strings.

Made for reading a kernel beside its pseudocode, not for editing: one pass of a regular expression
a line, with the comment (or long string) that is still open carried to the next. Returned are
spans, which `microscope_code` paints; a line at work is painted without, in the colour of the text.
"""

from __future__ import annotations

import re
from functools import cache

Span = tuple[int, int, str]  # first and last + 1 character; "comment", "word", "value"

_C_WORDS = """
    alignas auto bool break case char class const constexpr continue default do double else enum
    explicit extern false float for if inline int long namespace nullptr operator private public
    return short signed sizeof static struct switch template this true typedef typename union
    unsigned using void volatile while u8 u32 u64 i32 i64 size_t uint2 uint4 int2 int4
    __device__ __forceinline__ __global__ __host__ __launch_bounds__ __noinline__ __restrict__
    __shared__ __constant__ KERNEL
"""
_PYTHON_WORDS = """
    and as assert break class continue def del elif else except False finally for from global if
    import in is lambda None nonlocal not or pass raise return True try while with yield
"""
_PSEUDO_WORDS = "for each while until repeat else end"  # where a line begins with one
_NUMBER = r"\b(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)[uUlLfF]*\b"


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    words = {"c": _C_WORDS, "python": _PYTHON_WORDS, "pseudo": _PSEUDO_WORDS}[kind].split()
    word = "|".join(map(re.escape, words))
    if kind == "pseudo":
        return re.compile(rf"(?P<word>^\s*(?:{word})\b(?: (?:each|every)\b)?)|(?P<value>{_NUMBER})")
    comment = r"//.*|/\*.*?(?:\*/|$)" if kind == "c" else r"#.*"
    string = {"c": r'"(?:\\.|[^"\\])*"', "python": r"\"\"\".*?(?:\"\"\"|$)|\"(?:\\.|[^\"\\])*\""}
    macro = r"^\s*#\s*\w+" if kind == "c" else r"^\s*@[\w.]+"
    return re.compile(
        rf"(?P<comment>{comment})|(?P<value>{string[kind]}|{_NUMBER})"
        rf"|(?P<word>{macro}|(?<!\w)(?:{word})(?!\w))"
    )


def language_of(file: str) -> str:
    """Return "python" for a .py file, "c" for the others."""
    return "python" if file.endswith(".py") else "c"


@cache
def spans_of(lines: tuple[str, ...], language: str) -> tuple[tuple[Span, ...], ...]:
    """Return what to colour in each line; `language`: "c", "python" or "pseudo"."""
    pattern, ends = _pattern(language), {"c": "*/", "python": '"""'}.get(language, "")
    out, is_open = [], False
    for line in lines:
        spans: list[Span] = []
        start = 0
        if is_open:
            close = line.find(ends)
            start = len(line) if close < 0 else close + len(ends)
            spans += [(0, start, "comment")] if start else []
            is_open = close < 0
        for match in pattern.finditer(line, start):
            words = match.group()
            opens = words.startswith("/*") or words.startswith('"""')
            kind = "comment" if opens else str(match.lastgroup)
            spans.append((match.start(), match.end(), kind))
            is_open = opens and not (len(words) >= 2 * len(ends) - 2 and words.endswith(ends))
        out.append(tuple(spans))
    return tuple(out)
