"""Threads of the system that run compiled code, without an interpreter of their own.

A thread of Python costs 50 us to start, one after the other under the interpreter's lock, and needs
that lock again to find its compiled code: a fifth of what New York's roads take with 16. These
are started by the C function behind Python's own, in compiled code, and go straight to theirs. They
end with it, and the last one opens a Latch, where the thread that started them sleeps.
"""

from __future__ import annotations

import ctypes
from typing import Any, ClassVar

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import extending
from numba.core import cgutils, types

BUNDLE_BYTES = 4096  # room for what the threads get: arrays and numbers, about 60 bytes an array

intrinsic: Any = extending.intrinsic  # its type would hide what is called as what
I8, I64 = ir.IntType(8), ir.IntType(64)
LONG = ir.IntType(8 * ctypes.sizeof(ctypes.c_ulong))

_python = ctypes.CDLL(None, handle=ctypes.pythonapi._handle)  # without the interpreter's lock
_python.PyThread_allocate_lock.restype = ctypes.c_void_p
_python.PyThread_acquire_lock_timed.argtypes = [ctypes.c_void_p, ctypes.c_longlong, ctypes.c_int]


def address_of(name: str) -> int:
    """Return the address of one of Python's C functions."""
    return ctypes.cast(getattr(_python, name), ctypes.c_void_p).value or 0


STARTER, OPENER = (address_of(f"PyThread_{name}") for name in ("start_new_thread", "release_lock"))


class Latch:
    """Closed until compiled code opens it (`open_latch`); one waits, without the lock of Python.

    A latch is used again by the next run: a thread may still be leaving it when all is over.
    """

    _idle: ClassVar[list[int]] = []

    def __init__(self) -> None:
        self.address: int = self._idle.pop() if self._idle else _closed_lock()

    def wait(self, seconds: float) -> bool:
        """Wait until it is open, which closes it again, or for so long; return whether it was."""
        return bool(_python.PyThread_acquire_lock_timed(self.address, int(seconds * 1e6), 0))

    def give_back(self) -> None:
        """Keep it, closed, for another run."""
        self._idle.append(self.address)


def _closed_lock() -> int:
    address: int = _python.PyThread_allocate_lock()
    _python.PyThread_acquire_lock_timed(address, 0, 0)
    return address


def room() -> np.ndarray:
    """Return memory for what threads get; it must live until they have ended."""
    return np.empty(BUNDLE_BYTES // 8, np.int64)


@intrinsic
def start_threads(typing_context, function, bundle, threads, memory, starter):  # type: ignore[no-untyped-def]
    """Start threads that call a compiled function; return how many the system gave.

    function : compiled, of one argument, by its name; bundle : that argument
    memory : address of `room()`; starter : STARTER
    """
    callee = function.get_call_type(typing_context, (bundle,), {})

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _, value, wanted, memory, starter = args
        if context.get_abi_sizeof(value.type) > BUNDLE_BYTES:
            raise ValueError("what the threads get is larger than BUNDLE_BYTES")
        builder.store(value, builder.inttoptr(memory, value.type.as_pointer()))
        entry = _entry(context, builder.module, (function, callee), value.type)
        kind = ir.FunctionType(LONG, [entry.type, I64])
        start = builder.inttoptr(starter, kind.as_pointer())
        count = cgutils.alloca_once_value(builder, I64(0))
        with cgutils.for_range(builder, wanted) as loop:
            identity = builder.call(start, [entry, memory])
            with cgutils.if_unlikely(builder, builder.icmp_signed("==", identity, LONG(-1))):
                loop.do_break()
            builder.store(builder.add(builder.load(count, typ=I64), I64(1)), count)
        return builder.load(count, typ=I64)

    return types.int64(function, bundle, types.int64, types.int64, types.int64), generate


def _entry(context: Any, module: Any, function: Any, kind: Any) -> Any:
    """Return the C function that a thread begins with: it reads the bundle and calls."""
    callee, signature = function
    name = f"thread_of_{signature.args[0].name[:8]}"
    entry = ir.Function(module, ir.FunctionType(ir.VoidType(), [I64]), module.get_unique_name(name))
    entry.linkage = "internal"
    builder = ir.IRBuilder(entry.append_basic_block())
    value = builder.load(builder.inttoptr(entry.args[0], kind.as_pointer()), typ=kind)
    made = callee.dispatcher.get_compile_result(signature)
    context.add_linking_libs([made.library])
    context.call_internal_no_propagate(builder, made.fndesc, signature, [value])
    builder.ret_void()
    return entry


@intrinsic
def open_latch(typing_context, latch, opener):  # type: ignore[no-untyped-def]
    """Open a latch by its address. opener : OPENER"""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.VoidType(), [I64])
        builder.call(builder.inttoptr(args[1], kind.as_pointer()), [args[0]])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate
