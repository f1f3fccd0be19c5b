"""How a process with a window ends."""

import sys

import pytest
from processes import ended

ENDS = """
import sys
from PyQt6.QtCore import QObject
from PyQt6.QtWidgets import QApplication
from viewer.common.application import kept_for_good, make_application
app = make_application() if sys.argv[1] == "ours" else QApplication([])
thing = QObject()
thing.destroyed.connect(lambda: print("freed", flush=True))
sys.exit(7)
"""


@pytest.mark.parametrize(("whose", "said"), [("ours", ""), ("Qt's", "freed")])
def test_nothing_is_freed_one_by_one_where_our_process_ends(whose: str, said: str) -> None:
    # PyQt frees what Python owns, and stumbles over what went with it: a crash, now and then
    done = ended(sys.executable, "-c", ENDS, whose)
    assert done.returncode == 7, done.stderr
    assert done.stdout.strip() == said
