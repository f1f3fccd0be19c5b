"""Files from an address (http, https), kept for the next time.

    path = fetched("https://example.org/town.osm.gz", agree=..., progress=..., should_stop=...)

Whoever asked is told how large the file is before a byte of it is taken (`agree`). It is written
whole or not at all, under the last word of the address, for its suffix says the format. Kept files
take at most KEPT_BYTES together; the ones not used for longest go first. The server is asked
whether a kept one has changed; where it does not answer, the kept one is used and that is said.

Only a person names an address: a trace or a workspace that names one is not followed.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from gpu.errors import CancelledByUserError, GpuError
from gpu.wholefile import written_whole
from gpu.words import in_sight, size_words

SCHEMES = ("http://", "https://")
PATIENCE_S = 20.0  # without a byte, until a server counts as gone
MOST_BYTES = 8 << 30  # of one file
KEPT_BYTES = 4 << 30  # of all together
CHUNK = 1 << 18  # bytes taken at a time
MARKS = {"ETag": "If-None-Match", "Last-Modified": "If-Modified-Since"}
HEADERS = {"User-Agent": "sssp-scope", "Accept-Encoding": "identity"}
SPELT = "%/:=&?~#+!$,;'@()*[]"  # marks that an address may hold as they are
BESIDE = ".about.json"

Progress = Callable[[float, str], None]


class AddressError(GpuError):
    """A file that could not be fetched: address, what happened, what to do."""


@dataclass(frozen=True)
class Offer:
    """What a server has: a name, where from, bytes (None where it does not say)."""

    name: str
    host: str
    size: int | None

    @property
    def words(self) -> str:
        """In one line."""
        size = "of unknown size" if self.size is None else size_words(self.size)
        return f"{self.name}, {size}, from {self.host}"


def is_address(name: str) -> bool:
    """Whether a name is an address, not a file."""
    return name.lower().startswith(SCHEMES)


def fetched(
    address: str,
    *,
    agree: Callable[[Offer], bool] = lambda _offer: True,
    progress: Progress | None = None,
    should_stop: Callable[[], bool] | None = None,
    note: Callable[[str], None] = lambda _words: None,
    patience_s: float | None = None,
) -> Path:
    """Return the file of an address, fetched now or kept before.

    Raises AddressError, CancelledByUserError.
    """
    target = _place_of(address)
    about = _about(target)
    spelt = quote(address, safe=SPELT)
    request = urllib.request.Request(spelt, headers=HEADERS | _conditions(about))
    try:
        with _opener().open(request, timeout=patience_s or PATIENCE_S) as answer:
            offer = Offer(target.name, _host(address), _length(answer))
            _check(address, offer, agree)
            _take(answer, offer, target, progress, should_stop)
            _remember(target, answer)
    except urllib.error.HTTPError as error:
        with error:
            if error.code == http.client.NOT_MODIFIED and about:
                return _used(target)
        words = f"the server says {error.code} {in_sight(str(error.reason))}"
        raise AddressError(f"{_shown(address)}: {words}") from error
    except (OSError, http.client.HTTPException) as error:
        if about:
            note(f"{_host(address)} does not answer ({_why(error)}): the copy kept here is used")
            return _used(target)
        raise AddressError(f"{_shown(address)}: {_why(error)}") from error
    _make_room(target)
    return target


def _take(
    answer: Any,
    offer: Offer,
    target: Path,
    progress: Progress | None,
    should_stop: Callable[[], bool] | None,
) -> None:
    """Write what comes, all of it or nothing."""
    target.parent.mkdir(parents=True, exist_ok=True)
    done = 0
    with written_whole(target) as file:
        while chunk := _next(answer, offer):
            if should_stop is not None and should_stop():
                raise CancelledByUserError(f"fetching {offer.name} was stopped")
            file.write(chunk)
            done += len(chunk)
            if done > (MOST_BYTES if offer.size is None else offer.size):
                raise AddressError(f"{offer.name}: more comes than {offer.host} said")
            if progress is not None:
                share = -1.0 if not offer.size else done / offer.size
                progress(share, f"fetching {offer.name}, {size_words(done)}")
        if offer.size is not None and done < offer.size:
            raise AddressError(
                f"{offer.name}: {offer.host} broke off after {size_words(done)} of "
                f"{size_words(offer.size)}; try again"
            )


def _next(answer: Any, offer: Offer) -> bytes:
    """Return what came next, b"" at the end."""
    try:
        found: bytes = answer.read(CHUNK)
    except (OSError, http.client.HTTPException) as error:
        raise AddressError(f"{offer.name}: {_why(error)}") from error
    return found


def _check(address: str, offer: Offer, agree: Callable[[Offer], bool]) -> None:
    if offer.size is not None and offer.size > MOST_BYTES:
        raise AddressError(
            f"{_shown(address)}: {size_words(offer.size)}; allowed: {size_words(MOST_BYTES)}"
        )
    if not agree(offer):
        raise CancelledByUserError(f"{offer.name} was not fetched")


class _SameKind(urllib.request.HTTPRedirectHandler):
    """Follows to http and https alone, and never from https to http."""

    def redirect_request(
        self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> Any:
        """Return the next request."""
        safe = urlsplit(newurl).scheme == "https" or urlsplit(req.full_url).scheme == "http"
        if not is_address(newurl) or not safe:
            raise AddressError(f"{_shown(req.full_url)} leads to {_shown(newurl)}: not followed")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _opener() -> urllib.request.OpenerDirector:
    """Return what opens http and https, and no other kind of address."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        _SameKind(),
    ):
        opener.add_handler(handler)
    return opener


def _place_of(address: str) -> Path:
    parts = urlsplit(address)
    if not is_address(address) or not parts.hostname:
        raise AddressError(f"{_shown(address)}: no address; it begins with http:// or https://")
    name = re.sub(r"[^\w.-]+", "_", parts.path.rpartition("/")[2], flags=re.ASCII).strip("._")
    key = hashlib.blake2b(address.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return addresses_folder() / key / (name[-100:] or "graph")


def addresses_folder() -> Path:
    """Return where fetched files are kept."""
    from gpu.compiled import cache_folder  # which imports Numba

    return cache_folder().parent / "addresses"


def _about(target: Path) -> dict[str, str]:
    """Return the marks of a kept file, {} where there is none."""
    try:
        told = json.loads(target.with_name(target.name + BESIDE).read_text(encoding="utf-8"))
        if target.stat().st_size != told["bytes"]:
            return {}
        return {"kept": "yes"} | {mark: str(told[mark]) for mark in MARKS if mark in told}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _conditions(about: dict[str, str]) -> dict[str, str]:
    return {MARKS[mark]: about[mark] for mark in MARKS if mark in about}


def _remember(target: Path, answer: Any) -> None:
    told = {mark: answer.headers[mark] for mark in MARKS if answer.headers[mark]}
    told |= {"bytes": target.stat().st_size}
    with written_whole(target.with_name(target.name + BESIDE)) as file:
        file.write(json.dumps(told).encode())


def _used(target: Path) -> Path:
    with suppress(OSError):
        os.utime(target, (time.time(), target.stat().st_mtime))
    return target


def _make_room(target: Path) -> None:
    files = [(path.stat(), path) for path in addresses_folder().glob("*/*")]
    files.sort(key=lambda pair: pair[0].st_atime, reverse=True)
    taken = 0
    for state, path in files:
        taken += state.st_size
        if taken > KEPT_BYTES and path.parent != target.parent:
            path.unlink(missing_ok=True)


def _length(answer: Any) -> int | None:
    told = answer.headers["Content-Length"]
    return int(told) if told is not None and told.isdigit() else None


def _host(address: str) -> str:
    return in_sight(urlsplit(address).hostname or "")


def _shown(address: str) -> str:
    """Return an address without a password that may stand in it."""
    return in_sight(re.sub(r"//[^/@]*@", "//", address))


def _why(error: BaseException) -> str:
    reason = getattr(error, "reason", error)
    if isinstance(reason, TimeoutError):
        return "nothing came for a long time; try again"
    if isinstance(reason, http.client.IncompleteRead):
        return "it broke off; try again"
    words = getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
    return in_sight(" ".join(words.split()))
