"""Pages in a real browser, from the disk: looks, keys, a whole lesson."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import CHROMIUM, MISSING, Browser, Page
from page_stage import recorded, roads

from gpu import words
from gpu.lessons.answers import Bench
from gpu.lessons.read import find_lessons, read_lesson
from gpu.page.lesson import lesson_page, right_answers
from gpu.page.runs import runs_page
from gpu.page.sweep import sweep_page
from gpu.study.sweep import make_plan, run_sweep

pytestmark = [pytest.mark.skipif(CHROMIUM is None, reason=MISSING), pytest.mark.slow]

READY = "document.documentElement.dataset.ready"
LESSONS = {path.stem: path for path in find_lessons("/nowhere")}
TWO, SIX = LESSONS["2_buckets_and_delta"], LESSONS["6_drive_delta_yourself"]
HOSTILE = '</script><img src=x onerror="window.struck = 1"><script>window.struck = 1</script>'
CHECKS = """(() => {
  const found = [];
  const named = (one) => one.getAttribute('aria-label') || one.textContent.trim() || one.title
    || (one.labels && one.labels.length && one.labels[0].textContent.trim());
  for (const one of document.querySelectorAll('button, select, input, [role=img], [tabindex="0"]'))
    if (!one.closest('[aria-hidden=true]') && !named(one)) found.push('no name: ' + one.outerHTML);
  const ids = [...document.querySelectorAll('[id]')].map((one) => one.id);
  if (new Set(ids).size !== ids.length) found.push('an id twice');
  if (document.querySelectorAll('main').length !== 1) found.push('not one main');
  if (document.querySelectorAll('h1').length !== 1) found.push('not one h1');
  const levels = [...document.querySelectorAll('h1, h2, h3')].map((one) => Number(one.tagName[1]));
  if (levels[0] !== 1) found.push('the first heading is no h1');
  if (!document.documentElement.lang) found.push('no language');
  const wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) found.push(`${wide} pixels in ${innerWidth}`);
  const light = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map(Number)
    .map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
  const paper = (one) => { for (let at = one; at; at = at.parentElement) {
    const colour = getComputedStyle(at).backgroundColor;
    if (!/, 0\\)|transparent/.test(colour)) return colour; } return 'rgb(255, 255, 255)'; };
  for (const one of document.querySelectorAll('p, span, h1, h2, h3, button, label, dt, output')) {
    if (!one.textContent.trim() || !one.getClientRects().length || one.disabled) continue;
    const [a, b] = [light(getComputedStyle(one).color), light(paper(one))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) found.push(`contrast ${contrast}: ${one.outerHTML.slice(0, 80)}`);
  }
  return found; })()"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Return one browser for all tests here."""
    with Browser(tmp_path_factory.mktemp("browser")) as browser:
        yield browser


def written(folder: Path, text: str, name: str = "page.html") -> str:
    """Write a page; return its address."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path.as_uri()


def opened(browser: Browser, address: str, **how: Any) -> Page:
    """Open a page and wait until it is drawn."""
    page = browser.open(address, **how)
    page.wait(READY)
    return page


def quiet(page: Page) -> None:
    """Nothing was complained of, and nothing but the page itself was asked for."""
    assert page.complaints() == []
    assert len(page.requests()) == 1


@pytest.mark.parametrize(("width", "dark"), [(360, False), (1440, True)], ids=str)
def test_two_runs_at_any_width(browser: Browser, tmp_path: Path, width: int, dark: bool) -> None:
    text = runs_page([recorded("adds"), recorded("near_far")], roads())
    page = opened(browser, written(tmp_path, text), width=width, dark=dark)
    assert page.value(CHECKS) == []
    assert page.value("document.querySelectorAll('.map').length") == 2
    quiet(page)
    page.close()


def test_keys(browser: Browser, tmp_path: Path) -> None:
    trace = recorded()
    page = opened(browser, written(tmp_path, runs_page([trace], roads())))
    page.press("Home")
    assert page.value("scope.clock.now") == 0
    page.press("ArrowRight")
    times = trace.samples["t_ns"]
    assert page.value("scope.clock.now") == times[times > 0][0]
    page.press("ArrowRight", shift=True)
    delta = trace.samples["delta"]
    assert page.value("scope.clock.now") == times[np.flatnonzero(np.diff(delta))[0] + 1]
    page.press("ArrowLeft", shift=True)
    page.press("ArrowLeft")
    assert page.value("scope.clock.now") == 0
    page.press(" ")
    assert page.value("scope.clock.playing")
    page.wait("scope.clock.now > 0")
    page.press(" ")
    assert not page.value("scope.clock.playing")
    page.press("End")
    assert page.value("scope.clock.now") == trace.time_ns
    assert page.value("document.querySelector('.time').getAttribute('aria-valuetext')").startswith(
        words.time_words(trace.time_ns)
    )
    quiet(page)
    page.close()


def test_a_sweep_goes_through_its_runs(browser: Browser, tmp_path: Path) -> None:
    runs = [recorded("near_far", delta=delta) for delta in (32.0, 128.0, 512.0)]
    plan = make_plan(roads(), runs[0].settings, values=(32.0, 128.0, 512.0))
    text = sweep_page(roads(), plan, run_sweep(roads(), plan), lambda _share, _words: None)
    page = opened(browser, written(tmp_path, text))
    for place, trace in enumerate(runs):
        page.value(f"scope.show({place})")
        assert page.value("scope.view.runs[0].time_ns") == trace.time_ns
        said = page.value("document.querySelector('.sweep > .summary').textContent")
        assert f"{trace.processed_vertices:,} vertices processed" in said
    page.press("t")
    assert page.value(CHECKS) == []
    quiet(page)
    page.close()


def answer(page: Page, question: Any, right: dict[str, Any], wrong: bool = False) -> None:
    """Give an answer by clicks, and check it."""
    if question.kind == "bucket":
        place = int(right["places"][0] - question.low)
        page.click(".choice input", (place + 1) % 4 if wrong else place)
    elif question.kind == "choice":
        places = [at for at in range(len(question.choices)) if (at in right["places"]) != wrong]
        page.click(".choice input", places[0])
    elif question.kind == "vertex":
        page.wait("document.querySelector('.vertex-field .disc')?.tagName")
        page.click(".vertex-field .disc", right["places"][0])
    page.click(".ask .primary")


def test_a_whole_lesson_by_clicks(browser: Browser, tmp_path: Path) -> None:
    """Every question is answered, one of them wrong; the page judges and counts."""
    bench = Bench(read_lesson(TWO))
    page = opened(browser, written(tmp_path, lesson_page(bench)), width=1280)
    questions = [step.question for step in bench.lesson.steps]
    count = sum(question is not None for question in questions)
    for place, question in enumerate(questions):
        page.click(".dot", place)
        if question is None:
            continue
        wrong = place == 1
        answer(page, question, right_answers(bench, question), wrong)
        verdict = page.value("document.querySelector('.verdict').textContent")
        assert verdict.startswith("✗" if wrong else "✓")
    said = page.value("document.querySelector('.score').textContent")
    assert said == f"{count - 1} of {count} right"
    assert page.value(CHECKS) == []
    quiet(page)
    page.close()


def test_a_hostile_lesson_runs_nothing(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text(
        f"[lesson]\nformat = 1\nminutes = 1\ntitle = '''{HOSTILE}'''\nidea = '''{HOSTILE}'''\n"
        f"[[step]]\nkey = 'one'\ntitle = '''{HOSTILE}'''\ngraph = 'sample:figure_1'\n"
        "[[step.run]]\nname = 'a'\nalgorithm = 'dijkstra'\ndevice = 'Classroom GPU'\n"
        "[step.question]\nkind = 'choice'\n"
        f"ask = '''{HOSTILE}'''\nchoices = ['''{HOSTILE}''', 'b']\n"
        f"candidates = ['a.processed', 'a.relaxed']\nright = '''{HOSTILE}'''\n"
    )
    text = f"# {HOSTILE}\n\n## one\n{HOSTILE} [x](javascript:alert(1)) ![x](https://example.org/)\n"
    (tmp_path / "bad.md").write_text(text)
    page_text = lesson_page(Bench(read_lesson(tmp_path / "bad.toml")))
    page = opened(browser, written(tmp_path, page_text))
    page.click(".choice input")
    page.click(".ask .primary")
    assert page.value("window.struck ?? 0") == 0
    assert page.value("document.querySelectorAll('img, a[href^=javascript]').length") == 0
    quiet(page)
    page.close()
