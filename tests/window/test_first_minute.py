"""The film of the first minute: a real window with an empty home, a picture a second, and a log."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtGui import QImage
from pytestqt.qtbot import QtBot

from viewer.bench import first_minute


def test_a_film_has_pictures_a_sheet_and_what_was_pressed(tmp_path: Path, qtbot: QtBot) -> None:
    kept = Path.home()
    given = [
        str(tmp_path),
        "--seconds",
        "4",
        "--size",
        "800x600",
        "--do",
        "1=fit,2=open:sample:grid",
    ]
    assert first_minute.main(given) == 0
    assert Path.home() == kept, "only the film's process has an empty home"
    for second in range(1, 5):
        assert QImage(str(tmp_path / f"{second:02d}.png")).width() >= 800
    assert QImage(str(tmp_path / "sheet.png")).width() > 3 * 640
    log = (tmp_path / "log.txt").read_text(encoding="utf-8").splitlines()
    assert any("pressed fit" in line for line in log)
    assert any(line.endswith("opened sample:grid") for line in log)
    assert [line for line in log if "[04] stalled" in line]
    times = [float(line.split()[0]) for line in log]
    assert times == sorted(times)
    assert times[0] > 0
