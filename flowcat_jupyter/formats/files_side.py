"""Columns of one frame looked at in two threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

T = TypeVar("T")
LONG = 5000
"""Rows from which a second thread is worth being asked."""


def side_by_side(
    work: Callable[[Sequence[str]], dict[str, T]], names: Sequence[str], height: int
) -> dict[str, T]:
    """What ``work`` finds out of the columns, in two threads where they are long enough."""
    if height < LONG or len(names) < 2:
        return work(names)
    other = _other_thread().submit(work, names[1::2])
    return work(names[::2]) | other.result()


@cache
def _other_thread() -> ThreadPoolExecutor:
    """One for all frames: a file has hundreds, and each start of a thread is waited for."""
    return ThreadPoolExecutor(1, "measure")
