"""SHOW and DESCRIBE of what a provider has."""

from __future__ import annotations

from flowcat_jupyter.catalog.commanding.logs import read_history
from flowcat_jupyter.catalog.commanding.making import type_text
from flowcat_jupyter.catalog.commanding.patterns import pattern
from flowcat_jupyter.catalog.commanding.rows import Read, Rows, Value, named, texts
from flowcat_jupyter.catalog.commanding.tables import (
    columns_heading,
    listed_columns,
    one_column,
)
from flowcat_jupyter.catalog.planning import describing
from flowcat_jupyter.catalog.planning.describing import Describe
from flowcat_jupyter.catalog.planning.showing import Show
from flowcat_jupyter.catalog.providers.protocol import (
    TABLE,
    VIEW,
    Asker,
    Provider,
    RelationFacts,
)
from flowcat_jupyter.shared.errors import NotFound, SqlError
from flowcat_jupyter.shared.names import TableName, name_key, quote, text_literal
from flowcat_jupyter.shared.types import parse_type
from flowcat_jupyter.shared.wire import Column

_LISTS = ("TABLES", "TABLE EXTENDED", "VIEWS")


async def shown(
    provider: Provider, asker: Asker, statement: Show | Describe, path: tuple[str, ...]
) -> Rows | Read:
    """The rows of a statement about ``path``: names within the provider's catalog, fewest first.

    :raises NotFound: there is nothing of that name.
    :raises SqlError: the statement tells nothing of such a catalog.
    """
    if isinstance(statement, Describe):
        return await _described(provider, asker, statement, path)
    if statement.what == "SCHEMAS":
        names = [schema.name for schema in await provider.schemas(asker)]
        return named("namespace", names, pattern(statement.like))
    if statement.what in _LISTS:
        return _listed(statement, await provider.relations(asker, path[0]), asker)
    found = await provider.relation(asker, path[0], path[1])
    if statement.what == "COLUMNS":
        names = [column.name for column in found.columns]
        return named("col_name", names, pattern(statement.like))
    if statement.what == "TBLPROPERTIES":
        return _properties(statement, found)
    if statement.what == "CREATE TABLE" and provider.writable:
        return Rows(texts("createtab_stmt"), ((_create(found),),))
    raise _refused(f"SHOW {statement.what}", provider)


def _listed(statement: Show, found: tuple[RelationFacts, ...], asker: Asker) -> Rows:
    fits = pattern(statement.like)
    wanted = (VIEW,) if statement.what == "VIEWS" else (TABLE, VIEW)
    rows: list[tuple[Value, ...]] = []
    for facts in found:
        if facts.kind in wanted and fits(facts.path[-1]):
            row: tuple[Value, ...] = (facts.path[1], facts.path[-1], False)
            rows.append((*row, _information(facts)) if statement.what == "TABLE EXTENDED" else row)
    heading = "viewName" if statement.what == "VIEWS" else "tableName"
    columns = (*texts("namespace", heading), Column("isTemporary", "boolean", nullable=False))
    if statement.what == "TABLE EXTENDED":
        return Rows((*columns, *texts("information")), tuple(rows))
    views = sorted(view.path[-1] for view in list(asker.session.views.values()))
    rows += [("", name, True) for name in views if fits(name)]
    return Rows(columns, tuple(rows))


async def _described(
    provider: Provider, asker: Asker, statement: Describe, path: tuple[str, ...]
) -> Rows | Read:
    if statement.what == describing.CATALOG:
        return _facts([("Catalog Name", provider.name), ("Comment", ""), ("Owner", "")])
    if statement.what == describing.SCHEMA:
        return await _described_schema(provider, asker, path[0])
    if statement.what == describing.HISTORY and provider.writable:
        return read_history((await provider.open(asker, path[0], path[1])).source, statement)
    if statement.what != describing.TABLE or statement.partition or statement.as_json:
        raise _refused(f"DESCRIBE {statement.what}", provider)
    return _described_table(await provider.relation(asker, path[0], path[1]), statement)


async def _described_schema(provider: Provider, asker: Asker, name: str) -> Rows:
    for schema in await provider.schemas(asker):
        if name_key(schema.name) == name_key(name):
            told = [("Catalog Name", provider.name), ("Namespace Name", schema.name)]
            return _facts([*told, ("Comment", schema.comment or ""), ("Owner", "")])
    raise NotFound("schema", TableName((provider.name, name)).sql)


def _described_table(found: RelationFacts, statement: Describe) -> Rows:
    if statement.column:
        return one_column(found.columns, TableName(found.path).sql, statement)
    rows = listed_columns(found.columns, found.partition_columns)
    if statement.extended:
        rows += [("", "", ""), ("# Detailed Table Information", "", "")]
        rows += [(name, value, "") for name, value in _details(found)]
    return Rows(columns_heading(), tuple(rows))


def _facts(facts: list[tuple[str, str]]) -> Rows:
    return Rows(texts("info_name", "info_value", nullable="info_value"), tuple(facts))


def _details(found: RelationFacts) -> list[tuple[str, str]]:
    catalog, schema, name = found.path
    facts = [("Catalog", catalog), ("Database", schema), ("Table", name)]
    facts += [("Type", "VIEW" if found.kind == VIEW else "MANAGED"), ("Provider", found.format)]
    return [*facts, ("Comment", found.comment)] if found.comment else facts


def _information(found: RelationFacts) -> str:
    return "".join(f"{name}: {value}\n" for name, value in _details(found))


def _properties(statement: Show, found: RelationFacts) -> Rows:
    rows = sorted(found.properties.items())
    if statement.key is not None:
        name = TableName(found.path).sql
        missing = f"Table {name} does not have property: {statement.key}"
        rows = [(statement.key, found.properties.get(statement.key, missing))]
    return Rows(texts("key", "value"), tuple(rows))


def _create(found: RelationFacts) -> str:
    listed = ",\n  ".join(
        f"{quote(c.name)} {type_text(parse_type(c.type))}"
        + ("" if c.nullable else " NOT NULL")
        + (f" COMMENT {text_literal(c.comment)}" if c.comment else "")
        for c in found.columns
    )
    lines = [f"CREATE TABLE {TableName(found.path).sql} (\n  {listed})", f"USING {found.format}"]
    if found.partition_columns:
        lines.append(f"PARTITIONED BY ({', '.join(map(quote, found.partition_columns))})")
    if found.comment:
        lines.append(f"COMMENT {text_literal(found.comment)}")
    return "\n".join(lines) + "\n"


def _refused(what: str, provider: Provider) -> SqlError:
    return SqlError(
        f"{what} tells nothing of the catalog {provider.name}.",
        condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
        sqlstate="0A000",
        hint="DESCRIBE and SHOW COLUMNS tell of its tables.",
    )
