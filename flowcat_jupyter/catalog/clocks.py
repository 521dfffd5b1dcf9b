"""Time that a wrong clock cannot hurry: what is removed for its age is removed by this.

A machine's clock may be wrong for a while: set by hand, at a start without a network, in a virtual
machine that was restored. What was put off until tomorrow must not be done because of that.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from threading import Lock

from flowcat_jupyter.catalog.ports import Clock

SLACK = timedelta(minutes=5)
TRUST = timedelta(days=1)


def elapsed_s() -> float:
    """Seconds that passed since some moment, those asleep included where the system counts them."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


class Careful:
    """The latest instant that has surely come.

    It goes with the clock, but where that leaps ahead of the seconds that really passed: a leap is
    believed when a whole day has passed since and the clock still says so.
    """

    def __init__(self, clock: Clock, elapsed: Callable[[], float] = elapsed_s) -> None:
        """Believe ``clock`` as it is now; ``elapsed`` counts seconds and never leaps."""
        self._clock = clock
        self._elapsed = elapsed
        self._lock = Lock()
        self._began = clock.now() - timedelta(seconds=elapsed())
        self._leap: tuple[timedelta, float] | None = None

    def now(self) -> datetime:
        """That instant: the clock's own time or one before it."""
        with self._lock:
            said, passed = self._clock.now(), self._elapsed()
            counted = self._began + timedelta(seconds=passed)
            ahead = said - counted
            if ahead <= SLACK:
                self._leap = None
                return said
            if self._leap is None or abs(self._leap[0] - ahead) > SLACK:
                self._leap = (ahead, passed)
            if passed - self._leap[1] < TRUST.total_seconds():
                return counted
            self._began += ahead
            self._leap = None
            return said
