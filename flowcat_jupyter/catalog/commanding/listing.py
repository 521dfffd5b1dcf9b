"""SHOW CATALOGS, SCHEMAS, TABLES, VIEWS, COLUMNS and FUNCTIONS."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from flowcat_jupyter.catalog.commanding.details import information
from flowcat_jupyter.catalog.commanding.patterns import pattern
from flowcat_jupyter.catalog.commanding.rows import Rows, Value, named, texts
from flowcat_jupyter.catalog.commanding.scene import Scene
from flowcat_jupyter.catalog.planning.showing import SYSTEM, USER, Show
from flowcat_jupyter.catalog.store.rows import Node
from flowcat_jupyter.shared.errors import NotFound, SqlError
from flowcat_jupyter.shared.names import TableName, name_key
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.sql import functions

GLOBAL = "global_temp"
"""The schema that views of all of an actor's sessions are in."""


def show_catalogs(scene: Scene, statement: Show) -> Rows:
    """The catalogs the caller sees."""
    names = [node.name for node in scene.children(None)]
    return named("catalog", names, pattern(statement.like))


def show_schemas(scene: Scene, statement: Show) -> Rows:
    """The schemas of a catalog.

    :raises NotFound: the caller sees no such catalog.
    """
    if len(statement.within) > 1:
        raise NotFound("catalog", TableName(statement.within).sql)
    catalog = scene.unit.securables.catalog(*(statement.within or (scene.catalog,)))
    names = [node.name for node in scene.children(catalog.id)]
    return named("namespace", names, pattern(statement.like))


def show_tables(scene: Scene, statement: Show) -> Rows:
    """The tables and views of a schema, then the session's temporary views.

    :raises NotFound: the caller sees no such schema.
    """
    rows = _relations(scene, statement, lambda node: node.kind in ("table", "view"))
    return Rows(_flagged("tableName"), tuple(rows))


def show_views(scene: Scene, statement: Show) -> Rows:
    """The views of a schema, then the session's temporary views.

    :raises NotFound: the caller sees no such schema.
    """
    rows = _relations(scene, statement, lambda node: node.kind == "view")
    return Rows(_flagged("viewName"), tuple(rows))


def show_extended(scene: Scene, statement: Show) -> Rows:
    """The tables of a schema with what there is to say of each.

    :raises NotFound: the caller sees no such schema.
    """
    fits = pattern(statement.like)
    schema = scene.schema_node(statement.within)
    rows = [
        (schema.name, node.name, False, information(scene.unit.tables.get(node.id), scene.zone))
        for node in scene.children(schema.id)
        if node.kind == "table" and fits(node.name)
    ]
    return Rows((*_flagged("tableName"), *texts("information")), tuple(rows))


def show_columns(scene: Scene, statement: Show) -> Rows:
    """A table's columns.

    :raises SqlError: there is no such table, or it is said to be in two schemas.
    """
    name = statement.within
    if statement.schema:
        name = _in_schema(name, statement.schema)
    table = scene.table(name)
    return named("col_name", [column.name for column in table.columns], pattern(statement.like))


def show_functions(scene: Scene, statement: Show) -> Rows:
    """The functions that run, and with USER those that people made.

    :raises NotFound: the caller sees no such schema.
    """
    found: set[str] = set()
    if statement.scope != USER:
        found.update(functions.names())
    if statement.scope != SYSTEM:
        schema = scene.schema_node(statement.within)
        found.update(
            schema_function.name
            for schema_function in scene.children(schema.id)
            if schema_function.kind == "function"
        )
    return named("function", sorted(found, key=name_key), pattern(statement.like))


def show_current(scene: Scene, _statement: Show) -> Rows:
    """The current catalog and schema."""
    return Rows(texts("catalog", "namespace"), ((scene.catalog, scene.schema),))


def _relations(
    scene: Scene, statement: Show, wanted: Callable[[Node], bool]
) -> Iterable[tuple[Value, ...]]:
    fits = pattern(statement.like)
    if [name_key(part) for part in statement.within] == [GLOBAL]:
        names = sorted(filter(fits, scene.session.global_views))
        yield from ((GLOBAL, name, True) for name in names)
    else:
        schema = scene.schema_node(statement.within)
        nodes = scene.children(schema.id)
        yield from (
            (schema.name, node.name, False) for node in nodes if wanted(node) and fits(node.name)
        )
    yield from (("", name, True) for name in sorted(filter(fits, scene.session.views)))


def _flagged(heading: str) -> tuple[Column, ...]:
    return (*texts("namespace", heading), Column("isTemporary", "boolean", nullable=False))


def _in_schema(name: tuple[str, ...], schema: tuple[str, ...]) -> tuple[str, ...]:
    """A table's name with the schema that is said beside it."""
    said = tuple(map(name_key, name[:-1]))
    if said and said != tuple(map(name_key, schema))[-len(said) :]:
        raise SqlError(
            f"The table is said to be in {TableName(schema).sql} and in "
            f"{TableName(name[:-1]).sql}.",
            condition="SHOW_COLUMNS_WITH_CONFLICT_NAMESPACE",
            sqlstate="42K05",
            hint="Name the schema once.",
        )
    return (*schema, name[-1])
