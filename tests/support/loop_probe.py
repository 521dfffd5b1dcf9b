"""A server extension that notes which callbacks kept the event loop, and for how long.

What counts is the processor time of the loop's own thread, which a busy machine does not change.
"""

from __future__ import annotations

import asyncio
import gc
import os
import time
from pathlib import Path
from typing import Any

from tornado.web import RequestHandler

WHERE = "LOOP_PROBE_FILE"
LONG_S = 0.1


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "tests.support.loop_probe"}]


class BlockHandler(RequestHandler):
    """Keeps the loop, to show that it is seen."""

    def get(self) -> None:
        end = time.thread_time() + 2 * LONG_S
        while time.thread_time() < end:
            pass


class FrozenHandler(RequestHandler):
    """Tells how many objects no garbage collection looks at."""

    def get(self) -> None:
        self.write({"frozen": gc.get_freeze_count()})


def _load_jupyter_server_extension(app: Any) -> None:
    probe = app.base_url + "probe/"
    app.web_app.add_handlers(
        ".*", [(probe + "block", BlockHandler), (probe + "frozen", FrozenHandler)]
    )
    path = Path(os.environ[WHERE])
    run = asyncio.Handle._run

    def measured(handle: asyncio.Handle) -> None:
        start = time.thread_time()
        run(handle)
        used = time.thread_time() - start
        if used > LONG_S:
            with path.open("a") as file:
                file.write(f"{used:.3f} s: {_waiting_at(handle)}\n")

    setattr(asyncio.Handle, "_run", measured)  # noqa: B010 - private: no types know it


def _waiting_at(handle: asyncio.Handle) -> str:
    """The callback, and for a task the coroutines it went through, the innermost last."""
    task = getattr(getattr(handle, "_callback", None), "__self__", None)
    if not isinstance(task, asyncio.Task):
        return repr(handle)
    names: list[str] = []
    at: Any = task.get_coro()
    while at is not None and hasattr(at, "cr_await"):
        line = at.cr_frame.f_lineno if at.cr_frame else "ended"
        names.append(f"{at.__qualname__}:{line}")
        at = at.cr_await
    return f"{task.get_name()} {' > '.join(names)} {handle!r}"
