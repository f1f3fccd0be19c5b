"""One file that needs nothing else: markup, style, modules and data, under a policy of hashes.

The modules in `assets/page/` are plain ES modules. Here they follow each other in one script, each
after those that it imports, each in a function of its own that returns what it exports. That asks
of them, and a test watches it: every import is `import { a, b } from "./name.js";`, every export
stands before `function`, `class` or `const`.

Nothing of a stranger becomes markup: titles are escaped, everything else is JSON in a script that
is no program (`application/json`, `<` written as \\u003c), and the modules put it on the page as
text. What a lesson says was made HTML by `gpu.lessons.markdown`, which lets no tag through. The
policy (CSP) allows this style and this script by their hashes, pictures from the page itself, and
nothing from anywhere.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from gpu.page.pack import Pack
from gpu.record.tracefile import plain

FORMAT = 1
FIRST = "main"  # the module that starts the page
_IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./(\w+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?function|class|const) (\w+)", re.MULTILINE)


def page_text(title: str, pack: Pack, values: dict[str, Any]) -> str:
    """Return the page that shows `values`, whose arrays are in `pack`."""
    style, script = asset("page.css"), modules()
    policy = (
        f"default-src 'none'; img-src data: blob:; style-src '{_hash(style)}'; "
        f"script-src '{_hash(script)}'; base-uri 'none'; form-action 'none'"
    )
    data = json.dumps(
        plain({"format": FORMAT, **values}),
        ensure_ascii=False,
        separators=(",", ":"),
        allow_nan=False,
    )
    data = data.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="SSSP Scope">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<style>{style}</style>
</head>
<body>
<main id="page"><h1>{escape(title)}</h1>
<p class="muted">This page needs JavaScript to draw. Nothing is loaded from anywhere.</p>
</main>
<script type="application/json" id="data">{data}</script>
<script type="text/plain" id="arrays">{pack.text()}</script>
<script type="module">{script}</script>
</body>
</html>
"""


@cache
def asset(name: str) -> str:
    """Return a file of `assets/page/`."""
    return files("assets").joinpath("page", name).read_text(encoding="utf-8")


@cache
def modules() -> str:
    """Return all modules as one script, each after those that it imports."""
    done: list[str] = []
    _follow(FIRST, done, ())
    return "".join(_enclosed(name, asset(f"{name}.js")) for name in done)


def _follow(name: str, done: list[str], above: tuple[str, ...]) -> None:
    if name in above:
        raise ValueError(f"modules import each other: {' > '.join((*above, name))}")
    if name in done:
        return
    for match in _IMPORT.finditer(asset(f"{name}.js")):
        _follow(match[2], done, (*above, name))
    done.append(name)


def _enclosed(name: str, source: str) -> str:
    """Return a module as a function that is called at once, its exports in a constant."""
    exported = ", ".join(match[2] for match in _EXPORT.finditer(source))
    inside = _EXPORT.sub(r"\1 \2", _IMPORT.sub(r"const \1 = from_\2;", source))
    return f"const from_{name} = (() => {{\n{inside}return {{ {exported} }};\n}})();\n"


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}"
