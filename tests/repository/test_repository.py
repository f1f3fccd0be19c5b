"""What may stand in the repository: nothing of this machine, no big data."""

import re
import shutil
from pathlib import Path

import pytest
from processes import TOP, printed

TEXT = {".py", ".cu", ".cuh", ".md", ".toml", ".json", ".csv", ".txt", ".yml", ".svg", ".cfg", ""}
MAX_DATA_BYTES = 5_000_000
# a letter in brackets, so that this file does not contain what it looks for
MACHINE = re.compile(r"/(?:wor[k]|roo[t]|hom[e]|User[s])/\w")
REGISTRY = re.compile(r"pyp[i]\.org|pythonhoste[d]|index-ur[l]|pi[p]\.conf")
UNFINISHED = re.compile(r"\b(?:TOD[O]|FIXM[E]|XX[X]|HAC[K])\b|raise NotImplementedErro[r]")
SPACED_NUMBER = re.compile(r"(?<![\w.,-])\d{1,3}[ \u00a0\u202f]\d{3}(?!\w|[ .,]\d)")  # 12 000


def tracked() -> list[Path]:
    """Return the files that git tracks, or would; all but the ignored where there is no git."""
    if not (TOP / ".git").exists() or shutil.which("git") is None:
        pytest.skip("not a git checkout: a source archive has nothing untracked to look for")
    listed = printed("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    return [path for name in listed.split("\0") if name and (path := TOP / name).is_file()]


def texts() -> list[tuple[str, str]]:
    """Return name and content of every text file."""
    paths = [path for path in tracked() if path.suffix in TEXT and path.name != "LICENSE"]
    return [
        (str(p.relative_to(TOP)), p.read_text(encoding="utf-8", errors="replace")) for p in paths
    ]


def lines_with(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{name}:{number}: {line.strip()[:80]}"
        for name, text in texts()
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


@pytest.mark.parametrize(
    "pattern", [MACHINE, REGISTRY, UNFINISHED], ids=["machine path", "registry", "unfinished"]
)
def test_no_line_holds(pattern: re.Pattern[str]) -> None:
    assert lines_with(pattern) == []


def test_data_is_small() -> None:
    kept = [path for path in tracked() if path.parent.name != "recordings"]
    data = {str(p): p.stat().st_size for p in kept if p.suffix not in {".py", ".md"}}
    assert sum(data.values()) <= MAX_DATA_BYTES, sorted(data.items(), key=lambda kv: -kv[1])[:5]


def test_thousands_are_parted_by_commas_wherever_people_read() -> None:
    assert SPACED_NUMBER.search("of 12 000 vertices") is not None
    read = [
        line
        for line in lines_with(SPACED_NUMBER)
        if line.startswith(("assets/lessons/", "viewer/", "README", "gpu/API"))
        and line.partition(":")[0].endswith((".md", ".toml", ".py"))
    ]
    assert read == []
