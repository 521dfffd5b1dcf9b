"""SHOW CATALOGS, SCHEMAS, TABLES, VIEWS, COLUMNS and FUNCTIONS."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from flowcat_jupyter.catalog.commanding.details import information
from flowcat_jupyter.catalog.commanding.patterns import pattern
from flowcat_jupyter.catalog.commanding.rows import Rows, Value, named, texts
from flowcat_jupyter.catalog.commanding.scene import Scene
from flowcat_jupyter.catalog.planning.functions import FunctionText
from flowcat_jupyter.catalog.planning.showing import SYSTEM, USER, Show
from flowcat_jupyter.catalog.planning.views import GLOBAL_TEMP
from flowcat_jupyter.catalog.sql_sessions import Views
from flowcat_jupyter.catalog.store.rows import FunctionRow, Node
from flowcat_jupyter.shared.errors import NotFound, SqlError
from flowcat_jupyter.shared.names import TableName, name_key
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.sql import functions


def show_catalogs(scene: Scene, statement: Show) -> Rows:
    """The catalogs the caller sees."""
    names = [node.name for node in scene.children(None)]
    known = set(map(name_key, names))
    names += [name for name in sorted(scene.others) if name_key(name) not in known]
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
    """The tables and views of a schema with what there is to say of each.

    :raises NotFound: the caller sees no such schema.
    """
    fits = pattern(statement.like)
    schema = scene.schema_node(statement.within)
    rows: list[tuple[Value, ...]] = []
    for node in scene.children(schema.id):
        if node.kind in ("table", "view") and fits(node.name):
            found = scene.unit.tables if node.kind == "table" else scene.unit.views
            rows.append(
                (schema.name, node.name, False, information(found.get(node.id), scene.zone))
            )
    for view in scene.session.views.values():
        if fits(view.path[-1]):
            rows.append(("", view.path[-1], True, information(view, scene.zone)))
    return Rows((*_flagged("tableName"), *texts("information")), tuple(rows))


def show_columns(scene: Scene, statement: Show) -> Rows:
    """A table's columns.

    :raises SqlError: there is no such table, or it is said to be in two schemas.
    """
    name = statement.within
    if statement.schema:
        name = _in_schema(name, statement.schema)
    table = scene.relation(name)
    return named("col_name", [column.name for column in table.columns], pattern(statement.like))


def show_functions(scene: Scene, statement: Show) -> Rows:
    """The functions that run, and with USER those that people made.

    :raises NotFound: the caller sees no such schema.
    """
    fits = pattern(statement.like)
    found: set[str] = set()
    if statement.scope != USER:
        found.update(filter(fits, functions.names()))
    if statement.scope != SYSTEM:
        made = list(_made_functions(scene, statement))
        found.update(function.sql_name for function in made if fits(function.path[-1]))
    return named("function", sorted(found, key=name_key), lambda _name: True)


def _made_functions(scene: Scene, statement: Show) -> Iterable[FunctionText | FunctionRow]:
    """The session's, then those of the schema, which are told by their full names."""
    yield from list(scene.session.functions.values())
    if not statement.within and name_key(scene.catalog) in map(name_key, scene.others):
        # The current catalog is one in which nobody makes functions.
        return
    schema = scene.schema_node(statement.within)
    yield from scene.unit.functions.beneath(schema.id)


def show_current(scene: Scene, _statement: Show) -> Rows:
    """The current catalog and schema."""
    return Rows(texts("catalog", "namespace"), ((scene.catalog, scene.schema),))


def _relations(
    scene: Scene, statement: Show, wanted: Callable[[Node], bool]
) -> Iterable[tuple[Value, ...]]:
    fits = pattern(statement.like)
    if [name_key(part) for part in statement.within] == [GLOBAL_TEMP]:
        for name in _temporary(scene.session.global_views, fits):
            yield GLOBAL_TEMP, name, True
    else:
        schema = scene.schema_node(statement.within)
        nodes = scene.children(schema.id)
        yield from (
            (schema.name, node.name, False) for node in nodes if wanted(node) and fits(node.name)
        )
    yield from (("", name, True) for name in _temporary(scene.session.views, fits))


def _temporary(views: Views, fits: Callable[[str], bool]) -> list[str]:
    names = (view.path[-1] for view in list(views.values()))
    return sorted(filter(fits, names), key=name_key)


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
