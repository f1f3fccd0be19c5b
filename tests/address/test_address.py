"""Files from an address: size first, whole or not at all, kept; servers that stall and lie."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from web_server import TestServer, keep_private, serving

from gpu.address import AddressError, Offer, fetched, is_address
from gpu.cli.main import main
from gpu.errors import CancelledByUserError

TOWN = (
    b'<?xml version="1.0"?><osm><node id="1" lat="0" lon="0"/><node id="2" lat="0.5" lon="1"/>'
    b'<way id="3"><nd ref="1"/><nd ref="2"/><tag k="highway" v="primary"/></way></osm>'
)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestServer]:
    keep_private(monkeypatch, tmp_path / "kept", 0.5)
    with serving(TOWN) as server:
        yield server


def kept(tmp_path: Path) -> list[str]:
    """Return the names of all files that are kept."""
    return sorted(path.name for path in (tmp_path / "kept").rglob("*") if path.is_file())


def test_the_size_is_said_first(server: TestServer, tmp_path: Path) -> None:
    offers: list[Offer] = []

    def refuse(offer: Offer) -> bool:
        offers.append(offer)
        return False

    with pytest.raises(CancelledByUserError, match=r"town\.osm was not fetched"):
        fetched(server.address("plain/town.osm?key=1"), agree=refuse)
    assert offers == [Offer("town.osm", "127.0.0.1", len(TOWN))]
    assert offers[0].words == "town.osm, 0 kB, from 127.0.0.1"
    assert kept(tmp_path) == []


@pytest.mark.parametrize("how", ["plain", "away", "unsaid"])
def test_a_file_comes_whole(server: TestServer, how: str) -> None:
    seen: list[float] = []
    path = fetched(server.address(f"{how}/town.osm"), progress=lambda share, _: seen.append(share))
    assert path.name == "town.osm"
    assert path.read_bytes() == TOWN
    assert seen == [-1.0 if how == "unsaid" else 1.0]


def test_what_has_not_changed_is_not_fetched_again(server: TestServer) -> None:
    first = fetched(server.address("kept/town.osm"))
    offers: list[Offer] = []
    assert fetched(server.address("kept/town.osm"), agree=lambda o: not offers.append(o)) == first
    assert offers == []
    assert server.asked == ["/kept/town.osm"] * 2
    first.write_bytes(b"cut short")
    assert fetched(server.address("kept/town.osm")).read_bytes() == TOWN


def test_a_kept_file_serves_where_the_server_does_not(server: TestServer) -> None:
    where = server.address("plain/town.osm")
    fetched(where)
    server.server_close()
    server.shutdown()
    notes: list[str] = []
    assert fetched(where, note=notes.append).read_bytes() == TOWN
    assert "does not answer" in notes[0]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("gone/town.osm", "the server says 404 Not Found"),
        ("short/town.osm", "broke off"),
        ("stall/town.osm", "nothing came for a long time; try again"),
        ("huge/town.osm", "1000000.0 GB; allowed: 8.6 GB"),
        ("elsewhere/town.osm", "file:///etc/passwd' is not allowed"),
    ],
)
def test_what_goes_wrong_leaves_nothing(
    server: TestServer, tmp_path: Path, path: str, words: str
) -> None:
    with pytest.raises(AddressError) as caught:
        fetched(server.address(path))
    assert words in str(caught.value)
    assert kept(tmp_path) == []


def test_cancelled_on_the_way(server: TestServer, tmp_path: Path) -> None:
    with pytest.raises(CancelledByUserError, match=r"fetching town\.osm was stopped"):
        fetched(server.address("plain/town.osm"), should_stop=lambda: True)
    assert kept(tmp_path) == []


@pytest.mark.parametrize("name", ["file:///etc/passwd", "ftp://a/b", "http://", "town.osm"])
def test_what_is_no_address(name: str) -> None:
    with pytest.raises(AddressError, match="no address"):
        fetched(name)
    assert is_address("HTTPS://a/b")
    assert not is_address("https:/a/b")


def test_names_stay_in_their_folder_and_passwords_unsaid(
    server: TestServer, tmp_path: Path
) -> None:
    path = fetched(server.address("plain/..%2F..%2Fetc/..%00x\u202e/.."))
    assert path.parent.parent == tmp_path / "kept"
    with pytest.raises(AddressError) as caught:
        fetched("http://me:secret@127.0.0.1:9/a")
    assert "secret" not in str(caught.value)


def test_command(server: TestServer, capsys: pytest.CaptureFixture[str]) -> None:
    server.body = gzip.compress(TOWN)
    assert main(["info", server.address("plain/town.osm.gz")]) == 0
    said = capsys.readouterr()
    assert "OpenStreetMap" in said.out or "osm" in said.out
    assert "fetching town.osm.gz, 0 kB, from 127.0.0.1" in said.err
    assert main(["info", server.address("gone/town.osm.gz")]) == 1
    assert "the server says 404" in capsys.readouterr().err
