"""The changes feed."""

from __future__ import annotations

from flowcat_jupyter.catalog.access import Actor
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.store.rows import Changes


class ChangeService:
    """What changed, of what one actor sees or saw."""

    def __init__(self, actor: Actor, deps: Deps) -> None:
        """Serve one actor."""
        self._actor = actor
        self._begin = deps.begin
        self._threads = deps.threads

    async def since(self, seq: int, *, limit: int = 500) -> Changes:
        """Changes after ``seq``, oldest first; go on from the answer's ``seq``.

        ``reset`` says that ``seq`` is too old, or of another database: reload everything.
        """

        def work() -> Changes:
            with self._begin(self._actor) as unit:
                return unit.changes.since(seq, limit)

        return await self._threads.run(work)

    async def latest(self) -> int:
        """The newest sequence number, 0 when nothing ever changed."""

        def work() -> int:
            with self._begin(self._actor) as unit:
                return unit.changes.latest()

        return await self._threads.run(work)
