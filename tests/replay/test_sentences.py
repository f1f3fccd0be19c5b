"""Every sentence of a run, word for word, and the line of pseudocode that goes with it."""

import json

import pytest
import sentences

KNOWN = json.loads(sentences.FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("key", KNOWN)
def test_a_run_is_told_as_it_was(key: str) -> None:
    assert sentences.sentences_of(key) == KNOWN[key]["told"], sentences.__doc__
    assert sentences.sentences_of(key, True) == KNOWN[key]["other"], sentences.__doc__


@pytest.mark.parametrize("key", KNOWN)
def test_each_event_lights_its_line(key: str) -> None:
    assert sentences.lit_lines(key) == KNOWN[key]["lit"], sentences.__doc__
