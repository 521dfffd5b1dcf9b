"""Reading ``CREATE TABLE … LIKE``: a table of another's columns, without its rows."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from flowcat_jupyter.catalog.planning.asides import replaces
from flowcat_jupyter.catalog.planning.formats import LAKES
from flowcat_jupyter.catalog.planning.properties import read_properties
from flowcat_jupyter.catalog.planning.refusals import only, refuse, shown, target_name
from flowcat_jupyter.shared.names import TableName
from flowcat_jupyter.sql.dialect import Piece

_WHAT = "CREATE TABLE … LIKE"
_CALLED: dict[type[exp.Expression], str] = {
    exp.LocationProperty: "LOCATION",
    exp.SchemaCommentProperty: "COMMENT",
    exp.PartitionedByProperty: "PARTITIONED BY",
    exp.ExternalProperty: "EXTERNAL",
    exp.TemporaryProperty: "TEMPORARY",
}


@dataclass(frozen=True)
class CreateLike:
    """``CREATE TABLE [IF NOT EXISTS] name LIKE other [USING …] [TBLPROPERTIES (…)]``.

    ``format`` None is the other's.
    """

    piece: Piece
    name: TableName
    other: TableName
    source: exp.Table
    if_not_exists: bool = False
    format: str | None = None
    properties: dict[str, str] = field(default_factory=dict)


def read_like(piece: Piece, tree: exp.Create) -> CreateLike | None:
    """The table that a statement makes like another; None if it makes another one.

    :raises SqlError: a part of it is not supported.
    """
    properties = tree.args.get("properties")
    items: list[exp.Expression] = properties.expressions if properties else []
    other = next((item for item in items if isinstance(item, exp.LikeProperty)), None)
    if other is None:
        return None
    only(piece, tree, ("this", "kind", "exists", "properties"), {"replace": "OR REPLACE"}, _WHAT)
    only(piece, other, ("this",), {"expressions": "INCLUDING or EXCLUDING"}, _WHAT)
    if replaces(piece):
        refuse(piece, "REPLACE TABLE … LIKE", hint="Drop the table first.")
    if isinstance(tree.this, exp.Schema):
        refuse(piece, f"{_WHAT} with a list of columns", hint="Leave the list or LIKE out.")
    format = None
    for item in items:
        if isinstance(item, exp.FileFormatProperty):
            format = str(item.this.name).casefold()
            if format not in LAKES:
                hint = f"Tables are made USING {' or '.join(LAKES)}."
                refuse(piece, f"{_WHAT} USING {shown(item.this)}", hint=hint)
        elif type(item) is not exp.Property and item is not other:
            refuse(piece, f"{_WHAT} with {_CALLED.get(type(item), shown(item))}")
    return CreateLike(
        piece,
        target_name(piece, tree.this, "CREATE TABLE"),
        target_name(piece, other.this, _WHAT),
        other.this,
        bool(tree.args.get("exists")),
        format,
        read_properties(
            piece, [i for i in items if type(i) is exp.Property], f"{_WHAT} … TBLPROPERTIES"
        ),
    )
