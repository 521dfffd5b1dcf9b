"""Room for deeply nested texts: each level of parentheses takes the parser some twenty calls."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

LEVELS = 6000
"""Calls within calls. Python alone makes them, so that they need little of the thread's stack."""
_lock = threading.Lock()
_inside: list[int] = []


@contextmanager
def room() -> Iterator[None]:
    """Let calls nest more deeply, in all threads, until the last that asked is done."""
    with _lock:
        _inside.append(sys.getrecursionlimit())
        sys.setrecursionlimit(max(LEVELS, _inside[0]))
    try:
        yield
    finally:
        with _lock:
            known = _inside[0]
            _inside.pop()
            if not _inside:
                sys.setrecursionlimit(known)
