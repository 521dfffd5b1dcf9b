"""``ALTER TABLE`` of what a table is: constraints, NOT NULL, defaults, properties, columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from flowcat_jupyter.catalog.planning.default_values import default_text
from flowcat_jupyter.catalog.planning.definitions import (
    LENGTHS,
    column_type,
    condition_of,
    listed_columns,
)
from flowcat_jupyter.catalog.planning.properties import property_name, read_properties
from flowcat_jupyter.catalog.planning.refusals import column_names, only, refuse, shown
from flowcat_jupyter.catalog.planning.words import Reader, Word, says
from flowcat_jupyter.shared.names import TableName
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.sql.dialect import Piece, parse_statement

_WHAT = "ALTER TABLE"


@dataclass(frozen=True)
class Redefine:
    """A change of what a table's log says of it, its rows left as they are.

    ``what`` is the history's word for it. ``checks`` are conditions to be held from now on, by
    name; in the others None takes away, which with ``lenient`` may not be there.
    """

    piece: Piece
    name: TableName
    what: str
    checks: dict[str, exp.Expression] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()
    properties: dict[str, str | None] = field(default_factory=dict)
    defaults: dict[str, str | None] = field(default_factory=dict)
    required: dict[str, bool] = field(default_factory=dict)
    if_exists: bool = False
    lenient: bool = False


@dataclass(frozen=True)
class Reshape:
    """A change of a table's columns for which its rows are written again.

    ``places`` says of columns which one they come after, None for the first place. ``replaced``
    are all columns that are left, found by their names. With ``lenient`` what is dropped may not
    be there.
    """

    piece: Piece
    name: TableName
    what: str
    added: tuple[Column, ...] = ()
    dropped: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    types: tuple[tuple[str, str], ...] = ()
    comments: tuple[tuple[str, str], ...] = ()
    places: tuple[tuple[str, str | None], ...] = ()
    replaced: tuple[Column, ...] | None = None
    if_exists: bool = False
    lenient: bool = False


Found = Redefine | Reshape | None
_Read = Callable[[Piece, TableName, Any, bool], Found]


def read_action(piece: Piece, name: TableName, action: Any, exists: bool) -> Found:
    """What one action of an ``ALTER TABLE`` asks for; None if it is of another kind.

    :raises SqlError: a part of it is not supported.
    """
    read = _ACTIONS.get(type(action))
    return None if read is None else read(piece, name, action, exists)


def _add_constraint(
    piece: Piece, name: TableName, action: exp.AddConstraint, exists: bool
) -> Redefine:
    checks = {}
    for item in action.expressions:
        if not isinstance(item, exp.Constraint) or item.this is None:
            hint = "Name it: ADD CONSTRAINT name CHECK (…)."
            refuse(piece, f"{_WHAT} … ADD {shown(item)}", hint=hint)
        checks[item.name.lower()] = condition_of(piece, item)
    return Redefine(piece, name, "ADD CONSTRAINT", checks=checks, if_exists=exists)


def _drop(piece: Piece, name: TableName, action: exp.Drop, exists: bool) -> Found:
    kind = str(action.args.get("kind") or "").upper()
    lenient = bool(action.args.get("exists"))
    known = ("this", "kind", "exists", "tables")
    if kind == "CONSTRAINT":
        only(piece, action, known, {}, f"{_WHAT} … DROP CONSTRAINT")
        names = tuple(item.name.lower() for item in action.args["tables"])
        return Redefine(
            piece, name, "DROP CONSTRAINT", dropped=names, if_exists=exists, lenient=lenient
        )
    if kind not in ("COLUMN", "COLUMNS"):
        return None
    only(piece, action, known, {}, f"{_WHAT} … DROP {kind}")
    items = [
        part
        for item in action.args["tables"]
        for part in (item.expressions if isinstance(item, exp.Schema) else [item])
    ]
    names = column_names(piece, items, f"{_WHAT} … DROP {kind}")
    return Reshape(piece, name, "DROP COLUMNS", dropped=names, if_exists=exists, lenient=lenient)


def _rename(piece: Piece, name: TableName, action: exp.RenameColumn, exists: bool) -> Reshape:
    what = f"{_WHAT} … RENAME COLUMN"
    only(piece, action, ("this", "to"), {"exists": "IF EXISTS"}, what)
    (old,) = column_names(piece, [action.this], what)
    (new,) = column_names(piece, [action.args["to"]], what)
    return Reshape(piece, name, "RENAME COLUMN", renamed=((old, new),), if_exists=exists)


def _set(piece: Piece, name: TableName, action: exp.AlterSet, exists: bool) -> Redefine | None:
    (item, *more) = action.expressions or [None]
    if not isinstance(item, exp.Properties) or more:
        return None
    only(piece, action, ("expressions",), {}, f"{_WHAT} … SET TBLPROPERTIES")
    found = read_properties(piece, item.expressions, f"{_WHAT} … SET TBLPROPERTIES")
    return Redefine(piece, name, "SET TBLPROPERTIES", properties=dict(found), if_exists=exists)


def _alter_column(piece: Piece, name: TableName, action: exp.AlterColumn, exists: bool) -> Found:
    what = f"{_WHAT} … ALTER COLUMN"
    if not isinstance(action.this, exp.Identifier):
        (column,) = column_names(piece, [action.this], what)
    column = action.this.name
    known = ("this", "allow_null", "drop", "default", "dtype", "comment", "rename_to")
    only(piece, action, known, {}, what)
    if action.args.get("dtype") is not None or action.args.get("rename_to") is not None:
        return _changed(piece, name, action, column, exists)
    if action.args.get("allow_null") is not None:
        required = {column: not action.args["allow_null"]}
        return Redefine(piece, name, "CHANGE COLUMN", required=required, if_exists=exists)
    default = action.args.get("default")
    if default is not None:
        text = default_text(piece, default)
        return Redefine(piece, name, "CHANGE COLUMN", defaults={column: text}, if_exists=exists)
    if action.args.get("drop") and says(piece, "DROP", "DEFAULT"):
        return Redefine(piece, name, "CHANGE COLUMN", defaults={column: None}, if_exists=exists)
    return None


def _changed(
    piece: Piece, name: TableName, action: exp.AlterColumn, column: str, exists: bool
) -> Reshape:
    """``ALTER COLUMN c TYPE t`` and ``CHANGE COLUMN c d t COMMENT …``."""
    kind, to = action.args.get("dtype"), action.args.get("rename_to")
    length = next((word for word in LENGTHS if says(piece, word)), None)
    if length is not None:
        # The tree has lost it.
        refuse(piece, f"The type {length}", hint="Lengths of texts are not kept: use STRING.")
    comment = action.args.get("comment")
    types = ((column, column_type(piece, action, kind)),) if kind is not None else ()
    renamed = ((column, to.name),) if to is not None and to.name != column else ()
    return Reshape(
        piece,
        name,
        "CHANGE COLUMN TYPE",
        renamed=renamed,
        types=types,
        comments=((column, str(comment.this)),) if isinstance(comment, exp.Literal) else (),
        if_exists=exists,
    )


def _replace(piece: Piece, name: TableName, action: exp.ReplaceColumns, exists: bool) -> Reshape:
    columns = listed_columns(piece, action.expressions)
    return Reshape(piece, name, "REPLACE COLUMNS", replaced=columns, if_exists=exists)


_ACTIONS: dict[type[Any], _Read] = {
    exp.AddConstraint: _add_constraint,
    exp.Drop: _drop,
    exp.RenameColumn: _rename,
    exp.AlterSet: _set,
    exp.AlterColumn: _alter_column,
    exp.ReplaceColumns: _replace,
}


def read_alter_words(piece: Piece, words: list[Word]) -> Redefine | Reshape | None:
    """The forms of ``ALTER TABLE`` that have no tree: ``UNSET TBLPROPERTIES`` and a column's place.

    :raises SqlError: one of them cannot be read.
    """
    reader = Reader(piece, words)
    if not reader.accept("TABLE"):
        return None
    exists = reader.accept("IF") and reader.accept("EXISTS")
    word = reader.peek()
    if word is None or word.kind not in ("word", "quoted"):
        return None
    name = reader.name()
    if len(name) > 3:
        return None
    if reader.accept("UNSET"):
        return _unset(reader, TableName(name), exists)
    if reader.accept("ALTER", "CHANGE"):
        return _placed(reader, TableName(name), exists)
    return None


def _unset(reader: Reader, name: TableName, exists: bool) -> Redefine | None:
    if not reader.accept("TBLPROPERTIES"):
        return None
    lenient = reader.accept("IF") and reader.accept("EXISTS")
    start = reader.here()
    # The rest reads as the list of a SET.
    text = reader.piece.text[start:].strip()
    inner = text.removeprefix("(").removesuffix(")")
    if inner == text or not inner.strip():
        refuse(reader.piece, f"{_WHAT} … UNSET TBLPROPERTIES {text}", hint="List the names: ('a').")
    tree = parse_statement(f"SELECT {inner}")
    keys = {property_name(reader.piece, item): None for item in tree.expressions}
    return Redefine(
        reader.piece,
        name,
        "UNSET TBLPROPERTIES",
        properties=dict(keys),
        if_exists=exists,
        lenient=lenient,
    )


def _placed(reader: Reader, name: TableName, exists: bool) -> Reshape | None:
    """``ALTER COLUMN c FIRST`` and ``ALTER COLUMN c AFTER d``; None for anything else."""
    reader.accept("COLUMN")
    word = reader.peek()
    if word is None or word.kind not in ("word", "quoted"):
        return None
    column = reader.name()
    first = reader.accept("FIRST")
    if not first and not reader.accept("AFTER"):
        return None
    after = None if first else reader.name()
    reader.end()
    if len(column) > 1 or (after is not None and len(after) > 1):
        refuse(reader.piece, f"{_WHAT} … ALTER COLUMN of a field", hint="Move whole columns.")
    place = (column[0], None if after is None else after[0])
    return Reshape(reader.piece, name, "CHANGE COLUMN ORDER", places=(place,), if_exists=exists)


def added_at(
    piece: Piece,
    name: TableName,
    columns: tuple[Column, ...],
    places: dict[str, str | None],
    exists: bool,
) -> Reshape:
    """Columns that are added at places of their own."""
    return Reshape(
        piece,
        name,
        "ADD COLUMNS",
        added=columns,
        places=tuple(places.items()),
        if_exists=exists,
    )
