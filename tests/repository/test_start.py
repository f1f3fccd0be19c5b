"""What a start must not import: Numba, SciPy and the like take a second each."""

import json

import pytest
from processes import python

HEAVY = {"numba", "scipy", "networkx", "cupy", "llvmlite"}
WINDOW = {"PyQt6", "pyqtgraph"}
REPORT = "import json, sys; print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
HELP = "from gpu.cli.main import main; assert main(['--help']) == 0"
SHOWN = """
import os
from viewer.common.application import make_application
app = make_application()
from viewer.main_window import MainWindow
window = MainWindow()
window.show()
app.processEvents()
"""

BEGUN = "import sys" + SHOWN.replace(
    "app.processEvents()",
    """window.start()
assert window.comparison.active  # the recorded pair is there, before anything is painted
early = {name.split(".")[0] for name in sys.modules}
window.close()
assert not early & {"pyqtgraph", "numba", "scipy"}, early""",
)


def modules_after(code: str) -> set[str]:
    """Return the top-level modules that a fresh Python has imported after `code`."""
    return set(json.loads(python(f"{code}\n{REPORT}").splitlines()[-1]))


@pytest.mark.parametrize("code", ["import gpu, gpu.engine, gpu.host", HELP, "import viewer.app"])
def test_core_help_and_entry_point_import_neither_window_nor_heavy_libraries(code: str) -> None:
    assert modules_after(code) & (HEAVY | WINDOW) == set()


def test_a_painted_window_has_imported_no_heavy_library() -> None:
    painted = modules_after(SHOWN)
    assert painted & HEAVY == set()
    assert "PyQt6" in painted


def test_the_first_picture_waits_for_no_library() -> None:
    assert "PyQt6" in modules_after(BEGUN)
