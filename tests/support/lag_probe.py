"""A server extension that samples how late the event loop comes to a timer that is due.

`GET probe/lag` answers with the milliseconds of each sample since the last such request.
"""

from __future__ import annotations

import asyncio
from typing import Any

from tornado.web import RequestHandler

EVERY_S = 0.01


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "tests.support.lag_probe"}]


class _Sampler:
    """Takes samples from when the loop first runs."""

    def __init__(self) -> None:
        self.lags: list[float] = []

    def start(self) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time() + EVERY_S
        loop.call_at(due, self._late, loop, due)

    def _late(self, loop: asyncio.AbstractEventLoop, due: float) -> None:
        self.lags.append(round((loop.time() - due) * 1000, 3))
        due = loop.time() + EVERY_S
        loop.call_at(due, self._late, loop, due)

    def taken(self) -> list[float]:
        lags, self.lags = self.lags, []
        return lags


class LagHandler(RequestHandler):
    """Gives the samples away; the first request starts to take them."""

    def initialize(self, sampler: _Sampler, running: list[bool]) -> None:
        self._sampler = sampler
        self._running = running

    def get(self) -> None:
        if not self._running:
            self._running.append(True)
            self._sampler.start()
        self.finish({"lags": self._sampler.taken()})


def _load_jupyter_server_extension(app: Any) -> None:
    shared = {"sampler": _Sampler(), "running": []}
    app.web_app.add_handlers(".*", [(app.base_url + "probe/lag", LagHandler, shared)])
