"""Makes the Interrupt button work at any time, while polars runs as well.

polars stops a query at SIGINT by a handler it installs, below Python's, when it is imported.
ipykernel sets Python's handler anew around every message, which removes the one of polars: from
the second cell on a query runs to its end however often one interrupts it. So the handler is set
once here, and only told whether a cell is running.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from typing import Any

SETTLE_SECONDS = 1.0


class InterruptGate:
    """The kernel's SIGINT handler: stops what a cell runs, and does nothing between cells."""

    def __init__(self, kernel: Any) -> None:
        """Serve ``kernel``, an ipykernel, once installed."""
        self._kernel = kernel
        self._running = False
        self._depth = 0
        self._known = 0
        self._since = 0.0

    def install(self) -> None:
        """Take over from the kernel's own hooks; only from the main thread."""
        if threading.current_thread() is not threading.main_thread():
            return
        before = signal.signal(signal.SIGINT, self._handle)
        # The kernel's hook has set Python's handler if this is called from within a cell.
        self._running = before is signal.default_int_handler
        self._depth = 1 if self._running else 0
        self._kernel.shell.events.register("pre_execute", self._enter)
        self._kernel.shell.events.register("post_execute", self._leave)
        self._kernel.pre_handler_hook = self._begin
        self._kernel.post_handler_hook = self._end

    def remove(self) -> None:
        """Give SIGINT back to the kernel, from within a cell or between two."""
        for hook in ("pre_handler_hook", "post_handler_hook"):
            vars(self._kernel).pop(hook, None)
        self._kernel.shell.events.unregister("pre_execute", self._enter)
        self._kernel.shell.events.unregister("post_execute", self._leave)
        if signal.getsignal(signal.SIGINT) == self._handle:
            # What the kernel's own hooks would have set and would restore after the cell.
            self._kernel.saved_sigint_handler = signal.SIG_IGN
            idle, busy = signal.SIG_IGN, signal.default_int_handler
            signal.signal(signal.SIGINT, busy if self._running else idle)
        self._running = False

    def _begin(self) -> None:
        if signal.getsignal(signal.SIGINT) != self._handle:
            signal.signal(signal.SIGINT, self._handle)
        # polars' handler lets blocking calls go on as if nothing had happened.
        if hasattr(signal, "siginterrupt"):
            signal.siginterrupt(signal.SIGINT, True)
        self._running = True
        self._depth = 0
        self._known = 0

    def _end(self) -> None:
        self._running = False

    def _enter(self) -> None:
        self._depth += 1

    def _leave(self) -> None:
        # A cell may run others (%run); only the end of the outermost one counts.
        self._depth -= 1
        if self._depth <= 0:
            self._running = False

    def _handle(self, _signum: int, _frame: object) -> None:
        if not self._running or self._is_stopping():
            return
        error = KeyboardInterrupt()
        self._remember(error)
        raise error

    def _is_stopping(self) -> bool:
        """Whether an interrupt is just being dealt with: polars has raised for this very signal,
        or the key was pressed again while the traceback is being shown.
        """
        current = sys.exc_info()[1]
        if not isinstance(current, KeyboardInterrupt):
            return False
        if id(current) != self._known:
            self._remember(current)
        return time.monotonic() - self._since < SETTLE_SECONDS

    def _remember(self, error: BaseException) -> None:
        # By identity and not by reference, which would keep the cell's frames and data alive.
        self._known = id(error)
        self._since = time.monotonic()
