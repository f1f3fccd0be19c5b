"""`lab fetch paper`: graphs of the paper from the SuiteSparse collection, by pooch.

A graph arrives as NAME.tar.gz and is kept as NAME.mtx. A connection that breaks off is taken up
where it was. The checksum of each archive is noted in `graphs.lock`, a registry of pooch, when it
is first seen; from then on, and wherever the lock is copied to, another file is refused. Of an
archive only the one matrix is read, up to the size that its number of entries allows. A rectangular
matrix becomes square: the larger of rows and columns counts for both.

Seven graphs are in no collection of single files: `OTHERS` says what to put where.
"""

from __future__ import annotations

import shutil
import tarfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO

from gpu.errors import EngineError, GpuError
from gpu.files import written_whole
from gpu.lab.suite import SHIPPED, SUFFIXES
from gpu.words import size_words

MIRROR = "https://sparse.tamu.edu/MM"
OTHERS = "https://zenodo.org/record/4365954"  # the paper's artifact, sssp-int.zip: NAME.gr
LOCK, CITATION = "graphs.lock", "citation.md"
BLOCK = 1 << 14  # bytes read at a time: what is lost where a connection breaks off
TRIES, TIMEOUT_S = 4, 20  # of a connection; without a byte
ENTRY_BYTES, PACKED = {"integer": 18, "real": 38}, 0.35  # of text, about; share when packed
MOST_BYTES, SPARE_BYTES = 80, 1 << 20  # an entry, and beside the entries: more is refused

Progress = Callable[[float, str], object]
Fact = dict[str, str]  # a row of `suites/paper_226.csv`
Show = Callable[[int, int], None]  # bytes that are here, and of all


def space(facts: list[Fact]) -> tuple[int, int]:
    """Return about how many bytes arrive, and how many are kept."""
    kept = sum(_entries(fact) * ENTRY_BYTES[fact["type"]] for fact in facts if fact["group"])
    return round(kept * PACKED), kept


def _entries(fact: Fact) -> int:
    entries = int(fact["nnz"])
    return (entries + int(fact["n"])) // 2 if fact["structure"] == "symmetric" else entries


def missing(facts: list[Fact], folder: Path) -> list[Fact]:
    """Return the facts of graphs that are not in the folder."""
    files = {path.name for path in folder.glob("*")}
    return [fact for fact in facts if not files & {fact["name"] + end for end in SUFFIXES}]


def fetch(facts: list[Fact], folder: Path, mirror: str, progress: Progress) -> dict[str, str]:
    """Fetch graphs that are missing; return why not, by name, of those that could not be fetched.

    Raises EngineError without pooch, GpuError where the disk has too little space.
    """
    try:
        import pooch
    except ImportError as error:
        raise EngineError('lab fetch needs pooch: pip install "sssp-scope[lab]"') from error
    pooch.get_logger().setLevel("ERROR")
    folder.mkdir(parents=True, exist_ok=True)
    wanted = missing(facts, folder)
    needed, free = sum(space(wanted)), shutil.disk_usage(folder).free
    if needed > free:
        words = f"about {size_words(needed)} are needed, {size_words(free)} are free"
        raise GpuError(f"{folder}: {words}; choose another folder or fewer graphs (--only)")
    shutil.copyfile(SHIPPED / CITATION, folder / CITATION)
    problems = {}

    def show(words: str, size: int, total: int) -> None:
        progress(size / total if total else -1, f"{words}, {size_words(size)}")

    for place, fact in enumerate(wanted, 1):
        words = f"{place} of {len(wanted)}: {fact['name']}"
        try:
            _fetch(fact, folder, mirror, partial(show, words))
        except (GpuError, OSError) as error:
            problems[fact["name"]] = f"{error}"
    return problems


def _fetch(fact: Fact, folder: Path, mirror: str, show: Show) -> None:
    """Fetch one graph and unpack it. GpuError."""
    import pooch

    name, lock = fact["name"], folder / LOCK
    if not fact["group"]:
        raise GpuError(f"not in the collection: put {name}.gr of {OTHERS} into {folder}")
    most = _entries(fact) * MOST_BYTES + SPARE_BYTES
    url, archive = f"{mirror.rstrip('/')}/{fact['group']}/{name}.tar.gz", folder / f"{name}.tar.gz"
    noted = pooch.create(folder, "")
    if lock.exists():
        noted.load_registry(lock)
    known = noted.registry.get(archive.name)
    download = partial(_download, archive.with_suffix(".gz.part"), most, show)
    try:
        pooch.retrieve(url, known, archive.name, folder, downloader=download)
        with written_whole(folder / f"{name}.mtx") as file:
            _unpack(archive, name, most, file)
    except ValueError as error:  # pooch's, of another checksum
        words = f"another file than the one noted in {lock} ({known}); nothing is kept"
        raise GpuError(f"{url}: {words}") from error
    except (tarfile.TarError, zlib.error, EOFError) as error:
        archive.unlink(missing_ok=True)
        raise GpuError(f"{url}: no whole archive: {error}") from error
    if known is None:
        with lock.open("a", encoding="utf-8") as text:
            text.write(f"{archive.name} sha256:{pooch.file_hash(str(archive))}\n")
    archive.unlink()


def _download(part: Path, most: int, show: Show, url: str, target: str, _pooch: object) -> None:
    """Fetch a file, and go on with what is in `part` already. GpuError."""
    import requests

    part.touch()
    get = partial(requests.get, url, stream=True, timeout=TIMEOUT_S)
    for _ in range(TRIES):
        size = part.stat().st_size
        wishes = {"Accept-Encoding": "identity", "Range": f"bytes={size}-"}
        with suppress(requests.RequestException), get(headers=wishes) as answer:
            if answer.status_code == 416:  # there is nothing behind what we have: begin again
                part.write_bytes(b"")
                continue
            if not answer.ok:
                raise GpuError(f"{url}: {answer.status_code} {answer.reason}")
            size = size if answer.status_code == 206 else 0
            total = size + int(answer.headers.get("Content-Length", 0))
            with part.open("ab" if size else "wb") as file:
                for block in answer.iter_content(BLOCK):
                    size += len(block)
                    if size > most:
                        part.unlink()
                        raise GpuError(f"{url}: more than {size_words(most)}, which it cannot be")
                    file.write(block)
                    show(size, total)
            part.replace(target)
            return
    words = f"broke off after {size_words(part.stat().st_size)}"
    raise GpuError(f"{url}: {words}; repeat the command to go on")


def _unpack(archive: Path, name: str, most: int, target: IO[bytes]) -> None:
    """Write the matrix of an archive, square. GpuError; tarfile's and zlib's errors."""
    with tarfile.open(archive, "r|gz") as tar:
        for member in tar:
            source = tar.extractfile(member) if member.isfile() else None
            if source is None or member.name.split("/")[-1] != f"{name}.mtx":
                continue
            if member.size > most:
                words = f"a matrix of {size_words(member.size)}, which it cannot have"
                raise GpuError(f"{archive.name}: {words}")
            while (line := source.readline()).startswith(b"%"):
                target.write(line)
            rows, columns, entries = map(int, line.split())
            target.write(b"%d %d %d\n" % (*[max(rows, columns)] * 2, entries))
            shutil.copyfileobj(source, target, BLOCK)
            return
    raise GpuError(f"{archive.name}: no {name}.mtx in it")
