"""What every window's process begins with."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

SCRIPT = """
import ctypes
from viewer.common.application import give_back_large_blocks
class Information(ctypes.Structure):
    names = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
    _fields_ = [(name, ctypes.c_size_t) for name in names.split()]
c = ctypes.CDLL(None)
c.mallinfo2.restype = Information
c.malloc.restype, c.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
c.free.argtypes = [ctypes.c_void_p]
give_back_large_blocks()
c.free(c.malloc(16 << 20))  # from here on glibc takes what is smaller out of the heap
before = c.mallinfo2().hblks
held = [c.malloc(1 << 20) for _ in range(8)]
print(c.mallinfo2().hblks - before)
"""


GLIBC = sys.platform == "linux" and hasattr(ctypes.CDLL(None), "mallinfo2")


@pytest.mark.skipif(not GLIBC, reason="needs glibc 2.33")
def test_large_blocks_are_mapped_each_by_itself() -> None:
    """Also after a larger one was freed: glibc by itself mostly takes them out of the heap then."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) == 8
