"""Ctrl-C and SIGTERM end a command within a second, whatever it does.

The main thread gets an exception first (KeyboardInterrupt, SystemExit), so that every `finally`
runs. Where it is lost (Qt's paint callbacks and Numba's compiler swallow exceptions) or comes too
late (a long call into C), a thread that hears the signal at once ends the process after removing
the hidden parts of unfinished files. From the signal on no file gets its name.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

from gpu.cli.terminal import ENDED, INTERRUPTED, fault
from gpu.files import abandon, stop_naming, told_to_stop
from gpu.interpreter import end_at_once

GRACE_S = 0.5  # for the main thread to leave by itself
CODES = {signal.SIGINT: INTERRUPTED, signal.SIGTERM: ENDED}
WORDS = {INTERRUPTED: "interrupted", ENDED: "ended by SIGTERM"}


@contextmanager
def ends_soon() -> Iterator[None]:
    """Listen to the signals of this process while the block runs; in the main thread alone."""
    handlers = {number: signal.getsignal(number) for number in CODES}
    usual = (signal.SIG_DFL, signal.default_int_handler, end_at_once)
    mine = {number for number, handler in handlers.items() if handler in usual}
    if handlers[signal.SIGINT] is end_at_once:
        handlers[signal.SIGINT] = signal.default_int_handler
    if threading.current_thread() is not threading.main_thread() or not mine:
        yield
        return
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    over = threading.Event()
    before = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    hook, sys.excepthook = sys.excepthook, _quiet_hook
    for number in mine:
        signal.signal(number, _leave)
    listener = threading.Thread(target=_listen, args=(ours, over, mine), daemon=True)
    listener.start()
    try:
        yield
    finally:
        over.set()
        signal.set_wakeup_fd(before)
        for number in mine:
            signal.signal(number, handlers[number])
        sys.excepthook = hook
        theirs.close()
        listener.join()
        ours.close()


def end_of(number: int) -> int:
    """Report in one line that a signal ended the command; return the exit code."""
    code = CODES[signal.Signals(number)]
    return fault("cancelled", WORDS[code], code)


def _leave(number: int, _frame: FrameType | None) -> NoReturn:
    stop_naming(number)
    if "PyQt6.QtGui" in sys.modules:  # an exception would leave a painter in the middle of a paint
        _end_now(number)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(ENDED)


def _listen(heard: socket.socket, over: threading.Event, mine: set[signal.Signals]) -> None:
    """Wait for a signal; if the main thread does not leave after it, end the process."""
    while number := heard.recv(1):
        if number[0] in mine:
            stop_naming(number[0])
            if not over.wait(GRACE_S):
                _end_now(number[0])


def _end_now(number: int) -> NoReturn:
    """Remove parts of files, say why, and end this process; its children free shared memory."""
    abandon()
    with suppress(Exception):
        end_of(number)
    os._exit(CODES[signal.Signals(number)])


def _quiet_hook(kind: type[BaseException], error: BaseException, trace: object) -> None:
    """Keep silent about exceptions that the signal itself caused in a callback."""
    if not told_to_stop():
        sys.__excepthook__(kind, error, trace)  # type: ignore[arg-type]
