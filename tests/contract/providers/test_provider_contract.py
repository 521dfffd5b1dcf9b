"""What every provider of a catalog promises, whatever it is wrapped in."""

from __future__ import annotations

import pytest

from flowcat_jupyter.catalog.providers.protocol import SchemaFacts
from flowcat_jupyter.shared.errors import AlreadyExists, Conflict, NotFound, SqlError
from flowcat_jupyter.shared.names import name_key
from tests.contract.providers.conftest import Subject


async def test_schemas_are_listed_by_name(subject: Subject) -> None:
    names = [schema.name for schema in await subject.provider.schemas(subject.asker)]
    assert subject.schema in names
    assert names == sorted(names, key=name_key)


async def test_tables_are_listed_by_name_with_their_full_names(subject: Subject) -> None:
    found = await subject.provider.relations(subject.asker, subject.schema.upper())
    paths = [facts.path for facts in found]
    assert (subject.provider.name, subject.schema, subject.table) in paths
    assert paths == sorted(paths, key=lambda path: name_key(path[-1]))


async def test_a_table_has_its_columns_whatever_the_case_of_its_name(subject: Subject) -> None:
    facts = await subject.provider.relation(
        subject.asker, subject.schema.title(), subject.table.upper()
    )
    assert facts.path == (subject.provider.name, subject.schema, subject.table)
    assert facts.columns
    assert facts.format


async def test_a_table_is_opened_as_exactly_one_source(subject: Subject) -> None:
    opened = await subject.provider.open(subject.asker, subject.schema, subject.table)
    assert opened.facts.path == (subject.provider.name, subject.schema, subject.table)
    assert opened.source.kind in ("table", "inline")
    assert opened.source.location
    assert (opened.passing is None) == (opened.source.kind == "table")


async def test_what_is_not_there_is_not_found(subject: Subject) -> None:
    provider, asker = subject.provider, subject.asker
    for asked in (
        provider.relations(asker, "nope"),
        provider.relation(asker, subject.schema, "nope"),
        provider.relation(asker, "nope", subject.table),
        provider.open(asker, subject.schema, "nope"),
    ):
        with pytest.raises(NotFound):
            await asked


async def test_what_can_be_written_is_seen_at_once(subject: Subject) -> None:
    provider, asker = subject.provider, subject.asker
    await provider.schemas(asker)
    if not provider.writable:
        for refused in (
            provider.create_schema(asker, SchemaFacts("made")),
            provider.drop_schema(asker, subject.schema, cascade=True),
            provider.drop_table(asker, subject.schema, subject.table),
        ):
            with pytest.raises(SqlError, match="can only be read"):
                await refused
        return
    await provider.create_schema(asker, SchemaFacts("Made", "by a test"))
    assert SchemaFacts("Made", "by a test") in await provider.schemas(asker)
    with pytest.raises(AlreadyExists):
        await provider.create_schema(asker, SchemaFacts("mADE"))
    with pytest.raises(Conflict):
        await provider.drop_schema(asker, subject.schema, cascade=False)
    await provider.drop_table(asker, subject.schema, subject.table)
    assert await provider.relations(asker, subject.schema) == ()
    with pytest.raises(NotFound):
        await provider.drop_table(asker, subject.schema, subject.table)
    await provider.drop_schema(asker, "made", cascade=False)
    assert "Made" not in [schema.name for schema in await provider.schemas(asker)]
    with pytest.raises(NotFound):
        await provider.drop_schema(asker, "made", cascade=False)
