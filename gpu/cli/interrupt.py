"""Ctrl-C and SIGTERM end any command within a second.

The main thread gets an exception first, so that every `finally` runs. Where a callback swallows
it, or a call into C lasts too long, a thread that hears the signal at once ends the process after
GRACE_S. Hidden parts of unfinished files, temporary folders and shared memory are removed.
"""

from __future__ import annotations

import atexit
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, NoReturn

from gpu.cli.terminal import ENDED, INTERRUPTED, fault
from gpu.files import abandon
from gpu.interpreter import end_at_once

GRACE_S = 0.5  # for the main thread to leave by itself
CODES = {signal.SIGINT: INTERRUPTED, signal.SIGTERM: ENDED}
WORDS = {INTERRUPTED: "interrupted", ENDED: "ended by SIGTERM"}
USUAL = (signal.SIG_DFL, signal.default_int_handler, end_at_once)
heard: list[int] = []  # exit codes for the signals that came


class Interrupted(KeyboardInterrupt):
    """What the main thread gets: a class of its own.

    `python -m` ends by SIGINT, whatever the exit code, once a KeyboardInterrupt itself has left an
    `exec` of text, even if it was caught (Python 3.11). Numba and dataclasses use that.
    """


@contextmanager
def ends_soon() -> Iterator[None]:
    """Listen to the signals of this process while the block runs; in the main thread alone."""
    before = {number: signal.getsignal(number) for number in CODES}
    mine = {number: handler for number, handler in before.items() if handler in USUAL}
    if threading.current_thread() is not threading.main_thread() or not mine:
        yield
        return
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    wakeup = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    for number in mine:
        signal.signal(number, _leave)
    hook = sys.unraisablehook
    sys.unraisablehook = partial(_unraisable, hook)
    over = threading.Event()
    listener = threading.Thread(target=_listen, args=(ours, over, set(mine)), daemon=True)
    listener.start()
    try:
        yield
    finally:
        over.set()
        if not heard:  # else what it left half made is dropped later still
            sys.unraisablehook = hook
        signal.set_wakeup_fd(wakeup)
        for number, handler in mine.items():
            usual = signal.default_int_handler if handler is end_at_once else handler
            signal.signal(number, usual)
            atexit.register(signal.signal, number, signal.SIG_IGN)  # the work is done
        theirs.close()
        listener.join()
        ours.close()


def process_of(work: Callable[[], int]) -> int:
    """Do the work of a whole process. Python takes nothing down at its end, nor a GPU's context.

    That took 0.1 s. Threads end before, and exit handlers: the first registered is called last.
    """
    code = 1

    def leave() -> None:
        with suppress(Exception):
            print(end="", flush=True)  # of who ran this as a module
        os._exit(code)

    atexit.register(leave)
    code = work()
    return code


def end_of(code: int) -> int:
    """Report in one line that a signal ended the command; return the exit code.

    A removal that the signal cut short is done again. After a signal Python takes nothing down at
    its exit: compiled code that LLVM left half made has ended a process by SIGSEGV there.
    """
    abandon()
    if heard:
        atexit.register(_exit, code)  # the last registered is called first
    return fault("cancelled", WORDS[code], code)


def _leave(number: int, _frame: object) -> NoReturn:
    heard.append(CODES[signal.Signals(number)])
    if "PyQt6.QtGui" in sys.modules:  # an exception would leave a painter in the middle of a paint
        _end_now(heard[0])
    raise Interrupted


def _unraisable(hook: Callable[[Any], object], lost: Any) -> None:
    """Say nothing of interrupts that callbacks of Numba swallow, or left half made."""
    if not heard and lost.exc_type is not Interrupted:
        hook(lost)


def _listen(signals: socket.socket, over: threading.Event, mine: set[signal.Signals]) -> None:
    while number := signals.recv(1):
        if number[0] in mine and not over.wait(GRACE_S):
            _end_now(CODES[signal.Signals(number[0])])


def _end_now(code: int) -> NoReturn:
    with suppress(Exception):
        end_of(code)
    _exit(code)


def _exit(code: int) -> NoReturn:
    if memory := sys.modules.get("gpu.host.memory"):
        memory.Memory(f"sssp-{os.getpid()}").sweep()
    os._exit(code)
