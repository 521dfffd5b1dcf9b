"""Where a session's names are looked for, once a statement has said so."""

from __future__ import annotations

from flowcat_jupyter.catalog.planning.current import CATALOG, Use
from flowcat_jupyter.catalog.planning.places import place
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import NotFound, SqlError
from flowcat_jupyter.shared.names import TableName
from flowcat_jupyter.shared.schema import ROOT_ID


def place_used(unit: Unit, use: Use, now: tuple[str, str], default_schema: str) -> tuple[str, str]:
    """The catalog and schema that are current after a statement, ``now`` being so before it.

    A name alone is a schema of the current catalog, or else a catalog; of a catalog it is the
    default schema that is taken, or its first.

    :raises SqlError: the actor sees no such schema or catalog.
    """
    try:
        return _used(unit, use, now, default_schema)
    except NotFound as error:
        raise SqlError.of(error, place=place(use.piece, use.start)) from error


def _used(unit: Unit, use: Use, now: tuple[str, str], default_schema: str) -> tuple[str, str]:
    *above, name = use.name
    if use.what == CATALOG:
        return _catalog(unit, name, default_schema)
    catalog = unit.securables.catalog(above[0] if above else now[0])
    schema = unit.securables.child(catalog.id, "schema", name)
    if schema is not None:
        return catalog.name, schema.name
    if use.what is None and not above and unit.securables.child(ROOT_ID, "catalog", name):
        return _catalog(unit, name, default_schema)
    raise NotFound("schema", TableName((catalog.name, name)).sql)


def _catalog(unit: Unit, name: str, default_schema: str) -> tuple[str, str]:
    catalog = unit.securables.catalog(name)
    schema = unit.securables.child(catalog.id, "schema", default_schema)
    if schema is None:
        page = unit.securables.children(catalog.id, limit=1)
        schema = page.items[0] if page.items else None
    return catalog.name, schema.name if schema else default_schema
