"""Keeps the Interrupt button working while polars runs.

polars stops a query at SIGINT by a handler it installs, below Python's, when it is imported.
ipykernel sets Python's handler anew around every message, which removes the one of polars: from
the second cell on a query runs to its end however often one interrupts it. So the handler is set
once here, and only told whether a cell is running.
"""

from __future__ import annotations

import signal
import sys
import threading
from typing import Any


class InterruptGate:
    """The kernel's SIGINT handler: stops what a cell runs, and does nothing between cells."""

    def __init__(self, kernel: Any) -> None:
        """Serve ``kernel``, an ipykernel, once installed."""
        self._kernel = kernel
        self._running = False
        self._known = 0

    def install(self) -> None:
        """Take over from the kernel's own hooks; only from the main thread."""
        if threading.current_thread() is not threading.main_thread():
            return
        before = signal.signal(signal.SIGINT, self._handle)
        # The kernel's hook has set Python's handler if this is called from within a cell.
        self._running = before is signal.default_int_handler
        self._kernel.pre_handler_hook = self._begin
        self._kernel.post_handler_hook = self._end

    def remove(self) -> None:
        """Give SIGINT back to the kernel, from within a cell or between two."""
        for hook in ("pre_handler_hook", "post_handler_hook"):
            vars(self._kernel).pop(hook, None)
        if signal.getsignal(signal.SIGINT) == self._handle:
            # What the kernel's own hooks would have set and would restore after the cell.
            self._kernel.saved_sigint_handler = signal.SIG_IGN
            idle, busy = signal.SIG_IGN, signal.default_int_handler
            signal.signal(signal.SIGINT, busy if self._running else idle)
        self._running = False

    def _begin(self) -> None:
        if signal.getsignal(signal.SIGINT) != self._handle:
            signal.signal(signal.SIGINT, self._handle)
        self._known = 0
        self._running = True

    def _end(self) -> None:
        self._running = False

    def _handle(self, _signum: int, _frame: object) -> None:
        if not self._running:
            return
        current = sys.exc_info()[1]
        # When polars was running it has raised already, and this call is for the same signal.
        if isinstance(current, KeyboardInterrupt) and id(current) != self._known:
            self._known = id(current)
            return
        error = KeyboardInterrupt()
        # By identity and not by reference, which would keep the cell's frames and data alive.
        self._known = id(error)
        raise error
