"""Views of the catalog, beyond what statements do to them."""

from __future__ import annotations

from flowcat_jupyter.catalog.access import Actor
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.editing import KEEP, Keep, edit
from flowcat_jupyter.catalog.store.rows import ViewRow
from flowcat_jupyter.catalog.viewing import drop_view


class ViewService:
    """One actor's views."""

    def __init__(self, actor: Actor, deps: Deps) -> None:
        """Serve one actor."""
        self._actor = actor
        self._begin = deps.begin
        self._threads = deps.threads

    async def get(self, view_id: int) -> ViewRow:
        """A view.

        :raises NotFound: there is none the actor sees.
        """

        def work() -> ViewRow:
            with self._begin(self._actor) as unit:
                return unit.views.get(view_id)

        return await self._threads.run(work)

    async def update(
        self,
        view_id: int,
        *,
        name: str | None = None,
        description: str | Keep | None = KEEP,
        parent_id: int | None = None,
    ) -> ViewRow:
        """Rename, describe or move (to another schema) a view, all or nothing.

        :raises NotFound: the actor sees no such view or schema.
        :raises Forbidden: the actor does not manage both.
        :raises AlreadyExists: the name is taken.
        """

        def work() -> ViewRow:
            with self._begin(self._actor, write=True) as unit:
                view = unit.views.get(view_id)
                edit(unit, view, name=name, description=description, parent_id=parent_id)
                return unit.views.get(view_id)

        return await self._threads.run(work)

    async def drop(self, view_id: int) -> None:
        """Drop a view. Nothing brings it back, for what it reads stays as it is.

        :raises NotFound: the actor sees no such view.
        :raises Forbidden: the actor does not manage it.
        """

        def work() -> None:
            with self._begin(self._actor, write=True) as unit:
                drop_view(unit, unit.views.get(view_id))

        await self._threads.run(work)
