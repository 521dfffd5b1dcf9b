"""The catalog ``system``: what the server is doing, as tables that can only be read."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import uuid4

from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.providers.protocol import (
    TABLE,
    Asker,
    OpenedTable,
    RelationFacts,
    SchemaFacts,
    read_only,
)
from flowcat_jupyter.catalog.providers.system_rows import Look
from flowcat_jupyter.catalog.providers.system_tables import TABLES, SystemTable
from flowcat_jupyter.shared.errors import NotFound
from flowcat_jupyter.shared.names import TableName, name_key
from flowcat_jupyter.shared.wire import Source, ValuesJob

NAME = "system"
_COMMENTS = {
    "session": "This session, and the others.",
    "execution": "What runs.",
    "telemetry": "What is counted.",
    "runtime": "What the product is made of.",
    "information_schema": "What is in the catalogs.",
}


class SystemProvider:
    """The catalog ``system``; every caller finds in it what that caller may know."""

    name = NAME
    writable = False

    def __init__(self, deps: Deps) -> None:
        """Tell of the server that has these parts."""
        self._deps = deps

    async def schemas(self, _asker: Asker) -> tuple[SchemaFacts, ...]:
        """The same for everybody."""
        return tuple(SchemaFacts(name, _COMMENTS[name]) for name in sorted(_COMMENTS))

    async def relations(self, _asker: Asker, schema: str) -> tuple[RelationFacts, ...]:
        """The same for everybody."""
        found = [table for table in TABLES if name_key(table.schema) == name_key(schema)]
        if not found:
            raise NotFound("schema", TableName((NAME, schema)).sql)
        return tuple(map(_facts, sorted(found, key=lambda table: table.name)))

    async def relation(self, _asker: Asker, schema: str, name: str) -> RelationFacts:
        """The same for everybody."""
        return _facts(_table(schema, name))

    async def open(self, asker: Asker, schema: str, name: str) -> OpenedTable:
        """The table's rows as of now, in a file for one statement."""
        table = _table(schema, name)

        files = self._deps.results.files
        path, lines = files.new_path(), files.new_path()
        names = tuple(column.name for column in table.columns)
        job = ValuesJob(table.columns, (), str(path), names=names, file=str(lines))
        try:
            # In a file: as a part of the job they would keep the event loop for seconds.
            await self._deps.threads.run(lambda: self._write(table, asker, lines))
            await self._deps.executor.run(
                job, job_id=f"system-{uuid4().hex}", deadline_s=self._deps.deadline_s
            )
        except BaseException:
            files.remove(path)
            raise
        finally:
            files.remove(lines)
        facts = _facts(table)
        return OpenedTable(facts, Source("", "inline", facts.path, NAME, str(path)), path)

    def _write(self, table: SystemTable, asker: Asker, lines: Path) -> None:
        """Write the rows as they are now, a list on each line."""
        with (
            self._deps.begin(asker.actor) as unit,
            lines.open("w", encoding="utf-8") as file,
        ):
            for row in table.rows(Look(unit, self._deps, asker)):
                file.write(f"{json.dumps(row, allow_nan=False)}\n")

    async def create_schema(self, _asker: Asker, _schema: SchemaFacts) -> None:
        """Refused."""
        raise read_only(NAME, "CREATE SCHEMA")

    async def drop_schema(self, _asker: Asker, _schema: str, *, cascade: bool) -> None:
        """Refused."""
        raise read_only(NAME, "DROP SCHEMA … CASCADE" if cascade else "DROP SCHEMA")

    async def drop_table(self, _asker: Asker, _schema: str, _name: str) -> None:
        """Refused."""
        raise read_only(NAME, "DROP TABLE")


def _table(schema: str, name: str) -> SystemTable:
    for table in TABLES:
        if (name_key(table.schema), name_key(table.name)) == (name_key(schema), name_key(name)):
            return table
    raise NotFound(
        "table",
        TableName((NAME, schema, name)).sql,
        hint=f"SHOW TABLES IN {NAME}.{schema} lists what there is.",
    )


def _facts(table: SystemTable) -> RelationFacts:
    path = (NAME, table.schema, table.name)
    return RelationFacts(path, TABLE, NAME, table.columns, table.comment)
