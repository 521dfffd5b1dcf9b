"""Catalogs and schemas, and the tree they make."""

from __future__ import annotations

from collections.abc import Sequence

from flowcat_jupyter.catalog.access import Actor
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.editing import KEEP, Keep, edit
from flowcat_jupyter.catalog.namespaces import KINDS, create_namespace, drop_namespace
from flowcat_jupyter.catalog.store.rows import HitPage, Node, NodePage
from flowcat_jupyter.shared.errors import Invalid

SOUGHT = (*KINDS, "table", "view")


class NamespaceService:
    """Two levels: catalogs hold schemas, schemas hold tables and views."""

    def __init__(self, actor: Actor, deps: Deps) -> None:
        """Serve one actor."""
        self._actor = actor
        self._begin = deps.begin
        self._threads = deps.threads

    async def get(self, namespace_id: int) -> Node:
        """A catalog or schema.

        :raises NotFound: there is none the actor sees.
        """

        def work() -> Node:
            with self._begin(self._actor) as unit:
                return unit.securables.get(namespace_id, *KINDS)

        return await self._threads.run(work)

    async def tree(
        self,
        parent_id: int | None = None,
        *,
        limit: int = 200,
        after: str | None = None,
        q: str = "",
    ) -> NodePage:
        """A page of what hangs beneath a catalog or schema, or of the catalogs, by name.

        ``q`` keeps the names that hold it; ``after`` is the page before's cursor.

        :raises NotFound: there is no such namespace the actor sees.
        """

        def work() -> NodePage:
            with self._begin(self._actor) as unit:
                if parent_id is not None:
                    unit.securables.get(parent_id, *KINDS)
                return unit.securables.children(parent_id, limit=limit, after=after, q=q)

        return await self._threads.run(work)

    async def search(self, q: str, *, limit: int = 50, kinds: Sequence[str] = ()) -> HitPage:
        """What has every word of ``q`` in its name, tags, columns or comments, best first.

        ``kinds`` narrows it; none are all.

        :raises Invalid: there is no such kind.
        """
        for kind in kinds:
            if kind not in SOUGHT:
                raise Invalid(f"There is no kind {kind!r}.", hint=f"Use {', '.join(SOUGHT)}.")

        def work() -> HitPage:
            with self._begin(self._actor) as unit:
                return unit.search.find(q, limit=limit, kinds=kinds)

        return await self._threads.run(work)

    async def unfound(self) -> int:
        """How many objects search cannot find: none, unless something went past the catalog."""

        def work() -> int:
            with self._begin(self._actor) as unit:
                return unit.search.unfound()

        return await self._threads.run(work)

    async def reindex(self) -> int:
        """Make what search looks in anew; how many objects there are."""

        def work() -> int:
            with self._begin(self._actor, write=True) as unit:
                return unit.search.rebuild()

        return await self._threads.run(work)

    async def create(
        self, name: str, *, parent_id: int | None = None, description: str | None = None
    ) -> Node:
        """Make a catalog, or with ``parent_id`` a schema in that catalog.

        :raises Forbidden: the actor does not manage the catalog; catalogs themselves are for
            unrestricted actors to make.
        :raises AlreadyExists: the name is taken.
        """

        def work() -> Node:
            with self._begin(self._actor, write=True) as unit:
                return create_namespace(unit, name, parent_id, description)

        return await self._threads.run(work)

    async def update(
        self,
        namespace_id: int,
        *,
        name: str | None = None,
        description: str | Keep | None = KEEP,
        parent_id: int | None = None,
    ) -> Node:
        """Rename, describe or move (a schema, to another catalog), all or nothing.

        :raises NotFound: the actor sees no such namespace or parent.
        :raises Forbidden: the actor does not manage both.
        :raises AlreadyExists: the name is taken.
        :raises Conflict: the other catalog keeps its data elsewhere.
        """

        def work() -> Node:
            with self._begin(self._actor, write=True) as unit:
                node = unit.securables.get(namespace_id, *KINDS)
                edit(unit, node, name=name, description=description, parent_id=parent_id)
                return unit.securables.get(namespace_id)

        return await self._threads.run(work)

    async def drop(self, namespace_id: int, *, cascade: bool = False) -> None:
        """Remove a namespace, with ``cascade`` all that is in it.

        Tables beneath go as if each was dropped: managed data a day later, external data never.

        :raises NotFound: the actor sees no such namespace.
        :raises Forbidden: the actor does not manage it.
        :raises Conflict: it is not empty, and ``cascade`` was not asked for.
        """

        def work() -> None:
            with self._begin(self._actor, write=True) as unit:
                node = unit.securables.get(namespace_id, *KINDS)
                drop_namespace(unit, node, cascade=cascade)

        await self._threads.run(work)
