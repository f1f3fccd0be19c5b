"""Pages in Firefox, from the disk: they open, play, answer to keys, and nothing complains."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from firefox import FIREFOX, MISSING, Firefox
from page_stage import recorded, roads

from gpu.lessons.answers import Bench
from gpu.lessons.read import find_lessons, read_lesson
from gpu.page.lesson import lesson_page
from gpu.page.runs import pair_page, run_page
from viewer.common import colormaps
from viewer.common.theme import LIGHT

pytestmark = [pytest.mark.skipif(FIREFOX is None, reason=MISSING), pytest.mark.slow]

READY = "document.documentElement.dataset.ready"
HOME, END, RIGHT = "\ue011", "\ue010", "\ue014"  # keys, as WebDriver calls them


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    """Return one browser for all tests here."""
    with Firefox(tmp_path_factory.mktemp("firefox")) as firefox:
        yield firefox


def opened(firefox: Firefox, folder: Path, text: str) -> None:
    """Write a page, open it and wait until it is drawn."""
    path = folder / "page.html"
    path.write_text(text, encoding="utf-8")
    firefox.open(path.as_uri())
    firefox.wait(READY)


def test_a_run_plays_and_answers_to_keys(firefox: Firefox, tmp_path: Path) -> None:
    trace = recorded()
    opened(firefox, tmp_path, run_page(trace, roads()))
    firefox.press(HOME)
    assert firefox.value("scope.clock.now") == 0
    firefox.press(" ")
    firefox.wait("scope.clock.now > 0")
    firefox.press(" ")
    assert not firefox.value("scope.clock.playing")
    firefox.press(HOME)
    firefox.press(RIGHT)
    times = trace.samples["t_ns"]
    assert firefox.value("scope.clock.now") == times[times > 0][0]
    firefox.press(END)
    assert firefox.value("scope.clock.now") == trace.time_ns
    assert firefox.complaints() == []


def test_the_picture_has_the_colours_of_the_window(firefox: Firefox, tmp_path: Path) -> None:
    """Of the settled map every tenth of the colour bar is seen, in the window's colours."""
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    opened(firefox, tmp_path, run_page(recorded(), roads()))
    firefox.press(END)
    picture = image.open(io.BytesIO(firefox.picture())).convert("RGB")
    box = "document.querySelector('.map .field').getBoundingClientRect()"
    edges = firefox.value(f"(({{left, top, right, bottom}}) => [left, top, right, bottom])({box})")
    seen = np.unique(np.asarray(picture.crop([round(e) for e in edges])).reshape(-1, 3), axis=0)
    table = colormaps.table_for("distance", LIGHT).astype(int)
    far = np.abs(seen[None].astype(int) - table[10:240:25, None]).max(axis=2).min(axis=1)
    assert (far <= 8).mean() > 0.8


def test_two_runs_and_a_lesson(firefox: Firefox, tmp_path: Path) -> None:
    opened(firefox, tmp_path, pair_page(recorded(), recorded("near_far"), roads()))
    assert firefox.value("document.querySelectorAll('.map').length") == 2
    found = {path.stem: path for path in find_lessons("/nowhere")}["2_buckets_and_delta"]
    opened(firefox, tmp_path, lesson_page(Bench(read_lesson(found))))
    firefox.value("document.querySelectorAll('.dot')[1].click()")
    firefox.value("document.querySelector('.bucket').click()")
    firefox.value("document.querySelector('.ask .primary').click()")
    assert firefox.value("document.querySelector('.verdict').textContent")[0] in "✓✗"
    assert firefox.complaints() == []
