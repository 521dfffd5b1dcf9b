"""Runs writes so that an interrupt is noticed and yet never makes a torn table.

At SIGINT polars ends a stream of batches early and *without an error*, and what reads the stream
takes the part for the whole. So polars does not hear the signal while a write runs; the main
thread does, and from then on the rows' source fails.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from flowcat_jupyter.shared.errors import Cancelled

if TYPE_CHECKING:
    import polars as pl

T = TypeVar("T")
GRACE_SECONDS = 0.5
# Larger than any system's `struct sigaction`, which is kept and given back unread.
_SIGACTION_BYTES = 1024


def interruptible(work: Callable[[threading.Event], T]) -> T:
    """``work``'s result, computed on a thread of its own while this one waits for interrupts.

    ``work`` gets an event that is set at an interrupt. It is then waited for a moment and left to
    itself, so what it does must come to nothing from then on: see `unless_cancelled`.
    """
    cancelled = threading.Event()
    future: Future[T] = Future()

    def run() -> None:
        with _Into(future):
            future.set_result(work(cancelled))

    _deafness.begin()
    # Also a write that was left to itself is torn by a signal, until it has ended.
    future.add_done_callback(lambda _: _deafness.end())
    threading.Thread(target=run, daemon=True).start()
    try:
        return future.result()
    except KeyboardInterrupt:
        cancelled.set()
        wait([future], GRACE_SECONDS)
        raise


class _Into:
    """Hands whatever is raised within to a future."""

    def __init__(self, future: Future[T]) -> None:
        self._future = future

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> bool:
        if error is not None:
            self._future.set_exception(error)
        return True


class _Deafness:
    """While begun, SIGINT reaches Python's handler alone; counted, for writes may overlap."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._native: Any = None

    def begin(self) -> None:
        with self._lock:
            self._count += 1
            if self._count == 1 and threading.current_thread() is threading.main_thread():
                self._native = _replace_native_handler()

    def end(self) -> None:
        with self._lock:
            self._count -= 1
            if self._count == 0 and self._native is not None:
                _libc().sigaction(int(signal.SIGINT), self._native, None)
                self._native = None


_deafness = _Deafness()


def _replace_native_handler() -> Any:
    """Set Python's own handler again, and return what was set instead of it (None: nothing)."""
    import ctypes

    handler = signal.getsignal(signal.SIGINT)
    libc = _libc()
    if not callable(handler) or not hasattr(libc, "sigaction"):
        return None
    native = ctypes.create_string_buffer(_SIGACTION_BYTES)
    libc.sigaction(int(signal.SIGINT), None, native)
    signal.signal(signal.SIGINT, handler)
    return native


def _libc() -> Any:
    import ctypes

    return ctypes.CDLL(None)


def unless_cancelled(
    frame: pl.DataFrame | pl.LazyFrame,
    cancelled: threading.Event,
    watch: Callable[[pl.DataFrame], None] = lambda _batch: None,
) -> pl.LazyFrame:
    """``frame``'s rows, all of them or an error: reading it fails once ``cancelled`` is set.

    ``watch`` sees every batch as it goes by, and may raise.
    """
    from polars.io.plugins import register_io_source

    from flowcat_jupyter.formats.types import exactly

    lazy = frame.lazy()

    def batches(
        columns: list[str] | None,
        predicate: pl.Expr | None,
        rows: int | None,
        _size: int | None,
    ) -> Iterator[pl.DataFrame]:
        wanted = lazy if predicate is None else lazy.filter(predicate)
        wanted = wanted if columns is None else wanted.select(exactly(*columns))
        wanted = wanted if rows is None else wanted.head(rows)
        for batch in wanted.collect_batches(lazy=True, maintain_order=True):
            _check(cancelled)
            watch(batch)
            yield batch
        _check(cancelled)

    return register_io_source(batches, schema=lazy.collect_schema())


def _check(cancelled: threading.Event) -> None:
    if cancelled.is_set():
        raise Cancelled("The write")
