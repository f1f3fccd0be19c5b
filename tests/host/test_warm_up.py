"""The warm-up of the engine process: what it compiles."""

import pytest

from gpu.cuda import device
from gpu.host import warm_up


def test_what_is_compiled_depends_on_the_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[tuple[str, str, int]] = []

    def note(_graph: object, settings: object) -> None:
        runs.append((settings.engine, settings.algorithm, settings.probe))  # type: ignore[attr-defined]

    monkeypatch.setattr(warm_up, "run", note)
    for why, expected in (
        ("no driver", [("model", "adds", 2), ("model", "near_far", 2)]),
        (None, [("cuda", row, level) for level in (2, 0) for row in ("adds", "near_far")]),
    ):
        monkeypatch.setattr(device, "why_not", lambda why=why: why)
        runs.clear()
        for _, act in warm_up.warm_up():
            act()
        assert runs == expected
