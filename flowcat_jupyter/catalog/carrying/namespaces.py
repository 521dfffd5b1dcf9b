"""CREATE SCHEMA, DROP, renames and comments: what changes the catalog alone."""

from __future__ import annotations

from flowcat_jupyter.catalog.barrier import WriteSpec, strict_target
from flowcat_jupyter.catalog.carrying.carrier import Carrier
from flowcat_jupyter.catalog.carrying.done import Done
from flowcat_jupyter.catalog.carrying.edits import edit_by_sql
from flowcat_jupyter.catalog.carrying.session_views import drop_temporary
from flowcat_jupyter.catalog.dropping import drop_table
from flowcat_jupyter.catalog.namespaces import create_namespace, drop_namespace
from flowcat_jupyter.catalog.planning.alter import Comment, RenameTable
from flowcat_jupyter.catalog.planning.writes import CreateSchema, Drop
from flowcat_jupyter.catalog.sql_commits import Asking
from flowcat_jupyter.catalog.store.rows import Node, TableRow
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.catalog.viewing import refuse_view
from flowcat_jupyter.shared.errors import AlreadyExists, Invalid, NotFound
from flowcat_jupyter.shared.names import TableName


async def edit_words(carrier: Carrier, change: RenameTable | Comment) -> Done:
    """Rename or describe something."""
    kind = "COMMENT ON " + change.what if isinstance(change, Comment) else "ALTER TABLE"

    def work() -> None:
        with carrier.begin(carrier.actor, write=True) as unit:
            edit_by_sql(unit, change, carrier.place)

    try:
        carrier.asking.check()
        await carrier.threads.run(work)
    except NotFound as error:
        if isinstance(change, Comment) or not change.if_exists:
            raise
        return Done(kind, warnings=(error.message,), changed=False)
    return Done(kind)


async def create_schema(carrier: Carrier, change: CreateSchema) -> Done:
    """Make a schema."""
    *above, name = change.name
    if len(above) > 1:
        raise Invalid(
            f"{TableName(change.name).sql} has more parts than a schema's name.",
            condition="REQUIRES_SINGLE_PART_NAMESPACE",
            sqlstate="42K05",
            hint="Write catalog.schema.",
        )

    def work() -> None:
        with carrier.begin(carrier.actor, write=True) as unit:
            catalog = unit.securables.catalog(above[0] if above else carrier.asking.catalog)
            create_namespace(unit, name, catalog.id, change.comment)

    try:
        carrier.asking.check()
        await carrier.threads.run(work)
    except AlreadyExists as error:
        if not change.if_not_exists:
            raise
        return Done("CREATE SCHEMA", warnings=(error.message,), changed=False)
    return Done("CREATE SCHEMA")


async def drop(carrier: Carrier, change: Drop) -> Done:
    """Drop a table or a schema."""

    def work() -> None:
        with carrier.begin(carrier.actor, write=True) as unit:
            if change.what == "SCHEMA":
                schema = _schema(unit, change.name, carrier.asking)
                drop_namespace(unit, schema, cascade=change.cascade)
            else:
                refuse_view(unit, change.name, carrier.place)
                drop_table(unit, _table(unit, change.name, carrier.asking))

    # As Spark has it, this drops a temporary view that hides a table.
    if change.what == "TABLE" and drop_temporary(carrier, change.name):
        return Done("DROP TABLE", note="A temporary view was dropped.")
    try:
        carrier.asking.check()
        await carrier.threads.run(work)
    except NotFound as error:
        if not change.if_exists:
            raise
        return Done(f"DROP {change.what}", warnings=(error.message,), changed=False)
    return Done(f"DROP {change.what}")


def _schema(unit: Unit, name: tuple[str, ...], asking: Asking) -> Node:
    if len(name) > 2:
        raise NotFound("schema", TableName(name).sql)
    return unit.securables.schema(*(asking.catalog, *name)[-2:])


def _table(unit: Unit, name: tuple[str, ...], asking: Asking) -> TableRow:
    """The table of that name; as for a write, it is not looked for in other schemas."""
    spec = WriteSpec(TableName(name), "append", asking.catalog, asking.schema)
    table = strict_target(unit, spec).table
    if table is None:
        raise NotFound("table", TableName(name).sql)
    return table
