"""The process of a silent GPU is ended, with a sentence; one whose GPU speaks is not."""

import sys

from processes import ended

SILENT = """
import time
from gpu.cuda import watchdog
watchdog.SILENCE_S, watchdog.CHECK_S = 0.4, 0.05
watchdog.end_process_on_silence(lambda words: print(words, flush=True))
with watchdog.waiting_for_gpu() as hear:
    for _ in range({signs}):
        time.sleep(0.1)
        hear()
{after}
print("alive")
"""


def run(signs: int, after: str) -> tuple[int, str]:
    done = ended(sys.executable, "-c", SILENT.format(signs=signs, after=after))
    return done.returncode, done.stdout


def test_a_silent_gpu_ends_its_process_with_a_sentence() -> None:
    code, words = run(10, "    time.sleep(50)")
    assert code == 1
    assert words.startswith("the GPU has not answered for 0.4 s")
    assert "alive" not in words


def test_signs_of_life_and_waiting_for_nothing_end_no_process() -> None:
    assert run(10, "time.sleep(1)") == (0, "alive\n")
