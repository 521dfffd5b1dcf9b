"""Tables: finding, describing, registering, dropping and bringing back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import uuid4

from flowcat_jupyter.catalog.access import Actor, require
from flowcat_jupyter.catalog.barrier import WriteSpec, check_unclaimed, find_target, observe
from flowcat_jupyter.catalog.carrying.registering import register_files
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.describing import NOTHING, Words, describe
from flowcat_jupyter.catalog.directory import (
    UnitDirectory,
    as_found,
    in_zone,
    readable,
    source_of,
)
from flowcat_jupyter.catalog.dropping import Undo, drop_table
from flowcat_jupyter.catalog.editing import KEEP, Keep, edit, identity
from flowcat_jupyter.catalog.planning.resolver import Resolver
from flowcat_jupyter.catalog.store.rows import Dropped, Edit, Node, TablePage, TableRow
from flowcat_jupyter.catalog.store.seen import MANAGE, storable
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import Gone, Invalid, NotFound
from flowcat_jupyter.shared.events import TableCreated
from flowcat_jupyter.shared.names import TableName
from flowcat_jupyter.shared.wire import (
    HistoryInfo,
    HistoryJob,
    InspectJob,
    Job,
    PageInfo,
    Source,
    StreamJob,
    TableFacts,
)

_AS_IT_IS = ("delta", "parquet")
"""Formats whose data say themselves how they are read."""
_ENDINGS = {"ndjson": "json", "jsonl": "json"} | {
    format: format for format in ("parquet", "json", "avro", "arrow")
}
"""CSV is none of them: whether it has a header is for somebody to say."""


class TableService:
    """One actor's tables."""

    def __init__(self, actor: Actor, deps: Deps) -> None:
        """Serve one actor."""
        self._actor = actor
        self._deps = deps
        self._begin = deps.begin
        self._threads = deps.threads

    async def get(self, table_id: int) -> TableRow:
        """A table.

        :raises NotFound: there is none the actor sees.
        """
        return await self._threads.run(lambda: self._get(table_id))

    async def resolve(
        self, name: str, *, catalog: str | None = None, schema: str | None = None
    ) -> TableRow:
        """The table a name means, as in a query with that current catalog and schema.

        :raises SqlError: no visible table has the name, or several have.
        """
        settings = self._deps.settings
        parts = TableName.parse(name).parts
        current = (catalog or settings.default_catalog, schema or settings.default_schema)

        def work() -> TableRow:
            with self._begin(self._actor) as unit:
                directory = UnitDirectory(unit)
                entry = Resolver(directory, *current).table(parts)
                if entry.id is None:
                    raise NotFound("table", name)
                return directory.row(entry.id)

        return await self._threads.run(work)

    async def list(
        self, schema_id: int | None = None, *, limit: int = 200, after: str | None = None
    ) -> TablePage:
        """A page of tables by name, of one schema or of all.

        :raises NotFound: there is no such schema the actor sees.
        """

        def work() -> TablePage:
            with self._begin(self._actor) as unit:
                if schema_id is not None:
                    unit.securables.get(schema_id, "schema")
                return unit.tables.page(schema_id=schema_id, limit=limit, after=after)

        return await self._threads.run(work)

    async def register(
        self,
        table: str,
        location: str,
        *,
        format: str | None = None,
        options: Mapping[str, str] | None = None,
        description: str | None = None,
        catalog: str | None = None,
        schema: str | None = None,
    ) -> TableRow:
        """Take data that are already there into the catalog; they are never moved or deleted.

        Without a ``format`` it is the one that the location's ending says, else Delta. ``options``
        are those of a format of files.

        :raises Forbidden: the location is not under an allowed root, or the actor does not
            manage the schema.
        :raises AlreadyExists: the name is taken.
        :raises FlowcatError: the data there cannot be read.
        """
        settings = self._deps.settings
        spec = WriteSpec(
            TableName.parse(table),
            "error",
            catalog or settings.default_catalog,
            schema or settings.default_schema,
            description=description,
        )
        spec.check()
        chosen = format or _by_ending(location)
        if options or chosen not in _AS_IT_IS:
            await register_files(
                self._actor,
                self._deps,
                spec.name,
                location,
                format=chosen,
                options=options or {},
                description=description,
                place=(spec.catalog, spec.schema),
            )
            return await self.resolve(table, catalog=spec.catalog, schema=spec.schema)
        place = await self._threads.run(lambda: self._check_place(spec, location))
        facts = await self._inspect(Source("r1", "table", spec.name.parts, chosen, place))
        return await self._threads.run(lambda: self._register(spec, place, facts))

    async def update(
        self,
        table_id: int,
        *,
        name: str | None = None,
        description: str | Keep | None = KEEP,
        parent_id: int | None = None,
        words: Words = NOTHING,
    ) -> TableRow:
        """Rename, describe or move (to another schema), all or nothing; data stay in place.

        Who gives a table away and sees it no longer is told what it was.

        :raises NotFound: the actor sees no such table or schema, or it has no such column.
        :raises Forbidden: the actor does not manage both, or gives away what is not theirs.
        :raises AlreadyExists: the name is taken.
        :raises Invalid: a tag, comment or owner cannot be.
        """
        words.check()

        def work() -> TableRow:
            with self._begin(self._actor, write=True) as unit:
                table = unit.tables.get(table_id)
                edit(unit, table, name=name, description=description, parent_id=parent_id)
                return describe(unit, unit.tables.get(table_id), words)

        return await self._threads.run(work)

    async def drop(self, table_id: int) -> Undo:
        """Remove a table. Managed data follow a day later; external data are never touched.

        :raises NotFound: the actor sees no such table.
        :raises Forbidden: the actor does not manage it.
        """

        def work() -> Undo:
            with self._begin(self._actor, write=True) as unit:
                table = unit.tables.get(table_id)
                return drop_table(unit, table)

        return await self._threads.run(work)

    async def dropped(self) -> tuple[Dropped, ...]:
        """The dropped tables the actor may bring back, last dropped first."""

        def work() -> tuple[Dropped, ...]:
            with self._begin(self._actor) as unit:
                return tuple(item for item in unit.dropped.all() if _may_undrop(unit, item))

        return await self._threads.run(work)

    async def undrop(self, dropped_id: int) -> TableRow:
        """Bring a dropped table back, under a new id and without its old grants.

        :raises NotFound: there is none the actor may bring back, or its schema is gone.
        :raises AlreadyExists: the name was taken meanwhile.
        """

        def work() -> TableRow:
            with self._begin(self._actor, write=True) as unit:
                item = unit.dropped.find(dropped_id)
                if item is None or not _may_undrop(unit, item):
                    raise NotFound("dropped table", dropped_id)
                return _restore(unit, item)

        return await self._threads.run(work)

    async def refresh(self, table_id: int) -> TableRow:
        """Read schema, counts and version again from the table's log.

        :raises NotFound: the actor sees no such table.
        :raises Forbidden: the actor may only browse it.
        :raises FlowcatError: the log cannot be read; if that is the table's own fault, it is
            marked broken with the reason.
        """
        source = await self.source(table_id)
        try:
            facts = await self._inspect(as_found(source))
        except (NotFound, Invalid, Gone) as error:
            # Who may read a table need not know where it lies.
            reason = error.message.replace(source.location, "its location")
            await self._threads.run(lambda: self._mark(table_id, reason))
            raise
        return await self._threads.run(lambda: self._observe(table_id, facts))

    async def source(self, table_id: int, version: int | None = None) -> Source:
        """The table as a worker opens it.

        :raises NotFound: the actor sees no such table.
        :raises Forbidden: the actor may only browse it.
        """

        def work() -> TableRow:
            with self._begin(self._actor) as unit:
                return readable(unit, table_id)

        table = await self._threads.run(work)
        return in_zone(source_of(table, version), self._deps.settings.session_timezone)

    async def stream(
        self, table_id: int, out: str, version: int | None = None, timestamp: str | None = None
    ) -> PageInfo:
        """Write the whole table, as it is or was, to the Arrow file ``out``.

        :raises NotFound: the actor sees no such table.
        :raises Forbidden: the actor may only browse it.
        """
        source = replace(await self.source(table_id, version), timestamp=timestamp)
        info: PageInfo = await self._work(StreamJob(source=source, out=out))
        return info

    async def history(self, table_id: int, *, limit: int = 100) -> HistoryInfo:
        """The table's commits, newest first.

        :raises NotFound: the actor sees no such table.
        :raises Forbidden: the actor may only browse it.
        """
        source = await self.source(table_id)
        info: HistoryInfo = await self._work(HistoryJob(source=source, limit=limit))
        return info

    async def edits(self, table_id: int, *, limit: int = 100) -> tuple[Edit, ...]:
        """Who changed what the catalog says of a table, newest first, as far as it is kept.

        :raises NotFound: the actor sees no such table.
        :raises Forbidden: the actor may only browse it.
        """

        def work() -> tuple[Edit, ...]:
            with self._begin(self._actor) as unit:
                return unit.changes.edits(readable(unit, table_id).id, limit)

        return await self._threads.run(work)

    def _get(self, table_id: int) -> TableRow:
        with self._begin(self._actor) as unit:
            return unit.tables.get(table_id)

    def _check_place(self, spec: WriteSpec, location: str) -> str:
        with self._begin(self._actor) as unit:
            find_target(unit, spec)
        if not storable(location):
            raise NotFound("file", repr(location))
        place = self._deps.storage.check_external(location)
        if self._deps.storage.owns(place):
            # Otherwise registering a managed folder would pass by its table's grants.
            raise Invalid(
                f"{location} lies in the catalog's own storage.",
                hint="Register folders outside it; a dropped table comes back by UNDROP.",
            )
        with self._begin(self._actor) as unit:
            check_unclaimed(unit, place)
        return place

    def _register(self, spec: WriteSpec, place: str, facts: TableFacts) -> TableRow:
        with self._begin(self._actor, write=True) as unit:
            target = find_target(unit, spec)
            table_id = unit.securables.insert(
                "table",
                target.schema.id,
                target.name,
                by=self._actor.name,
                at=unit.now,
                description=spec.description,
            )
            unit.tables.insert(table_id, table_type="external", format=facts.format, location=place)
            unit.tables.record(table_id, facts, data_changed=True, at=unit.now)
            table = unit.tables.get(table_id)
            unit.record(TableCreated(*identity(table)))
            return table

    def _mark(self, table_id: int, reason: str) -> None:
        with self._begin(self._actor, write=True) as unit:
            if unit.tables.find(table_id):
                unit.tables.mark_broken(table_id, reason)

    def _observe(self, table_id: int, facts: TableFacts) -> TableRow:
        with self._begin(self._actor, write=True) as unit:
            return observe(unit, unit.tables.get(table_id), facts)

    async def _inspect(self, source: Source) -> TableFacts:
        facts: TableFacts = await self._work(InspectJob(source))
        return facts

    async def _work(self, job: Job) -> Any:
        return await self._deps.executor.run(
            job, job_id=str(uuid4()), deadline_s=self._deps.deadline_s
        )


def _by_ending(place: str) -> str:
    return _ENDINGS.get(place.lower().rpartition(".")[2], "delta")


def _may_undrop(unit: Unit, item: Dropped) -> bool:
    actor = unit.actor
    if actor.unrestricted or actor.name == item.owner:
        return True
    parent = unit.securables.find(item.parent_id)
    return parent is not None and parent.manages


def _schema_of(unit: Unit, item: Dropped) -> Node:
    """Where it hung, else the schema that has that name now if the actor manages it."""
    parent = unit.everything.securables.find(item.parent_id)
    if parent is not None:
        return parent
    schema = unit.securables.schema(item.path[0], item.path[1])
    require(schema, MANAGE, "create a table in")
    return schema


def _restore(unit: Unit, item: Dropped) -> TableRow:
    schema = _schema_of(unit, item)
    table_id = unit.securables.insert(
        "table",
        schema.id,
        item.path[-1],
        by=unit.actor.name,
        at=unit.now,
        owner=item.owner,
        description=item.snapshot["description"],
    )
    unit.tables.restore(table_id, item.snapshot["table"])
    unit.dropped.delete(item.id)
    if item.purge_run_id is not None:
        unit.everything.runs.cancel(item.purge_run_id, now=unit.now)
    table = unit.tables.get(table_id)
    unit.record(TableCreated(*identity(table)))
    return table
