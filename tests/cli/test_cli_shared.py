"""The command line on real graphs, against the distances that SciPy found for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gpu.cli import main as cli

# file, sum of distances, largest: from the lowest id, see the folder's own README
KNOWN = (
    ("road/rome99.gr", 116006476, 69102),
    ("road/amsterdam.gr.gz", 532355146, 27899),
    ("powerlaw/p2p-Gnutella31.txt", 514821, 25),
    ("formats/rome99.galois.gr", 116006476, 69102),
)
NEW_YORK = "road/USA-road-d.NY.gr.gz"
FACEBOOK = "powerlaw/facebook_combined.txt"


def told(capsys: pytest.CaptureFixture[str], *words: object) -> dict[str, Any]:
    code = cli.main(["run", *map(str, words), "--json", "--verify"])
    out, err = capsys.readouterr()
    assert (code, err) == (0, "")
    found: dict[str, Any] = json.loads(out)
    assert found["verified"] is True
    return found


@pytest.mark.parametrize(("file", "total", "largest"), KNOWN, ids=[row[0] for row in KNOWN])
def test_distances_of_real_graphs(
    capsys: pytest.CaptureFixture[str], shared_graphs: Path, file: str, total: int, largest: int
) -> None:
    distances = told(capsys, shared_graphs / file)["distances"]
    assert (distances["sum"], distances["max"]) == (total, largest)


def test_undirected_pairs(capsys: pytest.CaptureFixture[str], shared_graphs: Path) -> None:
    distances = told(capsys, shared_graphs / FACEBOOK, "--undirected")["distances"]
    assert distances == {"reached": 4039, "sum": 11428, "max": 6}


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["adds", "near_far", "dijkstra"])
def test_new_york(capsys: pytest.CaptureFixture[str], shared_graphs: Path, algorithm: str) -> None:
    found = told(capsys, shared_graphs / NEW_YORK, "--algorithm", algorithm, "--source", 1)
    assert found["distances"] == {"reached": 264346, "sum": 186686642878, "max": 1440081}
    assert found["verification"]["oracle"] is True
    assert found["verification"]["certificate"] is True
