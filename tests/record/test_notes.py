"""Notes go with a trace; those that do not fit are left out, and the run is read all the same."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hand_made import small_trace
from hypothesis import given, strategies as st
from test_tracefile import rewritten

from gpu.record.notes import LONGEST_NOTE, Note, note, plain_notes, read_notes
from gpu.record.tracefile import load_trace, save_trace

NOTES = (Note("starved here", t_ns=0), Note("the bridge", vertex=2))


def test_notes_come_back_and_a_trace_without_any_is_as_before(tmp_path: Path) -> None:
    save_trace(small_trace(notes=NOTES), tmp_path / "run.npz")
    back = load_trace(tmp_path / "run.npz")
    assert (back.notes, back.notes_left_out) == (NOTES, "")
    save_trace(small_trace(), tmp_path / "plain.npz")
    with np.load(tmp_path / "plain.npz") as archive:
        assert "notes" not in json.loads(archive["header"].tobytes())
    assert load_trace(tmp_path / "plain.npz").notes == ()


@pytest.mark.parametrize(
    ("given", "kept", "words"),
    [
        ("no list", 0, "Expected `array`, got `str`"),
        ([{"text": "a", "t_ns": 0}, 7], 0, "[1] = 7"),
        ([{"text": ""}], 0, "[0].text = ''"),
        ([{"text": "x" * (LONGEST_NOTE + 1), "t_ns": 0}], 0, "of length <= 200"),
        ([{"text": "a", "t_ns": 0, "vertex": 0}], 0, "at a moment (t_ns) or at a vertex"),
        ([{"text": "a", "vertex": 10**9}], 0, "at no vertex of the graph"),
        ([{"text": "a", "t_ns": 2**62}], 0, "after the run"),
        ([{"text": "a", "t_ns": 0}] * 501, 0, "of length <= 500"),
        ([{"text": "a", "t_ns": 0}, {"text": " \t ", "t_ns": 0}], 1, ""),
    ],
)
def test_what_does_not_fit_is_left_out_with_a_sentence(
    tmp_path: Path, given: Any, kept: int, words: str
) -> None:
    back = load_trace(rewritten(tmp_path / "run.npz", {"notes": given}))
    assert len(back.notes) == kept
    assert words in back.notes_left_out
    assert bool(words) == bool(back.notes_left_out)
    assert "\n" not in back.notes_left_out


@given(st.text(), st.integers(0, 10**6))
def test_whatever_a_person_writes_is_one_line_in_sight(text: str, when: int) -> None:
    made = note(text, t_ns=when)
    if made is None:
        return
    assert 0 < len(made.text) <= LONGEST_NOTE
    assert made.text.isprintable() or not set(made.text) & set("\n\r\t\x00\u202e")
    kept, words = read_notes(json.loads(json.dumps(plain_notes([made]))), 1, 10**6)
    assert (kept, words) == ((made,), "")


def test_notes_stand_within_the_run_and_the_graph() -> None:
    assert note("x", t_ns=2.6) == Note("x", t_ns=3)
    assert note("  a\tb ", vertex=0) == Note("a b", vertex=0)
    ends = (({"t_ns": 100}, 1), ({"t_ns": 101}, 0), ({"vertex": 4}, 1), ({"vertex": 5}, 0))
    for entry, kept in ends:
        notes, words = read_notes([{"text": "x"} | entry], 5, 100)
        assert len(notes) == kept
        left_out = "its notes are left out: one is at no vertex of the graph, or after the run"
        assert words == ("" if kept else left_out)
