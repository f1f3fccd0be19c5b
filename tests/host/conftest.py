"""Hosts for the tests of this folder; what their child calls is in `host_engines`."""

import threading
from collections.abc import Iterator
from pathlib import Path

import host_engines as engines
import pytest
from host_driver import ENTRIES, Driver, left_behind

from gpu.host import EngineHost, Memory


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineHost]:
    """One host for the tests that kill nothing: a start takes half a second."""
    host = EngineHost(ENTRIES, Memory(folder=str(tmp_path_factory.mktemp("maps"))))
    host.start()
    host.put_graph(engines.path_graph(3))  # the leak guard counts segments
    yield host
    child = host._child
    host.close()
    assert child is not None
    assert not child.killed  # it quits when it is asked to


@pytest.fixture
def warm(engine: EngineHost) -> Iterator[Driver]:
    """A driver of the module's host; afterwards nothing is held and nothing goes on."""
    driven = Driver(engine)
    yield driven
    engine.set_pace(None)
    engine.stop()
    driven.until(lambda: not engine.busy)
    engine.take_samples()


@pytest.fixture(params=["shared memory"])
def driver(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Driver]:
    """A driver of a fresh host, of which nothing may be left."""
    threads = set(threading.enumerate())
    memory = Memory(folder=str(tmp_path), in_memory=request.param != "files")
    host = EngineHost(ENTRIES, memory)
    host.start()
    yield Driver(host)
    host.close()
    host.close()
    assert host._child is None
    assert left_behind(memory) == []
    assert set(threading.enumerate()) == threads
