"""Threads of the system that run compiled code, without an interpreter of their own.

A thread of Python costs 50 us to start, one after the other under the interpreter's lock, and needs
that lock again to find its compiled code: a fifth of what New York's roads take with 16. These
are started by the C function behind Python's own, in compiled code, and go straight to theirs. The
last one that is done opens a Latch, where the thread that called them sleeps.

Each has a seat, a few words of memory with a lock that is closed. There it sleeps between runs: it
wakes when the lock is opened, calls the function that its seat names, and comes back; a seat that
names none tells it to end. A run takes a Crew of them and gives it back. Those asleep end with the
process, before a fork, and where there are more of them than cores: the system spreads threads that
are new over busy cores, and wakes others where they were.
"""

from __future__ import annotations

import ctypes
import os
import time
from collections import deque
from contextlib import suppress
from typing import Any, ClassVar

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import extending
from numba.core import cgutils, types

BUNDLE_BYTES = 4096  # room for what the threads get: arrays and numbers, about 60 bytes an array
PATIENCE_S = 0.05  # for threads that were told to end, before a fork

PINNED_FROM = 8  # cores; with fewer, other programs and our own window need room to move

# words of a seat: the closed lock, the functions that wait at it and open it, whether a thread has
# it, the C function that the thread is to call and its two arguments, memory and which thread it
# is, the function that tells the system's number of a thread, and that of the one that sits there
LOCK, ACQUIRE, RELEASE, TAKEN, ENTRY, MEMORY, PLACE, NUMBER_OF, NUMBER = range(9)
SEAT_WORDS = 9

intrinsic: Any = extending.intrinsic  # its type would hide what is called as what
I8, I32, I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
LONG = ir.IntType(8 * ctypes.sizeof(ctypes.c_ulong))

_python = ctypes.CDLL(None, handle=ctypes.pythonapi._handle)  # without the interpreter's lock
_python.PyThread_allocate_lock.restype = ctypes.c_void_p
_python.PyThread_acquire_lock_timed.argtypes = [ctypes.c_void_p, ctypes.c_longlong, ctypes.c_int]
_python.PyThread_release_lock.argtypes = _python.PyThread_free_lock.argtypes = [ctypes.c_void_p]


def address_of(name: str) -> int:
    """Return the address of one of Python's C functions."""
    return ctypes.cast(getattr(_python, name), ctypes.c_void_p).value or 0


STARTER, OPENER, WAITER, NUMBERER = (
    address_of(f"PyThread_{name}")
    for name in ("start_new_thread", "release_lock", "acquire_lock_timed", "get_thread_native_id")
)


class Latch:
    """Closed until compiled code opens it (`open_latch`); one waits, without the lock of Python.

    A latch is used again by the next run: a thread may still be leaving it when all is over.
    """

    _idle: ClassVar[list[int]] = []

    def __init__(self) -> None:
        try:
            self.address = self._idle.pop()
        except IndexError:
            self.address = _closed_lock()

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


class Crew:
    """Threads asleep, each at its seat, for one run at a time.

    Whoever takes a crew gives it back when none of its threads is at work any more.
    """

    def __init__(self, cores: frozenset[int]) -> None:
        self.cores = cores  # that its threads may use
        self.called, self.pinned = 0, False
        self._seats: list[np.ndarray] = []
        self._addresses = np.empty(0, np.int64)

    @classmethod
    def take(cls, threads: int) -> Crew:
        """Return a crew with seats for so many; seats that nobody has get a thread when called."""
        cores = _cores()
        try:
            crew = _kept.pop()
        except IndexError:
            crew = cls(cores)
        if crew.cores != cores or (crew.pinned and threads != len(cores)):
            crew.end()
            crew = cls(cores)
        crew.called = threads
        crew._make_room(threads)
        return crew

    def give_back(self) -> None:
        """Let the threads sleep until another run; those that are too many end."""
        asleep = sum(len(crew._seats) for crew in _kept)
        if asleep + len(self._seats) <= most_asleep(self.cores):
            if self.called == len(self._seats) == len(self.cores) >= PINNED_FROM:
                self._pin()
            _kept.append(self)
        else:
            self.end()

    def end(self) -> None:
        """Tell the threads to end; the memory of their seats stays until they have."""
        _ending[:] = [crew for crew in _ending if not crew._is_gone()]
        _ending.append(self)
        for seat in self._seats:
            if seat[TAKEN]:
                seat[ENTRY] = 0
                _python.PyThread_release_lock(int(seat[LOCK]))

    @property
    def address(self) -> int:
        """Of an array, int64, of the addresses of its seats."""
        return int(self._addresses.ctypes.data)

    def _make_room(self, threads: int) -> None:
        if threads > len(self._seats):
            self._seats += [_seat() for _ in range(threads - len(self._seats))]
            self._addresses = np.array([seat.ctypes.data for seat in self._seats], np.int64)

    def _pin(self) -> None:
        """Tie each thread to a core of its own, as far as the system lets us."""
        if self.pinned:
            return
        self.pinned = True
        for seat, core in zip(self._seats, sorted(self.cores), strict=True):
            if seat[TAKEN] and seat[NUMBER]:
                with suppress(OSError):
                    os.sched_setaffinity(int(seat[NUMBER]), {core})

    def _is_gone(self) -> bool:
        """Whether all threads have ended, as they were told; their locks are freed then."""
        if any(seat[TAKEN] for seat in self._seats):
            return False
        while self._seats:
            _python.PyThread_free_lock(int(self._seats.pop()[LOCK]))
        return True


def _seat() -> np.ndarray:
    words = np.zeros(SEAT_WORDS, np.int64)
    words[: RELEASE + 1] = _closed_lock(), WAITER, OPENER
    words[NUMBER_OF] = NUMBERER
    return words


def _cores() -> frozenset[int]:
    """Return the cores that threads started now may use; none where the system does not say."""
    return frozenset(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else ())


def most_asleep(cores: frozenset[int]) -> int:
    """Return how many threads of all runs together may sleep."""
    return len(cores) or os.cpu_count() or 1


_kept: deque[Crew] = deque()
_ending: list[Crew] = []


def end_sleepers() -> None:
    """End the threads that sleep, and wait a moment until they are gone."""
    with suppress(IndexError):
        while True:
            _kept.pop().end()
    deadline = time.monotonic() + PATIENCE_S
    while not all(crew._is_gone() for crew in _ending) and time.monotonic() < deadline:
        time.sleep(PATIENCE_S / 100)


def _forget() -> None:
    """Begin anew in a process that was forked: it has none of the threads."""
    _kept.clear()
    _ending.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=end_sleepers, after_in_child=_forget)


def room() -> np.ndarray:
    """Return memory for what threads get; it must live until they are done."""
    return np.empty(BUNDLE_BYTES // 8, np.int64)


@intrinsic
def call_threads(typing_context, function, bundle, threads, memory, seats, starter):  # type: ignore[no-untyped-def]
    """Let threads call a compiled function; return how many do: the system may not give all.

    function : compiled, by its name, of two arguments: `bundle`, and which thread it is, from 0
        on, at the same seat in each run
    memory : address of `room()`; seats : int64, addresses of their words; starter : STARTER
    """
    callee = function.get_call_type(typing_context, (bundle, types.int64), {})

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _, value, wanted, memory, seats, starter = args
        if context.get_abi_sizeof(value.type) > BUNDLE_BYTES:
            raise ValueError("what the threads get is larger than BUNDLE_BYTES")
        builder.store(value, builder.inttoptr(memory, value.type.as_pointer()))
        entry = _entry(context, builder.module, (function, callee), value.type)
        sleeper = _sleeper(builder.module)
        start = builder.inttoptr(starter, ir.FunctionType(LONG, [sleeper.type, I64]).as_pointer())
        count = cgutils.alloca_once_value(builder, I64(0))
        with cgutils.for_range(builder, wanted) as loop:
            seat = _word(builder, seats, loop.index)
            with builder.if_then(builder.icmp_signed("==", _word(builder, seat, TAKEN), I64(0))):
                identity = builder.call(start, [sleeper, seat])
                with cgutils.if_unlikely(builder, builder.icmp_signed("==", identity, LONG(-1))):
                    loop.do_break()
                _set_word(builder, seat, TAKEN, I64(1))
            _set_word(builder, seat, ENTRY, builder.ptrtoint(entry, I64))
            _set_word(builder, seat, MEMORY, memory)
            _set_word(builder, seat, PLACE, loop.index)
            _call(builder, ir.VoidType(), _word(builder, seat, RELEASE), _word(builder, seat, LOCK))
            builder.store(builder.add(builder.load(count, typ=I64), I64(1)), count)
        return builder.load(count, typ=I64)

    whole = types.int64
    return whole(function, bundle, whole, whole, whole, whole), generate


def _sleeper(module: Any) -> Any:
    """Return the C function that a thread begins with: it sleeps at its seat, calls, sleeps."""
    sleeper = ir.Function(
        module, ir.FunctionType(ir.VoidType(), [I64]), module.get_unique_name("sleep_at_seat")
    )
    sleeper.linkage = "internal"
    seat = sleeper.args[0]
    builder = ir.IRBuilder(sleeper.append_basic_block())
    asleep, awake, end = (sleeper.append_basic_block(name) for name in ("asleep", "awake", "end"))
    number = _call(builder, LONG, _word(builder, seat, NUMBER_OF))
    _set_word(builder, seat, NUMBER, builder.zext(number, I64) if LONG.width < 64 else number)
    builder.branch(asleep)
    builder.position_at_end(asleep)
    wait, lock = _word(builder, seat, ACQUIRE), _word(builder, seat, LOCK)
    _call(builder, I32, wait, lock, I64(-1), I32(0))  # for ever
    entry = _word(builder, seat, ENTRY)
    builder.cbranch(builder.icmp_signed("!=", entry, I64(0)), awake, end)
    builder.position_at_end(awake)
    memory, place = _word(builder, seat, MEMORY), _word(builder, seat, PLACE)
    _call(builder, ir.VoidType(), entry, memory, place)
    builder.branch(asleep)
    builder.position_at_end(end)
    _set_word(builder, seat, TAKEN, I64(0))
    builder.ret_void()
    return sleeper


def _place(builder: Any, address: Any, index: Any) -> Any:
    words = builder.inttoptr(address, I64.as_pointer())
    return builder.gep(words, [I64(index) if isinstance(index, int) else index], source_etype=I64)


def _word(builder: Any, address: Any, index: Any) -> Any:
    """Read a word of memory, which other threads may have written."""
    return builder.load_atomic(_place(builder, address, index), "acquire", 8, typ=I64)


def _set_word(builder: Any, address: Any, index: Any, value: Any) -> None:
    builder.store_atomic(value, _place(builder, address, index), "release", 8)


def _call(builder: Any, result: Any, address: Any, *arguments: Any) -> Any:
    """Call a C function at an address."""
    kind = ir.FunctionType(result, [argument.type for argument in arguments])
    return builder.call(builder.inttoptr(address, kind.as_pointer()), arguments)


def _entry(context: Any, module: Any, function: Any, kind: Any) -> Any:
    """Return the C function that a thread begins with: it reads the bundle and calls."""
    callee, signature = function
    name = f"thread_of_{signature.args[0].name[:8]}"
    called = ir.FunctionType(ir.VoidType(), [I64, I64])
    entry = ir.Function(module, called, module.get_unique_name(name))
    entry.linkage = "internal"
    builder = ir.IRBuilder(entry.append_basic_block())
    value = builder.load(builder.inttoptr(entry.args[0], kind.as_pointer()), typ=kind)
    made = callee.dispatcher.get_compile_result(signature)
    context.add_linking_libs([made.library])
    context.call_internal_no_propagate(builder, made.fndesc, signature, [value, entry.args[1]])
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
