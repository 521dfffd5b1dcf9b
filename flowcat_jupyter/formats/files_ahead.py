"""Doing the next piece of work while the last one is used."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")

# Some take much longer than others; a few in store even that out.
_MADE_AHEAD = 3


def ahead(items: Iterator[Item]) -> Iterator[Item]:
    """The items of an iterator that gives no None, some made in another thread while the one
    before them is used. An error comes out where its item would have.
    """
    pool = ThreadPoolExecutor(1, "import-ahead")
    try:
        coming = deque(pool.submit(next, items, None) for _ in range(_MADE_AHEAD))
        while (item := coming.popleft().result()) is not None:
            coming.append(pool.submit(next, items, None))
            yield item
    finally:
        pool.shutdown(cancel_futures=True)
