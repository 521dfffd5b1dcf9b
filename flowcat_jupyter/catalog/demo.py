"""The demo catalog: real flight records, imported like any user's files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from flowcat_jupyter.catalog.importing import ImportSpec
from flowcat_jupyter.catalog.services.imports import ImportTarget
from flowcat_jupyter.catalog.session import Catalog
from flowcat_jupyter.catalog.store.rows import Node, Run
from flowcat_jupyter.shared.errors import AlreadyExists
from flowcat_jupyter.shared.names import name_key

CATALOG, SCHEMA = "demo", "nyc"
_CATALOG_TEXT = "Data to try things on; remove it with flowcat demo --remove"
_SCHEMA_TEXT = "All flights that left New York City in 2013, with airlines, airports and weather"
_TABLES = {
    "airlines": "Airline names by carrier code",
    "airports": "Airports: place, altitude and time zone",
    "flights": "Real flights leaving New York in 2013",
    "planes": "Aircraft by tail number",
    "weather": "Hourly weather at the three airports of New York",
}


async def load_demo(catalog: Catalog, files: Sequence[tuple[str, Path]]) -> list[Run]:
    """Begin to import each table of the demo that is not there yet; answer the runs.

    ``files`` are tables' names with the files they come from.

    :raises Forbidden: the actor may not make a catalog.
    """
    await _make_schema(catalog)
    runs: list[Run] = []
    for table, path in files:
        try:
            target = ImportTarget(f"{CATALOG}.{SCHEMA}.{table}", description=_TABLES.get(table))
            run = await catalog.imports.start(
                target,
                ImportSpec((str(path),)),
                origin={"demo": "1"},
            )
        except AlreadyExists:
            continue
        runs.append(run)
    return runs


async def remove_demo(catalog: Catalog) -> None:
    """Drop the demo catalog with all that is in it; none there is no error."""
    demo = await _catalog(catalog)
    if demo is not None:
        await catalog.namespaces.drop(demo.id, cascade=True)


async def is_loaded(catalog: Catalog) -> bool:
    """Whether there is a demo catalog that the actor sees."""
    return await _catalog(catalog) is not None


async def _catalog(catalog: Catalog) -> Node | None:
    page = await catalog.namespaces.tree(q=CATALOG, limit=1000)
    return next((node for node in page.items if name_key(node.name) == CATALOG), None)


async def _make_schema(catalog: Catalog) -> None:
    spaces = catalog.namespaces
    demo = await _catalog(catalog)
    if demo is None:
        demo = await spaces.create(CATALOG, description=_CATALOG_TEXT)
    page = await spaces.tree(demo.id, q=SCHEMA, limit=1000)
    if not any(name_key(node.name) == SCHEMA for node in page.items):
        await spaces.create(SCHEMA, parent_id=demo.id, description=_SCHEMA_TEXT)
