"""Statements that change what the catalog says of things: names and comments."""

from __future__ import annotations

from flowcat_jupyter.catalog.barrier import CHANGE, WriteSpec, strict_target
from flowcat_jupyter.catalog.describing import Words, describe
from flowcat_jupyter.catalog.editing import edit
from flowcat_jupyter.catalog.planning.alter import Comment, RenameTable
from flowcat_jupyter.catalog.store.rows import Node, TableRow
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import NotFound
from flowcat_jupyter.shared.names import TableName

Place = tuple[str, str]
"""The current catalog and schema."""


def edit_by_sql(unit: Unit, change: RenameTable | Comment, place: Place) -> None:
    """Rename or describe something.

    :raises NotFound: the actor sees nothing of that name.
    :raises Forbidden: the actor does not manage it.
    :raises AlreadyExists: the new name is taken.
    """
    if isinstance(change, RenameTable):
        _rename(unit, change, place)
    elif change.what == "COLUMN":
        *table, column = change.name
        words = Words(comments={column: change.text or ""})
        words.check()
        describe(unit, _table(unit, TableName(tuple(table)), place), words)
    else:
        edit(unit, _named(unit, change, place), description=change.text)


def _rename(unit: Unit, change: RenameTable, place: Place) -> None:
    table = _table(unit, change.name, place)
    *above, name = change.to.parts
    parent = table.parent_id
    if above:
        parent = unit.securables.schema(*(place[0], *above)[-2:]).id
    edit(unit, table, name=name, parent_id=parent)


def _named(unit: Unit, change: Comment, place: Place) -> Node | TableRow:
    if change.what == "CATALOG":
        return unit.securables.catalog(change.name[0])
    if change.what == "SCHEMA":
        return unit.securables.schema(*(place[0], *change.name)[-2:])
    return _table(unit, TableName(change.name), place)


def _table(unit: Unit, name: TableName, place: Place) -> TableRow:
    table = strict_target(unit, WriteSpec(name, CHANGE, *place)).table
    if table is None:
        raise NotFound("table", name.sql)
    return table
