"""Completion of statements that change something, from a catalog of two schemas."""

from __future__ import annotations

import pytest

from tests.support.catalog import World


@pytest.fixture
async def catalog(world: World) -> World:
    """Tables ``worst`` and ``shops`` in the current schema, and ``worst`` in ``main.lab``."""
    await world.catalog().namespaces.create("lab", parent_id=(await world.schema())[0])
    for name in ("worst", "shops", "main.lab.worst"):
        await world.table(name)
    return world


async def proposed(world: World, text: str, kind: str | None = None) -> list[str]:
    """What is inserted at the bar, of one kind or of any."""
    position = text.index("|")
    found = await world.catalog().completion.complete(text.replace("|", ""), position)
    return [item.insert for item in found.items if kind in (None, item.kind)]


async def test_a_table_of_the_current_schema_is_proposed_once(catalog: World) -> None:
    assert await proposed(catalog, "INSERT INTO wor|") == ["worst", "main.lab.worst"]


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO sho|",
        "INSERT OVERWRITE sho|",
        "UPDATE sho|",
        "DELETE FROM sho|",
        "MERGE INTO worst USING sho|",
        "MERGE INTO sho|",
        "DROP TABLE sho|",
        "TRUNCATE TABLE sho|",
    ],
)
async def test_where_a_table_stands_nothing_else_is_proposed(catalog: World, text: str) -> None:
    assert await proposed(catalog, text) == ["shops"]


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO worst (|",
        "UPDATE worst SET |",
        "MERGE INTO worst USING shops s ON true WHEN MATCHED THEN UPDATE SET |",
        "MERGE INTO worst USING shops s ON true WHEN NOT MATCHED THEN INSERT (|",
    ],
)
async def test_columns_to_write_are_those_of_the_table(catalog: World, text: str) -> None:
    columns = [c.name for c in (await catalog.catalog().tables.resolve("worst")).columns]
    assert await proposed(catalog, text) == columns
    assert columns


async def test_conditions_take_columns_and_functions(catalog: World) -> None:
    columns = [c.name for c in (await catalog.catalog().tables.resolve("worst")).columns]
    for text in ("DELETE FROM worst WHERE |", "UPDATE worst SET a = |"):
        assert await proposed(catalog, text, "column") == columns
    merge = "MERGE INTO worst w USING main.lab.worst s ON s.|"
    assert await proposed(catalog, merge, "column") == columns


async def test_schemas_are_proposed_where_one_is_dropped(catalog: World) -> None:
    assert await proposed(catalog, "DROP SCHEMA la|") == ["lab"]
    assert await proposed(catalog, "DROP SCHEMA main.la|") == ["lab"]
    assert await proposed(catalog, "DROP SCHEMA default.|") == []
    assert await proposed(catalog, "CREATE SCHEMA ma|") == ["main"]


async def test_words_go_on_as_the_statement_does(catalog: World) -> None:
    assert await proposed(catalog, "CREATE TABLE x PARTI|") == ["PARTITIONED BY"]
    assert await proposed(catalog, "INSERT INTO worst BY|") == ["BY NAME"]
    assert await proposed(catalog, "MER|") == ["MERGE INTO"]
